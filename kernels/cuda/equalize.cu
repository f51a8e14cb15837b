/* SPDX-License-Identifier: MIT */
/* Equalization on CUDA: counts, a table per colour, the map, all on the device. Called through the op's row. */
#include "tones.cuh"

namespace
{

using namespace gf;

constexpr int table_threads = 1024;

/* One block per plane. A thread has neighbouring values; `stride` is from plane to plane. */
__global__ void __launch_bounds__(table_threads)
    table_kernel(const uint64_t *counts, uint64_t stride, uint32_t levels, uint64_t samples, uint16_t *tables)
{
    __shared__ uint64_t shared_cmin;
    const uint64_t *own = counts + blockIdx.x * stride;
    const uint32_t each = (levels + table_threads - 1) / table_threads, first = threadIdx.x * each;
    const uint32_t end = min(first + each, levels);
    unsigned long long sum = 0, total;
    for (uint32_t v = first; v < end; v++)
        sum += own[v];
    unsigned long long cdf = block_scan(sum, &total);
    if (cdf == 0 && sum != 0)
        for (uint32_t v = first; v < end; v++)
            if (own[v] != 0) {
                shared_cmin = own[v];
                break;
            }
    __syncthreads();
    const uint64_t cmin = shared_cmin;
    for (uint32_t v = first; v < end; v++) {
        cdf += own[v];
        tables[blockIdx.x * static_cast<size_t>(levels) + v] =
            static_cast<uint16_t>(gf_equalize_entry(v, cdf, cmin, samples, levels - 1));
    }
}

struct Table8 {
    struct Shared {
        uint8_t v[GF_MAX_CHANNELS][256];
    };
    const uint16_t *tables;
    uint32_t planes;

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        for (uint32_t i = threadIdx.x; i < planes * 256; i += blockDim.x)
            shared.v[i / 256][i % 256] = static_cast<uint8_t>(tables[i]);
    }
    __device__ __forceinline__ uint8_t value(const Shared &shared, uint8_t v, uint32_t c) const
    {
        return shared.v[c][v];
    }
};

struct Table16 {
    struct Shared {
    };
    const uint16_t *tables;

    __device__ __forceinline__ void prepare(Shared &) const
    {
    }
    __device__ __forceinline__ uint16_t value(const Shared &, uint16_t v, uint32_t c) const
    {
        return __ldg(tables + (c << 16) + v);
    }
};

/* In the order in which they lie in the scratch. */
struct Room {
    uint64_t *counts;
    uint16_t *tables;
};

cudaError_t start(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t levels, uint64_t slots,
                  const Room &room)
{
    const uint64_t samples = call->image[0]->view.width * call->image[0]->view.height;
    const cudaStream_t stream = call->lane->main;
    cudaError_t error = cudaMemsetAsync(room.counts, 0, slots * s.planes * sizeof(uint64_t), stream);
    if (error == cudaSuccess && levels == 256)
        error = gf_cuda_count_bytes(call, &s, room.counts);
    if (error == cudaSuccess && levels != 256) {
        const struct gf_cuda_bins bins = {gf_bins_make(0.0, levels, levels, false, false), nullptr};
        error = gf_cuda_count_bins(call, &s, &bins, levels, true, room.counts);
    }
    if (error != cudaSuccess)
        return error;
    table_kernel<<<s.planes, table_threads, 0, stream>>>(room.counts, slots, levels, samples, room.tables);
    error = cudaPeekAtLastError();
    if (error != cudaSuccess)
        return error;
    return levels == 256 ? tone_launch<uint8_t>(call, s, Table8{room.tables, s.planes})
                         : tone_launch<uint16_t>(call, s, Table16{room.tables});
}

} // namespace

extern "C" enum gf_status gf_cuda_equalize(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_need(call, image, image->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_go_on(call->lane, call->job, gf_view_bytes(&image->view), err);
    if (status != GF_OK)
        return status;
    const uint32_t planes = tone_channels(image->view.channels, call->step->params.equalize.alpha);
    const uint32_t levels = image->view.dtype == GF_U8 ? 256 : 65536;
    const uint64_t slots = levels == 256 ? 256 : levels + GF_BINS_EXTRA;
    const size_t counts = slots * planes * sizeof(uint64_t);
    void *data = nullptr;
    status = gf_cuda_take(call->lane, counts + static_cast<size_t>(levels) * planes * sizeof(uint16_t), &data, err);
    if (status != GF_OK)
        return status;
    char *at = static_cast<char *>(data);
    const Room room = {reinterpret_cast<uint64_t *>(at), reinterpret_cast<uint16_t *>(at + counts)};
    const cudaError_t error = start(call, gf_cuda_samples(image, planes, false), levels, slots, room);
    gf_cuda_give(call->lane, data);
    return gf_cuda_status(error, "equalizing", err);
}

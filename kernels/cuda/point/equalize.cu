/* SPDX-License-Identifier: MIT */
/* Histogram equalization on CUDA: counts the samples, makes a table per channel, maps the samples. Runs entirely
 * on the device. Called through the op's row. */
#include "intensity.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "protocol/ops/params/equalize.h"

namespace
{

using namespace gf;

constexpr uint32_t table_threads = 1024, table_each = 4;
constexpr uint32_t word_levels = 65536;
constexpr uint64_t word_slots = word_levels + GF_BINS_EXTRA;

/* Grid: x is a part of the sample values, of which each thread has four adjacent ones; y is a plane. Every block sums
 * the counts below its part by itself. `stride` is the distance from plane to plane; `sign` comes from sign_bits().
 * Table entries below the lowest value in the picture are never looked up. */
__global__ void __launch_bounds__(table_threads)
    table_kernel(const uint64_t *counts, uint64_t stride, uint64_t samples, uint32_t sign, uint16_t *tables)
{
    __shared__ uint32_t lowest;
    const uint64_t *own = counts + blockIdx.y * stride;
    const uint32_t own_first = (blockIdx.x * table_threads + threadIdx.x) * table_each;
    uint64_t count[table_each];
    unsigned long long before = 0, sum = 0, total;
    uint32_t first = word_levels; /* the lowest value that this thread has seen */
    if (threadIdx.x == 0)
        lowest = word_levels;
    gf_sync_block(); /* `lowest` is set before any warp lowers it; the barriers of block_scan precede its reads */
#pragma unroll 4
    for (uint32_t part = 0; part <= blockIdx.x; part++) {
        const uint32_t v = (part * table_threads + threadIdx.x) * table_each;
        before += sum;
        sum = 0;
#pragma unroll
        for (uint32_t i = 0; i < table_each; i++) {
            count[i] = own[v + i];
            sum += count[i];
            first = count[i] != 0 ? min(first, v + i) : first;
        }
    }
    first = gf_warp_min(first);
    if (threadIdx.x % lanes == 0)
        gf_atomic_min(&lowest, first);
    (void)block_scan(before, &total);
    unsigned long long cdf = total;
    cdf += block_scan(sum, &total);
    const uint64_t cmin = lowest < word_levels ? own[lowest] : 0;
#pragma unroll
    for (uint32_t i = 0; i < table_each; i++) {
        cdf += count[i];
        const uint32_t bits = (own_first + i) ^ sign;
        tables[blockIdx.y * static_cast<size_t>(word_levels) + bits] =
            static_cast<uint16_t>(gf_equalize_entry(bits, cdf, cmin, samples, word_levels - 1 - sign));
    }
}

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

/* `data` holds the counts, then the tables. */
cudaError_t start_words(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint64_t samples, void *data)
{
    const cudaStream_t stream = call->exec->main;
    auto *counts = static_cast<uint64_t *>(data);
    auto *tables = reinterpret_cast<uint16_t *>(counts + word_slots * s.planes);
    cudaError_t error = cudaMemsetAsync(counts, 0, word_slots * s.planes * sizeof(*counts), stream);
    if (error == cudaSuccess) {
        const double first = s.dtype == GF_I16 ? -32768.0 : 0.0;
        const struct gf_cuda_bins bins = {gf_bins_make(first, first + word_levels, word_levels, false, false), nullptr};
        error = gf_cuda_count_bins(call, &s, &bins, word_levels, true, counts);
    }
    if (error != cudaSuccess)
        return error;
    const dim3 parts(word_levels / (table_threads * table_each), s.planes);
    table_kernel<<<parts, table_threads, 0, stream>>>(counts, word_slots, samples, sign_bits(s.dtype), tables);
    error = cudaPeekAtLastError();
    return error == cudaSuccess ? intensity_launch<uint16_t>(call, s, Table16{tables}) : error;
}

} // namespace

extern "C" enum gf_status gf_cuda_equalize(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status != GF_OK)
        return status;
    const uint32_t planes =
        gf_computed_channels(gf_equalize_params_get(&call->step->params).alpha, image->view.channels);
    const bool bytes = image->view.dtype == GF_U8;
    const size_t size = bytes ? byte_values : word_slots * sizeof(uint64_t) + word_levels * sizeof(uint16_t);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, planes * size, &data, err);
    if (status != GF_OK)
        return status;
    const struct gf_cuda_samples s = gf_cuda_samples_both(call, planes);
    const uint64_t samples = image->view.width * image->view.height;
    const cudaError_t error =
        bytes ? intensity_by_tables(call, s, FinishBytes::equalize, data) : start_words(call, s, samples, data);
    gf_cuda_free(call->exec, data);
    return gf_cuda_status(error, "equalizing", err);
}

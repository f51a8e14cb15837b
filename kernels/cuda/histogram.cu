/* SPDX-License-Identifier: MIT */
/* The histogram on CUDA: bins, counts, and what is made of the counts, all on the device. Called through the op's row.
 */
#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "protocol/enums.h"
#include "protocol/outputs_histogram.h"
#include "samples.cuh"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int finish_threads = 1024;

/* An output on the device. */
struct Table {
    char *data;
    size_t pitch;

    template <class T> __device__ __forceinline__ T *row(uint32_t y) const
    {
        return reinterpret_cast<T *>(data + y * pitch);
    }
};

__device__ __forceinline__ double share_of(u64 count, double total, double width)
{
    const double share = __ddiv_rn(static_cast<double>(count), __dmul_rn(total, width));
    return share != share ? __longlong_as_double(0x7FF8000000000000ll) : share;
}

/* Samples inside the bins. */
__device__ __forceinline__ double total_of(const u64 *counts, uint32_t n, uint64_t pixels)
{
    return static_cast<double>(pixels - counts[n] - counts[n + 1] - counts[n + 2]);
}

/* Counts of plane blockIdx.y as they are or as densities. */
__global__ void __launch_bounds__(finish_threads)
    counts_kernel(const u64 *counts, const struct gf_bins *bins, uint32_t n, uint64_t pixels, bool density, Table out)
{
    const u64 *own = counts + static_cast<uint64_t>(blockIdx.y) * (n + GF_BINS_EXTRA);
    const double total = total_of(own, n, pixels);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k < n; k += step) {
        const uint32_t bin = static_cast<uint32_t>(k);
        if (density)
            out.row<double>(blockIdx.y)[k] =
                share_of(own[k], total, __dsub_rn(gf_bins_edge(bins, bin + 1), gf_bins_edge(bins, bin)));
        else
            out.row<u64>(blockIdx.y)[k] = own[k];
    }
}

/* The same added up: one block per plane. */
__global__ void __launch_bounds__(finish_threads)
    cumulative_kernel(const u64 *counts, uint32_t n, uint64_t pixels, bool density, Table out)
{
    const u64 *own = counts + static_cast<uint64_t>(blockIdx.y) * (n + GF_BINS_EXTRA);
    const double total = total_of(own, n, pixels);
    u64 carry = 0;
    for (uint32_t at = 0; at < n; at += finish_threads) {
        const uint32_t k = at + threadIdx.x;
        const u64 count = k < n ? own[k] : 0;
        u64 all;
        const u64 sum = carry + block_scan(count, &all) + count;
        carry += all;
        if (k < n && density)
            out.row<double>(blockIdx.y)[k] = share_of(sum, total, 1.0);
        else if (k < n)
            out.row<u64>(blockIdx.y)[k] = sum;
    }
}

__global__ void __launch_bounds__(finish_threads)
    edges_kernel(const u64 *counts, const struct gf_bins *bins, uint32_t n, uint32_t planes, Table outside, Table edges)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k <= n; k += step)
        edges.row<double>(0)[k] = gf_bins_edge(bins, static_cast<uint32_t>(k));
    if (blockIdx.x == 0 && threadIdx.x < planes * GF_BINS_EXTRA) {
        const uint32_t plane = threadIdx.x / GF_BINS_EXTRA, k = threadIdx.x % GF_BINS_EXTRA;
        outside.row<u64>(plane)[k] = counts[static_cast<uint64_t>(plane) * (n + GF_BINS_EXTRA) + n + k];
    }
}

/* Scratch, in this order. */
struct Room {
    uint64_t *counts, *extremes, *values;
    size_t words; /* of the three together */
    struct gf_bins *bins;
};

cudaError_t make_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, bool bytes,
                      const Room &room)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    if (p->range != GF_HIST_RANGE_DATA) {
        const bool whole = gf_histogram_is_whole(p);
        const double hi = !whole ? p->hi : s.dtype == GF_U8 ? 256.0 : 65536.0;
        const struct gf_bins given = gf_bins_make(p->lo, hi, n, s.dtype == GF_F32, p->last_closed != 0);
        return gf_cuda_bins_given(call, &s, &given, room.bins);
    }
    const cudaError_t error = bytes ? gf_cuda_extremes_of_bytes(call, &s, room.values, room.extremes)
                                    : gf_cuda_find_extremes(call, &s, true, room.extremes);
    return error == cudaSuccess ? gf_cuda_bins_of_extremes(call, &s, room.extremes, n, true, room.bins) : error;
}

cudaError_t count(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, const Room &room)
{
    const bool bytes = gf_dtype_size(s.dtype) == 1 && !s.luma;
    cudaError_t error = cudaMemsetAsync(room.counts, 0, room.words * sizeof(uint64_t), call->lane->main);
    if (error == cudaSuccess && bytes)
        error = gf_cuda_count_bytes(call, &s, room.values);
    if (error == cudaSuccess)
        error = make_bins(call, s, n, bytes, room);
    if (error == cudaSuccess)
        error = bytes ? gf_cuda_count_fold(call, &s, room.values, room.bins, n, room.counts)
                      : gf_cuda_count_bins(call, &s, room.bins, n, true, room.counts);
    return error;
}

Table table_of(const struct gf_cuda_image &image)
{
    return {static_cast<char *>(image.data), static_cast<size_t>(image.view.pitch)};
}

cudaError_t finish(const struct gf_cuda_call *call, uint32_t planes, uint32_t n, const Room &room)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    const uint64_t pixels = call->image[0]->view.width * call->image[0]->view.height;
    const u64 *counts = reinterpret_cast<const u64 *>(room.counts);
    const uint32_t most = call->lane->device->info.units * 2, blocks = (n + finish_threads) / finish_threads;
    const uint32_t grid = blocks < most ? blocks : most;
    const cudaStream_t stream = call->lane->main;
    const bool density = p->density != 0;
    if (p->cumulative != 0)
        cumulative_kernel<<<dim3(1, planes), finish_threads, 0, stream>>>(counts, n, pixels, density,
                                                                          table_of(call->out[0]));
    else
        counts_kernel<<<dim3(grid, planes), finish_threads, 0, stream>>>(counts, room.bins, n, pixels, density,
                                                                         table_of(call->out[0]));
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        return error;
    edges_kernel<<<grid, finish_threads, 0, stream>>>(counts, room.bins, n, planes, table_of(call->out[1]),
                                                      table_of(call->out[2]));
    return cudaGetLastError();
}

} // namespace

extern "C" enum gf_status gf_cuda_histogram(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_need(call, image, static_cast<uint32_t>(image->view.height), err);
    if (status != GF_OK)
        return status;
    const uint32_t n = gf_histogram_bins(p, image->view.dtype), planes = gf_histogram_planes(p, image->view.channels);
    const size_t counts = (static_cast<size_t>(n) + GF_BINS_EXTRA) * planes;
    const size_t words = counts + (GF_CUDA_EXTREMES + 256) * planes;
    void *data = nullptr;
    status = gf_cuda_take(call->lane, words * sizeof(uint64_t) + planes * sizeof(struct gf_bins), &data, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = static_cast<uint64_t *>(data);
    const Room room = {at, at + counts, at + counts + GF_CUDA_EXTREMES * planes, words,
                       reinterpret_cast<struct gf_bins *>(at + words)};
    const struct gf_cuda_samples s = gf_cuda_samples(image, planes, p->channels == GF_CHANNELS_LUMA);
    cudaError_t error = count(call, s, n, room);
    if (error == cudaSuccess)
        error = finish(call, planes, n, room);
    gf_cuda_give(call->lane, data);
    return gf_cuda_status(error, "counting samples", err);
}

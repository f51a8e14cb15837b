/* SPDX-License-Identifier: MIT */
/* The histogram on CUDA: bins, counts, and what is made of the counts, all on the device. Called through the op's row.
 */
#include <stdlib.h>

#include "count_bytes.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/shared/histogram.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int finish_threads = 1024;
constexpr uint32_t few_bins = 4096;            /* of bytes; the block that ends counting makes all of them */
constexpr uint32_t chunk = 8 * finish_threads; /* bins that one block adds up */

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

/* Everything that is made of the counts. */
struct Finish {
    const u64 *counts; /* n + GF_BINS_EXTRA per plane */
    struct gf_cuda_bins bins;
    uint32_t n, planes;
    uint64_t pixels;
    bool density;
    Table out, outside, edges;
};

/* Edges by the blocks of plane 0, and what is outside by one of them. */
__device__ __forceinline__ void store_edges(const Finish &f)
{
    if (blockIdx.y != 0)
        return;
    const struct gf_bins b = *bins_of(f.bins, 0);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k <= f.n; k += step)
        f.edges.row<double>(0)[k] = gf_bins_edge(&b, static_cast<uint32_t>(k));
    if (blockIdx.x == 0 && threadIdx.x < f.planes * GF_BINS_EXTRA) {
        const uint32_t plane = threadIdx.x / GF_BINS_EXTRA, k = threadIdx.x % GF_BINS_EXTRA;
        f.outside.row<u64>(plane)[k] = f.counts[static_cast<uint64_t>(plane) * (f.n + GF_BINS_EXTRA) + f.n + k];
    }
}

/* Counts of plane blockIdx.y as they are or as densities. */
__global__ void __launch_bounds__(finish_threads) counts_kernel(const __grid_constant__ Finish f)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.n + GF_BINS_EXTRA);
    const double total = total_of(own, f.n, f.pixels);
    const struct gf_bins b = *bins_of(f.bins, 0);
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * finish_threads;
    for (uint64_t k = blockIdx.x * static_cast<uint64_t>(finish_threads) + threadIdx.x; k < f.n; k += step) {
        const uint32_t bin = static_cast<uint32_t>(k);
        if (f.density)
            f.out.row<double>(blockIdx.y)[k] =
                share_of(own[k], total, __dsub_rn(gf_bins_edge(&b, bin + 1), gf_bins_edge(&b, bin)));
        else
            f.out.row<u64>(blockIdx.y)[k] = own[k];
    }
    store_edges(f);
}

/* The sum of each chunk of each plane. */
__global__ void __launch_bounds__(finish_threads) sums_kernel(const __grid_constant__ Finish f, u64 *sums)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.n + GF_BINS_EXTRA);
    u64 sum = 0, all;
#pragma unroll
    for (uint32_t j = 0; j < chunk / finish_threads; j++) {
        const uint32_t k = blockIdx.x * chunk + j * finish_threads + threadIdx.x;
        sum += k < f.n ? own[k] : 0;
    }
    (void)block_scan(sum, &all);
    if (threadIdx.x == 0)
        sums[blockIdx.y * gridDim.x + blockIdx.x] = all;
}

/* Counts added up, one block per chunk: what stands before it is the sum of the chunks before. */
__global__ void __launch_bounds__(finish_threads) cumulative_kernel(const __grid_constant__ Finish f, const u64 *sums)
{
    const u64 *own = f.counts + static_cast<uint64_t>(blockIdx.y) * (f.n + GF_BINS_EXTRA);
    const double total = total_of(own, f.n, f.pixels);
    u64 before = 0, carry = 0;
    for (uint32_t i = threadIdx.x; i < blockIdx.x; i += finish_threads)
        before += sums[blockIdx.y * gridDim.x + i];
    (void)block_scan(before, &carry);
    for (uint32_t j = 0; j < chunk / finish_threads; j++) {
        const uint32_t k = blockIdx.x * chunk + j * finish_threads + threadIdx.x;
        const u64 count = k < f.n ? own[k] : 0;
        u64 all;
        const u64 sum = carry + block_scan(count, &all) + count;
        carry += all;
        if (k < f.n && f.density)
            f.out.row<double>(blockIdx.y)[k] = share_of(sum, total, 1.0);
        else if (k < f.n)
            f.out.row<u64>(blockIdx.y)[k] = sum;
    }
    store_edges(f);
}

/* The value of samples of 8 bits that stands at v among the counts. */
__device__ __forceinline__ int32_t value_at(uint32_t v, uint32_t dtype)
{
    return static_cast<int32_t>(v) - (dtype == GF_I8 ? 128 : 0);
}

__device__ __forceinline__ uint32_t bin_at(const struct gf_bins *bins, uint32_t v, uint32_t dtype)
{
    const int64_t value = value_at(v, dtype);
    return gf_bins_find(bins, GF_BINS_INT, static_cast<double>(value), static_cast<uint64_t>(value));
}

/* From the counts of bytes to all outputs, for few bins. */
struct FewBins {
    Finish f;
    uint32_t dtype;
    bool cumulative, of_data; /* the bins cover the data */
    size_t memory_bytes;

    /* Bins over all samples of all planes. */
    __device__ __forceinline__ void cover(const uint64_t *values, struct gf_bins *ret) const
    {
        __shared__ uint32_t lowest, highest;
        if (threadIdx.x == 0) {
            lowest = byte_values;
            highest = 0;
        }
        gf_sync_block();
        if (threadIdx.x < f.planes * byte_values && values[threadIdx.x] != 0) {
            gf_atomic_min(&lowest, threadIdx.x % byte_values);
            gf_atomic_max(&highest, threadIdx.x % byte_values);
        }
        gf_sync_block();
        if (threadIdx.x == 0)
            *ret = gf_bins_make(value_at(lowest, dtype), value_at(highest, dtype), f.n, false, true);
    }

    __device__ __forceinline__ void plane(const uint64_t *values, const struct gf_bins *b, uint32_t y,
                                          u64 *counts) const
    {
        for (uint32_t k = threadIdx.x; k < f.n + GF_BINS_EXTRA; k += bytes_threads)
            counts[k] = 0;
        gf_sync_block();
        if (threadIdx.x < byte_values && values[threadIdx.x] != 0)
            gf_atomic_add(counts + bin_at(b, threadIdx.x, dtype), static_cast<u64>(values[threadIdx.x]));
        gf_sync_block();
        const double total = total_of(counts, f.n, f.pixels);
        u64 carry = 0;
        for (uint32_t at = 0; at < f.n; at += bytes_threads) {
            const uint32_t k = at + threadIdx.x;
            u64 sum = k < f.n ? counts[k] : 0;
            if (cumulative) {
                u64 all;
                sum += carry + block_scan(sum, &all);
                carry += all;
            }
            if (k < f.n && f.density)
                f.out.row<double>(y)[k] =
                    share_of(sum, total, cumulative ? 1.0 : __dsub_rn(gf_bins_edge(b, k + 1), gf_bins_edge(b, k)));
            else if (k < f.n)
                f.out.row<u64>(y)[k] = sum;
        }
        if (threadIdx.x < GF_BINS_EXTRA)
            f.outside.row<u64>(y)[threadIdx.x] = counts[f.n + threadIdx.x];
        gf_sync_block();
    }

    __device__ __forceinline__ void operator()(uint64_t *values) const
    {
        __shared__ struct gf_bins b;
        if (of_data)
            cover(values, &b);
        else if (threadIdx.x == 0)
            b = f.bins.given;
        gf_sync_block();
        for (uint32_t k = threadIdx.x; k <= f.n; k += bytes_threads)
            f.edges.row<double>(0)[k] = gf_bins_edge(&b, k);
        u64 *counts = reinterpret_cast<u64 *>(values + f.planes * byte_values);
        for (uint32_t y = 0; y < f.planes; y++)
            plane(values + y * byte_values, &b, y, counts);
    }
};

/* From the counts of bytes to those of bins. */
struct Fold {
    struct gf_cuda_bins bins;
    uint32_t n, planes, dtype;
    u64 *counts;
    static constexpr size_t memory_bytes = 0;

    __device__ __forceinline__ void operator()(const uint64_t *values) const
    {
        const uint32_t plane = threadIdx.x / byte_values, v = threadIdx.x % byte_values;
        if (plane < planes && values[threadIdx.x] != 0)
            gf_atomic_add(counts + static_cast<uint64_t>(plane) * (n + GF_BINS_EXTRA) +
                              bin_at(bins_of(bins, plane), v, dtype),
                          static_cast<u64>(values[threadIdx.x]));
    }
};

/* Given edges, on the host. */
struct Edges {
    double *data = nullptr;

    ~Edges()
    {
        free(data);
    }
};

/* Scratch, in this order; what is added up begins as zero. */
struct Workspace {
    uint64_t *extremes, *counts, *sums;
    struct gf_bins *bins;
    double *edges; /* given ones */
};

uint32_t chunks_of(uint32_t n)
{
    return (n + chunk - 1) / chunk;
}

/* The bins; with the range of the data they are made on the device. */
cudaError_t make_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, const double *edges,
                      const Workspace &memory_bytes, struct gf_cuda_bins *ret)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    if (edges != nullptr) {
        *ret = {gf_bins_of_list(memory_bytes.edges, edges[0], edges[n], n, p->last_closed != 0), nullptr};
        return cudaMemcpyAsync(memory_bytes.edges, edges, (n + 1ull) * sizeof(*edges), cudaMemcpyHostToDevice,
                               call->exec->main);
    }
    const uint32_t range = gf_histogram_range(p, s.dtype);
    if (range != GF_HIST_RANGE_DATA) {
        const double hi = range == GF_HIST_RANGE_GIVEN ? p->hi : s.dtype == GF_U8 ? 256.0 : 65536.0;
        *ret = {gf_bins_make(p->lo, hi, n, s.dtype == GF_F32, p->last_closed != 0), nullptr};
        return cudaSuccess;
    }
    *ret = {{}, memory_bytes.bins};
    const cudaError_t error = gf_cuda_find_extremes(call, &s, true, memory_bytes.extremes);
    return error == cudaSuccess ? gf_cuda_bins_of_extremes(call, &s, memory_bytes.extremes, n, true, memory_bytes.bins)
                                : error;
}

/* Samples that are counted by value. */
bool is_bytes(const struct gf_cuda_samples &s)
{
    return gf_dtype_size(s.dtype) == 1 && !s.luma;
}

Table table_of(const struct gf_cuda_image &image)
{
    return {static_cast<char *>(image.data), static_cast<size_t>(image.view.pitch)};
}

cudaError_t finish(const struct gf_cuda_call *call, const Finish &f, u64 *sums)
{
    const cudaStream_t stream = call->exec->main;
    if (call->step->params.histogram.cumulative == 0) {
        const uint32_t limit = call->exec->device->info.units * 2, blocks = (f.n + finish_threads) / finish_threads;
        counts_kernel<<<dim3(gf_cuda_grid(blocks < limit ? blocks : limit), f.planes), finish_threads, 0, stream>>>(f);
        return cudaPeekAtLastError();
    }
    const dim3 grid(chunks_of(f.n), f.planes);
    if (grid.x > 1) {
        sums_kernel<<<grid, finish_threads, 0, stream>>>(f, sums);
        const cudaError_t error = cudaPeekAtLastError();
        if (error != cudaSuccess)
            return error;
    }
    cumulative_kernel<<<grid, finish_threads, 0, stream>>>(f, sums);
    return cudaPeekAtLastError();
}

cudaError_t start_in_shared(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const Finish &f,
                            const double *edges, const Workspace &memory_bytes)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    const bool of_data = edges == nullptr && gf_histogram_range(p, s.dtype) == GF_HIST_RANGE_DATA;
    FewBins few = {f, s.dtype, p->cumulative != 0, of_data, (f.n + GF_BINS_EXTRA) * sizeof(u64)};
    const cudaError_t error = of_data ? cudaSuccess : make_bins(call, s, f.n, edges, memory_bytes, &few.f.bins);
    return error == cudaSuccess ? count_bytes(call, s, few) : error;
}

cudaError_t start_in_memory(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, Finish f,
                            const double *edges, const Workspace &memory_bytes)
{
    cudaError_t error = cudaMemsetAsync(
        memory_bytes.extremes, 0, static_cast<size_t>(memory_bytes.sums - memory_bytes.extremes) * sizeof(uint64_t),
        call->exec->main);
    if (error == cudaSuccess)
        error = make_bins(call, s, f.n, edges, memory_bytes, &f.bins);
    if (error == cudaSuccess)
        error = is_bytes(s)
                    ? count_bytes(call, s,
                                  Fold{f.bins, f.n, s.planes, s.dtype, reinterpret_cast<u64 *>(memory_bytes.counts)})
                    : gf_cuda_count_bins(call, &s, &f.bins, f.n, true, memory_bytes.counts);
    return error == cudaSuccess ? finish(call, f, reinterpret_cast<u64 *>(memory_bytes.sums)) : error;
}

cudaError_t start(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint32_t n, const double *edges,
                  const Workspace &memory_bytes)
{
    const Finish f = {reinterpret_cast<const u64 *>(memory_bytes.counts),
                      {},
                      n,
                      s.planes,
                      call->image[0]->view.width * call->image[0]->view.height,
                      call->step->params.histogram.density != 0,
                      table_of(call->out[0]),
                      table_of(call->out[1]),
                      table_of(call->out[2])};
    return is_bytes(s) && n <= few_bins ? start_in_shared(call, s, f, edges, memory_bytes)
                                        : start_in_memory(call, s, f, edges, memory_bytes);
}

} // namespace

extern "C" enum gf_status gf_cuda_histogram(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_histogram_params *p = &call->step->params.histogram;
    struct gf_cuda_image *image = call->image[0];
    Edges edges;
    enum gf_status status = gf_cuda_need_all(call, image, err);
    if (status == GF_OK && call->coefs[1] != nullptr)
        status = gf_histogram_edges(call->coefs[1], &edges.data, err);
    if (status != GF_OK)
        return status;
    const uint32_t n = static_cast<uint32_t>(call->out[2].view.width - 1),
                   planes = gf_histogram_planes(p, image->view.channels);
    const size_t extremes = GF_CUDA_EXTREMES * planes, sums = chunks_of(n) * planes;
    const size_t counts = (static_cast<size_t>(n) + GF_BINS_EXTRA) * planes, words = extremes + counts + sums;
    void *data = nullptr;
    const size_t lists = edges.data != nullptr ? n + 1ull : 0;
    status = gf_cuda_take(call->exec, (words + lists) * sizeof(uint64_t) + planes * sizeof(struct gf_bins), &data, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = static_cast<uint64_t *>(data);
    const Workspace memory_bytes = {at, at + extremes, at + extremes + counts,
                                    reinterpret_cast<struct gf_bins *>(at + words + lists),
                                    reinterpret_cast<double *>(at + words)};
    const struct gf_cuda_samples s = gf_cuda_samples(image, planes, p->channels == GF_CHANNELS_LUMA);
    const cudaError_t error = start(call, s, n, edges.data, memory_bytes);
    gf_cuda_give(call->exec, data);
    return gf_cuda_status(error, "counting samples", err);
}

extern "C" cudaError_t gf_cuda_histogram_prepare(void)
{
    const cudaError_t error = count_bytes_prepare<FewBins>();
    return error == cudaSuccess ? count_bytes_prepare<Fold>() : error;
}

/* SPDX-License-Identifier: MIT */
/*
 * The last block of count_bytes.cu turns the counts into a histogram or tables. All its threads call these functions
 * after a barrier, with the counts of all planes, 256 each, in `values` in shared memory. The block has a thread for
 * every value of four planes. Included by count_bytes.cu alone.
 */
#ifndef GF_CUDA_FINISH_BYTES_CUH
#define GF_CUDA_FINISH_BYTES_CUH

#include "count_bytes.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "otsu_split.cuh"

namespace gf
{

constexpr int bytes_threads = GF_MAX_CHANNELS * byte_values;

/* The value of the 8-bit samples that counter v counts. */
__device__ __forceinline__ int32_t value_at(uint32_t v, uint32_t dtype)
{
    return static_cast<int32_t>(v) - (dtype == GF_I8 ? 128 : 0);
}

__device__ __forceinline__ uint32_t bin_at(const struct gf_bins *bins, uint32_t v, uint32_t dtype)
{
    const int64_t value = value_at(v, dtype);
    return gf_bins_find(bins, GF_BINS_INT, static_cast<double>(value), static_cast<uint64_t>(value));
}

/* Makes bins over all samples of all planes. The caller must pass a barrier before it reads *ret, in shared memory. */
__device__ __forceinline__ void cover(const FewBins &few, const uint64_t *values, struct gf_bins *ret)
{
    __shared__ uint32_t lowest, highest;
    if (threadIdx.x == 0) {
        lowest = byte_values;
        highest = 0;
    }
    gf_sync_block(); /* both are set before any thread widens them */
    if (threadIdx.x < few.to.planes * byte_values && values[threadIdx.x] != 0) {
        gf_atomic_min(&lowest, threadIdx.x % byte_values);
        gf_atomic_max(&highest, threadIdx.x % byte_values);
    }
    gf_sync_block(); /* all threads have widened them */
    if (threadIdx.x == 0)
        *ret = gf_bins_make(value_at(lowest, few.dtype), value_at(highest, few.dtype), few.to.n, false, true);
}

/* Makes the outputs of plane y. `counts` has room for its bins. */
__device__ __forceinline__ void make_plane(const FewBins &few, const uint64_t *values, const struct gf_bins *b,
                                           uint32_t y, unsigned long long *counts)
{
    const BinOutputs &to = few.to;
    for (uint32_t k = threadIdx.x; k < to.n + GF_BINS_EXTRA; k += bytes_threads)
        counts[k] = 0;
    gf_sync_block(); /* all counts are 0 before any thread adds */
    if (threadIdx.x < byte_values && values[threadIdx.x] != 0)
        gf_atomic_add(counts + bin_at(b, threadIdx.x, few.dtype), static_cast<unsigned long long>(values[threadIdx.x]));
    gf_sync_block(); /* all threads have added before any thread reads */
    const double total = total_of(counts, to.n, to.pixels);
    unsigned long long carry = 0;
    for (uint32_t at = 0; at < to.n; at += bytes_threads) {
        const uint32_t k = at + threadIdx.x;
        unsigned long long sum = k < to.n ? counts[k] : 0;
        if (to.cumulative) {
            unsigned long long all;
            sum += carry + block_scan(sum, &all);
            carry += all;
        }
        if (k < to.n && to.density)
            to.out.row<double>(y)[k] =
                share_of(sum, total, to.cumulative ? 1.0 : __dsub_rn(gf_bins_edge(b, k + 1), gf_bins_edge(b, k)));
        else if (k < to.n)
            to.out.row<unsigned long long>(y)[k] = sum;
    }
    if (threadIdx.x < GF_BINS_EXTRA)
        to.outside.row<unsigned long long>(y)[threadIdx.x] = counts[to.n + threadIdx.x];
    gf_sync_block(); /* all threads have read before the next plane clears the counts */
}

__device__ __forceinline__ void make_histogram(const FewBins &few, uint64_t *values)
{
    __shared__ struct gf_bins b;
    if (few.of_data)
        cover(few, values, &b);
    else if (threadIdx.x == 0)
        b = few.to.bins.given;
    gf_sync_block(); /* thread 0 has written b */
    for (uint32_t k = threadIdx.x; k <= few.to.n; k += bytes_threads)
        few.to.edges.row<double>(0)[k] = gf_bins_edge(&b, k);
    auto *counts = reinterpret_cast<unsigned long long *>(values + few.to.planes * byte_values);
    for (uint32_t y = 0; y < few.to.planes; y++)
        make_plane(few, values + y * byte_values, &b, y, counts);
}

__device__ __forceinline__ void fold_into_bins(const Fold &fold, const uint64_t *values)
{
    const uint32_t plane = threadIdx.x / byte_values, v = threadIdx.x % byte_values;
    if (plane < fold.planes && values[threadIdx.x] != 0)
        gf_atomic_add(fold.counts + static_cast<uint64_t>(plane) * (fold.n + GF_BINS_EXTRA) +
                          bin_at(bins_of(fold.bins, plane), v, fold.dtype),
                      static_cast<unsigned long long>(values[threadIdx.x]));
}

__device__ __forceinline__ void make_equalize_tables(const ByteTables &to, const uint64_t *values)
{
    __shared__ uint64_t cmin[GF_MAX_CHANNELS];
    const uint32_t plane = threadIdx.x / byte_values, v = threadIdx.x % byte_values;
    const uint64_t own = plane < to.planes ? values[threadIdx.x] : 0;
    unsigned long long total;
    const uint64_t before = block_scan(own, &total) - plane * to.samples; /* all planes have equally many samples */
    if (own != 0 && before == 0) /* true in one thread per plane, which has the lowest value in the plane */
        cmin[plane] = own;
    gf_sync_block(); /* cmin is written */
    if (plane < to.planes)
        to.tables[threadIdx.x] =
            static_cast<uint8_t>(gf_equalize_entry(v, before + own, cmin[plane], to.samples, byte_values - 1));
}

__device__ __forceinline__ void make_otsu_tables(const ByteTables &to, const uint64_t *values)
{
    constexpr uint32_t warps = byte_values / lanes; /* per plane */
    __shared__ unsigned long long sums[GF_MAX_CHANNELS + 1];
    __shared__ Split splits[GF_MAX_CHANNELS * warps];
    const uint32_t plane = threadIdx.x / byte_values, t = threadIdx.x % byte_values;
    const unsigned long long own = plane < to.planes ? values[threadIdx.x] : 0;
    unsigned long long all;
    const unsigned long long w0 = block_scan(own, &all) + own - plane * to.samples;
    const unsigned long long s = block_scan(own * t, &all) + own * t;
    if (threadIdx.x == 0)
        sums[0] = 0;
    if (t == byte_values - 1)
        sums[plane + 1] = s;
    gf_sync_block(); /* all sums are written */
    Split best = {0.0, UINT32_MAX};
    if (plane < to.planes && w0 != 0 && w0 != to.samples)
        best = {gf_otsu_score(w0, s - sums[plane], to.samples, sums[plane + 1] - sums[plane]), t};
    best = best_of_warp(best);
    if (t % lanes == 0)
        splits[threadIdx.x / lanes] = best;
    gf_sync_block(); /* the best split of every warp is written */
    best = best_of_warp(splits[plane * warps + t % warps]);
    if (plane < to.planes) /* white above the split; all black if there is no split, since t never exceeds UINT32_MAX */
        to.tables[threadIdx.x] = t > best.t ? 255 : 0;
}

__device__ __forceinline__ void make_contrast_tables(const ByteTables &to, const uint64_t *values)
{
    __shared__ uint32_t lowest[GF_MAX_CHANNELS], highest[GF_MAX_CHANNELS];
    const uint32_t plane = threadIdx.x / byte_values, v = threadIdx.x % byte_values;
    if (v == 0) {
        lowest[plane] = byte_values;
        highest[plane] = 0;
    }
    gf_sync_block(); /* both are set before any thread widens them */
    if (plane < to.planes && values[threadIdx.x] != 0) {
        gf_atomic_min(&lowest[plane], v);
        gf_atomic_max(&highest[plane], v);
    }
    gf_sync_block(); /* all threads have widened them */
    const uint32_t lo = lowest[plane], hi = highest[plane];
    if (plane < to.planes)
        to.tables[threadIdx.x] =
            static_cast<uint8_t>(lo < hi && lo <= v && v <= hi ? gf_contrast_entry(v - lo, hi - lo, 255) : v);
}

__device__ __forceinline__ void finish_bytes(const FinishBytes &finish, uint64_t *values)
{
    switch (finish.what) {
    case FinishBytes::histogram:
        make_histogram(finish.few, values);
        break;
    case FinishBytes::fold:
        fold_into_bins(finish.bins, values);
        break;
    case FinishBytes::equalize:
        make_equalize_tables(finish.tables, values);
        break;
    case FinishBytes::otsu:
        make_otsu_tables(finish.tables, values);
        break;
    case FinishBytes::contrast:
        make_contrast_tables(finish.tables, values);
        break;
    }
}

} // namespace gf

#endif

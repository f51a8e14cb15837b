/* SPDX-License-Identifier: MIT */
/* Iteration over samples in 16-byte vectors, and the block scan. Included by the files of histogram/, the tone ops and
 * select. */
#ifndef GF_CUDA_SAMPLES_CUH
#define GF_CUDA_SAMPLES_CUH

#include <type_traits>

#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "samples.h"

namespace gf
{

constexpr int lanes = 32;
constexpr int vectors_per_lane = GF_CUDA_WARP_TILE / lanes;

template <class T> constexpr int per_vector = static_cast<int>(GF_CUDA_VECTOR / sizeof(T));

template <class T> union Pack {
    uint4 raw;
    T v[per_vector<T>];
};

/* Stores the first n samples of a vector. The bytes after the last sample keep their values. */
template <class T> __device__ __forceinline__ void store_pack(uint4 *to, const Pack<T> &pack, int n)
{
    if (n == per_vector<T>) {
        *to = pack.raw;
        return;
    }
#pragma unroll
    for (int j = 0; j < per_vector<T>; j++)
        if (j < n)
            reinterpret_cast<T *>(to)[j] = pack.v[j];
}

__device__ __forceinline__ const struct gf_bins *bins_of(const struct gf_cuda_bins &bins, uint32_t plane)
{
    return bins.made != nullptr ? bins.made + plane : &bins.given;
}

/* Returns the channel of the sample at an index of a row. */
__device__ __forceinline__ uint32_t phase_of(uint64_t index, uint32_t channels)
{
    return channels == 3 ? static_cast<uint32_t>(index % 3) : static_cast<uint32_t>(index) & (channels - 1);
}

/* How many copies of f walk_tile contains, for whole tiles and for tiles at the end of a row: four and four; four and
 * one; one and one. */
enum class Unrolled { everywhere, inside, nowhere };

/* Calls f(pack, number of samples, channel of the first sample, row, vector) for all vectors of a tile that belong to
 * this lane. */
template <class T, Unrolled unrolled = Unrolled::everywhere, class F>
__device__ __forceinline__ void walk_tile(const struct gf_cuda_samples &s, uint64_t tile, F &&f)
{
    constexpr int at_once = unrolled == Unrolled::nowhere ? 1 : vectors_per_lane;
    const uint64_t tiles = (s.row_vectors + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE;
    const uint64_t row = s.rows == 1 ? 0 : tile / tiles;
    const uint64_t first = (tile - row * tiles) * GF_CUDA_WARP_TILE + threadIdx.x % lanes;
    const uint4 *from = reinterpret_cast<const uint4 *>(static_cast<const char *>(s.data) + row * s.pitch);
    uint4 raw[vectors_per_lane];
    if ((first - threadIdx.x % lanes + GF_CUDA_WARP_TILE) * per_vector<T> <= s.row_samples) { /* no bounds checks */
#pragma unroll
        for (int u = 0; u < vectors_per_lane; u++)
            raw[u] = __ldg(from + first + u * lanes);
#pragma unroll 1
        for (int start = 0; start < vectors_per_lane; start += at_once) {
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                Pack<T> pack;
                pack.raw = raw[u];
                const uint64_t vector = first + (start + u) * lanes;
                f(pack, per_vector<T>, phase_of(vector * per_vector<T>, s.channels), row, vector);
            }
            if constexpr (at_once == 1) {
#pragma unroll
                for (int u = 1; u < vectors_per_lane; u++)
                    raw[u - 1] = raw[u];
            }
        }
        return;
    }
    if constexpr (unrolled != Unrolled::nowhere) {
#pragma unroll
        for (int u = 0; u < vectors_per_lane; u++)
            if (first + u * lanes < s.row_vectors)
                raw[u] = __ldg(from + first + u * lanes);
    }
    const auto at_end = [&](uint4 samples, uint64_t vector) {
        const uint64_t index = vector * per_vector<T>, left = s.row_samples - index;
        Pack<T> pack;
        pack.raw = samples;
        f(pack, left < per_vector<T> ? static_cast<int>(left) : per_vector<T>, phase_of(index, s.channels), row,
          vector);
    };
    if constexpr (unrolled == Unrolled::everywhere) {
#pragma unroll
        for (int u = 0; u < vectors_per_lane; u++)
            if (first + u * lanes < s.row_vectors)
                at_end(raw[u], first + u * lanes);
    } else {
#pragma unroll 1
        for (int u = 0; u < vectors_per_lane; u++) {
            const uint64_t vector = first + u * lanes;
            if (vector >= s.row_vectors)
                return;
            at_end(unrolled == Unrolled::nowhere ? __ldg(from + vector) : raw[0], vector);
            if constexpr (unrolled == Unrolled::inside) {
#pragma unroll
                for (int k = 1; k < vectors_per_lane; k++)
                    raw[k - 1] = raw[k];
            }
        }
    }
}

__device__ __forceinline__ float luma_of(float r, float g, float b)
{
    return __fmaf_rn(0.299f, r, __fmaf_rn(0.587f, g, __fmul_rn(0.114f, b)));
}

/* Negative samples are in two's complement, and so is the sum, which stays within 32 bits. */
template <class T> __device__ __forceinline__ T luma_of(T r, T g, T b)
{
    return static_cast<T>((19595u * r + 38470u * g + 7471u * b + 32768u) >> 16);
}

template <class T>
constexpr bool has_luma =
    std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> || std::is_same_v<T, int16_t> || std::is_same_v<T, float>;

/* Calls f(luma) for the pixels of a tile that belong to this lane. */
template <class T, class F>
__device__ __forceinline__ void walk_luma(const struct gf_cuda_samples &s, uint64_t tile, F &&f)
{
    const uint64_t width = s.row_samples / s.channels, tiles = (width + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE;
    const uint64_t row = s.rows == 1 ? 0 : tile / tiles;
    const uint64_t first = (tile - row * tiles) * GF_CUDA_WARP_TILE + threadIdx.x % lanes;
    const T *from = reinterpret_cast<const T *>(static_cast<const char *>(s.data) + row * s.pitch);
    if constexpr (has_luma<T>) {
#pragma unroll
        for (int u = 0; u < vectors_per_lane; u++)
            if (first + u * lanes < width) {
                const T *p = from + (first + u * lanes) * s.channels;
                f(luma_of(__ldg(p), __ldg(p + 1), __ldg(p + 2)));
            }
    }
}

/* Returns the sum over the threads before this one, and the sum over all threads in ret_total. The block size must be a
 * multiple of 32. */
__device__ __forceinline__ unsigned long long block_scan(unsigned long long v, unsigned long long *ret_total)
{
    __shared__ unsigned long long totals[lanes];
    const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes, n_warps = blockDim.x / lanes;
    const unsigned long long sum = gf_warp_running_sum(v);
    gf_sync_block(); /* the totals of the last scan have been read */
    if (lane == lanes - 1)
        totals[warp] = sum;
    gf_sync_block();
    unsigned long long before = 0, total = 0;
    for (unsigned w = 0; w < n_warps; w++) {
        before += w < warp ? totals[w] : 0;
        total += totals[w];
    }
    *ret_total = total;
    return before + sum - v;
}

} // namespace gf

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Counts the samples of a block's tiles by bin, into counters of any kind (Sink). A Sink declares whether it takes all
 * bins of a vector at once (`by_vector`) and whether it wants compact code (`rolled`). Included by count_shared.cu,
 * count_pairs.cu and count_global.cu.
 */
#ifndef GF_CUDA_COUNT_BLOCK_CUH
#define GF_CUDA_COUNT_BLOCK_CUH

#include "bin_search.cuh"
#include "count.h"
#include "kernels/cuda/device/sync.cuh"

namespace gf
{

using u64 = unsigned long long;
using Layout = struct gf_cuda_count_layout;

constexpr int block_threads = 1024;
constexpr int block_warps = block_threads / lanes;

/* Counts the samples of channels first to first + planes - 1; One: the picture has one channel. 8-bit samples only come
 * here for their brightness. */
template <class T, bool One, Unrolled unrolled, class Find, class Sink>
__device__ __forceinline__ void count_samples(const struct gf_cuda_samples &s, uint64_t tiles, const struct gf_bins *b,
                                              uint32_t first, uint32_t planes, const Find &find_bin, Sink sink)
{
    const uint32_t bins = b->bins, slots = bins + GF_BINS_EXTRA;
    const auto exactly = [&](uint32_t k, T v) {
        return k < bins ? k : find_apart<kind_of<T>>(b, static_cast<double>(v), bits_of(v));
    };
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step) {
        if (sizeof(T) == 1 || (!One && s.luma))
            walk_luma<T>(s, tile, [&](T v) { sink.count(exactly(find_bin(v), v)); });
        else if constexpr (sizeof(T) > 1)
            walk_tile<T, unrolled>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t k[per_vector<T>];
                uint32_t highest = 0;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    k[j] = find_bin(pack.v[j]);
                    highest = max(highest, k[j]);
                }
                if (highest >= bins) {
#pragma unroll
                    for (int j = 0; j < per_vector<T>; j++)
                        k[j] = exactly(k[j], pack.v[j]);
                }
                bool is_there[per_vector<T>];
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    is_there[j] = j < n && (One || c - first < planes);
                    k[j] += One ? 0 : (c - first) * slots;
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
                if constexpr (Sink::by_vector) {
                    sink.count_vector(k, is_there);
                } else {
#pragma unroll
                    for (int j = 0; j < per_vector<T>; j++)
                        if (is_there[j])
                            sink.count(k[j]);
                }
            });
        sink.end();
    }
}

/* Whether these kernels count a dtype. 8-bit samples are counted here only for their brightness. */
template <class T> constexpr bool is_counted = sizeof(T) > 1 || has_luma<T>;

/* Whether a dtype is common enough to unroll the code for the vectors of a tile. */
template <class T, bool One>
constexpr bool is_common = std::is_same_v<T, uint16_t> || std::is_same_v<T, float> ||
                           (One && std::is_same_v<T, double>);

/* Counts by the fastest method that is exact for these bins. `table` has room for all edges, or is NULL; it is NULL if
 * Table is false. The code is unrolled for few types, since it would be long for types with many samples per vector. */
template <class T, bool One, bool Table, class Sink>
__device__ __forceinline__ void count_block(const struct gf_cuda_samples &s, uint64_t tiles, const struct gf_bins *b,
                                            uint32_t first, uint32_t planes, Edge<T> *table, const Sink &sink)
{
    constexpr Unrolled unrolled = Sink::rolled || !is_common<T, One> ? Unrolled::nowhere : Unrolled::inside;
    if constexpr (kind_of<T> == GF_BINS_INT) {
        if (b->unit) {
            count_samples<T, One, unrolled>(s, tiles, b, first, planes, unit_of<T>(*b), sink);
            return;
        }
    }
    if (Table && table != nullptr && (b->list != nullptr || estimate_fits(*b))) {
        for (uint32_t k = threadIdx.x; k <= b->bins; k += block_threads)
            table[k] = edge_of<T>(b, k);
        gf_sync_block(); /* the table is complete before any thread reads it; it is not written again */
        if (b->list != nullptr)
            count_samples<T, One, unrolled>(s, tiles, b, first, planes, Search<T>{b->bins, table}, sink);
        else
            count_samples<T, One, unrolled>(s, tiles, b, first, planes, estimate_of<T>(*b, Stored<T>{table, b->bins}),
                                            sink);
        return;
    }
    if (estimate_fits(*b)) {
        const Made<T> made = {b->base, b->step, edge_of<T>(b, b->bins), b->bins};
        count_samples<T, One, unrolled>(s, tiles, b, first, planes, estimate_of<T>(*b, made), sink);
        return;
    }
    const struct gf_bins own = *b;
    if constexpr (sizeof(T) <= 2)
        count_samples<T, One, Unrolled::nowhere>(
            s, tiles, b, first, planes, [](T) { return UINT32_MAX; }, sink);
    else
        count_samples<T, One, Unrolled::nowhere>(
            s, tiles, b, first, planes, [&](T v) { return find(own, v); }, sink);
}

} // namespace gf

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Folds stored partials to one, by a block of 128 threads, one per lane of the tree (docs/numerics.md, "The tree").
 * Included by reduce_partials.cu and reduction_by_block.cuh.
 */
#ifndef GF_CUDA_REDUCTION_FOLD_CUH
#define GF_CUDA_REDUCTION_FOLD_CUH

#include "kernels/cuda/device/sync.cuh"
#include "reduction_tail.cuh"

namespace gf_reduction_kernels
{

/* n of `total` stored partials, from `base` on, `pitch` apart. */
struct partials {
    const uint64_t *words;
    uint64_t total, base, pitch;
    uint32_t n;
};

/* Joins every `step`-th partial from i on, in order. It loads `ahead` partials at a time, without a branch between the
 * loads, while that many remain; then half as many, and so on. */
template <unsigned want, uint32_t step, uint32_t ahead>
__device__ __forceinline__ void join_from(bool real, const struct partials &p, uint32_t i, struct gf_partial *ret)
{
    for (; i + (ahead - 1) * step < p.n; i += ahead * step) {
        struct gf_partial more[ahead];
#pragma unroll
        for (uint32_t k = 0; k < ahead; k++)
            more[k] = gf_partial_load(want, p.words, p.total, p.base + (i + k * step) * p.pitch);
#pragma unroll
        for (uint32_t k = 0; k < ahead; k++)
            gf_partial_join(want, real, ret, &more[k]);
    }
    if constexpr (ahead > 1)
        join_from<want, step, ahead / 2>(real, p, i, ret);
}

/* many: so many partials that a large number of loads in flight justifies its code. */
template <unsigned want, uint32_t step, bool many = true>
__device__ __forceinline__ struct gf_partial join_all(bool real, const struct partials &p, uint32_t first)
{
    constexpr uint32_t n_words = gf_partial_words(want), ahead = !many ? 4 : n_words == 1 ? 32 : n_words <= 4 ? 8 : 4;
    struct gf_partial partial = gf_partial_empty();
    join_from<want, step, ahead>(real, p, first, &partial);
    return partial;
}

/* The shares that the first warps of a block fold in parallel, where the set is large: the spread, which takes longest;
 * the sums; the quantities without order. */
constexpr int shares = 3;

__host__ __device__ constexpr unsigned share_of(unsigned want, int share)
{
    const unsigned each[shares] = {want & GF_WANT_SPREAD, want & of_trees & ~GF_WANT_SPREAD, want & ~of_trees};
    const bool alone = each[0] == want || each[1] == want || each[2] == want;
    return !alone ? each[share] : share == 0 ? want : 0;
}

/* Folds quantities `set` of the partials of 128 lanes; the first thread of a warp has the result. */
template <unsigned want, unsigned set>
__device__ __forceinline__ struct gf_partial fold_lanes(bool real, const uint64_t *lanes)
{
    const auto joined = [&](unsigned a, unsigned b) {
        struct gf_partial partial = gf_partial_load(want, lanes, GF_TREE_LANES, a);
        const struct gf_partial other = gf_partial_load(want, lanes, GF_TREE_LANES, b);
        gf_partial_join(set, real, &partial, &other);
        return partial;
    };
    const unsigned lane = threadIdx.x % warp;
    struct gf_partial partial = joined(lane, lane + 2 * warp);
    const struct gf_partial more = joined(lane + warp, lane + 3 * warp);
    gf_partial_join(set, real, &partial, &more);
    join_warp<set>(real, &partial);
    return partial;
}

/* Folds at most 4096 partials by the tree; thread 0 has the result. `lanes` must have room for a partial per lane. */
template <unsigned want, bool many = true>
__device__ __forceinline__ struct gf_partial tree_of(bool real, const struct partials &p, uint64_t *lanes)
{
    const unsigned lane = threadIdx.x, w = lane / warp;
    struct gf_partial partial = join_all<want, GF_TREE_LANES, many>(real, p, lane);
    gf_partial_store(want, lanes, GF_TREE_LANES, lane, &partial);
    gf_sync_block();
    if (w == 0)
        partial = fold_lanes<want, share_of(want, 0)>(real, lanes);
    if constexpr (share_of(want, 0) != want) {
        if (w == 1)
            partial = fold_lanes<want, share_of(want, 1)>(real, lanes);
        if (w == 2)
            partial = fold_lanes<want, share_of(want, 2)>(real, lanes);
        gf_sync_block();
        if (lane % warp == 0 && w < shares)
            gf_partial_store(want, lanes, shares, w, &partial);
        gf_sync_block();
        const struct gf_partial all[shares] = {gf_partial_load(want, lanes, shares, 0),
                                               gf_partial_load(want, lanes, shares, 1),
                                               gf_partial_load(want, lanes, shares, 2)};
        partial = gf_partial_empty();
        gf_partial_join(share_of(want, 0), real, &partial, &all[0]);
        gf_partial_join(share_of(want, 1), real, &partial, &all[1]);
        gf_partial_join(share_of(want, 2), real, &partial, &all[2]);
    }
    gf_sync_block();
    return partial;
}

} // namespace gf_reduction_kernels

#endif

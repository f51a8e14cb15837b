/* SPDX-License-Identifier: MIT */
/*
 * A second filter behind separable_fused.cu, over the output of its columns: the magnitude of two 3 x 3 masks,
 * docs/numerics.md, "Built-in masks". One channel only.
 *
 * A warp holds 128 samples of 8 rows in registers, four adjacent samples per lane. A lane shuffles the samples beside
 * its own from its neighbours, so the first and the last lane produce no results. The two rows above come from shared
 * memory: from the warp above, or from the last warp of the previous step.
 */
#ifndef GF_CUDA_SECOND_STENCIL_CUH
#define GF_CUDA_SECOND_STENCIL_CUH

#include "fused_tile.cuh"
#include "kernels/cuda/filter/gradient.cuh"

namespace gf
{

/* The last two rows of each warp, for the current and the previous step. */
struct stencil_edges {
    float4 row[2][warps][2][warp_lanes];
};

/* Samples of a row: a lane's own, and one to each side. */
struct stencil_row {
    float v[quad + 2];
};

/* Returns `own` and the sample to each side: from the neighbouring lanes, or, at the left and right edge of the
 * picture, from the border. Edges says that the block may touch an edge. Whole warps must call it; lanes entirely
 * outside get undefined values. */
template <bool Edges>
__device__ __forceinline__ struct stencil_row widen(const struct gf_cuda_second &g, const float4 &own, int x)
{
    struct stencil_row r = {{gf_shuffle_up(own.w, 1), own.x, own.y, own.z, own.w, gf_shuffle_down(own.x, 1)}};
    if (!Edges)
        return r;
    const int last = g.width - 1 - x; /* index of the picture's last sample within `own`, if there */
    if (x == 0)
        r.v[0] = g.left < 0 ? g.outside : g.left == 0 ? r.v[1] : r.v[2];
#pragma unroll
    for (int j = 0; j < quad; j++)
        if (j == last)
            r.v[j + 2] = g.right < 0 ? g.outside : g.right == g.width - 1 ? r.v[j + 1] : r.v[j];
    return r;
}

__device__ __forceinline__ float4 quad_of(const float (&v)[quad])
{
    return make_float4(v[0], v[1], v[2], v[3]);
}

/* Whether a block that computes `samples` samples from x on, in rows first to end - 1, touches an edge of the
 * picture. */
__device__ __forceinline__ bool has_edges(const struct gf_cuda_second &g, int x, int samples, int first, int end)
{
    return x < 0 || x + samples >= g.width || first == 0 || end >= g.height;
}

/* Computes the sums of squares of row `at` between two rows; the border replaces a row outside the picture. With Unit
 * the outer weights are 1. */
template <bool Edges, bool Unit>
__device__ __forceinline__ void stencil_squares(const struct gf_cuda_second &g, const struct stencil_row &before,
                                                const struct stencil_row &at, const struct stencil_row &next, int row,
                                                float (&out)[quad])
{
    struct stencil_row top = before, bottom = next;
    if (Edges && row == 0) {
#pragma unroll
        for (int i = 0; i < quad + 2; i++)
            top.v[i] = g.top < 0 ? g.outside : g.top == 0 ? at.v[i] : next.v[i];
    }
    if (Edges && row == g.height - 1) {
#pragma unroll
        for (int i = 0; i < quad + 2; i++)
            bottom.v[i] = g.bottom < 0 ? g.outside : g.bottom == g.height - 1 ? at.v[i] : before.v[i];
    }
#pragma unroll
    for (int j = 0; j < quad; j++)
        out[j] = sum_of_squares(slope_across<Unit, 1>(top.v, at.v, bottom.v, j, g.gradient),
                                slope_down<Unit, 1>(top.v, bottom.v, j, g.gradient));
}

/* Rows per iteration: a short loop that runs twice stalls less for instructions than unrolled code of twice the
 * size. */
constexpr int stencil_part = rows_per_thread / 2;

/* Replaces rows y to y + 7 by the results of rows y - 1 to y + 6, with the help of two more rows at `above`. */
template <bool Edges, bool Unit>
__device__ __forceinline__ void stencil_rows(const struct gf_cuda_second &g, const float4 *above, int y, int x,
                                             float (&v)[rows_per_thread][quad])
{
    struct stencil_row before = widen<Edges>(g, above[0], x), at = widen<Edges>(g, above[warp_lanes], x);
#pragma unroll 1
    for (int first = 0; first < rows_per_thread; first += stencil_part) {
        float part[stencil_part][quad];
#pragma unroll
        for (int k = 0; k < stencil_part; k++) {
            const struct stencil_row next = widen<Edges>(g, quad_of(v[k]), x);
            stencil_squares<Edges, Unit>(g, before, at, next, y + first + k - 1, part[k]);
            before = at;
            at = next;
        }
        /* The remaining rows move up, and the results go behind them. */
#pragma unroll
        for (int k = 0; k < rows_per_thread; k++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                if (k + stencil_part < rows_per_thread)
                    v[k][j] = v[k + stencil_part][j];
                else
                    v[k][j] = part[k + stencil_part - rows_per_thread][j];
    }
    take_roots(v);
}

} // namespace gf

#endif

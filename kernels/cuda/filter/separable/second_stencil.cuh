/* SPDX-License-Identifier: MIT */
/*
 * A second filter behind separable_fused.cu, over what its columns have just made: the magnitude of two 3 x 3 masks,
 * docs/numerics.md 6. A warp has 128 samples of 8 rows in registers, four side by side in a lane; those beside a lane's
 * own are its neighbours', so that the first and last lane have no results, and the two rows above are in shared
 * memory, from the warp above or the last one of the step before. Of one channel.
 */
#ifndef GF_CUDA_SECOND_STENCIL_CUH
#define GF_CUDA_SECOND_STENCIL_CUH

#include "fused_tile.cuh"
#include "kernels/cuda/filter/gradient.cuh"

namespace gf
{

/* The last two rows of each warp, of this step and the one before. */
struct stencil_edges {
    float4 row[2][warps][2][warp_lanes];
};

/* Samples of a row: a lane's own, and one to both sides. */
struct stencil_row {
    float v[quad + 2];
};

/* `own`, and what is beside it: of the neighbours, or at the sides of the picture, where a block with Edges may be, by
 * the border. Called by whole warps; lanes whose samples are all outside get anything. */
template <bool Edges>
__device__ __forceinline__ struct stencil_row widen(const struct gf_cuda_second &g, const float4 &own, int x)
{
    struct stencil_row r = {{gf_shuffle_up(own.w, 1), own.x, own.y, own.z, own.w, gf_shuffle_down(own.x, 1)}};
    if (!Edges)
        return r;
    const int last = g.width - 1 - x; /* the picture's last sample, if it is among the lane's own */
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

/* Whether a block that makes so many samples from `x` on, rows first to end - 1, has some of an edge of the picture. */
__device__ __forceinline__ bool has_edges(const struct gf_cuda_second &g, int x, int samples, int first, int end)
{
    return x < 0 || x + samples >= g.width || first == 0 || end >= g.height;
}

/* Sums of squares of a row `at` between two others; a row outside the picture is made by the border. With Unit, the
 * outer taps are 1 and -1. */
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
    float sum[2][quad];
#pragma unroll
    for (int n = 0; n < 2; n++) {
        add_gradient_row<Unit, 1>(sum[n], top.v, 0, g.gradient, n, 0);
        add_gradient_row<Unit, 1>(sum[n], at.v, 0, g.gradient, n, 1);
        add_gradient_row<Unit, 1>(sum[n], bottom.v, 0, g.gradient, n, 2);
    }
#pragma unroll
    for (int j = 0; j < quad; j++)
        out[j] = sum_of_squares(sum[0][j], sum[1][j]);
}

/* Rows at a time: code that runs twice waits for fewer instructions than twice as much code. */
constexpr int stencil_part = rows_per_thread / 2;

/* Results of rows y - 1 to y + 6 in place of the rows y to y + 7, by these and two more that `above` points to. */
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
        /* Rows that are still to come move up, and the part goes behind them. */
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

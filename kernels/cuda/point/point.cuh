/* SPDX-License-Identifier: MIT */
/* The shape of sample-by-sample kernels: each thread owns four adjacent samples in several rows. */
#ifndef GF_CUDA_POINT_CUH
#define GF_CUDA_POINT_CUH

#include "kernels/cuda/filter/tile.cuh"

namespace gf
{

constexpr int point_warps = 8;
constexpr int point_rows = 4; /* loads in flight per thread */

inline dim3 point_grid(const struct gf_cuda_target *dst)
{
    const int rows = point_warps * point_rows;
    return dim3((dst->samples + warp_span - 1) / warp_span, (dst->height + rows - 1) / rows);
}

__device__ __forceinline__ int point_x()
{
    return blockIdx.x * warp_span + threadIdx.x % warp_lanes * quad;
}

__device__ __forceinline__ int point_y()
{
    return (blockIdx.y * point_warps + threadIdx.x / warp_lanes) * point_rows;
}

/* Loads the thread's samples, point_rows quads from (y, x) on, as f32. Rows past the last one leave `v` as it is. */
__device__ __forceinline__ void load_point(const struct gf_cuda_source &src, int y, int x, float (&v)[point_rows][quad])
{
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
#pragma unroll
        for (int r = 0; r < point_rows; r++) {
            if (y + r >= src.height)
                continue;
            const float4 q = load_quad(row_of<T>(src.data, src.pitch, y + r) + x);
            v[r][0] = q.x;
            v[r][1] = q.y;
            v[r][2] = q.z;
            v[r][3] = q.w;
        }
    });
}

__device__ __forceinline__ void store_point(const struct gf_cuda_target &dst, int y, int x,
                                            const float (&v)[point_rows][quad])
{
#pragma unroll
    for (int r = 0; r < point_rows; r++)
        if (y + r < dst.height)
            finish_row(dst, y + r, x, v[r]);
}

} // namespace gf

#endif

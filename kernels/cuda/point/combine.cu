/* SPDX-License-Identifier: MIT */
/* Combines two pictures sample by sample, docs/numerics.md, "combine". Called through the op's row and by
 * map_combine.c. */
#include "kernels/cuda/device/extremes.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "map_combine.h"
#include "point.cuh"

namespace
{

using namespace gf;

struct combination {
    uint32_t mode;
    float a, b, c;
};

__device__ __forceinline__ float apply(const struct combination &k, float a, float b)
{
    switch (k.mode) {
    case GF_COMBINE_LINEAR:
        return __fmaf_rn(k.b, b, __fmaf_rn(k.a, a, k.c));
    case GF_COMBINE_ABSDIFF:
        return fabsf(__fsub_rn(a, b));
    case GF_COMBINE_MUL:
        return __fmul_rn(a, b);
    case GF_COMBINE_MIN:
        return minimum(a, b);
    case GF_COMBINE_MAX:
        return maximum(a, b);
    default:
        return __fsqrt_rn(__fmaf_rn(a, a, __fmul_rn(b, b)));
    }
}

__global__ void __launch_bounds__(point_warps *warp_lanes)
    combine_kernel(const __grid_constant__ struct gf_cuda_source a, const __grid_constant__ struct gf_cuda_source b,
                   const __grid_constant__ struct gf_cuda_target dst, const __grid_constant__ struct combination how)
{
    const int x = point_x(), y = point_y();
    if (x >= dst.samples || y >= dst.height)
        return;
    float v[point_rows][quad] = {}, w[point_rows][quad] = {};
    load_point(a, y, x, v);
    load_point(b, y, x, w);
#pragma unroll
    for (int r = 0; r < point_rows; r++)
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[r][j] = apply(how, v[r][j], w[r][j]);
    store_point(dst, y, x, v);
}

} // namespace

extern "C" cudaError_t gf_cuda_combine_launch(const struct gf_cuda_source *a, const struct gf_cuda_source *b,
                                              const struct gf_cuda_target *dst, uint32_t mode, const float factors[3],
                                              cudaStream_t stream)
{
    const struct combination how = {mode, factors[0], factors[1], factors[2]};
    combine_kernel<<<point_grid(dst), point_warps * warp_lanes, 0, stream>>>(*a, *b, *dst, how);
    return cudaPeekAtLastError();
}

extern "C" enum gf_status gf_cuda_combine(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_point_combine(call, err);
}

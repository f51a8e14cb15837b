/* SPDX-License-Identifier: MIT */
/* Applies one formula to every sample, docs/numerics.md, "map". Called through the op's row and by map_combine.c. */
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/shared/gamma.h"
#include "map_combine.h"
#include "point.cuh"

namespace
{

using namespace gf;

__device__ __forceinline__ float apply(const struct gf_cuda_formula &f, float x)
{
    if (f.table != nullptr)
        return __ldg(f.table + static_cast<int>(x));
    float v = __fmaf_rn(x, f.scale, f.offset);
    if (f.gamma != 1.0f)
        v = gf_gamma(v, f.gamma);
    return __fdiv_rn(__fmul_rn(v, f.multiply), f.divide);
}

__global__ void __launch_bounds__(point_warps *warp_lanes)
    map_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
               const __grid_constant__ struct gf_cuda_formula formula)
{
    const int x = point_x(), y = point_y();
    if (x >= dst.samples || y >= dst.height)
        return;
    float v[point_rows][quad] = {};
    load_point(src, y, x, v);
#pragma unroll
    for (int r = 0; r < point_rows; r++)
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[r][j] = apply(formula, v[r][j]);
    store_point(dst, y, x, v);
}

} // namespace

extern "C" cudaError_t gf_cuda_map_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                          const struct gf_cuda_formula *formula, cudaStream_t stream)
{
    map_kernel<<<point_grid(dst), point_warps * warp_lanes, 0, stream>>>(*src, *dst, *formula);
    return cudaPeekAtLastError();
}

extern "C" enum gf_status gf_cuda_map(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_point_map(call, err);
}

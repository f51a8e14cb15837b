/* SPDX-License-Identifier: MIT */
/* Operations between the columns and the target, docs/numerics.md, "Filters". Included by separable.cu and
 * separable_fused.cu. */
#ifndef GF_CUDA_SEPARABLE_CUH
#define GF_CUDA_SEPARABLE_CUH

#include "kernels/cuda/filter/filter_pass.h"
#include "kernels/cuda/filter/tile.cuh"

namespace gf
{

/* Adds the image `after.add` to four samples from flat x of row y on. */
__device__ __forceinline__ void apply_sum(const struct gf_cuda_after &after, int y, int x, float (&acc)[quad])
{
    const float4 v = load_quad(row_of<float>(after.add, after.add_pitch, y) + x);
    acc[0] = __fadd_rn(v.x, acc[0]);
    acc[1] = __fadd_rn(v.y, acc[1]);
    acc[2] = __fadd_rn(v.z, acc[2]);
    acc[3] = __fadd_rn(v.w, acc[3]);
}

__device__ __forceinline__ void apply_unsharp(const struct gf_cuda_after &after, const struct gf_cuda_source &src,
                                              int y, int x, float (&acc)[quad])
{
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
        const T *row = row_of<T>(src.data, src.pitch, y);
#pragma unroll
        for (int j = 0; j < quad; j++) {
            const float v = load_sample<T>(src, row, x + j, (x + j) % src.channels, src.channels);
            const float d = __fsub_rn(v, acc[j]);
            acc[j] = fabsf(d) < after.threshold ? v : __fmaf_rn(after.amount, d, v);
        }
    });
}

} // namespace gf

#endif

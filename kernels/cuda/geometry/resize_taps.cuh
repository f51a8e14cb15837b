/* SPDX-License-Identifier: MIT */
/* The chains of resize along an axis, for four adjacent results at a time, so that each sample is read and converted
 * once for all four. Included by resize_tiles.cu and resize_passes.cu. */
#ifndef GF_CUDA_RESIZE_TAPS_CUH
#define GF_CUDA_RESIZE_TAPS_CUH

#include "kernels/cuda/filter/tile.cuh"
#include "resize.h"

namespace gf
{

/* Whether a sample times 0 may be NaN, so that weights that are no tap must be skipped. */
template <class T> constexpr bool may_be_infinite = !std::is_integral_v<T>;

__device__ __forceinline__ float4 load_weights(const struct gf_resize_weights *w)
{
    return __ldg(reinterpret_cast<const float4 *>(w));
}

/* acc = fma(v, w, acc) for N samples. A weight that is no tap is NaN, and skipped, if `guarded`; otherwise it is 0. A
 * finite value times 0 is a zero, which changes at most the sign of a sum that is 0, and the end of the chain, fma(acc,
 * 1, +0), makes zeros positive. */
template <bool guarded, int N> __device__ __forceinline__ void add_tap(float (&acc)[N], const float (&v)[N], float w)
{
    if (guarded && w != w)
        return;
#pragma unroll
    for (int j = 0; j < N; j++)
        acc[j] = __fmaf_rn(v[j], w, acc[j]);
}

/* Along columns: a quad of samples for each of four result rows, group `group` of y. `flat`, the flat index of the
 * source samples, is a multiple of 4. Rows of device images have whole quads. */
template <int C, class T>
__device__ __forceinline__ void go_down(const struct gf_cuda_source &src, const struct gf_resize_groups &y, int group,
                                        int flat, float (&acc)[GF_RESIZE_GROUP][quad])
{
    const int first = __ldg(y.first + group), at = __ldg(y.at + group), n = __ldg(y.at + group + 1) - at;
#pragma unroll
    for (int r = 0; r < GF_RESIZE_GROUP; r++)
#pragma unroll
        for (int j = 0; j < quad; j++)
            acc[r][j] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        const float4 q = load_prepared_quad<C>(src, row_of<T>(src.data, src.pitch, first + k) + flat);
        const float4 w = load_weights(y.weights + at + k);
        const float v[quad] = {q.x, q.y, q.z, q.w};
        add_tap<may_be_infinite<T>>(acc[0], v, w.x);
        add_tap<may_be_infinite<T>>(acc[1], v, w.y);
        add_tap<may_be_infinite<T>>(acc[2], v, w.z);
        add_tap<may_be_infinite<T>>(acc[3], v, w.w);
    }
}

/* Along rows: four pixels of the result, group `group` of x. sample(k, c) is channel c of pixel k of the window. */
template <int C, bool guarded, class F>
__device__ __forceinline__ void go_across(const struct gf_resize_groups &x, int group, F &&sample,
                                          float (&acc)[GF_RESIZE_GROUP][C])
{
    const int at = __ldg(x.at + group), n = __ldg(x.at + group + 1) - at;
#pragma unroll
    for (int p = 0; p < GF_RESIZE_GROUP; p++)
#pragma unroll
        for (int c = 0; c < C; c++)
            acc[p][c] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        const float4 w = load_weights(x.weights + at + k);
        float v[C];
#pragma unroll
        for (int c = 0; c < C; c++)
            v[c] = sample(k, c);
        add_tap<guarded>(acc[0], v, w.x);
        add_tap<guarded>(acc[1], v, w.y);
        add_tap<guarded>(acc[2], v, w.z);
        add_tap<guarded>(acc[3], v, w.w);
    }
}

/* Whether sums of a picture's samples may be infinite or NaN. */
__host__ __device__ __forceinline__ bool sums_may_be_infinite(uint32_t dtype)
{
    return dtype == GF_F32 || dtype == GF_F16;
}

} // namespace gf

#endif

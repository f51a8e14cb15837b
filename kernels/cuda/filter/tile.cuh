/* SPDX-License-Identifier: MIT */
/*
 * Shared by all filter kernels: loading stored samples as f32 values (border, light, alpha), and storing accumulated
 * values. The arithmetic follows docs/numerics.md, "General" and "Pictures": no contraction, explicit fma, IEEE
 * division, one canonical NaN.
 */
#ifndef GF_CUDA_TILE_CUH
#define GF_CUDA_TILE_CUH

#include <type_traits>

#include "filter_args.h"
#include "kernels/cuda/device/border.cuh"
#include "kernels/cuda/device/dispatch.cuh"
#include "pointwise.cuh"
#include "protocol/ops/enums.h"

namespace gf
{

constexpr int warp_lanes = 32;
constexpr int quad = 4;                      /* adjacent samples of a thread: one 16-byte access of f32 */
constexpr int warp_span = warp_lanes * quad; /* adjacent flat samples that a warp covers */
constexpr int rows_per_thread = 8;           /* 4 x 8 outputs per thread: 32 independent chains */
constexpr int warps = 4;
constexpr int threads = warps * warp_lanes;
constexpr int tile_rows = warps * rows_per_thread; /* with the warps of a block stacked */

/* Returns the grid of blocks of `width` samples by `height` rows over a row chunk. */
inline dim3 grid_over(int samples, struct gf_cuda_row_chunk rows, int width, int height)
{
    return dim3((samples + width - 1) / width, (rows.end - rows.first + height - 1) / height);
}

__host__ __device__ constexpr int round_up(int v, int to)
{
    return (v + to - 1) / to * to;
}

template <class T> __device__ __forceinline__ const T *row_of(const void *data, size_t pitch, int y)
{
    return reinterpret_cast<const T *>(static_cast<const char *>(data) + static_cast<size_t>(y) * pitch);
}

template <class T> __device__ __forceinline__ T *row_of(void *data, size_t pitch, int y)
{
    return reinterpret_cast<T *>(static_cast<char *>(data) + static_cast<size_t>(y) * pitch);
}

/* Whether samples are only converted to f32. */
__device__ __forceinline__ bool is_plain(const struct gf_cuda_source &src)
{
    return src.decode == nullptr && !src.premultiply;
}

/* Loads one sample inside the image as the filter reads it. `c` is the sample's channel. */
template <class T>
__device__ __forceinline__ float load_sample(const struct gf_cuda_source &src, const T *row, int flat, int c,
                                             int channels)
{
    const T raw = __ldg(row + flat);
    float v = static_cast<float>(raw);
    const bool colour = (channels & 1) != 0 || c != channels - 1;
    if (colour) {
        if constexpr (std::is_integral_v<T>)
            if (src.decode != nullptr)
                v = __ldg(src.decode + static_cast<int>(raw));
        if ((channels & 1) == 0 && src.premultiply)
            v = __fmul_rn(v, static_cast<float>(__ldg(row + flat + (channels - 1 - c))));
    }
    return v;
}

/* Returns the pixel of a flat index, rounded down, for any index that a mask reaches. */
template <int C> __device__ __forceinline__ int pixel_of(int flat)
{
    constexpr int bias = 1 << 26;
    return static_cast<int>(static_cast<unsigned>(flat + bias * C) / C) - bias;
}

/* Load four adjacent stored samples from an aligned address. */
__device__ __forceinline__ float4 load_quad(const float *p)
{
    return __ldg(reinterpret_cast<const float4 *>(p));
}

__device__ __forceinline__ float4 load_quad(const uint16_t *p)
{
    const ushort4 v = __ldg(reinterpret_cast<const ushort4 *>(p));
    return make_float4(v.x, v.y, v.z, v.w);
}

__device__ __forceinline__ float4 load_quad(const int16_t *p)
{
    const short4 v = __ldg(reinterpret_cast<const short4 *>(p));
    return make_float4(v.x, v.y, v.z, v.w);
}

/* Converts four halves in two words. */
__device__ __forceinline__ float4 halves(uint2 v)
{
    const float2 low = __half22float2(*reinterpret_cast<const __half2 *>(&v.x));
    const float2 high = __half22float2(*reinterpret_cast<const __half2 *>(&v.y));
    return make_float4(low.x, low.y, high.x, high.y);
}

__device__ __forceinline__ float4 load_quad(const __half *p)
{
    return halves(__ldg(reinterpret_cast<const uint2 *>(p)));
}

__device__ __forceinline__ float4 load_quad(const uint8_t *p)
{
    const uchar4 v = __ldg(reinterpret_cast<const uchar4 *>(p));
    return make_float4(v.x, v.y, v.z, v.w);
}

/* Returns four loaded samples as the filter reads them. With C = 1, 2 or 4 a quad starts at a pixel; three channels
 * have no alpha. */
template <int C> __device__ __forceinline__ float4 prepared_quad(const struct gf_cuda_source &src, float4 v)
{
    if (src.decode != nullptr) {
        v.x = __ldg(src.decode + static_cast<int>(v.x));
        if (C != 2)
            v.y = __ldg(src.decode + static_cast<int>(v.y));
        v.z = __ldg(src.decode + static_cast<int>(v.z));
        if ((C & 1) != 0)
            v.w = __ldg(src.decode + static_cast<int>(v.w));
    }
    if (C == 2 && src.premultiply) {
        v.x = __fmul_rn(v.x, v.y);
        v.z = __fmul_rn(v.z, v.w);
    }
    if (C == 4 && src.premultiply) {
        v.x = __fmul_rn(v.x, v.w);
        v.y = __fmul_rn(v.y, v.w);
        v.z = __fmul_rn(v.z, v.w);
    }
    return v;
}

template <int C, class T>
__device__ __forceinline__ float4 load_prepared_quad(const struct gf_cuda_source &src, const T *p)
{
    return prepared_quad<C>(src, load_quad(p));
}

/* Returns how many thresholds are at or below v: the encoded sample. NaN gives 0. */
__device__ __forceinline__ float encode_light(const float *thresholds, int max, float v)
{
    int lo = 0, hi = max;
    while (lo < hi) {
        const int mid = (lo + hi + 1) / 2;
        if (__ldg(thresholds + mid) <= v)
            lo = mid;
        else
            hi = mid - 1;
    }
    return static_cast<float>(lo);
}

__device__ __forceinline__ float to_stored(float, float v)
{
    return v != v ? __int_as_float(0x7FC00000) : v;
}

/* PTX conversions to integers round to even, saturate, and map NaN to 0. The C++ conversions go through 32 bits, which
 * costs another instruction, and a slower one for bytes. */
__device__ __forceinline__ uint8_t to_stored(uint8_t, float v)
{
    uint32_t s;
    asm("cvt.rni.u8.f32 %0, %1;" : "=r"(s) : "f"(v));
    return static_cast<uint8_t>(s);
}

__device__ __forceinline__ uint16_t to_stored(uint16_t, float v)
{
    uint16_t s;
    asm("cvt.rni.u16.f32 %0, %1;" : "=h"(s) : "f"(v));
    return s;
}

__device__ __forceinline__ int16_t to_stored(int16_t, float v)
{
    int16_t s;
    asm("cvt.rni.s16.f32 %0, %1;" : "=h"(s) : "f"(v));
    return s;
}

/* The conversion rounds to even, overflows to infinity and keeps denormals, but its NaN is not the canonical one. */
__device__ __forceinline__ __half to_stored(__half, float v)
{
    return v != v ? __ushort_as_half(0x7E00) : __float2half_rn(v);
}

__device__ __forceinline__ void store_quad(__half *p, const __half (&s)[quad])
{
    *reinterpret_cast<ushort4 *>(p) =
        make_ushort4(__half_as_ushort(s[0]), __half_as_ushort(s[1]), __half_as_ushort(s[2]), __half_as_ushort(s[3]));
}

__device__ __forceinline__ void store_quad(int16_t *p, const int16_t (&s)[quad])
{
    *reinterpret_cast<short4 *>(p) = make_short4(s[0], s[1], s[2], s[3]);
}

__device__ __forceinline__ void store_quad(float *p, const float (&s)[quad])
{
    *reinterpret_cast<float4 *>(p) = make_float4(s[0], s[1], s[2], s[3]);
}

__device__ __forceinline__ void store_quad(uint16_t *p, const uint16_t (&s)[quad])
{
    *reinterpret_cast<ushort4 *>(p) = make_ushort4(s[0], s[1], s[2], s[3]);
}

__device__ __forceinline__ void store_quad(uint8_t *p, const uint8_t (&s)[quad])
{
    *reinterpret_cast<uchar4 *>(p) = make_uchar4(s[0], s[1], s[2], s[3]);
}

/* Returns a pixel's alpha from its accumulated value, docs/numerics.md, "Alpha". */
__device__ __forceinline__ float finish_alpha(const struct gf_cuda_target &dst, float acc)
{
    float a = __fmaf_rn(acc, dst.scale, 0.0f);
    if (a < 0.0f)
        a = 0.0f;
    if (a > dst.alpha_max)
        a = dst.alpha_max;
    return a;
}

/* Converts four adjacent accumulated values, the first at a multiple of four, to values before the store. */
__device__ __forceinline__ void unpremultiply(const struct gf_cuda_target &dst, const float (&acc)[quad],
                                              float (&v)[quad])
{
#pragma unroll
    for (int j = 0; j < quad; j++) {
        const float a = finish_alpha(dst, dst.alpha_period == quad ? acc[quad - 1] : acc[j | 1]);
        const float colour = a == 0.0f ? 0.0f : __fmul_rn(__fmul_rn(acc[j], dst.scale), __frcp_rn(a));
        const bool is_alpha = j == quad - 1 || (j == 1 && dst.alpha_period == 2);
        v[j] = is_alpha ? a : __fadd_rn(colour, dst.offset);
    }
}

/* Stores finished values of row y from flat x (a multiple of four) on. Values past the end of the row are dropped. */
template <class T>
__device__ __forceinline__ void store_values(const struct gf_cuda_target &dst, int y, int x, const T (&s)[quad])
{
    T *out = row_of<T>(dst.data, dst.pitch, y) + x;
    if (x + quad <= dst.samples) {
        store_quad(out, s);
        return;
    }
#pragma unroll
    for (int j = 0; j < quad - 1; j++)
        if (x + j < dst.samples)
            out[j] = s[j];
}

/* Returns the alpha that is copied to flat x of row y, scaled from the maximum of its type to that of the target's
 * type. Between floats, and to and from i16, the number is kept. */
__device__ __forceinline__ float copied_alpha(const struct gf_cuda_target &dst, int y, int x)
{
    float a = 0.0f;
    gf_dispatch(dst.copy_dtype, [&](auto tag) {
        using T = decltype(tag);
        a = static_cast<float>(__ldg(row_of<T>(dst.copy_data, dst.copy_pitch, y + dst.copy_dy) + x + dst.copy_dx));
    });
    const bool from_float = dst.copy_dtype == GF_F32 || dst.copy_dtype == GF_F16;
    const bool to_float = dst.dtype == GF_F32 || dst.dtype == GF_F16;
    if (dst.copy_dtype == dst.dtype || dst.copy_dtype == GF_I16 || dst.dtype == GF_I16 || (from_float && to_float))
        return a;
    if (from_float)
        return __fmul_rn(a, dst.dtype == GF_U8 ? 255.0f : 65535.0f);
    if (to_float)
        return __fdiv_rn(a, dst.copy_dtype == GF_U8 ? 255.0f : 65535.0f);
    return dst.copy_dtype == GF_U8 ? __fmul_rn(a, 257.0f) : __fdiv_rn(a, 257.0f);
}

/* Finishes and stores four adjacent values, with any alpha and any light. */
__device__ __forceinline__ void finish_quad(const struct gf_cuda_target &dst, int y, int x, const float (&acc)[quad])
{
    if (x >= dst.samples)
        return;
    float v[quad];
    if (dst.alpha == GF_ALPHA_PREMULTIPLIED) {
        unpremultiply(dst, acc, v);
    } else {
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[j] = __fmaf_rn(acc[j], dst.scale, dst.offset);
    }
    bool is_alpha[quad];
#pragma unroll
    for (int j = 0; j < quad; j++) {
        is_alpha[j] = dst.alpha_period != 0 && (j & (dst.alpha_period - 1)) == dst.alpha_period - 1;
        if (dst.encode != nullptr && !is_alpha[j])
            v[j] = encode_light(dst.encode, dst.encode_max, v[j]);
        if (dst.alpha == GF_ALPHA_IGNORE && is_alpha[j] && x + j < dst.samples)
            v[j] = copied_alpha(dst, y, x + j);
    }
    run_pointwise(dst.epilogue, v);
    gf_dispatch(dst.dtype, [&](auto tag) {
        using T = decltype(tag);
        T s[quad];
#pragma unroll
        for (int j = 0; j < quad; j++)
            s[j] = to_stored(T{}, v[j]);
        store_values<T>(dst, y, x, s);
    });
}

/* Whether a target needs only one fma, the epilogue and the store: no light, and no alpha other than as a colour. */
__device__ __forceinline__ bool is_plain(const struct gf_cuda_target &dst)
{
    return dst.encode == nullptr && (dst.alpha_period == 0 || dst.alpha == GF_ALPHA_STRAIGHT);
}

template <class T>
__device__ __forceinline__ void store_plain(const struct gf_cuda_target &dst, int y, int x, const float (&v)[quad])
{
    T s[quad];
#pragma unroll
    for (int j = 0; j < quad; j++)
        s[j] = to_stored(T{}, v[j]);
    store_values<T>(dst, y, x, s);
}

/* Finishes and stores four values of row y from x on. */
__device__ __forceinline__ void finish_row(const struct gf_cuda_target &dst, int y, int x, const float (&acc)[quad])
{
    if (!is_plain(dst)) {
        finish_quad(dst, y, x, acc);
    } else if (x < dst.samples) {
        float v[quad];
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[j] = __fmaf_rn(acc[j], dst.scale, dst.offset);
        run_pointwise(dst.epilogue, v);
        gf_dispatch(dst.dtype, [&](auto tag) { store_plain<decltype(tag)>(dst, y, x, v); });
    }
}

/*
 * Finishes and stores all outputs of a thread: rows y0 to y0 + 7, as far as they are before `end`, four samples from x
 * on. Plain targets are stored straight from registers. Other targets go row by row through `spare`, which must hold
 * the accumulators of the whole block; each thread uses its own part. A loop over registers would instead be unrolled
 * eight times for each kind of target.
 */
__device__ __forceinline__ void finish_rows(const struct gf_cuda_target &dst, int y0, int end, int x,
                                            const float (&acc)[rows_per_thread][quad], float *spare)
{
    if (is_plain(dst)) {
        if (x >= dst.samples)
            return;
        float v[rows_per_thread][quad];
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                v[r][j] = __fmaf_rn(acc[r][j], dst.scale, dst.offset);
        run_pointwise(dst.epilogue, v);
        gf_dispatch(dst.dtype, [&](auto tag) {
#pragma unroll
            for (int r = 0; r < rows_per_thread; r++)
                if (y0 + r < end)
                    store_plain<decltype(tag)>(dst, y0 + r, x, v[r]);
        });
        return;
    }
    float4 *own = reinterpret_cast<float4 *>(spare) + threadIdx.x;
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        own[r * blockDim.x] = make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
#pragma unroll 1
    for (int r = 0; r < rows_per_thread && y0 + r < end; r++) {
        const float4 v = own[r * blockDim.x];
        const float one[quad] = {v.x, v.y, v.z, v.w};
        finish_quad(dst, y0 + r, x, one);
    }
}

} // namespace gf

#endif

/* SPDX-License-Identifier: MIT */
/* The formulas of point ops, applied to lines sample by sample. Compiled once per instruction set. */
#include "simd_point.h"

#include "kernels/cpu/simd/simd_extremes.h"
#include "kernels/shared/gamma.h"
#include "protocol/ops/enums.h"

void GF_ISA_NAME(gf_simd_formula)(const struct gf_cpu_formula *formula, float *line, size_t n)
{
    const struct gf_cpu_formula f = *formula;
    for (size_t i = 0; i < n; i++)
        line[i] = fmaf(line[i], f.scale, f.offset);
    if (f.gamma != 1.0f)
        for (size_t i = 0; i < n; i++)
            line[i] = gf_gamma(line[i], f.gamma);
    for (size_t i = 0; i < n; i++)
        line[i] = line[i] * f.multiply / f.divide;
}

static inline gf_vf combine(uint32_t mode, const gf_vf *factors, gf_vf a, gf_vf b)
{
    switch (mode) {
    case GF_COMBINE_LINEAR:
        return gf_vf_fma(factors[1], b, gf_vf_fma(factors[0], a, factors[2]));
    case GF_COMBINE_ABSDIFF:
        return (gf_vf)((gf_vi)(a - b) & INT32_MAX);
    case GF_COMBINE_MUL:
        return a * b;
    case GF_COMBINE_MIN:
        return gf_vf_minimum(a, b);
    case GF_COMBINE_MAX:
        return gf_vf_maximum(a, b);
    default:
        return gf_vf_sqrt(gf_vf_fma(a, a, b * b));
    }
}

void GF_ISA_NAME(gf_simd_combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n)
{
    const gf_vf f[3] = {gf_vf_set(factors[0]), gf_vf_set(factors[1]), gf_vf_set(factors[2])};
    for (size_t i = 0; i < n; i += GF_LANES)
        gf_vf_store(a + i, combine(mode, f, gf_vf_load(a + i), gf_vf_load(b + i)));
}

/* From here on: the same formulas on vectors of samples, without lines of floats in between. */
static inline gf_vf load_u8(const gf_u8_any *p)
{
#if GF_LANES == 16
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)p)));
#elif GF_LANES == 8
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadu_si64(p)));
#else
    gf_vf v;
    for (int i = 0; i < GF_LANES; i++)
        v[i] = (float)p[i];
    return v;
#endif
}

/* The last, partial vector goes through `ends`. */
GF_ALWAYS void blend_u8(uint32_t mode, const gf_vf *f, const gf_u8_any *restrict a, const gf_u8_any *restrict b,
                        gf_u8_any *restrict dst, size_t n)
{
    const gf_vf max = gf_vf_set(255.0f), rounding = gf_vf_set(8388608.0f);
    gf_u8_any ends[3][GF_LANES] = {{0}};
    for (size_t i = 0; i < n; i += GF_LANES) {
        bool last = n - i < GF_LANES;
        if (last) {
            memcpy(ends[0], a + i, n - i);
            memcpy(ends[1], b + i, n - i);
        }
        gf_vf v = combine(mode, f, load_u8(last ? ends[0] : a + i), load_u8(last ? ends[1] : b + i));
        gf_vi_store_u8(last ? ends[2] : dst + i, (gf_vi)(gf_vf_clamp(v, max) + rounding) & 0xFF);
        if (last)
            memcpy(dst + i, ends[2], n - i);
    }
}

/* With `stream`, dst must be aligned to the vector size. */
GF_ALWAYS void blend_line(uint32_t mode, const gf_vf *factors, const gf_f32_any *a, const gf_f32_any *b,
                          gf_f32_any *dst, size_t n, bool stream)
{
    const gf_vf nan = gf_vf_set(__builtin_nanf("")), f[3] = {factors[0], factors[1], factors[2]};
    float ends[3][GF_LANES] = {{0}};
    size_t i = 0;
    for (; i + GF_LANES <= n; i += GF_LANES) {
        gf_vf v = combine(mode, f, gf_vf_hold(*(const gf_vf_byte *)(a + i)), gf_vf_hold(*(const gf_vf_byte *)(b + i)));
        v = gf_vf_select(v == v, v, nan);
        if (stream)
            gf_vf_stream(dst + i, v);
        else
            *(gf_vf_byte *)(dst + i) = v;
    }
    memcpy(ends[0], a + i, (n - i) * sizeof(float));
    memcpy(ends[1], b + i, (n - i) * sizeof(float));
    gf_vf v = combine(mode, f, gf_vf_load(ends[0]), gf_vf_load(ends[1]));
    gf_vf_store(ends[2], gf_vf_select(v == v, v, nan));
    memcpy(dst + i, ends[2], (n - i) * sizeof(float));
}

GF_ALWAYS void blend_f32(uint32_t mode, const gf_vf *f, const gf_f32_any *a, const gf_f32_any *b, gf_f32_any *dst,
                         size_t n, bool stream)
{
    if (stream && (uintptr_t)dst % sizeof(gf_vf) == 0)
        blend_line(mode, f, a, b, dst, n, true);
    else
        blend_line(mode, f, a, b, dst, n, false);
}

/* From here on: modes that are exact on bytes. */
static void difference_u8(const gf_u8_any *restrict a, const gf_u8_any *restrict b, gf_u8_any *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t greater = a[i] > b[i] ? a[i] : b[i], lesser = a[i] > b[i] ? b[i] : a[i];
        dst[i] = (uint8_t)(greater - lesser);
    }
}

static void product_u8(const gf_u8_any *restrict a, const gf_u8_any *restrict b, gf_u8_any *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t v = (uint16_t)(a[i] * b[i]);
        dst[i] = (uint8_t)(v < 255 ? v : 255);
    }
}

static void min_u8(const gf_u8_any *restrict a, const gf_u8_any *restrict b, gf_u8_any *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = a[i] < b[i] ? a[i] : b[i];
}

static void max_u8(const gf_u8_any *restrict a, const gf_u8_any *restrict b, gf_u8_any *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = a[i] > b[i] ? a[i] : b[i];
}

static void blend_all_u8(uint32_t mode, const gf_vf *f, const void *a, const void *b, void *dst, size_t n)
{
    switch (mode) {
    case GF_COMBINE_LINEAR:
        blend_u8(GF_COMBINE_LINEAR, f, a, b, dst, n);
        break;
    case GF_COMBINE_ABSDIFF:
        difference_u8(a, b, dst, n);
        break;
    case GF_COMBINE_MUL:
        product_u8(a, b, dst, n);
        break;
    case GF_COMBINE_MIN:
        min_u8(a, b, dst, n);
        break;
    case GF_COMBINE_MAX:
        max_u8(a, b, dst, n);
        break;
    default:
        blend_u8(mode, f, a, b, dst, n);
    }
}

static void blend_all_f32(uint32_t mode, const gf_vf *f, const void *a, const void *b, void *dst, size_t n, bool stream)
{
    if (mode == GF_COMBINE_LINEAR)
        blend_f32(GF_COMBINE_LINEAR, f, a, b, dst, n, stream);
    else if (mode == GF_COMBINE_ABSDIFF)
        blend_f32(GF_COMBINE_ABSDIFF, f, a, b, dst, n, stream);
    else if (mode == GF_COMBINE_MUL)
        blend_f32(GF_COMBINE_MUL, f, a, b, dst, n, stream);
    else if (mode == GF_COMBINE_MIN)
        blend_f32(GF_COMBINE_MIN, f, a, b, dst, n, stream);
    else if (mode == GF_COMBINE_MAX)
        blend_f32(GF_COMBINE_MAX, f, a, b, dst, n, stream);
    else
        blend_f32(mode, f, a, b, dst, n, stream);
}

void GF_ISA_NAME(gf_simd_blend)(uint32_t dtype, uint32_t mode, const float factors[3], const void *a, const void *b,
                                void *dst, size_t n, bool stream)
{
    const gf_vf f[3] = {gf_vf_set(factors[0]), gf_vf_set(factors[1]), gf_vf_set(factors[2])};
    const size_t size = dtype == GF_U8 ? sizeof(uint8_t) : sizeof(float), head = gf_line_head(dst, size, n);
    const char *rest_a = (const char *)a + head * size, *rest_b = (const char *)b + head * size;
    char *rest = (char *)dst + head * size;
    if (dtype == GF_U8) {
        blend_all_u8(mode, f, a, b, dst, head);
        blend_all_u8(mode, f, rest_a, rest_b, rest, n - head);
    } else {
        blend_all_f32(mode, f, a, b, dst, head, false);
        blend_all_f32(mode, f, rest_a, rest_b, rest, n - head, stream);
    }
}

static void scale_line(float scale, float offset, const gf_f32_any *restrict from, gf_f32_any *restrict to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float v = fmaf(from[i], scale, offset);
        to[i] = v == v ? v : __builtin_nanf("");
    }
}

void GF_ISA_NAME(gf_simd_scale)(float scale, float offset, const void *src, void *dst, size_t n, bool stream)
{
    const gf_vf factor = gf_vf_set(scale), more = gf_vf_set(offset), nan = gf_vf_set(__builtin_nanf(""));
    const gf_f32_any *from = src;
    gf_f32_any *to = dst;
    size_t i = gf_line_head(dst, sizeof(*to), n);
    scale_line(scale, offset, from, to, i);
    for (; stream && (uintptr_t)(to + i) % sizeof(gf_vf) == 0 && i + GF_LANES <= n; i += GF_LANES) {
        gf_vf v = gf_vf_fma(*(const gf_vf_byte *)(from + i), factor, more);
        gf_vf_stream(to + i, gf_vf_select(v == v, v, nan));
    }
    scale_line(scale, offset, from + i, to + i, n - i);
}

const struct gf_simd_point GF_ISA_NAME(gf_simd_point) = {
    .formula = GF_ISA_NAME(gf_simd_formula),
    .combine = GF_ISA_NAME(gf_simd_combine),
    .blend = GF_ISA_NAME(gf_simd_blend),
    .scale = GF_ISA_NAME(gf_simd_scale),
    .limit = GF_ISA_NAME(gf_simd_limit),
    .ramp = GF_ISA_NAME(gf_simd_ramp),
    .look_up = GF_ISA_NAME(gf_simd_look_up),
    .clahe_table = GF_ISA_NAME(gf_simd_clahe_table),
    .clahe_cells = GF_ISA_NAME(gf_simd_clahe_cells),
    .clahe = GF_ISA_NAME(gf_simd_clahe),
};

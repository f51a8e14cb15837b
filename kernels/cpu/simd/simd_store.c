/* SPDX-License-Identifier: MIT */
/*
 * Converts sums to result samples: scale and offset, division by alpha, encoding of linear light, one rounding,
 * canonical NaN. Compiled once per instruction set.
 */
#include "simd_samples.h"

#include "light_estimate.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "protocol/base/half.h"
#include "simd_isa.h"

/* 2^23: adding it to a float rounds to nearest, ties to even, and leaves a whole number 0..65535 in the low bits. */
#define ROUNDING 8388608.0f

static inline float canonical(float v)
{
    return v == v ? v : __builtin_nanf("");
}

/* Rounds to whole samples and saturates them to 0..max; NaN becomes 0. */
static inline gf_vi round_samples(const float *acc, float scale, float offset, float max)
{
    gf_vf v = gf_vf_fma(gf_vf_load(acc), gf_vf_set(scale), gf_vf_set(offset));
    return (gf_vi)(gf_vf_clamp(v, gf_vf_set(max)) + ROUNDING) & 0xFFFF;
}

/* acc has room for a whole last vector, but dst does not. */
static void round_u8(const float *acc, float scale, float offset, gf_u8_any *dst, size_t n)
{
    gf_u8_any last[GF_LANES];
    size_t i = 0;
    for (; i + GF_LANES <= n; i += GF_LANES)
        gf_vi_store_u8(dst + i, round_samples(acc + i, scale, offset, 255.0f));
    if (i < n) {
        gf_vi_store_u8(last, round_samples(acc + i, scale, offset, 255.0f));
        memcpy(dst + i, last, n - i);
    }
}

static void round_u16(const float *acc, float scale, float offset, gf_u16_any *dst, size_t n)
{
    gf_u16_any last[GF_LANES];
    size_t i = 0;
    for (; i + GF_LANES <= n; i += GF_LANES)
        gf_vi_store_u16(dst + i, round_samples(acc + i, scale, offset, 65535.0f));
    if (i < n) {
        gf_vi_store_u16(last, round_samples(acc + i, scale, offset, 65535.0f));
        memcpy(dst + i, last, (n - i) * sizeof(*dst));
    }
}

/* 1.5 * 2^23 does the same for whole numbers -32768..32767. */
#define SIGNED_ROUNDING 12582912.0f

static inline gf_vi round_signed(const float *acc, float scale, float offset)
{
    const gf_vf lo = gf_vf_set(-32768.0f), hi = gf_vf_set(32767.0f);
    gf_vf v = gf_vf_fma(gf_vf_load(acc), gf_vf_set(scale), gf_vf_set(offset));
    v = gf_vf_select(v == v, v, gf_vf_set(0.0f));
    v = gf_vf_select(v < lo, lo, v);
    v = gf_vf_select(v > hi, hi, v);
    return (gf_vi)(v + SIGNED_ROUNDING) & 0xFFFF;
}

/* Stores 16-bit samples rounded by `round`, a constant wherever this function is inlined. */
GF_ALWAYS void round_16(gf_vi (*round)(const float *acc, float scale, float offset), const float *acc, float scale,
                        float offset, gf_u16_any *dst, size_t n)
{
    gf_u16_any last[GF_LANES];
    size_t i = 0;
    for (; i + GF_LANES <= n; i += GF_LANES)
        gf_vi_store_u16(dst + i, round(acc + i, scale, offset));
    if (i < n) {
        gf_vi_store_u16(last, round(acc + i, scale, offset));
        memcpy(dst + i, last, (n - i) * sizeof(*dst));
    }
}

static void round_i16(const float *acc, float scale, float offset, gf_u16_any *dst, size_t n)
{
    round_16(round_signed, acc, scale, offset, dst, n);
}

static void round_some(const float *restrict acc, float scale, float offset, gf_f32_any *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = canonical(fmaf(acc[i], scale, offset));
}

static void round_f32(const float *acc, float scale, float offset, gf_f32_any *dst, size_t n)
{
    size_t head = gf_line_head(dst, sizeof(*dst), n);
    round_some(acc, scale, offset, dst, head);
    round_some(acc + head, scale, offset, dst + head, n - head);
}

/* The bits of f16: gf_half_from_f32 on vectors. */
static inline gf_vi round_halves(const float *acc, float scale, float offset)
{
    gf_vf v = gf_vf_fma(gf_vf_load(acc), gf_vf_set(scale), gf_vf_set(offset));
    gf_vi sign = (gf_vi)v >> 16 & 0x8000, magnitude = (gf_vi)v & INT32_MAX;
    gf_vi small = (gf_vi)((gf_vbits)((gf_vf)magnitude + 0.5f) - 0x3F000000);
    gf_vi normal = (gf_vi)(((gf_vbits)magnitude - 0x38000000 + 0xFFF + ((gf_vbits)magnitude >> 13 & 1)) >> 13);
    gf_vi denormal = magnitude<0x38800000, infinite = magnitude >= 0x47800000, nan = magnitude> 0x7F800000;
    gf_vi half = (small & denormal) | (normal & ~denormal);
    half = (half & ~infinite) | (0x7C00 & infinite) | sign;
    return (half & ~nan) | (0x7E00 & nan);
}

static void round_f16(const float *acc, float scale, float offset, gf_u16_any *dst, size_t n)
{
    round_16(round_halves, acc, scale, offset, dst, n);
}

static void stream_f32(const float *acc, float scale, float offset, gf_f32_any *dst, size_t n)
{
    const gf_vf factor = gf_vf_set(scale), more = gf_vf_set(offset), nan = gf_vf_set(__builtin_nanf(""));
    size_t i = gf_stream_head(dst, n);
    round_f32(acc, scale, offset, dst, i);
    for (; i + GF_LANES <= n; i += GF_LANES) {
        gf_vf v = gf_vf_fma(gf_vf_load(acc + i), factor, more);
        gf_vf_stream(dst + i, gf_vf_select(v == v, v, nan));
    }
    round_f32(acc + i, scale, offset, dst + i, n - i);
}

/* Converts premultiplied sums to final values in place. */
GF_ALWAYS void unpremultiply(const struct gf_cpu_target *t, float *acc, size_t n, uint32_t channels)
{
    const gf_vi alpha = gf_vf_alpha_lanes(channels);
    const gf_vf zero = gf_vf_set(0.0f), max = gf_vf_set(t->max), scale = gf_vf_set(t->scale);
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf sum = gf_vf_load(acc + i);
        gf_vf a = gf_vf_fma(gf_vf_alpha(sum, channels), scale, zero);
        a = gf_vf_select(a < zero, zero, a);
        a = gf_vf_select(a > max, max, a);
        gf_vf v = sum * scale * (1.0f / a);
        v = gf_vf_select(a == zero, zero, v) + t->offset;
        gf_vf_store(acc + i, gf_vf_select(alpha, a, v));
    }
}

/* Samples encoded at a time. */
#define ENCODE_BLOCK 64

/* Counts for each value the entries of encode[1..max] that are at most the value; NaN gives 0. One comparison is
 * enough, because a bucket holds at most one entry. */
static void encode_block(const struct gf_cpu_target *t, const float *restrict values, float *restrict out)
{
    const float *table = t->encode;
    const int32_t *estimate = t->encode_estimate;
    int32_t max = (int32_t)t->max, bucket[ENCODE_BLOCK], k[ENCODE_BLOCK];
    for (size_t i = 0; i < ENCODE_BLOCK; i++)
        bucket[i] = gf_cpu_light_bucket(values[i], t->max);
    for (size_t i = 0; i < ENCODE_BLOCK; i++) {
        int32_t below = estimate[bucket[i]];
        /* Sums instead of branches: the comparisons are unpredictable. */
        int32_t next = below + (below < max);
        k[i] = below + ((below < max) & (table[next] <= values[i]));
    }
    for (size_t i = 0; i < ENCODE_BLOCK; i++)
        out[i] = (float)k[i];
}

/* Replaces final values by whole samples: colours are encoded, alpha is unchanged. */
static void encode_line(const struct gf_cpu_target *t, float *acc, size_t n)
{
    const gf_vi alpha = t->channels % 2 == 0 ? gf_vf_alpha_lanes(t->channels) : (gf_vi){0};
    float in[ENCODE_BLOCK] = {0}, out[ENCODE_BLOCK];
    for (size_t i = 0; i < n; i += ENCODE_BLOCK) {
        size_t block = n - i < ENCODE_BLOCK ? n - i : ENCODE_BLOCK;
        memcpy(in, acc + i, block * sizeof(*in));
        encode_block(t, in, out);
        for (size_t k = 0; k < block; k += GF_LANES)
            gf_vf_store(acc + i + k, gf_vf_select(alpha, gf_vf_load(in + k), gf_vf_load(out + k)));
    }
}

static void scale_line(float *acc, float scale, float offset, size_t n)
{
    for (size_t i = 0; i < n; i++)
        acc[i] = fmaf(acc[i], scale, offset);
}

/* Converts alpha between types by the ratio of their maxima, docs/numerics.md, "Alpha". From and to i16 the number is
 * kept. */
static float convert_alpha(float a, uint32_t from, uint32_t to)
{
    bool from_float = from == GF_F32 || from == GF_F16, to_float = to == GF_F32 || to == GF_F16;
    if (from == to || from == GF_I16 || to == GF_I16 || (from_float && to_float))
        return a;
    if (from_float)
        return a * (to == GF_U8 ? 255.0f : 65535.0f);
    if (to_float)
        return a / (from == GF_U8 ? 255.0f : 65535.0f);
    return from == GF_U8 ? a * 257.0f : a / 257.0f;
}

static float read_sample(const void *src, uint32_t dtype, size_t i)
{
    if (dtype == GF_U8)
        return (float)((const gf_u8_any *)src)[i];
    if (dtype == GF_U16)
        return (float)((const gf_u16_any *)src)[i];
    if (dtype == GF_I16)
        return (float)((const gf_i16_any *)src)[i];
    if (dtype == GF_F16)
        return gf_half_to_f32(((const gf_u16_any *)src)[i]);
    return ((const gf_f32_any *)src)[i];
}

static void copy_alpha(const struct gf_cpu_target *t, const void *src, void *dst, size_t pixels)
{
    for (size_t i = t->channels - 1; i < pixels * t->channels; i += t->channels) {
        float acc[GF_LANES] = {convert_alpha(read_sample(src, t->alpha_dtype, i), t->alpha_dtype, t->dtype)};
        /* x * 1 + -0 is x, for both zeros. */
        if (t->dtype == GF_U8)
            round_u8(acc, 1.0f, -0.0f, (gf_u8_any *)dst + i, 1);
        else if (t->dtype == GF_U16)
            round_u16(acc, 1.0f, -0.0f, (gf_u16_any *)dst + i, 1);
        else if (t->dtype == GF_I16)
            round_i16(acc, 1.0f, -0.0f, (gf_u16_any *)dst + i, 1);
        else if (t->dtype == GF_F16)
            round_f16(acc, 1.0f, -0.0f, (gf_u16_any *)dst + i, 1);
        else
            round_f32(acc, 1.0f, -0.0f, (gf_f32_any *)dst + i, 1);
    }
}

/* Copies alpha of the same type. */
static void copy_same_alpha(const struct gf_cpu_target *t, const void *src, void *dst, size_t pixels)
{
    size_t step = t->channels, first = t->channels - 1;
    if (t->dtype == GF_U8) {
        const gf_u8_any *s = src;
        gf_u8_any *d = dst;
        for (size_t i = 0; i < pixels; i++)
            d[i * step + first] = s[i * step + first];
    } else if (t->dtype == GF_U16 || t->dtype == GF_I16) {
        const gf_u16_any *s = src;
        gf_u16_any *d = dst;
        for (size_t i = 0; i < pixels; i++)
            d[i * step + first] = s[i * step + first];
    } else if (t->dtype == GF_F16) {
        const gf_u16_any *s = src;
        gf_u16_any *d = dst;
        for (size_t i = 0; i < pixels; i++)
            d[i * step + first] = gf_half_canonical(s[i * step + first]);
    } else {
        const gf_f32_any *s = src;
        gf_f32_any *d = dst;
        for (size_t i = 0; i < pixels; i++)
            d[i * step + first] = canonical(s[i * step + first]);
    }
}

void GF_ISA_NAME(gf_simd_store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst,
                                size_t pixels)
{
    size_t n = pixels * target->channels;
    float scale = target->scale, offset = target->offset;
    if (target->unpremultiply || target->encode) {
        if (!target->unpremultiply)
            scale_line(acc, scale, offset, n);
        else if (target->channels == 2)
            unpremultiply(target, acc, n, 2);
        else
            unpremultiply(target, acc, n, 4);
        if (target->encode)
            encode_line(target, acc, n);
        /* x * 1 + -0 is x, for both zeros. */
        scale = 1.0f;
        offset = -0.0f;
    }
    if (target->dtype == GF_U8)
        round_u8(acc, scale, offset, dst, n);
    else if (target->dtype == GF_U16)
        round_u16(acc, scale, offset, dst, n);
    else if (target->dtype == GF_I16)
        round_i16(acc, scale, offset, dst, n);
    else if (target->dtype == GF_F16)
        round_f16(acc, scale, offset, dst, n);
    else if (target->stream)
        stream_f32(acc, scale, offset, dst, n);
    else
        round_f32(acc, scale, offset, dst, n);
    if (target->copy_alpha && target->alpha_dtype == target->dtype)
        copy_same_alpha(target, src, dst, pixels);
    else if (target->copy_alpha)
        copy_alpha(target, src, dst, pixels);
}

/* SPDX-License-Identifier: MIT */
/* The loops of simd_morphology.h. */
#include "simd_morphology.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"
#include "protocol/base/half.h"

#define CHUNK 4096u      /* bytes of a line into which many lines are folded while it stays in the L1 cache */
#define GF_FOLD_LINES 6u /* lines folded at once */
#define AHEAD 4096u      /* prefetch distance in bytes: the hardware prefetcher stops at the end of a page */

/* Vectors at any address, and the extremum of each lane. */
typedef uint8_t vector_u8 __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));
typedef uint16_t vector_u16 __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));
typedef int16_t vector_i16 __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));
typedef int32_t vector_i32 __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));

#define SAME(v) (v)
#define TURN_16(v) ((v) ^ ((v) >> 15 & 0x7FFF))
#define TURN_32(v) ((v) ^ ((v) >> 31 & 0x7FFFFFFF))
#define LESS(a, b) ((a) < (b))
#define GREATER(a, b) ((a) > (b))
#if GF_LANES == 16
#define EACH(what, type, a, b) ((vector_##type)_mm512_##what((__m512i)(a), (__m512i)(b)))
#elif GF_LANES == 8
#define EACH(what, type, a, b) ((vector_##type)_mm256_##what((__m256i)(a), (__m256i)(b)))
#endif
#if GF_LANES > 4
#define LEAST_U8(a, b) EACH(min_epu8, u8, a, b)
#define LEAST_U16(a, b) EACH(min_epu16, u16, a, b)
#define LEAST_I16(a, b) EACH(min_epi16, i16, a, b)
#define LEAST_I32(a, b) EACH(min_epi32, i32, a, b)
#define GREATEST_U8(a, b) EACH(max_epu8, u8, a, b)
#define GREATEST_U16(a, b) EACH(max_epu16, u16, a, b)
#define GREATEST_I16(a, b) EACH(max_epi16, i16, a, b)
#define GREATEST_I32(a, b) EACH(max_epi32, i32, a, b)
#else
#define PICK(type, mask, a, b) ((((vector_##type)(mask)) & (a)) | (~((vector_##type)(mask)) & (b)))
#define LEAST_U8(a, b) PICK(u8, (a) < (b), a, b)
#define LEAST_U16(a, b) PICK(u16, (a) < (b), a, b)
#define LEAST_I16(a, b) PICK(i16, (a) < (b), a, b)
#define LEAST_I32(a, b) PICK(i32, (a) < (b), a, b)
#define GREATEST_U8(a, b) PICK(u8, (a) > (b), a, b)
#define GREATEST_U16(a, b) PICK(u16, (a) > (b), a, b)
#define GREATEST_I16(a, b) PICK(i16, (a) > (b), a, b)
#define GREATEST_I32(a, b) PICK(i32, (a) > (b), a, b)
#endif

/* clang-format off */
#define TYPE gf_u8_any
#define VECTOR vector_u8
#define NAME(what) least_u8_##what
#define KEEP LESS
#define KEEP_EACH LEAST_U8
#define TURN SAME
#include "simd_fold.def"
#define TYPE gf_u8_any
#define VECTOR vector_u8
#define NAME(what) greatest_u8_##what
#define KEEP GREATER
#define KEEP_EACH GREATEST_U8
#define TURN SAME
#include "simd_fold.def"
#define TYPE gf_u16_any
#define VECTOR vector_u16
#define NAME(what) least_u16_##what
#define KEEP LESS
#define KEEP_EACH LEAST_U16
#define TURN SAME
#include "simd_fold.def"
#define TYPE gf_u16_any
#define VECTOR vector_u16
#define NAME(what) greatest_u16_##what
#define KEEP GREATER
#define KEEP_EACH GREATEST_U16
#define TURN SAME
#include "simd_fold.def"
#define TYPE gf_i16_any
#define VECTOR vector_i16
#define NAME(what) least_i16_##what
#define KEEP LESS
#define KEEP_EACH LEAST_I16
#define TURN TURN_16
#include "simd_fold.def"
#define TYPE gf_i16_any
#define VECTOR vector_i16
#define NAME(what) greatest_i16_##what
#define KEEP GREATER
#define KEEP_EACH GREATEST_I16
#define TURN TURN_16
#include "simd_fold.def"
#define TYPE gf_i32_any
#define VECTOR vector_i32
#define NAME(what) least_i32_##what
#define KEEP LESS
#define KEEP_EACH LEAST_I32
#define TURN TURN_32
#include "simd_fold.def"
#define TYPE gf_i32_any
#define VECTOR vector_i32
#define NAME(what) greatest_i32_##what
#define KEEP GREATER
#define KEEP_EACH GREATEST_I32
#define TURN TURN_32
#include "simd_fold.def"
/* clang-format on */

/* The type that compares the keys of a dtype: i16 for f16, i32 for f32. */
static size_t type_of(uint32_t dtype)
{
    return dtype == GF_U8 ? 0 : dtype == GF_U16 ? 1 : dtype == GF_F32 ? 3 : 2;
}

static void fold_lines(uint32_t dtype, bool greatest, const void *const *from, size_t n_from, void *to, size_t n,
                       bool turn)
{
    static void (*const of_type[2][4])(const void *const *, size_t, void *, size_t, bool) = {
        {least_u8_lines, least_u16_lines, least_i16_lines, least_i32_lines},
        {greatest_u8_lines, greatest_u16_lines, greatest_i16_lines, greatest_i32_lines}};
    of_type[greatest][type_of(dtype)](from, n_from, to, n, turn);
}

static void fold_pair(uint32_t dtype, bool greatest, const void *const *from, size_t height, void *to, void *below,
                      size_t n, bool turn)
{
    static void (*const of_type[2][4])(const void *const *, size_t, void *, void *, size_t, bool) = {
        {least_u8_pair, least_u16_pair, least_i16_pair, least_i32_pair},
        {greatest_u8_pair, greatest_u16_pair, greatest_i16_pair, greatest_i32_pair}};
    of_type[greatest][type_of(dtype)](from, height, to, below, n, turn);
}

/* Converts keys of floats to samples in place. */
static void turn_keys(uint32_t dtype, void *keys, size_t n)
{
    gf_i32_any *wide = keys;
    gf_i16_any *narrow = keys;
    if (dtype == GF_F32)
        for (size_t i = 0; i < n; i++)
            wide[i] = TURN_32(wide[i]);
    else
        for (size_t i = 0; i < n; i++)
            narrow[i] = (int16_t)TURN_16(narrow[i]);
}

static void fold(uint32_t dtype, bool greatest, const void *const *from, size_t n_from, void *to, size_t n, bool turn)
{
    if (n_from <= GF_FOLD_LINES) {
        fold_lines(dtype, greatest, from, n_from, to, n, turn);
        return;
    }
    const size_t size = gf_dtype_size(dtype), chunk = CHUNK / size;
    for (size_t x = 0; x < n; x += chunk) {
        const size_t count = n - x < chunk ? n - x : chunk;
        char *made = (char *)to + x * size;
        for (size_t k = 0; k < n_from;) {
            const void *some[GF_FOLD_LINES];
            size_t n_some = 0;
            if (k > 0)
                some[n_some++] = made;
            while (n_some < GF_FOLD_LINES && k < n_from)
                some[n_some++] = (const char *)from[k++] + x * size;
            fold_lines(dtype, greatest, some, n_some, made, count, false);
        }
        if (turn) /* only now: fold_lines computes the last vector of a line twice, and needs keys both times */
            turn_keys(dtype, made, count);
    }
}

/* Negative floats are inverted to sort them; every NaN becomes the one that is stored, which is above infinity. */
static inline int32_t key32(int32_t bits)
{
    int32_t magnitude = bits & 0x7FFFFFFF;
    int32_t key = bits ^ (bits >> 31 & 0x7FFFFFFF);
    return magnitude > 0x7F800000 ? 0x7FC00000 : key;
}

static inline int16_t key16(int16_t bits)
{
    int16_t magnitude = (int16_t)(bits & 0x7FFF);
    int16_t key = (int16_t)(bits ^ (bits >> 15 & 0x7FFF));
    return magnitude > 0x7C00 ? 0x7E00 : key;
}

static void make_keys(uint32_t dtype, const void *samples, void *keys, size_t n)
{
    if (dtype == GF_F32) {
        const gf_i32_any *from = samples;
        gf_i32_any *to = keys;
        size_t i = 0;
        for (; i + GF_LANES <= n; i += GF_LANES) {
            __builtin_prefetch((const char *)(from + i) + AHEAD);
            vector_i32 v = *(const vector_i32 *)(const void *)(from + i), magnitude = v & 0x7FFFFFFF;
            vector_i32 nan = magnitude > 0x7F800000;
            *(vector_i32 *)(void *)(to + i) = (nan & 0x7FC00000) | (~nan & TURN_32(v));
        }
        for (; i < n; i++)
            to[i] = key32(from[i]);
    } else {
        const gf_i16_any *from = samples;
        gf_i16_any *to = keys;
#pragma GCC ivdep
        for (size_t i = 0; i < n; i++)
            to[i] = key16(from[i]);
    }
}

static void subtract_u8(const gf_u8_any *a, const gf_u8_any *b, gf_u8_any *to, size_t n)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(a[i] > b[i] ? a[i] - b[i] : 0);
}

static void subtract_u16(const gf_u16_any *a, const gf_u16_any *b, gf_u16_any *to, size_t n)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(a[i] > b[i] ? a[i] - b[i] : 0);
}

static void subtract_i16(const gf_i16_any *a, const gf_i16_any *b, gf_i16_any *to, size_t n)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        int32_t d = a[i] - b[i];
        d = d > 32767 ? 32767 : d;
        to[i] = (int16_t)(d < -32768 ? -32768 : d);
    }
}

static void subtract_f32(const gf_f32_any *a, const gf_f32_any *b, gf_f32_any *to, size_t n)
{
    const float nan = gf_half_to_f32(0x7E00); /* 0x7FC00000 */
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        float d = a[i] - b[i];
        to[i] = d != d ? nan : d;
    }
}

static void subtract_f16(const gf_u16_any *a, const gf_u16_any *b, gf_u16_any *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = gf_half_from_f32(gf_half_to_f32(a[i]) - gf_half_to_f32(b[i]));
}

static void subtract(uint32_t dtype, const void *a, const void *b, void *to, size_t n)
{
    if (dtype == GF_U8)
        subtract_u8(a, b, to, n);
    else if (dtype == GF_U16)
        subtract_u16(a, b, to, n);
    else if (dtype == GF_I16)
        subtract_i16(a, b, to, n);
    else if (dtype == GF_F16)
        subtract_f16(a, b, to, n);
    else
        subtract_f32(a, b, to, n);
}

static void copy_alpha(uint32_t dtype, uint32_t channels, const void *from, void *to, size_t n)
{
    size_t step = channels;
    if (dtype == GF_U8) {
        const gf_u8_any *a = (const gf_u8_any *)from + step - 1;
        gf_u8_any *b = (gf_u8_any *)to + step - 1;
        for (size_t i = 0; i < n; i++)
            b[i * step] = a[i * step];
    } else if (dtype == GF_F32) {
        const gf_i32_any *a = (const gf_i32_any *)from + step - 1;
        gf_i32_any *b = (gf_i32_any *)to + step - 1;
        for (size_t i = 0; i < n; i++)
            b[i * step] = (a[i * step] & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : a[i * step];
    } else {
        const gf_u16_any *a = (const gf_u16_any *)from + step - 1;
        gf_u16_any *b = (gf_u16_any *)to + step - 1;
        for (size_t i = 0; i < n; i++)
            b[i * step] = dtype == GF_F16 ? gf_half_canonical(a[i * step]) : a[i * step];
    }
}

extern const struct gf_simd_morphology GF_ISA_NAME(gf_simd_morphology);
const struct gf_simd_morphology GF_ISA_NAME(gf_simd_morphology) = {
    .keys = make_keys,
    .fold = fold,
    .fold_pair = fold_pair,
    .subtract = subtract,
    .copy_alpha = copy_alpha,
};

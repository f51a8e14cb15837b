/* SPDX-License-Identifier: MIT */
/*
 * Reductions that are exact in any order, directly from contiguous samples: sums of integers, extremes and their
 * indices. Compiled once per instruction set; called by reduce_exact.c with at most GF_CPU_EXACT elements.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_isa.h"

static int64_t sum_u8(const gf_u8_any *p, size_t n)
{
    uint64_t sum = 0;
    size_t i = 0;
#if GF_LANES == 16
    __m512i acc = _mm512_setzero_si512();
    for (; i + 64 <= n; i += 64)
        acc = _mm512_add_epi64(acc, _mm512_sad_epu8(_mm512_loadu_si512(p + i), _mm512_setzero_si512()));
    sum = (uint64_t)_mm512_reduce_add_epi64(acc);
#elif GF_LANES == 8
    __m256i acc = _mm256_setzero_si256();
    for (; i + 32 <= n; i += 32)
        acc = _mm256_add_epi64(acc,
                               _mm256_sad_epu8(_mm256_loadu_si256((const __m256i_u *)(p + i)), _mm256_setzero_si256()));
    uint64_t lanes[4];
    memcpy(lanes, &acc, sizeof(lanes));
    sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
#endif
    for (; i < n; i++)
        sum += p[i];
    return (int64_t)sum;
}

/* Returns the sum, and the sum of squares in ret_squares. */
static int64_t both_u8(const gf_u8_any *p, size_t n, uint64_t *ret_squares)
{
    uint64_t sum = 0, squares = 0;
    size_t i = 0;
#if GF_LANES == 16
    const __m512i zero = _mm512_setzero_si512();
    __m512i sums = zero, even = zero, odd = zero;
    for (; i + 64 <= n; i += 64) {
        __m512i v = _mm512_loadu_si512(p + i);
        __m512i low = _mm512_unpacklo_epi8(v, zero), high = _mm512_unpackhi_epi8(v, zero);
        sums = _mm512_add_epi64(sums, _mm512_sad_epu8(v, zero));
        even = _mm512_add_epi32(even, _mm512_madd_epi16(low, low));
        odd = _mm512_add_epi32(odd, _mm512_madd_epi16(high, high));
    }
    uint32_t lanes[2][16];
    memcpy(lanes[0], &even, sizeof(even));
    memcpy(lanes[1], &odd, sizeof(odd));
    sum = (uint64_t)_mm512_reduce_add_epi64(sums);
    for (size_t k = 0; k < 16; k++)
        squares += (uint64_t)lanes[0][k] + lanes[1][k];
#elif GF_LANES == 8
    const __m256i zero = _mm256_setzero_si256();
    __m256i sums = zero, even = zero, odd = zero;
    for (; i + 32 <= n; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i_u *)(p + i));
        __m256i low = _mm256_unpacklo_epi8(v, zero), high = _mm256_unpackhi_epi8(v, zero);
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(v, zero));
        even = _mm256_add_epi32(even, _mm256_madd_epi16(low, low));
        odd = _mm256_add_epi32(odd, _mm256_madd_epi16(high, high));
    }
    uint32_t lanes[2][8];
    uint64_t parts[4];
    memcpy(lanes[0], &even, sizeof(even));
    memcpy(lanes[1], &odd, sizeof(odd));
    memcpy(parts, &sums, sizeof(sums));
    sum = parts[0] + parts[1] + parts[2] + parts[3];
    for (size_t k = 0; k < 8; k++)
        squares += (uint64_t)lanes[0][k] + lanes[1][k];
#endif
    for (; i < n; i++) {
        sum += p[i];
        squares += (uint64_t)p[i] * p[i];
    }
    *ret_squares = squares;
    return (int64_t)sum;
}

/* Element i of i8, u8 or i16. The dtype is a compile-time constant, here and below. */
GF_ALWAYS int32_t integer_at(uint32_t dtype, const void *src, size_t i)
{
    return dtype == GF_I8   ? ((const gf_i8_any *)src)[i]
           : dtype == GF_U8 ? ((const gf_u8_any *)src)[i]
                            : ((const gf_i16_any *)src)[i];
}

/* 32 bits hold the sum of GF_CPU_EXACT 16-bit elements. */
GF_ALWAYS int64_t sum_signed(uint32_t dtype, const void *src, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += integer_at(dtype, src, i);
    return sum;
}

static int64_t sum_u16(const gf_u16_any *p, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

static int64_t sum_u32(const gf_u32_any *p, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    return (int64_t)sum;
}

static int64_t sum_i32(const gf_i32_any *p, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

/* 32 bits hold the sum of GF_CPU_EXACT squares of 8-bit elements. */
GF_ALWAYS uint64_t squares_narrow(uint32_t dtype, const void *src, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int16_t v = (int16_t)integer_at(dtype, src, i);
        sum += (uint32_t)(v * v);
    }
    return sum;
}

static uint64_t squares_u16(const gf_u16_any *p, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)p[i] * (uint32_t)p[i];
    return sum;
}

static uint64_t squares_i16(const gf_i16_any *p, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)((int32_t)p[i] * (int32_t)p[i]);
    return sum;
}

static int64_t add_up(uint32_t dtype, const void *src, size_t n)
{
    return dtype == GF_U8    ? sum_u8(src, n)
           : dtype == GF_I8  ? sum_signed(GF_I8, src, n)
           : dtype == GF_U16 ? sum_u16(src, n)
           : dtype == GF_I16 ? sum_signed(GF_I16, src, n)
           : dtype == GF_U32 ? sum_u32(src, n)
                             : sum_i32(src, n);
}

static uint64_t add_squares(uint32_t dtype, const void *src, size_t n)
{
    return dtype == GF_U8    ? squares_narrow(GF_U8, src, n)
           : dtype == GF_I8  ? squares_narrow(GF_I8, src, n)
           : dtype == GF_U16 ? squares_u16(src, n)
                             : squares_i16(src, n);
}

/* simd_extremes.def defines extremes_u8 and find_u8, and the same for the other dtypes. */
#define SUFFIX u8
#define SAMPLE gf_u8_any
#define KEY uint8_t
#define KEY_MIN 0
#define KEY_MAX UINT8_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX i8
#define SAMPLE gf_i8_any
#define KEY int8_t
#define KEY_MIN INT8_MIN
#define KEY_MAX INT8_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX u16
#define SAMPLE gf_u16_any
#define KEY uint16_t
#define KEY_MIN 0
#define KEY_MAX UINT16_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX i16
#define SAMPLE gf_i16_any
#define KEY int16_t
#define KEY_MIN INT16_MIN
#define KEY_MAX INT16_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX u32
#define SAMPLE gf_u32_any
#define KEY uint32_t
#define KEY_MIN 0
#define KEY_MAX UINT32_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX i32
#define SAMPLE gf_i32_any
#define KEY int32_t
#define KEY_MIN INT32_MIN
#define KEY_MAX INT32_MAX
#define INFINITE 0
#include "simd_extremes.def"

#define SUFFIX f32
#define SAMPLE gf_i32_any
#define KEY int32_t
#define KEY_MIN INT32_MIN
#define KEY_MAX INT32_MAX
#define INFINITE INT32_C(0x7F800000)
#include "simd_extremes.def"

#define SUFFIX f64
#define SAMPLE gf_i64_any
#define KEY int64_t
#define KEY_MIN INT64_MIN
#define KEY_MAX INT64_MAX
#define INFINITE INT64_C(0x7FF0000000000000)
#include "simd_extremes.def"

typedef void extremes_fn(const void *src, size_t n, struct gf_cpu_exact *ret);
typedef size_t find_fn(const void *src, size_t n, int64_t wanted, int64_t other);

static extremes_fn *const extremes_of[] = {
    [GF_U8] = extremes_u8,   [GF_I8] = extremes_i8,   [GF_U16] = extremes_u16, [GF_I16] = extremes_i16,
    [GF_U32] = extremes_u32, [GF_I32] = extremes_i32, [GF_F32] = extremes_f32, [GF_F64] = extremes_f64,
};
static find_fn *const find_of[] = {
    [GF_U8] = find_u8,   [GF_I8] = find_i8,   [GF_U16] = find_u16, [GF_I16] = find_i16,
    [GF_U32] = find_u32, [GF_I32] = find_i32, [GF_F32] = find_f32, [GF_F64] = find_f64,
};

size_t GF_ISA_NAME(gf_simd_find)(uint32_t dtype, const void *src, size_t n, int64_t key)
{
    /* A search for a zero accepts zeros of both signs. */
    int64_t other = gf_is_float(dtype) && (key == 0 || key == -1) ? -1 - key : key;
    return find_of[dtype](src, n, key, other);
}

static void look(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret)
{
    *ret = (struct gf_cpu_exact){0};
    if (want & GF_WANT_EXTREMES)
        extremes_of[dtype](src, n, ret);
    if (dtype == GF_U8 && (want & GF_WANT_SUM) != 0 && (want & GF_WANT_SQUARES) != 0) {
        ret->sum = both_u8(src, n, &ret->squares);
        return;
    }
    if (want & GF_WANT_SUM)
        ret->sum = add_up(dtype, src, n);
    if (want & GF_WANT_SQUARES)
        ret->squares = add_squares(dtype, src, n);
}

void GF_ISA_NAME(gf_simd_exact)(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret)
{
    const size_t size = gf_dtype_size(dtype), head = gf_line_head(src, size, n);
    struct gf_cpu_exact first;
    look(dtype, want, (const char *)src + head * size, n - head, ret);
    if (head == 0)
        return;
    look(dtype, want, src, head, &first);
    ret->min_key = first.min_key < ret->min_key ? first.min_key : ret->min_key;
    ret->max_key = first.max_key > ret->max_key ? first.max_key : ret->max_key;
    ret->nans += first.nans;
    ret->squares += first.squares;
    ret->sum += first.sum;
}

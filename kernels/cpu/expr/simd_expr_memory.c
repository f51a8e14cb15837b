/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores rows of values of expressions as elements of every dtype, docs/numerics.md, "Store" and
 * "Expressions". Compiled once per instruction set.
 */
#include "simd_expr.h"

#include <math.h>

#include "kernels/cpu/simd/simd_wide.h"
#include "kernels/shared/expr/operators.h"
#include "protocol/base/dtype.h"

typedef void load_fn(const void *src, void *row, size_t n);
typedef void store_fn(const void *row, void *dst, size_t n);

/* f16 is converted by way of f32, in loads and in stores. */
static void load_f16_F32(const void *src, void *row, size_t n)
{
    const struct gf_cpu_source source = {.dtype = GF_F16, .channels = 1};
    GF_ISA_NAME(gf_simd_load)(&source, src, row, n);
}

static void load_f16_F64(const void *src, void *row, size_t n)
{
    _Alignas(64) float f32s[GF_EXPR_ROW_MAX];
    F64_any *restrict to = row;
    load_f16_F32(src, f32s, n);
    for (size_t i = 0; i < n; i++)
        to[i] = (double)f32s[i];
}

#define LOAD(dtype, type)                                                                                              \
    static void load_##dtype##_##type(const void *src, void *row, size_t n)                                            \
    {                                                                                                                  \
        const gf_##dtype##_any *from = src;                                                                            \
        type##_any *restrict to = row;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                                                 \
            to[i] = (type)from[i];                                                                                     \
    }
#define LOADS_FLOAT(dtype) LOAD(dtype, F32) LOAD(dtype, F64)
#define LOADS_WHOLE(dtype) LOAD(dtype, I64) LOADS_FLOAT(dtype)
#define LOADS_SMALL(dtype) LOAD(dtype, I32) LOADS_WHOLE(dtype)
LOADS_SMALL(u8)
LOADS_SMALL(i8)
LOADS_SMALL(u16)
LOADS_SMALL(i16)
LOADS_SMALL(i32)
LOADS_WHOLE(u32)
LOADS_WHOLE(i64)
LOAD(u64, U64)
LOADS_FLOAT(u64)
LOADS_FLOAT(f32)
LOADS_FLOAT(f64)

#define ROWS_FLOAT(dtype) [GF_EXPR_M_F32] = load_##dtype##_F32, [GF_EXPR_M_F64] = load_##dtype##_F64
#define ROWS_WHOLE(dtype) [GF_EXPR_M_I64] = load_##dtype##_I64, ROWS_FLOAT(dtype)
#define ROWS_SMALL(dtype) [GF_EXPR_M_I32] = load_##dtype##_I32, ROWS_WHOLE(dtype)
static load_fn *const loads[][GF_EXPR_M_F64 + 1] = {
    [GF_U8] = {ROWS_SMALL(u8)},   [GF_I8] = {ROWS_SMALL(i8)},
    [GF_U16] = {ROWS_SMALL(u16)}, [GF_I16] = {ROWS_SMALL(i16)},
    [GF_U32] = {ROWS_WHOLE(u32)}, [GF_I32] = {ROWS_SMALL(i32)},
    [GF_I64] = {ROWS_WHOLE(i64)}, [GF_U64] = {[GF_EXPR_M_U64] = load_u64_U64, ROWS_FLOAT(u64)},
    [GF_F32] = {ROWS_FLOAT(f32)}, [GF_F64] = {ROWS_FLOAT(f64)},
    [GF_F16] = {ROWS_FLOAT(f16)},
};

void GF_ISA_NAME(gf_simd_expr_load)(uint32_t dtype, uint32_t machine, const void *src, void *row, size_t n)
{
    loads[dtype][machine](src, row, n);
}

/* All types except I64 have values within 32 bits only. */
#define RAMP(type, unit)                                                                                               \
    static void ramp_##type(int64_t first, int64_t step, void *row, size_t n)                                          \
    {                                                                                                                  \
        const unit start = (unit)first, by = (unit)step;                                                               \
        type##_any *to = row;                                                                                          \
        for (int32_t i = 0; i < (int32_t)n; i++)                                                                       \
            to[i] = (type)(start + (unit)i * by);                                                                      \
    }
RAMP(I32, int32_t)
RAMP(I64, int64_t)
RAMP(F32, int32_t)
RAMP(F64, double)

void GF_ISA_NAME(gf_simd_expr_ramp)(uint32_t machine, int64_t first, int64_t step, void *row, size_t n)
{
    if (machine == GF_EXPR_M_I32)
        ramp_I32(first, step, row, n);
    else if (machine == GF_EXPR_M_I64)
        ramp_I64(first, step, row, n);
    else if (machine == GF_EXPR_M_F32)
        ramp_F32(first, step, row, n);
    else
        ramp_F64(first, step, row, n);
}

/* Clamps v, with NaN as 0; ROUND_* also rounds. ROUND_U32 subtracts 2^31 first, because vectors convert to signed
 * numbers. */
#define WITHIN(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define NUMBER(v, low, high) WITHIN((v) == (v) ? (v) : 0, low, high)
#define ROUND_F32(v, low, high) (int32_t) __builtin_rintf(NUMBER(v, low, high))
#define ROUND_F64(v, low, high) (int32_t) __builtin_rint(NUMBER(v, low, high))
#define ROUND_U32(v) (uint32_t)(int32_t)(__builtin_rint(NUMBER(v, 0.0, 4294967295.0)) - 2147483648.0) ^ 0x80000000u

/* The same for f32, which cannot represent INT32_MAX and UINT32_MAX. */
static inline int32_t i32_of(float v)
{
    const float r = __builtin_rintf(NUMBER(v, -0x1p31f, 0x1p31f));
    const int32_t whole = (int32_t)(r < 0x1p31f ? r : 0.0f);
    return r < 0x1p31f ? whole : INT32_MAX;
}

static inline uint32_t u32_of(float v)
{
    const float r = __builtin_rintf(NUMBER(v, 0.0f, 0x1.fffffep31f));
    const uint32_t high = r >= 0x1p31f, above = v >= 0x1p32f;
    return ((uint32_t)(int32_t)(r - (float)(int32_t)high * 0x1p31f) | high << 31) | (0 - above);
}

/* Packs int32 with saturation in whole vectors; returns how many were packed. */
#if GF_LANES == 16
#define PACK(dtype, vector, narrowed)                                                                                  \
    GF_ALWAYS size_t pack_##dtype(const I32_any *from, gf_##dtype##_any *to, size_t n)                                 \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + 16 <= n; i += 16) {                                                                                 \
            const __m512i v = _mm512_loadu_si512(from + i), zero = _mm512_setzero_si512();                             \
            (void)zero;                                                                                                \
            *(vector *)(to + i) = narrowed;                                                                            \
        }                                                                                                              \
        return i;                                                                                                      \
    }
PACK(u8, __m128i_u, _mm512_cvtusepi32_epi8(_mm512_max_epi32(v, zero)))
PACK(i8, __m128i_u, _mm512_cvtsepi32_epi8(v))
PACK(u16, __m256i_u, _mm512_cvtusepi32_epi16(_mm512_max_epi32(v, zero)))
PACK(i16, __m256i_u, _mm512_cvtsepi32_epi16(v))
#elif GF_LANES == 8
/* The halves of a vector are packed separately, so the result is reordered. */
#define PACK_8(dtype, narrowed)                                                                                        \
    GF_ALWAYS size_t pack_##dtype(const I32_any *from, gf_##dtype##_any *to, size_t n)                                 \
    {                                                                                                                  \
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);                                               \
        const __m256i_u *v = (const __m256i_u *)from;                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + 32 <= n; i += 32, v += 4) {                                                                         \
            const __m256i low = _mm256_packs_epi32(v[0], v[1]), high = _mm256_packs_epi32(v[2], v[3]);                 \
            *(__m256i_u *)(to + i) = _mm256_permutevar8x32_epi32(narrowed(low, high), order);                          \
        }                                                                                                              \
        return i;                                                                                                      \
    }
#define PACK_16(dtype, narrowed)                                                                                       \
    GF_ALWAYS size_t pack_##dtype(const I32_any *from, gf_##dtype##_any *to, size_t n)                                 \
    {                                                                                                                  \
        const __m256i_u *v = (const __m256i_u *)from;                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + 16 <= n; i += 16, v += 2)                                                                           \
            *(__m256i_u *)(to + i) = _mm256_permute4x64_epi64(narrowed(v[0], v[1]), 0xD8);                             \
        return i;                                                                                                      \
    }
PACK_8(u8, _mm256_packus_epi16)
PACK_8(i8, _mm256_packs_epi16)
PACK_16(u16, _mm256_packus_epi32)
PACK_16(i16, _mm256_packs_epi32)
#else
#define PACK_NONE(dtype)                                                                                               \
    GF_ALWAYS size_t pack_##dtype(const I32_any *from, gf_##dtype##_any *to, size_t n)                                 \
    {                                                                                                                  \
        (void)from, (void)to, (void)n;                                                                                 \
        return 0;                                                                                                      \
    }
PACK_NONE(u8)
PACK_NONE(i8)
PACK_NONE(u16)
PACK_NONE(i16)
#endif

#define STORE_PACKED(dtype, low, high)                                                                                 \
    static void store_I32_##dtype(const void *row, void *dst, size_t n)                                                \
    {                                                                                                                  \
        const I32_any *from = row;                                                                                     \
        gf_##dtype##_any *restrict to = dst;                                                                           \
        for (size_t i = pack_##dtype(from, to, n); i < n; i++)                                                         \
            to[i] = (gf_##dtype##_any)WITHIN(from[i], low, high);                                                      \
    }
STORE_PACKED(u8, 0, UINT8_MAX)
STORE_PACKED(i8, INT8_MIN, INT8_MAX)
STORE_PACKED(u16, 0, UINT16_MAX)
STORE_PACKED(i16, INT16_MIN, INT16_MAX)

#define STORE(type, dtype, value)                                                                                      \
    static void store_##type##_##dtype(const void *row, void *dst, size_t n)                                           \
    {                                                                                                                  \
        const type##_any *from = row;                                                                                  \
        gf_##dtype##_any *restrict to = dst;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const type v = from[i];                                                                                    \
            to[i] = (gf_##dtype##_any)(value);                                                                         \
        }                                                                                                              \
    }
STORE(I32, u32, v < 0 ? 0 : v)
STORE(I32, i32, v)
STORE(I32, u64, v < 0 ? 0 : v)
STORE(I32, i64, v)
STORE(I32, f32, v)
STORE(I32, f64, v)
STORE(I64, u8, WITHIN(v, 0, UINT8_MAX))
STORE(I64, i8, WITHIN(v, INT8_MIN, INT8_MAX))
STORE(I64, u16, WITHIN(v, 0, UINT16_MAX))
STORE(I64, i16, WITHIN(v, INT16_MIN, INT16_MAX))
STORE(I64, u32, WITHIN(v, 0, (int64_t)UINT32_MAX))
STORE(I64, i32, WITHIN(v, INT32_MIN, INT32_MAX))
STORE(I64, u64, v < 0 ? 0 : v)
STORE(I64, i64, v)
STORE(I64, f32, v)
STORE(I64, f64, v)
STORE(U64, u8, v > UINT8_MAX ? UINT8_MAX : v)
STORE(U64, i8, v > INT8_MAX ? INT8_MAX : v)
STORE(U64, u16, v > UINT16_MAX ? UINT16_MAX : v)
STORE(U64, i16, v > INT16_MAX ? INT16_MAX : v)
STORE(U64, u32, v > UINT32_MAX ? UINT32_MAX : v)
STORE(U64, i32, v > INT32_MAX ? INT32_MAX : v)
STORE(U64, u64, v)
STORE(U64, i64, v > INT64_MAX ? INT64_MAX : v)
STORE(U64, f32, v)
STORE(U64, f64, v)
STORE(F32, i8, ROUND_F32(v, -128.0f, 127.0f))
STORE(F32, u32, u32_of(v))
STORE(F32, i32, i32_of(v))
STORE(F32, u64, gf_expr_u64_f64(__builtin_rint((double)v)))
STORE(F32, i64, gf_expr_i64_f64(__builtin_rint((double)v)))
STORE(F32, f32, v == v ? v : __builtin_nanf(""))
STORE(F32, f64, v == v ? (double)v : __builtin_nan(""))
STORE(F64, u8, ROUND_F64(v, 0.0, 255.0))
STORE(F64, i8, ROUND_F64(v, -128.0, 127.0))
STORE(F64, u16, ROUND_F64(v, 0.0, 65535.0))
STORE(F64, i16, ROUND_F64(v, -32768.0, 32767.0))
STORE(F64, u32, ROUND_U32(v))
STORE(F64, i32, ROUND_F64(v, -2147483648.0, 2147483647.0))
STORE(F64, u64, gf_expr_u64_f64(__builtin_rint(v)))
STORE(F64, i64, gf_expr_i64_f64(__builtin_rint(v)))
STORE(F64, f32, v == v ? (float)v : __builtin_nanf(""))
STORE(F64, f64, v == v ? v : __builtin_nan(""))

/* Stores f32 by the loops that all ops share. x * 1 + -0 is x, for both zeros. */
static void store_samples(uint32_t dtype, const void *row, void *dst, size_t n)
{
    const struct gf_cpu_target target = {.dtype = dtype, .channels = 1, .scale = 1.0f, .offset = -0.0f};
    GF_ISA_NAME(gf_simd_store)(&target, (float *)row, NULL, dst, n);
}

#define STORE_SAMPLES(dtype, number)                                                                                   \
    static void store_F32_##dtype(const void *row, void *dst, size_t n)                                                \
    {                                                                                                                  \
        store_samples(number, row, dst, n);                                                                            \
    }
STORE_SAMPLES(u8, GF_U8)
STORE_SAMPLES(u16, GF_U16)
STORE_SAMPLES(i16, GF_I16)
STORE_SAMPLES(f16, GF_F16)

/* Stores other types as f16 by way of f32. */
#define STORE_HALVES(type)                                                                                             \
    static void store_##type##_f16(const void *row, void *dst, size_t n)                                               \
    {                                                                                                                  \
        _Alignas(64) float f32s[GF_EXPR_ROW_MAX] = {0};                                                                \
        store_##type##_f32(row, f32s, n);                                                                              \
        store_samples(GF_F16, f32s, dst, n);                                                                           \
    }
STORE_HALVES(I32)
STORE_HALVES(I64)
STORE_HALVES(U64)
STORE_HALVES(F64)

#define STORES(type)                                                                                                   \
    {                                                                                                                  \
        [GF_U8] = store_##type##_u8, [GF_I8] = store_##type##_i8, [GF_U16] = store_##type##_u16,                       \
        [GF_I16] = store_##type##_i16, [GF_U32] = store_##type##_u32, [GF_I32] = store_##type##_i32,                   \
        [GF_U64] = store_##type##_u64, [GF_I64] = store_##type##_i64, [GF_F32] = store_##type##_f32,                   \
        [GF_F64] = store_##type##_f64, [GF_F16] = store_##type##_f16,                                                  \
    }
static store_fn *const stores[][GF_F16 + 1] = {
    [GF_EXPR_M_I32] = STORES(I32), [GF_EXPR_M_I64] = STORES(I64), [GF_EXPR_M_U64] = STORES(U64),
    [GF_EXPR_M_F32] = STORES(F32), [GF_EXPR_M_F64] = STORES(F64),
};

static void stream_f32(const float *row, gf_f32_any *dst, size_t n)
{
    const gf_vf nan = gf_vf_set(__builtin_nanf(""));
    size_t i = gf_stream_head(dst, n);
    store_F32_f32(row, dst, i);
    for (; i + GF_LANES <= n; i += GF_LANES) {
        gf_vf v = gf_vf_load(row + i);
        gf_vf_stream(dst + i, gf_vf_select(v == v, v, nan));
    }
    store_F32_f32(row + i, dst + i, n - i);
}

static void stream_f64(const double *row, gf_f64_any *dst, size_t n)
{
    const gf_vd nan = gf_vd_set(__builtin_nan(""));
    bool aligned = (uintptr_t)dst % sizeof(double) == 0;
    size_t past = (uintptr_t)dst % sizeof(gf_vd), i = past == 0 ? 0 : (sizeof(gf_vd) - past) / sizeof(double);
    i = aligned && i < n ? i : n;
    store_F64_f64(row, dst, i);
    for (; i + GF_HALF <= n; i += GF_HALF) {
        gf_vd v = gf_vd_load(row + i);
        gf_vd_stream(dst + i, gf_vd_select(v == v, v, nan));
    }
    store_F64_f64(row + i, dst + i, n - i);
}

void GF_ISA_NAME(gf_simd_expr_store)(uint32_t machine, uint32_t dtype, const void *row, void *dst, size_t n,
                                     bool stream)
{
    if (stream && machine == GF_EXPR_M_F32 && dtype == GF_F32)
        stream_f32(row, dst, n);
    else if (stream && machine == GF_EXPR_M_F64 && dtype == GF_F64)
        stream_f64(row, dst, n);
    else
        stores[machine][dtype](row, dst, n);
}

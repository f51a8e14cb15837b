/* SPDX-License-Identifier: MIT */
/*
 * Reductions straight from samples that lie side by side: what is exact in any order, and whole chunks of the tree of
 * docs/numerics.md 8. Compiled once per instruction set; called by reduce_exact.c and
 * reduce_sequences.c.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_wide.h"

#define SIDE (GF_LANES == 16 ? 16 : 8) /* vectors that are folded side by side */
#define AHEAD 8192u                    /* bytes between a load and what is asked for, past the chunk's end too */
#define ROWS (GF_TREE_CHUNK / GF_TREE_LANES)

typedef int8_t gf_i8_any;
typedef int16_t gf_i16_any __attribute__((aligned(1), may_alias));
typedef double gf_f64_any __attribute__((aligned(1), may_alias));
typedef int64_t gf_i64_any __attribute__((aligned(1), may_alias));

GF_ALWAYS gf_vd load(uint32_t dtype, const void *p, size_t i)
{
    if (dtype == GF_F32)
        return gf_vd_load_f32((const gf_f32_any *)p + i);
    return *(const gf_vd_byte *)((const char *)p + i * sizeof(double));
}

/* The sum of a whole chunk, or with y its dot product. */
GF_ALWAYS double tree(uint32_t dtype, const void *x, const void *y)
{
    gf_vd v[GF_TREE_LANES / GF_HALF];
    for (size_t lane = 0; lane < GF_TREE_LANES; lane += SIDE * GF_HALF) {
        gf_vd acc[SIDE];
        for (int k = 0; k < SIDE; k++)
            acc[k] = (y ? 0.0 : -0.0) - (gf_vd){0};
        for (size_t r = 0; r < ROWS; r++)
#pragma GCC unroll 16
            for (size_t k = 0; k < SIDE; k++) {
                size_t at = r * GF_TREE_LANES + lane + k * GF_HALF;
                if (!y)
                    __builtin_prefetch((const char *)x + at * (dtype == GF_F32 ? sizeof(float) : sizeof(double)) +
                                       AHEAD);
                gf_vd a = load(dtype, x, at);
                acc[k] = y ? gf_vd_fma(a, load(dtype, y, at), acc[k]) : acc[k] + a;
            }
        for (size_t k = 0; k < SIDE; k++)
            v[lane / GF_HALF + k] = acc[k];
    }
    for (size_t half = GF_TREE_LANES / GF_HALF / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            v[i] += v[i + half];
    for (int half = GF_HALF / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            v[0][i] += v[0][i + half];
    return v[0][0];
}

double GF_ISA_NAME(gf_simd_chunk_sum)(uint32_t dtype, const void *x)
{
    return dtype == GF_F32 ? tree(GF_F32, x, NULL) : tree(GF_F64, x, NULL);
}

double GF_ISA_NAME(gf_simd_chunk_dot)(uint32_t dtype, const void *x, const void *y)
{
    return dtype == GF_F32 ? tree(GF_F32, x, y) : tree(GF_F64, x, y);
}

#define STEP 16u /* columns between prefetches: a cache line of f32, two of f64 */

/* `dtype` and the number of rows are constants. */
GF_ALWAYS void add_rows(uint32_t dtype, const char *src, size_t pitch, size_t rows, bool more, size_t n, double *sums)
{
    const size_t size = dtype == GF_F32 ? sizeof(float) : sizeof(double);
    size_t i = 0;
    for (; i + STEP <= n; i += STEP) {
        for (size_t r = 0; more && r < rows; r++)
            for (size_t at = 0; at < STEP * size; at += 64)
                __builtin_prefetch(src + (r + rows) * pitch + i * size + at);
#pragma GCC unroll 4
        for (size_t k = i; k < i + STEP; k += GF_HALF) {
            gf_vd acc = gf_vd_load(sums + k);
#pragma GCC unroll 4
            for (size_t r = 0; r < rows; r++)
                acc += load(dtype, src + r * pitch, k);
            gf_vd_store(sums + k, acc);
        }
    }
    for (; i < n; i++)
        for (size_t r = 0; r < rows; r++) {
            const char *at = src + r * pitch + i * size;
            sums[i] += dtype == GF_F32 ? (double)*(const gf_f32_any *)at : *(const gf_f64_any *)at;
        }
}

void GF_ISA_NAME(gf_simd_add_rows)(uint32_t dtype, const struct gf_cpu_few_rows *rows, size_t n, double *sums)
{
    const struct gf_cpu_few_rows *r = rows;
    if (r->n == GF_CPU_FEW_ROWS && dtype == GF_F32)
        add_rows(GF_F32, r->src, r->pitch, GF_CPU_FEW_ROWS, r->more, n, sums);
    else if (r->n == GF_CPU_FEW_ROWS)
        add_rows(GF_F64, r->src, r->pitch, GF_CPU_FEW_ROWS, r->more, n, sums);
    for (size_t i = 0; r->n < GF_CPU_FEW_ROWS && i < r->n; i++) {
        const char *src = (const char *)r->src + i * r->pitch;
        if (dtype == GF_F32)
            add_rows(GF_F32, src, r->pitch, 1, false, n, sums);
        else
            add_rows(GF_F64, src, r->pitch, 1, false, n, sums);
    }
}

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

/* The sum and the sum of squares, of at most GF_CPU_EXACT elements. */
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

/* A is wide enough for GF_CPU_EXACT elements. */
#define DEFINE_SUM(name, T, A)                                                                                         \
    static int64_t name(const T *p, size_t n)                                                                          \
    {                                                                                                                  \
        A sum = 0;                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                                 \
            sum += p[i];                                                                                               \
        return (int64_t)sum;                                                                                           \
    }

DEFINE_SUM(sum_i8, gf_i8_any, int32_t)
DEFINE_SUM(sum_u16, gf_u16_any, uint32_t)
DEFINE_SUM(sum_i16, gf_i16_any, int32_t)
DEFINE_SUM(sum_u32, gf_u32_any, uint64_t)
DEFINE_SUM(sum_i32, gf_i32_any, int64_t)

#define DEFINE_SQUARES(name, T, P, A)                                                                                  \
    static uint64_t name(const T *p, size_t n)                                                                         \
    {                                                                                                                  \
        A sum = 0;                                                                                                     \
        for (size_t i = 0; i < n; i++)                                                                                 \
            sum += (A)((P)p[i] * (P)p[i]);                                                                             \
        return (uint64_t)sum;                                                                                          \
    }

DEFINE_SQUARES(squares_u8, gf_u8_any, int16_t, uint32_t)
DEFINE_SQUARES(squares_i8, gf_i8_any, int16_t, uint32_t)
DEFINE_SQUARES(squares_u16, gf_u16_any, uint32_t, uint64_t)
DEFINE_SQUARES(squares_i16, gf_i16_any, int32_t, uint64_t)

/* KEY(x) is in the order of elements; what MISSING(x) takes no part. Keys of NaN are past those of the infinities, so
 * that only where there is one the elements are looked at one by one. */
#define DEFINE_EXTREMES(name, T, K, MIN, MAX, KEY, PAST, MISSING)                                                      \
    static void name(const T *p, size_t n, struct gf_cpu_exact *ret)                                                   \
    {                                                                                                                  \
        K lo = MAX, hi = MIN;                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                               \
            K key = KEY(p[i]);                                                                                         \
            lo = key < lo ? key : lo;                                                                                  \
            hi = key > hi ? key : hi;                                                                                  \
        }                                                                                                              \
        if (PAST(lo, hi)) {                                                                                            \
            lo = MAX;                                                                                                  \
            hi = MIN;                                                                                                  \
            for (size_t i = 0; i < n; i++) {                                                                           \
                K key = KEY(p[i]), low = MISSING(p[i]) ? MAX : key, high = MISSING(p[i]) ? MIN : key;                  \
                lo = low < lo ? low : lo;                                                                              \
                hi = high > hi ? high : hi;                                                                            \
                ret->nans += MISSING(p[i]) ? 1 : 0;                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        ret->min_key = (int64_t)lo;                                                                                    \
        ret->max_key = (int64_t)hi;                                                                                    \
    }                                                                                                                  \
                                                                                                                       \
    static size_t name##_find(const T *p, size_t n, int64_t wanted, int64_t other)                                     \
    {                                                                                                                  \
        K key = (K)wanted, also = (K)other;                                                                            \
        size_t at = 0;                                                                                                 \
        for (K found = 0; at + 64 <= n; at += 64) {                                                                    \
            for (size_t i = at; i < at + 64; i++)                                                                      \
                found = (K)(found | (KEY(p[i]) == key) | (KEY(p[i]) == also));                                         \
            if (found)                                                                                                 \
                break;                                                                                                 \
        }                                                                                                              \
        while (at + 1 < n && KEY(p[at]) != key && KEY(p[at]) != also)                                                  \
            at++;                                                                                                      \
        return at;                                                                                                     \
    }

#define SAME(x) x
#define NEVER(x) false
#define NEVER_PAST(lo, hi) false
#define PAST_F32(lo, hi) ((lo) < -INF_F32 - 1 || (hi) > INF_F32)
#define PAST_F64(lo, hi) ((lo) < -INF_F64 - 1 || (hi) > INF_F64)
#define INF_F32 INT32_C(0x7F800000)
#define KEY_F32(x) ((x) ^ (((x) >> 31) & INT32_MAX))
#define NAN_F32(x) (((x)&INT32_MAX) > INF_F32)
#define INF_F64 INT64_C(0x7FF0000000000000)
#define KEY_F64(x) ((x) ^ (((x) >> 63) & INT64_MAX))
#define NAN_F64(x) (((x)&INT64_MAX) > INF_F64)
#define DEFINE_INT(name, T, K, MIN, MAX) DEFINE_EXTREMES(name, T, K, MIN, MAX, SAME, NEVER_PAST, NEVER)

DEFINE_INT(extremes_u8, gf_u8_any, uint8_t, 0, UINT8_MAX)
DEFINE_INT(extremes_i8, gf_i8_any, int8_t, INT8_MIN, INT8_MAX)
DEFINE_INT(extremes_u16, gf_u16_any, uint16_t, 0, UINT16_MAX)
DEFINE_INT(extremes_i16, gf_i16_any, int16_t, INT16_MIN, INT16_MAX)
DEFINE_INT(extremes_u32, gf_u32_any, uint32_t, 0, UINT32_MAX)
DEFINE_INT(extremes_i32, gf_i32_any, int32_t, INT32_MIN, INT32_MAX)
DEFINE_EXTREMES(extremes_f32, gf_i32_any, int32_t, INT32_MIN, INT32_MAX, KEY_F32, PAST_F32, NAN_F32)
DEFINE_EXTREMES(extremes_f64, gf_i64_any, int64_t, INT64_MIN, INT64_MAX, KEY_F64, PAST_F64, NAN_F64)

/* DO(name of the dtype), a statement. */
#define EACH_DTYPE(DO)                                                                                                 \
    if (dtype == GF_U8)                                                                                                \
        DO(u8);                                                                                                        \
    else if (dtype == GF_I8)                                                                                           \
        DO(i8);                                                                                                        \
    else if (dtype == GF_U16)                                                                                          \
        DO(u16);                                                                                                       \
    else if (dtype == GF_I16)                                                                                          \
        DO(i16);                                                                                                       \
    else if (dtype == GF_U32)                                                                                          \
        DO(u32);                                                                                                       \
    else if (dtype == GF_I32)                                                                                          \
        DO(i32);                                                                                                       \
    else if (dtype == GF_F32)                                                                                          \
        DO(f32);                                                                                                       \
    else                                                                                                               \
        DO(f64);

static void find_extremes(uint32_t dtype, const void *src, size_t n, struct gf_cpu_exact *ret){
#define DO(name) extremes_##name(src, n, ret)
    EACH_DTYPE(DO)
#undef DO
}

size_t GF_ISA_NAME(gf_simd_find)(uint32_t dtype, const void *src, size_t n, int64_t key)
{
    /* Both zeros of floats are one where an index is searched. */
    int64_t other = gf_is_float(dtype) && (key == 0 || key == -1) ? -1 - key : key;
#define DO(name) return extremes_##name##_find(src, n, key, other)
    EACH_DTYPE(DO)
#undef DO
}

static int64_t add_up(uint32_t dtype, const void *src, size_t n)
{
    return dtype == GF_U8    ? sum_u8(src, n)
           : dtype == GF_I8  ? sum_i8(src, n)
           : dtype == GF_U16 ? sum_u16(src, n)
           : dtype == GF_I16 ? sum_i16(src, n)
           : dtype == GF_U32 ? sum_u32(src, n)
                             : sum_i32(src, n);
}

static uint64_t add_squares(uint32_t dtype, const void *src, size_t n)
{
    return dtype == GF_U8    ? squares_u8(src, n)
           : dtype == GF_I8  ? squares_i8(src, n)
           : dtype == GF_U16 ? squares_u16(src, n)
                             : squares_i16(src, n);
}

static void look(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret)
{
    *ret = (struct gf_cpu_exact){0};
    if (want & GF_WANT_EXTREMES)
        find_extremes(dtype, src, n, ret);
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

/* SPDX-License-Identifier: MIT */
/* Products of packed matrices, 4 or 8 rows by 2 vectors at a time. Compiled once per instruction set. */
#include "row_isa.h"

#define ALWAYS static inline __attribute__((always_inline))
#define HALF (GF_LANES / 2)
#define ROWS (GF_LANES == 16 ? 8 : 4) /* whose accumulators fit the registers */

typedef double gf_vd __attribute__((vector_size(GF_LANES * 4)));
typedef uint64_t gf_vu __attribute__((vector_size(GF_LANES * 4)));

ALWAYS gf_vd vd_fma(gf_vd a, gf_vd b, gf_vd c)
{
#if GF_LANES == 16
    return _mm512_fmadd_pd(a, b, c);
#elif GF_LANES == 8
    return _mm256_fmadd_pd(a, b, c);
#else
    for (int i = 0; i < HALF; i++)
        c[i] = fma(a[i], b[i], c[i]);
    return c;
#endif
}

/* c + a * b modulo 2^64, where a and b are within 32 bits with sign. */
ALWAYS gf_vu vu_fma(gf_vu a, gf_vu b, gf_vu c)
{
#if GF_LANES == 16
    return c + (gf_vu)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif GF_LANES == 8
    return c + (gf_vu)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#else
    return c + a * b;
#endif
}

ALWAYS gf_vd vd_set(double x)
{
    return x - (gf_vd){0};
}

ALWAYS gf_vu vu_set(uint64_t x)
{
    return x - (gf_vu){0};
}

/* One function per kind: T is an element, V a vector of n of them. All memory is aligned to vectors. */
#define DEFINE(name, T, V, n, set, multiply_add)                                                                       \
    ALWAYS void name##_block(const struct gf_cpu_matmul *tile, size_t row, size_t col)                                 \
    {                                                                                                                  \
        T *acc = (T *)tile->acc + row * GF_MATMUL_COLS + col;                                                          \
        const T *a = (const T *)tile->a + row, *b = (const T *)tile->b + col;                                          \
        V sum[ROWS][2];                                                                                                \
        for (int i = 0; i < ROWS; i++)                                                                                 \
            for (int j = 0; j < 2; j++)                                                                                \
                sum[i][j] = *(const V *)(acc + (size_t)i * GF_MATMUL_COLS + j * (n));                                  \
        for (size_t k = 0; k < tile->depth; k++, a += GF_MATMUL_ROWS, b += GF_MATMUL_COLS) {                           \
            V left = *(const V *)b, right = *(const V *)(b + (n));                                                     \
            for (int i = 0; i < ROWS; i++) {                                                                           \
                V factor = set(a[i]);                                                                                  \
                sum[i][0] = multiply_add(factor, left, sum[i][0]);                                                     \
                sum[i][1] = multiply_add(factor, right, sum[i][1]);                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (int i = 0; i < ROWS; i++)                                                                                 \
            for (int j = 0; j < 2; j++)                                                                                \
                *(V *)(acc + (size_t)i * GF_MATMUL_COLS + j * (n)) = sum[i][j];                                        \
    }                                                                                                                  \
                                                                                                                       \
    static void name(const struct gf_cpu_matmul *tile)                                                                 \
    {                                                                                                                  \
        for (size_t col = 0; col < tile->cols; col += 2 * (n))                                                         \
            for (size_t row = 0; row < tile->rows; row += ROWS)                                                        \
                name##_block(tile, row, col);                                                                          \
    }

DEFINE(multiply_f32, float, gf_vf, GF_LANES, gf_vf_set, gf_vf_fma)
DEFINE(multiply_f64, double, gf_vd, HALF, vd_set, vd_fma)
DEFINE(multiply_whole, uint64_t, gf_vu, HALF, vu_set, vu_fma)

void GF_ISA_NAME(gf_cpu_row_matmul)(uint32_t kind, const struct gf_cpu_matmul *tile)
{
    if (kind == GF_MATMUL_F32)
        multiply_f32(tile);
    else if (kind == GF_MATMUL_F64)
        multiply_f64(tile);
    else
        multiply_whole(tile);
}

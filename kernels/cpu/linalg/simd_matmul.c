/* SPDX-License-Identifier: MIT */
/* Products of packed matrices, 4 or 8 rows by 2 vectors at a time. Compiled once per instruction set. */
#include "simd_linalg.h"

#include "kernels/cpu/simd/simd_wide.h"

#define ROWS (GF_LANES == 16 ? 8 : 4) /* rows of a register block: its accumulators fit in the registers */

/* Defines the function of one kind: T is an element, V a vector of n elements. All memory is aligned to vectors. */
#define DEFINE(name, T, V, n, set, multiply_add)                                                                       \
    GF_ALWAYS void name##_block(const struct gf_cpu_matmul *tile, size_t row, size_t col)                              \
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
DEFINE(multiply_f64, double, gf_vd, GF_HALF, gf_vd_set, gf_vd_fma)
DEFINE(multiply_int, uint64_t, gf_vu, GF_HALF, gf_vu_set, gf_vu_fma)

void GF_ISA_NAME(gf_simd_matmul)(uint32_t kind, const struct gf_cpu_matmul *tile)
{
    if (kind == GF_MATMUL_F32)
        multiply_f32(tile);
    else if (kind == GF_MATMUL_F64)
        multiply_f64(tile);
    else
        multiply_int(tile);
}

const struct gf_simd_linalg GF_ISA_NAME(gf_simd_linalg) = {
    .matmul = GF_ISA_NAME(gf_simd_matmul),
    .conv1d = GF_ISA_NAME(gf_simd_conv1d),
};

/* SPDX-License-Identifier: MIT */
/*
 * Whole chunks of the tree of docs/numerics.md, "The tree", and column sums, directly from contiguous samples. Compiled
 * once per instruction set; called by reduce_sequences.c and reduce_columns.c.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_wide.h"

#define SIDE (GF_LANES == 16 ? 16 : 8) /* vectors folded side by side */
#define AHEAD 8192u                    /* prefetch distance in bytes; it reaches past the chunk's end */
#define ROWS (GF_TREE_CHUNK / GF_TREE_LANES)

GF_ALWAYS gf_vd load(uint32_t dtype, const void *p, size_t i)
{
    if (dtype == GF_F32)
        return gf_vd_load_f32((const gf_f32_any *)p + i);
    return *(const gf_vd_byte *)((const char *)p + i * sizeof(double));
}

/* The sum of a whole chunk, or its dot product if y is given. */
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
    gf_vd sum = v[0];
    for (int half = GF_HALF / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return sum[0];
}

double GF_ISA_NAME(gf_simd_chunk_sum)(uint32_t dtype, const void *x)
{
    return dtype == GF_F32 ? tree(GF_F32, x, NULL) : tree(GF_F64, x, NULL);
}

double GF_ISA_NAME(gf_simd_chunk_dot)(uint32_t dtype, const void *x, const void *y)
{
    return dtype == GF_F32 ? tree(GF_F32, x, y) : tree(GF_F64, x, y);
}

#define STEP 16u /* columns between prefetches: one cache line of f32, two of f64 */

/* `dtype` and the number of rows are compile-time constants. */
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

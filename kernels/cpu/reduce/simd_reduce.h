/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of reductions, compiled once per instruction set (simd_reduce.c, simd_columns.c, simd_compose.c,
 * simd_direct.c, simd_exact.c, simd_subtract.c). Called by the files of this folder.
 */
#ifndef GF_KERNELS_CPU_SIMD_REDUCE_H
#define GF_KERNELS_CPU_SIMD_REDUCE_H

#include "kernels/shared/compose.h"
#include "kernels/shared/reduce_partial.h"

/* Up to GF_TREE_CHUNK elements of a sequence, or of several columns, on their way into a part. */
struct gf_cpu_elements {
    uint32_t want, dtype;
    bool omit;
    uint64_t first; /* index of the first element in its sequence */
    size_t n;
    double *x;     /* values; overwritten by some quantities */
    double *y;     /* dot, differences: of the other input; else room for as many values */
    int64_t *keys; /* of the elements, as in reduce_partial.h; integers: the values, except for u64 */
};

/* Elements that are looked at together where order plays no part. */
#define GF_CPU_EXACT 65536u

/* What up to so many elements come to; extremes are keys as in reduce_partial.h, least above greatest where all are
 * NaN.
 */
struct gf_cpu_exact {
    int64_t min_key, max_key;
    uint64_t nans, squares;
    int64_t sum;
};

/* Columns that are reduced side by side. */
#define GF_CPU_COLUMNS 64u

/* What a block of rows makes of each column. Means are set between the two passes that the spread takes. */
struct gf_cpu_columns {
    double sum[GF_CPU_COLUMNS], product[GF_CPU_COLUMNS], abs[GF_CPU_COLUMNS], squares[GF_CPU_COLUMNS];
    double dot[GF_CPU_COLUMNS], mean[GF_CPU_COLUMNS], spread[GF_CPU_COLUMNS];
    /* What is exact, of rows without NaN: sums of integers of up to 32 bits, of 16 for squares; extremes with their
     * index, -1 where there is none yet. */
    int64_t exact_sum[GF_CPU_COLUMNS], exact_abs[GF_CPU_COLUMNS], exact_squares[GF_CPU_COLUMNS];
    int64_t nonzero[GF_CPU_COLUMNS];
    int64_t min_key[GF_CPU_COLUMNS], max_key[GF_CPU_COLUMNS], argmin[GF_CPU_COLUMNS], argmax[GF_CPU_COLUMNS];
    struct gf_partial partial[GF_CPU_COLUMNS]; /* everything else that is exact */
};

/* Rows that are added to column sums at once. */
#define GF_CPU_FEW_ROWS 4u

/* At most that many rows; `more`: as many follow, and may be asked for. */
struct gf_cpu_few_rows {
    const void *src;
    size_t pitch, n;
    bool more;
};

struct gf_simd_reduce {
    /* One chunk of a sequence. */
    void (*chunk)(const struct gf_cpu_elements *elements, struct gf_partial *ret);
    /* Makes a chunk of two inputs of that dtype one of differences, in x and keys. Given in x and y, 64-bit integers in
     * keys and others. */
    void (*subtract)(uint32_t dtype, struct gf_cpu_elements *elements, const int64_t *others);
    /* Of samples side by side at any address, which are no 64-bit integers: GF_WANT_EXTREMES with the number of NaN,
     * GF_WANT_SUM of integers, GF_WANT_SQUARES of those of 8 and 16 bits. */
    void (*exact)(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret);
    /* The first of n such samples with this key, or the last one. */
    size_t (*find)(uint32_t dtype, const void *src, size_t n, int64_t key);
    /* The tree over GF_TREE_CHUNK samples of f32 or f64, and of the products of two such; with NaN it is NaN. */
    double (*chunk_sum)(uint32_t dtype, const void *x);
    double (*chunk_dot)(uint32_t dtype, const void *x, const void *y);
    /* sums[i] goes on by element i of each row, n elements of f32 or f64 at any address. */
    void (*add_rows)(uint32_t dtype, const struct gf_cpu_few_rows *rows, size_t n, double *sums);
    /* Adds one row, an element of each of n columns; `first` is its index in all of them. */
    void (*columns)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
    /* The same row again, for the spread. */
    void (*columns_spread)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
    /* n elements of affine (2 channels) or matmul2 (4) after each other, 1..128: a row of a chunk. */
    void (*compose)(uint32_t channels, const double *e, size_t n, double *ret);
    /* n of them side by side: acc[i] = acc[i], then e[i]. */
    void (*compose_each)(uint32_t channels, double *acc, const double *e, size_t n);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_chunk)(const struct gf_cpu_elements *elements, struct gf_partial *ret);
void GF_ISA_NAME(gf_simd_subtract)(uint32_t dtype, struct gf_cpu_elements *s, const int64_t *others);
void GF_ISA_NAME(gf_simd_exact)(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret);
size_t GF_ISA_NAME(gf_simd_find)(uint32_t dtype, const void *src, size_t n, int64_t key);
double GF_ISA_NAME(gf_simd_chunk_sum)(uint32_t dtype, const void *x);
double GF_ISA_NAME(gf_simd_chunk_dot)(uint32_t dtype, const void *x, const void *y);
void GF_ISA_NAME(gf_simd_add_rows)(uint32_t dtype, const struct gf_cpu_few_rows *rows, size_t n, double *sums);
void GF_ISA_NAME(gf_simd_columns)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
void GF_ISA_NAME(gf_simd_columns_spread)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
void GF_ISA_NAME(gf_simd_compose)(uint32_t channels, const double *e, size_t n, double *ret);
void GF_ISA_NAME(gf_simd_compose_each)(uint32_t channels, double *acc, const double *e, size_t n);
#endif

#endif

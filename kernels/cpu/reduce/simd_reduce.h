/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of reductions, compiled once per instruction set (simd_reduce.c, simd_columns.c, simd_compose.c,
 * simd_direct.c, simd_exact.c, simd_subtract.c). Called by the files of this folder.
 */
#ifndef GF_KERNELS_CPU_SIMD_REDUCE_H
#define GF_KERNELS_CPU_SIMD_REDUCE_H

#include "kernels/shared/compose.h"
#include "kernels/shared/reduce_partial.h"

/* Up to GF_TREE_CHUNK elements of a sequence, or one element each of several columns, prepared for a reduction. */
struct gf_cpu_elements {
    uint32_t want, dtype;
    bool omit;
    uint64_t first; /* index of the first element in its sequence */
    size_t n;
    double *x;     /* values; some quantities overwrite them */
    double *y;     /* dot and differences: values of the other input; otherwise spare room for as many values */
    int64_t *keys; /* keys of the elements, as in reduce_partial.h; for integers their values, except for u64 */
};

/* Elements per chunk where the order does not matter. */
#define GF_CPU_EXACT 65536u

/* The results of up to GF_CPU_EXACT elements. Extremes are keys as in reduce_partial.h; the least is above the greatest
 * if all elements are NaN. */
struct gf_cpu_exact {
    int64_t min_key, max_key;
    uint64_t nans, squares;
    int64_t sum;
};

/* Columns that are reduced side by side. */
#define GF_CPU_COLUMNS 64u

/* The results of a block of rows for each column. Means are set between the two passes that the spread needs. */
struct gf_cpu_columns {
    double sum[GF_CPU_COLUMNS], product[GF_CPU_COLUMNS], abs[GF_CPU_COLUMNS], squares[GF_CPU_COLUMNS];
    double dot[GF_CPU_COLUMNS], mean[GF_CPU_COLUMNS], spread[GF_CPU_COLUMNS];
    /* Exact results of rows without NaN: sums of integers of up to 32 bits, squares of integers of up to 16 bits,
     * extremes and their indices, where -1 means that there is none yet. */
    int64_t exact_sum[GF_CPU_COLUMNS], exact_abs[GF_CPU_COLUMNS], exact_squares[GF_CPU_COLUMNS];
    int64_t nonzero[GF_CPU_COLUMNS];
    int64_t min_key[GF_CPU_COLUMNS], max_key[GF_CPU_COLUMNS], argmin[GF_CPU_COLUMNS], argmax[GF_CPU_COLUMNS];
    struct gf_partial partial[GF_CPU_COLUMNS]; /* all other exact results */
};

/* Rows that are added to column sums at once. */
#define GF_CPU_FEW_ROWS 4u

/* At most GF_CPU_FEW_ROWS rows. `more`: as many rows follow and may be prefetched. */
struct gf_cpu_few_rows {
    const void *src;
    size_t pitch, n;
    bool more;
};

struct gf_simd_reduce {
    /* Reduces one chunk of a sequence. */
    void (*chunk)(const struct gf_cpu_elements *elements, struct gf_partial *ret);
    /* Replaces x and keys of a chunk of two inputs by their differences. The inputs are in x and y; 64-bit integers are
     * in keys and others. */
    void (*subtract)(uint32_t dtype, struct gf_cpu_elements *elements, const int64_t *others);
    /* Reduces contiguous samples, which are not 64-bit integers, at any address: GF_WANT_EXTREMES with the number of
     * NaNs, GF_WANT_SUM of integers, GF_WANT_SQUARES of 8-bit and 16-bit integers. */
    void (*exact)(uint32_t dtype, uint32_t want, const void *src, size_t n, struct gf_cpu_exact *ret);
    /* Returns the index of the first of n samples with this key, or n - 1 if none has it. */
    size_t (*find)(uint32_t dtype, const void *src, size_t n, int64_t key);
    /* The tree over GF_TREE_CHUNK samples of f32 or f64, and over the products of two inputs. NaN if an element is
     * NaN. */
    double (*chunk_sum)(uint32_t dtype, const void *x);
    double (*chunk_dot)(uint32_t dtype, const void *x, const void *y);
    /* Adds element i of each row to sums[i], for n elements of f32 or f64 at any address. */
    void (*add_rows)(uint32_t dtype, const struct gf_cpu_few_rows *rows, size_t n, double *sums);
    /* Adds one row, which has one element for each of n columns; `first` is the row's index. */
    void (*columns)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
    /* Adds the same row again, for the spread. */
    void (*columns_spread)(const struct gf_cpu_elements *elements, struct gf_cpu_columns *columns);
    /* Composes n elements, 1..128, of affine (2 channels) or matmul2 (4) in sequence: a row of a chunk. */
    void (*compose)(uint32_t channels, const double *e, size_t n, double *ret);
    /* Composes n elements side by side: acc[i] followed by e[i] becomes acc[i]. */
    void (*compose_each)(uint32_t channels, double *acc, const double *e, size_t n);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
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

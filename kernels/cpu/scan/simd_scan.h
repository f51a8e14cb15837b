/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of scans and integral images, compiled once per instruction set (simd_scan.c, simd_scan_exact.c,
 * simd_integral.c, simd_integral_tree.c). Values have the types of kernels/shared/scan.h. A "factor" is the first
 * component of a pair of the recurrence; it depends on the position only.
 */
#ifndef GF_KERNELS_CPU_SIMD_SCAN_H
#define GF_KERNELS_CPU_SIMD_SCAN_H

#include "kernels/shared/scan.h"

#define GF_SCAN_ROWS (GF_SCAN_BLOCK / GF_SCAN_ROW)
#define GF_SCAN_STEPS 5u /* steps of a group, over distances 1, 2, 4, 8, 16 */

/* The factors of all right operands, docs/numerics.md, "Trees of scans"; all are 1 except for the recurrence. */
struct gf_scan_factors {
    double row[GF_SCAN_ROW_CHUNK]; /* factor of s[j], in a row and in a row chunk */
    double group[GF_SCAN_STEPS + 1][GF_SCAN_GROUP];
    double offset[GF_SCAN_ROWS];
    double block;
};

/* The range that integer results must fit in if `checked` is set. */
struct gf_scan_limits {
    bool checked;
    int64_t lo;
    uint64_t hi;
};

/* The state of a line of an f32 integral image, P and E of the tree in docs/numerics.md, "Trees of scans". -0.0 means
 * that nothing came before. */
struct gf_cpu_line_sums {
    double before, end;
};

/* One group of columns of an f32 integral image. `above` and `sums` are 64-byte aligned, have room for a whole group,
 * and keep its columns in an order that depends on the instruction set. */
struct gf_cpu_group {
    struct gf_cpu_line_sums *line; /* updated by the group */
    bool square;
    const double *above; /* the values above the row chunk */
    double *sums;        /* the column sums within the row chunk; updated by the line */
    double *out;         /* receives the line's results in the order of the line; NULL: no results */
};

struct gf_simd_scan {
    /* The tree of a whole block. x becomes s, offsets[r] the offset of row r (offsets[0] is not set). Returns the
     * block's aggregate. `what` is sum, product or affine. */
    double (*tree)(uint32_t what, const struct gf_scan_factors *factors, double *x, double *offsets);
    /* Returns the same aggregate and changes nothing. */
    double (*aggregate)(uint32_t what, const struct gf_scan_factors *factors, const double *x);
    /* Runs after tree(): x becomes the results. prefix is NULL in block 0; init is NULL if there is none. */
    void (*finish)(uint32_t what, const struct gf_scan_factors *factors, const double *prefix, const double *offsets,
                   const double *init, double *x);
    /* A whole sequence of n elements, at most one group: x becomes the results. */
    void (*group)(uint32_t what, const struct gf_scan_factors *factors, const double *init, double *x, size_t n);
    /* Element j of a row chunk, for n columns side by side: s is updated by x, and x becomes the results. prefix is
     * NULL in the first row chunk. */
    void (*row_chunk)(uint32_t what, const struct gf_scan_factors *factors, uint32_t j, const double *prefix,
                      const double *init, double *s, double *x, size_t n);
    /* prefix[i] = prefix[i] combined with s[i], after a full row chunk. */
    void (*row_chunk_end)(uint32_t what, const struct gf_scan_factors *factors, const double *s, double *prefix,
                          size_t n);

    /* For scans that are exact in any order, on values of `dtype`'s class. One sequence: x becomes the results; *carry
     * is the result before x on entry and the last result on return. Returns the first index whose result does not fit,
     * or n. */
    size_t (*run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits, union gf_scan_value *carry,
                  union gf_scan_value *x, size_t n);
    /* Combines carry with all of x, from left to right and unchecked. */
    union gf_scan_value (*fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry, const union gf_scan_value *x,
                                size_t n);
    /* One element each of n sequences side by side: carries and x both become the results. Returns the same as run. */
    size_t (*run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                         union gf_scan_value *carries, union gf_scan_value *x, size_t n);

    /* A row of an integral image: out[i] = above[i] + the sum of the bytes of i's channel up to i, as u32 at any
     * address. */
    void (*integral)(const void *src, uint32_t channels, size_t n, const void *above, void *out);
    /* Adds n f32 of one line of an integral image, at any address; at most one group of the tree. */
    void (*add_group)(const struct gf_cpu_group *group, const void *src, size_t n);
    /* Stores n f64 with streaming stores, at any address. */
    void (*put)(const double *from, size_t n, void *dst);
    /* sums[i] += src[i] for n bytes. */
    void (*add_bytes)(const void *src, size_t n, uint32_t *sums);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_integral)(const void *src, uint32_t channels, size_t n, const void *above, void *out);
void GF_ISA_NAME(gf_simd_add_group)(const struct gf_cpu_group *group, const void *src, size_t n);
void GF_ISA_NAME(gf_simd_put)(const double *from, size_t n, void *dst);
void GF_ISA_NAME(gf_simd_add_bytes)(const void *src, size_t n, uint32_t *sums);
size_t GF_ISA_NAME(gf_simd_run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                union gf_scan_value *carry, union gf_scan_value *x, size_t n);
union gf_scan_value GF_ISA_NAME(gf_simd_fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry,
                                              const union gf_scan_value *x, size_t n);
size_t GF_ISA_NAME(gf_simd_run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                       union gf_scan_value *carries, union gf_scan_value *x, size_t n);
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of scans and integral images, compiled once per instruction set (simd_scan.c, simd_scan_exact.c,
 * simd_integral.c, simd_integral_tree.c). Values are those of kernels/shared/scan.h; what is called a factor is the
 * first component of a pair of the recurrence, which depends on the position only.
 */
#ifndef GF_KERNELS_CPU_SIMD_SCAN_H
#define GF_KERNELS_CPU_SIMD_SCAN_H

#include "kernels/shared/scan.h"

#define GF_SCAN_ROWS (GF_SCAN_BLOCK / GF_SCAN_ROW)
#define GF_SCAN_STEPS 5u /* of a group: distances 1, 2, 4, 8, 16 */

/* Factors of everything that stands on the right of something, docs/numerics.md 9; all 1 but for the recurrence. */
struct gf_scan_factors {
    double row[GF_SCAN_ROW_CHUNK]; /* of s[j], of a row and of a row chunk */
    double group[GF_SCAN_STEPS + 1][GF_SCAN_GROUP];
    double offset[GF_SCAN_ROWS];
    double block;
};

/* What integers of a line did: the first element that does not fit, or the length. */
struct gf_scan_limits {
    bool checked;
    int64_t lo;
    uint64_t hi;
};

/* Where a line of an integral image of f32 is in the tree of docs/numerics.md 9: P and E. -0.0 stands for nothing. */
struct gf_cpu_line_sums {
    double before, end;
};

/* Columns of an integral image of f32, as many as a group of the tree, in the order of the instruction set: aligned to
 * 64 bytes and with room for a whole group. */
struct gf_cpu_group {
    struct gf_cpu_line_sums *line; /* goes on by the group */
    bool square;
    const double *above; /* what stands above the row chunk of rows */
    double *sums;        /* of the row chunk's rows so far; go on by the line */
    double *out;         /* becomes the line's results, in the order of the line; NULL: no results */
};

struct gf_simd_scan {
    /* The tree of a whole block: x becomes s, offsets[r] the offset of row r (that of row 0 is not set); the block's
     * aggregate is returned. `what` is sum, product or affine. */
    double (*tree)(uint32_t what, const struct gf_scan_factors *factors, double *x, double *offsets);
    /* The same aggregate alone. */
    double (*aggregate)(uint32_t what, const struct gf_scan_factors *factors, const double *x);
    /* After tree(): x becomes the results. prefix is NULL in block 0, init NULL without one. */
    void (*finish)(uint32_t what, const struct gf_scan_factors *factors, const double *prefix, const double *offsets,
                   const double *init, double *x);
    /* A whole sequence of n elements, at most a group: x becomes the results. */
    void (*group)(uint32_t what, const struct gf_scan_factors *factors, const double *init, double *x, size_t n);
    /* Element j of a row chunk for n columns side by side: s goes on by x, x becomes the results. prefix is NULL in the
     * first row chunk. */
    void (*row_chunk)(uint32_t what, const struct gf_scan_factors *factors, uint32_t j, const double *prefix,
                      const double *init, double *s, double *x, size_t n);
    /* prefix[i] = prefix[i] combined with s[i]: from a full row chunk to the next. */
    void (*row_chunk_end)(uint32_t what, const struct gf_scan_factors *factors, const double *s, double *prefix,
                          size_t n);

    /* Everything that is exact in any order, of values of `dtype`'s class. run: one sequence, x becomes the results,
     * *carry goes in as the result before and out as the last. Returns the first index that does not fit, or n. */
    size_t (*run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits, union gf_scan_value *carry,
                  union gf_scan_value *x, size_t n);
    /* All of x on the right of carry, unchecked. */
    union gf_scan_value (*fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry, const union gf_scan_value *x,
                                size_t n);
    /* n sequences side by side, one element each: carries and x both become the results. Returns as run. */
    size_t (*run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                         union gf_scan_value *carries, union gf_scan_value *x, size_t n);

    /* A row of an integral image: out[i] = above[i] + the bytes of i's channel up to i, u32 at any address. */
    void (*integral)(const void *src, uint32_t channels, size_t n, const void *above, void *out);
    /* n f32 of one line of an integral image, at any address, at most a group of the tree. */
    void (*add_group)(const struct gf_cpu_group *group, const void *src, size_t n);
    /* n f64 past the caches, to any address. */
    void (*put)(const double *from, size_t n, void *dst);
    /* sums[i] += src[i], n bytes. */
    void (*add_bytes)(const void *src, size_t n, uint32_t *sums);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
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

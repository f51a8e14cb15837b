/* SPDX-License-Identifier: MIT */
/*
 * The inner loops: lines of interleaved f32 samples. The same sources (row_*.c) are compiled once per instruction set
 * and give the same bits; rows.c picks a table at run time.
 */
#ifndef GF_KERNELS_CPU_ROWS_H
#define GF_KERNELS_CPU_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/compose.h"
#include "protocol/limits.h"
#include "scan_rows.h"

/* Lines start at multiples of this many floats and have room for their samples rounded up to it. */
#define GF_LINE_ALIGN 16u

/* How source samples become f32. */
struct gf_cpu_source {
    uint32_t dtype, channels;
    const float *decode; /* linear light; NULL: values as they are */
    bool premultiply;
    float border[GF_MAX_CHANNELS]; /* a pixel of a constant border, decoded */
};

/* How sums become result samples. */
struct gf_cpu_target {
    uint32_t dtype, channels;
    uint32_t alpha_dtype; /* of the samples that alpha is copied from */
    float scale, offset;
    float max; /* greatest sample; alpha is clamped to it */
    bool unpremultiply;
    bool copy_alpha;
    const float *encode;         /* linear light; NULL: values as they are */
    const int32_t *encode_guess; /* light_guess.h, where encode is set */
};

/* One formula for every sample, numerics.md 11: v = fmaf(x, scale, offset), its power, times or by a factor. */
struct gf_cpu_formula {
    float scale, offset;
    float gamma;            /* 1: no power */
    float multiply, divide; /* one of them is 1, which changes nothing */
};

/* Up to GF_TREE_CHUNK elements of a sequence, or of several columns, on their way into a part. */
struct gf_cpu_stretch {
    uint32_t want, dtype;
    bool omit;
    uint64_t first; /* index of the first element in its sequence */
    size_t n;
    double *x;     /* values; overwritten by some quantities */
    double *y;     /* dot, differences: of the other input; else room for as many values */
    int64_t *keys; /* of the elements, as in reduce.h; integers: the values, except for u64 */
};

/* Columns that are reduced side by side. */
#define GF_CPU_COLUMNS 64u

/* What a block of rows makes of each column. Means are set between the two passes that the spread takes. */
struct gf_cpu_columns {
    double sum[GF_CPU_COLUMNS], product[GF_CPU_COLUMNS], abs[GF_CPU_COLUMNS], squares[GF_CPU_COLUMNS];
    double dot[GF_CPU_COLUMNS], mean[GF_CPU_COLUMNS], spread[GF_CPU_COLUMNS];
    struct gf_part part[GF_CPU_COLUMNS]; /* everything that is exact */
};

#define GF_MATMUL_ROWS 64u   /* of a tile of the product */
#define GF_MATMUL_COLS 128u  /* of a tile of the product */
#define GF_MATMUL_DEPTH 128u /* columns of a and rows of b that are packed at once */

/* How elements are held while matrices are multiplied: f32, f64, or as integers of 64 bits. */
enum gf_cpu_matmul_kind { GF_MATMUL_F32, GF_MATMUL_F64, GF_MATMUL_WHOLE };

/* A tile: acc[i][j] goes on with a[k][i] * b[k][j], k ascending. Rows of a are GF_MATMUL_ROWS elements apart, those of
 * b and acc GF_MATMUL_COLS; all is aligned to 64 bytes. `rows` and `cols` may be rounded up to 4 and to 32. Integers
 * are within 32 bits, their sums modulo 2^64. */
struct gf_cpu_matmul {
    void *acc;
    const void *a, *b;
    size_t rows, cols, depth;
};

struct gf_cpu_rows {
    const char *name; /* "avx512", "avx2", "generic" */
    const struct gf_cpu_scan_rows *scan;

    /* Converts and decodes pixels, at any address. */
    void (*load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
    /* Multiplies colours by alpha; channels is 2 or 4. The line has room for its samples rounded up. */
    void (*premultiply)(float *line, size_t pixels, uint32_t channels);
    /* out[i] = chain over ky, kx ascending of lines[ky][i + kx*step] * coefs[ky*width + kx], for i < n. Lines and out
     * are aligned; lines have room for n rounded up and (width-1)*step more, which is read; out for n rounded up. */
    void (*fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs, size_t n,
                float *out);
    /* fir for lines[0..height-1] into out0 and for lines[1..height] into out1. */
    void (*fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs,
                 size_t n, float *out0, float *out1);
    /* out[i] = a[i] + b[i]; out may be a. */
    void (*add)(const float *a, const float *b, float *out, size_t n);
    /* out[i] = chain over t ascending of at[t][i] * weight[t], for i < n; reads and writes n rounded up. */
    void (*taps)(const float *const *at, const float *weight, uint32_t n_taps, size_t n, float *out);
    /* gx[i] = sqrtf(fmaf(gx[i], gx[i], gy[i] * gy[i])); n is rounded up. */
    void (*magnitude)(float *gx, const float *gy, size_t n);
    /* With d = x[i] - acc[i]: acc[i] = |d| < threshold ? x[i] : fmaf(amount, d, x[i]); n is rounded up. */
    void (*unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
    /* Applies a formula in place. */
    void (*formula)(const struct gf_cpu_formula *formula, float *line, size_t n);
    /* a[i] = a[i] and b[i] by a mode GF_COMBINE_*, with the factors a, b, c for the linear one. */
    void (*combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n);
    /* Scales, unpremultiplies, encodes, rounds and stores pixels at any address; acc, which has room for its samples
     * rounded up, is overwritten. `src` are the source pixels whose alpha is copied where the target says so, else
     * NULL. */
    void (*store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst, size_t pixels);

    /* One stretch of the depth of a tile of a product of matrices. */
    void (*matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);

    /* n elements `stride` elements apart, at any address, as values (x) and as keys; either may be NULL. */
    void (*spell)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys);
    /* Makes a chunk of two inputs of that dtype one of differences, in x and keys. Given in x and y, 64-bit integers in
     * keys and others. */
    void (*subtract)(uint32_t dtype, struct gf_cpu_stretch *stretch, const int64_t *others);
    /* n elements of affine (2 channels) or matmul2 (4) after each other, 1..128: a row of a chunk. */
    void (*compose)(uint32_t channels, const double *e, size_t n, double *ret);
    /* n of them side by side: acc[i] = acc[i], then e[i]. */
    void (*compose_each)(uint32_t channels, double *acc, const double *e, size_t n);
    /* One chunk of a sequence. */
    void (*reduce)(const struct gf_cpu_stretch *stretch, struct gf_part *ret);
    /* Adds one row, an element of each of n columns; `first` is its index in all of them. */
    void (*columns)(const struct gf_cpu_stretch *stretch, struct gf_cpu_columns *columns);
    /* The same row again, for the spread. */
    void (*columns_spread)(const struct gf_cpu_stretch *stretch, struct gf_cpu_columns *columns);
};

extern const struct gf_cpu_rows gf_cpu_rows_generic;
#ifdef GF_CPU_X86
extern const struct gf_cpu_rows gf_cpu_rows_avx2;
extern const struct gf_cpu_rows gf_cpu_rows_avx512;
#endif

/* The fastest table this processor runs. */
const struct gf_cpu_rows *gf_cpu_rows_best(void);
/* The table of that name if this processor runs it, else NULL. */
const struct gf_cpu_rows *gf_cpu_rows_by_name(const char *name);

#endif

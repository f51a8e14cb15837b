/* SPDX-License-Identifier: MIT */
/*
 * The inner loops: lines of interleaved f32 samples. The same sources (simd_*.c) are compiled once per instruction set
 * and give the same bits; simd_table.c picks a table at run time.
 */
#ifndef GF_KERNELS_CPU_SIMD_TABLE_H
#define GF_KERNELS_CPU_SIMD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/bins.h"
#include "kernels/shared/compose.h"
#include "kernels/shared/reduce_partial.h"
#include "kernels/shared/select.h"
#include "protocol/base/limits.h"
#include "simd_scan_table.h"

/* Lines start at multiples of this many floats and have room for their samples rounded up to it. */
#define GF_LINE_ALIGN 16u

/* Results from so many bytes on do not stay in the caches: their f32 are stored past them. */
#define GF_STREAM_BYTES ((uint64_t)32 << 20)

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
    bool stream;                    /* f32 go past the caches */
    const float *encode;            /* linear light; NULL: values as they are */
    const int32_t *encode_estimate; /* light_estimate.h, where encode is set */
};

/* At most nine taps and what makes stored f32 of their chain. */
struct gf_cpu_taps {
    uint32_t n;
    const float *weight;
    float scale, offset;
    bool stream; /* past the caches */
};

/* One formula for every sample, numerics.md 11: v = fmaf(x, scale, offset), its power, times or by a factor. */
struct gf_cpu_formula {
    float scale, offset;
    float gamma;            /* 1: no power */
    float multiply, divide; /* one of them is 1, which changes nothing */
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

/* Samples after which what differs by channel repeats: a multiple of 1, 2, 3 and 4, and of vectors. */
#define GF_PATTERN 192u

union gf_cpu_pattern {
    uint8_t u8[GF_PATTERN];
    uint16_t u16[GF_PATTERN];
    uint32_t u32[GF_PATTERN];
    float f32[GF_PATTERN];
};

/* A sample not below `threshold` becomes `high`, others 0; of all, the bits in `keep` stay. */
struct gf_cpu_limit {
    union gf_cpu_pattern threshold, high, keep;
    bool keeps;  /* some bit of keep is set */
    bool same;   /* all samples are alike, and none keeps a bit */
    bool stream; /* such of f32 go past the caches */
};

/* A sample x becomes (x - lo) * slope; where all bits of `keep` are set it stays. f32. */
struct gf_cpu_ramp {
    float lo[GF_PATTERN], slope[GF_PATTERN];
    uint32_t keep[GF_PATTERN];
};

/* Per channel the least and greatest sample, of f32 as gf_key_f32; lo > hi where no sample took part. */
struct gf_cpu_range {
    uint32_t channels;
    int32_t lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS];
    bool nan[GF_MAX_CHANNELS];
};

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
    struct gf_partial partial[GF_CPU_COLUMNS]; /* everything that is exact */
};

/* Rows that are added to column sums at once. */
#define GF_CPU_FEW_ROWS 4u

/* At most that many rows; `more`: as many follow, and may be asked for. */
struct gf_cpu_few_rows {
    const void *src;
    size_t pitch, n;
    bool more;
};

#define GF_MATMUL_ROWS 64u   /* of a tile of the product */
#define GF_MATMUL_COLS 128u  /* of a tile of the product */
#define GF_MATMUL_DEPTH 128u /* columns of a and rows of b that are packed at once */

/* How elements are held while matrices are multiplied: f32, f64, or as integers of 64 bits. */
enum gf_cpu_matmul_kind { GF_MATMUL_F32, GF_MATMUL_F64, GF_MATMUL_INT };

/* A tile: acc[i][j] goes on with a[k][i] * b[k][j], k ascending. Rows of a are GF_MATMUL_ROWS elements apart, those of
 * b and acc GF_MATMUL_COLS; all is aligned to 64 bytes. `rows` and `cols` may be rounded up to 8 and to 32. Integers
 * are within 32 bits, their sums modulo 2^64. */
struct gf_cpu_matmul {
    void *acc;
    const void *a, *b;
    size_t rows, cols, depth;
};

/* How elements are held while a 1-D kernel is applied: f32, f64, or as integers of 64 bits that are within 32 bits with
 * or without sign. */
enum gf_cpu_conv1d_kind { GF_CONV1D_F32, GF_CONV1D_F64, GF_CONV1D_SIGNED, GF_CONV1D_UNSIGNED };

/* n results: acc[i] goes on with x[i + k * step] * taps[k], k ascending below depth; integers modulo 2^64. All at the
 * alignment of an element. */
struct gf_cpu_conv1d_tile {
    void *acc;
    const void *x, *taps;
    size_t n, step, depth;
};

struct gf_simd_table {
    const char *name; /* "avx512", "avx2", "generic" */
    const struct gf_simd_scan_table *scan;

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
    /* Boxes over bytes, sums modulo 2^16. sums[i] += in[i] - out[i]. */
    void (*box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n);
    /* out[i] = columns[i] + columns[i + step] + ... of `width` of them; spare has room for 2 * (n + width * step). */
    void (*box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n, uint16_t *out);
    /* The bytes of fmaf(sums[i], scale, offset), at any address; reads n rounded up. */
    void (*box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n);
    /* out[i] = a[i] + b[i]; out may be a. */
    void (*add)(const float *a, const float *b, float *out, size_t n);
    /* out[i] = chain over t ascending of at[t][i] * weight[t], for i < n; reads and writes n rounded up. */
    void (*taps)(const float *const *at, const float *weight, uint32_t n_taps, size_t n, float *out);
    /* Likewise, at least one tap, as stored f32 of fmaf(chain, scale, offset), at any address. */
    void (*taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst);
    /* gx[i] = sqrtf(fmaf(gx[i], gx[i], gy[i] * gy[i])); n is rounded up. */
    void (*magnitude)(float *gx, const float *gy, size_t n);
    /* With d = x[i] - acc[i]: acc[i] = |d| < threshold ? x[i] : fmaf(amount, d, x[i]); n is rounded up. */
    void (*unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
    /* Applies a formula in place. */
    void (*formula)(const struct gf_cpu_formula *formula, float *line, size_t n);
    /* a[i] = a[i] and b[i] by a mode GF_COMBINE_*, with the factors a, b, c for the linear one. */
    void (*combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n);
    /* combine from samples to stored samples of the same dtype, u8 or f32, at any address. `stream`: f32 go past the
     * caches. */
    void (*blend)(uint32_t dtype, uint32_t mode, const float factors[3], const void *a, const void *b, void *dst,
                  size_t n, bool stream);
    /* dst[i] = fmaf(src[i], scale, offset) as stored f32, likewise. */
    void (*scale)(float scale, float offset, const void *src, void *dst, size_t n, bool stream);
    /* A row of an integral image: out[i] = above[i] + the bytes of i's channel up to i, u32 at any address. */
    void (*integral)(const void *src, uint32_t channels, size_t n, const void *above, void *out);
    /* n f32 of one line of an integral image, at any address, at most a group of the tree. */
    void (*add_group)(const struct gf_cpu_group *group, const void *src, size_t n);
    /* n f64 past the caches, to any address. */
    void (*put)(const double *from, size_t n, void *dst);
    /* sums[i] += src[i], n bytes. */
    void (*add_bytes)(const void *src, size_t n, uint32_t *sums);
    /* The bins of n values by gf_bins_find, -1 where it has to be asked. Not for unit bins, nor with a slack of 1. */
    void (*bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret);
    /* n samples of u8, u16 or f32 by a limit; n of f32 by a line; all start with channel 0. */
    void (*limit)(uint32_t dtype, const struct gf_cpu_limit *limit, const void *src, void *dst, size_t n);
    void (*line)(const struct gf_cpu_ramp *line, const void *src, void *dst, size_t n);
    /* The brightness of n pixels of 3 channels of u8, u16 or f32 at any address; of 4 channels alpha after each. */
    void (*brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n);
    /* n bytes, pixels of so many channels, each channel by its table of 256. */
    void (*look_up)(const uint8_t *const *tables, uint32_t channels, const void *src, void *dst, size_t n);
    /* The range of n samples of u8, u16 or f32 that start with channel 0; ret->channels is given. NaN never takes part,
     * nor do infinities where `finite`. */
    void (*range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret);
    /* Scales, unpremultiplies, encodes, rounds and stores pixels at any address; acc, which has room for its samples
     * rounded up, is overwritten. `src` are the source pixels whose alpha is copied where the target says so, else
     * NULL. */
    void (*store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst, size_t pixels);

    /* One part of the depth of a tile of a product of matrices. */
    void (*matmul)(uint32_t kind, const struct gf_cpu_matmul *tile);
    /* Some taps of a 1-D kernel. */
    void (*conv1d)(uint32_t kind, const struct gf_cpu_conv1d_tile *conv1d);

    /* n elements `stride` elements apart, at any address, as values (x) and as keys; either may be NULL. */
    void (*widen)(uint32_t dtype, const void *src, size_t stride, size_t n, double *x, int64_t *keys);
    /* flags[i] is 1 where element i, of n `stride` elements apart at any address, lies in the range, else 0; gives how
     * many do. */
    size_t (*between)(uint32_t dtype, const void *src, size_t stride, size_t n, const struct gf_select_range *range,
                      uint8_t *flags);
    /* The numbers of the flags that are 1, ascending, into `at`, which has room for n + GF_LINE_ALIGN; how many. */
    size_t (*positions)(const uint8_t *flags, size_t n, uint32_t *at);
    /* Makes a chunk of two inputs of that dtype one of differences, in x and keys. Given in x and y, 64-bit integers in
     * keys and others. */
    void (*subtract)(uint32_t dtype, struct gf_cpu_elements *elements, const int64_t *others);
    /* n elements of affine (2 channels) or matmul2 (4) after each other, 1..128: a row of a chunk. */
    void (*compose)(uint32_t channels, const double *e, size_t n, double *ret);
    /* n of them side by side: acc[i] = acc[i], then e[i]. */
    void (*compose_each)(uint32_t channels, double *acc, const double *e, size_t n);
    /* One chunk of a sequence. */
    void (*reduce)(const struct gf_cpu_elements *elements, struct gf_partial *ret);
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
};

extern const struct gf_simd_table gf_simd_table_generic;
#ifdef GF_CPU_X86
extern const struct gf_simd_table gf_simd_table_avx2;
extern const struct gf_simd_table gf_simd_table_avx512;
#endif

/* The fastest table this processor runs. */
const struct gf_simd_table *gf_simd_table_best(void);
/* The table of that name if this processor runs it, else NULL. */
const struct gf_simd_table *gf_simd_table_by_name(const char *name);

#endif

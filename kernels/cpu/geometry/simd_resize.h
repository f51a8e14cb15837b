/* SPDX-License-Identifier: MIT */
/* The inner loops of resize, compiled once per instruction set (simd_resize.c). Called by resize.c. */
#ifndef GF_KERNELS_CPU_SIMD_RESIZE_H
#define GF_KERNELS_CPU_SIMD_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pairs.h"

#define GF_RESIZE_ROWS 16u /* rows per block, at most */

/* Columns of the result, and their source. */
struct gf_resize_strip {
    const struct gf_resize_axis *axis;
    uint32_t channels;
    uint32_t first, n; /* pixels of the result */
    uint32_t source;   /* the source pixel at which transposed lines begin */
    uint32_t rows;     /* lines that are stored */
    bool packed;       /* lines hold the windows one after the other, in the order of the weights */
};

struct gf_simd_resize {
    uint32_t rows; /* lines of a block that are transposed at a time: the lanes of a vector */
    /* acc[i] = chain over k ascending of lines[k][i] * weights[k]. The chain starts at acc[i], or at +0 if `begins` is
     * set. Reads and writes n rounded up to a vector. n_lines must be at least 1. */
    void (*down)(const float *const *lines, const float *weights, uint32_t n_lines, bool begins, size_t n, float *acc);
    /* turned[i * rows + r] = chain over k ascending of lines[k][i] * weights[k * rows + r], from +0, for i < n. A
     * weight that is NaN is no tap; `whole`: there is none. */
    void (*down_turned)(const float *const *lines, const float *weights, uint32_t n_lines, bool whole, size_t n,
                        float *turned);
    /* Transposes: turned[i * rows + r] = lines[r * line + i] for i < n rounded up to a vector. */
    void (*turn)(const float *lines, size_t line, size_t n, float *turned);
    /* Sample i of the strip in row r, stored at `out` + r * `pitch` bytes, is the chain over its window of transposed
     * lines. `stored`: as final f32; otherwise as sums. */
    void (*across)(const struct gf_resize_strip *strip, const float *turned, bool stored, unsigned char *out,
                   size_t pitch);
    /* The same in parts, for wide windows: the chains go on in `sums` over the source pixels from strip->source to
     * end - 1, whose lines `turned` holds, and `finish` stores them after the last part. `sums` has a vector of rows
     * for each sample of the strip. */
    void (*across_part)(const struct gf_resize_strip *strip, const float *turned, uint32_t end, float *sums);
    void (*finish)(const struct gf_resize_strip *strip, const float *sums, bool stored, unsigned char *out,
                   size_t pitch);
    /* The same for windows of one or two pixels, from the block's lines, which are `line` floats apart. `number` is the
     * strip's number. Reads up to two vectors and a pixel after the last pixel that it needs. */
    void (*pairs)(const struct gf_resize_pairs *pairs, const struct gf_resize_strip *strip, uint32_t number,
                  const float *lines, size_t line, bool stored, unsigned char *out, size_t pitch);
    /* Picks n groups of 1 or 2 pixels of `pixel` bytes; group i begins at pixel columns[i] of the row. */
    void (*pick)(size_t pixel, uint32_t group, const unsigned char *row, const uint32_t *columns, size_t n,
                 unsigned char *to);
    /* Halves n pixels of bytes, or of one f32 each, at any address: each result is the mean of two pixels of both
     * rows. */
    void (*halve_u8)(const uint8_t *a, const uint8_t *b, uint32_t channels, size_t n, uint8_t *to);
    void (*halve_f32)(const unsigned char *a, const unsigned char *b, size_t n, unsigned char *to);
};

#endif

/* SPDX-License-Identifier: MIT */
/* The inner loops of resize, compiled once per instruction set (simd_resize.c). Called by resize.c. */
#ifndef GF_KERNELS_CPU_SIMD_RESIZE_H
#define GF_KERNELS_CPU_SIMD_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pairs.h"

#define GF_RESIZE_ROWS 16u /* of a block at most */

/* Columns of the result, and what they are made of. */
struct gf_resize_strip {
    const struct gf_resize_axis *axis;
    uint32_t channels;
    uint32_t first, n; /* pixels of the result */
    uint32_t source;   /* pixel of the source with which turned lines begin */
    uint32_t rows;     /* lines that are stored */
    bool packed;       /* they hold the windows one after the other instead, as weights lie */
};

struct gf_simd_resize {
    uint32_t rows; /* lines of a block that are turned at a time, a vector's */
    /* acc[i] = chain over k ascending of lines[k][i] * weights[k], from acc[i] on or, `begins`, from +0; reads and
     * writes n rounded up to a vector. At least one line. */
    void (*down)(const float *const *lines, const float *weights, uint32_t n_lines, bool begins, size_t n, float *acc);
    /* turned[i * rows + r] = lines[r * line + i] for i < n rounded up to a vector. */
    void (*turn)(const float *lines, size_t line, size_t n, float *turned);
    /* Sample i of the strip, in row r at `out` + r * `pitch` bytes, is the chain over its window of turned lines: as it
     * is, or `stored`: as f32 where nothing else is done to it. */
    void (*across)(const struct gf_resize_strip *strip, const float *turned, bool stored, unsigned char *out,
                   size_t pitch);
    /* The same where windows are a pixel or two, of the block's lines, `line` floats apart; the strip is number
     * `number`. Reads up to two vectors and a pixel behind the last one that it needs. */
    void (*pairs)(const struct gf_resize_pairs *pairs, const struct gf_resize_strip *strip, uint32_t number,
                  const float *lines, size_t line, bool stored, unsigned char *out, size_t pitch);
    /* n groups of 1 or 2 pixels of so many bytes, from pixel columns[i] of the row on. */
    void (*pick)(size_t pixel, uint32_t group, const unsigned char *row, const uint32_t *columns, size_t n,
                 unsigned char *to);
    /* n pixels of bytes, or of one f32, at any address: each is the mean of two pixels of both rows. */
    void (*halve_u8)(const uint8_t *a, const uint8_t *b, uint32_t channels, size_t n, uint8_t *to);
    void (*halve_f32)(const unsigned char *a, const unsigned char *b, size_t n, unsigned char *to);
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of rearrange, compiled once per instruction set (simd_geometry.c). They move pixels of so many bytes
 * as they are. Called by rearrange.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_GEOMETRY_H
#define GF_KERNELS_CPU_SIMD_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes behind a row of a transposed block that `transpose` may overwrite. */
#define GF_BLOCK_SLACK 16u

/* Rows of pixels at any address. */
struct gf_pixel_block {
    const unsigned char *from;
    ptrdiff_t pitch; /* from row to row; below 0 where they are read from the last one on */
    size_t rows, columns;
};

struct gf_simd_geometry {
    /* Copies samples, any NaN of floats as the one that is stored; `stream`: past the caches. */
    void (*copy)(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes, bool stream);
    /* n pixels like the one at `from`. */
    void (*repeat)(size_t pixel, const unsigned char *from, unsigned char *to, size_t n);
    /* n pixels, the last one of `from` first, any NaN of floats as the one that is stored; `stream` as above. They do
     * not overlap. */
    void (*reverse)(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n, bool stream);
    /* Column i of the block, from the first row to the last, becomes row i of `to`, `pitch` bytes from row to row:
     * those of a row and GF_BLOCK_SLACK, without which pixels have 1, 2, 4, 8 or 16 bytes; below 0 upwards. */
    void (*transpose)(size_t pixel, const struct gf_pixel_block *block, unsigned char *to, ptrdiff_t pitch);
    /* Makes any NaN among floats the one that is stored; leaves other dtypes alone. */
    void (*make_canonical)(uint32_t dtype, unsigned char *samples, size_t bytes);
};

#endif

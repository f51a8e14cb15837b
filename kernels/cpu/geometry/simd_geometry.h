/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of rearrange, compiled once per instruction set (simd_geometry.c). They move pixels of `pixel` bytes
 * without conversion. Called by rearrange.c, resize.c and morphology/tile.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_GEOMETRY_H
#define GF_KERNELS_CPU_SIMD_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes after a row of a transposed block that `transpose` may overwrite. */
#define GF_BLOCK_SLACK 16u

/* Rows of pixels at any address. */
struct gf_pixel_block {
    const unsigned char *from;
    ptrdiff_t pitch; /* bytes from row to row; negative if rows are read from the last one on */
    size_t rows, columns;
};

struct gf_simd_geometry {
    /* Copies samples; every NaN of floats becomes the one that is stored. `stream`: streaming stores. */
    void (*copy)(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes, bool stream);
    /* Writes n copies of the pixel at `from`. */
    void (*repeat)(size_t pixel, const unsigned char *from, unsigned char *to, size_t n);
    /* Writes n pixels in reverse order; every NaN of floats becomes the one that is stored. `from` and `to` must not
     * overlap. `stream`: streaming stores. */
    void (*reverse)(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n, bool stream);
    /* Column i of the block, from the first row to the last, becomes row i of `to`. Rows of `to` are `pitch` bytes
     * apart, at least a row plus GF_BLOCK_SLACK; the slack is not needed for pixels of 1, 2, 4, 8 or 16 bytes. A
     * negative pitch goes upwards. */
    void (*transpose)(size_t pixel, const struct gf_pixel_block *block, unsigned char *to, ptrdiff_t pitch);
    /* Replaces every NaN of floats by the one that is stored; leaves other dtypes unchanged. */
    void (*make_canonical)(uint32_t dtype, unsigned char *samples, size_t bytes);
};

#endif

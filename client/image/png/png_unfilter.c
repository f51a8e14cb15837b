/* SPDX-License-Identifier: MIT */
/*
 * Unfilters pixel by pixel, because each pixel depends on the one before it, with the bytes of a pixel in one vector.
 * See png_codec.h.
 */
#include "png_codec.h"

#include <string.h>

enum { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH };

typedef uint8_t bytes __attribute__((vector_size(8)));
typedef int16_t lanes __attribute__((vector_size(16)));

/* The loops below move `wide` bytes at a time: at least a pixel and at most two. All pixels but the last may thus read
 * and write bytes of the next one. */
static inline bytes load(const uint8_t *from, size_t n)
{
    bytes v = {0};
    memcpy(&v, from, n);
    return v;
}

static inline lanes widen(bytes v)
{
    return __builtin_convertvector(v, lanes);
}

static inline lanes magnitude(lanes v)
{
    lanes sign = v >> 15;
    return (v ^ sign) - sign;
}

/* Selects left, above or corner (above left), whichever is nearest to left + above - corner. Ties go in this order. */
static inline lanes paeth(lanes left, lanes above, lanes corner)
{
    lanes to_left = above - corner, to_above = left - corner;
    lanes to_corner = magnitude(to_left + to_above);
    to_left = magnitude(to_left);
    to_above = magnitude(to_above);
    lanes not_left = (to_left > to_above) | (to_left > to_corner);
    lanes not_above = to_above > to_corner;
    return (left & ~not_left) | (not_left & ((above & ~not_above) | (corner & not_above)));
}

static inline __attribute__((always_inline)) void unfilter(uint32_t type, uint8_t *to, const uint8_t *row,
                                                           const uint8_t *above, size_t size, size_t bpp, size_t wide)
{
    bytes left = {0}, corner = {0};
    for (size_t i = 0; i < size; i += bpp) {
        size_t n = i + bpp < size ? wide : bpp;
        bytes raw = load(row + i, n);
        if (type == FILTER_SUB) {
            left += raw;
        } else {
            bytes up = load(above + i, n);
            lanes guess =
                type == FILTER_AVERAGE ? (widen(left) + widen(up)) >> 1 : paeth(widen(left), widen(up), widen(corner));
            left = __builtin_convertvector(guess, bytes) + raw;
            corner = up;
        }
        memcpy(to + i, &left, n);
    }
}

/* One loop per filter and pixel size. */
static inline __attribute__((always_inline)) void by_type(uint32_t type, uint8_t *to, const uint8_t *row,
                                                          const uint8_t *above, size_t size, size_t bpp, size_t wide)
{
    if (type == FILTER_SUB)
        unfilter(FILTER_SUB, to, row, above, size, bpp, wide);
    else if (type == FILTER_AVERAGE)
        unfilter(FILTER_AVERAGE, to, row, above, size, bpp, wide);
    else
        unfilter(FILTER_PAETH, to, row, above, size, bpp, wide);
}

void gf_png_unfilter(uint32_t type, uint8_t *restrict to, const uint8_t *restrict row, const uint8_t *restrict above,
                     size_t size, size_t bpp)
{
    if (type == FILTER_NONE) {
        memcpy(to, row, size);
        return;
    }
    if (type == FILTER_UP) {
        for (size_t i = 0; i < size; i++)
            to[i] = (uint8_t)(row[i] + above[i]);
        return;
    }
    switch (bpp) {
    case 1:
        by_type(type, to, row, above, size, 1, 1);
        break;
    case 2:
        by_type(type, to, row, above, size, 2, 2);
        break;
    case 3:
        by_type(type, to, row, above, size, 3, 4);
        break;
    case 4:
        by_type(type, to, row, above, size, 4, 4);
        break;
    case 6:
        by_type(type, to, row, above, size, 6, 8);
        break;
    default:
        by_type(type, to, row, above, size, 8, 8);
    }
}

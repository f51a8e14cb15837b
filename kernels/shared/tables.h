/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of tone tables, docs/numerics.md, "equalize, threshold, autocontrast": an entry of equalize, the score
 * of an Otsu split, the slope of autocontrast. Host and device compile the same text. Used by both backends.
 */
#ifndef GF_KERNELS_TABLES_H
#define GF_KERNELS_TABLES_H

#include "bins.h"

__extension__ typedef unsigned __int128 gf_u128;

/* Equalize: the new value of v. `cdf` samples are at most v; cmin is the cdf at the least value that occurs. v remains
 * if all samples are equal. */
GF_BOTH uint32_t gf_equalize_entry(uint32_t v, uint64_t cdf, uint64_t cmin, uint64_t samples, uint32_t max)
{
    uint64_t d = samples - cmin;
    if (d == 0)
        return v;
    return cdf < cmin ? 0 : (uint32_t)(((cdf - cmin) * max + d / 2) / d);
}

/* The f64 nearest to v, ties to even. */
GF_BOTH double gf_u128_to_f64(gf_u128 v)
{
    double scale = 1.0;
    while ((v >> 64) != 0) { /* a bit that is shifted out is kept below all bits that round */
        v = (v >> 1) | (v & 1);
        scale *= 2.0;
    }
    return (double)(uint64_t)v * scale;
}

/* The score of a split with w0 of `samples` below it, whose sum is s0 of `sum`; 0 < w0 < samples. */
GF_BOTH double gf_otsu_score(uint64_t w0, uint64_t s0, uint64_t samples, uint64_t sum)
{
    gf_u128 left = (gf_u128)samples * s0, right = (gf_u128)w0 * sum;
    double a = gf_u128_to_f64(left > right ? left - right : right - left);
    return (a * a) / ((double)w0 * (double)(samples - w0));
}

/* Autocontrast of integers: maps `above`, the distance from the least sample in a range d, to 0..max. */
GF_BOTH uint32_t gf_contrast_entry(uint32_t above, uint32_t d, uint32_t max)
{
    return (above * max + d / 2) / d;
}

/* Autocontrast of f32: v becomes (v - lo) * slope. */
GF_BOTH float gf_contrast_slope(float lo, float hi)
{
    return (float)(1.0 / ((double)hi - (double)lo));
}

#endif

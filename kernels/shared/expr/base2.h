/* SPDX-License-Identifier: MIT */
/* Base 2 logarithm and power in f64, for results in f32: gamma (numerics.md, "Power of f32") and pow (26), on both
 * backends. */
#ifndef GF_KERNELS_EXPR_BASE2_H
#define GF_KERNELS_EXPR_BASE2_H

#include "kernels/shared/expr/bits.h"

/* The base 2 logarithm of a positive normal number m * 2^e, with m from 0x1.6a09ep-1 to twice that. */
GF_EXPR_FN double gf_expr_log2_f64(double x)
{
    const gf_expr_u64 lowest = 0x3FE6A09E00000000ull, above = gf_expr_bits_f64(x) - lowest;
    const double m = gf_expr_of_f64((above & 0x000FFFFFFFFFFFFFull) + lowest);
    /* e and its bias are in the low bits of 2^52. */
    const gf_expr_u64 biased = (above + 0x3FF0000000000000ull) >> 52;
    const double e = gf_expr_of_f64(biased | 0x4330000000000000ull) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 0x1.89f3b1694cffep-3;
    p = gf_expr_fma_f64(p, z, 0x1.c68f568d31760p-3);
    p = gf_expr_fma_f64(p, z, 0x1.0c9a84994022dp-2);
    p = gf_expr_fma_f64(p, z, 0x1.484b13d7c02a9p-2);
    p = gf_expr_fma_f64(p, z, 0x1.a61762a7aded9p-2);
    p = gf_expr_fma_f64(p, z, 0x1.2776c50ef9bfep-1);
    p = gf_expr_fma_f64(p, z, 0x1.ec709dc3a03fdp-1);
    p = gf_expr_fma_f64(p, z, 0x1.71547652b82fep+1);
    return gf_expr_fma_f64(s, p, e);
}

/* 2^y for y from -1000 to 1000; arbitrary for NaN. */
GF_EXPR_FN double gf_expr_exp2_f64(double y)
{
    /* The integer part is in the low bits of 1.5 * 2^52. */
    const double shifted = y + 0x1.8p52, r = y - (shifted - 0x1.8p52);
    double p = 0x1.e8cac7351bb25p-32;
    p = gf_expr_fma_f64(p, r, 0x1.e4cf5158b8ecap-28);
    p = gf_expr_fma_f64(p, r, 0x1.b5253d395e7c4p-24);
    p = gf_expr_fma_f64(p, r, 0x1.62c0223a5c824p-20);
    p = gf_expr_fma_f64(p, r, 0x1.ffcbfc588b0c7p-17);
    p = gf_expr_fma_f64(p, r, 0x1.430912f86c787p-13);
    p = gf_expr_fma_f64(p, r, 0x1.5d87fe78a6731p-10);
    p = gf_expr_fma_f64(p, r, 0x1.3b2ab6fba4e77p-7);
    p = gf_expr_fma_f64(p, r, 0x1.c6b08d704a0c0p-5);
    p = gf_expr_fma_f64(p, r, 0x1.ebfbdff82c58fp-3);
    p = gf_expr_fma_f64(p, r, 0x1.62e42fefa39efp-1);
    p = gf_expr_fma_f64(p, r, 1.0);
    return gf_expr_of_f64(gf_expr_bits_f64(p) + (gf_expr_bits_f64(shifted) << 52));
}

#endif

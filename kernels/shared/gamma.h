/* SPDX-License-Identifier: MIT */
/* The power of numerics.md, "Power of f32", which both backends run on samples, so that every device gives the same
 * result. */
#ifndef GF_KERNELS_GAMMA_H
#define GF_KERNELS_GAMMA_H

#include "kernels/shared/expr/base2.h"

/* v to the power of gamma; v <= 0 gives +0, infinity and NaN remain. */
GF_EXPR_FN float gf_gamma(float v, float gamma)
{
    const float infinity = gf_expr_infinity_f32();
    const float inside = v > 0.0f && v < infinity ? v : 1.0f;
    double y = (double)gamma * gf_expr_log2_f64((double)inside);
    y = y < -1000.0 ? -1000.0 : y;
    y = y > 1000.0 ? 1000.0 : y;
    const float power = (float)gf_expr_exp2_f64(y);
    return v <= 0.0f ? 0.0f : v < infinity ? power : v;
}

#endif

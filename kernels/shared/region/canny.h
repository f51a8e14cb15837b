/* SPDX-License-Identifier: MIT */
/*
 * The thresholds of canny, docs/numerics.md, "canny", for both backends. Called by kernels/cpu/region/canny.c and
 * kernels/cuda/region/canny.cu.
 */
#ifndef GF_KERNELS_SHARED_CANNY_H
#define GF_KERNELS_SHARED_CANNY_H

#include <math.h>
#include <stdint.h>

#include "protocol/ops/params/canny.h"

/* The threshold that a magnitude must exceed, for low or high, which are at most 1e9, so squares fit. */
static inline int64_t gf_canny_threshold(const struct gf_canny_params *params, double value)
{
    double t = params->aperture == 7 ? value / 16.0 : value;
    return (int64_t)floor(params->l2 != 0 ? t * t : t);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The functions of expressions, numerics.md, "Functions": exp, log, pow, sin, cos and atan2 of f32 and f64. The CPU's
 * loops, nvcc and NVRTC compile the same text, which uses only sums, products, quotients, fma and bits, so every device
 * gives the same bits.
 */
#ifndef GF_KERNELS_EXPR_MATH_H
#define GF_KERNELS_EXPR_MATH_H

#include "kernels/shared/expr/atan2.h"
#include "kernels/shared/expr/exp_log.h"
#include "kernels/shared/expr/pow.h"
#include "kernels/shared/expr/sin_cos.h"

#endif

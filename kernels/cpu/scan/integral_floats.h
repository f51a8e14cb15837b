/* SPDX-License-Identifier: MIT */
/* The integral image of f32: the tree along rows, row chunks down the columns. */
#ifndef GF_KERNELS_CPU_INTEGRAL_FLOATS_H
#define GF_KERNELS_CPU_INTEGRAL_FLOATS_H

#include "kernels/cpu/device/cpu_ops.h"

/* Reads the call's input and writes `out`, which begins after the zeros of a padded result. CANCELLED, DEADLINE,
 * NO_MEMORY. */
enum gf_status gf_cpu_integral_floats(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The passes of the integral image that have their own files. Called by integral.c. */
#ifndef GF_KERNELS_CPU_INTEGRAL_H
#define GF_KERNELS_CPU_INTEGRAL_H

#include "kernels/cpu/device/cpu_ops.h"

/* Both read the call's input and write `out`, which begins after the zeros of a padded result. CANCELLED, DEADLINE,
 * NO_MEMORY. */

/* Bytes in u32, where the order of additions does not change the result. */
enum gf_status gf_cpu_integral_bytes(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err);
/* f32: the tree along rows, row chunks down the columns. */
enum gf_status gf_cpu_integral_floats(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err);

#endif

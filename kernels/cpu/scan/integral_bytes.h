/* SPDX-License-Identifier: MIT */
/* The integral image of bytes in u32, where the order of additions does not change the result. */
#ifndef GF_KERNELS_CPU_INTEGRAL_BYTES_H
#define GF_KERNELS_CPU_INTEGRAL_BYTES_H

#include "kernels/cpu/device/cpu_ops.h"

/* Reads the call's input and writes `out`, which begins after the zeros of a padded result. CANCELLED, DEADLINE,
 * NO_MEMORY. */
enum gf_status gf_cpu_integral_bytes(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err);

#endif

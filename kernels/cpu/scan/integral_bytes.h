/* SPDX-License-Identifier: MIT */
/* The integral image of bytes in u32, where every order of adding gives the same. */
#ifndef GF_KERNELS_CPU_INTEGRAL_BYTES_H
#define GF_KERNELS_CPU_INTEGRAL_BYTES_H

#include "kernels/cpu/device/cpu_ops.h"

/* From call's input into `out`, past the zeros of a padded result. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_integral_bytes(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err);

#endif

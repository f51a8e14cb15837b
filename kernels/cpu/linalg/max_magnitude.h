/* SPDX-License-Identifier: MIT */
/* The search for the greatest magnitude of integers. Called by matmul.c and conv1d.c. */
#ifndef GF_CPU_MAX_MAGNITUDE_H
#define GF_CPU_MAX_MAGNITUDE_H

#include "kernels/cpu/device/cpu_ops.h"

/* The greatest magnitude in a buffer of integers of at most 32 bits. Uses all threads. */
uint64_t gf_cpu_max_magnitude(const struct gf_cpu_call *call, const struct gf_buf *buf);

#endif

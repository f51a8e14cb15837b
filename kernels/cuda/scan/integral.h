/* SPDX-License-Identifier: MIT */
/* Integral images of one channel, with fewer passes over memory than two scans. Called by integral.c. Every source row
 * must be 16-byte aligned. */
#ifndef GF_CUDA_INTEGRAL_H
#define GF_CUDA_INTEGRAL_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From u8 and u16 to u32 and u64. */
enum gf_status gf_cuda_integral_int(struct gf_cuda_call *call, const struct gf_scan *rows,
                                    const struct gf_scan *columns, struct gf_error *err);
/* From f32 to f64 and f32. */
enum gf_status gf_cuda_integral_float(struct gf_cuda_call *call, const struct gf_scan *rows,
                                      const struct gf_scan *columns, struct gf_error *err);

#ifdef __cplusplus
}
#endif

#endif

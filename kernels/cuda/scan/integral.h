/* SPDX-License-Identifier: MIT */
/* Integral images of one channel, in fewer readings than two scans take. Called by integral.c. Every row of the source
 * is aligned to 16 bytes. */
#ifndef GF_CUDA_INTEGRAL_H
#define GF_CUDA_INTEGRAL_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* u8 and u16 into u32 and u64. */
enum gf_status gf_cuda_integral_int(struct gf_cuda_call *call, const struct gf_scan *rows,
                                    const struct gf_scan *columns, struct gf_error *err);
/* f32 into f64 and f32. */
enum gf_status gf_cuda_integral_float(struct gf_cuda_call *call, const struct gf_scan *rows,
                                      const struct gf_scan *columns, struct gf_error *err);

#ifdef __cplusplus
}
#endif

#endif

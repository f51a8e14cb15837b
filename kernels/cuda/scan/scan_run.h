/* SPDX-License-Identifier: MIT */
/* Passes over data on the device. Called by scan.c and integral.c. */
#ifndef GF_CUDA_SCAN_RUN_H
#define GF_CUDA_SCAN_RUN_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queue one pass in the main stream of the execution context: along rows or through the whole image (scan_blocks.cu),
 * or along columns (scan_columns.cu). All pointers of the scan must point to device memory. */
enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);
enum gf_status gf_cuda_scan_columns(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);

/* Raises the shared-memory limits of the kernels of gf_cuda_scan_blocks. Must be called once per device, before the
 * first launch. */
cudaError_t gf_cuda_scan_prepare(void);

/* Queue the passes of an integral image of one channel, fewer than two scans take: from u8 and u16 to u32 and u64
 * (integral_int.cu), or from f32 to f32 and f64 (integral_float.cu). Every source row must be 16-byte aligned. */
enum gf_status gf_cuda_integral_int(struct gf_cuda_call *call, const struct gf_scan *rows,
                                    const struct gf_scan *columns, struct gf_error *err);
enum gf_status gf_cuda_integral_float(struct gf_cuda_call *call, const struct gf_scan *rows,
                                      const struct gf_scan *columns, struct gf_error *err);

#ifdef __cplusplus
}
#endif

#endif

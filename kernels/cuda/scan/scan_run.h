/* SPDX-License-Identifier: MIT */
/* One pass of a scan on the device: what scan.c, recurrence.c and integral.c start. */
#ifndef GF_CUDA_SCAN_RUN_H
#define GF_CUDA_SCAN_RUN_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts one pass into the exec context's main stream: sequences along rows or through the whole image (scan_blocks.cu),
 * or along columns (scan_columns.cu). The memory that the scan names is the device's. */
enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);
enum gf_status gf_cuda_scan_columns(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);

#ifdef __cplusplus
}
#endif

#endif

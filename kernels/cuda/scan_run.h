/* SPDX-License-Identifier: MIT */
/* One pass of a scan on the device: what scan.cu, recurrence.cu and integral.cu start. */
#ifndef GF_CUDA_SCAN_RUN_H
#define GF_CUDA_SCAN_RUN_H

#include "cuda_call.h"
#include "kernels/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts one pass into the lane's main stream: sequences along rows or through the whole image (scan_blocks.cu), or along
 * columns (scan_columns.cu). The memory that the scan names is the device's. */
enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);
enum gf_status gf_cuda_scan_columns(struct gf_cuda_call *call, const struct gf_scan *scan, struct gf_error *err);

/* Segments on the device. */
struct gf_cuda_segments {
    uint64_t *offsets;      /* n + 1 */
    uint64_t *first_blocks; /* n + 1: blocks before each segment; one that a warp computes has none */
    uint64_t n_blocks;      /* of one channel */
    bool any_short;         /* there are segments that a warp computes */
};

/* Puts a copy of the scan's segments onto the device, in the lane's main stream; deinit gives it back. In
 * scan_segments.c. */
enum gf_status gf_cuda_segments_init(struct gf_cuda_segments *segments, struct gf_lane *lane,
                                     const struct gf_scan *scan, struct gf_error *err);
void gf_cuda_segments_deinit(struct gf_cuda_segments *segments, struct gf_lane *lane);

#ifdef __cplusplus
}
#endif

#endif

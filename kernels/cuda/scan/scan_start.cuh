/* SPDX-License-Identifier: MIT */
/* What starts scans along rows of a kind of values, one file each: scan_float.cu (with recurrences), scan_signed.cu,
 * scan_unsigned.cu and scan_extremes.cu (with values of any kind). Called by scan_blocks.cu. */
#ifndef GF_CUDA_SCAN_START_CUH
#define GF_CUDA_SCAN_START_CUH

#include "kernels/cuda/step/cuda_call.h"
#include "scan_lines.cuh"

namespace gf
{

/* any_short: there are sequences of at most 512 elements; args.blocks says how many blocks of longer ones there are. */
enum gf_status start_float_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                struct gf_error *err);
enum gf_status start_signed_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                 struct gf_error *err);
enum gf_status start_unsigned_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                   struct gf_error *err);
enum gf_status start_extremes_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                   struct gf_error *err);

} // namespace gf

#endif

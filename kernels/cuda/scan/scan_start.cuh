/* SPDX-License-Identifier: MIT */
/* The launchers of scans along rows, one file per kind of value: scan_float.cu (also recurrences), scan_int.cu and
 * scan_extremes.cu (any kind). Called by scan_blocks.cu. */
#ifndef GF_CUDA_SCAN_START_CUH
#define GF_CUDA_SCAN_START_CUH

#include "kernels/cuda/step/cuda_call.h"
#include "scan_args.cuh"

namespace gf
{

/* any_short: some sequences have at most 512 elements. args.blocks is the number of blocks of the longer sequences. */
using start_fn = enum gf_status(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                struct gf_error *err);
start_fn start_float_scan, start_int_scan, start_extremes_scan;

} // namespace gf

#endif

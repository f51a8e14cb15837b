/* SPDX-License-Identifier: MIT */
/* Scans along rows of floats, and recurrences. Called by scan_blocks.cu. */
#include "scan_kernels.cuh"

enum gf_status gf::start_float_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                    struct gf_error *err)
{
    if (args.scan.what == GF_SCAN_AFFINE)
        return start_blocks<scan_affine>(call, args, any_short, err);
    return args.scan.what == GF_SCAN_SUM ? start_blocks<scan_sum<double>>(call, args, any_short, err)
                                         : start_blocks<scan_product<double>>(call, args, any_short, err);
}

/* SPDX-License-Identifier: MIT */
/* Scans along rows of signed integers. Called by scan_blocks.cu. */
#include "scan_kernels.cuh"

enum gf_status gf::start_signed_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                     struct gf_error *err)
{
    return args.scan.what == GF_SCAN_SUM ? start_blocks<scan_sum<int64_t>>(call, args, any_short, err)
                                         : start_blocks<scan_product<int64_t>>(call, args, any_short, err);
}

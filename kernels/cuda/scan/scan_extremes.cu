/* SPDX-License-Identifier: MIT */
/* Running minima and maxima along rows. Called by scan_blocks.cu. */
#include "scan_kernels.cuh"

enum gf_status gf::start_extremes_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                       struct gf_error *err)
{
    return has_short_keys(args.scan) ? start_blocks<scan_extreme<int32_t>>(call, args, any_short, err)
                                     : start_blocks<scan_extreme<int64_t>>(call, args, any_short, err);
}

/* SPDX-License-Identifier: MIT */
/* Scans of floats along rows, and recurrences. Called by scan_blocks.cu. */
#include "scan_dispatch.cuh"

namespace
{

using namespace gf;

launch_fn *plain_recurrence(const struct scan_args &args)
{
    if (!is_plain(args) || args.scan.reverse || args.scan.in != args.scan.out)
        return nullptr;
    return args.scan.in == GF_F32 ? launch<scan_affine, plain_policy<float, float>>
                                  : launch<scan_affine, plain_policy<double, double>>;
}

/* Only sums of floats have kernels compiled for the reverse direction. */
template <class In> launch_fn *plain_sum_of(const struct scan_args &args)
{
    using sum = scan_sum<double>;
    if (args.scan.reverse)
        return args.scan.in == args.scan.out ? launch<sum, plain_policy<In, In, true>> : nullptr;
    return args.scan.out == GF_F32 ? launch<sum, plain_policy<In, float>> : launch<sum, plain_policy<In, double>>;
}

launch_fn *plain_sum(const struct scan_args &args)
{
    if (!is_plain(args) || args.scan.what != GF_SCAN_SUM)
        return nullptr;
    return args.scan.in == GF_F32 ? plain_sum_of<float>(args) : plain_sum_of<double>(args);
}

/* The kernels of plain_sum. */
template <class In> cudaError_t prepare_sums()
{
    return prepare<scan_sum<double>, plain_policy<In, In, true>, plain_policy<In, float>, plain_policy<In, double>>();
}

} // namespace

cudaError_t gf::prepare_float_scans()
{
    return prepare_all({prepare<scan_affine, any_policy, plain_policy<float, float>, plain_policy<double, double>>,
                        prepare<scan_sum_or_product<double>, any_policy>, prepare_sums<float>, prepare_sums<double>});
}

enum gf_status gf::start_float_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                    struct gf_error *err)
{
    return args.scan.what == GF_SCAN_AFFINE
               ? start_scan<scan_affine>(call, args, any_short, plain_recurrence(args), err)
               : start_scan<scan_sum_or_product<double>>(call, args, any_short, plain_sum(args), err);
}

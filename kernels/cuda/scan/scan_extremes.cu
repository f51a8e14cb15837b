/* SPDX-License-Identifier: MIT */
/* Running minima and maxima along rows. Called by scan_blocks.cu. */
#include "scan_dispatch.cuh"

namespace
{

using namespace gf;

template <class V, class T> launch_fn *plain_of()
{
    return launch<scan_extreme<V>, plain_policy<T, T>>;
}

launch_fn *plain_extreme(const struct scan_args &args)
{
    if (!is_plain(args) || args.scan.reverse || args.scan.in != args.scan.out)
        return nullptr;
    if (args.scan.in == GF_F32)
        return plain_of<int32_t, float>();
    if (args.scan.in == GF_F64)
        return plain_of<int64_t, double>();
    return gf_dispatch_size(args.in_size, [](auto bits) {
        using T = decltype(bits);
        return plain_of<std::conditional_t<sizeof(T) == sizeof(int64_t), int64_t, int32_t>, T>();
    });
}

} // namespace

enum gf_status gf::start_extremes_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                       struct gf_error *err)
{
    return has_short_keys(args) ? start_scan<scan_extreme<int32_t>>(call, args, any_short, plain_extreme(args), err)
                                : start_scan<scan_extreme<int64_t>>(call, args, any_short, plain_extreme(args), err);
}

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

/* The kernels of plain_extreme, by size. */
template <class V, class... T> cudaError_t prepare_extremes()
{
    return prepare<scan_extreme<V>, any_policy, plain_policy<T, T>...>();
}

} // namespace

cudaError_t gf::prepare_extremes_scans()
{
    return prepare_all(
        {prepare_extremes<int32_t, uint8_t, uint16_t, uint32_t, float>, prepare_extremes<int64_t, uint64_t, double>});
}

enum gf_status gf::start_extremes_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                       struct gf_error *err)
{
    return has_short_keys(args) ? start_scan<scan_extreme<int32_t>>(call, args, any_short, plain_extreme(args), err)
                                : start_scan<scan_extreme<int64_t>>(call, args, any_short, plain_extreme(args), err);
}

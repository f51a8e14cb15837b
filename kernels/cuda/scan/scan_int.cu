/* SPDX-License-Identifier: MIT */
/* Scans of signed and unsigned integers along rows. Called by scan_blocks.cu. */
#include "scan_dispatch.cuh"

namespace
{

using namespace gf;

template <class In> launch_fn *plain_sum_of(const struct scan_args &args)
{
    using sum = scan_sum<uint64_t>;
    return args.out_size == sizeof(uint32_t) ? launch<sum, plain_policy<In, uint32_t>>
                                             : launch<sum, plain_policy<In, uint64_t>>;
}

/* Elements of up to 4 bytes leave little time per element, so their kernels are compiled per signedness. */
launch_fn *plain_sum(const struct scan_args &args)
{
    if (!is_plain(args) || args.scan.what != GF_SCAN_SUM || args.scan.reverse)
        return nullptr;
    switch (args.in_size) {
    case 1:
        return args.sign_mask != 0 ? plain_sum_of<int8_t>(args) : plain_sum_of<uint8_t>(args);
    case 2:
        return args.sign_mask != 0 ? plain_sum_of<int16_t>(args) : plain_sum_of<uint16_t>(args);
    case 4:
        return args.sign_mask != 0 ? plain_sum_of<int32_t>(args) : plain_sum_of<uint32_t>(args);
    default:
        return plain_sum_of<uint64_t>(args);
    }
}

/* The kernels of plain_sum. */
template <class In> cudaError_t prepare_sums()
{
    return prepare<scan_sum<uint64_t>, plain_policy<In, uint32_t>, plain_policy<In, uint64_t>>();
}

} // namespace

cudaError_t gf::prepare_int_scans()
{
    return prepare_all({prepare<scan_sum_or_product<uint64_t>, any_policy>, prepare_sums<int8_t>, prepare_sums<uint8_t>,
                        prepare_sums<int16_t>, prepare_sums<uint16_t>, prepare_sums<int32_t>, prepare_sums<uint32_t>,
                        prepare_sums<uint64_t>});
}

enum gf_status gf::start_int_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                  struct gf_error *err)
{
    return start_scan<scan_sum_or_product<uint64_t>>(call, args, any_short, plain_sum(args), err);
}

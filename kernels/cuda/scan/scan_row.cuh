/* SPDX-License-Identifier: MIT */
/*
 * A thread's part of a scan, docs/numerics.md, "Trees of scans": a row of 16 elements, from its warp's region to
 * values, to their total, to results, and back to the region. Called by scan_agent.cuh and scan_segments.cuh.
 */
#ifndef GF_CUDA_SCAN_ROW_CUH
#define GF_CUDA_SCAN_ROW_CUH

#include "scan_tile.cuh"

namespace gf
{

/* Reads this thread's row as values, ready to combine. */
template <class Policy, class Op>
__device__ __forceinline__ void read_values(const Op &op, const struct span &s, const char *region,
                                            typename Op::value (&x)[scan_row])
{
    const struct scan_args &args = op.args;
    if constexpr (Policy::plain)
        read_row<typename Policy::in>(op, region, memory_row<Policy>(args), x);
    else
        op.dispatch_in([&](auto tag) { read_row<decltype(tag)>(op, region, memory_row<Policy>(args), x); });
    reverse_row<Policy>(args, x);
    if constexpr (Op::is_affine) {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = __dmul_rn(args.scan.b, x[j]);
        if (s.start == 0 && s.row == 0 && args.scan.started)
            x[0] = __fma_rn(args.scan.a, args.scan.init.f, x[0]);
    } else if constexpr (!Policy::plain && Op::adds) {
        if (args.scan.square) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] *= x[j];
        }
    }
}

/* Returns the total of the row. Where the order matters, x[j] becomes s[j]. */
template <class Op>
__device__ __forceinline__ typename Op::item sum_row(const Op &op, typename Op::value (&x)[scan_row])
{
    if constexpr (Op::is_affine) {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = __fma_rn(op.args.scan.a, x[j - 1], x[j]);
        return typename Op::item{op.args.powers[scan_row - 1], x[scan_row - 1]};
    } else if constexpr (Op::exact) {
        typename Op::value t = x[0];
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            t = op(t, x[j]);
        return t;
    } else {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = op(x[j - 1], x[j]);
        return x[scan_row - 1];
    }
}

/* Whether a row of sums that begins at `last` certainly fits: `last` must be at least 16 times the greatest possible
 * magnitude away from both limits. The magnitude is bounded by the elements' dtype where results have more bits,
 * otherwise by the elements themselves. */
__device__ __forceinline__ bool row_fits(const struct scan_args &args, uint64_t last, const uint64_t (&x)[scan_row])
{
    if (args.scan.what != GF_SCAN_SUM)
        return false;
    uint64_t bits = 0;
    if (args.in_size < args.out_size) {
        bits = (static_cast<uint64_t>(1) << (8 * args.in_size)) - 1;
    } else {
        const auto mask = static_cast<int64_t>(args.sign_mask);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            bits |= x[j] ^ static_cast<uint64_t>(static_cast<int64_t>(x[j]) >> 63 & mask);
        if (bits >> 58 != 0)
            return false;
    }
    const auto lo = static_cast<uint64_t>(args.scan.lo);
    const uint64_t max_sum = (bits + 1) * GF_SCAN_ROW, above_lo = last - lo, range = args.scan.hi - lo;
    return args.scan.hi >= max_sum && above_lo <= range - max_sum && (args.sign_mask == 0 || above_lo >= max_sum);
}

/* Reports the first result of a row that overflows. Result `index` is the result of x[0] after `last`. */
template <class Op>
__device__ __forceinline__ void check_row(const Op &op, typename Op::value last, const struct span &s, uint64_t index,
                                          const typename Op::value (&x)[scan_row])
{
    unsigned wrong = 0;
#pragma unroll
    for (int j = 0; j < scan_row; j++) {
        const typename Op::value v = op(last, x[j]);
        wrong |= static_cast<unsigned>(op.overflows(last, x[j], v) || !fits(op.args, v)) << j;
        last = v;
    }
    const uint64_t first = index + __ffs(static_cast<int>(wrong)) - 1;
    if (wrong != 0 && first < s.length)
        report_overflow(op.args, s.sequence, first);
}

/* Turns the output of sum_row and the prefix of the row into inclusive results. `index` is the index of the first. */
template <class Op>
__device__ __forceinline__ void finish_row(const Op &op, const typename Op::prefix &base, const struct span &s,
                                           uint64_t index, typename Op::value (&x)[scan_row])
{
    using V = typename Op::value;
    const struct scan_args &args = op.args;
    if constexpr (Op::is_affine) {
        if (base.present) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = __fma_rn(args.powers[j], base.item.v, x[j]);
        }
    } else if constexpr (Op::exact) {
        V last = base.item;
        if (args.scan.started)
            last = op(Op::of(args.scan.init), last);
        if constexpr (!Op::is_extreme)
            if (args.scan.checked && !row_fits(args, last, x))
                check_row(op, last, s, index + args.scan.exclusive, x);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = last = op(last, x[j]);
    } else {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = op(base.item, x[j]);
        if (args.scan.started) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = op(args.scan.init.f, x[j]);
        }
    }
}

template <class Policy, bool packed, class Op>
__device__ __forceinline__ void store_values(const Op &op, const struct span &s, char *region,
                                             typename Op::value (&x)[scan_row])
{
    if constexpr (Policy::plain)
        store_span<typename Policy::out, Policy, sizeof(typename Policy::in), packed>(op, s, region, x);
    else
        op.dispatch_out([&](auto tag) { store_span<decltype(tag), Policy, 1, packed>(op, s, region, x); });
}

} // namespace gf

#endif

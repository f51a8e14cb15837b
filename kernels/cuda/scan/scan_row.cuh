/* SPDX-License-Identifier: MIT */
/*
 * What a thread of scan_kernels.cuh does with its row of 16 elements: from the region of its warp to values, to their
 * total, to results, and back. docs/numerics.md 9.
 */
#ifndef GF_CUDA_SCAN_ROW_CUH
#define GF_CUDA_SCAN_ROW_CUH

#include "scan_tile.cuh"

namespace gf
{

/* This thread's row as it is computed with. */
template <class Op, class Layout>
__device__ __forceinline__ void read_values(const struct scan_args &args, const struct span &s, const char *region,
                                            typename Op::value (&x)[scan_row])
{
    using V = typename Op::value;
    if constexpr (Layout::plain)
        read_row<Op, typename Layout::in>(args, region, memory_row<Layout>(args), x);
    else
        gf_dispatch_any(args.scan.in, [&](auto tag) {
            if constexpr (suits<Op, decltype(tag)>)
                read_row<Op, decltype(tag)>(args, region, memory_row<Layout>(args), x);
        });
    reverse_row<Layout>(args, x);
    if constexpr (is_affine<Op>) {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = __dmul_rn(args.scan.b, x[j]);
        if (s.start == 0 && s.row == 0 && args.scan.started)
            x[0] = __fma_rn(args.scan.a, args.scan.init.f, x[0]);
    } else if constexpr (!Layout::plain && is_sum<Op>) {
        if (args.scan.square) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = scan_product<V>::join(x[j], x[j]);
        }
    }
}

/* The total of the row. Where the order counts, x[j] becomes s[j]. */
template <class Op>
__device__ __forceinline__ typename Op::item sum_row(const struct scan_args &args, typename Op::value (&x)[scan_row])
{
    if constexpr (is_affine<Op>) {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = __fma_rn(args.scan.a, x[j - 1], x[j]);
        return scan_affine::item{args.powers[scan_row - 1], x[scan_row - 1]};
    } else if constexpr (Op::exact) {
        typename Op::value t = x[0];
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            t = Op::join(t, x[j]);
        return t;
    } else {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = Op::join(x[j - 1], x[j]);
        return x[scan_row - 1];
    }
}

/* True where a row of sums from `last` on certainly fits: as far as 16 times the greatest magnitude that elements have,
 * or that their dtype allows where results have more bits. */
template <class V>
__device__ __forceinline__ bool row_fits(const struct scan_args &args, V last, const V (&x)[scan_row])
{
    if (args.scan.what != GF_SCAN_SUM)
        return false;
    uint64_t bits = 0;
    if (args.in_size < args.out_size) {
        bits = (static_cast<uint64_t>(1) << (8 * args.in_size)) - 1;
    } else {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            bits |= static_cast<uint64_t>(std::is_signed_v<V> ? x[j] ^ (x[j] >> 63) : x[j]);
        if (bits >> 58 != 0)
            return false;
    }
    const uint64_t max_sum = (bits + 1) * GF_SCAN_ROW;
    if constexpr (std::is_signed_v<V>)
        return args.scan.hi >= max_sum && last >= args.scan.lo + static_cast<int64_t>(max_sum) &&
               last <= static_cast<int64_t>(args.scan.hi - max_sum);
    else
        return args.scan.hi >= max_sum && last <= args.scan.hi - max_sum;
}

/* Reports the first result of a row that does not fit; result `index` is that of x[0] after `last`. */
template <class Op>
__device__ __forceinline__ void check_row(const struct scan_args &args, typename Op::value last, const struct span &s,
                                          uint64_t index, const typename Op::value (&x)[scan_row])
{
    unsigned wrong = 0;
#pragma unroll
    for (int j = 0; j < scan_row; j++) {
        const typename Op::value v = Op::join(last, x[j]);
        wrong |= static_cast<unsigned>(Op::overflows(last, x[j], v) || !fits(args, v)) << j;
        last = v;
    }
    const uint64_t first = index + __ffs(static_cast<int>(wrong)) - 1;
    if (wrong != 0 && first < s.length)
        report_overflow(args, s.sequence, first);
}

/* From what sum_row left and what stands before the row to its inclusive results; `index` is that of its first. */
template <class Op>
__device__ __forceinline__ void finish_row(const struct scan_args &args, const maybe<Op> &base, const struct span &s,
                                           uint64_t index, typename Op::value (&x)[scan_row])
{
    using V = typename Op::value;
    if constexpr (is_affine<Op>) {
        if (base.present) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = __fma_rn(args.powers[j], base.item.v, x[j]);
        }
    } else if constexpr (Op::exact) {
        V last = base.item;
        if (args.scan.started)
            last = Op::join(value_of<Op>(args.scan.init), last);
        if constexpr (!is_extreme<Op>)
            if (args.scan.checked && !row_fits(args, last, x))
                check_row<Op>(args, last, s, index + args.scan.exclusive, x);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = last = Op::join(last, x[j]);
    } else {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = Op::join(base.item, x[j]);
        if (args.scan.started) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = Op::join(args.scan.init.f, x[j]);
        }
    }
}

template <class Op, class Layout, bool packed>
__device__ __forceinline__ void store_values(const struct scan_args &args, const struct span &s, char *region,
                                             typename Op::value (&x)[scan_row])
{
    if constexpr (Layout::plain)
        store_span<Op, Layout, typename Layout::out, sizeof(typename Layout::in), packed>(args, s, region, x);
    else
        gf_dispatch_any(args.scan.out, [&](auto tag) {
            if constexpr (suits<Op, decltype(tag)>)
                store_span<Op, Layout, decltype(tag), 1, packed>(args, s, region, x);
        });
}

} // namespace gf

#endif

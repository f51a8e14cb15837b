/* SPDX-License-Identifier: MIT */
/*
 * The operators of scans along rows (scan_agent.cuh, scan_segments.cuh) and columns (scan_columns.cu), and the
 * conversions from elements to values and from values to results. docs/numerics.md, "Trees of scans".
 */
#ifndef GF_CUDA_SCAN_OP_CUH
#define GF_CUDA_SCAN_OP_CUH

#include <type_traits>

#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/tile_state.cuh"
#include "scan_args.cuh"

namespace gf
{

static_assert(GF_SCAN_GROUP == lookback_group, "look-back folds the tree of the contract");

constexpr int scan_batch = 16; /* elements that a thread loads at once */

/*
 * An operator. A value is the type that elements are computed in, and an item is the type that the tree combines.
 * `exact`: the order of combination does not matter, and each result follows from the previous one. `adds`: a sum,
 * possibly of squares. A prefix is an item that may be absent; here absence is a value that leaves other values
 * unchanged, bit for bit.
 */
template <class V> struct scan_op {
    using value = V;
    using item = V;
    struct prefix {
        V item;
    };
    const struct scan_args &args;

    __host__ __device__ __forceinline__ explicit scan_op(const struct scan_args &all_args) : args(all_args)
    {
    }
    __device__ __forceinline__ prefix none() const
    {
        return prefix{of(args.scan.absent)};
    }
    static __device__ __forceinline__ prefix some(item v)
    {
        return prefix{v};
    }
    /* Returns a gf_scan_value of the scan. The values of extremes are already keys. */
    static __device__ __forceinline__ V of(const union gf_scan_value &v)
    {
        if constexpr (std::is_floating_point_v<V>)
            return v.f;
        else if constexpr (std::is_signed_v<V>)
            return static_cast<V>(v.i);
        else
            return v.u;
    }
    __device__ __forceinline__ item lift(V v) const
    {
        return v;
    }
    static __device__ __forceinline__ V lower(item v)
    {
        return v;
    }
    static __device__ __forceinline__ item shuffle(item v, int lane)
    {
        return gf_shuffle(v, lane);
    }
    static __device__ __forceinline__ item shuffle_up(item v, int distance)
    {
        return gf_shuffle_up(v, distance);
    }
};

/* Combines a prefix with the prefix to its right. */
template <class Op>
__device__ __forceinline__ typename Op::prefix join(const Op &op, const typename Op::prefix &left,
                                                    const typename Op::prefix &right)
{
    if constexpr (Op::is_affine) {
        if (!left.present || !right.present)
            return left.present ? left : right;
        return Op::some(op(left.item, right.item));
    } else {
        return Op::some(op(left.item, right.item));
    }
}

/* The bits of an integer, signed or unsigned as scan_args says. */
template <class Bits> struct either_sign {
    Bits bits;
};

/*
 * Sums and products of f64, and of integers modulo 2^64. In two's complement signed and unsigned integers differ only
 * in overflow. Kernels for any dtype compute sums and products; kernels compiled for a dtype compute sums only.
 */
template <class V, bool only_adds> struct scan_arithmetic : scan_op<V> {
    static constexpr bool exact = !std::is_floating_point_v<V>;
    static constexpr bool adds = true, is_affine = false, is_extreme = false;
    using scan_op<V>::scan_op;
    using scan_op<V>::args;

    __device__ __forceinline__ bool multiplies() const
    {
        return !only_adds && args.scan.what == GF_SCAN_PRODUCT;
    }
    __device__ __forceinline__ V operator()(V l, V r) const
    {
        return multiplies() ? l * r : l + r;
    }
    /* Whether all results after a NaN are certain to be NaN. */
    __device__ __forceinline__ bool keeps_nan() const
    {
        return !multiplies();
    }
    /* Whether v, the result of l and r, overflows 64 bits. */
    __device__ __forceinline__ bool overflows(V l, V r, V v) const
    {
        const auto sl = static_cast<int64_t>(l), sr = static_cast<int64_t>(r), sv = static_cast<int64_t>(v);
        if (multiplies())
            return args.sign_mask != 0 ? __mul64hi(sl, sr) != (sv < 0 ? -1 : 0) : __umul64hi(l, r) != 0;
        return args.sign_mask != 0 ? ((sl ^ sv) & (sr ^ sv)) < 0 : v < l;
    }
    template <class T> __device__ __forceinline__ V loaded(T x) const
    {
        return static_cast<V>(x);
    }
    template <class T> __device__ __forceinline__ V loaded(either_sign<T> x) const
    {
        uint32_t low = x.bits;
        if constexpr (sizeof(T) < sizeof(low))
            low = (low ^ args.sign_bit) - args.sign_bit;
        const auto high = static_cast<uint32_t>(static_cast<int32_t>(low) >> 31 & args.sign_mask);
        return static_cast<V>(high) << 32 | low;
    }
    template <class T> __device__ __forceinline__ T rounded(V v) const
    {
        return static_cast<T>(v);
    }
    /* Call f with an element, or a result, of the scan's dtype. */
    template <class F> __device__ __forceinline__ void dispatch_in(F &&f) const
    {
        if constexpr (exact)
            gf_dispatch_size(args.in_size, [&](auto bits) {
                if constexpr (sizeof(bits) < sizeof(V))
                    f(either_sign<decltype(bits)>{});
                else
                    f(bits);
            });
        else
            gf_dispatch_float(args.scan.in, f);
    }
    template <class F> __device__ __forceinline__ void dispatch_out(F &&f) const
    {
        if constexpr (!exact)
            gf_dispatch_float(args.scan.out, f);
        else if (args.out_size == sizeof(uint32_t))
            f(uint32_t{0});
        else
            f(uint64_t{0});
    }
};

template <class V> using scan_sum = scan_arithmetic<V, true>;
template <class V> using scan_sum_or_product = scan_arithmetic<V, false>;

/* The greater of two keys, scan_key.cuh; minima complement their keys. Integers are read as their bits, whatever their
 * sign. */
template <class V> struct scan_extreme : scan_op<V> {
    static constexpr bool exact = true;
    static constexpr bool adds = false, is_affine = false, is_extreme = true;
    using scan_op<V>::scan_op;
    using scan_op<V>::args;

    __device__ __forceinline__ V operator()(V l, V r) const
    {
        return l < r ? r : l;
    }
    static __device__ __forceinline__ bool keeps_nan()
    {
        return true;
    }
    template <class T> __device__ __forceinline__ V loaded(T x) const
    {
        if constexpr (std::is_floating_point_v<T>)
            return key_of<V>(x, static_cast<V>(args.turned));
        else
            return static_cast<V>(x) ^ static_cast<V>(args.flip);
    }
    template <class T> __device__ __forceinline__ T rounded(V v) const
    {
        if constexpr (std::is_floating_point_v<T>)
            return value_of_key<T>(v, static_cast<V>(args.turned));
        else
            return static_cast<T>(v ^ static_cast<V>(args.flip));
    }
    template <class F> __device__ __forceinline__ void dispatch(uint32_t dtype, uint32_t size, F &&f) const
    {
        if (dtype == GF_F32)
            f(0.0f);
        else if constexpr (sizeof(V) == sizeof(double))
            dtype == GF_F64 ? f(0.0) : f(uint64_t{0});
        else if (size == sizeof(uint32_t))
            f(uint32_t{0});
        else if (size == sizeof(uint16_t))
            f(uint16_t{0});
        else
            f(uint8_t{0});
    }
    template <class F> __device__ __forceinline__ void dispatch_in(F &&f) const
    {
        dispatch(args.scan.in, args.in_size, f);
    }
    template <class F> __device__ __forceinline__ void dispatch_out(F &&f) const
    {
        dispatch(args.scan.out, args.out_size, f);
    }
};

/* The recurrence x[j] = a x[j-1] + b e[j], as a composition of such steps. */
struct scan_affine {
    using value = double;
    struct item {
        double a, v;
    };
    struct prefix {
        struct item item;
        bool present;
    };
    static constexpr bool exact = false;
    static constexpr bool adds = false, is_affine = true, is_extreme = false;
    const struct scan_args &args;

    __host__ __device__ __forceinline__ explicit scan_affine(const struct scan_args &all_args) : args(all_args)
    {
    }
    __device__ __forceinline__ item operator()(item l, item r) const
    {
        return item{__dmul_rn(l.a, r.a), __fma_rn(r.a, l.v, r.v)};
    }
    static __device__ __forceinline__ prefix none()
    {
        return prefix{{}, false};
    }
    static __device__ __forceinline__ prefix some(const item &v)
    {
        return prefix{v, true};
    }
    static __device__ __forceinline__ double of(const union gf_scan_value &v)
    {
        return v.f;
    }
    __device__ __forceinline__ item lift(double v) const
    {
        return item{args.scan.a, v};
    }
    static __device__ __forceinline__ double lower(const item &v)
    {
        return v.v;
    }
    static __device__ __forceinline__ item shuffle(const item &v, int lane)
    {
        return item{gf_shuffle(v.a, lane), gf_shuffle(v.v, lane)};
    }
    static __device__ __forceinline__ item shuffle_up(const item &v, int distance)
    {
        return item{gf_shuffle_up(v.a, distance), gf_shuffle_up(v.v, distance)};
    }
    static __device__ __forceinline__ bool keeps_nan()
    {
        return false;
    }
    template <class T> __device__ __forceinline__ double loaded(T x) const
    {
        return static_cast<double>(x);
    }
    template <class T> __device__ __forceinline__ T rounded(double v) const
    {
        return static_cast<T>(v);
    }
    template <class F> __device__ __forceinline__ void dispatch_in(F &&f) const
    {
        gf_dispatch_float(args.scan.in, f);
    }
    template <class F> __device__ __forceinline__ void dispatch_out(F &&f) const
    {
        gf_dispatch_float(args.scan.out, f);
    }
};

template <class T> __device__ __forceinline__ T canonical(T v)
{
    if constexpr (std::is_same_v<T, double>)
        return v == v ? v : __longlong_as_double(0x7FF8000000000000);
    else if constexpr (std::is_same_v<T, float>)
        return v == v ? v : __int_as_float(0x7FC00000);
    else
        return v;
}

template <class T, class Op> __device__ __forceinline__ T stored(const Op &op, typename Op::value v)
{
    return canonical(op.template rounded<T>(v));
}

/* Records an overflow; the first in order wins. */
__device__ __forceinline__ void report_overflow(const struct scan_args &args, uint64_t sequence, uint64_t index)
{
    const unsigned long long at = sequence * args.length + index;
    auto *fault = reinterpret_cast<unsigned long long *>(args.fault);
    if (at < gf_load_published(fault))
        gf_atomic_min(fault, at);
}

/* Whether an integer, signed or unsigned, lies in lo ... hi: compares its distance from lo, modulo 2^64. */
__device__ __forceinline__ bool fits(const struct scan_args &args, uint64_t v)
{
    const uint64_t lo = static_cast<uint64_t>(args.scan.lo);
    return v - lo <= args.scan.hi - lo;
}

} // namespace gf

#endif

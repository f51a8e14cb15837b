/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of scan_blocks.cu and scan_columns.cu share: operators, elements from and to memory, and the walk
 * from one result to the next. docs/numerics.md 9.
 */
#ifndef GF_CUDA_SCAN_LINES_CUH
#define GF_CUDA_SCAN_LINES_CUH

#include <type_traits>

#include "cuda_device.h"
#include "dispatch.cuh"
#include "kernels/scan.h"

namespace gf
{

constexpr int scan_batch = 16; /* elements that a thread has on their way at once */
constexpr unsigned all_lanes = 0xFFFFFFFFu;
constexpr uint64_t nowhere = UINT64_MAX;

/* A scan as its kernels see it. */
struct scan_args {
    struct gf_scan scan;
    uint64_t length, sequences;
    uint64_t n_blocks;                      /* of a sequence that is no segment; for columns its strips */
    uint64_t blocks;                        /* of all sequences, without those that are packed */
    const uint64_t *offsets, *first_blocks; /* of segments, and of how many blocks stand before each; else NULL */
    uint32_t in_size, out_size;
    bool src_flat, dst_flat;    /* a whole image is one row */
    void *between;              /* of columns, per strip: its total, then what stands before it */
    void *chain;                /* of blocks: see scan_chain.cuh */
    double powers[GF_SCAN_ROW]; /* of the recurrence's a, from the first on */
    uint64_t *fault;            /* the least result that does not fit; NULL where none can */
};

__device__ __forceinline__ uint64_t divide(uint64_t a, uint64_t b, uint64_t *ret_rest)
{
    if ((a | b) >> 32 == 0) {
        *ret_rest = static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
        return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
    }
    *ret_rest = a % b;
    return a / b;
}

template <class V> __device__ __forceinline__ V value_of(const union gf_scan_value &v)
{
    if constexpr (std::is_floating_point_v<V>)
        return v.f;
    else if constexpr (std::is_signed_v<V>)
        return v.i;
    else
        return v.u;
}

/*
 * Operators. An item is what the tree combines; `exact`: the order does not count, and one result follows from the one
 * before. overflows() is about integers of 64 bits.
 */
template <class V> struct scan_sum {
    using value = V;
    using item = V;
    static constexpr bool exact = !std::is_floating_point_v<V>;

    static __device__ __forceinline__ V join(V l, V r)
    {
        if constexpr (exact)
            return static_cast<V>(static_cast<uint64_t>(l) + static_cast<uint64_t>(r));
        else
            return l + r;
    }
    static __device__ __forceinline__ bool overflows(V l, V r, V sum)
    {
        if constexpr (std::is_unsigned_v<V>)
            return sum < l;
        else if constexpr (exact)
            return ((l ^ sum) & (r ^ sum)) < 0;
        else
            return false;
    }
};

template <class V> struct scan_product {
    using value = V;
    using item = V;
    static constexpr bool exact = !std::is_floating_point_v<V>;

    static __device__ __forceinline__ V join(V l, V r)
    {
        if constexpr (exact)
            return static_cast<V>(static_cast<uint64_t>(l) * static_cast<uint64_t>(r));
        else
            return l * r;
    }
    static __device__ __forceinline__ bool overflows(V l, V r, V product)
    {
        if constexpr (std::is_unsigned_v<V>)
            return __umul64hi(l, r) != 0;
        else if constexpr (exact)
            return __mul64hi(l, r) != (product < 0 ? -1 : 0);
        else
            return false;
    }
};

/* IEEE 754-2019 minimum (or maximum): NaN stays, -0 is below +0. */
template <class V, bool min> struct scan_extreme {
    using value = V;
    using item = V;
    static constexpr bool exact = true;

    static __device__ __forceinline__ V join(V l, V r)
    {
        bool left = min ? l < r : r < l;
        if constexpr (std::is_floating_point_v<V>)
            left = left || l != l || (l == r && (signbit(l) != 0) == min);
        return left ? l : r;
    }
    static __device__ __forceinline__ bool overflows(V, V, V)
    {
        return false;
    }
};

struct scan_affine {
    using value = double;
    struct item {
        double a, v;
    };
    static constexpr bool exact = false;

    static __device__ __forceinline__ item join(item l, item r)
    {
        return item{__dmul_rn(l.a, r.a), __fma_rn(r.a, l.v, r.v)};
    }
};

template <class Op> constexpr bool is_affine = std::is_same_v<Op, scan_affine>;

template <class Op>
__device__ __forceinline__ typename Op::item lift(const struct scan_args &args, typename Op::value v)
{
    if constexpr (is_affine<Op>)
        return scan_affine::item{args.scan.a, v};
    else
        return v;
}

template <class Op> __device__ __forceinline__ typename Op::value lower(const typename Op::item &item)
{
    if constexpr (is_affine<Op>)
        return item.v;
    else
        return item;
}

template <class T> __device__ __forceinline__ T from_lane_before(const T &v, int distance)
{
    return __shfl_up_sync(all_lanes, v, distance);
}

__device__ __forceinline__ scan_affine::item from_lane_before(const scan_affine::item &v, int distance)
{
    return scan_affine::item{__shfl_up_sync(all_lanes, v.a, distance), __shfl_up_sync(all_lanes, v.v, distance)};
}

/* The five steps over the 32 lanes of a warp. */
template <class Op> __device__ __forceinline__ typename Op::item scan_lanes(typename Op::item u, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const typename Op::item before = from_lane_before(u, d);
        if (lane >= d)
            u = Op::join(before, u);
    }
    return u;
}

/* Something that may be absent. */
template <class Op> struct maybe {
    typename Op::item item;
    bool present;

    /* This combined with what stands on its right. */
    __device__ __forceinline__ maybe with(const maybe &right) const
    {
        if (!present || !right.present)
            return present ? *this : right;
        return maybe{Op::join(item, right.item), true};
    }
};

/* What every element goes through, first. */
template <class Op>
__device__ __forceinline__ typename Op::value prepared(const struct scan_args &args, typename Op::value v,
                                                       uint64_t index)
{
    if constexpr (is_affine<Op>) {
        v = __dmul_rn(args.scan.b, v);
        if (index == 0 && args.scan.started)
            v = __fma_rn(args.scan.a, args.scan.init.f, v);
        return v;
    } else {
        return args.scan.square ? scan_product<typename Op::value>::join(v, v) : v;
    }
}

/* Elements at byte offsets, 0 for those that are nowhere. */
template <class V>
__device__ __forceinline__ void load_batch(const struct scan_args &args, const uint64_t (&at)[scan_batch],
                                           V (&x)[scan_batch])
{
    const char *src = static_cast<const char *>(args.scan.src);
    gf_dispatch_any(args.scan.in, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<V>) {
#pragma unroll
            for (int k = 0; k < scan_batch; k++)
                x[k] = at[k] == nowhere ? V{0} : static_cast<V>(*reinterpret_cast<const T *>(src + at[k]));
        }
    });
}

__device__ __forceinline__ float canonical(float v)
{
    return v == v ? v : __int_as_float(0x7FC00000);
}

/* A stored value; NaN has one form. */
template <class T, class V> __device__ __forceinline__ T stored(V v)
{
    if constexpr (std::is_same_v<T, double>)
        return v == v ? v : __longlong_as_double(0x7FF8000000000000);
    else if constexpr (std::is_same_v<T, float>)
        return canonical(__double2float_rn(v));
    else
        return static_cast<T>(v);
}

template <class V>
__device__ __forceinline__ void store_batch(const struct scan_args &args, const uint64_t (&at)[scan_batch],
                                            const V (&x)[scan_batch])
{
    char *dst = static_cast<char *>(args.scan.dst);
    gf_dispatch_any(args.scan.out, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<V>) {
#pragma unroll
            for (int k = 0; k < scan_batch; k++)
                if (at[k] != nowhere)
                    *reinterpret_cast<T *>(dst + at[k]) = stored<T>(x[k]);
        }
    });
}

/* The one result that an exclusive scan begins with. */
template <class V> __device__ __forceinline__ void store_first(const struct scan_args &args, uint64_t at)
{
    char *dst = static_cast<char *>(args.scan.dst);
    gf_dispatch_any(args.scan.out, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<V>)
            *reinterpret_cast<T *>(dst + at) = stored<T>(value_of<V>(args.scan.first));
    });
}

/* Notes the first result that does not fit. */
__device__ __forceinline__ void report_overflow(const struct scan_args &args, uint64_t sequence, uint64_t index)
{
    atomicMin(reinterpret_cast<unsigned long long *>(args.fault),
              static_cast<unsigned long long>(sequence * args.length + index));
}

template <class V> __device__ __forceinline__ bool fits(const struct scan_args &args, V v)
{
    if constexpr (std::is_floating_point_v<V>)
        return true;
    else if constexpr (std::is_signed_v<V>)
        return v >= args.scan.lo && (v < 0 || static_cast<uint64_t>(v) <= args.scan.hi);
    else
        return v <= args.scan.hi;
}

/* From element to element of a row or strip: what stands before it is `base`. */
template <class Op> struct walk {
    using V = typename Op::value;
    maybe<Op> base, s;
    V last; /* the result before, where Op is exact */

    __device__ __forceinline__ walk(const struct scan_args &args, const maybe<Op> &before) : base(before), s{}, last{}
    {
        if constexpr (Op::exact) {
            last = base.present ? base.item : value_of<V>(args.scan.absent);
            if (args.scan.started)
                last = Op::join(value_of<V>(args.scan.init), last);
        }
    }

    /* The result of element `index`, whose value is x. */
    __device__ __forceinline__ V next(const struct scan_args &args, V x, uint64_t sequence, uint64_t index)
    {
        if constexpr (Op::exact) {
            const V v = Op::join(last, x);
            const uint64_t to = index + args.scan.exclusive;
            if (args.scan.checked && to < args.length && (Op::overflows(last, x, v) || !fits(args, v)))
                report_overflow(args, sequence, to);
            last = v;
            return v;
        } else {
            s = s.with(maybe<Op>{lift<Op>(args, x), true});
            const V v = lower<Op>(base.with(s).item);
            if constexpr (!is_affine<Op>)
                if (args.scan.started)
                    return Op::join(args.scan.init.f, v);
            return v;
        }
    }
};

template <class V, class F> enum gf_status pick_word(uint32_t what, F &&f)
{
    return what == GF_SCAN_SUM       ? f(scan_sum<V>{})
           : what == GF_SCAN_PRODUCT ? f(scan_product<V>{})
           : what == GF_SCAN_MIN     ? f(scan_extreme<V, true>{})
                                     : f(scan_extreme<V, false>{});
}

/* Calls f with the scan's operator. */
template <class F> enum gf_status pick_operator(const struct gf_scan &scan, F &&f)
{
    if (scan.what == GF_SCAN_AFFINE)
        return f(scan_affine{});
    const enum gf_dtype_kind kind = gf_dtype_kind(scan.in);
    return kind == GF_KIND_FLOAT  ? pick_word<double>(scan.what, f)
           : kind == GF_KIND_SINT ? pick_word<int64_t>(scan.what, f)
                                  : pick_word<uint64_t>(scan.what, f);
}

inline unsigned grid_of(uint64_t blocks)
{
    return blocks < 0x7FFFFFFFu ? static_cast<unsigned>(blocks) : 0x7FFFFFFFu;
}

inline bool is_flat(const struct gf_scan &scan, uint64_t pitch, uint32_t size)
{
    return scan.height == 1 || pitch == scan.width * scan.channels * size;
}

inline struct scan_args make_args(const struct gf_scan &scan)
{
    struct scan_args args = {};
    args.scan = scan;
    args.length = gf_scan_length(&scan);
    args.sequences = gf_scan_sequences(&scan);
    args.in_size = static_cast<uint32_t>(gf_dtype_size(scan.in));
    args.out_size = static_cast<uint32_t>(gf_dtype_size(scan.out));
    args.src_flat = is_flat(scan, scan.src_pitch, args.in_size);
    args.dst_flat = is_flat(scan, scan.dst_pitch, args.out_size);
    return args;
}

} // namespace gf

#endif

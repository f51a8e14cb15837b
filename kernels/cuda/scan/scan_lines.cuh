/* SPDX-License-Identifier: MIT */
/*
 * What scans along rows (scan_kernels.cuh) and columns (scan_columns.cu) share: operators, and how elements become
 * values and values results. docs/numerics.md 9.
 */
#ifndef GF_CUDA_SCAN_LINES_CUH
#define GF_CUDA_SCAN_LINES_CUH

#include <type_traits>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/shared/scan.h"
#include "scan_key.cuh"

namespace gf
{

constexpr int scan_batch = 16; /* elements that a thread has on their way at once */

/* A scan as its kernels see it. */
struct scan_args {
    struct gf_scan scan;
    uint64_t length, sequences;
    uint64_t n_blocks;                      /* of a sequence that is no segment; for columns its row chunks */
    uint64_t per_block;                     /* ceil(2^64 / n_blocks), 0: divide */
    uint64_t blocks;                        /* of all sequences, without those that are packed */
    uint32_t per_warp, rows, by_rows;       /* packed sequences of a warp, rows of 16 of each, ceil(1024 / rows) */
    const uint64_t *offsets, *first_blocks; /* of segments, and of how many blocks stand before each; else NULL */
    uint32_t in_size, out_size;
    bool src_flat, dst_flat;    /* a whole image is one row */
    void *between;              /* of columns, per row chunk: its total, then what stands before it */
    void *tile_state;           /* of blocks: see scan_tile_state.cuh */
    double powers[GF_SCAN_ROW]; /* of the recurrence's a, from the first on */
    int turned;                 /* -1: keys are turned round, for minima; else 0 */
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

/* The greater of two keys, scan_key.cuh: minima are the greatest of keys that are turned round. */
template <class V> struct scan_extreme {
    using value = V;
    using item = V;
    static constexpr bool exact = true;

    static __device__ __forceinline__ V join(V l, V r)
    {
        return l < r ? r : l;
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
template <class Op> constexpr bool is_sum = std::is_same_v<Op, scan_sum<typename Op::value>>;
template <class Op> constexpr bool is_extreme = std::is_same_v<Op, scan_extreme<typename Op::value>>;

/* True where Op computes with elements of T. */
template <class Op, class T>
constexpr bool suits =
    is_extreme<Op>
        ? sizeof(T) <= sizeof(typename Op::value) || std::is_same_v<T, float>
        : std::is_floating_point_v<T> == std::is_floating_point_v<typename Op::value> &&std::is_signed_v<T> ==
              std::is_signed_v<typename Op::value>;

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
    return gf_shuffle_up(v, distance);
}

__device__ __forceinline__ scan_affine::item from_lane_before(const scan_affine::item &v, int distance)
{
    return scan_affine::item{gf_shuffle_up(v.a, distance), gf_shuffle_up(v.v, distance)};
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

/* A gf_scan_value of the scan; those of extremes are keys by then. */
template <class Op> __device__ __forceinline__ typename Op::value value_of(const union gf_scan_value &v)
{
    using V = typename Op::value;
    if constexpr (std::is_floating_point_v<V>)
        return v.f;
    else if constexpr (std::is_signed_v<V>)
        return static_cast<V>(v.i);
    else
        return v.u;
}

/* Something that may be absent: of most operators then a value that leaves others as they are, bit for bit. */
template <class Op, bool affine = is_affine<Op>> struct maybe {
    typename Op::item item;

    static __device__ __forceinline__ maybe none(const struct scan_args &args)
    {
        return maybe{value_of<Op>(args.scan.absent)};
    }
    static __device__ __forceinline__ maybe some(const typename Op::item &item)
    {
        return maybe{item};
    }
    /* This combined with what stands on its right. */
    __device__ __forceinline__ maybe with(const maybe &right) const
    {
        return maybe{Op::join(item, right.item)};
    }
};

template <class Op> struct maybe<Op, true> {
    typename Op::item item;
    bool present;

    static __device__ __forceinline__ maybe none(const struct scan_args &)
    {
        return maybe{{}, false};
    }
    static __device__ __forceinline__ maybe some(const typename Op::item &item)
    {
        return maybe{item, true};
    }
    __device__ __forceinline__ maybe with(const maybe &right) const
    {
        if (!present || !right.present)
            return present ? *this : right;
        return maybe{Op::join(item, right.item), true};
    }
};

/* An element as it is computed with. */
template <class Op, class T> __device__ __forceinline__ typename Op::value loaded(const struct scan_args &args, T x)
{
    using V = typename Op::value;
    if constexpr (is_extreme<Op>)
        return key_of<V>(x, static_cast<V>(args.turned));
    else
        return static_cast<V>(x);
}

/* A result as it is stored; NaN may have any form. */
template <class Op, class T> __device__ __forceinline__ T rounded(const struct scan_args &args, typename Op::value v)
{
    using V = typename Op::value;
    if constexpr (is_extreme<Op>)
        return value_of_key<T>(v, static_cast<V>(args.turned));
    else
        return static_cast<T>(v);
}

/* NaN has one form. */
template <class T> __device__ __forceinline__ T canonical(T v)
{
    if constexpr (std::is_same_v<T, double>)
        return v == v ? v : __longlong_as_double(0x7FF8000000000000);
    else if constexpr (std::is_same_v<T, float>)
        return v == v ? v : __int_as_float(0x7FC00000);
    else
        return v;
}

template <class Op, class T> __device__ __forceinline__ T stored(const struct scan_args &args, typename Op::value v)
{
    return canonical(rounded<Op, T>(args, v));
}

/* Notes the first result that does not fit. */
__device__ __forceinline__ void report_overflow(const struct scan_args &args, uint64_t sequence, uint64_t index)
{
    const unsigned long long at = sequence * args.length + index;
    auto *fault = reinterpret_cast<unsigned long long *>(args.fault);
    if (at < gf_look(fault))
        gf_atomic_min(fault, at);
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

template <class V, class F> enum gf_status pick_word(uint32_t what, F &&f)
{
    return what == GF_SCAN_SUM ? f(scan_sum<V>{}) : f(scan_product<V>{});
}

/* True where keys of 32 bits hold the elements of a running minimum or maximum, and its results. */
inline bool has_short_keys(const struct gf_scan &scan)
{
    return gf_dtype_size(scan.in) <= sizeof(int32_t) && gf_dtype_size(scan.out) <= sizeof(int32_t);
}

/* Calls f with the scan's operator. */
template <class F> enum gf_status pick_operator(const struct gf_scan &scan, F &&f)
{
    if (scan.what == GF_SCAN_AFFINE)
        return f(scan_affine{});
    if (scan.what == GF_SCAN_MIN || scan.what == GF_SCAN_MAX)
        return has_short_keys(scan) ? f(scan_extreme<int32_t>{}) : f(scan_extreme<int64_t>{});
    const enum gf_dtype_kind kind = gf_dtype_kind(scan.in);
    return kind == GF_KIND_FLOAT  ? pick_word<double>(scan.what, f)
           : kind == GF_KIND_SINT ? pick_word<int64_t>(scan.what, f)
                                  : pick_word<uint64_t>(scan.what, f);
}

/* Turns values of the scan into keys V. */
template <class V> void make_keys(struct scan_args *args)
{
    const auto turned = static_cast<V>(args->turned);
    for (union gf_scan_value *v : {&args->scan.init, &args->scan.first, &args->scan.absent})
        v->i = gf_dispatch_any(args->scan.out, [&](auto tag) -> int64_t {
            using T = decltype(tag);
            if constexpr (std::is_floating_point_v<T>)
                return key_of<V>(static_cast<T>(v->f), turned);
            else if constexpr (sizeof(T) <= sizeof(V))
                return key_of<V>(static_cast<T>(v->u), turned);
            else
                return 0;
        });
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
    args.turned = scan.what == GF_SCAN_MIN ? -1 : 0;
    if (scan.what == GF_SCAN_MIN || scan.what == GF_SCAN_MAX)
        has_short_keys(scan) ? make_keys<int32_t>(&args) : make_keys<int64_t>(&args);
    return args;
}

} // namespace gf

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The elements of threads and warps in a scan by a user's operator: a thread reads and scans a row, a warp scans over
 * 32 rows, and results go to memory. Included by operator_scan.cuh, which walks over whole sequences.
 */
#ifndef GF_CUDA_OPERATOR_SCAN_ROWS_CUH
#define GF_CUDA_OPERATOR_SCAN_ROWS_CUH

#include "operator_walk.cuh"

namespace gf
{
namespace user
{

/* The combination of all elements before some point: a state, or none if there are no elements. */
template <class Op> struct prefix {
    typename Op::state s;
    bool there;

    __device__ __forceinline__ typename Op::state before(const Op &op, const typename Op::state &later) const
    {
        return there ? op.combine(s, later) : later;
    }
    /* The prefix of a later point, where `later` covers the elements in between. */
    __device__ __forceinline__ prefix<Op> then(const Op &op, const prefix<Op> &later) const
    {
        return later.there ? prefix<Op>{before(op, later.s), true} : *this;
    }
};

/* An inclusive warp scan in five steps. `own` is the number of lower lanes of the same sequence. Must be called by
 * whole warps: in each step all lanes have read before any lane continues. */
template <class Op>
__device__ __forceinline__ typename Op::state scan_lanes(const Op &op, typename Op::state s, uint32_t own)
{
#pragma unroll 1
    for (uint32_t d = 1; d < lanes; d *= 2) {
        const typename Op::state earlier = Op::shuffle_up(s, d);
        if (own >= d)
            s = op.combine(earlier, s);
    }
    return s;
}

/* The row of a thread: read() its `count` elements, at least one, then scan() them to s[j]. Returns the last state. The
 * last state of an incomplete row, and the states of elements that do not exist, are never used. The interpreter reads
 * while it scans. */
template <class Op, bool at_once = Op::at_once> struct row_of_thread {
    __device__ __forceinline__ void read(const Op &, const struct sequence &, uint64_t, uint32_t)
    {
    }
    __device__ __forceinline__ typename Op::state scan(const Op &op, const struct sequence &q, uint64_t from,
                                                       uint32_t count, typename Op::state (&s)[row]) const
    {
        typename Op::state last = {};
        if (count == 0)
            return last;
        elements<Op> source(op, q, from);
#pragma unroll 1
        for (uint32_t j = 0; j < count; j++) {
            const typename Op::state next = source.next();
            last = j == 0 ? next : op.combine(last, next);
            s[j] = last;
        }
        return last;
    }
};
template <class Op> struct row_of_thread<Op, true> {
    samples_of_row<typename Op::sample, Op::each> samples;

    __device__ __forceinline__ void read(const Op &op, const struct sequence &q, uint64_t from, uint32_t count)
    {
        elements<Op>(op, q, from).read_row(count, &samples);
    }
    __device__ __forceinline__ typename Op::state scan(const Op &op, const struct sequence &q, uint64_t from, uint32_t,
                                                       typename Op::state (&s)[row]) const
    {
        elements<Op>(op, q, from).lift_row(samples, s);
#pragma unroll
        for (int j = 1; j < row; j++)
            s[j] = op.combine(s[j - 1], s[j]);
        return s[row - 1];
    }
};

template <class Op>
__device__ __forceinline__ typename Op::state scan_row(const Op &op, const struct sequence &q, uint64_t from,
                                                       uint32_t count, typename Op::state (&s)[row])
{
    row_of_thread<Op> r;
    if (count == 0)
        return {};
    r.read(op, q, from, count);
    return r.scan(op, q, from, count, s);
}

/* Makes the results of a row, in memory order, for Op::at_once. */
template <class Op>
__device__ __forceinline__ void finish_row(const Op &op, const typename Op::state (&s)[row],
                                           samples_of_row<typename Op::result, Op::n_results> *ret_all)
{
    constexpr int each = Op::n_results;
    const bool backwards = !op.args.columns && op.args.reverse;
#pragma unroll
    for (int j = 0; j < row; j++)
        op.finish(s[j], ret_all->v + (backwards ? row - 1 - j : j) * each);
}

/* Stores the first `kept` results of a row, for Op::at_once. */
template <class Op>
__device__ __forceinline__ void store_at_once(const Op &op, struct walk to, uint32_t channel, uint64_t kept,
                                              const typename Op::state (&s)[row])
{
    constexpr int each = Op::n_results;
    const struct gf_cuda_operator_args &a = op.args;
    samples_of_row<typename Op::result, each> all;
    const bool backwards = !a.columns && a.reverse;
    finish_row(op, s, &all);
    char *first = to.there(a, channel) - (backwards ? (row - 1) * a.dst_pixel : 0);
    if (kept == row && to.is_run(a, row) && reinterpret_cast<uint64_t>(first) % sizeof(uint4) == 0) {
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(typename Op::result)) * each; i++)
            reinterpret_cast<uint4 *>(first)[i] = all.w[i];
        return;
    }
#pragma unroll
    for (int j = 0; j < row; j++) {
        auto *at = reinterpret_cast<typename Op::result *>(to.there(a, channel));
#pragma unroll
        for (int k = 0; k < each; k++)
            if (static_cast<uint64_t>(j) < kept)
                at[k] = all.v[(backwards ? row - 1 - j : j) * each + k];
        to.next(a);
    }
}

/* Combines the prefix of a row with its states, for Op::at_once. */
template <class Op>
__device__ __forceinline__ void add_before(const Op &op, const prefix<Op> &before, typename Op::state (&s)[row])
{
    if (before.there) {
#pragma unroll
        for (int j = 0; j < row; j++)
            s[j] = op.combine(before.s, s[j]);
    }
}

/* Stores the results of a row, given its prefix. An exclusive scan stores each result one element later, and first the
 * state of an empty sequence. */
template <class Op>
__device__ __forceinline__ void store_row(const Op &op, const struct sequence &q, uint64_t from, uint32_t count,
                                          const prefix<Op> &before, typename Op::state (&s)[row])
{
    const struct gf_cuda_operator_args &a = op.args;
    if (count == 0)
        return;
    if (a.exclusive && from == 0)
        op.store(walk(a, q, 0).there(a, q.channel), op.none());
    const uint64_t first = from + a.exclusive, kept = q.n - first < count ? q.n - first : count;
    struct walk to(a, q, first);
    if constexpr (Op::at_once) {
        add_before(op, before, s);
        store_at_once(op, to, q.channel, kept, s);
    } else {
#pragma unroll 1
        for (uint64_t j = 0; j < kept; j++) {
            op.store(to.there(a, q.channel), before.before(op, s[j]));
            to.next(a);
        }
    }
}

__device__ __forceinline__ uint32_t row_at(const struct sequence &q, uint64_t from)
{
    return from >= q.n ? 0 : q.n - from < row ? static_cast<uint32_t>(q.n - from) : row;
}

/*
 * The shared memory of a warp; the interpreter has none. Results pass through it, up to four vectors per lane at a
 * time, so that adjacent lanes store adjacent vectors. Before that it keeps the rows of the lanes, each read only by
 * the lane that wrote it, if rows have at most four vectors, or Op::kept_vectors, for which a launch provides the
 * memory.
 *
 * Vector v of rows of n vectors is at v ^ (v / 8 % n). If n is a power of two, eight lanes have no bank conflicts,
 * whether they access their own rows or adjacent vectors.
 */
template <class Op, bool at_once = Op::at_once> struct warp_memory {
    static constexpr bool keeps = false, given = false;
};
template <class Op> struct warp_memory<Op, true> {
    static constexpr uint32_t samples = sizeof(typename Op::sample) * Op::each, /* vectors per row of samples */
        results = sizeof(typename Op::result) * Op::n_results,                  /* vectors per row of results */
        part = results % 4 == 0 ? 4 : results, most = 4;
    static constexpr bool given = Op::kept_vectors > 0, keeps = given || samples <= most;
    static_assert(!given || (samples == Op::kept_vectors && samples > part),
                  "the launch must provide rows of this size");
    uint4 vectors[lanes * (keeps && samples > part ? samples : part)];

    template <uint32_t n> __device__ __forceinline__ uint4 &at(uint32_t v)
    {
        return vectors[v ^ (v / 8 % n)];
    }
    __device__ __forceinline__ void keep(const row_of_thread<Op> &r)
    {
#pragma unroll
        for (uint32_t i = 0; i < samples; i++)
            at<samples>(threadIdx.x % lanes * samples + i) = r.samples.w[i];
    }
    __device__ __forceinline__ void kept(row_of_thread<Op> *ret)
    {
#pragma unroll
        for (uint32_t i = 0; i < samples; i++)
            ret->samples.w[i] = at<samples>(threadIdx.x % lanes * samples + i);
    }
};

/* Stores the results of a warp, which are contiguous in memory, as far as their index is below `kept`. `to` would be
 * the lowest address if all of them existed. Must be called by whole warps. Each part has two warp barriers: the first
 * comes after all writes to shared memory, the second after all reads. */
template <class Op>
__device__ __forceinline__ void store_run(const Op &op, char *to, uint64_t kept, const typename Op::state (&s)[row],
                                          struct warp_memory<Op> &shared)
{
    using T = typename Op::result;
    constexpr uint32_t part = warp_memory<Op>::part, of_row = warp_memory<Op>::results;
    constexpr uint32_t per_vector = sizeof(uint4) / sizeof(T), n = lanes * of_row * per_vector;
    const uint32_t lane = threadIdx.x % lanes, mine = op.args.reverse ? lanes - 1 - lane : lane;
    const uint32_t there = kept < n / Op::n_results ? static_cast<uint32_t>(kept) * Op::n_results : n;
    const uint32_t low = op.args.reverse ? n - there : 0, high = op.args.reverse ? n : there;
    const bool whole = there == n && reinterpret_cast<uint64_t>(to) % sizeof(uint4) == 0;
    samples_of_row<T, Op::n_results> all;
    finish_row(op, s, &all);
#pragma unroll
    for (uint32_t first = 0; first < of_row; first += part) {
#pragma unroll
        for (uint32_t i = 0; i < part; i++)
            shared.template at<part>(mine * part + i) = all.w[first + i];
        gf_sync_warp();
        if (whole) {
#pragma unroll
            for (uint32_t i = 0; i < part; i++) {
                const uint32_t v = i * lanes + lane;
                reinterpret_cast<uint4 *>(to)[v / part * of_row + first + v % part] = shared.template at<part>(v);
            }
        } else {
#pragma unroll 4
            for (uint32_t i = lane; i < lanes * part * per_vector; i += lanes) {
                const uint32_t v = i / per_vector, k = i % per_vector;
                const uint32_t at = (v / part * of_row + first + v % part) * per_vector + k;
                if (at >= low && at < high)
                    reinterpret_cast<T *>(to)[at] = reinterpret_cast<const T *>(&shared.template at<part>(v))[k];
            }
        }
        gf_sync_warp();
    }
}

/* Stores the results of a group, whose first element has index `first`, given the prefix of each lane's row. Must be
 * called by whole warps. */
template <class Op>
__device__ __forceinline__ void store_group(const Op &op, const struct sequence &q, uint64_t first,
                                            const prefix<Op> &before, typename Op::state (&s)[row],
                                            struct warp_memory<Op> &shared)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t from = first + threadIdx.x % lanes * row;
    if constexpr (Op::at_once) {
        if (first >= q.n)
            return;
        const struct walk to(a, q, first + a.exclusive);
        if (to.is_run(a, lanes * row)) {
            if (a.exclusive && from == 0)
                op.store(walk(a, q, 0).there(a, q.channel), op.none());
            add_before(op, before, s);
            store_run(op, to.there(a, 0) - (a.reverse ? (lanes * row - 1) * uint64_t{a.dst_pixel} : 0),
                      q.n - first - a.exclusive, s, shared);
            return;
        }
    }
    store_row(op, q, from, row_at(q, from), before, s);
}

} // namespace user
} // namespace gf

#endif

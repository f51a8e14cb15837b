/* SPDX-License-Identifier: MIT */
/*
 * Scans by an operator that somebody brought, docs/numerics.md 27 and 9. A thread has a row of 16 elements, a warp a
 * group of 32 rows, a block of threads a block of 4096 elements. Three passes, since a look-back would have to publish
 * states of any size: the aggregate of every block, what stands before each by the tree over blocks, results. Columns
 * are blocks of 64 rows in the same three passes. Op as in operator_fold.cuh, with `shuffle_up`.
 */
#ifndef GF_CUDA_OPERATOR_SCAN_CUH
#define GF_CUDA_OPERATOR_SCAN_CUH

#include "operator_walk.cuh"

namespace gf
{
namespace user
{

constexpr uint64_t group_blocks = 32, super_blocks = group_blocks * 32;

/* What stands before something: nothing, or a state. */
template <class Op> struct prefix {
    typename Op::state s;
    bool there;

    __device__ __forceinline__ typename Op::state before(const Op &op, const typename Op::state &later) const
    {
        return there ? op.combine(s, later) : later;
    }
    /* This, then what else stands before the same. */
    __device__ __forceinline__ prefix<Op> then(const Op &op, const prefix<Op> &later) const
    {
        return later.there ? prefix<Op>{before(op, later.s), true} : *this;
    }
};

/* The five steps of a group: of every lane, what its own lanes up to it make. `own` is how many lanes of the same
 * sequence stand before it. Called by whole warps: of each step all lanes have read before any goes on. */
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

/* The `count` elements of a row, one after the other: s[j], and the last one. */
template <class Op>
__device__ __forceinline__ typename Op::state scan_row(const Op &op, const struct sequence &q, uint64_t from,
                                                       uint32_t count, typename Op::state (&s)[row])
{
    typename Op::state last = {};
    if (count == 0)
        return last;
    elements<Op> source(op, q, from);
    if constexpr (Op::at_once) { /* nobody wants the last one of a row that is not whole */
        source.next_row(s, count);
#pragma unroll
        for (int j = 1; j < row; j++)
            s[j] = op.combine(s[j - 1], s[j]);
        return s[row - 1];
    }
#pragma unroll 1
    for (uint32_t j = 0; j < count; j++) {
        const typename Op::state next = source.next();
        last = j == 0 ? next : op.combine(last, next);
        s[j] = last;
    }
    return last;
}

/* Stores `kept` results of a row, for Op::at_once. */
template <class Op>
__device__ __forceinline__ void store_at_once(const Op &op, struct walk to, uint32_t channel, uint64_t kept,
                                              const typename Op::state (&s)[row])
{
    constexpr int each = Op::n_results;
    const struct gf_cuda_operator_args &a = op.args;
    samples_of_row<typename Op::result, each> all;
    const bool backwards = !a.columns && a.reverse;
#pragma unroll
    for (int j = 0; j < row; j++)
        op.finish(s[j], all.v + (backwards ? row - 1 - j : j) * each);
    char *first = to.there(a, channel) - (backwards ? (row - 1) * a.dst_pixel : 0);
    if (kept == row && to.is_run(a) && reinterpret_cast<uint64_t>(first) % sizeof(uint4) == 0) {
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

/* Results of a row by what stands before it. An exclusive scan has each one element later, and one of no elements
 * first. */
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
        if (before.there) {
#pragma unroll
            for (int j = 0; j < row; j++)
                s[j] = op.combine(before.s, s[j]);
        }
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

/* What stands before a block: what passes before this one left. Block b is in group g and super group h; states of a
 * sequence begin at its home in each of the parts. */
template <class Op> __device__ __forceinline__ prefix<Op> prefix_of(const Op &op, const struct chunk &c)
{
    const uint64_t b = c.number, g = b / group_blocks, h = b / super_blocks;
    prefix<Op> p = {op.none(), false};
    if (h > 0)
        p = {load<Op>(op.args.parts[2], c.home + h - 1), true};
    if (g % group_blocks != 0)
        p = p.then(op, {load<Op>(op.args.parts[1], c.home + g - 1), true});
    if (b % group_blocks != 0)
        p = p.then(op, {load<Op>(op.args.parts[0], c.home + b - 1), true});
    return p;
}

/* Totals of the groups of a block, one side for each of two rounds in turn. A warp writes its total before the barrier
 * of the round and reads all after it; the next write to the side is two rounds on, so behind the barrier of the round
 * between, which all reach after they have read. */
template <class Op> struct group_totals {
    typename Op::state of[2][warps];
};

/* For all threads of the block: what stands before this warp's group in its block, and the last group's with `all`. */
template <class Op>
__device__ __forceinline__ prefix<Op> groups_before(const Op &op, const typename Op::state (&totals)[warps], int groups)
{
    prefix<Op> e = {totals[0], groups > 0};
#pragma unroll 1
    for (int g = 1; g < groups; g++)
        e.s = op.combine(e.s, totals[g]);
    return e;
}

/* Blocks but a sequence's last one to their aggregates. */
template <class Op>
__device__ __forceinline__ void scan_totals(const Op &op, const struct gf_cuda_operator_level &l,
                                            struct group_totals<Op> &totals)
{
    const struct gf_cuda_operator_args &a = op.args;
    int side = 0;
    for (uint64_t tile = l.first + blockIdx.x; tile < l.end; tile += gridDim.x) {
        const struct chunk c = chunk_at(a, tile, a.blocks);
        if (c.number + 1 == c.blocks)
            continue;
        typename Op::state s[row];
        typename Op::state u = scan_row(op, c.s, c.number * a.block + threadIdx.x * row, row, s);
        u = scan_lanes(op, u, threadIdx.x % lanes);
        if (threadIdx.x % lanes == lanes - 1)
            totals.of[side][threadIdx.x / lanes] = u;
        gf_sync_block(); /* see group_totals; the whole block has the same tile */
        if (threadIdx.x == 0)
            save<Op>(op.args.parts[0], c.home + c.number, groups_before(op, totals.of[side], warps).s);
        side ^= 1;
    }
}

/* 32 aggregates of a sequence, or totals of so many of those, to what they make up to each, in place, and their
 * total. The last block's aggregate is wanted by nobody, nor is the total of fewer than 32. */
template <class Op> __device__ __forceinline__ void scan_parts(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % lanes;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * warps;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes; item < l.end;
         item += step) {
        const struct chunk c = chunk_at(a, item, l.made);
        const uint64_t n = (c.blocks - 1) / l.scale;
        uint64_t number = c.number;
        if (a.offsets) { /* an item stands for each block: the first ones of 32 states do the work */
            if (number % (l.scale * lanes) != 0)
                continue;
            number /= l.scale * lanes;
        }
        const uint64_t at = number * lanes + lane;
        typename Op::state u = {};
        if (at < n)
            u = load<Op>(l.in, c.home + at);
        u = scan_lanes(op, u, lane);
        if (at < n)
            save<Op>(l.in, c.home + at, u);
        if (at < n && lane == lanes - 1)
            save<Op>(l.out, c.home + number, u);
    }
}

/* `n` states, `step` from each other, to what they make up to each, one after the other. */
template <class Op>
__device__ __forceinline__ void scan_in_turn(const Op &op, const struct gf_cuda_operator_states &of, uint64_t at,
                                             uint64_t n, uint64_t step)
{
    typename Op::state s = {};
    for (uint64_t i = 0; i < n; i++, at += step) {
        const typename Op::state next = load<Op>(of, at);
        s = i == 0 ? next : op.combine(s, next);
        save<Op>(of, at, s);
    }
}

/* The totals of 1024 blocks of a sequence, for a thread. */
template <class Op> __device__ __forceinline__ void scan_tops(const Op &op, const struct gf_cuda_operator_level &l)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < l.end;
         item += step) {
        const struct chunk c = chunk_at(op.args, item, 1);
        if (c.number == 0)
            scan_in_turn(op, op.args.parts[2], c.home, (c.blocks - 1) / super_blocks, 1);
    }
}

/* Blocks to results. */
template <class Op>
__device__ __forceinline__ void scan_results(const Op &op, const struct gf_cuda_operator_level &l,
                                             struct group_totals<Op> &totals)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
    int side = 0;
    for (uint64_t tile = l.first + blockIdx.x; tile < l.end; tile += gridDim.x) {
        const struct chunk c = chunk_at(a, tile, a.blocks);
        const uint64_t from = c.number * a.block + threadIdx.x * row;
        const uint32_t count = row_at(c.s, from);
        typename Op::state s[row];
        const typename Op::state u = scan_lanes(op, scan_row(op, c.s, from, count, s), lane),
                                 earlier = Op::shuffle_up(u, 1);
        if (lane == lanes - 1)
            totals.of[side][group] = u;
        gf_sync_block(); /* see group_totals; the whole block has the same tile */
        if (count > 0) {
            const prefix<Op> before = groups_before(op, totals.of[side], group).then(op, {earlier, lane > 0});
            store_row(op, c.s, from, count, prefix_of(op, c).then(op, before), s);
        }
        side ^= 1;
    }
}

/* A sequence without blocks, as a lane has found it; none, or one with blocks, has no rows. */
struct short_sequence {
    struct sequence s;
    uint32_t rows;
};

__device__ __forceinline__ struct short_sequence short_at(const struct gf_cuda_operator_args &a, uint64_t number,
                                                          bool there)
{
    struct short_sequence own = {};
    if (there) {
        own.s = sequence_at(a, number);
        own.rows = own.s.n <= a.short_n ? static_cast<uint32_t>((own.s.n + row - 1) / row) : 0;
    }
    return own;
}

/* Sequences of at most 512 elements: each lane of a warp finds one, then the warp takes as many at a time, neighbours,
 * as fit its 32 rows. Whole warps go through this together: loops end by what all lanes see. */
template <class Op> __device__ __forceinline__ void scan_short(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % lanes;
    const uint64_t warp = static_cast<uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes,
                   step = static_cast<uint64_t>(gridDim.x) * warps * a.lanes;
    for (uint64_t first = l.first + warp * a.lanes; first < l.end; first += step) {
        const struct short_sequence own = short_at(a, first + lane, lane < a.lanes && first + lane < l.end);
#pragma unroll 1
        for (uint32_t next = 0; next < lanes;) {
            uint32_t end = lane >= next ? own.rows : 0; /* rows of the sequences from `next` to the lane's */
#pragma unroll
            for (uint32_t d = 1; d < lanes; d *= 2) {
                const uint32_t before = gf_shuffle_up(end, d);
                end += lane >= d ? before : 0;
            }
            next = __popc(gf_ballot(end <= lanes));
            const uint32_t total = gf_shuffle(end, static_cast<int>(next) - 1);
            uint32_t owner = 0; /* of row `lane`: the first one that ends behind it */
#pragma unroll
            for (uint32_t half = 16; half > 0; half /= 2)
                if (gf_shuffle(end, static_cast<int>(owner + half) - 1) <= lane)
                    owner += half;
            const int from_lane = static_cast<int>(owner);
            const struct sequence s = {gf_shuffle(own.s.line, from_lane), gf_shuffle(own.s.n, from_lane),
                                       gf_shuffle(own.s.base, from_lane), gf_shuffle(own.s.channel, from_lane)};
            const uint32_t number = lane - gf_shuffle(end - own.rows, from_lane);
            const uint64_t from = static_cast<uint64_t>(number) * row;
            const uint32_t count = lane < total ? row_at(s, from) : 0;
            typename Op::state x[row];
            const typename Op::state u = scan_lanes(op, scan_row(op, s, from, count, x), count > 0 ? number : 0),
                                     earlier = Op::shuffle_up(u, 1);
            store_row(op, s, from, count, {earlier, number > 0}, x);
        }
    }
}

/* Down columns: a thread has a block of 64 elements, neighbours have neighbouring columns. All but the last block to
 * their totals, or, with what stands before them, to results. */
template <bool results, class Op>
__device__ __forceinline__ void scan_columns(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t sequences = a.lines * a.channels, step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < l.end;
         item += step) {
        uint64_t number = item;
        const uint64_t block = l.made > 1 ? divide(item, sequences, &number) : 0, first = block * a.block;
        const struct sequence s = sequence_at(a, number);
        prefix<Op> before = {op.none(), false};
        if (results && block > 0)
            before = {load<Op>(op.args.parts[0], item - sequences), true};
        if (results && a.exclusive && block == 0)
            op.store(walk(a, s, 0).there(a, s.channel), op.none());
        elements<Op> source(op, s, first);
        struct walk to(a, s, first + a.exclusive);
        typename Op::state last = {};
        const uint64_t end = s.n - first < a.block ? s.n : first + a.block;
        const auto add = [&](const typename Op::state &next, bool is_first) {
            last = is_first ? next : op.combine(last, next);
            if (results && to.i < s.n)
                op.store(to.there(a, s.channel), before.before(op, last));
            to.next(a);
        };
        uint64_t i = first;
        if constexpr (Op::at_once) {
#pragma unroll 1
            for (; end - i >= row; i += row) {
                typename Op::state next[row];
                source.next_row(next, row);
#pragma unroll
                for (int j = 0; j < row; j++)
                    add(next[j], j == 0 && i == first);
            }
        }
#pragma unroll 1
        for (; i < end; i++)
            add(source.next(), i == first);
        if (!results)
            save<Op>(op.args.parts[0], item, last);
    }
}

/* Totals of the blocks of a column, for a thread. */
template <class Op>
__device__ __forceinline__ void scan_column_parts(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t sequences = a.lines * a.channels, step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < l.end;
         item += step)
        scan_in_turn(op, op.args.parts[0], item, a.blocks - 1, sequences);
}

} // namespace user
} // namespace gf

#endif

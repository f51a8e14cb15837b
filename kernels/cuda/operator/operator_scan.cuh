/* SPDX-License-Identifier: MIT */
/*
 * Scans by an operator that somebody brought, docs/numerics.md 27 and 9. A thread has a row of 16 elements, a warp a
 * group of 32 rows (operator_scan_rows.cuh), a block of threads a block of 4096 elements, and learns what stands before
 * it by decoupled look-back. Columns are blocks of 64 rows in three passes: totals, what stands before each, results.
 * Op as in operator_fold.cuh, with `shuffle_up` and `shuffle`.
 */
#ifndef GF_CUDA_OPERATOR_SCAN_CUH
#define GF_CUDA_OPERATOR_SCAN_CUH

#include "kernels/cuda/device/tile_state.cuh"
#include "operator_scan_rows.cuh"

namespace gf
{
namespace user
{

/* How tile_state.cuh takes an operator. */
template <class Op> struct published {
    using item = typename Op::state;
    using prefix = struct gf::user::prefix<Op>;

    const Op &op;

    __device__ __forceinline__ item operator()(const item &earlier, const item &later) const
    {
        return op.combine(earlier, later);
    }
    __device__ __forceinline__ prefix none() const
    {
        return {op.none(), false};
    }
    static __device__ __forceinline__ prefix some(const item &s)
    {
        return {s, true};
    }
    static __device__ __forceinline__ item shuffle(const item &s, int lane)
    {
        return Op::shuffle(s, lane);
    }
    static __device__ __forceinline__ item shuffle_up(const item &s, unsigned distance)
    {
        return Op::shuffle_up(s, distance);
    }
};

template <class Op>
__device__ __forceinline__ struct prefix<Op> join(const published<Op> &of, const struct prefix<Op> &earlier,
                                                  const struct prefix<Op> &later) {
    return earlier.then(of.op, later);
}

/* In place of the one in tile_state.cuh, whose steps are unrolled: a text may be long. */
template <class Op>
__device__ __forceinline__ typename Op::state warp_inclusive_scan(const published<Op> &of, typename Op::state s,
                                                                  int lane)
{
    return scan_lanes(of.op, s, static_cast<uint32_t>(lane));
}

/* Where the blocks of one sequence look back: see gf_cuda_operator_look_back. */
template <class Op>
__device__ __forceinline__ struct ordered_tile_state<published<Op>> look_back_of(const Op &op, const struct chunk &c) {
    using item = struct tile_item<published<Op>>;
    const struct gf_cuda_operator_look_back &l = op.args.look_back;
    const bool cut = op.args.offsets != nullptr;
    const uint64_t number = c.s.line * op.args.channels + c.s.channel,
                   group = cut ? c.home : c.home / lookback_group + number,
                   super = cut ? c.home : c.home / lookback_super + number;
    return {{op},
            static_cast<item *>(l.blocks) + c.home,
            static_cast<item *>(l.groups) + group,
            static_cast<item *>(l.supers) + super,
            l.group_counts + group,
            l.super_counts + super};
}

/* For all lanes of a warp: what stands before a group in its block, of the totals of the groups before; behind the
 * last group the block's aggregate. */
template <class Op>
__device__ __forceinline__ prefix<Op> groups_before(const Op &op, const typename Op::state (&totals)[warps], int groups)
{
    prefix<Op> e = {totals[0], groups > 0};
#pragma unroll 1
    for (int g = 1; g < groups; g++)
        e.s = op.combine(e.s, totals[g]);
    return e;
}

/*
 * What the threads of a block tell each other. Round r has the barriers A(r) and B(r), and chunks[r % 3] is its chunk,
 * the one before it that of the round before.
 * - chunks: written by the last warp between A(r) and B(r), for round r + 1, or before the first round. What was there
 *   is read in round r - 2 and, as the one before, in round r - 1, so before A(r).
 * - totals: written before A(r), read between A(r) and B(r); the next write is behind B(r).
 * - before: written by warp 0 between A(r) and B(r), read behind B(r) and before A(r + 1), behind which the next write
 *   is.
 * - memory[r % 2]: keeps the rows of round r until the next one makes their results. Each warp has its own part, where
 *   a lane reads what it wrote. Results pass through behind a barrier of the warp that all reach when they have read;
 *   behind the last barrier of these any lane keeps its row of round r + 2.
 */
template <class Op> struct line_storage {
    typename Op::state totals[warps];
    typename Op::state before;
    struct chunk chunks[3];
};
template <class Op> using line_memory = struct warp_memory<Op>[2][warps];

/* The memory of the block that runs. What is more than a kernel may declare is given at the launch. */
template <class Op> __device__ __forceinline__ line_memory<Op> &memory_of_block()
{
    if constexpr (warp_memory<Op>::given) {
        extern __shared__ uint4 given[];
        return *reinterpret_cast<line_memory<Op> *>(given);
    } else {
        __shared__ line_memory<Op> declared;
        return declared;
    }
}

/* For a whole warp: takes the next block, which has the number of a ticket; `blocks` is 0 where none is left. */
__device__ __forceinline__ void take_chunk(const struct gf_cuda_operator_args &a,
                                           const struct gf_cuda_operator_level &l, struct chunk *ret_chunk)
{
    ticket_counter ticket = 0;
    if (threadIdx.x % lanes == 0)
        ticket = take_ticket(l.tickets);
    const uint64_t tile = l.first + gf_shuffle(ticket, 0);
    struct chunk c = {};
    if (tile < l.end)
        c = chunk_at(a, tile, a.blocks);
    if (threadIdx.x % lanes == 0)
        *ret_chunk = c;
}

/* The index of the first element of a warp's group in a block. */
__device__ __forceinline__ uint64_t group_at(const struct gf_cuda_operator_args &a, const struct chunk &c)
{
    return c.number * a.block + threadIdx.x / lanes * GF_CUDA_OPERATOR_FOLD;
}

/* For a whole warp: what stands before each lane's row in its group; gives the group's total to the last lane, and
 * keeps the rows. */
template <class Op>
__device__ __forceinline__ prefix<Op> reduce_group(const Op &op, const struct chunk &c, struct warp_memory<Op> &memory,
                                                   typename Op::state *ret_total)
{
    const uint32_t lane = threadIdx.x % lanes;
    const uint64_t from = group_at(op.args, c) + lane * row;
    const uint32_t count = row_at(c.s, from);
    typename Op::state s[row], u = {};
    row_of_thread<Op> r;
    if (count > 0) {
        r.read(op, c.s, from, count);
        if constexpr (warp_memory<Op>::keeps)
            memory.keep(r);
        u = r.scan(op, c.s, from, count, s);
    }
    u = scan_lanes(op, u, lane);
    const typename Op::state earlier = Op::shuffle_up(u, 1);
    if (lane == lanes - 1)
        *ret_total = u;
    return {earlier, lane > 0};
}

/* For a whole warp: the results of a group, with what stands before each lane's row in all. The rows that were kept
 * make room for them: all lanes have read theirs before the barrier. */
template <class Op>
__device__ __forceinline__ void scan_group(const Op &op, const struct chunk &c, const prefix<Op> &before,
                                           struct warp_memory<Op> &memory)
{
    const uint64_t first = group_at(op.args, c), from = first + threadIdx.x % lanes * row;
    const uint32_t count = row_at(c.s, from);
    typename Op::state s[row];
    if constexpr (warp_memory<Op>::keeps) {
        row_of_thread<Op> r;
        memory.kept(&r);
        gf_sync_warp();
        (void)r.scan(op, c.s, from, count, s);
    } else {
        (void)scan_row(op, c.s, from, count, s);
    }
    store_group(op, c.s, first, before, s, memory);
}

/*
 * Blocks to results. In every round a block of threads makes the aggregate of one block and publishes it, then makes
 * the results of the one of the round before: those that stand before that have had a round's time to be published. Its
 * samples are kept, or where they are many read again.
 *
 * Why nobody waits for ever: a block of threads has its tickets in order, and waits for blocks of earlier tickets of
 * the launch only; launches before are through. Of the tickets whose aggregates are not published take the earliest.
 * Whoever has it has begun, and if it waits, then for what stands before one of its earlier tickets: aggregates that
 * are all published, and totals of these, which those who published last make without waiting for anything else
 * (tile_state.cuh). So it goes on, and publishes.
 */
template <class Op>
__device__ __forceinline__ void scan_lines(const Op &op, const struct gf_cuda_operator_level &l,
                                           struct line_storage<Op> &shared, line_memory<Op> &memory)
{
    const uint32_t group = threadIdx.x / lanes;
    prefix<Op> own = {op.none(), false};
    uint32_t slot = 0, last = 2, side = 0;
    if (threadIdx.x == 0)
        shared.chunks[last] = {};
    if (group == warps - 1)
        take_chunk(op.args, l, &shared.chunks[slot]);
    gf_sync_block();
#pragma unroll 1
    while (shared.chunks[slot].blocks + shared.chunks[last].blocks > 0) {
        const struct chunk &c = shared.chunks[slot], &due = shared.chunks[last];
        const uint32_t next = 3 - slot - last;
        prefix<Op> before = own;
        if (c.blocks > 0)
            own = reduce_group(op, c, memory[side][group], &shared.totals[group]);
        gf_sync_block(); /* A */
        if (c.blocks > 0)
            own = groups_before(op, shared.totals, static_cast<int>(group)).then(op, own);
        if (group == warps - 1)
            take_chunk(op.args, l, &shared.chunks[next]);
        if (group == 1 && c.number + 1 < c.blocks)
            look_back_of(op, c).publish(c.number, groups_before(op, shared.totals, warps).s);
        if (group == 0 && due.number > 0) {
            const prefix<Op> p = look_back_of(op, due).exclusive_prefix(due.number);
            if (threadIdx.x == 0)
                shared.before = p.s;
        }
        gf_sync_block(); /* B */
        if (due.number > 0)
            before = prefix<Op>{shared.before, true}.then(op, before);
        if (due.blocks > 0)
            scan_group(op, due, before, memory[side ^ 1][group]);
        last = slot;
        slot = next;
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

/* Totals of the blocks of a column, for a thread: to what they make up to each, one after the other. */
template <class Op>
__device__ __forceinline__ void scan_column_parts(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t sequences = a.lines * a.channels, step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < l.end;
         item += step) {
        typename Op::state s = {};
        for (uint64_t i = 0, at = item; i + 1 < a.blocks; i++, at += sequences) {
            const typename Op::state next = load<Op>(a.parts[0], at);
            s = i == 0 ? next : op.combine(s, next);
            save<Op>(a.parts[0], at, s);
        }
    }
}

} // namespace user
} // namespace gf

#endif

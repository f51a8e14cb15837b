/* SPDX-License-Identifier: MIT */
/*
 * Scans by a user's operator, docs/numerics.md, "Operators of users" and "Trees of scans". A thread has a row of 16
 * elements, a warp a group of 32 rows (operator_scan_rows.cuh), a thread block a block of 4096 elements, whose prefix
 * it gets by decoupled look-back. Columns are cut into blocks of 64 rows and scanned in three passes: totals, prefixes,
 * results. Op is described in operator_fold.cuh; scans also use `shuffle_up` and `shuffle`.
 */
#ifndef GF_CUDA_OPERATOR_SCAN_CUH
#define GF_CUDA_OPERATOR_SCAN_CUH

#include "kernels/cuda/device/tile_state.cuh"
#include "operator_scan_rows.cuh"

namespace gf
{
namespace user
{

/* The operator, as tile_state.cuh expects it. */
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

/* Replaces the warp scan of tile_state.cuh, whose steps are unrolled, because a text may be long. */
template <class Op>
__device__ __forceinline__ typename Op::state warp_inclusive_scan(const published<Op> &of, typename Op::state s,
                                                                  int lane)
{
    return scan_lanes(of.op, s, static_cast<uint32_t>(lane));
}

/* The look-back state of the sequence of a chunk. */
template <class Op>
__device__ __forceinline__ struct ordered_tile_state<published<Op>> look_back_of(const Op &op, const struct chunk &c) {
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t sequence = c.s.line * a.channels + c.s.channel;
    return ordered_tile_state<published<Op>>::of({op}, a.look_back, c.home, sequence, a.offsets != nullptr);
}

/* The prefix of a group within its block, from the totals of the earlier groups; with `groups` = warps, the block's
 * aggregate. The same in all lanes of a warp. */
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
 * Shared memory of a thread block. Round r has the barriers A(r) and B(r). Its chunk is chunks[r % 3]; the chunk of the
 * round before is still in use. - chunks: the last warp writes the chunk of round r + 1 between A(r) and B(r); the
 * first chunk is written before round
 *   0. The old contents were read in rounds r - 2 and r - 1, so before A(r).
 * - totals: written before A(r), read between A(r) and B(r), next written after B(r). - before: written by warp 0
 * between A(r) and B(r), read between B(r) and A(r + 1), next written after A(r + 1). - memory[r % 2]: keeps the rows
 * of round r until round r + 1 makes their results. Each warp has its own part, in which
 *   a lane reads only what it wrote. Results pass through the part after a warp barrier, which all lanes reach after
 * they have read their rows. After the last of the warp barriers for results, a lane may keep its row of round r + 2.
 */
template <class Op> struct line_storage {
    typename Op::state totals[warps];
    typename Op::state before;
    struct chunk chunks[3];
};
template <class Op> using line_memory = struct warp_memory<Op>[2][warps];

/* The block's memory for rows. It is dynamic if it is larger than a kernel may declare. */
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

/* Takes the next block, whose number is a ticket. The chunk's `blocks` is 0 if no block is left. Must be called by a
 * whole warp. */
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

/* Scans a group without results: returns the prefix of each lane's row within the group, gives the group's total to the
 * last lane, and keeps the rows. Must be called by a whole warp. */
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

/* Makes the results of a group, given the full prefix of each lane's row. The results overwrite the rows that were
 * kept: all lanes have read their rows before the barrier. Must be called by a whole warp. */
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
 * Scans blocks. In every round a thread block computes the aggregate of one block and publishes it, then makes the
 * results of the block of the round before, whose predecessors have had a round's time to publish. That block's samples
 * have been kept, or are read again if they are too many.
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

/* A sequence without blocks, as a lane has looked it up. It has no rows if it does not exist or has blocks. */
struct short_sequence {
    struct sequence s;
    int rows;
};

__device__ __forceinline__ struct short_sequence short_at(const struct gf_cuda_operator_args &a, uint64_t number,
                                                          bool there)
{
    struct short_sequence own = {};
    if (there) {
        own.s = sequence_at(a, number);
        own.rows = own.s.n <= a.short_n ? static_cast<int>((own.s.n + row - 1) / row) : 0;
    }
    return own;
}

/* Scans sequences of at most 512 elements. Each lane of a warp looks up one sequence. */
template <class Op> __device__ __forceinline__ void scan_short(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % lanes;
    const uint64_t warp = static_cast<uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes,
                   step = static_cast<uint64_t>(gridDim.x) * warps * a.lanes;
    for (uint64_t first = l.first + warp * a.lanes; first < l.end; first += step) {
        const struct short_sequence own = short_at(a, first + lane, lane < a.lanes && first + lane < l.end);
        pack_rows(own.rows, [&](const struct packed_row &at) {
            const struct sequence s = {gf_shuffle(own.s.line, at.owner), gf_shuffle(own.s.n, at.owner),
                                       gf_shuffle(own.s.base, at.owner), gf_shuffle(own.s.channel, at.owner)};
            const uint64_t from = static_cast<uint64_t>(at.number) * row;
            const uint32_t count = at.there ? row_at(s, from) : 0, number = count > 0 ? at.number : 0;
            typename Op::state x[row];
            const typename Op::state u = scan_lanes(op, scan_row(op, s, from, count, x), number),
                                     earlier = Op::shuffle_up(u, 1);
            store_row(op, s, from, count, {earlier, number > 0}, x);
        });
    }
}

/* Scans columns: a thread has a block of 64 elements, and adjacent threads have adjacent columns. Makes the totals of
 * all blocks but the last, or, from the prefixes, results. */
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

/* Makes inclusive prefixes of the totals of a column's blocks, in sequence, one column per thread. */
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

/* SPDX-License-Identifier: MIT */
/*
 * Reductions by a user's operator, docs/numerics.md, "Operators of users": neighbours are combined in pairs, level by
 * level; an element without a partner moves up unchanged. So any aligned power of two of neighbours may be combined
 * first: 16 by a thread, 512 by a warp, then 512 of the resulting states, until one is left. Down columns a thread
 * takes 64 elements.
 *
 * Op runs the operator's texts: operator_interpreter.cuh, or code generated at run time. It has `state`, `lift`,
 * `combine`, `store`, `none`, `load`, `save` and `shuffle_down`; `at_once` says that rows of 16 are held in registers.
 */
#ifndef GF_CUDA_OPERATOR_FOLD_CUH
#define GF_CUDA_OPERATOR_FOLD_CUH

#include "operator_walk.cuh"

namespace gf
{
namespace user
{

/* Combines a stream of fewer than 2^levels states in pairs. stack[l] is the combination of 2^l states and waits for a
 * partner, if bit l of the number of states so far is set: pushing a state works like adding 1 to a binary number. At
 * the end the remaining states are combined from the last one on. */
template <class Op, int levels> struct pairs {
    typename Op::state stack[levels] = {};
    uint32_t n = 0;

    __device__ __forceinline__ void push(const Op &op, typename Op::state s)
    {
        int level = 0;
#pragma unroll 1
        for (; (n >> level & 1) != 0; level++)
            s = op.combine(stack[level], s);
        stack[level] = s;
        n++;
    }

    __device__ __forceinline__ typename Op::state all(const Op &op) const
    {
        typename Op::state s = op.none();
        bool any = false;
#pragma unroll 1
        for (int level = 0; level < levels; level++)
            if ((n >> level & 1) != 0) {
                s = any ? op.combine(stack[level], s) : stack[level];
                any = true;
            }
        return s;
    }
};

/* Combines a source's next `count` states, 1 to 16. */
template <class Op, class Source>
__device__ __forceinline__ typename Op::state fold_row(const Op &op, Source &source, uint32_t count)
{
    if constexpr (Op::at_once)
        if (count == row) {
            typename Op::state s[row];
            source.next_row(s, row);
#pragma unroll
            for (int d = 1; d < row; d *= 2) {
#pragma unroll
                for (int i = 0; i < row; i += 2 * d)
                    s[i] = op.combine(s[i], s[i + d]);
            }
            return s[0];
        }
    pairs<Op, 5> all;
#pragma unroll 1
    for (uint32_t j = 0; j < count; j++)
        all.push(op, source.next());
    return all.all(op);
}

/* Combines the rows of `of` adjacent lanes in pairs; `n` elements in all from the first of these lanes on, which gets
 * the result. Must be called by whole warps. */
template <class Op>
__device__ __forceinline__ typename Op::state fold_lanes(const Op &op, typename Op::state s, uint64_t n, uint32_t of)
{
    const uint32_t lane = threadIdx.x % of;
#pragma unroll 1
    for (uint32_t d = 1; d < of; d *= 2) {
        const typename Op::state later = Op::shuffle_down(s, d);
        if (lane % (2 * d) == 0 && static_cast<uint64_t>(lane + d) * row < n)
            s = op.combine(s, later);
    }
    return s;
}

__device__ __forceinline__ uint32_t row_of(uint64_t n, uint32_t lane)
{
    const uint64_t first = static_cast<uint64_t>(lane) * row;
    return n <= first ? 0 : n - first < row ? static_cast<uint32_t>(n - first) : row;
}

/* Reduces sequences without blocks: args.lanes threads share a sequence, 16 elements each per round. All lanes of a
 * warp shuffle, so a warp continues while any of its sequences does. */
template <class Op> __device__ __forceinline__ void fold_short(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % a.lanes, of_block = threads / a.lanes;
    const uint64_t span = static_cast<uint64_t>(a.lanes) * row;
    for (uint64_t first = l.first + static_cast<uint64_t>(blockIdx.x) * of_block; first < l.end;
         first += static_cast<uint64_t>(gridDim.x) * of_block) {
        const uint64_t number = first + threadIdx.x / a.lanes;
        struct sequence s = {};
        bool ours = number < l.end;
        if (ours) {
            s = sequence_at(a, number);
            ours = s.n <= a.short_n;
        }
        const uint64_t n = ours ? s.n : 0;
        pairs<Op, 6> spans; /* a sequence has at most 512 / 16 */
#pragma unroll 1
        for (uint64_t from = 0; gf_any_lane(from < n); from += span) {
            const uint64_t left = from < n ? n - from : 0;
            const uint32_t count = row_of(left, lane);
            typename Op::state t = {};
            if (count > 0) {
                elements<Op> source(op, s, from + lane * row);
                t = fold_row(op, source, count);
            }
            t = fold_lanes(op, t, left, a.lanes);
            if (lane == 0 && left > 0)
                spans.push(op, t);
        }
        if (ours && lane == 0)
            op.store(result_of(a, s), spans.all(op));
    }
}

/* Reduces 512 elements, or states, of a sequence with blocks, per warp. */
template <bool data, class Op>
__device__ __forceinline__ void fold_lines(const Op &op, const struct gf_cuda_operator_level &l)
{
    const struct gf_cuda_operator_args &a = op.args;
    const uint32_t lane = threadIdx.x % lanes;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * warps;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes; item < l.end;
         item += step) {
        struct chunk c = chunk_at(a, item, l.made);
        uint64_t n = data ? c.s.n : l.n;
        if (!data && a.offsets) { /* there is an item per block; the item of the first of 512 states does the work */
            n = (c.blocks - 1) / l.scale + 1;
            if (n == 1 || c.number % (l.scale * GF_CUDA_OPERATOR_FOLD) != 0)
                continue;
            c.number /= l.scale * GF_CUDA_OPERATOR_FOLD;
        }
        const uint64_t first = c.number * GF_CUDA_OPERATOR_FOLD, at = first + lane * row, left = n - first;
        const uint32_t count = row_of(left, lane);
        typename Op::state t = {};
        if (count > 0) {
            if constexpr (data) {
                elements<Op> source(op, c.s, at);
                t = fold_row(op, source, count);
            } else {
                states<Op> source(l.in, c.home + at, 1);
                t = fold_row(op, source, count);
            }
        }
        t = fold_lanes(op, t, left, lanes);
        if (lane != 0)
            continue;
        if (n > GF_CUDA_OPERATOR_FOLD)
            save<Op>(l.out, c.home + c.number, t);
        else
            op.store(result_of(a, c.s), t);
    }
}

/* Reduces 64 elements, or states, of a column, per thread. Adjacent threads take adjacent columns. */
template <bool data, class Op>
__device__ __forceinline__ void fold_columns(const Op &op, const struct gf_cuda_operator_level &l)
{
    constexpr uint64_t span = GF_CUDA_OPERATOR_COLUMN;
    const struct gf_cuda_operator_args &a = op.args;
    const uint64_t sequences = a.lines * a.channels, step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t item = l.first + static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < l.end;
         item += step) {
        uint64_t number = item;
        const uint64_t block = l.made > 1 ? divide(item, sequences, &number) : 0, first = block * span;
        const uint64_t end = l.n - first < span ? l.n : first + span;
        const struct sequence s = sequence_at(a, number);
        pairs<Op, 3> rows; /* at most 64 / 16 of them */
#pragma unroll 1
        for (uint64_t from = first; from < end; from += row) {
            const uint32_t count = row_of(end - from, 0);
            if constexpr (data) {
                elements<Op> source(op, s, from);
                rows.push(op, fold_row(op, source, count));
            } else {
                states<Op> source(l.in, from * sequences + number, sequences);
                rows.push(op, fold_row(op, source, count));
            }
        }
        if (l.made > 1)
            save<Op>(l.out, item, rows.all(op));
        else
            op.store(result_of(a, s), rows.all(op));
    }
}

} // namespace user
} // namespace gf

#endif

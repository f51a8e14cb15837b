/* SPDX-License-Identifier: MIT */
/*
 * Sequences of reduce and scan with op=user: which they are, their elements in order, where a result belongs. Included
 * by the kernels of operator_fold.cuh and operator_scan.cuh; needs nothing of the host's headers.
 */
#ifndef GF_CUDA_OPERATOR_WALK_CUH
#define GF_CUDA_OPERATOR_WALK_CUH

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/operator/operator_args.h"

namespace gf
{
namespace user
{

constexpr int threads = GF_CUDA_OPERATOR_THREADS, lanes = 32, warps = threads / lanes;
constexpr int row = GF_CUDA_OPERATOR_ROW;

/* An element: what a text may ask of it. */
struct place {
    const char *at; /* its sample, or its pixel's first one */
    uint64_t x, y, i;
    uint32_t channel;
};

/* A sequence. */
struct sequence {
    uint64_t line, n; /* n: its elements */
    uint64_t base;    /* of a segment: its first element */
    uint32_t channel;
};

/* A block of a sequence, or what a launch makes of several. */
struct chunk {
    struct sequence s;
    uint64_t number; /* of the block in the sequence */
    uint64_t blocks; /* of the sequence */
    uint64_t home;   /* where states of the sequence begin */
};

/* Fast where numbers are small, as they mostly are. */
__device__ __forceinline__ uint64_t divide(uint64_t a, uint64_t b, uint64_t *ret_rest)
{
    if ((a | b) >> 32 == 0) {
        const uint32_t q = static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
        *ret_rest = static_cast<uint32_t>(a) - q * static_cast<uint32_t>(b);
        return q;
    }
    const uint64_t q = a / b;
    *ret_rest = a - q * b;
    return q;
}

/* A sequence by its number: line by line, channels of a line side by side. */
__device__ __forceinline__ struct sequence sequence_at(const struct gf_cuda_operator_args &a, uint64_t number)
{
    struct sequence s;
    uint64_t channel = 0;
    s.line = a.channels > 1 ? divide(number, a.channels, &channel) : number;
    s.channel = static_cast<uint32_t>(channel);
    s.base = a.offsets ? a.offsets[s.line] : 0;
    s.n = a.offsets ? a.offsets[s.line + 1] - s.base : a.n;
    return s;
}

/* The segment that has a block, counted through all segments: the last one with no more blocks before it. */
__device__ __forceinline__ uint64_t segment_of(const struct gf_cuda_operator_args &a, uint64_t block)
{
    uint64_t low = 0, high = a.lines;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (a.before[middle] <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Chunk `item` of a launch that has `count` of each sequence that is no segment; of segments there is an item for each
 * block. Neighbours are channels of the same pixels, which share lines of the cache. */
__device__ __forceinline__ struct chunk chunk_at(const struct gf_cuda_operator_args &a, uint64_t item, uint64_t count)
{
    struct chunk c;
    uint64_t channel = 0, rest = item;
    if (a.channels > 1)
        rest = divide(item, a.channels, &channel);
    if (a.offsets) {
        const uint64_t line = segment_of(a, rest), first = a.before[line];
        c.s = sequence_at(a, line * a.channels + channel);
        c.number = rest - first;
        c.blocks = a.before[line + 1] - first;
        c.home = first * a.channels + channel * c.blocks;
    } else {
        uint64_t line = rest;
        c.number = 0;
        if (count > 1)
            line = divide(rest, count, &c.number);
        c.s = {line, a.n, 0, static_cast<uint32_t>(channel)};
        c.blocks = a.blocks;
        c.home = (line * a.channels + channel) * a.blocks;
    }
    return c;
}

/* Goes through the elements of a sequence from index `i` on; where there are none behind, nothing may be read. */
struct walk {
    uint64_t x, y, i;

    __device__ __forceinline__ walk(const struct gf_cuda_operator_args &a, const struct sequence &s, uint64_t from)
        : i(from)
    {
        const uint64_t at = s.base + (a.reverse ? s.n - 1 - from : from);
        if (a.columns) {
            x = s.line;
            y = at;
        } else if (a.along_rows) {
            x = at;
            y = s.line;
        } else if (a.height == 1) {
            x = at;
            y = 0;
        } else {
            y = divide(at, a.width, &x);
        }
    }

    __device__ __forceinline__ void next(const struct gf_cuda_operator_args &a)
    {
        i++;
        if (a.columns) {
            y += a.reverse ? ~uint64_t{0} : 1;
        } else if (a.reverse) {
            if (x-- == 0) {
                x = a.width - 1;
                y--;
            }
        } else if (++x == a.width) {
            x = 0;
            y++;
        }
    }

    __device__ __forceinline__ struct place here(const struct gf_cuda_operator_args &a, uint32_t channel) const
    {
        return {a.src + y * a.src_pitch + x * a.src_pixel + channel * a.src_size, x, y, i, channel};
    }

    /* Where a scan's result for this element belongs. */
    __device__ __forceinline__ char *there(const struct gf_cuda_operator_args &a, uint32_t channel) const
    {
        return a.dst + y * a.dst_pitch + x * a.dst_pixel + channel * a.dst_size;
    }
};

/* Where a reduction's result belongs. */
__device__ __forceinline__ char *result_of(const struct gf_cuda_operator_args &a, const struct sequence &s)
{
    return a.dst + s.line * (a.along_rows ? a.dst_pitch : a.dst_pixel) + s.channel * a.dst_size;
}

/* States of elements, in order. */
template <class Op> struct elements {
    const Op &op;
    struct walk at;
    uint32_t channel;

    __device__ __forceinline__ elements(const Op &the_op, const struct sequence &s, uint64_t from)
        : op(the_op), at(the_op.args, s, from), channel(s.channel)
    {
    }

    __device__ __forceinline__ typename Op::state next()
    {
        const struct place p = at.here(op.args, channel);
        at.next(op.args);
        return op.lift(p);
    }
};

/* State `i` of parts. */
template <class Op> __device__ __forceinline__ typename Op::state load(const Op &op, uint32_t part, uint64_t i)
{
    return Op::load(op.args.parts[part] + i, op.args.states[part]);
}
template <class Op>
__device__ __forceinline__ void save(const Op &op, uint32_t part, uint64_t i, const typename Op::state &s)
{
    Op::save(op.args.parts[part] + i, op.args.states[part], s);
}

/* States of parts, `step` from each other, in order. */
template <class Op> struct states {
    const Op &op;
    uint32_t part;
    uint64_t at, step;

    __device__ __forceinline__ states(const Op &the_op, uint32_t the_part, uint64_t first, uint64_t the_step)
        : op(the_op), part(the_part), at(first), step(the_step)
    {
    }

    __device__ __forceinline__ typename Op::state next()
    {
        const typename Op::state s = load(op, part, at);
        at += step;
        return s;
    }
};

} // namespace user
} // namespace gf

#endif

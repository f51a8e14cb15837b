/* SPDX-License-Identifier: MIT */
/*
 * Sequences of reduce and scan with op=user: how they are numbered, their elements in order, where results go.
 * Included by operator_fold.cuh and operator_scan.cuh; uses no header of the host.
 */
#ifndef GF_CUDA_OPERATOR_WALK_CUH
#define GF_CUDA_OPERATOR_WALK_CUH

#include "kernels/cuda/device/sequences.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/operator/operator_args.h"

namespace gf
{
namespace user
{

constexpr int threads = GF_CUDA_OPERATOR_THREADS, lanes = 32, warps = threads / lanes;
constexpr int row = GF_CUDA_OPERATOR_ROW;

/* An element, as texts may ask for it. */
struct place {
    const char *at; /* its sample, or the first sample of its pixel */
    uint64_t x, y, i;
    uint32_t channel;
};

/* A sequence. */
struct sequence {
    uint64_t line, n; /* n: the number of elements */
    uint64_t base;    /* the first element of a segment */
    uint32_t channel;
};

/* A block of a sequence, or an item that stands for several blocks. */
struct chunk {
    struct sequence s;
    uint64_t number; /* of the block within the sequence */
    uint64_t blocks; /* of the sequence; 0 if there is no chunk */
    uint64_t home;   /* where the states of the sequence begin */
};

/* The sequence with a number: line by line, with the channels of a line adjacent. */
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

/* Chunk `item` of a launch with `count` items per sequence; a segment has one item per block. Adjacent items are
 * channels of the same pixels, which share cache lines. Must be called by a whole warp. */
__device__ __forceinline__ struct chunk chunk_at(const struct gf_cuda_operator_args &a, uint64_t item, uint64_t count)
{
    struct chunk c;
    uint64_t channel = 0, rest = item;
    if (a.channels > 1)
        rest = divide(item, a.channels, &channel);
    if (a.offsets) {
        const uint64_t line = find_segment(a.before, a.lines, rest), first = a.before[line];
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

/* Walks over the elements of a sequence from index `from` on. Past the last element nothing may be read. */
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
            return;
        }
        x += a.reverse ? ~uint64_t{0} : 1;
        if (a.along_rows || a.height == 1)
            return;
        if (a.reverse && x == ~uint64_t{0}) {
            x = a.width - 1;
            y--;
        } else if (!a.reverse && x == a.width) {
            x = 0;
            y++;
        }
    }

    /* Whether the next `n` elements are in the same row of the picture and contiguous in memory. */
    __device__ __forceinline__ bool is_run(const struct gf_cuda_operator_args &a, uint64_t n) const
    {
        if (a.columns || a.channels > 1)
            return false;
        return a.along_rows || a.height == 1 || (a.reverse ? x + 1 >= n : a.width - x >= n);
    }

    __device__ __forceinline__ struct place here(const struct gf_cuda_operator_args &a, uint32_t channel) const
    {
        return {a.src + y * a.src_pitch + x * a.src_pixel + channel * a.src_size, x, y, i, channel};
    }

    /* The address of a scan's result for this element. */
    __device__ __forceinline__ char *there(const struct gf_cuda_operator_args &a, uint32_t channel) const
    {
        return a.dst + y * a.dst_pitch + x * a.dst_pixel + channel * a.dst_size;
    }
};

/* The address of a reduction's result. */
__device__ __forceinline__ char *result_of(const struct gf_cuda_operator_args &a, const struct sequence &s)
{
    return a.dst + s.line * (a.along_rows ? a.dst_pitch : a.dst_pixel) + s.channel * a.dst_size;
}

/* `each` samples of 16 elements, as the vectors by which they are moved. */
template <class T, int each> union samples_of_row {
    uint4 w[sizeof(T) * each];
    T v[row * each];
};

/* The states of elements in order: one at a time, or a row at a time. For rows Op has `sample`, the type of a sample in
 * memory, `each`, the number of samples per element, and a lift that takes samples. */
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

    /* Reads the samples of the next 16 elements, of which `count` exist. */
    template <class Samples> __device__ __forceinline__ void read_row(uint32_t count, Samples *ret) const
    {
        constexpr int each = Op::each;
        const struct gf_cuda_operator_args &a = op.args;
        struct walk w = at;
        const bool backwards = !a.columns && a.reverse; /* samples are kept in memory order */
        const char *first = at.here(a, channel).at - (backwards ? (row - 1) * a.src_pixel : 0);
        if (count == row && at.is_run(a, row) && reinterpret_cast<uint64_t>(first) % sizeof(uint4) == 0) {
#pragma unroll
            for (int i = 0; i < static_cast<int>(sizeof(typename Op::sample)) * each; i++)
                ret->w[i] = reinterpret_cast<const uint4 *>(first)[i];
            return;
        }
#pragma unroll
        for (int j = 0; j < row; j++) {
            const auto *from = reinterpret_cast<const typename Op::sample *>(w.here(a, channel).at);
#pragma unroll
            for (int c = 0; c < each; c++)
                ret->v[(backwards ? row - 1 - j : j) * each + c] =
                    static_cast<uint32_t>(j) < count ? from[c] : typename Op::sample{};
            w.next(a);
        }
    }

    /* Lifts the samples of the next 16 elements. The states of elements that do not exist are meaningless. */
    template <class Samples>
    __device__ __forceinline__ void lift_row(const Samples &samples, typename Op::state (&s)[row])
    {
        const struct gf_cuda_operator_args &a = op.args;
        const bool backwards = !a.columns && a.reverse;
#pragma unroll
        for (int j = 0; j < row; j++) {
            s[j] = op.lift(at.here(a, channel), samples.v + (backwards ? row - 1 - j : j) * Op::each);
            at.next(a);
        }
    }

    __device__ __forceinline__ void next_row(typename Op::state (&s)[row], uint32_t count)
    {
        samples_of_row<typename Op::sample, Op::each> samples;
        read_row(count, &samples);
        lift_row(samples, s);
    }
};

template <class Op>
__device__ __forceinline__ typename Op::state load(const struct gf_cuda_operator_states &from, uint64_t i)
{
    return Op::load(from.words + i, from.room);
}
template <class Op>
__device__ __forceinline__ void save(const struct gf_cuda_operator_states &to, uint64_t i, const typename Op::state &s)
{
    Op::save(to.words + i, to.room, s);
}

/* States in memory, in order, `step` states apart. */
template <class Op> struct states {
    const struct gf_cuda_operator_states &from;
    uint64_t at, step;

    __device__ __forceinline__ states(const struct gf_cuda_operator_states &all, uint64_t first, uint64_t the_step)
        : from(all), at(first), step(the_step)
    {
    }

    __device__ __forceinline__ typename Op::state next()
    {
        const typename Op::state s = load<Op>(from, at);
        at += step;
        return s;
    }

    __device__ __forceinline__ void next_row(typename Op::state (&s)[row], uint32_t count)
    {
#pragma unroll
        for (int j = 0; j < row; j++)
            if (static_cast<uint32_t>(j) < count)
                s[j] = next();
    }
};

} // namespace user
} // namespace gf

#endif

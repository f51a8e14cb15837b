/* SPDX-License-Identifier: MIT */
/*
 * Copy beside kernel: an array of the host is copied to the GPU and computed there. The link and the multiprocessors
 * are different parts of the machine, so both can work at once, on different pieces of the array. What order there is,
 * is said by streams: a stream does one thing after the other, two streams do theirs side by side, and an event makes
 * one wait for a point of the other. The host's pages are locked in all rungs, since a copy from other pages holds up
 * the host.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,
    ROUNDS = 1024, /* of the kernel, which makes it take about as long as the copy */
    PIECES = 16,   /* each a copy and a launch of some microseconds */
    COPYING = 1,
    COMPUTING = 2, /* streams */
};

/* Each element is put through a generator of random numbers. The factor is an argument, so that the compiler cannot
 * multiply the rounds out. */
static __global__ void mix(const unsigned *in, unsigned *out, size_t begin, size_t end, unsigned factor)
{
    const size_t i = begin + (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= end)
        return;
    unsigned x = in[i];
    for (unsigned k = 0; k < ROUNDS; k++)
        x = x * factor + 1;
    out[i] = x;
}

static size_t begin_of(const struct call *call, size_t piece)
{
    return call->n * piece / PIECES;
}

/* Copies a piece in a stream. */
static void copy_piece(struct call *call, unsigned stream, size_t piece)
{
    const size_t begin = begin_of(call, piece), end = begin_of(call, piece + 1);
    const unsigned *from = call->in[0];
    unsigned *to = call->temp;
    copy_in_stream(call, stream, to + begin, from + begin, (end - begin) * sizeof(*to));
}

/* Computes a piece in a stream. */
static void mix_piece(struct call *call, unsigned stream, size_t piece)
{
    const size_t begin = begin_of(call, piece), end = begin_of(call, piece + 1);
    RUN_IN(stream, mix, blocks_for(end - begin, BLOCK), BLOCK, call->temp, call->out, begin, end, call->parameter);
}

/*
 * copy-then-kernel: the whole array, then the kernel, in one stream. The multiprocessors are idle during the copy, the
 * link during the kernel. Limited by the sum of both times.
 */
RUNG(streams_copy_then_kernel)
{
    copy_in_stream(call, 0, call->temp, call->in[0], call->n * sizeof(unsigned));
    RUN(mix, blocks_for(call->n, BLOCK), BLOCK, call->temp, call->out, (size_t)0, call->n, call->parameter);
}

/*
 * pieces-in-one-stream: a piece is copied and computed, then the next. Nothing is gained: a stream keeps its order, so
 * the next copy waits for the kernel, although it does not need it. Limited by the sum of both times, and by the starts
 * of 32 operations.
 */
RUNG(streams_pieces_in_one_stream)
{
    for (size_t k = 0; k < PIECES; k++) {
        copy_piece(call, 0, k);
        mix_piece(call, 0, k);
    }
}

/*
 * copy-beside-kernel: copies in one stream, kernels in another. Each kernel waits for the copy of its piece, by an
 * event behind that copy, and for nothing else; the next copy is on its way meanwhile. Without the wait the kernel
 * would compute what was in memory before. Limited by the longer of the two, and by one piece of the shorter, which
 * nothing hides: more pieces make that smaller and cost more starts. The daemon computes a request in this way, with a
 * third stream for the results, since the link carries both directions at once.
 */
RUNG(streams_copy_beside_kernel)
{
    for (size_t k = 0; k < PIECES; k++) {
        copy_piece(call, COPYING, k);
        wait_for(call, COMPUTING, COPYING);
        mix_piece(call, COMPUTING, k);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * What the addresses of a warp cost. Memory is read and written in sectors of 32 bytes, four of which form a line of
 * 128. A load or store of a warp takes a request for each line that its lanes touch, and moves every sector that they
 * use, whole. All rungs but `broadcast` copy an array with one thread per element; they differ in which lane takes
 * which element.
 */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256, WARP = 32 };

/*
 * stride-1 to stride-32: neighbouring lanes take elements that are `stride` apart. Row y of the grid copies elements y,
 * y + stride, y + 2 stride and so on; all rows together copy the array. The lanes of a warp touch `stride` lines. From
 * stride 8 on, each lane has a sector to itself and uses 4 of its 32 bytes. By the time the next row of the grid
 * returns to a sector, the caches have lost it, because each row walks through the whole array. So the useful rate
 * falls as 1 / stride to an eighth at stride 8. After that the sectors are as many and only the lines increase: the
 * rate stays, or falls further on a GPU that fetches more than a sector at a time.
 */
static __global__ void strided_copy(const float *in, float *out, size_t n, unsigned stride)
{
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride + blockIdx.y;
    if (i < n)
        out[i] = in[i];
}

#define STRIDE(stride)                                                                                                 \
    RUNG(coalescing_stride_##stride)                                                                                   \
    {                                                                                                                  \
        dim3 grid = {blocks_for(call->n, (size_t)BLOCK * (stride)), stride, 1};                                        \
        RUN(strided_copy, grid, BLOCK, call->in[0], call->out, call->n, stride);                                       \
    }

STRIDE(1)

/*
 * permuted: as stride-1, but the lanes of a warp take its 32 elements in another order. They touch the same line, at
 * the same cost: what counts is which sectors a warp needs, not which lane needs which. Only GPUs before compute
 * capability 1.2 needed the lanes in order.
 */
static __global__ void permuted_copy(const float *in, float *out, size_t n)
{
    unsigned lane = threadIdx.x % WARP, permuted = (5 * lane + 3) % WARP; /* 5 is odd: every lane occurs once */
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x - lane + permuted;
    if (i < n)
        out[i] = in[i];
}

RUNG_IS(coalescing_permuted, RUN(permuted_copy, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))

/*
 * misaligned: as stride-1, but each warp starts one element after the start of a line. Its 32 elements lie in two lines
 * and five sectors instead of one and four. The fifth sector is also the first of the next warp and mostly comes from
 * a cache, so it costs a request rather than traffic to memory.
 */
static __global__ void misaligned_copy(const float *in, float *out, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < WARP - 1)
        return; /* only the last lane of the first warp has an element: the first */
    size_t i = thread - (WARP - 1);
    if (i < n)
        out[i] = in[i];
}

RUNG_IS(coalescing_misaligned,
        RUN(misaligned_copy, blocks_for(call->n + WARP - 1, BLOCK), BLOCK, call->in[0], call->out, call->n))

/*
 * broadcast: all lanes of a warp read the same element. One sector is read and its word handed to every lane, in one
 * request. Element i of the result is element i / 32 of the input, so little is read: limited by the writes, which are
 * the same as in stride-1.
 */
static __global__ void broadcast(const float *in, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i / WARP];
}

RUNG_IS(coalescing_broadcast, RUN(broadcast, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))

/* The remaining strides. */
/* clang-format off */
#define STRIDES(X)                                                                                                     \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21)    \
    X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
STRIDES(STRIDE)
/* clang-format on */

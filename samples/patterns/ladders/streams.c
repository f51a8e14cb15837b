/* SPDX-License-Identifier: MIT */
/* The problem of streams.cu: each element of the host's array after ROUNDS rounds of x * FACTOR + 1. */
#include "streams.cu"
#include "samples/patterns/patterns.h"

#define FACTOR 1664525u

static const size_t checked[] = {0, 1, 2, 15, 16, 17, 255, 256, 257, 1000, 4095, 5000};

SIZES(.in = {n * sizeof(uint32_t)}, .out = n * sizeof(uint32_t), .temp = n * sizeof(uint32_t))

FILL(uint32_t, n, random_bits((uint32_t)i))

/* All rounds together are one multiplication and one addition. */
static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const uint32_t *x = in[0];
    uint32_t *y = out, factor = 1, addend = 0;
    for (unsigned k = 0; k < ROUNDS; k++) {
        factor *= parameter;
        addend = addend * parameter + 1;
    }
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * factor + addend;
}

/* The link carries each byte once. */
TRAFFIC(bytes, (double)n * sizeof(uint32_t))

static const struct rung rungs[] = {
    KERNEL(streams_copy_then_kernel, "copy-then-kernel", "one after the other: the sum of both times",
           .parameter = FACTOR, .in_on_host = true, .locked = true),
    KERNEL(streams_pieces_in_one_stream, "pieces-in-one-stream",
           "a piece at a time, in order: nothing runs beside anything yet", .parameter = FACTOR, .in_on_host = true,
           .locked = true),
    KERNEL(streams_copy_beside_kernel, "copy-beside-kernel",
           "copies in one stream, kernels in another, an event between: the longer of both times", .parameter = FACTOR,
           .in_on_host = true, .locked = true),
};

LADDER(g_streams, .name = "streams", .title = "an array of the host, copied to the GPU and computed there",
       .n = (size_t)1 << 26, .counts = "elements of 4 bytes", .bytes = bytes);

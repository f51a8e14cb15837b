/* SPDX-License-Identifier: MIT */
/* The problem of coalescing.cu: a copy, which each rung divides among its threads differently. One rung writes each
 * element 32 times. */
#include "coalescing.cu"
#include "samples/patterns/patterns.h"

/* How often an element of the input occurs in the result. Strides are not parameters, because all strides share one
 * problem. */
enum { COPY = 1, BROADCAST = 32 };

/* 8192 is a block of the largest stride. */
static const size_t checked[] = {0, 1, 33, 256, 257, 8193};

static size_t n_read(size_t n, unsigned parameter)
{
    return (n + parameter - 1) / parameter;
}

SIZES(.in = {n * sizeof(float)}, .out = n * sizeof(float))

FILL(float, n, (float)(i % 65521))

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *a = in[0];
    float *b = out;
    for (size_t i = 0; i < n; i++)
        b[i] = a[i / parameter];
}

/* The bytes that the copy needs, not the bytes that its sectors move. */
TRAFFIC(bytes, (double)(n_read(n, parameter) + n) * sizeof(float))

#define STRIDE_RUNG(stride)                                                                                            \
    KERNEL(coalescing_stride_##stride, "stride-" #stride,                                                              \
           "lanes are " #stride " elements apart; a warp touches " #stride " lines", .parameter = COPY),

static const struct rung rungs[] = {
    KERNEL(coalescing_stride_1, "stride-1", "lanes are neighbours; a warp touches one line, and every byte is used",
           .parameter = COPY),
    KERNEL(coalescing_permuted, "permuted", "the lanes of a warp exchange their elements; the same line",
           .parameter = COPY),
    KERNEL(coalescing_misaligned, "misaligned", "warps begin one element after a line; five sectors instead of four",
           .parameter = COPY),
    /* clang-format off */
    STRIDES(STRIDE_RUNG)
    /* clang-format on */
    KERNEL(coalescing_broadcast, "broadcast", "all lanes of a warp read one element; one sector, limited by the writes",
           .begins = true, .parameter = BROADCAST),
};

LADDER(g_coalescing, .name = "coalescing",
       .title = "a copy with lanes further and further apart; GB/s count useful bytes", .n = (size_t)1 << 27,
       .counts = "elements", .bytes = bytes);

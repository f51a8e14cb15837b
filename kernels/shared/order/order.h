/* SPDX-License-Identifier: MIT */
/*
 * sort, argsort and topk, prepared alike for both backends, and the order of samples, as a number for each
 * (docs/numerics.md, "sort, argsort, topk"). Host and device compile the same text. Called by kernels/cpu/order and
 * kernels/cuda/order.
 */
#ifndef GF_KERNELS_ORDER_H
#define GF_KERNELS_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/ops/program.h"

#ifdef __CUDACC__
#define GF_ORDER_BOTH static __host__ __device__ __forceinline__
#else
#define GF_ORDER_BOTH static inline __attribute__((always_inline))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How the bits of samples become keys, which are ordered as unsigned numbers. */
struct gf_order_keys {
    uint32_t size; /* bytes */
    bool is_float;
    uint64_t flip; /* bits to invert: the sign of signed integers; all bits if the largest come first */
};

/* A sequence is a channel, or a row or column of a channel. */
struct gf_order {
    struct gf_order_keys keys;
    uint32_t axis;          /* GF_AXIS_* */
    uint64_t length;        /* elements of a sequence */
    uint64_t kept;          /* how many of them are results: the first ones in order */
    int32_t values, places; /* indices of the outputs with samples and with places; -1: none */
};

struct gf_order gf_order_of_step(const struct gf_step *step, const struct gf_view *in);

#ifdef __cplusplus
}
#endif

GF_ORDER_BOTH uint64_t gf_order_all_ones(uint32_t size)
{
    return UINT64_MAX >> (64 - 8 * size);
}

/* The bits of infinity. */
GF_ORDER_BOTH uint64_t gf_order_infinity(uint32_t size)
{
    return size == 2 ? UINT64_C(0x7C00) : size == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
}

GF_ORDER_BOTH bool gf_order_is_nan(uint64_t bits, uint32_t size)
{
    return (bits & gf_order_all_ones(size) >> 1) > gf_order_infinity(size);
}

/* A sample as it is stored: all NaNs have one form, docs/numerics.md, "Store". */
GF_ORDER_BOTH uint64_t gf_order_stored(uint64_t bits, uint32_t size)
{
    const uint64_t infinity = gf_order_infinity(size);
    return gf_order_is_nan(bits, size) ? infinity | (infinity & ~(infinity << 1)) >> 1 : bits;
}

/* The key of a sample. Equal samples have equal keys: -0 and +0, and all NaNs. NaN has the greatest key in both
 * directions. */
GF_ORDER_BOTH uint64_t gf_order_key(uint64_t bits, uint32_t size, bool is_float, uint64_t flip)
{
    const uint64_t ones = gf_order_all_ones(size), sign = ones ^ ones >> 1;
    if (!is_float)
        return bits ^ flip;
    const uint64_t number = bits == sign ? 0 : bits;
    const uint64_t key = number ^ ((number & sign) != 0 ? ones : sign) ^ flip;
    return gf_order_is_nan(bits, size) ? ones : key;
}

#endif

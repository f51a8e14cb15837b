/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of sort, argsort and topk, compiled once per instruction set (simd_order.c). Called by order.c,
 * order_long.c, tally.c and top.c. Samples are contiguous and aligned to their size.
 */
#ifndef GF_KERNELS_CPU_SIMD_ORDER_H
#define GF_KERNELS_CPU_SIMD_ORDER_H

#include "kernels/shared/order/order.h"

#define GF_ORDER_SHORT 128u /* samples that are ranked by comparing each with each, at most */
#define GF_ORDER_DIGITS 8u
#define GF_ORDER_VALUES 256u /* values of a digit */

/* Samples and their indices in the sequence. `indices` is NULL if they are not wanted, or if they are consecutive. */
struct gf_order_items {
    void *samples;
    uint32_t *indices;
};

struct gf_simd_order {
    uint32_t
        few; /* up to this many samples, comparing each with each is faster than three or more passes of a radix sort */
    /* Replaces every NaN by the one that is stored. */
    void (*make_stored)(const struct gf_order_keys *keys, void *samples, uint64_t n);
    /* Sets ranks[i] to the place of sample i in the order, for n <= GF_ORDER_SHORT samples. ranks must have room for
     * GF_ORDER_SHORT. */
    void (*rank)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *ranks);
    /* Adds to counts[d][v] the number of samples with value v as digit d, for all digits of the keys; digit 0 is the
     * least significant. */
    void (*count)(const struct gf_order_keys *keys, const void *samples, uint64_t n,
                  uint32_t counts[][GF_ORDER_VALUES]);
    /* The same for one digit. */
    void (*count_digit)(const struct gf_order_keys *keys, const void *samples, uint64_t n, uint32_t digit,
                        uint32_t counts[GF_ORDER_VALUES]);
    /* Moves samples to to[places[v]++], where v is their digit, and their indices too if to.indices is set:
     * from.indices, or first, first + 1, ... if that is NULL. */
    void (*move)(const struct gf_order_keys *keys, struct gf_order_items from, uint32_t first, uint64_t n,
                 uint32_t digit, uint32_t places[GF_ORDER_VALUES], struct gf_order_items to);
    /* Sets flags[i] to 1 if the key of sample i is below the limit, otherwise 0. Returns the number of ones. */
    uint32_t (*below)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint64_t limit,
                      uint8_t *flags);
    /* Counts integers of at most 16 bits by key, in two consecutive tables of counts whose sum is the count. */
    void (*tally)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *counts);
};

#endif

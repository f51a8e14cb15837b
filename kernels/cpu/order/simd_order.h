/* SPDX-License-Identifier: MIT */
/* The inner loops of sort, argsort and topk, compiled once per instruction set (simd_order.c). Called by order.c,
 * order_long.c and top.c. Samples are neighbours, aligned to their size. */
#ifndef GF_KERNELS_CPU_SIMD_ORDER_H
#define GF_KERNELS_CPU_SIMD_ORDER_H

#include "kernels/shared/order/order.h"

#define GF_ORDER_FEW 128u /* samples that are ordered by comparing each with each, at most */
#define GF_ORDER_DIGITS 8u
#define GF_ORDER_VALUES 256u /* of a digit */

/* Samples, and their indices in the sequence; without indices[] they are `first` and those after it, and where `number`
 * is false nobody wants them. */
struct gf_order_items {
    void *samples;
    uint32_t *indices;
};

struct gf_simd_order {
    uint32_t few; /* up to so many samples, comparing each with each is faster than going by three digits or more */
    /* Gives every NaN its one form. */
    void (*make_stored)(const struct gf_order_keys *keys, void *samples, uint64_t n);
    /* ranks[i], the place in order of sample i, of n <= GF_ORDER_FEW; there is room for all of these. */
    void (*rank)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *ranks);
    /* Adds to counts[d][v] how many samples have the value v as digit d, 0 being the least, of all that keys have. */
    void (*count)(const struct gf_order_keys *keys, const void *samples, uint64_t n,
                  uint32_t counts[][GF_ORDER_VALUES]);
    /* The same for one digit. */
    void (*count_digit)(const struct gf_order_keys *keys, const void *samples, uint64_t n, uint32_t digit,
                        uint32_t counts[GF_ORDER_VALUES]);
    /* Moves samples to to[places[v]++], v being their digit, and with to.indices their indices: from.indices, else
     * `first` and those after it. */
    void (*move)(const struct gf_order_keys *keys, struct gf_order_items from, uint32_t first, uint64_t n,
                 uint32_t digit, uint32_t places[GF_ORDER_VALUES], struct gf_order_items to);
    /* flags[i] is 1 where the key of sample i is below the limit, else 0; how many are. */
    uint32_t (*below)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint64_t limit,
                      uint8_t *flags);
    /* Adds to two tables of counts, one after the other, how many integers of at most 16 bits have each key. */
    void (*tally)(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *counts);
};

#endif

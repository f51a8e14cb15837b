/* SPDX-License-Identifier: MIT */
/*
 * Putting samples in order on the CPU: what order.c (where sequences lie, and short ones), order_long.c (those that all
 * threads work at) and top.c (the first few of many) share. Called by the three.
 *
 * Whatever decides where a sample is written is read from memory of the backend, never from operands or results, which
 * clients may change meanwhile.
 */
#ifndef GF_KERNELS_CPU_ORDER_H
#define GF_KERNELS_CPU_ORDER_H

#include "kernels/cpu/device/cpu_ops.h"
#include "simd_order.h"

#define GF_ORDER_LONG                                                                                                  \
    262144u /* elements of a sequence from which on all threads work at it; at others, each at some                    \
             */

/* Where the elements of a sequence lie: `outer` times `inner` of them; that of the sequence after it in the same pixel,
 * or the same row of columns, one sample further. */
struct gf_order_lines {
    char *data;  /* NULL: nobody wants them */
    size_t size; /* bytes of an element */
    uint64_t outer, inner;
    size_t outer_step, inner_step; /* bytes */
};

struct gf_cpu_order {
    const struct gf_cpu_call *call;
    struct gf_order order;
    struct gf_order_lines from, values, places;
    struct gf_cpu_stop stop;
};

/* The same from another sequence on, `line` rows and `lane` samples further. */
struct gf_order_lines gf_order_lines_at(const struct gf_order_lines *lines, uint64_t line, uint64_t lane);

/* Elements [first, first + n) of one sequence to neighbours, and back. */
void gf_order_gather(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *to);
void gf_order_scatter(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *from);
/* Likewise, indices to u64. */
void gf_order_scatter_places(const struct gf_order_lines *lines, uint64_t first, uint64_t n, const uint32_t *from);

/* The key of sample i of those in memory of the backend. */
uint64_t gf_order_key_at(const struct gf_cpu_order *o, const void *samples, uint64_t i);

/* Puts n samples in order, and where there are indices those, which are 0 and on unless `numbered` says that they are
 * there. `spare` has as much room. The one of the two that has the result. */
struct gf_order_items gf_order_few(const struct gf_cpu_order *o, struct gf_order_items items,
                                   struct gf_order_items spare, uint64_t n, bool numbered);

/* A sequence by all threads: the one of that line and lane. NO_MEMORY. */
enum gf_status gf_order_long(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err);

/* Long ones of at most 16 bits that are wanted without their places: how often each value is there says all. */
bool gf_order_can_tally(const struct gf_cpu_order *o);
/* NO_MEMORY. */
enum gf_status gf_order_tally(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err);

/* The first `kept` of many samples, which come in the order of their indices: those that may be among them, of which
 * there is room for `room`. */
struct gf_order_top {
    struct gf_order_items items, spare;
    uint64_t n, room;
    uint64_t limit; /* only keys below it may be */
    bool full;      /* a limit is known */
};

/* Room for the first k, in elements; 0 where ordering all n is as good. */
uint64_t gf_order_top_room(uint64_t k, uint64_t n);
/* Guesses a limit for n samples by a few of them, which are in items.samples. When fewer than order.kept are found at
 * the end, it was too low. */
void gf_order_top_guess(const struct gf_cpu_order *o, struct gf_order_top *top, uint32_t few, uint64_t n);
void gf_order_top_add(const struct gf_cpu_order *o, struct gf_order_top *top, const void *samples, uint32_t first,
                      uint64_t n);
/* In order, at most order.kept of them. */
void gf_order_top_end(const struct gf_cpu_order *o, struct gf_order_top *top);

#endif

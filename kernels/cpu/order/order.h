/* SPDX-License-Identifier: MIT */
/*
 * Sorting on the CPU: declarations that order.c (locating sequences, and short sequences), order_long.c (sequences that
 * all threads share), tally.c (counting sort) and top.c (the first few of many) share.
 *
 * Every value that decides where a sample is written must be read from the backend's own memory, never from operands or
 * results, which clients may change at any time.
 */
#ifndef GF_KERNELS_CPU_ORDER_H
#define GF_KERNELS_CPU_ORDER_H

#include "kernels/cpu/device/cpu_ops.h"
#include "simd_order.h"

#define GF_ORDER_LONG 262144u /* all threads share a sequence with more elements than this */

/* The elements of a sequence: `outer` times `inner`. The next sequence in the same pixel, or in the same row of
 * columns, lies one sample further. */
struct gf_order_lines {
    char *data;  /* NULL: not wanted */
    size_t size; /* bytes per element */
    uint64_t outer, inner;
    size_t outer_step, inner_step; /* bytes */
};

struct gf_cpu_order {
    const struct gf_cpu_call *call;
    struct gf_order order;
    struct gf_order_lines from, values, places;
    struct gf_cpu_stop stop;
};

/* The same for the sequence `line` rows and `lane` samples further. */
struct gf_order_lines gf_order_lines_at(const struct gf_order_lines *lines, uint64_t line, uint64_t lane);

/* Copies elements [first, first + n) of one sequence to contiguous memory, and back. */
void gf_order_gather(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *to);
void gf_order_scatter(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *from);
/* Copies contiguous indices to elements [first, first + n) as u64. */
void gf_order_scatter_places(const struct gf_order_lines *lines, uint64_t first, uint64_t n, const uint32_t *from);

/* The key of sample i; samples must be in the backend's own memory. */
uint64_t gf_order_key_at(const struct gf_cpu_order *o, const void *samples, uint64_t i);

/* Sorts n samples, with their indices if items.indices is set. The indices are 0, 1, ... unless `numbered` says that
 * items.indices holds them. `spare` must have the same room. Returns `items` or `spare`, whichever holds the result. */
struct gf_order_items gf_order_short(const struct gf_cpu_order *o, struct gf_order_items items,
                                     struct gf_order_items spare, uint64_t n, bool numbered);

/* Sorts the sequence at `line` and `lane` on all threads. NO_MEMORY. */
enum gf_status gf_order_long(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err);

/* Whether a long sequence can be sorted by counting its values: samples have at most 16 bits and no indices are
 * wanted. */
bool gf_order_can_count(const struct gf_cpu_order *o);
/* Sorts such a sequence by counting. NO_MEMORY. */
enum gf_status gf_order_by_counting(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err);

/* The first `kept` of many samples, which are added in the order of their indices. Holds up to `room` candidates. */
struct gf_order_top {
    struct gf_order_items items, spare;
    uint64_t n, room;
    uint64_t limit; /* only samples with a smaller key are candidates */
    bool full;      /* a limit is known */
};

/* The room needed for the first k of n samples, in elements; 0 if sorting all n is as good. */
uint64_t gf_order_top_capacity(uint64_t k, uint64_t n);
/* Guesses a limit for n samples from `few` of them in items.samples. If fewer than order.kept samples are left at the
 * end, the limit was too low. */
void gf_order_top_guess(const struct gf_cpu_order *o, struct gf_order_top *top, uint32_t few, uint64_t n);
void gf_order_top_add(const struct gf_cpu_order *o, struct gf_order_top *top, const void *samples, uint32_t first,
                      uint64_t n);
/* Sorts the candidates and keeps at most order.kept of them. */
void gf_order_top_end(const struct gf_cpu_order *o, struct gf_order_top *top);

#endif

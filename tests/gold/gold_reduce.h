/* SPDX-License-Identifier: MIT */
/* Sequences and their trees (docs/numerics.md 8), for reduce, stats, dot and compare. */
#ifndef GF_TESTS_GOLD_REDUCE_H
#define GF_TESTS_GOLD_REDUCE_H

#include "gold.h"

__extension__ typedef __int128 gf_gold_i128;
__extension__ typedef unsigned __int128 gf_gold_u128;

/* The elements of one sequence. */
struct gf_gold_sequence {
    uint32_t dtype;
    bool column;         /* folded in blocks of 64 rows */
    uint64_t n;          /* absent elements count */
    double *x;           /* as f64; owned */
    gf_gold_i128 *whole; /* integers, exactly; owned */
    bool *there;         /* false where NaN is absent; owned */
};

/* What becomes of an element on its way into a lane. */
enum gf_gold_step { GF_GOLD_SUM, GF_GOLD_PRODUCT, GF_GOLD_ABS, GF_GOLD_SQUARES, GF_GOLD_DOT };

/* Sequence `index` of a buffer: row, then column, then channel, the last one fastest. NO_MEMORY. */
enum gf_status gf_gold_sequence_init(const struct gf_gold_buf *buf, uint32_t axis, uint64_t index, bool omit,
                                     struct gf_gold_sequence *ret, struct gf_error *err);
/* Elements first ... end - 1 of channel c, row after row. NO_MEMORY. */
enum gf_status gf_gold_sequence_cut(const struct gf_gold_buf *buf, uint32_t c, uint64_t first, uint64_t end, bool omit,
                                    struct gf_gold_sequence *ret, struct gf_error *err);
void gf_gold_sequence_deinit(struct gf_gold_sequence *s);
/* Offset i of a list of segments, and that the list is one for channels of n elements. BAD_PARAM. */
uint64_t gf_gold_offset(const struct gf_gold_buf *list, uint64_t i);
enum gf_status gf_gold_check_segments(const struct gf_gold_buf *list, uint64_t n, struct gf_error *err);
/* How many sequences there are. */
uint64_t gf_gold_sequences(const struct gf_view *view, uint32_t axis);

/* The tree; `other` is the second input of a dot product. Nothing there: +0, or 1 for the product. */
double gf_gold_tree(const struct gf_gold_sequence *s, enum gf_gold_step step, const double *other);

/* Result `reduction` of a sequence as the bytes of its dtype, in the lowest ones. False: it does not fit. */
bool gf_gold_reduce_one(const struct gf_gold_sequence *s, uint32_t reduction, uint32_t ddof, bool wrap,
                        uint64_t *ret_bits);
/* The bits of a double, NaN as it is stored. */
uint64_t gf_gold_f64_bits(double x);
/* Stores an element of an output. */
void gf_gold_put(struct gf_gold_buf *out, uint64_t sample, uint64_t y, uint64_t bits);

#endif

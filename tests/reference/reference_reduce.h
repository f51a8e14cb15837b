/* SPDX-License-Identifier: MIT */
/* Sequences and their trees (docs/numerics.md, "reduce"), for reduce, stats, dot and compare. */
#ifndef GF_TESTS_REFERENCE_REDUCE_H
#define GF_TESTS_REFERENCE_REDUCE_H

#include "reference.h"

__extension__ typedef __int128 gf_reference_i128;
__extension__ typedef unsigned __int128 gf_reference_u128;

/* The elements of one sequence. */
struct gf_reference_sequence {
    uint32_t dtype;
    bool column;              /* folded in blocks of 64 rows */
    uint64_t n;               /* absent elements count */
    double *x;                /* as f64; owned */
    gf_reference_i128 *whole; /* integers, exactly; owned */
    bool *there;              /* false where NaN is absent; owned */
};

/* What becomes of an element on its way into a lane. */
enum gf_reference_step {
    GF_REFERENCE_SUM,
    GF_REFERENCE_PRODUCT,
    GF_REFERENCE_ABS,
    GF_REFERENCE_SQUARES,
    GF_REFERENCE_DOT
};

/* Sequence `index` of a buffer: row, then column, then channel, the last one fastest. NO_MEMORY. */
enum gf_status gf_reference_sequence_init(const struct gf_reference_buf *buf, uint32_t axis, uint64_t index, bool omit,
                                          struct gf_reference_sequence *ret, struct gf_error *err);
/* Elements first ... end - 1 of channel c, row after row. NO_MEMORY. */
enum gf_status gf_reference_sequence_cut(const struct gf_reference_buf *buf, uint32_t c, uint64_t first, uint64_t end,
                                         bool omit, struct gf_reference_sequence *ret, struct gf_error *err);
void gf_reference_sequence_deinit(struct gf_reference_sequence *s);
/* Offset i of a list of segments, and that the list is one for channels of n elements. BAD_PARAM. */
uint64_t gf_reference_offset(const struct gf_reference_buf *list, uint64_t i);
enum gf_status gf_reference_check_segments(const struct gf_reference_buf *list, uint64_t n, struct gf_error *err);
/* How many sequences there are. */
uint64_t gf_reference_sequences(const struct gf_view *view, uint32_t axis);

/* The tree; `other` is the second input of a dot product. Nothing there: +0, or 1 for the product. */
double gf_reference_tree(const struct gf_reference_sequence *s, enum gf_reference_step step, const double *other);

/* Result `reduction` of a sequence as the bytes of its dtype, in the lowest ones. False: it does not fit. */
bool gf_reference_reduce_one(const struct gf_reference_sequence *s, uint32_t reduction, uint32_t ddof, bool wrap,
                             uint64_t *ret_bits);
/* The bits of a double, NaN as it is stored. */
uint64_t gf_reference_f64_bits(double x);
/* Stores an element of an output. */
void gf_reference_put(struct gf_reference_buf *out, uint64_t sample, uint64_t y, uint64_t bits);

#endif

/* SPDX-License-Identifier: MIT */
/* Samples of any dtype as exact numbers, and the bins of a histogram over them (docs/numerics.md, "Edges and bins"). */
#ifndef GF_TESTS_REFERENCE_BINS_H
#define GF_TESTS_REFERENCE_BINS_H

#include "reference.h"

__extension__ typedef __int128 gf_reference_i128;

/* A sample as it is: floats in f, integers in i. */
struct gf_reference_value {
    bool is_float;
    double f;
    gf_reference_i128 i;
};

struct gf_reference_value gf_reference_value_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c);
/* The brightness of a pixel of 3 or 4 channels, u8, u16, i16 or f32. */
struct gf_reference_value gf_reference_luma_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x);

/* E[0..n]; owned. */
struct gf_reference_edges {
    uint32_t n;
    bool closed;
    double *e;
};

/* Edges of n bins from lo to hi over samples of a dtype. NO_MEMORY. */
enum gf_status gf_reference_edges_init(double lo, double hi, uint32_t n, bool closed, uint32_t dtype,
                                       struct gf_reference_edges *ret, struct gf_error *err);
void gf_reference_edges_deinit(struct gf_reference_edges *edges);

/* The bin of a sample; n: below, n + 1: above, n + 2: NaN. */
uint32_t gf_reference_bin(const struct gf_reference_edges *edges, struct gf_reference_value v);

/* The range of finite samples, as an accumulator: start with any = false. */
struct gf_reference_range {
    bool any;
    double lo, hi; /* rounded outwards */
};
void gf_reference_range_add(struct gf_reference_range *range, struct gf_reference_value v);

#endif

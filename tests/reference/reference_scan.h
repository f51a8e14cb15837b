/* SPDX-License-Identifier: MIT */
/* The trees of docs/numerics.md, "Trees of scans", word by word, for the reference of scan, recurrence and integral. */
#ifndef GF_TESTS_REFERENCE_SCAN_H
#define GF_TESTS_REFERENCE_SCAN_H

#include "reference.h"

/* Holds every sum of 64-bit integers, and what products are compared with. */
__extension__ typedef __int128 gf_reference_int;

/* An element, or the absence of one. Sum and product use v alone, the recurrence (a, v), operators of users words. */
struct gf_reference_item {
    bool present;
    double a, v;
    uint64_t words[4];
};

/* How two that are there become one, the earlier on the left. */
struct gf_reference_join {
    struct gf_reference_item (*of)(void *context, struct gf_reference_item l, struct gf_reference_item r);
    void *context;
};

extern const struct gf_reference_join gf_reference_sum, gf_reference_product, gf_reference_affine;

/* What is absent leaves the other as it is. */
struct gf_reference_item gf_reference_joined(const struct gf_reference_join *join, struct gf_reference_item l,
                                             struct gf_reference_item r);

/* x[i] becomes everything up to i combined, by the tree. NO_MEMORY. */
enum gf_status gf_reference_scan_tree(const struct gf_reference_join *join, struct gf_reference_item *x, uint64_t n,
                                      struct gf_error *err);
/* The same by the rule for columns: row chunks of 64. */
void gf_reference_scan_columns(const struct gf_reference_join *join, struct gf_reference_item *x, uint64_t n);

/* The sequences of an axis, numbered, and where element `index` of one lies. */
uint64_t gf_reference_scan_sequences(const struct gf_view *view, uint32_t axis);
uint64_t gf_reference_length(const struct gf_view *view, uint32_t axis);
void *gf_reference_element(const struct gf_reference_buf *buf, uint32_t axis, uint64_t sequence, uint64_t index);

/* An element of f32 or f64, of any integer dtype; and back, NaN in its one form, integers modulo 2^bits. */
double gf_reference_get_float(const void *at, uint32_t dtype);
gf_reference_int gf_reference_get_int(const void *at, uint32_t dtype);
void gf_reference_put_float(void *at, uint32_t dtype, double v);
void gf_reference_put_int(void *at, uint32_t dtype, uint64_t v);

#endif

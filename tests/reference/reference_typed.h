/* SPDX-License-Identifier: MIT */
/* Samples as values of the types of docs/numerics.md, "Expressions", and back. Called by expr.c, reference_expr.c
 * and reference_operator.c. */
#ifndef GF_TESTS_REFERENCE_TYPED_H
#define GF_TESTS_REFERENCE_TYPED_H

#include "protocol/expr/expr.h"
#include "reference.h"

__extension__ typedef __int128 gf_reference_i128;
__extension__ typedef unsigned __int128 gf_reference_u128;

/* A value in the field of its type; I64 and U64 are in `whole`. */
struct gf_reference_typed {
    uint32_t type; /* enum gf_expr_type */
    bool b;
    gf_reference_i128 whole;
    float f32;
    double f64;
};

/* A sample, of the type that its dtype has. */
struct gf_reference_typed gf_reference_typed_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c);
/* The store of docs/numerics.md, "Results", into any dtype. */
void gf_reference_typed_store(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c,
                              struct gf_reference_typed v);

#endif

/* SPDX-License-Identifier: MIT */
/* Values and nodes of expressions, docs/numerics.md, "Expressions", one operation at a time. Called by point.c and
 * reference_operator.c. */
#ifndef GF_TESTS_REFERENCE_EXPR_H
#define GF_TESTS_REFERENCE_EXPR_H

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

/* Where an expression is computed, and on which states. */
struct gf_reference_place {
    const struct gf_reference_buf *in; /* inputs a to d, all zero where left out */
    uint64_t width, height, x, y;
    uint32_t channel;                           /* of the result */
    uint64_t index;                             /* in the sequence */
    const struct gf_reference_typed *states[2]; /* the earlier one and the later one, where a text has them */
};

/* The value of every node, `ret_values` having room for GF_EXPR_MAX_NODES. INTERNAL where a node is not what it says:
 * operands of other types than the operator takes, an I64 outside of its range. */
enum gf_status gf_reference_expr_nodes(const struct gf_expr *expr, const struct gf_reference_place *place,
                                       struct gf_reference_typed *ret_values, struct gf_error *err);

#endif

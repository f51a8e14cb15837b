/* SPDX-License-Identifier: MIT */
/* Nodes of expressions, docs/numerics.md, "Expressions", one operation at a time. Called by expr.c and
 * reference_operator.c. */
#ifndef GF_TESTS_REFERENCE_EXPR_H
#define GF_TESTS_REFERENCE_EXPR_H

#include "protocol/expr/expr.h"
#include "reference_typed.h"

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

/* SPDX-License-Identifier: MIT */
/* What an i64 can be, by the table of docs/numerics.md 26. Internal to protocol/expr; called by build.c and apply.c. */
#ifndef GF_PROTOCOL_EXPR_RANGES_H
#define GF_PROTOCOL_EXPR_RANGES_H

#include "expr.h"

struct gf_expr_range {
    int64_t lo, hi;
};

/* Every i64. */
#define GF_EXPR_ALL ((struct gf_expr_range){INT64_MIN, INT64_MAX})

/* The range of an operator's result, of the ranges of its operands; that of the condition of SELECT is not looked at.
 * All of i64 for operators that have no i64. */
struct gf_expr_range gf_expr_range_of(enum gf_expr_op op, const struct gf_expr_range *in);
/* The range of the samples of a dtype; all of i64 where they are no i64. */
struct gf_expr_range gf_expr_range_dtype(uint32_t dtype);

#endif

/* SPDX-License-Identifier: MIT */
/* The possible values of an i64, by the table of docs/numerics.md, "Ranges". Internal to protocol/expr; called by
 * build.c and apply.c. */
#ifndef GF_PROTOCOL_EXPR_RANGES_H
#define GF_PROTOCOL_EXPR_RANGES_H

#include "expr.h"

struct gf_expr_range {
    int64_t lo, hi;
};

/* Every i64. */
#define GF_EXPR_ALL ((struct gf_expr_range){INT64_MIN, INT64_MAX})

/* The range of an operator's result from the ranges of its operands; the condition of SELECT is ignored. All of i64 for
 * operators without an i64 result. */
struct gf_expr_range gf_expr_range_of(enum gf_expr_op op, const struct gf_expr_range *in);
/* The range of a dtype's samples; all of i64 if they are not i64. */
struct gf_expr_range gf_expr_range_dtype(uint32_t dtype);

#endif

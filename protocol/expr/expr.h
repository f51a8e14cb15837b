/* SPDX-License-Identifier: MIT */
/*
 * Expressions: text to typed nodes, docs/numerics.md 26. Pure: no memory but the caller's, no clock, no locale. Called
 * by the checks of ops that take an expression, so by client, front and worker, and by the kernels' compiler.
 */
#ifndef GF_PROTOCOL_EXPR_H
#define GF_PROTOCOL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_EXPR_MAX_TEXT 2048u /* bytes of an expression */
#define GF_EXPR_MAX_NODES 256u /* typed nodes, literals and conversions included */
#define GF_EXPR_MAX_DEPTH 64u  /* parentheses, calls and signs inside each other */
#define GF_EXPR_MAX_LIVE                                                                                               \
    30u /* values that are needed later at any moment, literals left out; each takes two registers at most */
#define GF_EXPR_MAX_NAMES 32u /* names that a text defines */
#define GF_EXPR_MAX_RESULTS 4u
#define GF_EXPR_MAX_INPUTS 4u                /* a, b, c, d */
#define GF_EXPR_EXACT_F32 (INT64_C(1) << 24) /* integers up to it are exact in f32, as places on sides up to it */
#define GF_EXPR_MAX_STATE 4u                 /* values of a state of a reduction or scan */

enum gf_expr_type { GF_EXPR_BOOL = 1, GF_EXPR_I64, GF_EXPR_U64, GF_EXPR_F32, GF_EXPR_F64 };

/* Node operators: those that have no operands, then those of operators.def. */
enum gf_expr_op {
    GF_EXPR_CONST = 1, /* a literal: `value` by the node's type */
    GF_EXPR_SAMPLE,    /* of input `source`, its channel `channel`, or GF_EXPR_OWN_CHANNEL */
    GF_EXPR_X,         /* column of the pixel */
    GF_EXPR_Y,         /* row */
    GF_EXPR_W,         /* width of the result in pixels */
    GF_EXPR_H,         /* height */
    GF_EXPR_CH,        /* channel of the result */
    GF_EXPR_INDEX,     /* of the element in its sequence */
    GF_EXPR_STATE,     /* value `channel` of state `source`: 0 the earlier one, 1 the later one */
#define GF_EXPR_OP(name, operands, types, result) GF_EXPR_##name,
#include "operators.def"
    GF_EXPR_N_OPS
};

/* The channel that a bare name has: that of the result, or the only one of an input that has one. */
#define GF_EXPR_OWN_CHANNEL 0xFFu

/* A value. Operands are earlier nodes, and have the type that the operator computes in: conversions are nodes. */
struct gf_expr_node {
    uint8_t op;   /* enum gf_expr_op */
    uint8_t type; /* enum gf_expr_type, of the value */
    uint8_t n_in; /* operands */
    uint8_t source, channel;
    bool even;       /* of literals alone: takes the type of what it meets; never of an F32 */
    uint16_t column; /* of the text, from 1: of the operator, or of the name or number, where it is first met */
    uint16_t in[3];
    int64_t lo, hi; /* of an I64 every value is within, by the rules of section 26; 0 of other types */
    union {
        bool b;
        int64_t i64;
        uint64_t u64;
        double f64;
    } value;
};

struct gf_expr {
    uint32_t n_nodes, n_results;
    struct gf_expr_node nodes[GF_EXPR_MAX_NODES]; /* none twice, each needed by a result */
    uint16_t results[GF_EXPR_MAX_RESULTS];        /* nodes; `even` ones keep I64, U64 or F64 */
    uint32_t uses;                                /* a bit 1 << op for each operand-less operator that is used */
    uint8_t inputs;                               /* a bit for each input used */
    bool pixels; /* a channel is named (a[0]) or there are several results: computed for pixels, not samples */
};

/* What names mean where an expression stands. */
struct gf_expr_scope {
    const char *what;                      /* how sentences name the text: "expr: expression" */
    uint32_t dtypes[GF_EXPR_MAX_INPUTS];   /* of inputs a, b, c, d; 0: not given, so that its name is refused */
    uint32_t channels[GF_EXPR_MAX_INPUTS]; /* of those given, from 1 */
    bool place;                            /* x, y, w, h, ch have a meaning */
    bool large;                            /* a side is over 2^24: they are below 2^40, not 2^24 */
    bool index;                            /* i has: the element's index, below 2^40 */
    bool record;                           /* several results are the values of one state, and no channels */
    uint8_t state[GF_EXPR_MAX_STATE];      /* enum gf_expr_type of a0.. and b0..; 0: no such value */
    bool later;                            /* b0.. have a meaning, too */
    const char *params;                    /* "gain=1.5, t=3": values of declared parameters; NULL: none */
    uint32_t params_size;
    /* Of several texts that have the same values: what sentences about these name; a bit is added for each that this
     * text declares, and with `last` those that none has declared are refused. NULL: they are of this text alone. */
    const char *params_what;
    uint32_t *params_used;
    bool last;
};

/* Reads `size` bytes of text. BAD_PARAM with a sentence that has the column, "expr: expression: column 5: no name q;
 * ...".
 */
enum gf_status gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                             struct gf_expr *ret_expr, struct gf_error *err);

/* Gives each result of a parsed text the type of that value of the scope's state, which is what literals do; others
 * have it or are refused. BAD_PARAM likewise, also where there are not as many results as values. */
enum gf_status gf_expr_settle(struct gf_expr *expr, const struct gf_expr_scope *scope, struct gf_error *err);

/* "i64" and so on. */
const char *gf_expr_type_word(uint32_t type);
/* The dtype that stores values of a type as they are: u8, i64, u64, f32, f64. */
uint32_t gf_expr_type_dtype(uint32_t type);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Parses an expression into typed nodes, docs/numerics.md, "Expressions". Pure: uses only the caller's memory, no
 * clock, no locale. Called by the checks of ops that take an expression, in client, front and worker, and by the
 * kernels' compiler.
 */
#ifndef GF_PROTOCOL_EXPR_H
#define GF_PROTOCOL_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_EXPR_MAX_TEXT 2048u /* bytes of an expression */
#define GF_EXPR_MAX_NODES 256u /* typed nodes, including literals and conversions */
#define GF_EXPR_MAX_DEPTH 64u  /* nesting depth of parentheses, calls and signs */
#define GF_EXPR_MAX_LIVE 30u   /* values live at any moment, without literals; each takes at most two registers */
#define GF_EXPR_MAX_NAMES 32u  /* names that a text defines */
#define GF_EXPR_MAX_RESULTS 4u
#define GF_EXPR_MAX_INPUTS 4u /* a, b, c, d */
/* integers up to this are exact in f32, as are coordinates on sides up to this */
#define GF_EXPR_EXACT_F32 (INT64_C(1) << 24)
#define GF_EXPR_MAX_STATE 4u /* values in a state of a reduction or scan */

enum gf_expr_type { GF_EXPR_BOOL = 1, GF_EXPR_I64, GF_EXPR_U64, GF_EXPR_F32, GF_EXPR_F64 };

/* Node operators: first those without operands, then operators.def. */
enum gf_expr_op {
    GF_EXPR_CONST = 1, /* a literal: `value`, by the node's type */
    GF_EXPR_SAMPLE,    /* of input `source`, channel `channel` or GF_EXPR_OWN_CHANNEL */
    GF_EXPR_X,         /* column of the pixel */
    GF_EXPR_Y,         /* row */
    GF_EXPR_W,         /* width of the result in pixels */
    GF_EXPR_H,         /* height */
    GF_EXPR_CH,        /* channel of the result */
    GF_EXPR_INDEX,     /* of the element in its sequence */
    GF_EXPR_STATE,     /* value `channel` of state `source`: 0 is the earlier state, 1 the later one */
#define GF_EXPR_OP(name, operands, types, result) GF_EXPR_##name,
#include "operators.def"
    GF_EXPR_N_OPS
};

/* The channel of a bare name: the result's channel, or the only channel of a one-channel input. */
#define GF_EXPR_OWN_CHANNEL 0xFFu

/* A value. Operands are earlier nodes and have the type in which the operator computes; conversions are nodes. */
struct gf_expr_node {
    uint8_t op;   /* enum gf_expr_op */
    uint8_t type; /* enum gf_expr_type, of the value */
    uint8_t n_in; /* operands */
    uint8_t source, channel;
    bool even; /* only for literals: adopts the type of the other operand; never for an F32 */
    uint16_t in[3];
    uint16_t column; /* column in the text, from 1, of the operator, name or number where it first occurs */
    int64_t lo, hi;  /* range of an I64 by the rules of docs/numerics.md, "Ranges"; 0 for other types */
    union {
        bool b;
        int64_t i64;
        uint64_t u64;
        double f64;
    } value;
};

struct gf_expr {
    uint32_t n_nodes, n_results;
    uint16_t results[GF_EXPR_MAX_RESULTS]; /* node numbers; literals keep I64, U64 or F64 */
    uint32_t uses;                         /* a bit 1 << op for each operator without operands that is used */
    uint8_t inputs;                        /* a bit for each input that is used */
    bool pixels; /* a channel is named (a[0]) or there are several results: evaluated per pixel, not per sample */
    struct gf_expr_node nodes[GF_EXPR_MAX_NODES]; /* all different, each needed by a result; last, see gf_expr_size */
};

/* Bytes up to the last node in use. A copy that is kept has no more. */
static inline size_t gf_expr_size(const struct gf_expr *expr)
{
    return offsetof(struct gf_expr, nodes) + expr->n_nodes * sizeof(expr->nodes[0]);
}

static inline void gf_expr_copy(struct gf_expr *to, const struct gf_expr *from)
{
    memcpy(to, from, gf_expr_size(from));
}

/* The meaning of names in an expression. */
struct gf_expr_scope {
    const char *what;                      /* name of the text in errors: "expr: expression" */
    uint32_t dtypes[GF_EXPR_MAX_INPUTS];   /* of inputs a, b, c, d; 0: not given, so the name is refused */
    uint32_t channels[GF_EXPR_MAX_INPUTS]; /* of the given inputs, from 1 */
    bool place;                            /* x, y, w, h, ch are defined */
    bool large;                            /* a side is over 2^24: coordinates are below 2^40 instead of 2^24 */
    bool index;                            /* i, the element's index below 2^40, is defined */
    bool record;                           /* several results are the values of one state, not channels */
    uint8_t state[GF_EXPR_MAX_STATE];      /* enum gf_expr_type of a0.. and b0..; 0: no such value */
    bool later;                            /* b0.. are defined too */
    const char *params;                    /* "gain=1.5, t=3": values for declared parameters; NULL: none */
    uint32_t params_size;
    /* For several texts that share the values: the name of the values in errors, and a bit set of the values that these
     * texts declare, which each text extends. With `last`, a value that no text has declared is refused. NULL: the
     * values belong to this text alone. */
    const char *params_what;
    uint32_t *params_used;
    bool last;
};

/* Parses `size` bytes of text. BAD_PARAM with the column: "expr: expression: column 5: no name q; ...". */
enum gf_status gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                             struct gf_expr *ret_expr, struct gf_error *err);

/* Converts each result of a parsed text to the type of its value in the scope's state. Literals are converted; other
 * results must have the type. BAD_PARAM otherwise, or if the number of results differs from the number of values. */
enum gf_status gf_expr_settle(struct gf_expr *expr, const struct gf_expr_scope *scope, struct gf_error *err);

/* "i64" and so on. */
const char *gf_expr_type_word(uint32_t type);
/* The dtype that stores values of a type unchanged: u8, i64, u64, f32, f64. */
uint32_t gf_expr_type_dtype(uint32_t type);

#ifdef __cplusplus
}
#endif
#endif

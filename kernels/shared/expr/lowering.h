/* SPDX-License-Identifier: MIT */
/* Shared by lower.c and cheaper.c: the emission of values. */
#ifndef GF_KERNELS_EXPR_LOWERING_H
#define GF_KERNELS_EXPR_LOWERING_H

#include "lower.h"

#define GF_EXPR_MACHINES (GF_EXPR_M_F64 + 1u)
#define GF_EXPR_NO_VALUE UINT16_MAX

struct gf_expr_lowering {
    const struct gf_expr *expr;
    struct gf_expr_lowered *to;
    bool full;                                           /* more values than GF_EXPR_VALUES */
    uint8_t machine[GF_EXPR_MAX_NODES];                  /* type of a node's value before conversion */
    uint16_t value[GF_EXPR_MAX_NODES][GF_EXPR_MACHINES]; /* of a node, by machine type; GF_EXPR_NO_VALUE: none yet */
};

/* The instruction of a node's operator (enum gf_expr_op) for operands of a machine type; 0: none. */
uint16_t gf_expr_insn_of(uint32_t op, uint32_t machine);
/* Emits an instruction with n operands, or its result if all operands are constants. Returns the new value. */
uint16_t gf_expr_emit(struct gf_expr_lowering *l, uint16_t op, uint32_t n, const uint16_t in[3]);
uint16_t gf_expr_emit1(struct gf_expr_lowering *l, uint16_t op, uint16_t a);
uint16_t gf_expr_emit2(struct gf_expr_lowering *l, uint16_t op, uint16_t a, uint16_t b);
/* A constant; a constant with an integer value. */
uint16_t gf_expr_emit_constant(struct gf_expr_lowering *l, uint32_t machine, union gf_expr_value value);
uint16_t gf_expr_emit_whole(struct gf_expr_lowering *l, uint32_t machine, int32_t v);

/* DIV, FLOORDIV or MOD of a by b without a division; GF_EXPR_NO_VALUE if that would give other bits. */
uint16_t gf_expr_emit_quotient(struct gf_expr_lowering *l, uint32_t op, uint32_t machine, uint16_t a, uint16_t b);
/* x to the power of a constant without a logarithm, by the instructions of gf_expr_pow_products; otherwise
 * GF_EXPR_NO_VALUE. */
uint16_t gf_expr_emit_power(struct gf_expr_lowering *l, uint32_t machine, uint16_t x, uint16_t exponent);

#endif

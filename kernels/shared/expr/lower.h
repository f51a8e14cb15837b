/* SPDX-License-Identifier: MIT */
/*
 * The form between the nodes of an expression and its program: values in order, each computed once. lower.c makes it;
 * registers.c turns it into instructions over registers. Called by program.c.
 */
#ifndef GF_KERNELS_EXPR_LOWER_H
#define GF_KERNELS_EXPR_LOWER_H

#include "program.h"

#define GF_EXPR_VALUES 1024u
#define GF_EXPR_IS_CONSTANT 0u               /* in place of an instruction */
#define GF_EXPR_IS_ARGUMENT (uint16_t)0xFFFF /* in place of an instruction; in[0] is its register */

struct gf_expr_lowered {
    uint32_t n, n_results;
    struct gf_expr_lowered_value {
        uint16_t op;     /* enum gf_expr_insn_op, GF_EXPR_IS_CONSTANT or _ARGUMENT */
        uint16_t in[3];  /* earlier values; for an instruction without register operands as in struct gf_expr_insn */
        uint8_t machine; /* enum gf_expr_machine */
        union gf_expr_value constant;
    } values[GF_EXPR_VALUES];
    uint16_t results[GF_EXPR_MAX_RESULTS];
};

/* The result of an instruction with operands; unused bytes are 0. Computed by the same functions as everywhere. */
union gf_expr_value gf_expr_fold(uint32_t op, const union gf_expr_value in[3]);
/* Converts nodes to values by the rules of gf_expr_compile, with `states` by those of gf_expr_compile_state. BAD_PARAM:
 * more than GF_EXPR_VALUES. */
enum gf_status gf_expr_lower(const struct gf_expr *expr, uint64_t width, uint64_t height, bool states,
                             struct gf_expr_lowered *ret_lowered, struct gf_error *err);
/* Converts the values that the results need to instructions over as few registers as their order allows. Sets insns,
 * constants, results and their numbers. BAD_PARAM: a limit is exceeded. */
enum gf_status gf_expr_assign(const struct gf_expr_lowered *lowered, struct gf_expr_program *program,
                              struct gf_error *err);

#endif

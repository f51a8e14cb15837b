/* SPDX-License-Identifier: MIT */
/* The instructions of programs as text, for the sources of kernels. Read by spec.c and source.c. */
#ifndef GF_JIT_INSNS_H
#define GF_JIT_INSNS_H

#include <stdint.h>

#include "kernels/shared/expr/insn_code.h"

enum gf_jit_insn_kind { GF_JIT_LOAD = 1, GF_JIT_PLACE, GF_JIT_VALUE, GF_JIT_CHOICE };

struct gf_jit_insn {
    const char *value;    /* an expression of the operands a, b, c; NULL for loads and places */
    uint8_t kind;         /* enum gf_jit_insn_kind; operand a of a choice is a bool */
    uint8_t n_in;         /* the number of members of gf_expr_insn.in that are used */
    uint8_t type, result; /* enum gf_expr_machine, of the operands in registers and of the result */
};

/* Indexed by enum gf_expr_insn_op. */
extern const struct gf_jit_insn gf_jit_insns[GF_EXPR_N_INSNS];

#endif

/* SPDX-License-Identifier: MIT */
/* Instructions of programs as text for sources of kernels. Read by spec.c and source.c. */
#ifndef GF_JIT_INSNS_H
#define GF_JIT_INSNS_H

#include <stdint.h>

#include "kernels/shared/expr/insn_code.h"

enum gf_jit_insn_kind { GF_JIT_LOAD = 1, GF_JIT_PLACE, GF_JIT_VALUE, GF_JIT_CHOICE };

struct gf_jit_insn {
    const char *value;    /* of operands a, b, c; NULL for what loads */
    uint8_t kind;         /* enum gf_jit_insn_kind; the operand a of a choice is a bool */
    uint8_t n_in;         /* members of gf_expr_insn.in that mean something */
    uint8_t type, result; /* enum gf_expr_machine, of the operands in registers and of the value */
};

/* By enum gf_expr_insn_op. */
extern const struct gf_jit_insn gf_jit_insns[GF_EXPR_N_INSNS];

#endif

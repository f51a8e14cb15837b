/* SPDX-License-Identifier: MIT */
/* The instructions as text; see insns.h. */
#include "insns.h"

#define LOAD(type) [GF_EXPR_I_LOAD_##type] = {NULL, GF_JIT_LOAD, 2, 0, GF_EXPR_M_##type}
#define PLACE(type) [GF_EXPR_I_PLACE_##type] = {NULL, GF_JIT_PLACE, 1, 0, GF_EXPR_M_##type}

const struct gf_jit_insn gf_jit_insns[GF_EXPR_N_INSNS] = {
    LOAD(I32), LOAD(I64), LOAD(U64), LOAD(F32), LOAD(F64), PLACE(I32), PLACE(I64), PLACE(F32), PLACE(F64),
#define GF_EXPR_INSN(name, type, n, result, value)                                                                     \
    [GF_EXPR_I_##name##_##type] = {#value, GF_JIT_VALUE, n, GF_EXPR_M_##type, GF_EXPR_M_##result},
#define GF_EXPR_CHOICE(type, value)                                                                                    \
    [GF_EXPR_I_SELECT_##type] = {#value, GF_JIT_CHOICE, 3, GF_EXPR_M_##type, GF_EXPR_M_##type},
#include "kernels/shared/expr/instructions.def"
};

/* SPDX-License-Identifier: MIT */
/* Instructions as text; see insns.h. */
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

uint32_t gf_jit_insn_code(uint32_t op)
{
    switch (op) {
    case GF_EXPR_I_EXP_F32:
    case GF_EXPR_I_LOG_F32:
    case GF_EXPR_I_EXP_F64:
    case GF_EXPR_I_LOG_F64:
        return 40;
    case GF_EXPR_I_SIN_F32:
    case GF_EXPR_I_COS_F32:
    case GF_EXPR_I_ATAN2_F32:
    case GF_EXPR_I_SIN_F64:
    case GF_EXPR_I_COS_F64:
    case GF_EXPR_I_ATAN2_F64:
        return 80;
    case GF_EXPR_I_POW_F32:
    case GF_EXPR_I_POW_F64:
        return 150;
    case GF_EXPR_I_FLOORDIV_I64:
    case GF_EXPR_I_FLOORDIV_U64:
    case GF_EXPR_I_MOD_I64:
    case GF_EXPR_I_MOD_U64:
        return 80;
    case GF_EXPR_I_DIV_F32:
    case GF_EXPR_I_FLOORDIV_F32:
    case GF_EXPR_I_MOD_F32:
    case GF_EXPR_I_SQRT_F32:
    case GF_EXPR_I_FLOORDIV_I32:
    case GF_EXPR_I_MOD_I32:
        return 12;
    case GF_EXPR_I_DIV_F64:
    case GF_EXPR_I_FLOORDIV_F64:
    case GF_EXPR_I_MOD_F64:
    case GF_EXPR_I_SQRT_F64:
        return 24;
    default:
        return 1;
    }
}

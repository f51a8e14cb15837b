/* SPDX-License-Identifier: MIT */
/*
 * Which instructions are functions, and their length. Used to split work by its time, and by the compilation of
 * programs: too many copies of long functions take a compiler too long.
 */
#ifndef GF_KERNELS_EXPR_INSN_CODE_H
#define GF_KERNELS_EXPR_INSN_CODE_H

#include "program.h"

#define GF_EXPR_LARGE_CODE 40u /* for long functions: exp, pow, 64-bit division */

/* The approximate length of an instruction: 1, or more for a function. */
static inline uint32_t gf_expr_insn_code(uint32_t op)
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

/* The approximate time of a program's run in multiplications: `found` per instruction to decode it, and the instruction
 * itself, twice for 64 bits. */
static inline double gf_expr_program_work(const struct gf_expr_program *program, double found)
{
    const double half_rate = 2.0;
    double work = 0.0;
    for (uint32_t i = 0; i < program->n_insns; i++) {
        uint32_t type = gf_expr_insn_info(program->insns[i].op)->others;
        bool wide = type == GF_EXPR_M_F64 || type == GF_EXPR_M_I64 || type == GF_EXPR_M_U64;
        work += found + gf_expr_insn_code(program->insns[i].op) * (wide ? half_rate : 1.0);
    }
    return work;
}

#endif

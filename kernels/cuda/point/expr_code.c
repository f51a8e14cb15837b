/* SPDX-License-Identifier: MIT */
/*
 * Encodes programs for the interpreter: marks operands that are the last result, and does not store a result that only
 * the next instruction reads. Called by expr.c.
 */
#include <string.h>

#include "expr_interpreter.h"

_Static_assert(GF_CUDA_EXPR_FIRST_CONSTANT == GF_EXPR_FIRST_CONSTANT && GF_CUDA_EXPR_CONSTANTS == GF_EXPR_CONSTANTS &&
                   GF_CUDA_EXPR_INSNS == GF_EXPR_INSNS && GF_CUDA_EXPR_RESULTS == GF_EXPR_MAX_RESULTS &&
                   GF_CUDA_EXPR_INPUTS == GF_EXPR_MAX_INPUTS &&
                   GF_EXPR_FIRST_CONSTANT + GF_EXPR_CONSTANTS <= GF_CUDA_EXPR_LAST,
               "the interpreter has room for every program");
_Static_assert(GF_CUDA_EXPR_FIRST_CONSTANT <= 64 && GF_CUDA_EXPR_CONSTANTS <= 256, "a piece names its operands");

static uint32_t operands(const struct gf_expr_insn *insn)
{
    return gf_expr_insn_info(insn->op)->n;
}

static bool is_wide(const struct gf_expr_insn *insn)
{
    const struct gf_expr_insn_info *info = gf_expr_insn_info(insn->op);
    const uint32_t wide = 1u << GF_EXPR_M_I64 | 1u << GF_EXPR_M_U64 | 1u << GF_EXPR_M_F64;
    return ((1u << info->first | 1u << info->others | 1u << info->result) & wide) != 0;
}

/* Whether the value of a register is read before the register is overwritten: by instruction `from` or a later one, or
 * as a result. */
static bool is_taken(const struct gf_expr_program *p, uint32_t from, uint8_t reg)
{
    for (uint32_t i = from; i < p->n_insns; i++) {
        for (uint32_t k = 0; k < operands(&p->insns[i]); k++)
            if (p->insns[i].in[k] == reg)
                return true;
        if (p->insns[i].dst == reg)
            return false;
    }
    for (uint32_t k = 0; k < p->n_results; k++)
        if (p->results[k] == reg)
            return true;
    return false;
}

static uint32_t kind_of(uint8_t operand)
{
    if (operand == GF_CUDA_EXPR_LAST)
        return GF_CUDA_EXPR_IS_LAST;
    return operand < GF_CUDA_EXPR_FIRST_CONSTANT ? GF_CUDA_EXPR_IS_REGISTER : GF_CUDA_EXPR_IS_CONSTANT;
}

/* Encodes an operand of an instruction whose predecessor wrote register `last`. */
static uint8_t operand_of(uint8_t operand, uint8_t last)
{
    return operand == last ? GF_CUDA_EXPR_LAST : operand;
}

/* Whether anything but the next instruction, which has the value as its last result, reads the result. */
static bool is_stored(const struct gf_expr_program *program, uint32_t i)
{
    uint8_t dst = program->insns[i].dst;
    return i + 1 < program->n_insns && program->insns[i + 1].dst != dst && is_taken(program, i + 2, dst);
}

/* Encodes field `what` of an instruction. */
static uint32_t code_of(uint32_t op, uint32_t n, const uint8_t *in)
{
    switch (op) {
#define LONG(name, type, is_called) case GF_EXPR_I_##name##_##type:
        GF_CUDA_EXPR_LONG(LONG)
#undef LONG
        return op;
    case GF_EXPR_I_SELECT_I32:
    case GF_EXPR_I_SELECT_I64:
    case GF_EXPR_I_SELECT_U64:
    case GF_EXPR_I_SELECT_F32:
    case GF_EXPR_I_SELECT_F64:
        return GF_EXPR_I_SELECT_I32;
    default:
        break;
    }
    if (n == 0 || n == 3)
        return op;
    uint32_t a = kind_of(in[0]), b = kind_of(in[1]), constant = 0, reg = 0;
    if (a == GF_CUDA_EXPR_IS_CONSTANT || b == GF_CUDA_EXPR_IS_CONSTANT)
        constant = in[a == GF_CUDA_EXPR_IS_CONSTANT ? 0 : 1] - GF_CUDA_EXPR_FIRST_CONSTANT;
    if (a == GF_CUDA_EXPR_IS_REGISTER || b == GF_CUDA_EXPR_IS_REGISTER)
        reg = in[a == GF_CUDA_EXPR_IS_REGISTER ? 0 : 1];
    return GF_CUDA_EXPR_PIECE | reg << 24 | constant << 16 | GF_CUDA_EXPR_NUMBER(op - GF_EXPR_I_PLACE_F64 - 1, a, b);
}

void gf_cuda_expr_encode(const struct gf_expr_program *program, const uint8_t *ways, struct gf_cuda_expr_code *ret_code)
{
    struct gf_cuda_expr_code *code = ret_code;
    memset(code, 0, sizeof(*code));
    code->n_registers = program->n_registers;
    for (uint32_t i = 0; i < program->n_constants; i++)
        code->constants[i] = program->constants[i].u64;
    uint8_t last = GF_CUDA_EXPR_NO_STORE; /* the register that the previous instruction wrote; none at first */
    for (uint32_t i = 0; i < program->n_insns; i++) {
        const struct gf_expr_insn *from = &program->insns[i];
        struct gf_cuda_expr_insn *to = &code->insns[i];
        uint8_t in[3] = {GF_CUDA_EXPR_LAST, GF_CUDA_EXPR_LAST, GF_CUDA_EXPR_LAST};
        code->wide = code->wide || is_wide(from);
        for (uint32_t k = 0; k < operands(from); k++)
            in[k] = operand_of(from->in[k], last);
        to->what = code_of(from->op, operands(from), in);
        if (from->op <= GF_EXPR_I_LOAD_F64) {
            bool own = from->in[1] == GF_EXPR_OWN_CHANNEL;
            in[0] = (uint8_t)(from->in[0] | (own ? 0 : from->in[1]) << 2 |
                              (own ? ways[from->in[0]] : GF_CUDA_EXPR_NAMED) << 4);
        } else if (operands(from) == 0) {
            in[0] = from->in[0];
        }
        uint8_t dst = is_stored(program, i) ? from->dst : GF_CUDA_EXPR_NO_STORE;
        to->operands = in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)dst << 24;
        last = from->dst;
    }
    code->n_results = program->n_results;
    for (uint32_t k = 0; k < program->n_results; k++) {
        code->results[k] = operand_of(program->results[k], last);
        code->types[k] = program->types[k];
        code->wide = code->wide || program->types[k] == GF_EXPR_M_I64 || program->types[k] == GF_EXPR_M_U64 ||
                     program->types[k] == GF_EXPR_M_F64; /* a result may be a constant, which no instruction makes */
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Programs as the interpreter takes them: operands that are the last result are said to be, and results that nobody
 * else takes are not stored. Called by expr.c.
 */
#include <string.h>

#include "expr_interpreter.h"

_Static_assert(GF_CUDA_EXPR_FIRST_CONSTANT == GF_EXPR_FIRST_CONSTANT && GF_CUDA_EXPR_CONSTANTS == GF_EXPR_CONSTANTS &&
                   GF_CUDA_EXPR_INSNS == GF_EXPR_INSNS && GF_CUDA_EXPR_RESULTS == GF_EXPR_MAX_RESULTS &&
                   GF_CUDA_EXPR_INPUTS == GF_EXPR_MAX_INPUTS &&
                   GF_EXPR_FIRST_CONSTANT + GF_EXPR_CONSTANTS <= GF_CUDA_EXPR_LAST,
               "the interpreter has room for every program");

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

/* Whether a register is taken after instruction `i` before it gets another value: by an instruction from `from` on, or
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

/* An operand of what comes right after an instruction that made `last`. */
static uint8_t operand_of(uint8_t operand, uint8_t last)
{
    return operand == last ? GF_CUDA_EXPR_LAST : operand;
}

void gf_cuda_expr_encode(const struct gf_expr_program *program, const uint8_t *ways, struct gf_cuda_expr_code *ret_code)
{
    struct gf_cuda_expr_code *code = ret_code;
    memset(code, 0, sizeof(*code));
    code->n_insns = program->n_insns;
    code->n_registers = program->n_registers;
    for (uint32_t i = 0; i < program->n_constants; i++)
        code->constants[i] = program->constants[i].u64;
    uint8_t last = GF_CUDA_EXPR_NO_STORE; /* the register of the last result; none at first */
    for (uint32_t i = 0; i < program->n_insns; i++) {
        const struct gf_expr_insn *from = &program->insns[i];
        struct gf_cuda_expr_insn *to = &code->insns[i];
        code->wide = code->wide || is_wide(from);
        /* The next instruction takes it as the last result; it is stored for those behind. */
        bool next_overwrites = i + 1 < program->n_insns && program->insns[i + 1].dst == from->dst;
        bool stored = !next_overwrites && is_taken(program, i + 2, from->dst);
        bool last_of_all = i + 1 == program->n_insns;
        to->dst = stored && !last_of_all ? from->dst : GF_CUDA_EXPR_NO_STORE;
        to->in[0] = to->in[1] = to->in[2] = GF_CUDA_EXPR_LAST;
        for (uint32_t k = 0; k < operands(from); k++)
            to->in[k] = operand_of(from->in[k], last);
        bool by_kind = operands(from) == 1 || operands(from) == 2;
        uint32_t mode = by_kind ? GF_CUDA_EXPR_MODE(kind_of(to->in[0]), kind_of(to->in[1])) : 0;
        to->code = (uint16_t)GF_CUDA_EXPR_CODE(from->op, mode);
        if (from->op >= GF_EXPR_I_LOAD_I32 && from->op <= GF_EXPR_I_LOAD_F64) {
            bool own = from->in[1] == GF_EXPR_OWN_CHANNEL;
            to->reserved = (uint16_t)(from->in[0] | (own ? 0 : from->in[1]) << 2 |
                                      (own ? ways[from->in[0]] : GF_CUDA_EXPR_NAMED) << 4);
        } else if (operands(from) == 0) {
            to->reserved = from->in[0];
        }
        last = from->dst;
    }
    code->n_results = program->n_results;
    for (uint32_t k = 0; k < program->n_results; k++) {
        code->results[k] = operand_of(program->results[k], last);
        code->types[k] = program->types[k];
        code->wide = code->wide || program->types[k] == GF_EXPR_M_I64 || program->types[k] == GF_EXPR_M_U64 ||
                     program->types[k] == GF_EXPR_M_F64; /* constants */
    }
}

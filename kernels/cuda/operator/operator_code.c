/* SPDX-License-Identifier: MIT */
/* Encodes the programs of an operator for its interpreter. Called by operator.c. */
#include <string.h>

#include "kernels/cuda/point/expr_interpreter.h"
#include "operator_interpreter.h"

static void append(struct gf_cuda_operator_code *code, const struct gf_expr_program *program,
                   struct gf_cuda_operator_slice *ret_slice)
{
    static const uint8_t ways[GF_EXPR_MAX_INPUTS] = {GF_CUDA_EXPR_OWN};
    struct gf_cuda_expr_code from;
    gf_cuda_expr_encode(program, ways, &from);
    uint64_t *to = code->words + code->n_words;
    for (uint32_t i = 0; i < program->n_insns; i++) {
        const uint64_t op = program->insns[i].op, operands = from.insns[i].operands;
        const bool reads = gf_expr_insn_info(program->insns[i].op)->n == 0;
        to[i] = op | operands >> 24 << 16 | (operands & 0xFFFFFF) << 24;
        if (reads) /* the operand byte says what the instruction reads */
            to[i] |= (operands & 0xFF) << 48 | (uint64_t)GF_CUDA_EXPR_LAST << 24;
    }
    memcpy(to + program->n_insns, from.constants, program->n_constants * sizeof(*to));
    ret_slice->first = (uint16_t)code->n_words;
    ret_slice->end = ret_slice->constants = (uint16_t)(code->n_words + program->n_insns);
    ret_slice->n_results = (uint8_t)from.n_results;
    memcpy(ret_slice->results, from.results, sizeof(ret_slice->results));
    code->n_words += program->n_insns + program->n_constants;
}

void gf_cuda_operator_encode(const struct gf_operator_programs *programs, struct gf_cuda_operator_code *ret_code)
{
    ret_code->n_words = 0;
    ret_code->n_state = programs->n_state;
    append(ret_code, &programs->lift, &ret_code->texts[GF_CUDA_OPERATOR_LIFT]);
    append(ret_code, &programs->combine, &ret_code->texts[GF_CUDA_OPERATOR_COMBINE]);
    append(ret_code, &programs->finish, &ret_code->texts[GF_CUDA_OPERATOR_FINISH]);
}

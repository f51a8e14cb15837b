/* SPDX-License-Identifier: MIT */
/* Programs of expressions: properties of instructions, compilation, printing. Called by the backends and by tests. */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "lower.h"
#include "protocol/base/base.h"
#include "protocol/base/text.h"

static const struct gf_expr_insn_info infos[GF_EXPR_N_INSNS] = {
#define READS(kind, type) [GF_EXPR_I_##kind##_##type] = {#kind, 0, 0, 0, GF_EXPR_M_##type}
    READS(LOAD, I32),  READS(LOAD, I64),  READS(LOAD, U64),  READS(LOAD, F32),  READS(LOAD, F64),
    READS(PLACE, I32), READS(PLACE, I64), READS(PLACE, F32), READS(PLACE, F64),
#undef READS
#define GF_EXPR_INSN(name, type, n, result, value)                                                                     \
    [GF_EXPR_I_##name##_##type] = {#name, n, GF_EXPR_M_##type, GF_EXPR_M_##type, GF_EXPR_M_##result},
#define GF_EXPR_CHOICE(type, value)                                                                                    \
    [GF_EXPR_I_SELECT_##type] = {"SELECT", 3, GF_EXPR_M_I32, GF_EXPR_M_##type, GF_EXPR_M_##type},
#include "instructions.def"
};

const struct gf_expr_insn_info *gf_expr_insn_info(uint32_t op)
{
    return &infos[op];
}

static enum gf_status compile(const struct gf_expr *expr, uint64_t width, uint64_t height, bool states,
                              struct gf_expr_program *ret_program, struct gf_error *err)
{
    struct gf_expr_lowered lowered;
    struct gf_expr_program program;
    enum gf_status status = gf_expr_lower(expr, width, height, states, &lowered, err);
    if (status != GF_OK)
        return status;
    memset(&program, 0, sizeof(program));
    status = gf_expr_assign(&lowered, &program, err);
    if (status != GF_OK)
        return status;
    program.pixels = expr->pixels;
    for (uint32_t i = 0; i < program.n_insns; i++)
        if (program.insns[i].op <= GF_EXPR_I_LOAD_F64)
            program.inputs = (uint8_t)(program.inputs | 1u << program.insns[i].in[0]);
    *ret_program = program;
    return GF_OK;
}

enum gf_status gf_expr_compile(const struct gf_expr *expr, uint64_t width, uint64_t height,
                               struct gf_expr_program *ret_program, struct gf_error *err)
{
    return compile(expr, width, height, false, ret_program, err);
}

enum gf_status gf_expr_compile_state(const struct gf_expr *expr, uint64_t width, uint64_t height,
                                     struct gf_expr_program *ret_program, struct gf_error *err)
{
    return compile(expr, width, height, true, ret_program, err);
}

static const char *const machine_words[] = {
    [GF_EXPR_M_I32] = "i32", [GF_EXPR_M_I64] = "i64", [GF_EXPR_M_U64] = "u64",
    [GF_EXPR_M_F32] = "f32", [GF_EXPR_M_F64] = "f64",
};

/* Appends a register, or a constant of a type. */
static void append_operand(const struct gf_expr_program *program, uint8_t operand, uint32_t machine, char *text,
                           size_t size)
{
    char number[GF_NUMBER_TEXT];
    if (operand < GF_EXPR_FIRST_CONSTANT) {
        gf_text_append(text, size, " r%u", operand);
        return;
    }
    const union gf_expr_value *value = &program->constants[operand - GF_EXPR_FIRST_CONSTANT];
    if (machine == GF_EXPR_M_I32)
        gf_text_append(text, size, " %d", value->i32);
    else if (machine == GF_EXPR_M_I64)
        gf_text_append(text, size, " %lld", (long long)value->i64);
    else if (machine == GF_EXPR_M_U64)
        gf_text_append(text, size, " %llu", (unsigned long long)value->u64);
    else if (machine == GF_EXPR_M_F32)
        gf_text_append(text, size, " %s", gf_text_from_f32(value->f32, number, sizeof(number)));
    else
        gf_text_append(text, size, " %s", gf_text_from_f64(value->f64, number, sizeof(number)));
}

static const char *place_word(uint32_t op)
{
    return op == GF_EXPR_X ? "x" : op == GF_EXPR_Y ? "y" : op == GF_EXPR_CH ? "ch" : "i";
}

static void append_insn(const struct gf_expr_program *program, const struct gf_expr_insn *insn, char *text, size_t size)
{
    const struct gf_expr_insn_info *info = &infos[insn->op];
    uint8_t machine = info->n == 0 ? info->result : info->others;
    gf_text_append(text, size, "r%u = %s.%s", insn->dst, info->name, machine_words[machine]);
    for (uint32_t k = 0; k < info->n; k++)
        append_operand(program, insn->in[k], k == 0 ? info->first : info->others, text, size);
    if (insn->op <= GF_EXPR_I_LOAD_F64)
        gf_text_append(text, size, " %c", 'a' + insn->in[0]);
    else if (info->n == 0)
        gf_text_append(text, size, " %s", place_word(insn->in[0]));
    if (insn->op <= GF_EXPR_I_LOAD_F64 && insn->in[1] != GF_EXPR_OWN_CHANNEL)
        gf_text_append(text, size, "[%u]", insn->in[1]);
    gf_text_append(text, size, "\n");
}

const char *gf_expr_program_text(const struct gf_expr_program *program, char *text, size_t size)
{
    if (size > 0)
        text[0] = '\0';
    for (uint32_t i = 0; i < program->n_insns; i++)
        append_insn(program, &program->insns[i], text, size);
    for (uint32_t i = 0; i < program->n_results; i++) {
        gf_text_append(text, size, "%s.%s", i == 0 ? "=" : ",", machine_words[program->types[i]]);
        append_operand(program, program->results[i], program->types[i], text, size);
    }
    gf_text_append(text, size, "\n");
    return text;
}

/* SPDX-License-Identifier: MIT */
/*
 * Turns values into instructions over registers. A register is free again after the last use of its value. Called by
 * program.c.
 */
#include <string.h>

#include "lower.h"

struct assigning {
    const struct gf_expr_lowered *from;
    struct gf_expr_program *to;
    uint64_t taken;                  /* registers, one bit each */
    uint16_t until[GF_EXPR_VALUES];  /* the last value that uses each value; its own number: unused */
    uint8_t operand[GF_EXPR_VALUES]; /* its register or constant */
};

_Static_assert(GF_EXPR_REGISTERS < 64, "a bit of `taken` for each register, and at least one more");

/* The number of a value's operands that are values. */
static uint32_t n_operands(const struct gf_expr_lowered_value *value)
{
    bool none = value->op == GF_EXPR_IS_CONSTANT || value->op == GF_EXPR_IS_ARGUMENT;
    return none ? 0 : gf_expr_insn_info(value->op)->n;
}

/* Finds the last uses, from the last value to the first, so that an unneeded value does not keep its operands. */
static void find_uses(struct assigning *a, bool *needed)
{
    const struct gf_expr_lowered *from = a->from;
    for (uint32_t at = 0; at < from->n; at++)
        a->until[at] = (uint16_t)at;
    for (uint32_t i = 0; i < from->n_results; i++) {
        needed[from->results[i]] = true;
        a->until[from->results[i]] = UINT16_MAX;
    }
    for (uint32_t at = from->n; at-- > 0;)
        for (uint32_t k = 0; needed[at] && k < n_operands(&from->values[at]); k++) {
            uint16_t in = from->values[at].in[k];
            needed[in] = true;
            if (a->until[in] < at)
                a->until[in] = (uint16_t)at;
        }
}

/* The number of a constant; equal constants of a type share one. GF_EXPR_CONSTANTS: no room. */
static uint32_t add_constant(struct gf_expr_program *to, const struct gf_expr_lowered_value *value)
{
    uint32_t i = 0;
    while (i < to->n_constants && (to->constant_types[i] != value->machine ||
                                   memcmp(&to->constants[i], &value->constant, sizeof(value->constant)) != 0))
        i++;
    if (i == to->n_constants && i < GF_EXPR_CONSTANTS) {
        to->constants[i] = value->constant;
        to->constant_types[i] = value->machine;
        to->n_constants++;
    }
    return i;
}

/* Registers of operands become free only after the result has its own. */
static bool add_insn(struct assigning *a, uint32_t at)
{
    const struct gf_expr_lowered_value *value = &a->from->values[at];
    struct gf_expr_program *to = a->to;
    if (to->n_insns == GF_EXPR_INSNS || a->taken == UINT64_MAX)
        return false;
    uint32_t dst = (uint32_t)__builtin_ctzll(~a->taken), n = n_operands(value);
    struct gf_expr_insn insn = {.op = value->op, .dst = (uint8_t)dst};
    a->taken |= UINT64_C(1) << dst;
    a->operand[at] = (uint8_t)dst;
    to->n_registers = dst + 1 > to->n_registers ? dst + 1 : to->n_registers;
    for (uint32_t k = 0; k < 3; k++)
        insn.in[k] = k < n ? a->operand[value->in[k]] : (uint8_t)value->in[k];
    for (uint32_t k = 0; k < n; k++)
        if (insn.in[k] < GF_EXPR_FIRST_CONSTANT && a->until[value->in[k]] == at)
            a->taken &= ~(UINT64_C(1) << insn.in[k]);
    to->insns[to->n_insns++] = insn;
    return true;
}

/* Values that are in registers before the first instruction keep them until their last uses. */
static void take_arguments(struct assigning *a, const bool *needed)
{
    for (uint32_t at = 0; at < a->from->n; at++) {
        const struct gf_expr_lowered_value *value = &a->from->values[at];
        if (!needed[at] || value->op != GF_EXPR_IS_ARGUMENT)
            continue;
        a->operand[at] = (uint8_t)value->in[0];
        a->taken |= UINT64_C(1) << value->in[0];
        a->to->arguments = (uint8_t)(a->to->arguments | 1u << value->in[0]);
        a->to->n_registers = value->in[0] + 1u > a->to->n_registers ? value->in[0] + 1u : a->to->n_registers;
    }
}

enum gf_status gf_expr_assign(const struct gf_expr_lowered *lowered, struct gf_expr_program *program,
                              struct gf_error *err)
{
    struct assigning a = {.from = lowered, .to = program, .taken = UINT64_MAX << GF_EXPR_REGISTERS};
    bool needed[GF_EXPR_VALUES] = {false}, fits = true;
    find_uses(&a, needed);
    take_arguments(&a, needed);
    for (uint32_t at = 0; at < lowered->n && fits; at++) {
        uint32_t op = lowered->values[at].op;
        if (needed[at] && op != GF_EXPR_IS_CONSTANT && op != GF_EXPR_IS_ARGUMENT) {
            fits = add_insn(&a, at);
        } else if (needed[at] && op == GF_EXPR_IS_CONSTANT) {
            uint32_t i = add_constant(program, &lowered->values[at]);
            fits = i < GF_EXPR_CONSTANTS;
            a.operand[at] = (uint8_t)(GF_EXPR_FIRST_CONSTANT + i);
        }
    }
    if (!fits)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "expr: expression: is too long; at most %u registers, %u constants and %u instructions are allowed",
            GF_EXPR_REGISTERS, GF_EXPR_CONSTANTS, GF_EXPR_INSNS);
    program->n_results = lowered->n_results;
    for (uint32_t i = 0; i < lowered->n_results; i++) {
        program->results[i] = a.operand[lowered->results[i]];
        program->types[i] = lowered->values[lowered->results[i]].machine;
    }
    return GF_OK;
}

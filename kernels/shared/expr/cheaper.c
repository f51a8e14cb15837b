/* SPDX-License-Identifier: MIT */
/* Replaces operators with a literal operand by cheaper instructions that give the same bits. Called by lower.c. */
#include <math.h>

#include "lowering.h"
#include "operators.h"

#define POWER_INSNS 10 /* most instructions for a power with a plain exponent */

/* The exponent of an integer constant that is a power of two, otherwise -1. */
static int32_t power_of_two(const struct gf_expr_lowered_value *value)
{
    int64_t v = value->machine == GF_EXPR_M_I32 ? value->constant.i32 : value->constant.i64;
    bool one_bit = value->op == GF_EXPR_IS_CONSTANT && v > 0 && (v & (v - 1)) == 0;
    return one_bit ? __builtin_ctzll((unsigned long long)v) : -1;
}

/* The reciprocal of a constant if it is exact, so that the product has the bits of the quotient; otherwise 0. */
static double exact_reciprocal(const struct gf_expr_lowered_value *value)
{
    int exponent;
    if (value->op != GF_EXPR_IS_CONSTANT)
        return 0;
    if (value->machine == GF_EXPR_M_F32) {
        float r = 1.0f / value->constant.f32;
        return isfinite(r) && r != 0 && fabsf(frexpf(value->constant.f32, &exponent)) == 0.5f ? (double)r : 0;
    }
    double r = 1.0 / value->constant.f64;
    return isfinite(r) && r != 0 && fabs(frexp(value->constant.f64, &exponent)) == 0.5 ? r : 0;
}

uint16_t gf_expr_emit_quotient(struct gf_expr_lowering *l, uint32_t op, uint32_t machine, uint16_t a, uint16_t b)
{
    const struct gf_expr_lowered_value *by = &l->to->values[b];
    if (op == GF_EXPR_DIV) {
        union gf_expr_value r = {.i64 = 0};
        if (machine == GF_EXPR_M_F32)
            r.f32 = (float)exact_reciprocal(by);
        else
            r.f64 = exact_reciprocal(by);
        return r.i64 == 0
                   ? GF_EXPR_NO_VALUE
                   : gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_MUL, machine), a, gf_expr_emit_constant(l, machine, r));
    }
    bool integers = machine == GF_EXPR_M_I32 || machine == GF_EXPR_M_I64 || machine == GF_EXPR_M_U64;
    int32_t shift = integers ? power_of_two(by) : -1;
    if (shift < 0)
        return GF_EXPR_NO_VALUE;
    if (op == GF_EXPR_FLOORDIV)
        return gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_SHR, machine), a, gf_expr_emit_whole(l, machine, shift));
    union gf_expr_value mask = by->constant;
    if (machine == GF_EXPR_M_I32)
        mask.i32--;
    else
        mask.i64--;
    return gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_AND, machine), a, gf_expr_emit_constant(l, machine, mask));
}

/* Removes the sign of -infinity and -0, so that the root is that of a magnitude. */
static uint16_t without_sign(struct gf_expr_lowering *l, uint32_t machine, uint16_t x)
{
    bool narrow = machine == GF_EXPR_M_F32;
    union gf_expr_value least = {.i64 = 0}, most = {.i64 = 0};
    if (narrow) {
        least.f32 = -INFINITY;
        most.f32 = INFINITY;
    } else {
        least.f64 = -(double)INFINITY;
        most.f64 = (double)INFINITY;
    }
    uint16_t is_least =
        gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_EQ, machine), x, gf_expr_emit_constant(l, machine, least));
    uint16_t sum = gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_ADD, machine), x, gf_expr_emit_whole(l, machine, 0));
    return gf_expr_emit(l, gf_expr_insn_of(GF_EXPR_SELECT, machine), 3,
                        (const uint16_t[3]){is_least, gf_expr_emit_constant(l, machine, most), sum});
}

/* In long texts the powers might together exceed the instructions; there each remains one instruction, which computes
 * the same. */
uint16_t gf_expr_emit_power(struct gf_expr_lowering *l, uint32_t machine, uint16_t x, uint16_t exponent)
{
    const struct gf_expr_lowered_value *by = &l->to->values[exponent];
    bool narrow = machine == GF_EXPR_M_F32;
    double y = narrow ? (double)by->constant.f32 : by->constant.f64;
    if (l->expr->n_nodes > GF_EXPR_INSNS / POWER_INSNS || by->op != GF_EXPR_IS_CONSTANT ||
        !(narrow ? gf_expr_pow_plain_f32((float)y) : gf_expr_pow_plain_f64(y)))
        return GF_EXPR_NO_VALUE;
    uint32_t products = (uint32_t)fabs(y);
    bool root = fabs(y) != products;
    if (root)
        x = without_sign(l, machine, x);
    if (narrow)
        x = gf_expr_emit1(l, GF_EXPR_I_TO_F64_F32, x);
    uint16_t one = gf_expr_emit_whole(l, GF_EXPR_M_F64, 1);
    uint16_t power = root ? gf_expr_emit1(l, GF_EXPR_I_SQRT_F64, x) : products > 0 ? x : one;
    for (uint32_t i = root ? 0 : 1; i < products; i++)
        power = gf_expr_emit2(l, GF_EXPR_I_MUL_F64, power, x);
    if (y < 0.0)
        power = gf_expr_emit2(l, GF_EXPR_I_DIV_F64, one, power);
    return narrow ? gf_expr_emit1(l, GF_EXPR_I_TO_F32_F64, power) : power;
}

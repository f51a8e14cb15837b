/* SPDX-License-Identifier: MIT */
/*
 * Nodes to values: each node in the type that it is computed in, samples in those that they are used in, literals
 * computed. Called by program.c.
 */
#include "lower.h"

#include <math.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/base/dtype.h"

#define MACHINES (GF_EXPR_M_F64 + 1u)
#define NONE UINT16_MAX

struct lowering {
    const struct gf_expr *expr;
    struct gf_expr_lowered *to;
    bool full;
    uint8_t machine[GF_EXPR_MAX_NODES];          /* that a node's value is in without a conversion */
    uint16_t value[GF_EXPR_MAX_NODES][MACHINES]; /* of a node as a machine type; NONE: not yet */
};

/* Narrows an integer; no operator of nodes. */
enum { GF_EXPR_TO_I32 = 0 };

/* The instruction of a node's operator for operands of a type; 0: none. */
static const uint16_t insn_of[GF_EXPR_N_OPS][MACHINES] = {
#define GF_EXPR_INSN(name, type, n, result, value) [GF_EXPR_##name][GF_EXPR_M_##type] = GF_EXPR_I_##name##_##type,
#include "instructions.def"
};

static const uint16_t load_of[MACHINES] = {
    [GF_EXPR_M_I32] = GF_EXPR_I_LOAD_I32, [GF_EXPR_M_I64] = GF_EXPR_I_LOAD_I64, [GF_EXPR_M_U64] = GF_EXPR_I_LOAD_U64,
    [GF_EXPR_M_F32] = GF_EXPR_I_LOAD_F32, [GF_EXPR_M_F64] = GF_EXPR_I_LOAD_F64,
};
static const uint16_t place_of[MACHINES] = {
    [GF_EXPR_M_I32] = GF_EXPR_I_PLACE_I32,
    [GF_EXPR_M_I64] = GF_EXPR_I_PLACE_I64,
    [GF_EXPR_M_F32] = GF_EXPR_I_PLACE_F32,
    [GF_EXPR_M_F64] = GF_EXPR_I_PLACE_F64,
};

static uint16_t add_value(struct lowering *l, struct gf_expr_lowered_value value)
{
    if (l->to->n == GF_EXPR_VALUES) {
        l->full = true;
        return 0;
    }
    l->to->values[l->to->n] = value;
    return (uint16_t)l->to->n++;
}

static uint16_t constant(struct lowering *l, uint32_t machine, union gf_expr_value value)
{
    return add_value(l, (struct gf_expr_lowered_value){.machine = (uint8_t)machine, .constant = value});
}

/* A whole number of at most 32 bits. */
static uint16_t whole(struct lowering *l, uint32_t machine, int32_t v)
{
    union gf_expr_value value = {.i64 = 0};
    if (machine == GF_EXPR_M_I32)
        value.i32 = v;
    else if (machine == GF_EXPR_M_F32)
        value.f32 = (float)v;
    else if (machine == GF_EXPR_M_F64)
        value.f64 = v;
    else
        value.i64 = v;
    return constant(l, machine, value);
}

/* The instruction on values, or what it gives where all are constants. */
static uint16_t emit(struct lowering *l, uint16_t op, uint32_t n, const uint16_t in[3])
{
    union gf_expr_value constants[3] = {{0}};
    struct gf_expr_lowered_value value = {.op = op, .machine = gf_expr_insn_info(op)->result};
    bool known = true;
    for (uint32_t k = 0; k < n; k++) {
        value.in[k] = in[k];
        known = known && l->to->values[in[k]].op == GF_EXPR_IS_CONSTANT;
        constants[k] = l->to->values[in[k]].constant;
    }
    if (known)
        return constant(l, value.machine, gf_expr_fold(op, constants));
    return add_value(l, value);
}

static uint16_t emit1(struct lowering *l, uint16_t op, uint16_t a)
{
    return emit(l, op, 1, (const uint16_t[3]){a});
}

static uint16_t emit2(struct lowering *l, uint16_t op, uint16_t a, uint16_t b)
{
    return emit(l, op, 2, (const uint16_t[3]){a, b});
}

/* Whether all that an integer can be is within 32 bits. */
static bool is_small(const struct gf_expr_node *node)
{
    return node->lo >= INT32_MIN && node->hi <= INT32_MAX;
}

static uint8_t machine_of(const struct gf_expr_node *node)
{
    switch (node->type) {
    case GF_EXPR_BOOL:
        return GF_EXPR_M_I32;
    case GF_EXPR_I64:
        return is_small(node) ? GF_EXPR_M_I32 : GF_EXPR_M_I64;
    case GF_EXPR_U64:
        return GF_EXPR_M_U64;
    case GF_EXPR_F32:
        return GF_EXPR_M_F32;
    default:
        return GF_EXPR_M_F64;
    }
}

static bool is_place(const struct gf_expr_node *node)
{
    return node->op == GF_EXPR_X || node->op == GF_EXPR_Y || node->op == GF_EXPR_CH || node->op == GF_EXPR_INDEX;
}

/* What is read as any type that it is used in, when it is used. */
static bool is_read(const struct gf_expr_node *node)
{
    return node->op == GF_EXPR_SAMPLE || is_place(node);
}

static uint16_t read_as(struct lowering *l, const struct gf_expr_node *node, uint32_t machine)
{
    struct gf_expr_lowered_value value = {.op = place_of[machine], .in = {node->op}, .machine = (uint8_t)machine};
    if (node->op == GF_EXPR_SAMPLE) {
        value.op = load_of[machine];
        value.in[0] = node->source;
        value.in[1] = node->channel;
    }
    return add_value(l, value);
}

/* A node's value as a type: its own, the other signed integer, or of what is read any that converts exactly or as a
 * conversion says. */
static uint16_t as(struct lowering *l, uint32_t at, uint32_t machine)
{
    const struct gf_expr_node *node = &l->expr->nodes[at];
    uint16_t *known = l->value[at];
    if (known[machine] != NONE)
        return known[machine];
    if (is_read(node))
        known[machine] = read_as(l, node, machine);
    else
        known[machine] =
            emit1(l, machine == GF_EXPR_M_I64 ? GF_EXPR_I_TO_I64_I32 : GF_EXPR_I_TO_I32_I64, known[l->machine[at]]);
    return known[machine];
}

static uint16_t literal(struct lowering *l, const struct gf_expr_node *node)
{
    union gf_expr_value value = {.i64 = 0};
    switch (machine_of(node)) {
    case GF_EXPR_M_I32:
        value.i32 = node->type == GF_EXPR_BOOL ? node->value.b : (int32_t)node->value.i64;
        break;
    case GF_EXPR_M_I64:
        value.i64 = node->value.i64;
        break;
    case GF_EXPR_M_U64:
        value.u64 = node->value.u64;
        break;
    case GF_EXPR_M_F32:
        value.f32 = (float)node->value.f64;
        break;
    default:
        value.f64 = node->value.f64;
    }
    return constant(l, machine_of(node), value);
}

static uint16_t side_of(struct lowering *l, const struct gf_expr_node *node, uint64_t side)
{
    if (is_small(node))
        return whole(l, GF_EXPR_M_I32, (int32_t)side);
    return constant(l, GF_EXPR_M_I64, (union gf_expr_value){.i64 = (int64_t)side});
}

/* The exponent of an integer constant that is a power of two, else -1. */
static int32_t power_of_two(const struct gf_expr_lowered_value *value)
{
    int64_t v = value->machine == GF_EXPR_M_I32 ? value->constant.i32 : value->constant.i64;
    bool one_bit = value->op == GF_EXPR_IS_CONSTANT && v > 0 && (v & (v - 1)) == 0;
    return one_bit ? __builtin_ctzll((unsigned long long)v) : -1;
}

/* The reciprocal of a constant where it is exact, so that a product with it has the quotient's bits; else 0. */
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

/* a by a constant without a division, where the bits are the same; else NONE. */
static uint16_t divide_cheaply(struct lowering *l, uint32_t op, uint32_t machine, uint16_t a, uint16_t b)
{
    const struct gf_expr_lowered_value *by = &l->to->values[b];
    if (op == GF_EXPR_DIV) {
        union gf_expr_value r = {.i64 = 0};
        if (machine == GF_EXPR_M_F32)
            r.f32 = (float)exact_reciprocal(by);
        else
            r.f64 = exact_reciprocal(by);
        return r.i64 == 0 ? NONE : emit2(l, insn_of[GF_EXPR_MUL][machine], a, constant(l, machine, r));
    }
    bool integers = machine == GF_EXPR_M_I32 || machine == GF_EXPR_M_I64 || machine == GF_EXPR_M_U64;
    int32_t shift = integers ? power_of_two(by) : -1;
    if (shift < 0)
        return NONE;
    if (op == GF_EXPR_FLOORDIV)
        return emit2(l, insn_of[GF_EXPR_SHR][machine], a, whole(l, machine, shift));
    union gf_expr_value mask = by->constant;
    if (machine == GF_EXPR_M_I32)
        mask.i32--;
    else
        mask.i64--;
    return emit2(l, insn_of[GF_EXPR_AND][machine], a, constant(l, machine, mask));
}

/* The type that a node's operands are computed in, but for a condition. */
static uint32_t operand_machine(const struct lowering *l, const struct gf_expr_node *node)
{
    uint32_t first = node->op == GF_EXPR_SELECT ? 1 : 0;
    const struct gf_expr_node *operand = &l->expr->nodes[node->in[first]];
    bool small = node->type != GF_EXPR_I64 || is_small(node);
    for (uint32_t k = first; k < node->n_in; k++)
        small = small && is_small(&l->expr->nodes[node->in[k]]);
    return operand->type == GF_EXPR_I64 ? (small ? GF_EXPR_M_I32 : GF_EXPR_M_I64) : machine_of(operand);
}

static uint16_t compute(struct lowering *l, const struct gf_expr_node *node)
{
    uint32_t machine = operand_machine(l, node);
    uint16_t in[3] = {0}, cheap = NONE;
    for (uint32_t k = 0; k < node->n_in; k++)
        in[k] = as(l, node->in[k], node->op == GF_EXPR_SELECT && k == 0 ? GF_EXPR_M_I32 : machine);
    switch (node->op) {
    case GF_EXPR_DIV:
    case GF_EXPR_FLOORDIV:
    case GF_EXPR_MOD:
        cheap = divide_cheaply(l, node->op, machine, in[0], in[1]);
        break;
    case GF_EXPR_NOT:
        if (node->type == GF_EXPR_BOOL)
            return emit2(l, GF_EXPR_I_EQ_I32, in[0], whole(l, machine, 0));
        break;
    case GF_EXPR_ISNAN:
        return emit2(l, insn_of[GF_EXPR_NE][machine], in[0], in[0]);
    case GF_EXPR_TO_BOOL:
        return emit2(l, insn_of[GF_EXPR_NE][machine], in[0], whole(l, machine, 0));
    case GF_EXPR_ABS:
        if (machine == GF_EXPR_M_U64)
            return in[0];
        break;
    case GF_EXPR_SELECT:
        if (l->to->values[in[0]].op == GF_EXPR_IS_CONSTANT)
            return in[l->to->values[in[0]].constant.i32 ? 1 : 2];
        break;
    default:
        break;
    }
    return cheap != NONE ? cheap : emit(l, insn_of[node->op][machine], node->n_in, in);
}

/* A value as the type that a conversion gives. */
static uint16_t convert_value(struct lowering *l, uint32_t op, uint32_t machine, uint16_t value)
{
    const struct gf_expr_lowered_value *from = &l->to->values[value];
    uint16_t insn = insn_of[op][from->machine];
    if (from->machine == machine || insn == 0)
        return value;
    uint16_t yes = from->in[1], no = from->in[2], condition = from->in[0];
    if (from->op == insn_of[GF_EXPR_SELECT][from->machine] && l->to->values[yes].op == GF_EXPR_IS_CONSTANT &&
        l->to->values[no].op == GF_EXPR_IS_CONSTANT)
        return emit(l, insn_of[GF_EXPR_SELECT][machine], 3,
                    (const uint16_t[3]){condition, emit1(l, insn, yes), emit1(l, insn, no)});
    return emit1(l, insn, value);
}

/* Conversions: of what is read it is read as that type; a bool, and an integer within 32 bits, stays as it is. */
static uint16_t convert(struct lowering *l, const struct gf_expr_node *node)
{
    uint32_t machine = machine_of(node);
    const struct gf_expr_node *from = &l->expr->nodes[node->in[0]];
    bool to_float = node->op == GF_EXPR_TO_F32 || node->op == GF_EXPR_TO_F64;
    bool exact = from->op == GF_EXPR_SAMPLE || node->op == GF_EXPR_TO_F64 || is_small(from);
    if (to_float && is_read(from) && exact)
        return as(l, node->in[0], machine);
    return convert_value(l, node->op, machine, as(l, node->in[0], l->machine[node->in[0]]));
}

static void lower_node(struct lowering *l, uint32_t at, uint64_t width, uint64_t height)
{
    const struct gf_expr_node *node = &l->expr->nodes[at];
    uint16_t value;
    l->machine[at] = machine_of(node);
    switch (node->op) {
    case GF_EXPR_CONST:
        value = literal(l, node);
        break;
    case GF_EXPR_W:
    case GF_EXPR_H:
        value = side_of(l, node, node->op == GF_EXPR_W ? width : height);
        break;
    case GF_EXPR_TO_I64:
    case GF_EXPR_TO_U64:
    case GF_EXPR_TO_F32:
    case GF_EXPR_TO_F64:
        value = convert(l, node);
        break;
    default:
        if (is_read(node))
            return;
        value = compute(l, node);
    }
    l->machine[at] = l->to->values[value].machine;
    l->value[at][l->machine[at]] = value;
}

/* Marks what results need, themselves included. */
static void mark_needed(const struct gf_expr *expr, bool *needed)
{
    for (uint32_t i = 0; i < expr->n_results; i++)
        needed[expr->results[i]] = true;
    for (uint32_t at = expr->n_nodes; at-- > 0;)
        for (uint32_t k = 0; needed[at] && k < expr->nodes[at].n_in; k++)
            needed[expr->nodes[at].in[k]] = true;
}

enum gf_status gf_expr_lower(const struct gf_expr *expr, uint64_t width, uint64_t height,
                             struct gf_expr_lowered *ret_lowered, struct gf_error *err)
{
    struct lowering l = {.expr = expr, .to = ret_lowered};
    bool needed[GF_EXPR_MAX_NODES] = {false};
    memset(l.value, 0xFF, sizeof(l.value));
    ret_lowered->n = 0;
    ret_lowered->n_results = expr->n_results;
    mark_needed(expr, needed);
    for (uint32_t at = 0; at < expr->n_nodes && !l.full; at++)
        if (needed[at])
            lower_node(&l, at, width, height);
    for (uint32_t i = 0; i < expr->n_results && !l.full; i++)
        ret_lowered->results[i] = as(&l, expr->results[i], l.machine[expr->results[i]]);
    if (l.full)
        return gf_error_set(err, GF_E_BAD_PARAM, "expr: expression: takes more than %u values", GF_EXPR_VALUES);
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Converts nodes to values: each node in the type that it is computed in, samples in the types that they are used in,
 * literals computed. Called by program.c.
 */
#include "lower.h"

#include <string.h>

#include "lowering.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"

/* Narrows an integer; nodes have no such operator. */
enum { GF_EXPR_TO_I32 = 0 };

/* The instruction of a node's operator for operands of a machine type; 0: none. */
static const uint16_t insn_of[GF_EXPR_N_OPS][GF_EXPR_MACHINES] = {
#define GF_EXPR_INSN(name, type, n, result, value) [GF_EXPR_##name][GF_EXPR_M_##type] = GF_EXPR_I_##name##_##type,
#include "instructions.def"
};

uint16_t gf_expr_insn_of(uint32_t op, uint32_t machine)
{
    return insn_of[op][machine];
}

static const uint16_t load_of[GF_EXPR_MACHINES] = {
    [GF_EXPR_M_I32] = GF_EXPR_I_LOAD_I32, [GF_EXPR_M_I64] = GF_EXPR_I_LOAD_I64, [GF_EXPR_M_U64] = GF_EXPR_I_LOAD_U64,
    [GF_EXPR_M_F32] = GF_EXPR_I_LOAD_F32, [GF_EXPR_M_F64] = GF_EXPR_I_LOAD_F64,
};
static const uint16_t place_of[GF_EXPR_MACHINES] = {
    [GF_EXPR_M_I32] = GF_EXPR_I_PLACE_I32,
    [GF_EXPR_M_I64] = GF_EXPR_I_PLACE_I64,
    [GF_EXPR_M_F32] = GF_EXPR_I_PLACE_F32,
    [GF_EXPR_M_F64] = GF_EXPR_I_PLACE_F64,
};

static uint16_t add_value(struct gf_expr_lowering *l, struct gf_expr_lowered_value value)
{
    if (l->to->n == GF_EXPR_VALUES) {
        l->full = true;
        return 0;
    }
    l->to->values[l->to->n] = value;
    return (uint16_t)l->to->n++;
}

uint16_t gf_expr_emit_constant(struct gf_expr_lowering *l, uint32_t machine, union gf_expr_value value)
{
    return add_value(l, (struct gf_expr_lowered_value){.machine = (uint8_t)machine, .constant = value});
}

/* An integer of at most 32 bits. */
uint16_t gf_expr_emit_whole(struct gf_expr_lowering *l, uint32_t machine, int32_t v)
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
    return gf_expr_emit_constant(l, machine, value);
}

/* Emits the instruction, or its result if all operands are constants. */
uint16_t gf_expr_emit(struct gf_expr_lowering *l, uint16_t op, uint32_t n, const uint16_t in[3])
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
        return gf_expr_emit_constant(l, value.machine, gf_expr_fold(op, constants));
    return add_value(l, value);
}

uint16_t gf_expr_emit1(struct gf_expr_lowering *l, uint16_t op, uint16_t a)
{
    return gf_expr_emit(l, op, 1, (const uint16_t[3]){a});
}

uint16_t gf_expr_emit2(struct gf_expr_lowering *l, uint16_t op, uint16_t a, uint16_t b)
{
    return gf_expr_emit(l, op, 2, (const uint16_t[3]){a, b});
}

/* Whether all possible values of an integer fit in 32 bits. */
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

/* Whether the node is read as the type it is used in, at each use. */
static bool is_read(const struct gf_expr_node *node)
{
    return node->op == GF_EXPR_SAMPLE || is_place(node);
}

static uint16_t read_as(struct gf_expr_lowering *l, const struct gf_expr_node *node, uint32_t machine)
{
    struct gf_expr_lowered_value value = {.op = place_of[machine], .in = {node->op}, .machine = (uint8_t)machine};
    if (node->op == GF_EXPR_SAMPLE) {
        value.op = load_of[machine];
        value.in[0] = node->source;
        value.in[1] = node->channel;
    }
    return add_value(l, value);
}

/* A node's value as a type: its own type, the other signed integer type, or for a node that is read any type to which
 * it converts exactly or as a conversion says. */
static uint16_t as(struct gf_expr_lowering *l, uint32_t at, uint32_t machine)
{
    const struct gf_expr_node *node = &l->expr->nodes[at];
    uint16_t *known = l->value[at];
    if (known[machine] != GF_EXPR_NO_VALUE)
        return known[machine];
    if (is_read(node))
        known[machine] = read_as(l, node, machine);
    else
        known[machine] = gf_expr_emit1(l, machine == GF_EXPR_M_I64 ? GF_EXPR_I_TO_I64_I32 : GF_EXPR_I_TO_I32_I64,
                                       known[l->machine[at]]);
    return known[machine];
}

static uint16_t literal(struct gf_expr_lowering *l, const struct gf_expr_node *node)
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
    return gf_expr_emit_constant(l, machine_of(node), value);
}

static uint16_t side_of(struct gf_expr_lowering *l, const struct gf_expr_node *node, uint64_t side)
{
    if (is_small(node))
        return gf_expr_emit_whole(l, GF_EXPR_M_I32, (int32_t)side);
    return gf_expr_emit_constant(l, GF_EXPR_M_I64, (union gf_expr_value){.i64 = (int64_t)side});
}

/* The type in which a node's operands are computed, except a condition. */
static uint32_t operand_machine(const struct gf_expr_lowering *l, const struct gf_expr_node *node)
{
    uint32_t first = node->op == GF_EXPR_SELECT ? 1 : 0;
    const struct gf_expr_node *operand = &l->expr->nodes[node->in[first]];
    bool small = node->type != GF_EXPR_I64 || is_small(node);
    for (uint32_t k = first; k < node->n_in; k++)
        small = small && is_small(&l->expr->nodes[node->in[k]]);
    return operand->type == GF_EXPR_I64 ? (small ? GF_EXPR_M_I32 : GF_EXPR_M_I64) : machine_of(operand);
}

static uint16_t compute(struct gf_expr_lowering *l, const struct gf_expr_node *node)
{
    uint32_t machine = operand_machine(l, node);
    uint16_t in[3] = {0}, cheap = GF_EXPR_NO_VALUE;
    for (uint32_t k = 0; k < node->n_in; k++)
        in[k] = as(l, node->in[k], node->op == GF_EXPR_SELECT && k == 0 ? GF_EXPR_M_I32 : machine);
    switch (node->op) {
    case GF_EXPR_DIV:
    case GF_EXPR_FLOORDIV:
    case GF_EXPR_MOD:
        cheap = gf_expr_emit_quotient(l, node->op, machine, in[0], in[1]);
        break;
    case GF_EXPR_POW:
        cheap = gf_expr_emit_power(l, machine, in[0], in[1]);
        break;
    case GF_EXPR_NOT:
        if (node->type == GF_EXPR_BOOL)
            return gf_expr_emit2(l, GF_EXPR_I_EQ_I32, in[0], gf_expr_emit_whole(l, machine, 0));
        break;
    case GF_EXPR_ISNAN:
        return gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_NE, machine), in[0], in[0]);
    case GF_EXPR_TO_BOOL:
        return gf_expr_emit2(l, gf_expr_insn_of(GF_EXPR_NE, machine), in[0], gf_expr_emit_whole(l, machine, 0));
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
    return cheap != GF_EXPR_NO_VALUE ? cheap : gf_expr_emit(l, gf_expr_insn_of(node->op, machine), node->n_in, in);
}

/* Converts a value to a type. A float becomes a small integer only if it is WHOLE. */
static uint16_t convert_value(struct gf_expr_lowering *l, uint32_t op, uint32_t machine, uint16_t value)
{
    const struct gf_expr_lowered_value *from = &l->to->values[value];
    bool is_float = from->machine == GF_EXPR_M_F32 || from->machine == GF_EXPR_M_F64;
    uint16_t insn =
        gf_expr_insn_of(is_float && machine == GF_EXPR_M_I32 ? (uint32_t)GF_EXPR_TO_I32 : op, from->machine);
    if (from->machine == machine || insn == 0)
        return value;
    uint16_t yes = from->in[1], no = from->in[2], condition = from->in[0];
    if (from->op == gf_expr_insn_of(GF_EXPR_SELECT, from->machine) && l->to->values[yes].op == GF_EXPR_IS_CONSTANT &&
        l->to->values[no].op == GF_EXPR_IS_CONSTANT)
        return gf_expr_emit(l, gf_expr_insn_of(GF_EXPR_SELECT, machine), 3,
                            (const uint16_t[3]){condition, gf_expr_emit1(l, insn, yes), gf_expr_emit1(l, insn, no)});
    return gf_expr_emit1(l, insn, value);
}

/* Converts a node. A node that is read is read as that type; a bool, and an integer within 32 bits, remains as it
 * is. */
static uint16_t convert(struct gf_expr_lowering *l, const struct gf_expr_node *node)
{
    uint32_t machine = machine_of(node);
    const struct gf_expr_node *from = &l->expr->nodes[node->in[0]];
    bool to_float = node->op == GF_EXPR_TO_F32 || node->op == GF_EXPR_TO_F64;
    bool exact = from->op == GF_EXPR_SAMPLE || node->op == GF_EXPR_TO_F64 || is_small(from);
    if (to_float && is_read(from) && exact)
        return as(l, node->in[0], machine);
    return convert_value(l, node->op, machine, as(l, node->in[0], l->machine[node->in[0]]));
}

static void lower_node(struct gf_expr_lowering *l, uint32_t at, uint64_t width, uint64_t height)
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
    case GF_EXPR_STATE:
        value = add_value(
            l, (struct gf_expr_lowered_value){.op = GF_EXPR_IS_ARGUMENT,
                                              .in = {(uint16_t)(node->source * GF_EXPR_MAX_STATE + node->channel)},
                                              .machine = machine_of(node)});
        break;
    default:
        if (is_read(node))
            return;
        value = compute(l, node);
    }
    l->machine[at] = l->to->values[value].machine;
    l->value[at][l->machine[at]] = value;
}

uint32_t gf_expr_state_machine(uint32_t type)
{
    static const uint8_t machines[] = {[GF_EXPR_BOOL] = GF_EXPR_M_I32,
                                       [GF_EXPR_I64] = GF_EXPR_M_I64,
                                       [GF_EXPR_U64] = GF_EXPR_M_U64,
                                       [GF_EXPR_F32] = GF_EXPR_M_F32,
                                       [GF_EXPR_F64] = GF_EXPR_M_F64};
    return machines[type];
}

enum gf_status gf_expr_lower(const struct gf_expr *expr, uint64_t width, uint64_t height, bool states,
                             struct gf_expr_lowered *ret_lowered, struct gf_error *err)
{
    struct gf_expr_lowering l = {.expr = expr, .to = ret_lowered};
    memset(l.value, 0xFF, sizeof(l.value));
    ret_lowered->n = 0;
    ret_lowered->n_results = expr->n_results;
    for (uint32_t at = 0; at < expr->n_nodes && !l.full; at++)
        lower_node(&l, at, width, height);
    for (uint32_t i = 0; i < expr->n_results && !l.full; i++) {
        uint16_t at = expr->results[i];
        ret_lowered->results[i] = as(&l, at, states ? gf_expr_state_machine(expr->nodes[at].type) : l.machine[at]);
    }
    if (l.full)
        return gf_error_set(err, GF_E_BAD_PARAM, "expr: expression: needs too many values; at most %u are allowed",
                            GF_EXPR_VALUES);
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: eight bytes choose the names that an expression may use; the values of parameters follow up to a null
 * byte, then the text. An accepted text has nodes as operators.def allows them, no duplicate or unneeded node, and with
 * random samples every integer is within its range. It lowers to a program that reads no unwritten register. The same
 * holds when the text has to give a state. A refusal names the column.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernels/shared/expr/program.h"
#include "protocol/base/dtype.h"
#include "protocol/expr/expr.h"

#define ROUNDS 8

/* The sets of types of operators.def. */
enum {
    INTEGER = 1 << GF_EXPR_I64 | 1 << GF_EXPR_U64,
    FLOAT = 1 << GF_EXPR_F32 | 1 << GF_EXPR_F64,
    NUMBER = INTEGER | FLOAT,
    BITS = INTEGER | 1 << GF_EXPR_BOOL,
    ANY = NUMBER | BITS
};

__extension__ typedef __int128 wide;

static void check(bool holds)
{
    if (!holds)
        abort();
}

static struct gf_expr_scope scope_of(struct gf_input *in)
{
    static const uint8_t states[] = {0, GF_EXPR_BOOL, GF_EXPR_I64, GF_EXPR_U64, GF_EXPR_F32, GF_EXPR_F64};
    struct gf_expr_scope scope = {.what = "fuzz: text"};
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++) {
        uint8_t byte = gf_input_byte(in);
        scope.dtypes[i] = byte % (GF_F16 + 1);
        scope.channels[i] = 1 + (byte >> 4) % GF_MAX_CHANNELS;
    }
    uint8_t flags = gf_input_byte(in);
    scope.place = (flags & 1) == 0;
    scope.large = (flags & 2) != 0;
    scope.index = (flags & 4) != 0;
    scope.later = (flags & 8) != 0;
    scope.record = (flags & 16) != 0;
    for (uint32_t i = 0; i < 3; i++)
        scope.state[i] = states[gf_input_byte(in) % sizeof states];
    const uint8_t *end = in->size > 0 ? memchr(in->data, 0, in->size) : NULL;
    if (end != NULL) {
        size_t size, one;
        scope.params = (const char *)gf_input_bytes(in, (size_t)(end - in->data), &size);
        scope.params_size = (uint32_t)size;
        gf_input_bytes(in, 1, &one);
    }
    return scope;
}

/* Numbers that differ between rounds and are the same in every run. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* One of [lo, hi], often an end. */
static int64_t random_within(uint64_t *state, int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo, r = next_random(state);
    if (r % 4 == 0)
        return r & 16 ? lo : hi;
    uint64_t offset = span == UINT64_MAX ? next_random(state) : next_random(state) % (span + 1);
    return (int64_t)((uint64_t)lo + (r % 4 == 1 && offset > 70 ? offset % 70 : offset));
}

/* The types that the table of operators allows for a node; the caller checks the condition of SELECT. */
static const struct {
    uint8_t n_in, types;
    bool same;
    uint8_t result;
} shapes[GF_EXPR_N_OPS] = {
#define SAME 0
#define BOOL GF_EXPR_BOOL
#define I64 GF_EXPR_I64
#define U64 GF_EXPR_U64
#define F32 GF_EXPR_F32
#define F64 GF_EXPR_F64
#define GF_EXPR_OP(name, operands, types, result) [GF_EXPR_##name] = {operands, types, (result) == SAME, result},
#include "protocol/expr/operators.def"
};

static void check_leaf(const struct gf_expr_node *node, const struct gf_expr_scope *scope)
{
    check(node->n_in == 0 && node->even == (node->op == GF_EXPR_CONST));
    switch (node->op) {
    case GF_EXPR_CONST:
        check(node->type != GF_EXPR_F32 && (node->type != GF_EXPR_I64 || node->lo == node->value.i64));
        break;
    case GF_EXPR_SAMPLE:
        check(node->source < GF_EXPR_MAX_INPUTS && scope->dtypes[node->source] != 0);
        check(node->channel == GF_EXPR_OWN_CHANNEL || node->channel < scope->channels[node->source]);
        break;
    case GF_EXPR_STATE:
        check(node->source < (scope->later ? 2 : 1) && node->channel < GF_EXPR_MAX_STATE &&
              node->type == scope->state[node->channel]);
        break;
    case GF_EXPR_INDEX:
        check(scope->index && node->type == GF_EXPR_I64);
        break;
    default:
        check(scope->place && node->type == GF_EXPR_I64);
    }
}

static void check_node(const struct gf_expr *expr, uint32_t i)
{
    const struct gf_expr_node *node = &expr->nodes[i];
    bool even = true;
    check(node->n_in == shapes[node->op].n_in);
    uint32_t last = node->in[node->n_in - 1];
    for (uint32_t k = 0; k < node->n_in; k++) {
        check(node->in[k] < i);
        const struct gf_expr_node *operand = &expr->nodes[node->in[k]];
        bool condition = node->op == GF_EXPR_SELECT && k == 0;
        check(condition ? operand->type == GF_EXPR_BOOL : operand->type == expr->nodes[last].type);
        check(condition || (shapes[node->op].types & 1u << operand->type) != 0);
        even = even && (condition || operand->even);
    }
    check(node->type == (shapes[node->op].same ? expr->nodes[last].type : shapes[node->op].result));
    bool conversion = node->op >= GF_EXPR_TO_BOOL && node->op <= GF_EXPR_TO_F64;
    check(conversion ? even || !node->even : node->even == even);
}

static bool is_same(const struct gf_expr_node *a, const struct gf_expr_node *b)
{
    return a->op == b->op && a->type == b->type && a->even == b->even && a->source == b->source &&
           a->channel == b->channel && memcmp(a->in, b->in, sizeof a->in) == 0 && a->value.u64 == b->value.u64;
}

static void check_nodes(const struct gf_expr *expr, const struct gf_expr_scope *scope)
{
    bool needed[GF_EXPR_MAX_NODES] = {false};
    uint32_t uses = 0, inputs = 0;
    check(expr->n_results >= 1 && expr->n_results <= GF_EXPR_MAX_RESULTS && expr->n_nodes <= GF_EXPR_MAX_NODES);
    for (uint32_t r = 0; r < expr->n_results; r++) {
        check(expr->results[r] < expr->n_nodes);
        needed[expr->results[r]] = true;
    }
    for (uint32_t i = expr->n_nodes; i-- > 0;) {
        const struct gf_expr_node *node = &expr->nodes[i];
        check(node->op >= GF_EXPR_CONST && node->op < GF_EXPR_N_OPS && needed[i] && node->column >= 1);
        check(node->type == GF_EXPR_I64 ? node->lo <= node->hi : node->lo == 0 && node->hi == 0);
        if (node->op < GF_EXPR_NEG) {
            check_leaf(node, scope);
            uses |= 1u << node->op;
            inputs |= node->op == GF_EXPR_SAMPLE ? 1u << node->source : 0;
        } else
            check_node(expr, i);
        for (uint32_t k = 0; k < node->n_in; k++)
            needed[node->in[k]] = true;
        for (uint32_t k = 0; k < i; k++)
            check(!is_same(node, &expr->nodes[k]));
    }
    check(uses == expr->uses && inputs == expr->inputs);
}

/* An integer operator of i64 or u64 values, before it is taken modulo 2^64. */
static wide integer_of(const struct gf_expr_node *node, wide x, wide y, wide z)
{
    wide quotient = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
    switch (node->op) {
    case GF_EXPR_NEG:
        return -x;
    case GF_EXPR_NOT:
        return node->type == GF_EXPR_BOOL ? !x : ~x;
    case GF_EXPR_ABS:
        return x < 0 ? -x : x;
    case GF_EXPR_SIGN:
        return (x > 0) - (x < 0);
    case GF_EXPR_TO_BOOL:
        return x != 0;
    case GF_EXPR_TO_I64:
        return x > INT64_MAX ? INT64_MAX : x;
    case GF_EXPR_TO_U64:
        return x < 0 ? 0 : x;
    case GF_EXPR_ADD:
        return x + y;
    case GF_EXPR_SUB:
        return x - y;
    case GF_EXPR_MUL:
        return (wide)(int64_t)((uint64_t)x * (uint64_t)y);
    case GF_EXPR_FLOORDIV:
        return quotient;
    case GF_EXPR_MOD:
        return y == 0 ? 0 : x - quotient * y;
    case GF_EXPR_MIN:
        return x < y ? x : y;
    case GF_EXPR_MAX:
        return x > y ? x : y;
    case GF_EXPR_AND:
        return x & y;
    case GF_EXPR_OR:
        return x | y;
    case GF_EXPR_XOR:
        return x ^ y;
    case GF_EXPR_SHL:
        return y < 0 || y > 63 ? 0 : (wide)((uint64_t)x << (int)y);
    case GF_EXPR_SHR:
        return y < 0 || y > 63 ? (x < 0 ? -1 : 0) : x >> (int)y;
    case GF_EXPR_EQ:
        return x == y;
    case GF_EXPR_NE:
        return x != y;
    case GF_EXPR_LT:
        return x < y;
    case GF_EXPR_LE:
        return x <= y;
    default:
        return x != 0 ? y : z; /* SELECT */
    }
}

static wide wrapped(uint8_t type, wide value)
{
    if (type == GF_EXPR_U64)
        return (wide)(uint64_t)value;
    return type == GF_EXPR_I64 ? (wide)(int64_t)(uint64_t)value : value != 0;
}

/* A random value of the type, for nodes without operands and for nodes with float operands, which are not computed. */
static wide any_value(const struct gf_expr_node *node, uint64_t *random)
{
    if (node->type == GF_EXPR_I64)
        return random_within(random, node->lo, node->hi);
    return wrapped(node->type, (wide)next_random(random));
}

static void check_ranges(const struct gf_expr *expr, uint64_t random)
{
    wide values[GF_EXPR_MAX_NODES];
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        const struct gf_expr_node *node = &expr->nodes[i];
        bool floats = node->type >= GF_EXPR_F32;
        for (uint32_t k = 0; k < node->n_in; k++)
            floats = floats || expr->nodes[node->in[k]].type >= GF_EXPR_F32;
        if (floats)
            values[i] = node->type >= GF_EXPR_F32 ? 0 : any_value(node, &random);
        else if (node->op == GF_EXPR_CONST)
            values[i] = node->type == GF_EXPR_U64   ? (wide)node->value.u64
                        : node->type == GF_EXPR_I64 ? (wide)node->value.i64
                                                    : (wide)node->value.b;
        else if (node->n_in == 0)
            values[i] = any_value(node, &random);
        else
            values[i] =
                wrapped(node->type, integer_of(node, values[node->in[0]], node->n_in > 1 ? values[node->in[1]] : 0,
                                               node->n_in > 2 ? values[node->in[2]] : 0));
        check(node->type != GF_EXPR_I64 || (values[i] >= node->lo && values[i] <= node->hi));
    }
}

static bool is_written(const struct gf_expr_program *p, const bool *written, uint32_t operand)
{
    return operand < p->n_registers
               ? written[operand]
               : operand >= GF_EXPR_FIRST_CONSTANT && operand - GF_EXPR_FIRST_CONSTANT < p->n_constants;
}

/* Checks that an accepted text does not exceed the limits of programs. */
static void check_program(const struct gf_expr *expr)
{
    static struct gf_expr_program p;
    struct gf_error err;
    bool written[GF_EXPR_REGISTERS] = {false};
    bool states = (expr->uses & 1u << GF_EXPR_STATE) != 0;
    check((states ? gf_expr_compile_state : gf_expr_compile)(expr, 640, 480, &p, &err) == GF_OK);
    for (uint32_t i = 0; i < GF_EXPR_ARGUMENTS; i++)
        written[i] = (p.arguments >> i & 1) != 0;
    check(p.n_insns <= GF_EXPR_INSNS && p.n_registers <= GF_EXPR_REGISTERS && p.n_constants <= GF_EXPR_CONSTANTS);
    for (uint32_t i = 0; i < p.n_insns; i++) {
        const struct gf_expr_insn *insn = &p.insns[i];
        const struct gf_expr_insn_info *info = gf_expr_insn_info(insn->op);
        for (uint32_t k = 0; k < info->n; k++)
            check(is_written(&p, written, insn->in[k]) && insn->in[k] != insn->dst);
        check(insn->dst < p.n_registers);
        written[insn->dst] = true;
    }
    check(p.n_results == expr->n_results);
    for (uint32_t r = 0; r < p.n_results; r++)
        check(is_written(&p, written, p.results[r]));
}

/* Checks the text as an expression for a state: it has the state's types or is refused with a message. */
static void check_settled(struct gf_expr *expr, const struct gf_expr_scope *scope)
{
    struct gf_error err;
    enum gf_status status = gf_expr_settle(expr, scope, &err);
    if (status != GF_OK) {
        check(status == GF_E_BAD_PARAM && err.status == status);
        return;
    }
    check_nodes(expr, scope);
    for (uint32_t r = 0; r < expr->n_results; r++)
        check(expr->nodes[expr->results[r]].type == scope->state[r]);
    check_program(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_input in = {data, size};
    struct gf_expr expr;
    struct gf_error err;
    const char beginning[] = "fuzz: text: column ";
    struct gf_expr_scope scope = scope_of(&in);
    if (in.size > 2 * GF_EXPR_MAX_TEXT)
        return 0;
    enum gf_status status = gf_expr_parse((const char *)in.data, (uint32_t)in.size, &scope, &expr, &err);
    if (status != GF_OK) {
        check(status == GF_E_BAD_PARAM && err.status == status);
        check(strncmp(err.text, beginning, sizeof beginning - 1) == 0);
        return 0;
    }
    check(in.size <= GF_EXPR_MAX_TEXT);
    check_nodes(&expr, &scope);
    for (uint64_t round = 0; round < ROUNDS; round++)
        check_ranges(&expr, round);
    check_program(&expr);
    if (scope.state[0] != 0)
        check_settled(&expr, &scope);
    return 0;
}

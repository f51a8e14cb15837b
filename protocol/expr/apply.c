/* SPDX-License-Identifier: MIT */
/*
 * Operators on typed nodes: the types that an operator accepts, the common type of its operands, and the conversions
 * between types. All refusals follow docs/numerics.md, "Types".
 */
#include "build.h"
#include "ranges.h"

#define SET(type) (1u << GF_EXPR_##type)

enum {
    TYPES_INTEGER = SET(I64) | SET(U64),
    TYPES_FLOAT = SET(F32) | SET(F64),
    TYPES_NUMBER = TYPES_INTEGER | TYPES_FLOAT,
    TYPES_BITS = TYPES_INTEGER | SET(BOOL),
    TYPES_ANY = TYPES_NUMBER | SET(BOOL)
};

enum {
    RESULT_SAME = 0,
    RESULT_BOOL = GF_EXPR_BOOL,
    RESULT_I64 = GF_EXPR_I64,
    RESULT_U64 = GF_EXPR_U64,
    RESULT_F32 = GF_EXPR_F32,
    RESULT_F64 = GF_EXPR_F64
};

static const struct shape {
    uint8_t n_in, types, result;
} shapes[GF_EXPR_N_OPS] = {
#define GF_EXPR_OP(name, operands, types, result) [GF_EXPR_##name] = {operands, TYPES_##types, RESULT_##result},
#include "operators.def"
};

/* What is known about a set of operands. */
struct company {
    uint32_t types;    /* bit set of the operands' types, without literals */
    uint32_t literals; /* bit set of the literals' types */
    bool wide;         /* an integer may be beyond +-2^24 */
    bool negative;     /* a literal i64 may be negative */
    bool even;         /* all operands are literals */
};

static const struct gf_expr_node *node_of(const struct gf_expr_builder *b, uint16_t i)
{
    return &b->expr->nodes[i];
}

static struct gf_expr_range range_of(const struct gf_expr_node *node)
{
    if (node->type == GF_EXPR_BOOL)
        return (struct gf_expr_range){0, 1};
    return node->type == GF_EXPR_I64 ? (struct gf_expr_range){node->lo, node->hi} : GF_EXPR_ALL;
}

static struct company look(const struct gf_expr_builder *b, const uint16_t *in, uint32_t n)
{
    struct company c = {.even = true};
    for (uint32_t i = 0; i < n; i++) {
        const struct gf_expr_node *node = node_of(b, in[i]);
        struct gf_expr_range range = range_of(node);
        if (node->even) {
            c.literals |= 1u << node->type;
            c.negative = c.negative || (node->type == GF_EXPR_I64 && node->lo < 0);
            continue;
        }
        c.even = false;
        c.types |= 1u << node->type;
        c.wide = c.wide || ((1u << node->type & TYPES_INTEGER) &&
                            (range.lo < -GF_EXPR_EXACT_F32 || range.hi > GF_EXPR_EXACT_F32));
    }
    return c;
}

/* Adds an operator of `n` operands that have their final types. */
static inline enum gf_status emit_n(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in, uint32_t n,
                                    bool even, struct gf_expr_site site, uint16_t *ret)
{
    const struct shape *shape = &shapes[op];
    struct gf_expr_node node = {
        .op = (uint8_t)op, .n_in = (uint8_t)n, .even = even, .in = {in[0]}, .column = (uint16_t)site.column};
    for (uint32_t i = 1; i < n; i++)
        node.in[i] = in[i];
    node.type = shape->result != RESULT_SAME ? shape->result : node_of(b, in[n - 1])->type;
    if (node.type == GF_EXPR_I64) {
        struct gf_expr_range ranges[3];
        for (uint32_t i = 0; i < n; i++)
            ranges[i] = range_of(node_of(b, in[i]));
        ranges[0] = gf_expr_range_of(op, ranges);
        node.lo = ranges[0].lo;
        node.hi = ranges[0].hi;
    }
    return gf_expr_add_node(b, &node, ret);
}

static enum gf_status emit(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in, bool even,
                           struct gf_expr_site site, uint16_t *ret)
{
    return emit_n(b, op, in, shapes[op].n_in, even, site, ret);
}

/* The operator that converts to a type. */
static enum gf_expr_op conversion(uint32_t type)
{
    static const uint8_t to[] = {[GF_EXPR_BOOL] = GF_EXPR_TO_BOOL,
                                 [GF_EXPR_I64] = GF_EXPR_TO_I64,
                                 [GF_EXPR_U64] = GF_EXPR_TO_U64,
                                 [GF_EXPR_F32] = GF_EXPR_TO_F32,
                                 [GF_EXPR_F64] = GF_EXPR_TO_F64};
    return (enum gf_expr_op)to[type];
}

/* The common type of integers and bools. */
static enum gf_status integer_type(const struct gf_expr_builder *b, struct company c, struct gf_expr_site site,
                                   uint32_t *ret_type)
{
    bool is_unsigned = ((c.types | c.literals) & SET(U64)) != 0;
    *ret_type = is_unsigned ? GF_EXPR_U64 : GF_EXPR_I64;
    if (is_unsigned && (c.types & SET(I64)))
        return gf_expr_refuse(&b->at, site.column, "%s of i64 and a number above 2^63 - 1; u64(v) makes a u64",
                              site.word);
    if (is_unsigned && c.negative)
        return gf_expr_refuse(&b->at, site.column, "%s of u64 and a number below 0; i64(v) makes an i64", site.word);
    return GF_OK;
}

/* The common type of the operands; `floats`: the operator does not accept integers. */
static enum gf_status common_type(const struct gf_expr_builder *b, struct company c, bool floats,
                                  struct gf_expr_site site, uint32_t *ret_type)
{
    if ((c.types & TYPES_INTEGER) == TYPES_INTEGER)
        return gf_expr_refuse(&b->at, site.column, "%s of i64 and u64; i64(v) or u64(v) says which is meant",
                              site.word);
    if (!floats && ((c.types | c.literals) & TYPES_FLOAT) == 0)
        return integer_type(b, c, site, ret_type);
    *ret_type = c.even || c.wide || (c.types & SET(F64)) ? GF_EXPR_F64 : GF_EXPR_F32;
    return GF_OK;
}

/* Converts operands, of which `c` is known, to their common type. */
static enum gf_status meet(struct gf_expr_builder *b, uint16_t *in, uint32_t n, struct company c, bool floats,
                           struct gf_expr_site site)
{
    uint32_t type = 0;
    enum gf_status status = common_type(b, c, floats, site, &type);
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        if (node_of(b, in[i])->type != type) {
            struct gf_expr_site place = {site.word, node_of(b, in[i])->column};
            status = emit(b, conversion(type), &in[i], c.even, place, &in[i]);
        }
    return status;
}

/* f32(v) and the other conversions. A value that already has the type is returned unchanged, but a
 * literal gets a type. */
static enum gf_status convert(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in,
                              struct gf_expr_site site, uint16_t *ret)
{
    const struct gf_expr_node *node = node_of(b, in[0]);
    if (node->type != shapes[op].result || (node->even && node->type != GF_EXPR_BOOL))
        return emit(b, op, in, false, site, ret);
    *ret = in[0];
    return GF_OK;
}

static enum gf_status choose(struct gf_expr_builder *b, const uint16_t *in, struct gf_expr_site site, uint16_t *ret)
{
    uint16_t values[3] = {in[0], in[1], in[2]};
    struct company c = look(b, &in[1], 2);
    if (node_of(b, in[0])->type != GF_EXPR_BOOL)
        return gf_expr_refuse(&b->at, site.column, "%s takes a bool first, not %s; v != 0 makes one", site.word,
                              gf_expr_type_word(node_of(b, in[0])->type));
    enum gf_status status = GF_OK;
    if ((c.types | c.literals) != SET(BOOL))
        status = meet(b, &values[1], 2, c, false, site);
    return status == GF_OK ? emit(b, GF_EXPR_SELECT, values, c.even, site, ret) : status;
}

/* == and != of bools: a ^ b, and its negation. */
static enum gf_status compare_bools(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in, bool even,
                                    struct gf_expr_site site, uint16_t *ret)
{
    enum gf_status status = emit(b, GF_EXPR_XOR, in, even, site, ret);
    if (status == GF_OK && op == GF_EXPR_EQ)
        status = emit(b, GF_EXPR_NOT, (const uint16_t[]){*ret}, even, site, ret);
    return status;
}

/* Refuses an operand whose type the operator does not accept and no conversion changes. */
static enum gf_status check_types(const struct gf_expr_builder *b, enum gf_expr_op op, struct company c,
                                  struct gf_expr_site site)
{
    uint32_t types = c.types | c.literals, allowed = shapes[op].types;
    const char *word = gf_expr_type_word((types & SET(F32)) ? GF_EXPR_F32 : GF_EXPR_F64);
    bool power = op == GF_EXPR_XOR;
    if (allowed == TYPES_BITS && (types & TYPES_FLOAT))
        return gf_expr_refuse(&b->at, site.column, "%s takes integers or bools, not %s; %s", site.word, word,
                              power ? "pow(a, b) raises to a power" : "v != 0 makes a bool");
    if (allowed == TYPES_BITS && (types & SET(BOOL)) && types != SET(BOOL))
        return gf_expr_refuse(&b->at, site.column, "%s takes integers or bools, not both; v != 0 makes a bool",
                              site.word);
    if (allowed == TYPES_INTEGER && (types & ~(uint32_t)TYPES_INTEGER))
        return gf_expr_refuse(&b->at, site.column, "%s takes integers, not %s; i64(v) makes one", site.word,
                              (types & TYPES_FLOAT) ? word : "bool");
    if (shapes[op].n_in == 1 && allowed != TYPES_BITS && (types & SET(BOOL)))
        return gf_expr_refuse(&b->at, site.column, "%s takes a number, not bool; i64(v) makes one", site.word);
    return GF_OK;
}

static bool is_rounding(enum gf_expr_op op)
{
    return op == GF_EXPR_FLOOR || op == GF_EXPR_CEIL || op == GF_EXPR_ROUND || op == GF_EXPR_TRUNC;
}

/* fma of integers is a*b + c, for operands of their common type. */
static enum gf_status multiply_add(struct gf_expr_builder *b, const uint16_t *in, bool even, struct gf_expr_site site,
                                   uint16_t *ret)
{
    uint16_t product;
    enum gf_status status = emit(b, GF_EXPR_MUL, in, even, site, &product);
    return status == GF_OK ? emit(b, GF_EXPR_ADD, (const uint16_t[]){product, in[2]}, even, site, ret) : status;
}

enum gf_status gf_expr_apply(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in,
                             struct gf_expr_site site, uint16_t *ret)
{
    uint32_t n = shapes[op].n_in;
    if (op >= GF_EXPR_TO_BOOL && op <= GF_EXPR_TO_F64)
        return convert(b, op, in, site, ret);
    if (op == GF_EXPR_SELECT)
        return choose(b, in, site, ret);
    struct company c = look(b, in, n);
    uint32_t types = c.types | c.literals;
    enum gf_status status = check_types(b, op, c, site);
    if (status != GF_OK)
        return status;
    bool integers = (types & TYPES_FLOAT) == 0;
    if (is_rounding(op) && integers) {
        *ret = in[0];
        return GF_OK;
    }
    if (op == GF_EXPR_ISNAN && integers)
        return gf_expr_literal(b, (struct gf_expr_number){.type = GF_EXPR_BOOL, .b = false}, site.column, ret);
    if (types == SET(BOOL) && (op == GF_EXPR_EQ || op == GF_EXPR_NE))
        return compare_bools(b, op, in, c.even, site, ret);
    uint16_t met[3];
    for (uint32_t i = 0; i < n; i++)
        met[i] = in[i];
    bool floats = shapes[op].types == TYPES_FLOAT && op != GF_EXPR_FMA;
    if (!(types == SET(BOOL) && shapes[op].types == TYPES_BITS))
        status = meet(b, met, n, c, floats, site);
    if (status != GF_OK)
        return status;
    if (op == GF_EXPR_FMA && integers)
        return multiply_add(b, met, c.even, site, ret);
    return emit(b, op, met, c.even, site, ret);
}

/* Gives a result the type of a value of the state; a literal is converted as if it met a value of that type. */
static enum gf_status settle(struct gf_expr_builder *b, uint32_t value, uint32_t type, uint16_t *result)
{
    const struct gf_expr_node *node = node_of(b, *result);
    bool is_float = (1u << node->type & TYPES_FLOAT) != 0, takes_floats = (1u << type & TYPES_FLOAT) != 0;
    bool is_bool = node->type == GF_EXPR_BOOL;
    struct gf_expr_site site = {"state", node->column};
    if (node->type == type)
        return GF_OK;
    bool lost = is_float != takes_floats && (is_float || is_bool);
    if (!node->even || is_bool || type == GF_EXPR_BOOL || lost)
        return gf_expr_refuse(&b->at, node->column, "value %u is %s, the state's is %s; %s(v) converts", value,
                              gf_expr_type_word(node->type), gf_expr_type_word(type), gf_expr_type_word(type));
    if (type == GF_EXPR_I64)
        return gf_expr_refuse(&b->at, node->column, "value %u is above 2^63 - 1, the state's is i64", value);
    if (type == GF_EXPR_U64 && node->lo < 0)
        return gf_expr_refuse(&b->at, node->column, "value %u may be below 0, the state's is u64", value);
    return emit(b, conversion(type), result, false, site, result);
}

enum gf_status gf_expr_settle(struct gf_expr *expr, const struct gf_expr_scope *scope, struct gf_error *err)
{
    struct gf_expr_builder b;
    uint32_t n = 0;
    while (n < GF_EXPR_MAX_STATE && scope->state[n] != 0)
        n++;
    gf_expr_builder_init(&b, expr, scope, err);
    if (expr->n_results != n)
        return gf_expr_refuse(&b.at, 1, "%u value%s, but a state has %u", expr->n_results,
                              expr->n_results == 1 ? "" : "s", n);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = settle(&b, i, scope->state[i], &expr->results[i]);
    return status == GF_OK ? gf_expr_finish(&b) : status;
}

/* Whether an operator computes in the type of an operand, which is no literal. */
static inline bool takes(enum gf_expr_op op, const struct gf_expr_node *node)
{
    return !node->even && (1u << node->type & shapes[op].types) != 0;
}

enum gf_status gf_expr_unary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, struct gf_expr_site site,
                             uint16_t *ret)
{
    bool converts = op >= GF_EXPR_TO_BOOL && op <= GF_EXPR_TO_F64;
    return takes(op, node_of(b, x)) && !converts ? emit_n(b, op, &x, 1, false, site, ret)
                                                 : gf_expr_apply(b, op, &x, site, ret);
}

enum gf_status gf_expr_binary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, uint16_t y,
                              struct gf_expr_site site, uint16_t *ret)
{
    const struct gf_expr_node *left = node_of(b, x), *right = node_of(b, y);
    const uint16_t in[] = {x, y};
    bool met = left->type == right->type && takes(op, left) && takes(op, right);
    return met ? emit_n(b, op, in, 2, false, site, ret) : gf_expr_apply(b, op, in, site, ret);
}

enum gf_status gf_expr_ternary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z,
                               struct gf_expr_site site, uint16_t *ret)
{
    return gf_expr_apply(b, op, (const uint16_t[]){x, y, z}, site, ret);
}

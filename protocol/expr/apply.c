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

/* The facts of several operands together. */
static inline uint32_t look(const struct gf_expr_builder *b, const uint16_t *in, uint32_t n)
{
    uint32_t facts = b->facts[in[0]];
    for (uint32_t i = 1; i < n; i++)
        facts |= b->facts[in[i]];
    return facts;
}

/* The set of types, literals included. */
static inline uint32_t types_of(uint32_t facts)
{
    return (facts | facts >> GF_EXPR_FACT_LITERAL) & GF_EXPR_FACT_TYPES;
}

/* Whether all operands are literals. */
static inline bool is_even(uint32_t facts)
{
    return (facts & GF_EXPR_FACT_TYPES) == 0;
}

/* Adds an operator of `n` operands that have their final types. */
static inline enum gf_status emit_n(struct gf_expr_builder *b, enum gf_expr_op op, const uint16_t *in, uint32_t n,
                                    bool even, struct gf_expr_site site, uint16_t *ret)
{
    const struct shape *shape = &shapes[op];
    const uint32_t type = shape->result != RESULT_SAME ? shape->result : node_of(b, in[n - 1])->type;
    struct gf_expr_node *node = gf_expr_next_node(b, op, type, even, in, n, site.column);
    if (type == GF_EXPR_I64) {
        struct gf_expr_range ranges[3];
        for (uint32_t i = 0; i < n; i++)
            ranges[i] = range_of(node_of(b, in[i]));
        ranges[0] = gf_expr_range_of(op, ranges);
        node->lo = ranges[0].lo;
        node->hi = ranges[0].hi;
    }
    return gf_expr_add_node(b, node, ret);
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
static enum gf_status integer_type(const struct gf_expr_builder *b, uint32_t facts, struct gf_expr_site site,
                                   uint32_t *ret_type)
{
    bool is_unsigned = (types_of(facts) & SET(U64)) != 0;
    *ret_type = is_unsigned ? GF_EXPR_U64 : GF_EXPR_I64;
    if (is_unsigned && (facts & SET(I64)) != 0)
        return gf_expr_refuse(&b->at, site.column, "%s of i64 and a number above 2^63 - 1; u64(v) makes a u64",
                              site.word);
    if (is_unsigned && (facts & GF_EXPR_FACT_NEGATIVE) != 0)
        return gf_expr_refuse(&b->at, site.column, "%s of u64 and a number below 0; i64(v) makes an i64", site.word);
    return GF_OK;
}

/* The common type of operands with these facts; `floats`: the operator does not accept integers. */
static inline enum gf_status common_type(const struct gf_expr_builder *b, uint32_t facts, bool floats,
                                         struct gf_expr_site site, uint32_t *ret_type)
{
    if ((facts & TYPES_INTEGER) == TYPES_INTEGER)
        return gf_expr_refuse(&b->at, site.column, "%s of i64 and u64; i64(v) or u64(v) says which is meant",
                              site.word);
    if (!floats && (types_of(facts) & TYPES_FLOAT) == 0)
        return integer_type(b, facts, site, ret_type);
    *ret_type = is_even(facts) || (facts & (GF_EXPR_FACT_WIDE | SET(F64))) != 0 ? GF_EXPR_F64 : GF_EXPR_F32;
    return GF_OK;
}

/* Converts a value to another type, and remembers the conversion, because literals are converted again and again. */
static enum gf_status make_conversion(struct gf_expr_builder *b, uint32_t type, bool even, const char *word,
                                      uint16_t *value)
{
    const struct gf_expr_site site = {word, node_of(b, *value)->column};
    uint16_t *converted = &b->converted[*value];
    enum gf_status status = emit_n(b, conversion(type), value, 1, even, site, converted);
    *value = *converted;
    return status;
}

static inline enum gf_status to_type(struct gf_expr_builder *b, uint32_t type, bool even, const char *word,
                                     uint16_t *value)
{
    if (node_of(b, *value)->type == type)
        return GF_OK;
    const uint16_t converted = b->converted[*value];
    const struct gf_expr_node *node = node_of(b, converted);
    if (node->type != type || node->even != even)
        return make_conversion(b, type, even, word, value);
    *value = converted;
    return GF_OK;
}

/* Converts operands with these facts to their common type. */
static inline enum gf_status meet(struct gf_expr_builder *b, uint16_t *in, uint32_t n, uint32_t facts, bool floats,
                                  struct gf_expr_site site)
{
    uint32_t type = 0;
    enum gf_status status = common_type(b, facts, floats, site, &type);
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = to_type(b, type, is_even(facts), site.word, &in[i]);
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
    const uint32_t facts = look(b, &in[1], 2);
    if (node_of(b, in[0])->type != GF_EXPR_BOOL)
        return gf_expr_refuse(&b->at, site.column, "%s takes a bool first, not %s; v != 0 makes one", site.word,
                              gf_expr_type_word(node_of(b, in[0])->type));
    enum gf_status status = GF_OK;
    if (types_of(facts) != SET(BOOL))
        status = meet(b, &values[1], 2, facts, false, site);
    return status == GF_OK ? emit(b, GF_EXPR_SELECT, values, is_even(facts), site, ret) : status;
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
static enum gf_status check_types(const struct gf_expr_builder *b, enum gf_expr_op op, uint32_t types,
                                  struct gf_expr_site site)
{
    uint32_t allowed = shapes[op].types;
    if ((types & ~allowed) == 0 && allowed != TYPES_BITS)
        return GF_OK;
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
    const uint32_t facts = look(b, in, n), types = types_of(facts);
    const bool even = is_even(facts);
    enum gf_status status = check_types(b, op, types, site);
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
        return compare_bools(b, op, in, even, site, ret);
    uint16_t met[3];
    for (uint32_t i = 0; i < n; i++)
        met[i] = in[i];
    bool floats = shapes[op].types == TYPES_FLOAT && op != GF_EXPR_FMA;
    if (!(types == SET(BOOL) && shapes[op].types == TYPES_BITS))
        status = meet(b, met, n, facts, floats, site);
    if (status != GF_OK)
        return status;
    if (op == GF_EXPR_FMA && integers)
        return multiply_add(b, met, even, site, ret);
    return emit(b, op, met, even, site, ret);
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

enum gf_status gf_expr_unary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, struct gf_expr_site site,
                             uint16_t *ret)
{
    bool converts = op >= GF_EXPR_TO_BOOL && op <= GF_EXPR_TO_F64;
    return (b->facts[x] & shapes[op].types) != 0 && !converts ? emit_n(b, op, &x, 1, false, site, ret)
                                                              : gf_expr_apply(b, op, &x, site, ret);
}

/* Whether an operator takes any two numbers: it computes in their common type, and refuses only what has none. */
static inline bool takes_numbers(enum gf_expr_op op)
{
    return shapes[op].types == TYPES_NUMBER || shapes[op].types == TYPES_FLOAT;
}

enum gf_status gf_expr_binary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, uint16_t y,
                              struct gf_expr_site site, uint16_t *ret)
{
    uint16_t in[] = {x, y};
    const uint32_t facts = b->facts[x] | b->facts[y], types = types_of(facts);
    if ((types & (types - 1)) == 0 && (types & shapes[op].types) != 0) /* there is one type, in which op computes */
        return emit_n(b, op, in, 2, is_even(facts), site, ret);
    if (!takes_numbers(op) || (types & SET(BOOL)) != 0)
        return gf_expr_apply(b, op, in, site, ret);
    enum gf_status status = meet(b, in, 2, facts, shapes[op].types == TYPES_FLOAT, site);
    return status == GF_OK ? emit_n(b, op, in, 2, is_even(facts), site, ret) : status;
}

enum gf_status gf_expr_ternary(struct gf_expr_builder *b, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z,
                               struct gf_expr_site site, uint16_t *ret)
{
    return gf_expr_apply(b, op, (const uint16_t[]){x, y, z}, site, ret);
}

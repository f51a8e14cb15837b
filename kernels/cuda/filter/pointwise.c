/* SPDX-License-Identifier: MIT */
/*
 * Translates the nodes of a step to instructions on one value. Integers are computed as floats, which is exact while
 * their whole range lies within 2^24. Adding +0 keeps an integer result from becoming -0.
 */
#include "pointwise.h"

#include <math.h>

#include "protocol/base/dtype.h"
#include "protocol/expr/expr.h"
#include "protocol/expr/ranges.h"

/* The state of the translation: one value that each node transforms, and sometimes a pending comparison of it. */
struct maker {
    struct gf_cuda_pointwise *pointwise;
    const struct gf_expr *expr;
    uint32_t value;    /* the node that the instructions so far compute; n_nodes: none yet */
    uint32_t compared; /* a comparison of the value that no instruction computes yet; n_nodes: none */
    bool fits;
};

/* Returns false where there is no room. */
static bool append(struct gf_cuda_pointwise *pointwise, struct gf_cuda_pointwise_insn insn)
{
    if (pointwise->n == GF_CUDA_POINTWISE_INSNS)
        return false;
    pointwise->insns[pointwise->n++] = insn;
    return true;
}

static void add(struct maker *m, struct gf_cuda_pointwise_insn insn)
{
    m->fits = m->fits && append(m->pointwise, insn);
}

/* Whether f32 represents every value of the node exactly. */
static bool is_exact(const struct gf_expr_node *node)
{
    return node->type == GF_EXPR_F32 || node->type == GF_EXPR_BOOL ||
           (node->type == GF_EXPR_I64 && node->lo >= -GF_EXPR_EXACT_F32 && node->hi <= GF_EXPR_EXACT_F32);
}

/* Whether node i is a literal, or a literal converted to f32. */
static bool is_constant(const struct maker *m, uint32_t i)
{
    const struct gf_expr_node *node = &m->expr->nodes[i];
    return node->op == GF_EXPR_CONST || (node->op == GF_EXPR_TO_F32 && m->expr->nodes[node->in[0]].op == GF_EXPR_CONST);
}

static float constant(const struct maker *m, uint32_t i)
{
    const struct gf_expr_node *node = &m->expr->nodes[i];
    if (node->op == GF_EXPR_TO_F32)
        node = &m->expr->nodes[node->in[0]];
    return node->type == GF_EXPR_BOOL  ? (float)node->value.b
           : node->type == GF_EXPR_I64 ? (float)node->value.i64
           : node->type == GF_EXPR_U64 ? (float)node->value.u64
                                       : (float)node->value.f64;
}

/* Returns the addend of a product that keeps the zeros of the node's type. */
static float no_sum(const struct gf_expr_node *node)
{
    return node->type == GF_EXPR_I64 ? 0.0f : -0.0f;
}

static bool is_power_of_two(float v)
{
    int exponent;
    return isnormal(v) && isnormal(1.0f / v) && fabsf(frexpf(v, &exponent)) == 0.5f;
}

/* Appends an operator of the value, operand `k`, and a constant, the other operand. */
static bool add_with_constant(struct maker *m, const struct gf_expr_node *node, uint32_t k)
{
    const float other = constant(m, node->in[1 - k]), zero = no_sum(node);
    switch (node->op) {
    case GF_EXPR_ADD:
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_AFFINE, .a = 1.0f, .b = other});
        return true;
    case GF_EXPR_SUB:
        add(m, (struct gf_cuda_pointwise_insn){
                   .op = GF_CUDA_POINTWISE_AFFINE, .a = k == 0 ? 1.0f : -1.0f, .b = k == 0 ? -other : other});
        return true;
    case GF_EXPR_MUL:
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_AFFINE, .a = other, .b = zero});
        return true;
    case GF_EXPR_DIV:
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_AFFINE, .a = 1.0f / other, .b = zero});
        return k == 0 && is_power_of_two(other);
    case GF_EXPR_MIN:
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_MIN, .a = other});
        return true;
    case GF_EXPR_MAX:
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_MAX, .a = other});
        return true;
    default:
        return false;
    }
}

/* The opcode for each kind of choice; each is followed by its <=, > and >= forms in the same order. */
_Static_assert(GF_CUDA_POINTWISE_LESS_OR_EQUAL == GF_CUDA_POINTWISE_LESS + 1 &&
                   GF_CUDA_POINTWISE_GREATER == GF_CUDA_POINTWISE_LESS + 2 &&
                   GF_CUDA_POINTWISE_GREATER_OR_EQUAL == GF_CUDA_POINTWISE_LESS + 3 &&
                   GF_CUDA_POINTWISE_KEEP_GREATER_OR_EQUAL == GF_CUDA_POINTWISE_KEEP_LESS + 3 &&
                   GF_CUDA_POINTWISE_REPLACE_GREATER_OR_EQUAL == GF_CUDA_POINTWISE_REPLACE_LESS + 3,
               "add_choice() relies on this order");
static const uint32_t comparisons[3] = {GF_CUDA_POINTWISE_LESS, GF_CUDA_POINTWISE_KEEP_LESS,
                                        GF_CUDA_POINTWISE_REPLACE_LESS};

/* The result of a comparison: constants, or the value itself. */
struct choice {
    bool keeps_true, keeps_false;
    float of_true, of_false;
};

static void add_choice(struct maker *m, struct choice c)
{
    const struct gf_expr_node *node = &m->expr->nodes[m->compared];
    const bool first = node->in[0] == m->value; /* v < c, otherwise c < v */
    const bool equal = node->op == GF_EXPR_EQ || node->op == GF_EXPR_NE, turned = node->op == GF_EXPR_NE;
    struct gf_cuda_pointwise_insn insn = {.op = comparisons[c.keeps_true    ? 1
                                                            : c.keeps_false ? 2
                                                                            : 0],
                                          .a = turned ? c.of_false : c.of_true,
                                          .b = turned ? c.of_true : c.of_false,
                                          .c = constant(m, node->in[first ? 1 : 0])};
    insn.op += (first ? 0u : 2u) + (node->op == GF_EXPR_LE ? 1u : 0u);
    if (equal)
        insn.op = GF_CUDA_POINTWISE_EQUAL;
    m->fits = m->fits && (first || node->in[1] == m->value); /* the value may have changed since the comparison */
    m->fits = m->fits && !(c.keeps_true && c.keeps_false) && !(equal && (c.keeps_true || c.keeps_false));
    add(m, insn);
    m->compared = m->expr->n_nodes;
}

/* Appends a comparison as 0 or 1. */
static void add_bool(struct maker *m)
{
    add_choice(m, (struct choice){.of_true = 1.0f});
}

static bool add_select(struct maker *m, const struct gf_expr_node *node)
{
    const uint32_t of_true = node->in[1], of_false = node->in[2];
    struct choice c = {.keeps_true = of_true == m->value, .keeps_false = of_false == m->value};
    if (node->in[0] != m->compared || (!c.keeps_true && !is_constant(m, of_true)) ||
        (!c.keeps_false && !is_constant(m, of_false)))
        return false;
    c.of_true = c.keeps_true ? 0.0f : constant(m, of_true);
    c.of_false = c.keeps_false ? 0.0f : constant(m, of_false);
    add_choice(m, c);
    return true;
}

static bool add_conversion(struct maker *m, const struct gf_expr_node *node)
{
    const struct gf_expr_node *of = &m->expr->nodes[node->in[0]];
    if (node->in[0] == m->compared)
        add_bool(m);
    else if (node->in[0] != m->value)
        return false;
    /* A float becomes an integer only where it is a whole number. */
    return node->op == GF_EXPR_TO_F32 || of->type != GF_EXPR_F32 || of->op == GF_EXPR_WHOLE;
}

static bool add_three(struct maker *m, const struct gf_expr_node *node)
{
    const uint32_t k = node->op == GF_EXPR_FMA && node->in[0] != m->value ? 1 : 0;
    if (node->in[k] != m->value || !is_constant(m, node->in[1 - k]) || !is_constant(m, node->in[2]))
        return false;
    add(m, (struct gf_cuda_pointwise_insn){.op = node->op == GF_EXPR_FMA ? GF_CUDA_POINTWISE_AFFINE
                                                                         : GF_CUDA_POINTWISE_WHOLE,
                                           .a = constant(m, node->in[1 - k]),
                                           .b = constant(m, node->in[2])});
    return node->op == GF_EXPR_FMA || node->op == GF_EXPR_WHOLE;
}

static bool add_one(struct maker *m, const struct gf_expr_node *node)
{
    if (node->op == GF_EXPR_TO_F32 || node->op == GF_EXPR_TO_I64)
        return add_conversion(m, node);
    if (node->op == GF_EXPR_NEG)
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_AFFINE, .a = -1.0f, .b = no_sum(node)});
    else
        add(m, (struct gf_cuda_pointwise_insn){.op = GF_CUDA_POINTWISE_ABS});
    return node->in[0] == m->value && (node->op == GF_EXPR_NEG || node->op == GF_EXPR_ABS);
}

static bool add_two(struct maker *m, const struct gf_expr_node *node, uint32_t i)
{
    const uint32_t k = node->in[0] == m->value ? 0 : 1;
    if (node->in[k] != m->value || !is_constant(m, node->in[1 - k]))
        return false;
    if (node->type != GF_EXPR_BOOL)
        return add_with_constant(m, node, k);
    m->compared = i;
    return node->op == GF_EXPR_LT || node->op == GF_EXPR_LE || node->op == GF_EXPR_EQ || node->op == GF_EXPR_NE;
}

/* Every node except a constant must consume the value of the node before, so that one value is all the state. */
static void add_node(struct maker *m, uint32_t i)
{
    const struct gf_expr_node *node = &m->expr->nodes[i];
    bool fits = is_exact(node);
    if (is_constant(m, i))
        return;
    if (node->op == GF_EXPR_SAMPLE)
        fits = fits && m->value == m->expr->n_nodes && node->source == 0;
    else if (node->n_in == 1)
        fits = fits && add_one(m, node);
    else if (node->n_in == 2)
        fits = fits && add_two(m, node, i);
    else
        fits = fits && (node->op == GF_EXPR_SELECT ? add_select(m, node) : node->n_in == 3 && add_three(m, node));
    m->fits = m->fits && fits;
    if (m->compared != i)
        m->value = i;
}

bool gf_cuda_pointwise_add_store(struct gf_cuda_pointwise *pointwise, uint32_t dtype)
{
    const struct gf_expr_range range = gf_expr_range_dtype(dtype);
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return dtype == GF_F32;
    return append(pointwise, (struct gf_cuda_pointwise_insn){
                                 .op = GF_CUDA_POINTWISE_WHOLE, .a = (float)range.lo, .b = (float)range.hi});
}

bool gf_cuda_pointwise_add(struct gf_cuda_pointwise *pointwise, const struct gf_expr *expr)
{
    struct maker m = {pointwise, expr, expr->n_nodes, expr->n_nodes, expr->n_results == 1 && !expr->pixels};
    for (uint32_t i = 0; i < expr->n_nodes && m.fits; i++)
        add_node(&m, i);
    if (m.fits && expr->results[0] == m.compared) {
        add_bool(&m);
        m.value = expr->results[0];
    }
    return m.fits && expr->results[0] == m.value;
}

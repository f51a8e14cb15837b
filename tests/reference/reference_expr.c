/* SPDX-License-Identifier: MIT */
/* Samples of every dtype as typed values, the store of docs/numerics.md, "Store" and "Results", and the nodes of
 * expressions, each straight from docs/numerics.md, "Expressions". Called by point.c and reference_operator.c. */
#include "reference_expr.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reference_bins.h"
#include "reference_functions.h"
#include "reference_image.h"

struct gf_reference_typed gf_reference_typed_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    if (buf->view.dtype == GF_F16 || buf->view.dtype == GF_F32)
        return (struct gf_reference_typed){.type = GF_EXPR_F32,
                                           .f32 = gf_reference_read(buf, (int64_t)y, (int64_t)x, c)};
    struct gf_reference_value v = gf_reference_value_at(buf, y, x, c);
    if (buf->view.dtype == GF_F64)
        return (struct gf_reference_typed){.type = GF_EXPR_F64, .f64 = v.f};
    return (struct gf_reference_typed){.type = buf->view.dtype == GF_U64 ? GF_EXPR_U64 : GF_EXPR_I64, .whole = v.i};
}

static bool is_whole(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_BOOL || v.type == GF_EXPR_I64 || v.type == GF_EXPR_U64;
}

static gf_reference_i128 whole_of(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_BOOL ? v.b : v.whole;
}

static double as_f64(struct gf_reference_typed v)
{
    return is_whole(v) ? (double)whole_of(v) : v.type == GF_EXPR_F32 ? (double)v.f32 : v.f64;
}

/* Into an integer dtype: rounded to nearest, ties to even; NaN is 0; saturated. */
static gf_reference_i128 saturated(struct gf_reference_typed v, uint32_t dtype)
{
    const gf_reference_i128 one = 1;
    uint32_t bits = 8 * (uint32_t)gf_dtype_size(dtype), sign = gf_dtype_kind(dtype) == GF_KIND_SINT;
    gf_reference_i128 lo = sign ? -(one << (bits - 1)) : 0, hi = (one << (bits - sign)) - 1;
    if (is_whole(v))
        return whole_of(v) < lo ? lo : whole_of(v) > hi ? hi : whole_of(v);
    double r = rint(as_f64(v));
    if (isnan(r))
        return 0;
    if (r >= ldexp(1.0, (int)(bits - sign)))
        return hi;
    return r < (double)lo ? lo : (gf_reference_i128)r;
}

static float as_f32(struct gf_reference_typed v)
{
    return is_whole(v) ? (float)whole_of(v) : v.type == GF_EXPR_F32 ? v.f32 : (float)v.f64;
}

void gf_reference_typed_store(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c,
                              struct gf_reference_typed v)
{
    uint32_t dtype = buf->view.dtype;
    size_t size = gf_dtype_size(dtype);
    char *to = (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
    if (dtype == GF_F16 || dtype == GF_F32) {
        gf_reference_write(buf, (int64_t)y, (int64_t)x, c, as_f32(v));
        return;
    }
    uint64_t bits = dtype == GF_F64 ? 0 : (uint64_t)(gf_reference_u128)saturated(v, dtype);
    double f64 = dtype == GF_F64 ? as_f64(v) : 0.0;
    if (dtype == GF_F64)
        memcpy(&bits, &f64, sizeof(bits));
    if (isnan(f64))
        bits = 0x7FF8000000000000u;
    memcpy(to, &bits, size);
}

#define TWO_63 0x1p63
#define TWO_64 0x1p64

static struct gf_reference_typed of_bool(bool b)
{
    return (struct gf_reference_typed){.type = GF_EXPR_BOOL, .b = b};
}

/* A whole number modulo 2^64. */
static struct gf_reference_typed of_whole(uint32_t type, gf_reference_i128 x)
{
    uint64_t bits = (uint64_t)(gf_reference_u128)x;
    gf_reference_i128 whole = bits;
    if (type == GF_EXPR_I64 && bits >> 63 != 0)
        whole -= (gf_reference_i128)1 << 64;
    return (struct gf_reference_typed){.type = type, .whole = whole};
}

static struct gf_reference_typed of_f32(float v)
{
    return (struct gf_reference_typed){.type = GF_EXPR_F32, .f32 = v};
}

static struct gf_reference_typed of_f64(double v)
{
    return (struct gf_reference_typed){.type = GF_EXPR_F64, .f64 = v};
}

static bool is_float(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_F32 || v.type == GF_EXPR_F64;
}

/* A float as f64, which is exact. */
static double wide(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_F32 ? (double)v.f32 : v.f64;
}

/* A bool or an integer as a number. */
static gf_reference_i128 number(struct gf_reference_typed v)
{
    return v.type == GF_EXPR_BOOL ? v.b : v.whole;
}

static gf_reference_i128 floor_quotient(gf_reference_i128 x, gf_reference_i128 y)
{
    gf_reference_i128 q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

/* Integers as numbers; the result is reduced by the caller. */
static gf_reference_i128 whole_result(uint32_t op, gf_reference_i128 x, gf_reference_i128 y)
{
    switch (op) {
    case GF_EXPR_NEG:
        return -x;
    case GF_EXPR_NOT:
        return -x - 1;
    case GF_EXPR_ABS:
        return x < 0 ? -x : x;
    case GF_EXPR_SIGN:
        return (x > 0) - (x < 0);
    case GF_EXPR_ADD:
        return x + y;
    case GF_EXPR_SUB:
        return x - y;
    case GF_EXPR_MUL:
        return (gf_reference_i128)((gf_reference_u128)x * (gf_reference_u128)y);
    case GF_EXPR_FLOORDIV:
        return y == 0 ? 0 : floor_quotient(x, y);
    case GF_EXPR_MOD:
        return y == 0 ? 0 : x - floor_quotient(x, y) * y;
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
        return y < 0 || y > 63 ? 0 : (gf_reference_i128)((gf_reference_u128)x << (uint32_t)y);
    default: /* SHR */
        return y < 0 || y > 63 ? (x < 0 ? -1 : 0) : floor_quotient(x, (gf_reference_i128)1 << (uint32_t)y);
    }
}

static float minimum_f32(float x, float y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return signbit(x) ? x : y;
    return x < y ? x : y;
}

static double minimum_f64(double x, double y)
{
    if (isnan(x) || isnan(y))
        return (double)NAN;
    if (x == y)
        return signbit(x) ? x : y;
    return x < y ? x : y;
}

static float result_f32(uint32_t op, float x, float y, float z)
{
    switch (op) {
    case GF_EXPR_NEG:
        return -x;
    case GF_EXPR_ABS:
        return fabsf(x);
    case GF_EXPR_SIGN:
        return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
    case GF_EXPR_FLOOR:
        return floorf(x);
    case GF_EXPR_CEIL:
        return ceilf(x);
    case GF_EXPR_ROUND:
        return rintf(x);
    case GF_EXPR_TRUNC:
        return truncf(x);
    case GF_EXPR_SQRT:
        return sqrtf(x);
    case GF_EXPR_EXP:
        return gf_reference_exp_f32(x);
    case GF_EXPR_LOG:
        return gf_reference_log_f32(x);
    case GF_EXPR_SIN:
        return gf_reference_sin_f32(x);
    case GF_EXPR_COS:
        return gf_reference_cos_f32(x);
    case GF_EXPR_ADD:
        return x + y;
    case GF_EXPR_SUB:
        return x - y;
    case GF_EXPR_MUL:
        return x * y;
    case GF_EXPR_DIV:
        return x / y;
    case GF_EXPR_FLOORDIV:
        return floorf(x / y);
    case GF_EXPR_MOD:
        return fmaf(-floorf(x / y), y, x);
    case GF_EXPR_MIN:
        return minimum_f32(x, y);
    case GF_EXPR_MAX:
        return -minimum_f32(-x, -y);
    case GF_EXPR_POW:
        return gf_reference_pow_f32(x, y);
    case GF_EXPR_ATAN2:
        return gf_reference_atan2_f32(x, y);
    default: /* FMA */
        return fmaf(x, y, z);
    }
}

static double result_f64(uint32_t op, double x, double y, double z)
{
    switch (op) {
    case GF_EXPR_NEG:
        return -x;
    case GF_EXPR_ABS:
        return fabs(x);
    case GF_EXPR_SIGN:
        return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case GF_EXPR_FLOOR:
        return floor(x);
    case GF_EXPR_CEIL:
        return ceil(x);
    case GF_EXPR_ROUND:
        return rint(x);
    case GF_EXPR_TRUNC:
        return trunc(x);
    case GF_EXPR_SQRT:
        return sqrt(x);
    case GF_EXPR_EXP:
        return gf_reference_exp_f64(x);
    case GF_EXPR_LOG:
        return gf_reference_log_f64(x);
    case GF_EXPR_SIN:
        return gf_reference_sin_f64(x);
    case GF_EXPR_COS:
        return gf_reference_cos_f64(x);
    case GF_EXPR_ADD:
        return x + y;
    case GF_EXPR_SUB:
        return x - y;
    case GF_EXPR_MUL:
        return x * y;
    case GF_EXPR_DIV:
        return x / y;
    case GF_EXPR_FLOORDIV:
        return floor(x / y);
    case GF_EXPR_MOD:
        return fma(-floor(x / y), y, x);
    case GF_EXPR_MIN:
        return minimum_f64(x, y);
    case GF_EXPR_MAX:
        return -minimum_f64(-x, -y);
    case GF_EXPR_POW:
        return gf_reference_pow_f64(x, y);
    case GF_EXPR_ATAN2:
        return gf_reference_atan2_f64(x, y);
    default: /* FMA */
        return fma(x, y, z);
    }
}

/* EQ, NE, LT and LE of two operands of a type; all but NE are false with NaN. */
static bool compared(uint32_t op, struct gf_reference_typed x, struct gf_reference_typed y)
{
    bool less = is_float(x) ? wide(x) < wide(y) : x.whole < y.whole;
    bool equal = is_float(x) ? wide(x) == wide(y) : x.whole == y.whole;
    return op == GF_EXPR_EQ ? equal : op == GF_EXPR_NE ? !equal : op == GF_EXPR_LT ? less : less || equal;
}

/* Towards zero, NaN to 0, what does not fit to the type's end. */
static struct gf_reference_typed to_whole(uint32_t type, struct gf_reference_typed v)
{
    gf_reference_i128 one = 1, lo = type == GF_EXPR_I64 ? -(one << 63) : 0,
                      hi = (one << (type == GF_EXPR_I64 ? 63 : 64)) - 1;
    gf_reference_i128 x;
    if (!is_float(v))
        x = number(v);
    else if (isnan(wide(v)))
        x = 0;
    else if (wide(v) >= TWO_64)
        x = hi;
    else
        x = wide(v) <= -TWO_63 ? lo : (gf_reference_i128)trunc(wide(v));
    return of_whole(type, x < lo ? lo : x > hi ? hi : x);
}

static struct gf_reference_typed converted(uint32_t op, struct gf_reference_typed v)
{
    if (op == GF_EXPR_TO_BOOL)
        return of_bool(is_float(v) ? wide(v) != 0.0 : number(v) != 0);
    if (op == GF_EXPR_TO_I64 || op == GF_EXPR_TO_U64)
        return to_whole(op == GF_EXPR_TO_I64 ? GF_EXPR_I64 : GF_EXPR_U64, v);
    if (op == GF_EXPR_TO_F32)
        return of_f32(is_float(v) ? (float)wide(v) : (float)number(v));
    return of_f64(is_float(v) ? wide(v) : (double)number(v));
}

/* An operator of its operands. */
static struct gf_reference_typed result(uint32_t op, const struct gf_reference_typed *in)
{
    const struct gf_reference_typed x = in[0], y = in[1], z = in[2];
    if (op >= GF_EXPR_TO_BOOL && op <= GF_EXPR_TO_F64)
        return converted(op, x);
    if (op == GF_EXPR_SELECT)
        return x.b ? y : z;
    if (op == GF_EXPR_ISNAN)
        return of_bool(isnan(wide(x)));
    if (op == GF_EXPR_EQ || op == GF_EXPR_NE || op == GF_EXPR_LT || op == GF_EXPR_LE)
        return of_bool(compared(op, x, y));
    if (x.type == GF_EXPR_BOOL)
        return of_bool(op == GF_EXPR_NOT ? !x.b : whole_result(op, x.b, y.b) != 0);
    if (x.type == GF_EXPR_F32)
        return of_f32(result_f32(op, x.f32, y.f32, z.f32));
    if (x.type == GF_EXPR_F64)
        return of_f64(result_f64(op, x.f64, y.f64, z.f64));
    return of_whole(x.type, whole_result(op, x.whole, y.whole));
}

static struct gf_reference_typed literal(const struct gf_expr_node *node)
{
    switch (node->type) {
    case GF_EXPR_BOOL:
        return of_bool(node->value.b);
    case GF_EXPR_I64:
        return of_whole(GF_EXPR_I64, node->value.i64);
    case GF_EXPR_U64:
        return of_whole(GF_EXPR_U64, node->value.u64);
    case GF_EXPR_F32:
        return of_f32((float)node->value.f64);
    default:
        return of_f64(node->value.f64);
    }
}

/* What has no operands. */
static struct gf_reference_typed leaf(const struct gf_expr_node *node, const struct gf_reference_place *place)
{
    const struct gf_reference_buf *buf = &place->in[node->source];
    switch (node->op) {
    case GF_EXPR_CONST:
        return literal(node);
    case GF_EXPR_SAMPLE: {
        uint32_t own = buf->view.channels == 1 ? 0 : place->channel;
        return gf_reference_typed_at(buf, place->y, place->x,
                                     node->channel == GF_EXPR_OWN_CHANNEL ? own : node->channel);
    }
    case GF_EXPR_X:
        return of_whole(GF_EXPR_I64, (gf_reference_i128)place->x);
    case GF_EXPR_Y:
        return of_whole(GF_EXPR_I64, (gf_reference_i128)place->y);
    case GF_EXPR_W:
        return of_whole(GF_EXPR_I64, (gf_reference_i128)place->width);
    case GF_EXPR_H:
        return of_whole(GF_EXPR_I64, (gf_reference_i128)place->height);
    case GF_EXPR_INDEX:
        return of_whole(GF_EXPR_I64, (gf_reference_i128)place->index);
    case GF_EXPR_STATE:
        return place->states[node->source][node->channel];
    default: /* CH */
        return of_whole(GF_EXPR_I64, place->channel);
    }
}

#define SET(type) (1u << GF_EXPR_##type)
enum {
    INTEGER = SET(I64) | SET(U64),
    FLOAT = SET(F32) | SET(F64),
    NUMBER = INTEGER | FLOAT,
    BITS = INTEGER | SET(BOOL),
    ANY = NUMBER | SET(BOOL)
};

/* Operands and their types, as the table of operators has them. */
static const struct {
    uint32_t operands, types;
} shapes[GF_EXPR_N_OPS] = {
#define GF_EXPR_OP(name, operands_, types_, result) [GF_EXPR_##name] = {operands_, types_},
#include "protocol/expr/operators.def"
};

/* Whether a node's operands are what its operator takes. */
static bool is_sound(const struct gf_expr_node *node, uint32_t at, const struct gf_reference_typed *values)
{
    if (node->op == 0 || node->op >= GF_EXPR_N_OPS || node->n_in != shapes[node->op].operands)
        return false;
    for (uint32_t k = 0; k < node->n_in; k++) {
        if (node->in[k] >= at)
            return false;
        uint32_t type = values[node->in[k]].type, last = values[node->in[node->n_in - 1]].type;
        if (node->op == GF_EXPR_SELECT && k == 0 ? type != GF_EXPR_BOOL
                                                 : type != last || (shapes[node->op].types >> type & 1) == 0)
            return false;
    }
    return true;
}

enum gf_status gf_reference_expr_nodes(const struct gf_expr *expr, const struct gf_reference_place *place,
                                       struct gf_reference_typed *ret_values, struct gf_error *err)
{
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        const struct gf_expr_node *node = &expr->nodes[i];
        if (!is_sound(node, i, ret_values))
            return gf_error_set(err, GF_E_INTERNAL, "node %" PRIu32 " of column %u: operands that %u does not take", i,
                                node->column, node->op);
        struct gf_reference_typed in[3] = {{0}};
        for (uint32_t k = 0; k < node->n_in; k++)
            in[k] = ret_values[node->in[k]];
        ret_values[i] = node->n_in == 0 ? leaf(node, place) : result(node->op, in);
        if (ret_values[i].type != node->type)
            return gf_error_set(err, GF_E_INTERNAL, "node %" PRIu32 " of column %u: %s, not %s", i, node->column,
                                gf_expr_type_word(ret_values[i].type), gf_expr_type_word(node->type));
        if (node->type == GF_EXPR_I64 && (ret_values[i].whole < node->lo || ret_values[i].whole > node->hi))
            return gf_error_set(err, GF_E_INTERNAL,
                                "node %" PRIu32 " of column %u: %" PRId64 " is not within %" PRId64 " to %" PRId64, i,
                                node->column, (int64_t)ret_values[i].whole, node->lo, node->hi);
    }
    return GF_OK;
}

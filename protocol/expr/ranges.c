/* SPDX-License-Identifier: MIT */
/* Interval arithmetic of i64. No operation overflows: a result that does not fit widens the range to all of i64. */
#include "ranges.h"

#include "protocol/base/dtype.h"

typedef bool combine_fn(int64_t x, int64_t y, int64_t *ret);

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool add(int64_t x, int64_t y, int64_t *ret)
{
    return !__builtin_add_overflow(x, y, ret);
}

static bool subtract(int64_t x, int64_t y, int64_t *ret)
{
    return !__builtin_sub_overflow(x, y, ret);
}

static bool multiply(int64_t x, int64_t y, int64_t *ret)
{
    return !__builtin_mul_overflow(x, y, ret);
}

/* x * 2^y for y from 0 to 62. */
static bool shift(int64_t x, int64_t y, int64_t *ret)
{
    return multiply(x, (int64_t)1 << y, ret);
}

/* The range of an operation that is monotonic in each operand: its extremes lie at the ends. */
static struct gf_expr_range of_ends(combine_fn *combine, struct gf_expr_range x, struct gf_expr_range y)
{
    int64_t ends[4];
    if (!combine(x.lo, y.lo, &ends[0]) || !combine(x.lo, y.hi, &ends[1]) || !combine(x.hi, y.lo, &ends[2]) ||
        !combine(x.hi, y.hi, &ends[3]))
        return GF_EXPR_ALL;
    return (struct gf_expr_range){least(least(ends[0], ends[1]), least(ends[2], ends[3])),
                                  greatest(greatest(ends[0], ends[1]), greatest(ends[2], ends[3]))};
}

/* The greatest magnitude; the low end must be above -2^63. */
static int64_t magnitude(struct gf_expr_range x)
{
    return greatest(x.lo < 0 ? -x.lo : x.lo, x.hi < 0 ? -x.hi : x.hi);
}

static struct gf_expr_range absolute(struct gf_expr_range x)
{
    if (x.lo == INT64_MIN)
        return GF_EXPR_ALL;
    int64_t nearest = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
    return (struct gf_expr_range){nearest, magnitude(x)};
}

static struct gf_expr_range floor_divide(struct gf_expr_range x, struct gf_expr_range y)
{
    if (x.lo >= 0 && y.lo >= 0)
        return (struct gf_expr_range){0, x.hi};
    if (x.lo == INT64_MIN)
        return GF_EXPR_ALL;
    return (struct gf_expr_range){-magnitude(x), magnitude(x)};
}

static struct gf_expr_range modulo(struct gf_expr_range x, struct gf_expr_range y)
{
    int64_t lo = y.lo < 0 ? y.lo + 1 : 0, hi = y.hi > 0 ? y.hi - 1 : 0;
    if (x.lo >= 0 && y.lo >= 0)
        return (struct gf_expr_range){0, least(x.hi, hi)};
    return (struct gf_expr_range){lo, hi};
}

/* The range of | and ^: all bits that the operands can have, negative only if an operand can be. */
static struct gf_expr_range bits(struct gf_expr_range x, struct gf_expr_range y)
{
    uint64_t ends = 0;
    const int64_t all[] = {x.lo, x.hi, y.lo, y.hi};
    for (int i = 0; i < 4; i++)
        ends |= (uint64_t)(all[i] < 0 ? ~all[i] : all[i]);
    int64_t mask = ends == 0 ? 0 : (int64_t)(UINT64_MAX >> __builtin_clzll(ends));
    return (struct gf_expr_range){x.lo >= 0 && y.lo >= 0 ? 0 : ~mask, mask};
}

static struct gf_expr_range conjunction(struct gf_expr_range x, struct gf_expr_range y)
{
    if (x.lo < 0 && y.lo < 0)
        return bits(x, y);
    int64_t hi = x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : least(x.hi, y.hi);
    return (struct gf_expr_range){0, hi};
}

static struct gf_expr_range shift_left(struct gf_expr_range x, struct gf_expr_range y)
{
    return y.lo >= 0 && y.hi <= 62 ? of_ends(shift, x, y) : GF_EXPR_ALL;
}

static struct gf_expr_range shift_right(struct gf_expr_range x, struct gf_expr_range y)
{
    if (y.lo < 0)
        return (struct gf_expr_range){least(x.lo, 0), greatest(x.hi, 0)};
    int64_t s = least(y.lo, 63), t = least(y.hi, 63);
    return (struct gf_expr_range){x.lo >> (x.lo < 0 ? s : t), x.hi >> (x.hi < 0 ? t : s)};
}

static struct gf_expr_range unary(enum gf_expr_op op, struct gf_expr_range x)
{
    switch ((int)op) {
    case GF_EXPR_NEG:
        return of_ends(subtract, (struct gf_expr_range){0, 0}, x);
    case GF_EXPR_NOT:
        return (struct gf_expr_range){~x.hi, ~x.lo};
    case GF_EXPR_ABS:
        return absolute(x);
    case GF_EXPR_SIGN:
        return (struct gf_expr_range){-1, 1};
    case GF_EXPR_TO_I64:
        return x;
    default:
        return GF_EXPR_ALL;
    }
}

static struct gf_expr_range binary(enum gf_expr_op op, struct gf_expr_range x, struct gf_expr_range y)
{
    struct gf_expr_range sum;
    switch ((int)op) {
    case GF_EXPR_ADD: /* the lowest of the ends is that of the low ends, and so on */
        return add(x.lo, y.lo, &sum.lo) && add(x.hi, y.hi, &sum.hi) ? sum : GF_EXPR_ALL;
    case GF_EXPR_SUB:
        return subtract(x.lo, y.hi, &sum.lo) && subtract(x.hi, y.lo, &sum.hi) ? sum : GF_EXPR_ALL;
    case GF_EXPR_MUL:
        return of_ends(multiply, x, y);
    case GF_EXPR_FLOORDIV:
        return floor_divide(x, y);
    case GF_EXPR_MOD:
        return modulo(x, y);
    case GF_EXPR_MIN:
        return (struct gf_expr_range){least(x.lo, y.lo), least(x.hi, y.hi)};
    case GF_EXPR_MAX:
        return (struct gf_expr_range){greatest(x.lo, y.lo), greatest(x.hi, y.hi)};
    case GF_EXPR_AND:
        return conjunction(x, y);
    case GF_EXPR_OR:
    case GF_EXPR_XOR:
        return bits(x, y);
    case GF_EXPR_SHL:
        return shift_left(x, y);
    case GF_EXPR_SHR:
        return shift_right(x, y);
    default:
        return GF_EXPR_ALL;
    }
}

struct gf_expr_range gf_expr_range_of(enum gf_expr_op op, const struct gf_expr_range *in)
{
    if (op == GF_EXPR_SELECT)
        return (struct gf_expr_range){least(in[1].lo, in[2].lo), greatest(in[1].hi, in[2].hi)};
    return op >= GF_EXPR_NEG && op < GF_EXPR_ADD ? unary(op, in[0]) : binary(op, in[0], in[1]);
}

struct gf_expr_range gf_expr_range_dtype(uint32_t dtype)
{
    size_t width = gf_dtype_size(dtype) * 8;
    enum gf_dtype_kind kind = gf_dtype_kind(dtype);
    if (kind == GF_KIND_FLOAT || width == 0 || width == 64)
        return GF_EXPR_ALL;
    if (kind == GF_KIND_UINT)
        return (struct gf_expr_range){0, ((int64_t)1 << width) - 1};
    int64_t half = (int64_t)1 << (width - 1);
    return (struct gf_expr_range){-half, half - 1};
}

/* SPDX-License-Identifier: MIT */
/*
 * protocol/expr/ranges: compared with the table of docs/numerics.md, "Ranges", written again in 128 bits, and with
 * every result of operands of small ranges.
 */
#include <inttypes.h>

#include "protocol/base/dtype.h"
#include "protocol/expr/ranges.h"
#include "tests/unit/unit.h"

#define SMALL 6 /* operands of -SMALL to SMALL */

__extension__ typedef __int128 wide;

struct span {
    wide lo, hi;
};

static const struct {
    enum gf_expr_op op;
    const char *word;
    int operands;
} rules[] = {
    {GF_EXPR_NEG, "-", 1},         {GF_EXPR_NOT, "~", 1},      {GF_EXPR_ABS, "abs", 1}, {GF_EXPR_SIGN, "sign", 1},
    {GF_EXPR_ADD, "+", 2},         {GF_EXPR_SUB, "-", 2},      {GF_EXPR_MUL, "*", 2},   {GF_EXPR_FLOORDIV, "//", 2},
    {GF_EXPR_MOD, "%", 2},         {GF_EXPR_MIN, "min", 2},    {GF_EXPR_MAX, "max", 2}, {GF_EXPR_AND, "&", 2},
    {GF_EXPR_OR, "|", 2},          {GF_EXPR_XOR, "^", 2},      {GF_EXPR_SHL, "<<", 2},  {GF_EXPR_SHR, ">>", 2},
    {GF_EXPR_SELECT, "select", 2}, {GF_EXPR_TO_I64, "i64", 1},
};

static const struct span all = {INT64_MIN, INT64_MAX};

static wide least(wide a, wide b)
{
    return a < b ? a : b;
}

static wide greatest(wide a, wide b)
{
    return a > b ? a : b;
}

static struct span hull(wide a, wide b, wide c, wide d)
{
    return (struct span){least(least(a, b), least(c, d)), greatest(greatest(a, b), greatest(c, d))};
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

static struct span bits(struct span x, struct span y)
{
    int k = 0;
    while (x.lo < -((wide)1 << k) || x.hi >= (wide)1 << k || y.lo < -((wide)1 << k) || y.hi >= (wide)1 << k)
        k++;
    return (struct span){x.lo >= 0 && y.lo >= 0 ? 0 : -((wide)1 << k), ((wide)1 << k) - 1};
}

static struct span both(struct span x, struct span y)
{
    if (x.lo >= 0 && y.lo >= 0)
        return (struct span){0, least(x.hi, y.hi)};
    if (x.lo >= 0 || y.lo >= 0)
        return (struct span){0, x.lo >= 0 ? x.hi : y.hi};
    return bits(x, y);
}

static struct span right(struct span x, struct span y)
{
    if (y.lo < 0)
        return (struct span){least(x.lo, 0), greatest(x.hi, 0)};
    int s = (int)least(y.lo, 63), t = (int)least(y.hi, 63);
    return (struct span){x.lo >> (x.lo < 0 ? s : t), x.hi >> (x.hi < 0 ? t : s)};
}

static struct span remainder_of(struct span x, struct span y)
{
    if (x.lo >= 0 && y.lo >= 0)
        return (struct span){0, least(x.hi, greatest(y.hi - 1, 0))};
    return (struct span){least(y.lo + 1, 0), greatest(y.hi - 1, 0)};
}

static struct span quotient(struct span x, struct span y)
{
    if (x.lo >= 0 && y.lo >= 0)
        return (struct span){0, x.hi};
    wide m = greatest(magnitude(x.lo), magnitude(x.hi));
    return x.lo == INT64_MIN ? all : (struct span){-m, m};
}

/* The row of the table, whether it fits i64 or not. */
static struct span row(enum gf_expr_op op, struct span x, struct span y)
{
    switch ((int)op) {
    case GF_EXPR_NEG:
        return (struct span){-x.hi, -x.lo};
    case GF_EXPR_NOT:
        return (struct span){-x.hi - 1, -x.lo - 1};
    case GF_EXPR_ABS:
        return (struct span){x.lo <= 0 && 0 <= x.hi ? 0 : least(magnitude(x.lo), magnitude(x.hi)),
                             greatest(magnitude(x.lo), magnitude(x.hi))};
    case GF_EXPR_SIGN:
        return (struct span){-1, 1};
    case GF_EXPR_ADD:
        return (struct span){x.lo + y.lo, x.hi + y.hi};
    case GF_EXPR_SUB:
        return (struct span){x.lo - y.hi, x.hi - y.lo};
    case GF_EXPR_MUL:
        return hull(x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi);
    case GF_EXPR_FLOORDIV:
        return quotient(x, y);
    case GF_EXPR_MOD:
        return remainder_of(x, y);
    case GF_EXPR_MIN:
        return (struct span){least(x.lo, y.lo), least(x.hi, y.hi)};
    case GF_EXPR_MAX:
        return (struct span){greatest(x.lo, y.lo), greatest(x.hi, y.hi)};
    case GF_EXPR_AND:
        return both(x, y);
    case GF_EXPR_OR:
    case GF_EXPR_XOR:
        return bits(x, y);
    case GF_EXPR_SHL:
        if (y.lo < 0 || y.hi > 62)
            return all;
        return hull(x.lo * ((wide)1 << y.lo), x.lo * ((wide)1 << y.hi), x.hi * ((wide)1 << y.lo),
                    x.hi * ((wide)1 << y.hi));
    case GF_EXPR_SHR:
        return right(x, y);
    case GF_EXPR_SELECT:
        return (struct span){least(x.lo, y.lo), greatest(x.hi, y.hi)};
    default:
        return x;
    }
}

/* The result of the operator for two values; select returns the first. */
static int64_t value_of(enum gf_expr_op op, int64_t x, int64_t y)
{
    int64_t quotient_down = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
    switch ((int)op) {
    case GF_EXPR_NEG:
        return -x;
    case GF_EXPR_NOT:
        return ~x;
    case GF_EXPR_ABS:
        return x < 0 ? -x : x;
    case GF_EXPR_SIGN:
        return (x > 0) - (x < 0);
    case GF_EXPR_ADD:
        return x + y;
    case GF_EXPR_SUB:
        return x - y;
    case GF_EXPR_MUL:
        return x * y;
    case GF_EXPR_FLOORDIV:
        return quotient_down;
    case GF_EXPR_MOD:
        return y == 0 ? 0 : x - quotient_down * y;
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
        return y < 0 ? 0 : x * ((int64_t)1 << y);
    case GF_EXPR_SHR:
        return y < 0 ? (x < 0 ? -1 : 0) : x >> y;
    default:
        return x;
    }
}

static struct gf_expr_range range_of(size_t rule, struct gf_expr_range x, struct gf_expr_range y)
{
    struct gf_expr_range in[3] = {x, y, GF_EXPR_ALL};
    if (rules[rule].op == GF_EXPR_SELECT) {
        in[0] = GF_EXPR_ALL;
        in[1] = x;
        in[2] = y;
    }
    return gf_expr_range_of(rules[rule].op, in);
}

static void expect_rule(size_t rule, struct gf_expr_range x, struct gf_expr_range y)
{
    struct gf_expr_range got = range_of(rule, x, y);
    struct span expected = row(rules[rule].op, (struct span){x.lo, x.hi}, (struct span){y.lo, y.hi});
    if (expected.lo < INT64_MIN || expected.hi > INT64_MAX)
        expected = all;
    if (got.lo != expected.lo || got.hi != expected.hi)
        fail_msg("%s of [%" PRId64 ", %" PRId64 "] and [%" PRId64 ", %" PRId64 "]: [%" PRId64 ", %" PRId64 "]",
                 rules[rule].word, x.lo, x.hi, y.lo, y.hi, got.lo, got.hi);
}

static void expect_inside(size_t rule, struct gf_expr_range x, struct gf_expr_range y)
{
    struct gf_expr_range got = range_of(rule, x, y);
    for (int64_t i = x.lo; i <= x.hi; i++)
        for (int64_t j = y.lo; j <= y.hi; j++) {
            int64_t value = value_of(rules[rule].op, i, j);
            if (value < got.lo || value > got.hi)
                fail_msg("%s of %" PRId64 " and %" PRId64 ": %" PRId64 " is outside of [%" PRId64 ", %" PRId64 "]",
                         rules[rule].word, i, j, value, got.lo, got.hi);
        }
}

static void small_ranges_hold_every_result(void **state)
{
    UNUSED(state);
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
        for (int64_t a = -SMALL; a <= SMALL; a++)
            for (int64_t b = a; b <= SMALL; b++)
                for (int64_t c = -SMALL; c <= (rules[rule].operands == 2 ? SMALL : -SMALL); c++)
                    for (int64_t d = c; d <= SMALL; d++) {
                        expect_rule(rule, (struct gf_expr_range){a, b}, (struct gf_expr_range){c, d});
                        expect_inside(rule, (struct gf_expr_range){a, b}, (struct gf_expr_range){c, d});
                    }
}

static void ranges_at_the_ends_of_i64_follow_the_table(void **state)
{
    UNUSED(state);
    static const int64_t ends[] = {INT64_MIN,
                                   INT64_MIN + 1,
                                   -((int64_t)1 << 62),
                                   -((int64_t)1 << 32),
                                   -256,
                                   -64,
                                   -1,
                                   0,
                                   1,
                                   2,
                                   62,
                                   63,
                                   64,
                                   255,
                                   (int64_t)1 << 24,
                                   (int64_t)1 << 31,
                                   (int64_t)1 << 32,
                                   (int64_t)1 << 62,
                                   INT64_MAX - 1,
                                   INT64_MAX};
    const size_t n = sizeof ends / sizeof *ends;
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = a; b < n; b++)
                for (size_t c = 0; c < (rules[rule].operands == 2 ? n : 1); c++)
                    for (size_t d = c; d < n; d++)
                        expect_rule(rule, (struct gf_expr_range){ends[a], ends[b]},
                                    (struct gf_expr_range){ends[c], ends[d]});
}

static void dtypes_have_the_ranges_of_their_samples(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_expr_range_dtype(GF_U16).lo, 0);
    assert_int_equal(gf_expr_range_dtype(GF_U16).hi, 65535);
    assert_true(gf_expr_range_dtype(GF_I32).lo == INT32_MIN);
    assert_true(gf_expr_range_dtype(GF_I32).hi == INT32_MAX);
    assert_true(gf_expr_range_dtype(GF_I64).lo == INT64_MIN);
    assert_true(gf_expr_range_dtype(GF_F32).hi == INT64_MAX);
    assert_true(gf_expr_range_dtype(0).hi == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ranges_hold_every_result),
        cmocka_unit_test(ranges_at_the_ends_of_i64_follow_the_table),
        cmocka_unit_test(dtypes_have_the_ranges_of_their_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * kernels/shared/expr: every function is within its error bound of libm in a wider type, special cases are exact, and
 * the loops of every instruction set give the bits of single calls. The wider type is f64 for f32, and f128 for f64 if
 * the compiler has it.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "expr_math_loops.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/shared/expr/math.h"
#include "protocol/base/base.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#if defined(__HAVE_FLOAT128) && __HAVE_FLOAT128 && !defined(__clang__)
__extension__ typedef _Float128 wide;
#define WIDE(function) function##f128
#else
typedef long double wide;
#define WIDE(function) function##l
#endif

enum { SAMPLES = 200000, BLOCK = 1000 };

#define CALL_ONE(function)                                                                                             \
    static float function##_f32(float a, float b)                                                                      \
    {                                                                                                                  \
        UNUSED(b);                                                                                                     \
        return gf_expr_##function##_f32(a);                                                                            \
    }                                                                                                                  \
    static double function##_f64(double a, double b)                                                                   \
    {                                                                                                                  \
        UNUSED(b);                                                                                                     \
        return gf_expr_##function##_f64(a);                                                                            \
    }                                                                                                                  \
    static double function##_exact(double a, double b)                                                                 \
    {                                                                                                                  \
        UNUSED(b);                                                                                                     \
        return function(a);                                                                                            \
    }                                                                                                                  \
    static wide function##_wide(wide a, wide b)                                                                        \
    {                                                                                                                  \
        UNUSED(b);                                                                                                     \
        return WIDE(function)(a);                                                                                      \
    }
#define CALL_TWO(function)                                                                                             \
    static float function##_f32(float a, float b)                                                                      \
    {                                                                                                                  \
        return gf_expr_##function##_f32(a, b);                                                                         \
    }                                                                                                                  \
    static double function##_f64(double a, double b)                                                                   \
    {                                                                                                                  \
        return gf_expr_##function##_f64(a, b);                                                                         \
    }                                                                                                                  \
    static double function##_exact(double a, double b)                                                                 \
    {                                                                                                                  \
        return function(a, b);                                                                                         \
    }                                                                                                                  \
    static wide function##_wide(wide a, wide b)                                                                        \
    {                                                                                                                  \
        return WIDE(function)(a, b);                                                                                   \
    }

CALL_ONE(exp)
CALL_ONE(log)
CALL_ONE(sin)
CALL_ONE(cos)
CALL_TWO(atan2)
CALL_TWO(pow)

#define OF(name) #name, name##_f32, name##_f64, name##_exact, name##_wide

/* The functions with their greatest errors in ulp. pow of f32 has the error of rounding alone, plus f64's error. */
static const struct function {
    const char *name;
    float (*f32)(float a, float b);
    double (*f64)(double a, double b);
    double (*exact_f32)(double a, double b);
    wide (*exact_f64)(wide a, wide b);
    double most_f32, most_f64;
} functions[EXPR_N] = {
    [EXPR_EXP] = {OF(exp), 1.0, 1.0}, [EXPR_LOG] = {OF(log), 1.0, 1.0},         [EXPR_SIN] = {OF(sin), 1.0, 1.0},
    [EXPR_COS] = {OF(cos), 1.0, 1.0}, [EXPR_ATAN2] = {OF(atan2), 1.125, 1.125}, [EXPR_POW] = {OF(pow), 0.5001, 1.0},
};

/* From -1 to 1. */
static double signed_unit(struct gf_prng *prng)
{
    return (double)(int64_t)gf_prng_next(prng) * 0x1p-63;
}

/* An operand: random bits, near 1, near a multiple of pi / 2, of any magnitude, or with a finite exp. */
static double operand(struct gf_prng *prng, bool f32)
{
    const uint64_t bits = gf_prng_next(prng), choice = bits % 8, more = bits >> 3;
    const int least = f32 ? -149 : -1074, n = f32 ? 277 : 2098;
    switch (choice) {
    case 0:
        return f32 ? (double)gf_expr_of_f32((uint32_t)more) : gf_expr_of_f64(gf_prng_next(prng));
    case 1:
        return 1.0 + ldexp(signed_unit(prng), -(int)(more % 54));
    case 2:
        return (double)(int64_t)(more % 4000001 - 2000000) * 0x1.921fb54442d18p+0;
    case 3:
        return ldexp(signed_unit(prng), least + (int)(more % (uint64_t)n));
    case 4:
        return signed_unit(prng) * (f32 ? 106.0 : 750.0);
    case 5:
        return (double)(int64_t)(more % 21 - 10);
    default:
        return signed_unit(prng) * 10.0;
    }
}

/* An exponent that does not leave the range too often. */
static double exponent(struct gf_prng *prng, double x, bool f32)
{
    const double l = fabs(log2(fabs(x))), y = signed_unit(prng) * (f32 ? 155.0 : 1080.0) / l;
    return gf_prng_next(prng) % 2 && isfinite(y) ? y : operand(prng, f32);
}

/* Whether a result is within `most` units in the last place of the exact value. An infinity stands for the power of two
 * after `greatest`. */
static bool is_near(double found, wide exact, double greatest, int mantissa, double least, double most)
{
    const double nearest = (double)exact;
    int e;
    if (isnan(found) || isnan(nearest))
        return isnan(found) && isnan(nearest);
    if (!signbit(found) != !signbit(nearest))
        return false;
    if (isinf(found))
        return fabs(nearest) >= greatest;
    (void)frexp(fmin(fabs(nearest), greatest), &e);
    const wide error = exact > (wide)found ? exact - (wide)found : (wide)found - exact;
    const double ulp = fmax(ldexp(1.0, e - mantissa), least);
    return error <= (wide)most * (wide)ulp;
}

static void check_f32(const struct function *f, float a, float b)
{
    const float found = f->f32(a, b);
    const double exact = f->exact_f32((double)a, (double)b);
    if (!is_near((double)found, (wide)exact, (double)FLT_MAX, 24, 0x1p-149, f->most_f32))
        fail_msg("%s(%a, %a) of f32 is %a, not %a", f->name, (double)a, (double)b, (double)found, exact);
}

static void check_f64(const struct function *f, double a, double b)
{
    const double found = f->f64(a, b);
    const wide exact = f->exact_f64((wide)a, (wide)b);
    if (!is_near(found, exact, DBL_MAX, 53, 0x1p-1074, f->most_f64))
        fail_msg("%s(%a, %a) of f64 is %a, not %a", f->name, a, b, found, (double)exact);
}

static void errors_of_f32(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {1};
    for (uint32_t k = 0; k < EXPR_N; k++)
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const float a = (float)operand(&prng, true);
            check_f32(&functions[k], a,
                      (float)(k == EXPR_POW ? exponent(&prng, (double)a, true) : operand(&prng, true)));
        }
}

static void errors_of_f64(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {2};
    for (uint32_t k = 0; k < EXPR_N; k++)
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const double a = operand(&prng, false);
            check_f64(&functions[k], a, k == EXPR_POW ? exponent(&prng, a, false) : operand(&prng, false));
        }
}

#define PI 0x1.921fb54442d18p+1
#define PI_2 0x1.921fb54442d18p+0
#define PI_4 0x1.921fb54442d18p-1
#define PI3_4 0x1.2d97c7f3321d2p+1

struct known {
    uint32_t function;
    double a, b, result;
};

static bool is_same(double found, double expected)
{
    return isnan(expected) ? isnan(found) : found == expected && !signbit(found) == !signbit(expected);
}

/* What C's Annex F says. */
static void special_cases(void **state)
{
    UNUSED(state);
    static const struct known cases[] = {
        {EXPR_EXP, 0.0, 0.0, 1.0},
        {EXPR_EXP, -0.0, 0.0, 1.0},
        {EXPR_EXP, -INFINITY, 0.0, 0.0},
        {EXPR_EXP, INFINITY, 0.0, INFINITY},
        {EXPR_EXP, NAN, 0.0, NAN},
        {EXPR_EXP, 0x1p100, 0.0, INFINITY},
        {EXPR_EXP, -0x1p100, 0.0, 0.0},
        {EXPR_LOG, 0.0, 0.0, -INFINITY},
        {EXPR_LOG, -0.0, 0.0, -INFINITY},
        {EXPR_LOG, 1.0, 0.0, 0.0},
        {EXPR_LOG, -1.0, 0.0, NAN},
        {EXPR_LOG, -INFINITY, 0.0, NAN},
        {EXPR_LOG, INFINITY, 0.0, INFINITY},
        {EXPR_LOG, NAN, 0.0, NAN},
        {EXPR_LOG, -0x1p-149, 0.0, NAN},
        {EXPR_SIN, 0.0, 0.0, 0.0},
        {EXPR_SIN, -0.0, 0.0, -0.0},
        {EXPR_SIN, INFINITY, 0.0, NAN},
        {EXPR_SIN, -INFINITY, 0.0, NAN},
        {EXPR_SIN, NAN, 0.0, NAN},
        {EXPR_SIN, -0x1p-149, 0.0, -0x1p-149},
        {EXPR_COS, 0.0, 0.0, 1.0},
        {EXPR_COS, -0.0, 0.0, 1.0},
        {EXPR_COS, INFINITY, 0.0, NAN},
        {EXPR_COS, -INFINITY, 0.0, NAN},
        {EXPR_COS, NAN, 0.0, NAN},
        {EXPR_ATAN2, 0.0, -0.0, PI},
        {EXPR_ATAN2, -0.0, -0.0, -PI},
        {EXPR_ATAN2, 0.0, 0.0, 0.0},
        {EXPR_ATAN2, -0.0, 0.0, -0.0},
        {EXPR_ATAN2, 0.0, -1.0, PI},
        {EXPR_ATAN2, -0.0, -1.0, -PI},
        {EXPR_ATAN2, 0.0, 1.0, 0.0},
        {EXPR_ATAN2, -0.0, 1.0, -0.0},
        {EXPR_ATAN2, -1.0, 0.0, -PI_2},
        {EXPR_ATAN2, -1.0, -0.0, -PI_2},
        {EXPR_ATAN2, 1.0, 0.0, PI_2},
        {EXPR_ATAN2, 1.0, -0.0, PI_2},
        {EXPR_ATAN2, 1.0, -INFINITY, PI},
        {EXPR_ATAN2, -1.0, -INFINITY, -PI},
        {EXPR_ATAN2, 1.0, INFINITY, 0.0},
        {EXPR_ATAN2, -1.0, INFINITY, -0.0},
        {EXPR_ATAN2, INFINITY, 1.0, PI_2},
        {EXPR_ATAN2, -INFINITY, -1.0, -PI_2},
        {EXPR_ATAN2, INFINITY, -INFINITY, PI3_4},
        {EXPR_ATAN2, -INFINITY, -INFINITY, -PI3_4},
        {EXPR_ATAN2, INFINITY, INFINITY, PI_4},
        {EXPR_ATAN2, -INFINITY, INFINITY, -PI_4},
        {EXPR_ATAN2, NAN, 1.0, NAN},
        {EXPR_ATAN2, 1.0, NAN, NAN},
        {EXPR_ATAN2, NAN, INFINITY, NAN},
        {EXPR_ATAN2, INFINITY, NAN, NAN},
        {EXPR_ATAN2, NAN, 0.0, NAN},
        {EXPR_ATAN2, 0.0, NAN, NAN},
        {EXPR_POW, NAN, 0.0, 1.0},
        {EXPR_POW, NAN, -0.0, 1.0},
        {EXPR_POW, 0.0, 0.0, 1.0},
        {EXPR_POW, INFINITY, 0.0, 1.0},
        {EXPR_POW, 1.0, NAN, 1.0},
        {EXPR_POW, 1.0, INFINITY, 1.0},
        {EXPR_POW, 1.0, -INFINITY, 1.0},
        {EXPR_POW, -1.0, INFINITY, 1.0},
        {EXPR_POW, -1.0, -INFINITY, 1.0},
        {EXPR_POW, NAN, 1.0, NAN},
        {EXPR_POW, 2.0, NAN, NAN},
        {EXPR_POW, -1.0, NAN, NAN},
        {EXPR_POW, 0.0, NAN, NAN},
        {EXPR_POW, -2.0, 3.0, -8.0},
        {EXPR_POW, -2.0, 2.0, 4.0},
        {EXPR_POW, -2.0, 0.5, NAN},
        {EXPR_POW, -2.0, -1.0, -0.5},
        {EXPR_POW, -0x1p-60, 0.5, NAN},
        {EXPR_POW, 0.0, -3.0, INFINITY},
        {EXPR_POW, -0.0, -3.0, -INFINITY},
        {EXPR_POW, 0.0, -2.0, INFINITY},
        {EXPR_POW, -0.0, -2.0, INFINITY},
        {EXPR_POW, -0.0, -2.5, INFINITY},
        {EXPR_POW, 0.0, -INFINITY, INFINITY},
        {EXPR_POW, -0.0, -INFINITY, INFINITY},
        {EXPR_POW, 0.0, 3.0, 0.0},
        {EXPR_POW, -0.0, 3.0, -0.0},
        {EXPR_POW, -0.0, 2.0, 0.0},
        {EXPR_POW, -0.0, 2.5, 0.0},
        {EXPR_POW, -0.0, INFINITY, 0.0},
        {EXPR_POW, 0.5, -INFINITY, INFINITY},
        {EXPR_POW, -0.5, -INFINITY, INFINITY},
        {EXPR_POW, 2.0, -INFINITY, 0.0},
        {EXPR_POW, -2.0, -INFINITY, 0.0},
        {EXPR_POW, 0.5, INFINITY, 0.0},
        {EXPR_POW, -0.5, INFINITY, 0.0},
        {EXPR_POW, 2.0, INFINITY, INFINITY},
        {EXPR_POW, -2.0, INFINITY, INFINITY},
        {EXPR_POW, -INFINITY, -3.0, -0.0},
        {EXPR_POW, -INFINITY, -2.0, 0.0},
        {EXPR_POW, -INFINITY, -2.5, 0.0},
        {EXPR_POW, -INFINITY, 3.0, -INFINITY},
        {EXPR_POW, -INFINITY, 2.0, INFINITY},
        {EXPR_POW, -INFINITY, 0.5, INFINITY},
        {EXPR_POW, INFINITY, -0.5, 0.0},
        {EXPR_POW, INFINITY, 0.5, INFINITY},
        {EXPR_POW, INFINITY, INFINITY, INFINITY},
        {EXPR_POW, INFINITY, -INFINITY, 0.0},
        {EXPR_POW, -INFINITY, INFINITY, INFINITY},
        {EXPR_POW, -1.0, 0x1.fffffep+23, -1.0},
        {EXPR_POW, -1.0, 0x1p+24, 1.0},
        {EXPR_POW, -1.0, 0x1.000002p+23, -1.0},
        {EXPR_POW, -1.0, 0x1p+100, 1.0},
        {EXPR_POW, -1.0, 0x1.000002p+22, NAN},
        {EXPR_POW, 3.0, 4.0, 81.0},
        {EXPR_POW, 0x1p-149, 1.0, 0x1p-149},
        {EXPR_POW, 10.0, -0x1p60, 0.0},
        {EXPR_POW, 10.0, 0x1p60, INFINITY},
        {EXPR_POW, -10.0, 0x1p60, INFINITY},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        const struct known *c = &cases[i];
        const struct function *f = &functions[c->function];
        if (!is_same(f->f64(c->a, c->b), c->result))
            fail_msg("%s(%a, %a) is %a", f->name, c->a, c->b, f->f64(c->a, c->b));
        if (!is_same((double)f->f32((float)c->a, (float)c->b), (double)(float)c->result))
            fail_msg("%s(%a, %a) of f32 is %a", f->name, c->a, c->b, (double)f->f32((float)c->a, (float)c->b));
    }
}

/* Large arguments, including the ones nearest to multiples of pi / 2, and the ends of ranges. The expected results were
 * computed with 2400 bits and rounded to nearest. */
static void hard_cases(void **state)
{
    UNUSED(state);
    static const struct known f64[] = {
        {EXPR_COS, 0x1.6ac5b262ca1ffp+849, 0.0, -0x1.14ae72e6ba22fp-61},
        {EXPR_SIN, 0x1.6ac5b262ca1ffp+849, 0.0, 1.0},
        {EXPR_SIN, 0x1.fffffffffffffp+1023, 0.0, 0x1.452fc98b34e97p-8},
        {EXPR_COS, 0x1.fffffffffffffp+1023, 0.0, -0x1.fffe62ecfab75p-1},
        {EXPR_SIN, 0x1p+1000, 0.0, -0x1.460b8ae1c886ep-3},
        {EXPR_COS, PI_2, 0.0, 0x1.1a62633145c07p-54},
        {EXPR_SIN, PI, 0.0, 0x1.1a62633145c07p-53},
        {EXPR_SIN, 0x1.fffffffffffffp+29, 0.0, -0x1.3c12385cbf55dp-1},
        {EXPR_SIN, 0x1.0000000000001p+30, 0.0, -0x1.3c122eebfba67p-1},
        {EXPR_EXP, 0x1.62e42fefa39efp+9, 0.0, 0x1.fffffffffff2ap+1023},
        {EXPR_EXP, -0x1.6232bdd7abcd2p+9, 0.0, 0x1.000000000007cp-1022},
        {EXPR_EXP, -0x1.74385446d71c3p+9, 0.0, 0x1p-1074},
        {EXPR_LOG, 0x1.0000000000001p+0, 0.0, 0x1.fffffffffffffp-53},
        {EXPR_LOG, 0x1.fffffffffffffp-1, 0.0, -0x1.0000000000000p-53},
        {EXPR_LOG, 0x1p-1074, 0.0, -0x1.74385446d71c3p+9},
        {EXPR_LOG, 0x1.fffffffffffffp+1023, 0.0, 0x1.62e42fefa39efp+9},
        {EXPR_POW, 0x1.0000000000001p+0, 0x1.62e42fefa39efp+61, 0x1.ffffffffffc64p+1023},
        {EXPR_POW, 0x1p-1074, 0.5, 0x1p-537},
        {EXPR_POW, 0x1p-1074, -0x1.b1cp-1, 0x1.d022600053845p+909},
        {EXPR_POW, 1.5, 0x1.9p+10, 0x1.eb24c467b9328p+935},
    };
    static const struct known f32[] = {
        {EXPR_COS, 0x1.f37c8ap+95, 0.0, -0x1.bbdd52p-30}, {EXPR_SIN, 0x1.fffffep+127, 0.0, -0x1.0b3366p-1},
        {EXPR_COS, 0x1.fffffep+127, 0.0, 0x1.b4bf2cp-1},  {EXPR_COS, 0x1.f9cbe2p+7, 0.0, -0x1.1fa3bcp-28},
        {EXPR_COS, 0x1.921fb6p+0, 0.0, -0x1.777a5cp-25},  {EXPR_SIN, 0x1.921fb6p+1, 0.0, -0x1.777a5cp-24},
        {EXPR_SIN, 0x1p+17, 0.0, -0x1.ff8bd8p-1},         {EXPR_COS, 0x1.000002p+17, 0.0, 0x1.d8a5b0p-5},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(f64); i++) {
        const double found = functions[f64[i].function].f64(f64[i].a, f64[i].b), expected = f64[i].result;
        if (found != expected && found != nextafter(expected, 0.0) && found != nextafter(expected, expected * 2.0))
            fail_msg("%s(%a, %a) is %a", functions[f64[i].function].name, f64[i].a, f64[i].b, found);
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(f32); i++) {
        const float found = functions[f32[i].function].f32((float)f32[i].a, 0.0f), expected = (float)f32[i].result;
        if (found != expected && found != nextafterf(expected, 0.0f) && found != nextafterf(expected, expected * 2.0f))
            fail_msg("%s(%a) of f32 is %a", functions[f32[i].function].name, f32[i].a, (double)found);
    }
}

static void same_bits(const struct expr_loops *loops, const char *isa)
{
    struct gf_prng prng = {3};
    for (uint32_t k = 0; k < EXPR_N; k++)
        for (uint32_t round = 0; round < 20; round++) {
            float a[BLOCK], b[BLOCK], found[BLOCK];
            double c[BLOCK], d[BLOCK], wide_found[BLOCK];
            for (uint32_t i = 0; i < BLOCK; i++) {
                a[i] = (float)operand(&prng, true);
                b[i] = (float)exponent(&prng, (double)a[i], true);
                c[i] = operand(&prng, false);
                d[i] = exponent(&prng, c[i], false);
            }
            loops[k].f32(a, b, found, BLOCK);
            loops[k].f64(c, d, wide_found, BLOCK);
            const bool turns = k == EXPR_SIN || k == EXPR_COS;
            for (uint32_t i = 0; i < BLOCK; i++) {
                if (!(turns && gf_expr_large_f32(a[i])) &&
                    !is_same((double)found[i], (double)functions[k].f32(a[i], b[i])))
                    fail_msg("%s: %s(%a, %a) of f32", isa, functions[k].name, (double)a[i], (double)b[i]);
                if (!(turns && gf_expr_large_f64(c[i])) && !is_same(wide_found[i], functions[k].f64(c[i], d[i])))
                    fail_msg("%s: %s(%a, %a)", isa, functions[k].name, c[i], d[i]);
            }
        }
}

/* sin and cos are tested with small arguments, for which the loops are the complete functions. */
static void loops_give_the_same_bits(void **state)
{
    UNUSED(state);
    same_bits(expr_loops_generic, "generic");
#ifdef GF_CPU_X86
    if (gf_simd_by_name("avx2"))
        same_bits(expr_loops_avx2, "avx2");
    if (gf_simd_by_name("avx512"))
        same_bits(expr_loops_avx512, "avx512");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_f32),
        cmocka_unit_test(errors_of_f64),
        cmocka_unit_test(special_cases),
        cmocka_unit_test(hard_cases),
        cmocka_unit_test(loops_give_the_same_bits),
    };
    return cmocka_run_group_tests_name("expr_math", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * pow of numerics.md, "Functions", for expressions on both backends: f32 in f64, f64 by a logarithm as a pair of
 * numbers, plain exponents such as 2 and 0.5 by products and a root. The functions named usual are for exponents that
 * are not plain; they have no branches and equal the complete functions there. lower.c emits instructions for plain
 * literal exponents.
 */
#ifndef GF_KERNELS_EXPR_POW_H
#define GF_KERNELS_EXPR_POW_H

#include "kernels/shared/expr/base2.h"
#include "kernels/shared/expr/exp_log.h"

/* The power of x from the power of |x|: sign, undefined cases, and cases that are 1. */
GF_EXPR_FN float gf_expr_pow_signed_f32(float x, float y, float power)
{
    const float ay = gf_expr_abs_f32(y), infinity = gf_expr_infinity_f32(), none = gf_expr_nan_f32();
    /* Larger numbers are all integers, or all even. */
    const float whole = ay < 0x1p23f ? ay : 0x1p23f, half = ay < 0x1p24f ? 0.5f * ay : 0x1p23f;
    const float mirrored = gf_expr_of_f32(gf_expr_bits_f32(power) ^ (gf_expr_bits_f32(x) & GF_EXPR_SIGN_F32));
    const float odd = half + 0x1p23f - 0x1p23f == half ? power : mirrored;
    const float broken = x < 0.0f ? (x > -infinity ? none : power) : power;
    float r = whole + 0x1p23f - 0x1p23f == whole ? odd : broken;
    r = x == x ? r : none;
    r = y == y ? r : none;
    r = x == -1.0f ? (ay == infinity ? 1.0f : r) : r;
    r = x == 1.0f ? 1.0f : r;
    return y == 0.0f ? 1.0f : r;
}

/* The same in f64. */
GF_EXPR_FN double gf_expr_pow_signed_f64(double x, double y, double power)
{
    const double ay = gf_expr_abs_f64(y), infinity = gf_expr_infinity_f64(), none = gf_expr_nan_f64();
    /* Larger numbers are all integers, or all even. */
    const double whole = ay < 0x1p52 ? ay : 0x1p52, half = ay < 0x1p53 ? 0.5 * ay : 0x1p52;
    const double mirrored = gf_expr_of_f64(gf_expr_bits_f64(power) ^ (gf_expr_bits_f64(x) & GF_EXPR_SIGN_F64));
    const double odd = half + 0x1p52 - 0x1p52 == half ? power : mirrored;
    const double broken = x < 0.0 ? (x > -infinity ? none : power) : power;
    double r = whole + 0x1p52 - 0x1p52 == whole ? odd : broken;
    r = x == x ? r : none;
    r = y == y ? r : none;
    r = x == -1.0 ? (ay == infinity ? 1.0 : r) : r;
    r = x == 1.0 ? 1.0 : r;
    return y == 0.0 ? 1.0 : r;
}

/* Whether 2 * y is an integer within 8: few enough products for f32. */
GF_EXPR_FN int gf_expr_pow_plain_f32(float y)
{
    const float twice = 2.0f * gf_expr_abs_f32(y), small = twice < 9.0f ? twice : 9.0f;
    return (small <= 8.0f) & (small + 0x1p23f - 0x1p23f == small);
}

/* Whether y is -1, 0.5, 1 or 2: the power is then rounded once. */
GF_EXPR_FN int gf_expr_pow_plain_f64(double y)
{
    return (y == -1.0) | (y == 0.5) | (y == 1.0) | (y == 2.0);
}

/* x to the power of a plain y: the root, or 1, is multiplied by x as often as needed, in this order; then the
 * reciprocal is taken. A root has no sign, so -infinity and -0 lose theirs first. */
GF_EXPR_FN double gf_expr_pow_products(double x, double y)
{
    const int twice = (int)(2.0 * gf_expr_abs_f64(y));
    const double v = twice & 1 ? (x == -gf_expr_infinity_f64() ? -x : x + 0.0) : x;
    double power = twice & 1 ? gf_expr_sqrt_f64(v) : 1.0;
    for (int i = 0; i < twice / 2; i++)
        power = power * v;
    return y < 0.0 ? 1.0 / power : power;
}

/* y times the base 2 logarithm of |x|, limited to the range of f32 powers. */
GF_EXPR_FN double gf_expr_pow_exponent_f32(float x, float y)
{
    const double ax = (double)gf_expr_abs_f32(x), infinity = gf_expr_infinity_f64();
    const double finite = ax < infinity ? gf_expr_log2_f64(ax) : infinity;
    double t = (double)y * (ax == 0.0 ? -infinity : finite);
    t = t < -1000.0 ? -1000.0 : t;
    return t > 1000.0 ? 1000.0 : t;
}

/* The power for that exponent, for a y that is not plain. */
GF_EXPR_FN float gf_expr_pow_usual_f32(float x, float y, double exponent)
{
    return gf_expr_pow_signed_f32(x, y, (float)gf_expr_exp2_f64(exponent));
}

/* x to the power of y, within 0.51 ulp. */
GF_EXPR_FN float gf_expr_pow_f32(float x, float y)
{
    if (gf_expr_pow_plain_f32(y))
        return (float)gf_expr_pow_products((double)x, (double)y);
    return gf_expr_pow_usual_f32(x, y, gf_expr_pow_exponent_f32(x, y));
}

/* A number as a sum of two; the second is at most half an ulp of the first. */
struct gf_expr_pair {
    double high, low;
};

/* a + b for |a| >= |b|, or a = 0, or a an integer multiple of an ulp of b. */
GF_EXPR_FN struct gf_expr_pair gf_expr_sum(double a, double b)
{
    struct gf_expr_pair sum;
    sum.high = a + b;
    sum.low = a - sum.high + b;
    return sum;
}

/* The product of pairs, without the product of both low parts. */
GF_EXPR_FN struct gf_expr_pair gf_expr_product(struct gf_expr_pair a, struct gf_expr_pair b)
{
    struct gf_expr_pair product;
    product.high = a.high * b.high;
    product.low = gf_expr_fma_f64(a.high, b.high, -product.high);
    product.low = gf_expr_fma_f64(a.high, b.low, product.low);
    product.low = gf_expr_fma_f64(a.low, b.high, product.low);
    return product;
}

/* The sum of a constant and a smaller pair. */
GF_EXPR_FN struct gf_expr_pair gf_expr_add(double high, double low, struct gf_expr_pair b)
{
    struct gf_expr_pair sum = gf_expr_sum(high, b.high);
    sum.low += low + b.low;
    return sum;
}

/* The base 2 logarithm of a positive finite number, with a relative error of about 2^-65. */
GF_EXPR_FN struct gf_expr_pair gf_expr_log2_pair(double v)
{
    const double x = v < 0x1p-1022 ? v * 0x1p54 : v, step = v < 0x1p-1022 ? 54.0 : 0.0;
    const gf_expr_u64 lowest = 0x3FE6A09E667F3BCDull, above = gf_expr_bits_f64(x) - lowest;
    const gf_expr_u64 biased = (above + 0x3FF0000000000000ull) >> 52;
    const double e = gf_expr_of_f64(biased | 0x4330000000000000ull) - (0x1p52 + 1023.0) - step;
    const double m = gf_expr_of_f64((above & 0x000FFFFFFFFFFFFFull) + lowest), u = m - 1.0;
    const double d = m + 1.0, rest = m - (d - 1.0), inverse = 1.0 / d;
    struct gf_expr_pair s, z, a, l;
    s.high = u * inverse;
    s.low = inverse * gf_expr_fma_f64(-s.high, rest, gf_expr_fma_f64(-s.high, d, u));
    z = gf_expr_product(s, s);
    double q = 0x1.61ee712bf5218p-3;
    q = gf_expr_fma_f64(q, z.high, 0x1.58fd158b4fc6fp-3);
    q = gf_expr_fma_f64(q, z.high, 0x1.8a09b451b69fbp-3);
    q = gf_expr_fma_f64(q, z.high, 0x1.c68ee975bcfeep-3);
    q = gf_expr_fma_f64(q, z.high, 0x1.0c9a853aceadap-2);
    q = gf_expr_fma_f64(q, z.high, 0x1.484b13d6ad2d1p-2);
    q = gf_expr_fma_f64(q, z.high, 0x1.a61762a7aeddbp-2);
    q = gf_expr_fma_f64(q, z.high, 0x1.2776c50ef9bfcp-1);
    a.high = z.high * q;
    a.low = gf_expr_fma_f64(z.low, q, gf_expr_fma_f64(z.high, q, -a.high));
    a = gf_expr_add(0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55, a);
    a = gf_expr_add(0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55, gf_expr_product(z, a));
    l = gf_expr_product(s, a);
    return gf_expr_add(e, 0.0, l);
}

/* 2^(t.high + t.low), within 1 ulp; high must be within 1100, or NaN. */
GF_EXPR_FN double gf_expr_exp2_pair(struct gf_expr_pair t)
{
    const double shifted = t.high + 0x1.8p52, n = shifted - 0x1.8p52;
    const struct gf_expr_pair r = gf_expr_sum(t.high - n, t.low);
    const double w = r.high * 0x1.62e42fefa39efp-1;
    double rest = gf_expr_fma_f64(r.high, 0x1.62e42fefa39efp-1, -w);
    rest = gf_expr_fma_f64(r.high, 0x1.abc9e3b39803fp-56, rest);
    rest = gf_expr_fma_f64(r.low, 0x1.62e42fefa39efp-1, rest);
    rest = gf_expr_fma_f64(rest, w, rest);
    const double p = 1.0 + (w + gf_expr_fma_f64(w * w, gf_expr_exp_tail_f64(w), rest));
    return gf_expr_scale_f64(p, shifted);
}

/* x to the power of a y that is not plain. */
GF_EXPR_FN double gf_expr_pow_usual_f64(double x, double y)
{
    const double ax = gf_expr_abs_f64(x), infinity = gf_expr_infinity_f64();
    struct gf_expr_pair l = gf_expr_log2_pair(ax), t;
    l.high = ax < infinity ? l.high : infinity;
    l.high = ax == 0.0 ? -infinity : l.high;
    t.high = y * l.high;
    t.low = gf_expr_fma_f64(y, l.low, gf_expr_fma_f64(y, l.high, -t.high));
    t.low = gf_expr_abs_f64(t.high) < 1100.0 ? t.low : 0.0;
    t.high = t.high < -1100.0 ? -1100.0 : t.high;
    t.high = t.high > 1100.0 ? 1100.0 : t.high;
    return gf_expr_pow_signed_f64(x, y, gf_expr_exp2_pair(t));
}

/* x to the power of y, within 1 ulp. */
GF_EXPR_FN double gf_expr_pow_f64(double x, double y)
{
    return gf_expr_pow_plain_f64(y) ? gf_expr_pow_products(x, y) : gf_expr_pow_usual_f64(x, y);
}

#endif

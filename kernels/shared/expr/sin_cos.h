/* SPDX-License-Identifier: MIT */
/*
 * sin and cos of numerics.md, "Functions", for expressions on both backends. The functions named small are for
 * arguments that are not large by gf_expr_large_f32 and gf_expr_large_f64; they have no branches and equal the complete
 * functions there. Loops call them for blocks of samples without a large one.
 */
#ifndef GF_KERNELS_EXPR_SIN_COS_H
#define GF_KERNELS_EXPR_SIN_COS_H

#include "kernels/shared/expr/bits.h"

/* An argument as a number of quarter turns and an angle within pi / 4. Only the lowest two bits of `quarter` count. */
struct gf_expr_turn_f32 {
    gf_expr_u32 quarter;
    float angle, rest;
};

struct gf_expr_turn_f64 {
    gf_expr_u64 quarter;
    double angle, rest;
};

/* Whether v needs the complete functions: it is finite and beyond 2^17. */
GF_EXPR_FN int gf_expr_large_f32(float v)
{
    const float magnitude = gf_expr_abs_f32(v);
    return (magnitude > 0x1p17f) & (magnitude < gf_expr_infinity_f32());
}

/* The same in f64, beyond 2^30. */
GF_EXPR_FN int gf_expr_large_f64(double v)
{
    const double magnitude = gf_expr_abs_f64(v);
    return (magnitude > 0x1p30) & (magnitude < gf_expr_infinity_f64());
}

/* Reduces a magnitude that is not large; NaN and infinity give a NaN. */
GF_EXPR_FN struct gf_expr_turn_f32 gf_expr_turn_small_f32(float v)
{
    struct gf_expr_turn_f32 turn;
    const float shifted = gf_expr_fma_f32(v, 0x1.45f306p-1f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    const float first = gf_expr_fma_f32(n, -0x1.921fb6p+0f, v), p = n * -0x1.777a5cp-25f;
    turn.quarter = gf_expr_bits_f32(shifted);
    turn.angle = first - p;
    turn.rest = first - turn.angle - p - gf_expr_fma_f32(n, -0x1.777a5cp-25f, -p);
    turn.rest = gf_expr_fma_f32(n, 0x1.ee59dap-50f, turn.rest);
    return turn;
}

/* The same in f64. */
GF_EXPR_FN struct gf_expr_turn_f64 gf_expr_turn_small_f64(double v)
{
    struct gf_expr_turn_f64 turn;
    const double shifted = gf_expr_fma_f64(v, 0x1.45f306dc9c883p-1, 0x1.8p52), n = shifted - 0x1.8p52;
    const double first = gf_expr_fma_f64(n, -0x1.921fb54442d18p+0, v), p = n * 0x1.1a62633145c07p-54;
    turn.quarter = gf_expr_bits_f64(shifted);
    turn.angle = first - p;
    turn.rest = first - turn.angle - p - gf_expr_fma_f64(n, 0x1.1a62633145c07p-54, -p);
    turn.rest = gf_expr_fma_f64(n, 0x1.f1976b7ed8fbcp-110, turn.rest);
    return turn;
}

/* The upper half of a product. */
GF_EXPR_FN gf_expr_u64 gf_expr_upper(gf_expr_u64 a, gf_expr_u64 b)
{
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return (gf_expr_u64)((wide)a * b >> 64);
#endif
}

GF_EXPR_FN int gf_expr_leading_zeros(gf_expr_u64 v)
{
#ifdef __CUDACC__
    return __clzll((long long)v);
#else
    return __builtin_clzll(v);
#endif
}

/* The angle of a fraction (high, low) * 2^-128 of a quarter turn, of at most one half, with high not 0: from its 106
 * leading bits. */
GF_EXPR_FN struct gf_expr_turn_f64 gf_expr_turn_fraction(gf_expr_u64 quarter, gf_expr_u64 high, gf_expr_u64 low)
{
    struct gf_expr_turn_f64 turn;
    const int zeros = gf_expr_leading_zeros(high);
    const gf_expr_u64 top = (high << zeros) | (low >> 1 >> (63 - zeros)), next = low << zeros;
    const double scale = gf_expr_of_f64((gf_expr_u64)(1023 - zeros) << 52);
    const double f = (double)(top >> 11) * (0x1p-53 * scale);
    const double g = (double)((top & 0x7FFu) << 42 | next >> 22) * (0x1p-106 * scale);
    turn.quarter = quarter;
    turn.angle = f * 0x1.921fb54442d18p+0;
    turn.rest = gf_expr_fma_f64(f, 0x1.921fb54442d18p+0, -turn.angle);
    turn.rest = gf_expr_fma_f64(f, 0x1.1a62633145c07p-54, gf_expr_fma_f64(g, 0x1.921fb54442d18p+0, turn.rest));
    return turn;
}

/* Reduces a finite magnitude m * 2^e of at least 2^17, with m of 53 bits: m times the 192 significant bits of 2 / pi,
 * modulo four. */
GF_EXPR_SELDOM struct gf_expr_turn_f64 gf_expr_turn_large(double v)
{
    /* 64 zeros, then 2 / pi. */
    static const gf_expr_u64 words[] = {0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
                                        0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E,
                                        0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
                                        0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
                                        0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};
    const gf_expr_u64 bits = gf_expr_bits_f64(v), m = (bits & 0x000FFFFFFFFFFFFFull) | 0x0010000000000000ull;
    const int from = (int)(bits >> 52) - (1023 + 52) - 2 + 64, i = from >> 6, left = from & 63, right = 63 - left;
    gf_expr_u64 part[3];
    for (int k = 0; k < 3; k++)
        part[k] = words[i + k] << left | words[i + k + 1] >> 1 >> right;
    const gf_expr_u64 low = gf_expr_upper(m, part[2]) + m * part[1], carry = low < m * part[1];
    const gf_expr_u64 high = gf_expr_upper(m, part[1]) + m * part[0] + carry;
    /* Two bits of quarters, then the fraction. From half a quarter on, the next quarter minus the rest. */
    const gf_expr_u64 above = high << 2 | low >> 62, below = low << 2;
    if (above >> 63 == 0)
        return gf_expr_turn_fraction(high >> 62, above, below);
    struct gf_expr_turn_f64 turn = gf_expr_turn_fraction((high >> 62) + 1, ~above + (below == 0), 0 - below);
    turn.angle = -turn.angle;
    turn.rest = -turn.rest;
    return turn;
}

/* The sine of a turn, with its sign flipped by the sign of `sign`. */
GF_EXPR_FN float gf_expr_sin_turn_f32(struct gf_expr_turn_f32 turn, float sign)
{
    const float r = turn.angle, z = gf_expr_fma_f32(r, r, (r + r) * turn.rest);
    float s = gf_expr_fma_f32(-0x1.991c26p-13f, z, 0x1.1106c6p-7f), c = 0x1.99de6ap-16f;
    s = gf_expr_fma_f32(s, z, -0x1.555544p-3f);
    s = r + gf_expr_fma_f32(r * z, s, turn.rest);
    c = gf_expr_fma_f32(c, z, -0x1.6c0c14p-10f);
    c = gf_expr_fma_f32(c, z, 0x1.55554ap-5f);
    c = gf_expr_fma_f32(gf_expr_fma_f32(c, z, -0.5f), z, 1.0f);
    const float magnitude = turn.quarter & 1u ? c : s;
    const gf_expr_u32 flip = (turn.quarter << 30 ^ gf_expr_bits_f32(sign)) & GF_EXPR_SIGN_F32;
    return gf_expr_of_f32(gf_expr_bits_f32(magnitude) ^ flip);
}

/* The same in f64. */
GF_EXPR_FN double gf_expr_sin_turn_f64(struct gf_expr_turn_f64 turn, double sign)
{
    const double r = turn.angle, z = gf_expr_fma_f64(r, r, (r + r) * turn.rest);
    double s = 0x1.5d8b55d5d39p-33, c = -0x1.8fa65e90cf343p-37;
    s = gf_expr_fma_f64(s, z, -0x1.ae5e4b846f8e3p-26);
    s = gf_expr_fma_f64(s, z, 0x1.71de35552ba9bp-19);
    s = gf_expr_fma_f64(s, z, -0x1.a01a019be9219p-13);
    s = gf_expr_fma_f64(s, z, 0x1.111111110f73p-7);
    s = gf_expr_fma_f64(s, z, -0x1.5555555555548p-3);
    s = r + gf_expr_fma_f64(r * z, s, turn.rest);
    c = gf_expr_fma_f64(c, z, 0x1.1ee9db8e27c2fp-29);
    c = gf_expr_fma_f64(c, z, -0x1.27e4f7f140fe9p-22);
    c = gf_expr_fma_f64(c, z, 0x1.a01a019c8ed06p-16);
    c = gf_expr_fma_f64(c, z, -0x1.6c16c16c15013p-10);
    c = gf_expr_fma_f64(c, z, 0x1.555555555554bp-5);
    c = gf_expr_fma_f64(gf_expr_fma_f64(c, z, -0.5), z, 1.0);
    const double magnitude = turn.quarter & 1u ? c : s;
    const gf_expr_u64 flip = (turn.quarter << 62 ^ gf_expr_bits_f64(sign)) & GF_EXPR_SIGN_F64;
    return gf_expr_of_f64(gf_expr_bits_f64(magnitude) ^ flip);
}

/* The cosine of a turn: the sine a quarter further on. */
GF_EXPR_FN float gf_expr_cos_turn_f32(struct gf_expr_turn_f32 turn)
{
    turn.quarter++;
    return gf_expr_sin_turn_f32(turn, 0.0f);
}

GF_EXPR_FN double gf_expr_cos_turn_f64(struct gf_expr_turn_f64 turn)
{
    turn.quarter++;
    return gf_expr_sin_turn_f64(turn, 0.0);
}

/* sin(v) is the sine of |v|, its sign flipped by the sign of v; cos(v) is the cosine of |v|. */
GF_EXPR_FN float gf_expr_sin_small_f32(float v)
{
    return gf_expr_sin_turn_f32(gf_expr_turn_small_f32(gf_expr_abs_f32(v)), v);
}

GF_EXPR_FN float gf_expr_cos_small_f32(float v)
{
    return gf_expr_cos_turn_f32(gf_expr_turn_small_f32(gf_expr_abs_f32(v)));
}

GF_EXPR_FN double gf_expr_sin_small_f64(double v)
{
    return gf_expr_sin_turn_f64(gf_expr_turn_small_f64(gf_expr_abs_f64(v)), v);
}

GF_EXPR_FN double gf_expr_cos_small_f64(double v)
{
    return gf_expr_cos_turn_f64(gf_expr_turn_small_f64(gf_expr_abs_f64(v)));
}

/* Reduces any argument. */
GF_EXPR_FN struct gf_expr_turn_f32 gf_expr_turn_f32(float v)
{
    const float magnitude = gf_expr_abs_f32(v);
    if (!gf_expr_large_f32(v))
        return gf_expr_turn_small_f32(magnitude);
    const struct gf_expr_turn_f64 wide = gf_expr_turn_large((double)magnitude);
    struct gf_expr_turn_f32 turn;
    turn.quarter = (gf_expr_u32)wide.quarter;
    turn.angle = (float)wide.angle;
    turn.rest = (float)(wide.angle - (double)turn.angle);
    return turn;
}

/* Reduces any argument. */
GF_EXPR_FN struct gf_expr_turn_f64 gf_expr_turn_f64(double v)
{
    const double magnitude = gf_expr_abs_f64(v);
    return gf_expr_large_f64(v) ? gf_expr_turn_large(magnitude) : gf_expr_turn_small_f64(magnitude);
}

/* The sine of any argument, within 1 ulp; so are the functions below. */
GF_EXPR_FN float gf_expr_sin_f32(float v)
{
    return gf_expr_sin_turn_f32(gf_expr_turn_f32(v), v);
}

GF_EXPR_FN float gf_expr_cos_f32(float v)
{
    return gf_expr_cos_turn_f32(gf_expr_turn_f32(v));
}

GF_EXPR_FN double gf_expr_sin_f64(double v)
{
    return gf_expr_sin_turn_f64(gf_expr_turn_f64(v), v);
}

GF_EXPR_FN double gf_expr_cos_f64(double v)
{
    return gf_expr_cos_turn_f64(gf_expr_turn_f64(v));
}

#endif

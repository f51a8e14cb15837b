/* SPDX-License-Identifier: MIT */
/*
 * exp and log of numerics.md, "Functions", for expressions on both backends. Adding 1.5 * 2^23 or 1.5 * 2^52 rounds to
 * an integer, which is then in the low bits. There are no branches, so that loops can be vectorized.
 */
#ifndef GF_KERNELS_EXPR_EXP_LOG_H
#define GF_KERNELS_EXPR_EXP_LOG_H

#include "kernels/shared/expr/bits.h"

/* (exp(w) - 1 - w) / w^2 for w within ln(2) / 2. */
GF_EXPR_FN float gf_expr_exp_tail_f32(float w)
{
    float q = 0x1.6ac84ap-10f;
    q = gf_expr_fma_f32(q, w, 0x1.123deep-7f);
    q = gf_expr_fma_f32(q, w, 0x1.555858p-5f);
    q = gf_expr_fma_f32(q, w, 0x1.55548cp-3f);
    return gf_expr_fma_f32(q, w, 0x1.fffffcp-2f);
}

/* The same in f64. */
GF_EXPR_FN double gf_expr_exp_tail_f64(double w)
{
    double q = 0x1.add8adce10e4ap-26;
    q = gf_expr_fma_f64(q, w, 0x1.28aedcf5ac8f5p-22);
    q = gf_expr_fma_f64(q, w, 0x1.71def3cfbd0b9p-19);
    q = gf_expr_fma_f64(q, w, 0x1.a019988b5e987p-16);
    q = gf_expr_fma_f64(q, w, 0x1.a01a013d5ea63p-13);
    q = gf_expr_fma_f64(q, w, 0x1.6c16c184b5bc9p-10);
    q = gf_expr_fma_f64(q, w, 0x1.1111111124d2bp-7);
    q = gf_expr_fma_f64(q, w, 0x1.5555555550605p-5);
    q = gf_expr_fma_f64(q, w, 0x1.5555555555503p-3);
    return gf_expr_fma_f64(q, w, 0x1.000000000000ap-1);
}

/* p * 2^n for n + 1.5 * 2^23 = shifted, in two steps, so that denormal and infinite results are right. */
GF_EXPR_FN float gf_expr_scale_f32(float p, float shifted)
{
    const gf_expr_u32 n = gf_expr_bits_f32(shifted), half = n >> 1, one = 0x3F800000u;
    return p * gf_expr_of_f32((half << 23) + one) * gf_expr_of_f32(((n - half) << 23) + one);
}

/* p * 2^n for n + 1.5 * 2^52 = shifted. */
GF_EXPR_FN double gf_expr_scale_f64(double p, double shifted)
{
    const gf_expr_u64 n = gf_expr_bits_f64(shifted), half = n >> 1, one = 0x3FF0000000000000ull;
    return p * gf_expr_of_f64((half << 52) + one) * gf_expr_of_f64(((n - half) << 52) + one);
}

/* e to the power of v, within 1 ulp. */
GF_EXPR_FN float gf_expr_exp_f32(float v)
{
    const float above = v < -104.0f ? -104.0f : v, x = above > 89.0f ? 89.0f : above;
    const float shifted = gf_expr_fma_f32(x, 0x1.715476p+0f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    const float g = gf_expr_fma_f32(n, -0x1.62e4p-1f, x), w = gf_expr_fma_f32(n, -0x1.7f7d1cp-20f, g);
    const float lost = gf_expr_fma_f32(n, -0x1.7f7d1cp-20f, g - w);
    return gf_expr_scale_f32(1.0f + (w + gf_expr_fma_f32(w * w, gf_expr_exp_tail_f32(w), lost)), shifted);
}

/* e to the power of v, within 1 ulp. */
GF_EXPR_FN double gf_expr_exp_f64(double v)
{
    const double above = v < -746.0 ? -746.0 : v, x = above > 710.0 ? 710.0 : above;
    const double shifted = gf_expr_fma_f64(x, 0x1.71547652b82fep+0, 0x1.8p52), n = shifted - 0x1.8p52;
    const double g = gf_expr_fma_f64(n, -0x1.62e42fefa38p-1, x), w = gf_expr_fma_f64(n, -0x1.ef35793c7673p-45, g);
    const double lost = gf_expr_fma_f64(n, -0x1.ef35793c7673p-45, g - w);
    return gf_expr_scale_f64(1.0 + (w + gf_expr_fma_f64(w * w, gf_expr_exp_tail_f64(w), lost)), shifted);
}

/* The natural logarithm, within 1 ulp. */
GF_EXPR_FN float gf_expr_log_f32(float v)
{
    const float x = v < 0x1p-126f ? v * 0x1p24f : v, step = v < 0x1p-126f ? 24.0f : 0.0f;
    const gf_expr_u32 lowest = 0x3F3504F3u, above = gf_expr_bits_f32(x) - lowest;
    /* The exponent and its bias are in the low bits of 2^23. */
    const gf_expr_u32 biased = (above + 0x3F800000u) >> 23;
    const float e = gf_expr_of_f32(biased | 0x4B000000u) - (0x1p23f + 127.0f) - step;
    const float f = gf_expr_of_f32((above & 0x007FFFFFu) + lowest) - 1.0f;
    const float s = f / (2.0f + f), z = s * s, h = 0.5f * f * f;
    float q = 0x1.31e03cp-2f;
    q = gf_expr_fma_f32(q, z, 0x1.995ed8p-2f);
    q = gf_expr_fma_f32(q, z, 0x1.55557ap-1f);
    const float a = e * 0x1.62e4p-1f, sum = a + f, lost = a - sum + f;
    const float tail = gf_expr_fma_f32(s, gf_expr_fma_f32(z, q, h), -h);
    const float l = sum + (tail + gf_expr_fma_f32(e, 0x1.7f7d1cp-20f, lost));
    const float positive = v < gf_expr_infinity_f32() ? l : v;
    const float other = v == 0.0f ? -gf_expr_infinity_f32() : gf_expr_nan_f32();
    return v > 0.0f ? positive : other;
}

/* The natural logarithm, within 1 ulp. */
GF_EXPR_FN double gf_expr_log_f64(double v)
{
    const double x = v < 0x1p-1022 ? v * 0x1p54 : v, step = v < 0x1p-1022 ? 54.0 : 0.0;
    const gf_expr_u64 lowest = 0x3FE6A09E667F3BCDull, above = gf_expr_bits_f64(x) - lowest;
    const gf_expr_u64 biased = (above + 0x3FF0000000000000ull) >> 52;
    const double e = gf_expr_of_f64(biased | 0x4330000000000000ull) - (0x1p52 + 1023.0) - step;
    const double f = gf_expr_of_f64((above & 0x000FFFFFFFFFFFFFull) + lowest) - 1.0;
    const double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
    double q = 0x1.2f02e8f79aa47p-3;
    q = gf_expr_fma_f64(q, z, 0x1.39a1fe0b49dd3p-3);
    q = gf_expr_fma_f64(q, z, 0x1.74663c1a31465p-3);
    q = gf_expr_fma_f64(q, z, 0x1.c71c521830d1ep-3);
    q = gf_expr_fma_f64(q, z, 0x1.24924941dd197p-2);
    q = gf_expr_fma_f64(q, z, 0x1.999999997ff4fp-2);
    q = gf_expr_fma_f64(q, z, 0x1.5555555555592p-1);
    const double a = e * 0x1.62e42fefa38p-1, sum = a + f, lost = a - sum + f;
    const double tail = gf_expr_fma_f64(s, gf_expr_fma_f64(z, q, h), -h);
    const double l = sum + (tail + gf_expr_fma_f64(e, 0x1.ef35793c7673p-45, lost));
    const double positive = v < gf_expr_infinity_f64() ? l : v;
    const double other = v == 0.0 ? -gf_expr_infinity_f64() : gf_expr_nan_f64();
    return v > 0.0 ? positive : other;
}

#endif

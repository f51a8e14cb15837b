/* SPDX-License-Identifier: MIT */
/* The formulas of docs/numerics.md, "Colour", on one vector per channel, for the simd_*.c files of colours. */
#ifndef GF_KERNELS_CPU_SIMD_FORMULAS_H
#define GF_KERNELS_CPU_SIMD_FORMULAS_H

#include "kernels/cpu/simd/simd_extremes.h"
#include "kernels/shared/colour/colour.h"
#include "protocol/base/dtype.h"

/* A matrix with each number in all lanes. A coefficient of 0 contributes -0 times +0, which changes no sum: its `taken`
 * mask is 0. */
struct gf_vf_matrix {
    gf_vf coefs[GF_MAX_CHANNELS][GF_MAX_CHANNELS], before[GF_MAX_CHANNELS], after[GF_MAX_CHANNELS];
    gf_vi taken[GF_MAX_CHANNELS][GF_MAX_CHANNELS];
};

/* Whether coefficients of 0 may be treated like others. Skipping them makes a difference if a sample is not finite or a
 * sum is -0. */
GF_ALWAYS bool gf_colour_is_dense(const struct gf_colour *k)
{
    uint32_t zeros = 0;
    for (uint32_t r = 0; r < k->colours; r++)
        for (uint32_t c = 0; c < k->channels; c++)
            zeros += k->matrix[r][c] == 0.0f;
    return zeros == 0 || (k->from != GF_F32 && gf_dtype_kind(k->to) != GF_KIND_FLOAT);
}

GF_ALWAYS struct gf_vf_matrix gf_vf_matrix_of(const struct gf_colour *k)
{
    struct gf_vf_matrix m;
    for (size_t r = 0; r < GF_MAX_CHANNELS; r++) {
        m.after[r] = gf_vf_set(k->after[r]);
        m.before[r] = gf_vf_set(k->before[r]);
        for (size_t c = 0; c < GF_MAX_CHANNELS; c++) {
            const bool zero = k->matrix[r][c] == 0.0f;
            m.coefs[r][c] = zero ? -(gf_vf){0} : gf_vf_set(k->matrix[r][c]);
            m.taken[r][c] = (gf_vi){0} - (zero ? 0 : 1);
        }
    }
    return m;
}

/* The sums for each colour. `dense`: coefficients of 0 are treated like others. The counts are compile-time
 * constants. */
GF_ALWAYS void gf_vf_linear(const struct gf_vf_matrix *m, size_t channels, size_t colours, bool dense, const gf_vf *x,
                            gf_vf *v)
{
#pragma GCC unroll 4
    for (size_t r = 0; r < colours; r++) {
        v[r] = m->after[r];
#pragma GCC unroll 4
        for (size_t c = channels; c-- > 0;)
            v[r] = gf_vf_fma(m->coefs[r][c], dense ? x[c] : (gf_vf)((gf_vi)x[c] & m->taken[r][c]), v[r]);
    }
}

/* Rounds a number of magnitude below 2^22 to the nearest whole number, ties to even. */
GF_ALWAYS gf_vf gf_vf_nearest(gf_vf v)
{
    const gf_vf rounding = gf_vf_set(12582912.0f);
    return (v + rounding) - rounding;
}

GF_ALWAYS gf_vf gf_vf_floor(gf_vf v)
{
#if GF_LANES == 16
    return _mm512_floor_ps(v);
#elif GF_LANES == 8
    return _mm256_floor_ps(v);
#else
    for (int i = 0; i < GF_LANES; i++)
        v[i] = floorf(v[i]);
    return v;
#endif
}

/* The smaller one; either one if one is NaN or both are zeros. */
GF_ALWAYS gf_vf gf_vf_smaller(gf_vf a, gf_vf b)
{
#if GF_LANES == 16
    return _mm512_min_ps(a, b);
#elif GF_LANES == 8
    return _mm256_min_ps(a, b);
#else
    return gf_vf_select(a < b, a, b);
#endif
}

/* RGB to HSV; `whole`: from integers. If a sample is NaN, `most` is NaN and so is d, whatever the smallest sample is.
 * If all are zeros, d is 0, whatever their signs are. */
GF_ALWAYS void gf_vf_to_hsv(const struct gf_colour *k, bool whole, const gf_vf *x, gf_vf *v)
{
    const gf_vf zero = gf_vf_set(0.0f), unit = gf_vf_set(k->unit), turn = gf_vf_set(k->turn),
                sixth = gf_vf_set(k->sixth), r = x[0], g = x[1], b = x[2];
    gf_vf most = gf_vf_maximum(gf_vf_maximum(r, g), b), d = most - gf_vf_smaller(gf_vf_smaller(r, g), b);
    gf_vi red = most == r, green = most == g, grey = d == zero;
    gf_vf difference = gf_vf_select(red, g - b, gf_vf_select(green, b - r, r - g));
    gf_vf base = gf_vf_select(red, zero, gf_vf_select(green, 2.0f * sixth, 4.0f * sixth));
    gf_vf h = gf_vf_fma(difference / d, sixth, base), s = (whole ? d * unit : d) / most;
    h = whole ? gf_vf_nearest(h) : h;
    h = gf_vf_select(h < zero, h + turn, h);
    v[0] = gf_vf_select(grey, zero, h);
    v[1] = gf_vf_select(grey | (most == zero), zero, s);
    v[2] = most;
}

/* Selects one of six values by j, the sixth of the turn; NaN selects the last one. */
GF_ALWAYS gf_vf gf_vf_of_sixth(gf_vf j, gf_vf v0, gf_vf v1, gf_vf v2, gf_vf v3, gf_vf v4, gf_vf v5)
{
    gf_vf v = gf_vf_select(j < gf_vf_set(5.0f), v4, v5);
    v = gf_vf_select(j < gf_vf_set(4.0f), v3, v);
    v = gf_vf_select(j < gf_vf_set(3.0f), v2, v);
    v = gf_vf_select(j < gf_vf_set(2.0f), v1, v);
    return gf_vf_select(j < gf_vf_set(1.0f), v0, v);
}

GF_ALWAYS void gf_vf_from_hsv(const struct gf_colour *k, const gf_vf *x, gf_vf *made)
{
    const gf_vf one = gf_vf_set(1.0f), six = gf_vf_set(6.0f);
    gf_vf h = x[0] / gf_vf_set(k->sixth), s = x[1] / gf_vf_set(k->unit), v = x[2];
    gf_vf whole = gf_vf_floor(h), f = h - whole;
    gf_vf j = gf_vf_fma(gf_vf_set(-6.0f), gf_vf_floor(whole / six), whole);
    gf_vf p = v * (one - s), q = v * gf_vf_fma(-s, f, one), t = v * gf_vf_fma(-s, one - f, one);
    made[0] = gf_vf_of_sixth(j, v, q, p, p, t, v);
    made[1] = gf_vf_of_sixth(j, t, v, v, q, p, p);
    made[2] = gf_vf_of_sixth(j, p, p, t, v, v, q);
}

#endif

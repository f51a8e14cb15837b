/* SPDX-License-Identifier: MIT */
/* Lines on which one formula works sample by sample. Compiled once per instruction set. */
#include "row_isa.h"

#include "kernels/gamma.h"
#include "protocol/enums.h"

void GF_ISA_NAME(gf_cpu_row_formula)(const struct gf_cpu_formula *formula, float *line, size_t n)
{
    const struct gf_cpu_formula f = *formula;
    for (size_t i = 0; i < n; i++)
        line[i] = fmaf(line[i], f.scale, f.offset);
    if (f.gamma != 1.0f)
        for (size_t i = 0; i < n; i++)
            line[i] = gf_gamma(line[i], f.gamma);
    for (size_t i = 0; i < n; i++)
        line[i] = line[i] * f.multiply / f.divide;
}

/* IEEE 754 minimum and maximum: NaN wins, and of zeros the one with the sign, or without it. */
static inline gf_vf minimum(gf_vf a, gf_vf b)
{
    gf_vf r = gf_vf_select(a < b, a, b);
    r = gf_vf_select(a == b, (gf_vf)((gf_vi)a | (gf_vi)b), r);
    return gf_vf_select(a == a, r, a);
}

static inline gf_vf maximum(gf_vf a, gf_vf b)
{
    gf_vf r = gf_vf_select(a > b, a, b);
    r = gf_vf_select(a == b, (gf_vf)((gf_vi)a & (gf_vi)b), r);
    return gf_vf_select(a == a, r, a);
}

static inline gf_vf combine(uint32_t mode, const gf_vf *factors, gf_vf a, gf_vf b)
{
    switch (mode) {
    case GF_COMBINE_LINEAR:
        return gf_vf_fma(factors[1], b, gf_vf_fma(factors[0], a, factors[2]));
    case GF_COMBINE_ABSDIFF:
        return (gf_vf)((gf_vi)(a - b) & INT32_MAX);
    case GF_COMBINE_MUL:
        return a * b;
    case GF_COMBINE_MIN:
        return minimum(a, b);
    case GF_COMBINE_MAX:
        return maximum(a, b);
    default:
        return gf_vf_sqrt(gf_vf_fma(a, a, b * b));
    }
}

void GF_ISA_NAME(gf_cpu_row_combine)(uint32_t mode, const float factors[3], float *a, const float *b, size_t n)
{
    const gf_vf f[3] = {gf_vf_set(factors[0]), gf_vf_set(factors[1]), gf_vf_set(factors[2])};
    for (size_t i = 0; i < n; i += GF_LANES)
        gf_vf_store(a + i, combine(mode, f, gf_vf_load(a + i), gf_vf_load(b + i)));
}

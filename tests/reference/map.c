/* SPDX-License-Identifier: MIT */
/* map, docs/numerics.md 11. */
#include <math.h>

#include "protocol/ops/enums.h"
#include "reference_image.h"
#include "reference_ops.h"

#define LOWEST 0x1.6a09ep-1

static double log2_of(double x)
{
    /* f64 nearest to 2 / ((2k + 1) ln 2). */
    static const double l[8] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1, 0x1.a61762a7aded9p-2,
                                0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2, 0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3};
    int e = 0;
    double m = x;
    while (m < LOWEST) {
        m *= 2.0;
        e--;
    }
    while (m >= 2.0 * LOWEST) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s, p = l[7];
    for (int k = 6; k >= 0; k--)
        p = fma(p, z, l[k]);
    return fma(s, p, (double)e);
}

static double exp2_of(double y)
{
    /* f64 nearest to (ln 2)^k / k!. */
    static const double c[12] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,
                                 0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
                                 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20,
                                 0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32};
    double n = rint(y), r = y - n, p = c[11];
    for (int k = 10; k >= 0; k--)
        p = fma(p, r, c[k]);
    return ldexp(p, (int)n);
}

static float power(float v, float gamma)
{
    if (isnan(v) || v == INFINITY)
        return v;
    if (v <= 0.0f)
        return 0.0f;
    return (float)exp2_of(fmin(fmax((double)gamma * log2_of((double)v), -1000.0), 1000.0));
}

static float mapped(const struct gf_map_params *p, float x, uint32_t from, uint32_t to)
{
    float v = fmaf(x, p->scale, p->offset);
    bool full = p->range == GF_RANGE_FULL;
    if (p->gamma != 1.0f && gf_dtype_kind(from) == GF_KIND_FLOAT)
        v = power(v, p->gamma);
    return full ? gf_reference_full_range(v, from, to) : v;
}

/* Whole samples to a power: exact up to the store, here in long double. */
static float mapped_whole(const struct gf_map_params *p, float x, uint32_t from, uint32_t to)
{
    long double max = (long double)gf_reference_max(from), v = (long double)fmaf(x, p->scale, p->offset);
    long double q = v > 0.0L ? max * powl(v / max, (long double)p->gamma) : 0.0L;
    bool to_float = gf_dtype_kind(to) == GF_KIND_FLOAT;
    if (p->range == GF_RANGE_FULL && from != to)
        q = to_float ? q / max : from == GF_U8 ? q * 257.0L : q / 257.0L;
    return to_float ? (float)q : (float)rintl(fminl(q, 65536.0L));
}

enum gf_status gf_reference_map(const struct gf_op *op, const union gf_params *params,
                                const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_map_params *p = &params->map;
    uint32_t from = in[0].view.dtype, to = out->view.dtype;
    bool whole = p->gamma != 1.0f && gf_dtype_kind(from) != GF_KIND_FLOAT;
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(&in[0], y, x, c);
                if (gf_reference_is_alpha(out->view.channels, c) && p->alpha != GF_ALPHA_STRAIGHT)
                    v = gf_reference_copied_alpha(&in[0], y, x, to);
                else if (in[1].data != NULL)
                    v = gf_reference_read(&in[1], 0, (int64_t)(v - gf_reference_min(from)), 0);
                else
                    v = whole ? mapped_whole(p, v, from, to) : mapped(p, v, from, to);
                gf_reference_write(out, y, x, c, v);
            }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* map, docs/numerics.md, "map". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/map.h"
#include "reference_functions.h"
#include "reference_image.h"
#include "reference_ops.h"

static float power(float v, float gamma)
{
    if (isnan(v) || v == INFINITY)
        return v;
    if (v <= 0.0f)
        return 0.0f;
    return (float)gf_reference_exp2(fmin(fmax((double)gamma * gf_reference_log2((double)v), -1000.0), 1000.0));
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

GF_REFERENCE(map)
{
    const struct gf_map_params p = gf_map_params_get(params);
    uint32_t from = in[0].view.dtype, to = out->view.dtype;
    bool whole = p.gamma != 1.0f && gf_dtype_kind(from) != GF_KIND_FLOAT;
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(&in[0], y, x, c);
                if (gf_reference_is_alpha(out->view.channels, c) && p.alpha != GF_ALPHA_STRAIGHT)
                    v = gf_reference_copied_alpha(&in[0], y, x, to);
                else if (in[1].data != NULL)
                    v = gf_reference_read(&in[1], 0, (int64_t)(v - gf_reference_min(from)), 0);
                else
                    v = whole ? mapped_whole(&p, v, from, to) : mapped(&p, v, from, to);
                gf_reference_write(out, y, x, c, v);
            }
    return GF_OK;
}

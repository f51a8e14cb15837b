/* SPDX-License-Identifier: MIT */
/* combine, docs/numerics.md, "combine". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/combine.h"
#include "reference_image.h"
#include "reference_ops.h"

static float combined(const struct gf_combine_params *p, float a, float b)
{
    switch (p->mode) {
    case GF_COMBINE_LINEAR:
        return fmaf(p->b, b, fmaf(p->a, a, p->c));
    case GF_COMBINE_ABSDIFF:
        return fabsf(a - b);
    case GF_COMBINE_MUL:
        return a * b;
    case GF_COMBINE_MIN:
        return gf_reference_minimum(a, b);
    case GF_COMBINE_MAX:
        return gf_reference_maximum(a, b);
    default:
        return sqrtf(fmaf(a, a, b * b));
    }
}

GF_REFERENCE(combine)
{
    const struct gf_combine_params p = gf_combine_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                bool copied = gf_reference_is_alpha(out->view.channels, c) && p.alpha != GF_ALPHA_STRAIGHT;
                gf_reference_write(
                    out, y, x, c,
                    copied ? gf_reference_copied_alpha(&in[0], y, x, out->view.dtype)
                           : combined(&p, gf_reference_read(&in[0], y, x, c), gf_reference_read(&in[1], y, x, c)));
            }
    return GF_OK;
}

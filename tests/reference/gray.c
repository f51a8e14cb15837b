/* SPDX-License-Identifier: MIT */
/* gray, docs/numerics.md, "Colour". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/gray.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

static float brightness(const struct gf_gray_params *p, uint32_t dtype, const float *rgb)
{
    const long double *w = gf_reference_weights(p->standard);
    bool whole = (dtype == GF_U8 || dtype == GF_U16) && p->weights.n == 0;
    uint64_t sum = 0;
    float v = 0.0f;
    for (int c = 2; c >= 0; c--) {
        float weight = p->weights.n == 0 ? (float)w[c] : p->weights.v[c];
        if (whole)
            sum += (uint64_t)rintl(w[c] * 65536.0L) * (uint64_t)rgb[c];
        else if (weight != 0.0f)
            v = fmaf(weight, rgb[c], v);
    }
    return whole ? (float)((sum + 32768u) >> 16) : v;
}

GF_REFERENCE(gray)
{
    const struct gf_gray_params p = gf_gray_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3] = {0};
            for (uint32_t c = 0; c < 3 && c < in->view.channels; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            gf_reference_write(out, y, x, 0, in->view.channels < 3 ? rgb[0] : brightness(&p, in->view.dtype, rgb));
            gf_reference_keep_alpha(in, out, 1, y, x);
        }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* rgb, docs/numerics.md, "Colour". */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/rgb.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

static void from_hsv(const struct gf_rgb_params *p, uint32_t dtype, const float *in, float *rgb)
{
    float sixth = gf_reference_turn(p->turn, dtype) / 6.0f, x = in[0] / sixth, s = in[1] / gf_reference_max(dtype),
          v = in[2];
    float i = floorf(x), f = x - i, j = fmaf(-6.0f, floorf(i / 6.0f), i);
    float a = v * (1.0f - s), q = v * fmaf(-s, f, 1.0f), t = v * fmaf(-s, 1.0f - f, 1.0f);
    const float all[6][3] = {{v, t, a}, {q, v, a}, {a, v, t}, {a, q, v}, {t, a, v}, {v, a, q}};
    memcpy(rgb, all[j < 1.0f ? 0 : j < 2.0f ? 1 : j < 3.0f ? 2 : j < 4.0f ? 3 : j < 5.0f ? 4 : 5], sizeof(all[0]));
}

GF_REFERENCE(rgb)
{
    const struct gf_rgb_params p = gf_rgb_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float from[3], rgb[3];
            for (uint32_t c = 0; c < 3; c++)
                from[c] = gf_reference_read(in, y, x, c);
            if (p.model == GF_COLOUR_MODEL_HSV)
                from_hsv(&p, in->view.dtype, from, rgb);
            else
                gf_reference_from_ycbcr(p.standard, p.range, in->view.dtype, from, rgb);
            for (uint32_t c = 0; c < 3; c++)
                gf_reference_write(out, y, x, c, rgb[c]);
            gf_reference_keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

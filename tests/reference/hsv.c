/* SPDX-License-Identifier: MIT */
/* hsv, docs/numerics.md, "Colour". */
#include <math.h>

#include "protocol/ops/params/hsv.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

static float hue(uint32_t dtype, float turn, const float *rgb, float v, float d)
{
    float sixth = turn / 6.0f, h;
    if (d == 0.0f)
        return 0.0f;
    if (v == rgb[0])
        h = fmaf((rgb[1] - rgb[2]) / d, sixth, 0.0f);
    else if (v == rgb[1])
        h = fmaf((rgb[2] - rgb[0]) / d, sixth, 2.0f * sixth);
    else
        h = fmaf((rgb[0] - rgb[1]) / d, sixth, 4.0f * sixth);
    if (dtype != GF_F32)
        h = rintf(h);
    return h < 0.0f ? h + turn : h;
}

GF_REFERENCE(hsv)
{
    uint32_t dtype = in->view.dtype;
    float turn = gf_reference_turn(gf_hsv_params_get(params).turn, dtype);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3];
            for (uint32_t c = 0; c < 3; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            float v = gf_reference_maximum(gf_reference_maximum(rgb[0], rgb[1]), rgb[2]),
                  d = v - gf_reference_minimum(gf_reference_minimum(rgb[0], rgb[1]), rgb[2]);
            gf_reference_write(out, y, x, 0, hue(dtype, turn, rgb, v, d));
            gf_reference_write(out, y, x, 1, d == 0.0f || v == 0.0f ? 0.0f : d * gf_reference_max(dtype) / v);
            gf_reference_write(out, y, x, 2, v);
            gf_reference_keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

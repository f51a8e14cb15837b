/* SPDX-License-Identifier: MIT */
/* flatten, docs/numerics.md, "Colour". */
#include <math.h>

#include "protocol/ops/params/flatten.h"
#include "reference_image.h"
#include "reference_ops.h"

static float over(uint32_t dtype, float c, float a, float b)
{
    if (dtype == GF_F32)
        return fmaf(c, a, b * (1.0f - a));
    uint64_t max = (uint64_t)gf_reference_max(dtype);
    return (float)(((uint64_t)c * (uint64_t)a + (uint64_t)b * (max - (uint64_t)a) + max / 2) / max);
}

GF_REFERENCE(flatten)
{
    uint32_t channels = in->view.channels;
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(in, y, x, c);
                if (channels % 2 == 0)
                    v = over(in->view.dtype, v, gf_reference_read(in, y, x, channels - 1),
                             GF_PICK(gf_flatten_params_get(params).colour, c));
                gf_reference_write(out, y, x, c, v);
            }
    return GF_OK;
}

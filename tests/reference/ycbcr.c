/* SPDX-License-Identifier: MIT */
/* ycbcr, docs/numerics.md, "Colour". */
#include "protocol/ops/params/ycbcr.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

GF_REFERENCE(ycbcr)
{
    const struct gf_ycbcr_params p = gf_ycbcr_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3], ycbcr[3];
            for (uint32_t i = 0; i < 3; i++)
                rgb[i] = gf_reference_read(in, y, x, i);
            gf_reference_to_ycbcr(p.standard, p.range, in->view.dtype, rgb, ycbcr);
            for (uint32_t i = 0; i < 3; i++)
                gf_reference_write(out, y, x, i, ycbcr[i]);
            gf_reference_keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* rgb420, docs/numerics.md, "nv12, i420, rgb420". */
#include "protocol/ops/params/rgb420.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

GF_REFERENCE(rgb420)
{
    bool apart = gf_view_given(&in[2].view);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float cb = gf_reference_read(&in[1], y / 2, x / 2, 0);
            float cr = apart ? gf_reference_read(&in[2], y / 2, x / 2, 0) : gf_reference_read(&in[1], y / 2, x / 2, 1);
            float ycbcr[3] = {gf_reference_read(in, y, x, 0), cb, cr}, rgb[3];
            gf_reference_from_ycbcr(gf_rgb420_params_get(params).standard, gf_rgb420_params_get(params).range,
                                    in->view.dtype, ycbcr, rgb);
            for (uint32_t c = 0; c < 3; c++)
                gf_reference_write(out, y, x, c, rgb[c]);
        }
    return GF_OK;
}

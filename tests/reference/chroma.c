/* SPDX-License-Identifier: MIT */
/* nv12 and i420, docs/numerics.md, "nv12, i420, rgb420": the same samples in two planes or in three. */
#include "protocol/ops/params/i420.h"
#include "protocol/ops/params/nv12.h"
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

static enum gf_status run(uint32_t standard, uint32_t range, const struct gf_reference_buf *in,
                          struct gf_reference_buf *out, struct gf_reference_buf *cr, uint32_t cr_channel)
{
    float rgb[3], ycbcr[3];
    gf_reference_luma(standard, range, in, out);
    for (int64_t y = 0; y < (int64_t)out[1].view.height; y++)
        for (int64_t x = 0; x < (int64_t)out[1].view.width; x++) {
            gf_reference_mean(in, y, x, rgb);
            gf_reference_to_ycbcr(standard, range, in->view.dtype, rgb, ycbcr);
            gf_reference_write(&out[1], y, x, 0, ycbcr[1]);
            gf_reference_write(cr, y, x, cr_channel, ycbcr[2]);
        }
    return GF_OK;
}

GF_REFERENCE(nv12)
{
    (void)op, (void)err;
    return run(gf_nv12_params_get(params).standard, gf_nv12_params_get(params).range, in, out, &out[1], 1);
}

GF_REFERENCE(i420)
{
    (void)op, (void)err;
    return run(gf_i420_params_get(params).standard, gf_i420_params_get(params).range, in, out, &out[2], 0);
}

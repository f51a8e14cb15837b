/* SPDX-License-Identifier: MIT */
/* nv12, docs/numerics.md 15. */
#include "reference_colour.h"
#include "reference_image.h"
#include "reference_ops.h"

enum gf_status gf_reference_nv12(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_nv12_params *p = &params->nv12;
    float rgb[3], ycbcr[3];
    (void)op, (void)err;
    gf_reference_luma(p->standard, p->range, in, out);
    for (int64_t y = 0; y < (int64_t)out[1].view.height; y++)
        for (int64_t x = 0; x < (int64_t)out[1].view.width; x++) {
            gf_reference_mean(in, y, x, rgb);
            gf_reference_to_ycbcr(p->standard, p->range, in->view.dtype, rgb, ycbcr);
            gf_reference_write(&out[1], y, x, 0, ycbcr[1]);
            gf_reference_write(&out[1], y, x, 1, ycbcr[2]);
        }
    return GF_OK;
}

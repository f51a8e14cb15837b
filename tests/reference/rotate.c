/* SPDX-License-Identifier: MIT */
/* rotate, docs/numerics.md 14. */
#include "protocol/ops/enums.h"
#include "reference_geometry.h"
#include "reference_ops.h"

enum gf_status gf_reference_rotate(const struct gf_op *op, const union gf_params *params,
                                   const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                   struct gf_error *err)
{
    uint64_t w = in->view.width, h = in->view.height;
    uint32_t angle = params->rotate.angle;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            if (angle == GF_ROTATE_QUARTER)
                gf_reference_copy_pixel(out, x, y, in, y, h - 1 - x);
            else if (angle == GF_ROTATE_HALF)
                gf_reference_copy_pixel(out, x, y, in, w - 1 - x, h - 1 - y);
            else
                gf_reference_copy_pixel(out, x, y, in, w - 1 - y, x);
    return GF_OK;
}

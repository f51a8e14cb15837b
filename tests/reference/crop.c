/* SPDX-License-Identifier: MIT */
/* crop, docs/numerics.md 14. */
#include "reference_geometry.h"
#include "reference_ops.h"

enum gf_status gf_reference_crop(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    uint64_t left = GF_PICK(params->crop.at, 0), top = GF_PICK(params->crop.at, 1);
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, left + x, top + y);
    return GF_OK;
}

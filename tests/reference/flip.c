/* SPDX-License-Identifier: MIT */
/* flip, docs/numerics.md 14. */
#include "protocol/ops/enums.h"
#include "reference_geometry.h"
#include "reference_ops.h"

enum gf_status gf_reference_flip(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool x_turns = params->flip.axis == GF_FLIP_X || params->flip.axis == GF_FLIP_BOTH;
    bool y_turns = params->flip.axis == GF_FLIP_Y || params->flip.axis == GF_FLIP_BOTH;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, x_turns ? w - 1 - x : x, y_turns ? h - 1 - y : y);
    return GF_OK;
}

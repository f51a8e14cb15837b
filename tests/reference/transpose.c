/* SPDX-License-Identifier: MIT */
/* transpose, docs/numerics.md 14. */
#include "protocol/ops/enums.h"
#include "reference_geometry.h"
#include "reference_ops.h"

enum gf_status gf_reference_transpose(const struct gf_op *op, const union gf_params *params,
                                      const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                      struct gf_error *err)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool anti = params->transpose.diagonal == GF_TRANSPOSE_ANTI;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            gf_reference_copy_pixel(out, x, y, in, anti ? w - 1 - y : y, anti ? h - 1 - x : x);
    return GF_OK;
}

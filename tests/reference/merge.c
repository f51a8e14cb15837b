/* SPDX-License-Identifier: MIT */
/* merge, docs/numerics.md, "Colour". */
#include "protocol/ops/params/merge.h"
#include "reference_image.h"
#include "reference_ops.h"

/* Channel `wanted` of all inputs, counted from 0. */
static float channel(const struct gf_op *op, const struct gf_reference_buf *in, uint32_t wanted, int64_t y, int64_t x)
{
    uint32_t i = 0;
    while (i + 1 < op->n_inputs && (!gf_view_given(&in[i].view) || wanted >= in[i].view.channels)) {
        wanted -= gf_view_given(&in[i].view) ? in[i].view.channels : 0;
        i++;
    }
    return gf_reference_read(&in[i], y, x, wanted);
}

GF_REFERENCE(merge)
{
    const struct gf_u32v order = gf_merge_params_get(params).order;
    float greatest = gf_reference_max(in->view.dtype);
    (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                uint32_t number = order.n == 0 ? c + 1 : order.v[c];
                gf_reference_write(out, y, x, c, number == 0 ? greatest : channel(op, in, number - 1, y, x));
            }
    return GF_OK;
}

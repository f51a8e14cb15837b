/* SPDX-License-Identifier: MIT */
/* copy, docs/numerics.md 11. */
#include "reference_geometry.h"
#include "reference_ops.h"

enum gf_status gf_reference_copy(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_view *from = &in->view, *to = &out->view;
    size_t size = gf_dtype_size(from->dtype);
    uint32_t first = params->copy.channel == 0 ? 0 : params->copy.channel - 1;
    (void)op, (void)err;
    for (uint64_t y = 0; y < to->height; y++)
        for (uint64_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                gf_reference_copy_sample(
                    (char *)out->data + y * to->pitch + (x * to->channels + c) * size,
                    (const char *)in->data + y * from->pitch + (x * from->channels + first + c) * size, from->dtype);
    return GF_OK;
}

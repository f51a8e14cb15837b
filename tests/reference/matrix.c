/* SPDX-License-Identifier: MIT */
/* matrix, docs/numerics.md, "Colour". */
#include <math.h>

#include "reference_image.h"
#include "reference_ops.h"

static enum gf_status check(const struct gf_op *op, const struct gf_reference_buf *coefs, struct gf_error *err)
{
    for (uint32_t r = 0; r < coefs->view.height; r++)
        for (uint32_t c = 0; c < coefs->view.width; c++)
            if (!isfinite(gf_reference_read(coefs, r, c, 0)))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: a coefficient is not finite", op->name);
    return GF_OK;
}

GF_REFERENCE(matrix)
{
    const struct gf_reference_buf *coefs = &in[1];
    uint32_t channels = in->view.channels;
    (void)params;
    enum gf_status status = check(op, coefs, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t r = 0; r < out->view.channels; r++) {
                float v = coefs->view.width > channels ? gf_reference_read(coefs, r, channels, 0) : 0.0f;
                for (uint32_t c = channels; c-- > 0;) {
                    float m = gf_reference_read(coefs, r, c, 0);
                    if (m != 0.0f)
                        v = fmaf(m, gf_reference_read(in, y, x, c), v);
                }
                gf_reference_write(out, y, x, r, v);
            }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* sharpen, docs/numerics.md 6. */
#include "reference_ops.h"
#include "reference_stencil.h"

enum gf_status gf_reference_sharpen(const struct gf_op *op, const union gf_params *params,
                                    const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                    struct gf_error *err)
{
    const struct gf_sharpen_params *p = &params->sharpen;
    float s = p->amount, centre = (float)(1.0 + 4.0 * (double)s);
    const float mask[9] = {0, -s, 0, -s, centre, -s, 0, -s, 0};
    struct gf_reference_rule rule = {.border = p->border,
                                     .border_value = &p->border_value,
                                     .alpha = gf_reference_alpha(p->alpha, in[0].view.channels, true),
                                     .light = p->light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    return gf_reference_stencil(op, &rule, mask, in, out, err);
}

/* SPDX-License-Identifier: MIT */
/* sobel, docs/numerics.md 6. */
#include "reference_ops.h"
#include "reference_stencil.h"

enum gf_status gf_reference_sobel(const struct gf_op *op, const union gf_params *params,
                                  const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_sobel_params *p = &params->sobel;
    static const float dx[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
    struct gf_reference_rule rule = {.border = p->border,
                                     .border_value = &p->border_value,
                                     .alpha = gf_reference_alpha(p->alpha, in[0].view.channels, false),
                                     .scale = p->scale,
                                     .offset = p->offset};
    return gf_reference_stencil_gradient(op, &rule, dx, p->output, in, out, err);
}

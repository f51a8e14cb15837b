/* SPDX-License-Identifier: MIT */
/* scharr, docs/numerics.md 6. */
#include "reference_ops.h"
#include "reference_stencil.h"

enum gf_status gf_reference_scharr(const struct gf_op *op, const union gf_params *params,
                                   const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                   struct gf_error *err)
{
    const struct gf_scharr_params *p = &params->scharr;
    static const float dx[9] = {-3, 0, 3, -10, 0, 10, -3, 0, 3};
    struct gf_reference_rule rule = {.border = p->border,
                                     .border_value = &p->border_value,
                                     .alpha = gf_reference_alpha(p->alpha, in[0].view.channels, false),
                                     .scale = p->scale,
                                     .offset = p->offset};
    return gf_reference_stencil_gradient(op, &rule, dx, p->output, in, out, err);
}

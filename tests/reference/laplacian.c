/* SPDX-License-Identifier: MIT */
/* laplacian, docs/numerics.md 6. */
#include "protocol/ops/enums.h"
#include "reference_ops.h"
#include "reference_stencil.h"

enum gf_status gf_reference_laplacian(const struct gf_op *op, const union gf_params *params,
                                      const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                      struct gf_error *err)
{
    const struct gf_laplacian_params *p = &params->laplacian;
    static const float four[9] = {0, 1, 0, 1, -4, 1, 0, 1, 0}, eight[9] = {1, 1, 1, 1, -8, 1, 1, 1, 1};
    struct gf_reference_rule rule = {.border = p->border,
                                     .border_value = &p->border_value,
                                     .alpha = gf_reference_alpha(p->alpha, in[0].view.channels, false),
                                     .scale = p->scale,
                                     .offset = p->offset};
    return gf_reference_stencil(op, &rule, p->connectivity == GF_CONNECTIVITY_EIGHT ? eight : four, in, out, err);
}

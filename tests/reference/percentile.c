/* SPDX-License-Identifier: MIT */
/* percentile, docs/numerics.md 18. */
#include <math.h>

#include "reference_ops.h"
#include "reference_rank.h"

enum gf_status gf_reference_percentile(const struct gf_op *op, const union gf_params *params,
                                       const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                       struct gf_error *err)
{
    const struct gf_percentile_params *p = &params->percentile;
    double n = (double)(GF_PICK(p->size, 0) * GF_PICK(p->size, 1)), index = floor(n * p->percent.v[0] / 100.0);
    struct gf_reference_window window = {.size = &p->size,
                                         .border = p->border,
                                         .border_value = &p->border_value,
                                         .index = (uint32_t)fmin(index, n - 1.0)};
    return gf_reference_rank_windows(op, &window, in, out, err);
}

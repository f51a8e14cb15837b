/* SPDX-License-Identifier: MIT */
/* median, docs/numerics.md 18. */
#include "reference_ops.h"
#include "reference_rank.h"

enum gf_status gf_reference_median(const struct gf_op *op, const union gf_params *params,
                                   const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                   struct gf_error *err)
{
    const struct gf_median_params *p = &params->median;
    uint32_t n = GF_PICK(p->size, 0) * GF_PICK(p->size, 1);
    struct gf_reference_window window = {
        .size = &p->size, .border = p->border, .border_value = &p->border_value, .index = n / 2};
    return gf_reference_rank_windows(op, &window, in, out, err);
}

/* SPDX-License-Identifier: MIT */
/* rank, docs/numerics.md 18. */
#include "reference_ops.h"
#include "reference_rank.h"

enum gf_status gf_reference_rank(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_rank_params *p = &params->rank;
    int32_t n = (int32_t)(GF_PICK(p->size, 0) * GF_PICK(p->size, 1)), index = (int32_t)p->index.v[0];
    struct gf_reference_window window = {.size = &p->size,
                                         .border = p->border,
                                         .border_value = &p->border_value,
                                         .index = (uint32_t)(index < 0 ? n + index : index)};
    return gf_reference_rank_windows(op, &window, in, out, err);
}

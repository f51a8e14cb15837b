/* SPDX-License-Identifier: MIT */
/* topk, docs/numerics.md 20: the first k of what sort gives. */
#include <string.h>

#include "reference_ops.h"
#include "reference_order.h"
#include "reference_scan.h"

enum gf_status gf_reference_topk(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_topk_params *p = &params->topk;
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&in->view, p->axis); s++) {
        uint64_t gf_cleanup(gf_freep) *order = gf_reference_order(in, p->axis, s, p->smallest == 0);
        if (order == NULL)
            return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
        for (uint64_t i = 0; i < p->k; i++) {
            gf_reference_move(gf_reference_element(in, p->axis, s, order[i]), in->view.dtype,
                              gf_reference_element(&out[0], p->axis, s, i));
            memcpy(gf_reference_element(&out[1], p->axis, s, i), &order[i], sizeof(order[i]));
        }
    }
    return GF_OK;
}

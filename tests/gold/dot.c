/* SPDX-License-Identifier: MIT */
/* dot, docs/numerics.md 8. */
#include "gold_ops.h"
#include "gold_reduce.h"

enum gf_status gf_gold_dot(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                           struct gf_gold_buf *out, struct gf_error *err)
{
    uint32_t axis = params->dot.axis;
    uint64_t row = out->view.width * out->view.channels;
    (void)op;
    for (uint64_t i = 0; i < gf_gold_sequences(&in[0].view, axis); i++) {
        struct gf_gold_sequence gf_cleanup(gf_gold_sequence_deinit) a = {0};
        struct gf_gold_sequence gf_cleanup(gf_gold_sequence_deinit) b = {0};
        enum gf_status status = gf_gold_sequence_init(&in[0], axis, i, false, &a, err);
        if (status == GF_OK)
            status = gf_gold_sequence_init(&in[1], axis, i, false, &b, err);
        if (status != GF_OK)
            return status;
        gf_gold_put(out, i % row, i / row, gf_gold_f64_bits(gf_gold_tree(&a, GF_GOLD_DOT, b.x)));
    }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* dot, docs/numerics.md 8. */
#include "reference_ops.h"
#include "reference_reduce.h"

enum gf_status gf_reference_dot(const struct gf_op *op, const union gf_params *params,
                                const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    uint32_t axis = params->dot.axis;
    uint64_t row = out->view.width * out->view.channels;
    (void)op;
    for (uint64_t i = 0; i < gf_reference_sequences(&in[0].view, axis); i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) a = {0};
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) b = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], axis, i, false, &a, err);
        if (status == GF_OK)
            status = gf_reference_sequence_init(&in[1], axis, i, false, &b, err);
        if (status != GF_OK)
            return status;
        gf_reference_put(out, i % row, i / row, gf_reference_f64_bits(gf_reference_tree(&a, GF_REFERENCE_DOT, b.x)));
    }
    return GF_OK;
}

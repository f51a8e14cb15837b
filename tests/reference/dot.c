/* SPDX-License-Identifier: MIT */
/* dot, docs/numerics.md, "reduce". */
#include "protocol/ops/params/dot.h"
#include "reference_ops.h"
#include "reference_reduce.h"

GF_REFERENCE(dot)
{
    uint32_t axis = gf_dot_params_get(params).axis;
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

/* SPDX-License-Identifier: MIT */
/* reduce, docs/numerics.md, "reduce". */
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/enums.h"
#include "reference_compose.h"
#include "reference_operator.h"
#include "reference_ops.h"
#include "reference_reduce.h"

static enum gf_status reduce_segments(const struct gf_op *op, const struct gf_reduce_params *p,
                                      const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                      struct gf_error *err)
{
    enum gf_status status = gf_reference_check_segments(&in[1], in[0].view.width * in[0].view.height, err);
    if (status == GF_OK && (p->op == GF_REDUCTION_AFFINE || p->op == GF_REDUCTION_MATMUL2))
        return gf_reference_compose_segments(in, &out[0], err);
    uint64_t n = (in[1].view.width - 1) * in[0].view.channels;
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        uint64_t segment = i / in[0].view.channels, bits;
        uint32_t c = (uint32_t)(i % in[0].view.channels);
        status = gf_reference_sequence_cut(&in[0], c, gf_reference_offset(&in[1], segment),
                                           gf_reference_offset(&in[1], segment + 1), p->nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        if (!gf_reference_reduce_one(&s, p->op, p->ddof, p->overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_reference_put(out, i, 0, bits);
    }
    return status;
}

GF_REFERENCE(reduce)
{
    const struct gf_reduce_params p = gf_reduce_params_get(params);
    if (p.op == GF_REDUCTION_USER)
        return gf_reference_operator(op, params, in, out, err);
    if (in[1].data != NULL)
        return reduce_segments(op, &p, in, out, err);
    if (p.op == GF_REDUCTION_AFFINE || p.op == GF_REDUCTION_MATMUL2)
        return gf_reference_compose(&in[0], p.axis, &out[0], err);
    uint64_t row = out->view.width * out->view.channels;
    for (uint64_t i = 0; i < gf_reference_sequences(&in[0].view, p.axis); i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], p.axis, i, p.nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        uint64_t bits;
        if (!gf_reference_reduce_one(&s, p.op, p.ddof, p.overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_reference_put(out, i % row, i / row, bits);
    }
    return GF_OK;
}

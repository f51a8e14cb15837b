/* SPDX-License-Identifier: MIT */
/* reduce, docs/numerics.md 8. */
#include "gold_compose.h"
#include "gold_ops.h"
#include "gold_reduce.h"
#include "protocol/ops/enums.h"

static enum gf_status reduce_segments(const struct gf_op *op, const struct gf_reduce_params *p,
                                      const struct gf_gold_buf *in, struct gf_gold_buf *out, struct gf_error *err)
{
    enum gf_status status = gf_gold_check_segments(&in[1], in[0].view.width * in[0].view.height, err);
    if (status == GF_OK && (p->op == GF_REDUCTION_AFFINE || p->op == GF_REDUCTION_MATMUL2))
        return gf_gold_compose_segments(in, &out[0], err);
    uint64_t n = (in[1].view.width - 1) * in[0].view.channels;
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct gf_gold_sequence gf_cleanup(gf_gold_sequence_deinit) s = {0};
        uint64_t segment = i / in[0].view.channels, bits;
        uint32_t c = (uint32_t)(i % in[0].view.channels);
        status = gf_gold_sequence_cut(&in[0], c, gf_gold_offset(&in[1], segment), gf_gold_offset(&in[1], segment + 1),
                                      p->nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        if (!gf_gold_reduce_one(&s, p->op, p->ddof, p->overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_gold_put(out, i, 0, bits);
    }
    return status;
}

enum gf_status gf_gold_reduce(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                              struct gf_gold_buf *out, struct gf_error *err)
{
    const struct gf_reduce_params *p = &params->reduce;
    if (in[1].data != NULL)
        return reduce_segments(op, p, in, out, err);
    if (p->op == GF_REDUCTION_AFFINE || p->op == GF_REDUCTION_MATMUL2)
        return gf_gold_compose(&in[0], p->axis, &out[0], err);
    uint64_t row = out->view.width * out->view.channels;
    for (uint64_t i = 0; i < gf_gold_sequences(&in[0].view, p->axis); i++) {
        struct gf_gold_sequence gf_cleanup(gf_gold_sequence_deinit) s = {0};
        enum gf_status status = gf_gold_sequence_init(&in[0], p->axis, i, p->nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        uint64_t bits;
        if (!gf_gold_reduce_one(&s, p->op, p->ddof, p->overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_gold_put(out, i % row, i / row, bits);
    }
    return GF_OK;
}

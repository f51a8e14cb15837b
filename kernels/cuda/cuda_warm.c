/* SPDX-License-Identifier: MIT */
/*
 * Runs every op once per channel count and sample type (buffers on one type only) on a tiny picture, so that no request
 * pays for CUDA's work on first use. Called by cuda_backend.c when it opens the device.
 */
#include "cuda_run.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define SIDE 48u /* row sizes are multiples of 16 bytes for every type */
#define MASK_SIDE 3u
#define RESULT_BYTES 65536u /* of numbers; far more than any op returns here by default */

/* Returns the dtype where the set has it, otherwise the first dtype of the set. */
static uint32_t dtype_in(uint32_t set, uint32_t dtype)
{
    return (set & GF_DT(dtype)) != 0 ? dtype : (uint32_t)__builtin_ctz(set);
}

/* Ops that do not accept this shape or data refuse it; only errors of the device count. */
static bool is_refusal(enum gf_status status)
{
    return status == GF_E_BAD_VIEW || status == GF_E_BAD_DTYPE || status == GF_E_BAD_PARAM ||
           status == GF_E_UNSUPPORTED;
}

/* Gives the step a tiny picture for each operand. `row`: operands after the first are a row of a few numbers, as
 * one-dimensional kernels are. */
static enum gf_status bind(const struct gf_op *op, uint32_t dtype, uint32_t channels, bool row, struct gf_step *step,
                           struct gf_buf *operands, struct gf_error *err)
{
    static const float mask[MASK_SIDE * MASK_SIDE] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    static const double picture[SIDE * SIDE * GF_MAX_CHANNELS]; /* zeros of any type */
    struct gf_view views[GF_MAX_INPUTS] = {{0}};
    for (uint32_t i = op->n_required; i < op->n_inputs; i++)
        step->in[i].from = GF_FROM_NOTHING;
    for (uint32_t i = 0; i < op->n_required; i++) {
        bool coefs = op->inputs[i].kind == GF_INPUT_COEFS;
        uint32_t own = dtype_in(op->inputs[i].dtypes, dtype);
        views[i] = coefs          ? gf_view_tight(GF_F32, MASK_SIDE, MASK_SIDE, 1)
                   : row && i > 0 ? gf_view_tight(own, MASK_SIDE, 1, 1)
                                  : gf_view_tight(own, SIDE, SIDE, channels);
        operands[i] =
            (struct gf_buf){.data = (void *)(uintptr_t)(coefs ? (const void *)mask : picture), .view = views[i]};
        step->in[i] = (struct gf_ref){.index = (uint16_t)i};
    }
    gf_op_params_default(op, &step->params);
    const struct gf_param_desc *text = gf_op_param(op, "expression");
    enum gf_status status = text != NULL ? gf_op_param_parse(op, text, "a", &step->params, err) : GF_OK;
    if (status != GF_OK)
        return status;
    return gf_op_infer(op, views, op->n_inputs, &step->params, step->out, err);
}

static enum gf_status warm_one(struct gf_exec *exec, const struct gf_op *op, uint32_t dtype, uint32_t channels,
                               struct gf_error *err)
{
    static double result[RESULT_BYTES]; /* never read; only one warm-up runs at a time */
    struct gf_buf operands[GF_MAX_INPUTS];
    struct gf_step step = {.op = op};
    enum gf_status status = bind(op, dtype, channels, false, &step, operands, err);
    if (status == GF_E_BAD_VIEW)
        status = bind(op, dtype, channels, true, &step, operands, err);
    if (status != GF_OK)
        return is_refusal(status) ? GF_OK : status;
    if (gf_view_bytes(&step.out[0]) > sizeof(result))
        return GF_OK;
    struct gf_sink sink = {.buf = {.data = result, .view = step.out[0]}};
    struct gf_job job = {
        .steps = &step, .operands = operands, .sinks = &sink, .n_steps = 1, .n_operands = op->n_required, .n_sinks = 1};
    status = gf_cuda_run(exec, &job, err);
    return is_refusal(status) ? GF_OK : status;
}

enum gf_status gf_cuda_warm(struct gf_exec *exec, struct gf_error *err)
{
    for (uint32_t i = 0; i < GF_N_OPS; i++) {
        uint32_t set = gf_cuda_ops[i].dtypes[0];
        if (gf_ops[i].inputs[0].kind != GF_INPUT_IMAGE)
            set &= ~set + 1;
        for (uint32_t dtype = 1; gf_dtype_known(dtype); dtype++)
            for (uint32_t channels = 1; channels <= GF_MAX_CHANNELS; channels++) {
                if ((set & GF_DT(dtype)) == 0)
                    continue;
                enum gf_status status = warm_one(exec, &gf_ops[i], dtype, channels, err);
                if (status != GF_OK)
                    return status;
            }
    }
    return GF_OK;
}

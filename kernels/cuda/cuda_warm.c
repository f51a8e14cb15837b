/* SPDX-License-Identifier: MIT */
/*
 * Runs every op once per sample type and channel count on a tiny picture, so that no request pays for what CUDA does at
 * first use. Called by cuda_backend.c when the device is opened.
 */
#include "cuda_ops.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"

#define SIDE 40u
#define MASK_SIDE 3u

static enum gf_status warm_one(struct gf_lane *lane, const struct gf_op *op, uint32_t dtype, uint32_t channels,
                               struct gf_error *err)
{
    static const float mask[MASK_SIDE * MASK_SIDE] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    static const float picture[SIDE * SIDE * GF_MAX_CHANNELS]; /* any bytes do */
    static float result[SIDE * SIDE * GF_MAX_CHANNELS];        /* never read; one warm-up at a time */
    struct gf_buf operands[GF_MAX_INPUTS];
    struct gf_view views[GF_MAX_INPUTS];
    struct gf_step step = {.op = op};
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        bool image = op->inputs[i].kind == GF_INPUT_IMAGE;
        views[i] = image ? gf_view_tight(dtype, SIDE, SIDE, channels) : gf_view_tight(GF_F32, MASK_SIDE, MASK_SIDE, 1);
        operands[i] = (struct gf_buf){.data = (void *)(uintptr_t)(image ? picture : mask), .view = views[i]};
        step.in[i] = (struct gf_ref){.index = (uint16_t)i};
    }
    gf_op_params_default(op, &step.params);
    enum gf_status status = gf_op_infer(op, views, op->n_inputs, &step.params, step.out, err);
    if (status != GF_OK)
        return status;
    struct gf_sink sink = {.buf = {.data = result, .view = step.out[0]}};
    struct gf_job job = {
        .steps = &step, .operands = operands, .sinks = &sink, .n_steps = 1, .n_operands = op->n_inputs, .n_sinks = 1};
    return gf_cuda_run(lane, &job, err);
}

enum gf_status gf_cuda_warm(struct gf_lane *lane, struct gf_error *err)
{
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        for (uint32_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
            for (uint32_t channels = 1; channels <= GF_MAX_CHANNELS; channels++) {
                if ((gf_cuda_ops[i].dtypes[0] & GF_DT(dtypes[d])) == 0)
                    continue;
                enum gf_status status = warm_one(lane, &gf_ops[i], dtypes[d], channels, err);
                if (status != GF_OK)
                    return status;
            }
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Outputs of reduce, stats, dot and compare: one value per sequence, with reduced sides of 1, or a row per channel.
 * Called by gf_op_infer.
 */
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/dot.h"
#include "protocol/ops/texts/operator.h"

/* The dtype of 64-bit sums and products. */
static uint32_t wide_dtype(uint32_t dtype)
{
    enum gf_dtype_kind kind = gf_dtype_kind(dtype);
    return kind == GF_KIND_FLOAT ? GF_F64 : kind == GF_KIND_SINT ? GF_I64 : GF_U64;
}

static uint32_t reduced_dtype(uint32_t reduction, uint32_t dtype)
{
    switch (reduction) {
    case GF_REDUCTION_SUM:
    case GF_REDUCTION_PRODUCT:
        return wide_dtype(dtype);
    case GF_REDUCTION_MIN:
    case GF_REDUCTION_MAX:
        return dtype;
    case GF_REDUCTION_ARGMIN:
    case GF_REDUCTION_ARGMAX:
    case GF_REDUCTION_COUNT:
        return GF_U64;
    case GF_REDUCTION_ANY:
    case GF_REDUCTION_ALL:
        return GF_U8;
    default:
        return GF_F64;
    }
}

static struct gf_view reduced_view(const struct gf_view *in, uint32_t axis, uint32_t dtype, uint32_t channels)
{
    uint64_t width = axis == GF_AXIS_COLS ? in->width : 1, height = axis == GF_AXIS_ROWS ? in->height : 1;
    return gf_view_tight(dtype, width, height, channels);
}

enum gf_status gf_outputs_reduce(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_reduce_params p = gf_reduce_params_get(params);
    uint32_t dtype = reduced_dtype(p.op, in[0].dtype), channels = in[0].channels;
    if (p.op == GF_REDUCTION_USER) {
        struct gf_operator user;
        enum gf_status status = gf_operator_of_step(op, in, params, &user, err);
        if (status != GF_OK)
            return status;
        dtype = user.dtype;
        channels = user.channels;
    }
    ret_out[0] = reduced_view(&in[0], p.axis, dtype, channels);
    if (gf_view_given(&in[1]))
        ret_out[0] = gf_view_tight(dtype, in[1].width - 1, 1, channels);
    return GF_OK;
}

enum gf_status gf_outputs_stats(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    (void)op, (void)params, (void)err;
    ret_out[0] = gf_view_tight(GF_U64, 4, in[0].channels, 1);
    ret_out[1] = gf_view_tight(in[0].dtype, 2, in[0].channels, 1);
    ret_out[2] = gf_view_tight(wide_dtype(in[0].dtype), 1, in[0].channels, 1);
    ret_out[3] = gf_view_tight(GF_F64, 6, in[0].channels, 1);
    return GF_OK;
}

enum gf_status gf_outputs_dot(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_view *ret_out, struct gf_error *err)
{
    (void)op, (void)err;
    ret_out[0] = reduced_view(&in[0], gf_dot_params_get(params).axis, GF_F64, in[0].channels);
    return GF_OK;
}

enum gf_status gf_outputs_compare(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_view *ret_out, struct gf_error *err)
{
    (void)op, (void)params, (void)err;
    ret_out[0] = gf_view_tight(GF_U64, 2, in[0].channels, 1);
    ret_out[1] = gf_view_tight(GF_F64, 3, in[0].channels, 1);
    return GF_OK;
}

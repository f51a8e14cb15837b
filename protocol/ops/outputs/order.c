/* SPDX-License-Identifier: MIT */
/* Outputs and checks of sort, argsort, topk (docs/numerics.md, "Order") and quantile. Called by gf_op_infer. */
#include <inttypes.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/argsort.h"
#include "protocol/ops/params/quantile.h"
#include "protocol/ops/params/sort.h"
#include "protocol/ops/params/topk.h"

/* Elements of a sequence: sorting numbers them with 32 bits. */
#define MAX_LENGTH UINT32_MAX

static const char *const sequences[] = {
    [GF_AXIS_ALL] = "channels have", [GF_AXIS_ROWS] = "rows have", [GF_AXIS_COLS] = "columns have"};

static uint64_t length_of(const struct gf_view *in, uint32_t axis)
{
    return axis == GF_AXIS_ROWS ? in->width : axis == GF_AXIS_COLS ? in->height : in->width * in->height;
}

static enum gf_status check_length(const struct gf_op *op, uint32_t axis, uint64_t length, struct gf_error *err)
{
    if (length > MAX_LENGTH)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: its %s %" PRIu64 " samples; allowed: up to %u", op->name,
                            sequences[axis], length, MAX_LENGTH);
    return GF_OK;
}

static enum gf_status infer(const struct gf_op *op, const struct gf_view *in, uint32_t axis, uint32_t dtype,
                            struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status = check_length(op, axis, length_of(in, axis), err);
    if (status != GF_OK)
        return status;
    struct gf_view out = gf_view_tight(dtype, in->width, in->height, in->channels);
    status = gf_view_check(&out, op->name, err);
    if (status == GF_OK)
        ret_out[0] = out;
    return status;
}

enum gf_status gf_outputs_sort(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    return infer(op, in, gf_sort_params_get(params).axis, in->dtype, ret_out, err);
}

enum gf_status gf_outputs_argsort(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_view *ret_out, struct gf_error *err)
{
    return infer(op, in, gf_argsort_params_get(params).axis, GF_U64, ret_out, err);
}

enum gf_status gf_outputs_topk(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_topk_params p = gf_topk_params_get(params);
    const uint64_t length = length_of(in, p.axis);
    enum gf_status status = check_length(op, p.axis, length, err);
    if (status != GF_OK)
        return status;
    if (p.k > length)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: k=%" PRIu32 ", but its %s %" PRIu64 " samples; allowed: 1..%" PRIu64, op->name, p.k,
                            sequences[p.axis], length, length);
    uint64_t width = p.axis == GF_AXIS_COLS ? in->width : p.k;
    uint64_t height = p.axis == GF_AXIS_COLS ? p.k : p.axis == GF_AXIS_ROWS ? in->height : 1;
    struct gf_view indices = gf_view_tight(GF_U64, width, height, in->channels);
    status = gf_view_check(&indices, "topk: indices", err);
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(in->dtype, width, height, in->channels);
    ret_out[1] = indices;
    return GF_OK;
}

enum gf_status gf_outputs_quantile(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_quantile_params p = gf_quantile_params_get(params);
    uint64_t width = p.axis == GF_AXIS_COLS ? in[0].width : p.q.n;
    uint64_t height = p.axis == GF_AXIS_ALL ? 1 : p.axis == GF_AXIS_ROWS ? in[0].height : p.q.n;
    if (gf_view_given(&in[1])) {
        if (in[1].width < 2)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: segments has %" PRIu64 " number; it must have 2 or more",
                                op->name, in[1].width);
        if (p.axis != GF_AXIS_ALL)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: axis=%s cannot be used with segments; use axis=all", op->name,
                                gf_enum_word(GF_ENUM_AXIS, p.axis));
        width = in[1].width - 1;
        height = p.q.n;
    }
    *ret_out = gf_view_tight(GF_F64, width, height, in[0].channels);
    return gf_view_check(ret_out, "quantile: values", err);
}

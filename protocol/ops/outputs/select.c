/* SPDX-License-Identifier: MIT */
/* Outputs and range check of select, docs/numerics.md, "select". Called by gf_op_infer. */
#include "protocol/ops/params/select.h"
#include "protocol/base/text.h"
#include "protocol/ops/op_outputs.h"

enum gf_status gf_outputs_select(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_select_params p = gf_select_params_get(params);
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT];
    if (!(p.lo <= p.hi))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: lo=%s is above hi=%s", op->name,
                            gf_text_from_f64(p.lo, lo, sizeof lo), gf_text_from_f64(p.hi, hi, sizeof hi));
    uint64_t all = in->width * in->height;
    uint64_t capacity = p.capacity == 0 || p.capacity > all ? all : p.capacity;
    struct gf_view indices = gf_view_tight(GF_U64, capacity, in->channels, 1);
    enum gf_status status = gf_view_check(&indices, "select: indices", err);
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(in->dtype, capacity, in->channels, 1);
    ret_out[1] = indices;
    ret_out[2] = gf_view_tight(GF_U64, 1, in->channels, 1);
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* Outputs and parameter checks of crop, pad, flip, rotate and transpose, docs/numerics.md, "Geometry". Called by
 * gf_op_infer. */
#include "protocol/ops/outputs_geometry.h"

#include <inttypes.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_checks.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/crop.h"
#include "protocol/ops/params/pad.h"
#include "protocol/ops/params/rotate.h"

enum gf_status gf_outputs_crop(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_crop_params p = gf_crop_params_get(params);
    uint64_t x = GF_PICK(p.at, 0), y = GF_PICK(p.at, 1);
    if (x >= in->width || y >= in->height)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: at=%" PRIu64 ",%" PRIu64 " lies outside the picture of %" PRIu64 "x%" PRIu64
                            "; allowed: 0..%" PRIu64 ",0..%" PRIu64,
                            op->name, x, y, in->width, in->height, in->width - 1, in->height - 1);
    uint64_t most_x = in->width - x, most_y = in->height - y;
    uint64_t width = p.size.n == 0 ? most_x : GF_PICK(p.size, 0);
    uint64_t height = p.size.n == 0 ? most_y : GF_PICK(p.size, 1);
    if (width > most_x || height > most_y)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: size=%" PRIu64 "x%" PRIu64 " at=%" PRIu64 ",%" PRIu64
                            " goes beyond the picture of %" PRIu64 "x%" PRIu64 "; at most %" PRIu64 "x%" PRIu64
                            " fit there; pad adds a margin",
                            op->name, width, height, x, y, in->width, in->height, most_x, most_y);
    *ret_out = gf_view_tight(in->dtype, width, height, in->channels);
    return GF_OK;
}

static enum gf_status check_margin(const struct gf_op *op, const struct gf_pad_params *p, struct gf_error *err)
{
    if (p->margin.n == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: margin is not given; give one number, x,y or left,top,right,bottom", op->name);
    if (p->margin.n == 3)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: margin has 3 values; give one number, x,y or left,top,right,bottom", op->name);
    return GF_OK;
}

static enum gf_status check_border(const struct gf_op *op, const struct gf_view *in, const struct gf_pad_params *p,
                                   struct gf_error *err)
{
    enum gf_status status = gf_check_per_channel(op, "border_value", p->border_value.n, in->channels, err);
    for (uint32_t i = 0; i < p->border_value.n && status == GF_OK && p->border == GF_BORDER_CONSTANT; i++)
        status = gf_check_element(op, "border_value", in->dtype, p->border_value.v[i], err);
    return status;
}

enum gf_status gf_outputs_pad(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_pad_params p = gf_pad_params_get(params);
    enum gf_status status = check_margin(op, &p, err);
    if (status == GF_OK)
        status = check_border(op, in, &p, err);
    if (status != GF_OK)
        return status;
    struct gf_margin m = gf_margin_of(&p.margin);
    struct gf_view dst =
        gf_view_tight(in->dtype, m.left + in->width + m.right, m.top + in->height + m.bottom, in->channels);
    status = gf_view_check(&dst, "pad: dst", err);
    if (status == GF_OK)
        *ret_out = dst;
    return status;
}

enum gf_status gf_outputs_flip(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    (void)op, (void)params, (void)err;
    *ret_out = gf_view_tight(in->dtype, in->width, in->height, in->channels);
    return GF_OK;
}

/* Checks the result, because an array may have more columns than the limit of bytes per row or per view allows for
 * rows. */
static enum gf_status infer_turned(const char *what, const struct gf_view *in, struct gf_view *ret_out,
                                   struct gf_error *err)
{
    struct gf_view dst = gf_view_tight(in->dtype, in->height, in->width, in->channels);
    enum gf_status status = gf_view_check(&dst, what, err);
    if (status == GF_OK)
        *ret_out = dst;
    return status;
}

enum gf_status gf_outputs_rotate(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    (void)op;
    if (gf_rotate_params_get(params).angle != GF_ROTATE_HALF)
        return infer_turned("rotate: dst", in, ret_out, err);
    *ret_out = gf_view_tight(in->dtype, in->width, in->height, in->channels);
    return GF_OK;
}

enum gf_status gf_outputs_transpose(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                    struct gf_view *ret_out, struct gf_error *err)
{
    (void)op, (void)params;
    return infer_turned("transpose: dst", in, ret_out, err);
}

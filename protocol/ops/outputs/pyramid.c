/* SPDX-License-Identifier: MIT */
/* Output and parameter checks of pyramid, docs/numerics.md, "pyramid". Called by gf_op_infer. */

#include "protocol/ops/params/pyramid.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/outputs_geometry.h"

/* Upwards, other borders would repeat the zeros between pixels instead of pixels. */
static enum gf_status check_border(const struct gf_op *op, const struct gf_pyramid_params *p, struct gf_error *err)
{
    const char *word = gf_enum_word(GF_ENUM_BORDER, p->border);
    if (p->border == GF_BORDER_CONSTANT)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: border=constant; allowed: replicate, wrap, reflect and reflect101; pad adds a constant margin",
            op->name);
    if (p->direction == GF_PYRAMID_UP && p->border != GF_BORDER_REFLECT101)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: border=%s cannot be used with direction=up; leave it out for reflect101", op->name,
                            word);
    return GF_OK;
}

enum gf_status gf_outputs_pyramid(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_pyramid_params p = gf_pyramid_params_get(params);
    uint64_t width = in->width, height = in->height;
    enum gf_status status = check_border(op, &p, err);
    if (status == GF_OK)
        status = gf_check_resized_alpha(op, in, p.alpha, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < p.level; i++) { /* 65535 doubled 16 times fits */
        width = gf_pyramid_side(width, p.direction == GF_PYRAMID_UP);
        height = gf_pyramid_side(height, p.direction == GF_PYRAMID_UP);
    }
    struct gf_view dst = gf_view_tight(in->dtype, width, height, in->channels);
    status = gf_view_check_image(&dst, "pyramid: dst", err);
    if (status == GF_OK)
        *ret_out = dst;
    return status;
}

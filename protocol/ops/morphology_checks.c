/* SPDX-License-Identifier: MIT */
/* The checks of erode, dilate and the operations made of them across parameters and inputs, and the sides of their
 * structuring element. The checks are listed in op_checks.c; the computation of reach, cost and memory also uses the
 * sides. */
#include <inttypes.h>
#include <string.h>

#include "enums.h"
#include "op_checks.h"
#include "protocol/ops/params/blackhat.h"
#include "protocol/ops/params/closing.h"
#include "protocol/ops/params/dilate.h"
#include "protocol/ops/params/erode.h"
#include "protocol/ops/params/gradient.h"
#include "protocol/ops/params/opening.h"
#include "protocol/ops/params/tophat.h"

#define DEFAULT_SIDE 3u

/* The seven ops have the same parameters: their structs must have the same layout. */
#define AS_ERODE(op)                                                                                                   \
    _Static_assert(sizeof(struct gf_##op##_params) == sizeof(struct gf_erode_params) &&                                \
                       offsetof(struct gf_##op##_params, alpha) == offsetof(struct gf_erode_params, alpha),            \
                   #op)
AS_ERODE(dilate);
AS_ERODE(opening);
AS_ERODE(closing);
AS_ERODE(gradient);
AS_ERODE(tophat);
AS_ERODE(blackhat);

uint64_t gf_element_side(const struct gf_op *op, const union gf_params *params, const struct gf_view *mask,
                         uint32_t axis)
{
    struct gf_u32v size;
    memcpy(&size, (const char *)params + gf_op_param(op, "size")->offset, sizeof(size));
    if (gf_view_given(mask))
        return axis == 0 ? mask->width : mask->height;
    return size.n == 0 ? DEFAULT_SIDE : GF_PICK(size, axis);
}

/* A mask replaces size and shape. */
static enum gf_status check_mask(const struct gf_op *op, const struct gf_erode_params *p, struct gf_error *err)
{
    if (p->size.n != 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: size=%" PRIu32 " cannot be used with a mask, which has its own size; leave size out",
                            op->name, p->size.v[0]);
    if (p->shape != GF_ELEMENT_RECT)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: shape=%s cannot be used with a mask, which has its own shape; leave shape out",
                            op->name, gf_enum_word(GF_ENUM_ELEMENT, p->shape));
    return GF_OK;
}

static enum gf_status check_border(const struct gf_op *op, const struct gf_view *src, const struct gf_erode_params *p,
                                   struct gf_error *err)
{
    enum gf_status status = GF_OK;
    if (p->border_value.n == 0)
        return GF_OK;
    status = gf_check_outside(op, src, (struct gf_outside){p->border, &p->border_value, GF_LIGHT_ENCODED}, err);
    for (uint32_t i = 0; i < p->border_value.n && status == GF_OK && p->border == GF_BORDER_CONSTANT; i++)
        status = gf_check_element(op, "border_value", src->dtype, (double)p->border_value.v[i], err);
    return status;
}

enum gf_status gf_check_morphology(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_error *err)
{
    const struct gf_erode_params p = gf_erode_params_get(params);
    enum gf_status status = GF_OK;
    if (gf_view_given(&in[1]))
        status = check_mask(op, &p, err);
    else if (p.size.n != 0)
        status = gf_check_axes(op, "size", p.size.n, err);
    if (status != GF_OK)
        return status;
    const struct gf_view element =
        gf_view_tight(GF_F32, gf_element_side(op, params, &in[1], 0), gf_element_side(op, params, &in[1], 1), 1);
    status = gf_check_anchor(op, &element, &p.anchor, err);
    if (status == GF_OK)
        status = check_border(op, &in[0], &p, err);
    if (status == GF_OK && p.alpha == GF_ALPHA_PREMULTIPLIED)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: alpha=premultiplied has no meaning where samples are only compared; give ignore or "
                            "straight",
                            op->name);
    return status;
}

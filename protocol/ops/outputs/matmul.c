/* SPDX-License-Identifier: MIT */
/* Output and shape checks of matmul, docs/numerics.md, "matmul". Called by gf_op_infer. */
#include "protocol/ops/op_outputs.h"

static enum gf_status check_pair(const struct gf_op *op, const struct gf_view *a, const struct gf_view *b,
                                 struct gf_error *err)
{
    char text_a[64], text_b[64];
    if (a->dtype != b->dtype)
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: a is %s and b is %s; both must have the same dtype", op->name,
                            gf_view_text(a, text_a, sizeof text_a), gf_view_text(b, text_b, sizeof text_b));
    if (a->width != b->height)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: a is %s and b is %s; the width of a must be the height of b",
                            op->name, gf_view_text(a, text_a, sizeof text_a), gf_view_text(b, text_b, sizeof text_b));
    return GF_OK;
}

enum gf_status gf_outputs_matmul(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    (void)params;
    enum gf_status status = check_pair(op, &in[0], &in[1], err);
    if (status != GF_OK)
        return status;
    uint32_t dtype = gf_dtype_kind(in[0].dtype) == GF_KIND_FLOAT ? in[0].dtype : (uint32_t)GF_I64;
    struct gf_view product = gf_view_tight(dtype, in[1].width, in[0].height, 1);
    status = gf_view_check(&product, "matmul: the product", err);
    if (status == GF_OK)
        *ret_out = product;
    return status;
}

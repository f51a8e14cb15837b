/* SPDX-License-Identifier: MIT */
/* Outputs and parameter checks of convolve1d and correlate1d, docs/numerics.md, "convolve1d, correlate1d". Called by
 * gf_op_infer. */
#include <inttypes.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_checks.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/convolve1d.h"
#include "protocol/ops/params/correlate1d.h"

/* The common parameters of both ops. */
struct conv1d_params {
    uint32_t mode, axis, border;
    double border_value;
    const struct gf_u32v *anchor;
    const char *what; /* the result in messages */
};

static enum gf_status check_kernel(const struct gf_op *op, const struct gf_view *in, struct gf_error *err)
{
    const struct gf_view *kernel = &in[1];
    char text[64];
    if (kernel->dtype != in[0].dtype)
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: src is %s and kernel is %s; both must have the same dtype",
                            op->name, gf_dtype_word(in[0].dtype), gf_dtype_word(kernel->dtype));
    if (kernel->height != 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: kernel is %s; it must be one row", op->name,
                            gf_view_text(kernel, text, sizeof text));
    if (kernel->width > GF_MAX_KERNEL)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: kernel is %s; allowed: up to %u taps", op->name,
                            gf_view_text(kernel, text, sizeof text), GF_MAX_KERNEL);
    return GF_OK;
}

static enum gf_status check_border(const struct gf_op *op, uint32_t dtype, const struct conv1d_params *p,
                                   struct gf_error *err)
{
    if (p->mode != GF_CONVOLUTION_SAME || p->border != GF_BORDER_CONSTANT)
        return GF_OK;
    return gf_check_element(op, "border_value", dtype, p->border_value, err);
}

static enum gf_status check_params(const struct gf_op *op, const struct gf_view *in, const struct conv1d_params *p,
                                   struct gf_error *err)
{
    if (p->axis == GF_AXIS_ALL)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: axis=all would continue from one row into the next; give rows or cols", op->name);
    if (p->anchor->n > 0 && p->anchor->v[0] >= in[1].width)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: anchor=%" PRIu32 " outside the kernel; allowed: 0..%" PRIu64,
                            op->name, p->anchor->v[0], in[1].width - 1);
    return check_border(op, in[0].dtype, p, err);
}

static enum gf_status infer(const struct gf_op *op, const struct gf_view *in, const struct conv1d_params *p,
                            struct gf_view *ret_out, struct gf_error *err)
{
    bool cols = p->axis == GF_AXIS_COLS;
    uint64_t length = cols ? in[0].height : in[0].width, taps = in[1].width;
    enum gf_status status = check_kernel(op, in, err);
    if (status == GF_OK)
        status = check_params(op, in, p, err);
    if (status != GF_OK)
        return status;
    if (p->mode == GF_CONVOLUTION_VALID && taps > length)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: mode=valid leaves nothing of %" PRIu64 " elements under %" PRIu64 " taps", op->name,
                            length, taps);
    length = p->mode == GF_CONVOLUTION_VALID  ? length - taps + 1
             : p->mode == GF_CONVOLUTION_FULL ? length + taps - 1
                                              : length;
    uint32_t dtype = gf_dtype_kind(in[0].dtype) == GF_KIND_FLOAT ? in[0].dtype : (uint32_t)GF_I64;
    struct gf_view dst =
        gf_view_tight(dtype, cols ? in[0].width : length, cols ? length : in[0].height, in[0].channels);
    status = gf_view_check(&dst, p->what, err);
    if (status == GF_OK)
        *ret_out = dst;
    return status;
}

enum gf_status gf_outputs_convolve1d(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_convolve1d_params p = gf_convolve1d_params_get(params);
    const struct conv1d_params common = {p.mode, p.axis, p.border, p.border_value, &p.anchor, "convolve1d: dst"};
    return infer(op, in, &common, ret_out, err);
}

enum gf_status gf_outputs_correlate1d(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                      struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_correlate1d_params p = gf_correlate1d_params_get(params);
    const struct conv1d_params common = {p.mode, p.axis, p.border, p.border_value, &p.anchor, "correlate1d: dst"};
    return infer(op, in, &common, ret_out, err);
}

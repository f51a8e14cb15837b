/* SPDX-License-Identifier: MIT */
/* Outputs and checks of nv12, i420 and rgb420, docs/numerics.md, "nv12, i420, rgb420". Called by gf_op_infer. */
#include <inttypes.h>

#include "protocol/base/text.h"
#include "protocol/ops/op_checks.h"
#include "protocol/ops/op_outputs.h"

static uint64_t half(uint64_t side)
{
    return side / 2 + side % 2;
}

static enum gf_status check_rgb(const struct gf_op *op, const struct gf_view *in, struct gf_error *err)
{
    if (in->channels == 3)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_VIEW, "%s: src has %" PRIu32 " channel%s; allowed: 3%s", op->name, in->channels,
                        in->channels == 1 ? "" : "s",
                        in->channels == 4   ? "; the planes have no alpha; flatten puts a colour behind the picture"
                        : in->channels == 1 ? "; merge order=1,1,1 makes three of grey"
                                            : "");
}

/* Makes luma, and for each further output a plane of chroma with `channels` channels. */
static enum gf_status make_planes(const struct gf_op *op, const struct gf_view *in, uint32_t channels,
                                  struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status = check_rgb(op, in, err);
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(in->dtype, in->width, in->height, 1);
    for (uint32_t i = 1; i < op->n_outputs; i++)
        ret_out[i] = gf_view_tight(in->dtype, half(in->width), half(in->height), channels);
    return GF_OK;
}

enum gf_status gf_outputs_nv12(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    (void)params;
    return make_planes(op, in, 2, ret_out, err);
}

enum gf_status gf_outputs_i420(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    (void)params;
    return make_planes(op, in, 1, ret_out, err);
}

/* Checks a plane of chroma against luma. */
static enum gf_status check_chroma(const struct gf_op *op, uint32_t input, const struct gf_view *y,
                                   const struct gf_view *plane, uint32_t channels, struct gf_error *err)
{
    const char *name = op->inputs[input].name;
    uint64_t width = half(y->width), height = half(y->height);
    if (plane->dtype != y->dtype)
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: src is %s, %s is %s; all must have the same type%s", op->name,
                            gf_dtype_word(y->dtype), name, gf_dtype_word(plane->dtype),
                            gf_dtypes_differ_hint(y, plane));
    if (plane->width != width || plane->height != height)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: %s is %" PRIu64 "x%" PRIu64 ", src %" PRIu64 "x%" PRIu64
                            "; it must be half of that, rounded up: %" PRIu64 "x%" PRIu64,
                            op->name, name, plane->width, plane->height, y->width, y->height, width, height);
    if (plane->channels != channels)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: %s has %" PRIu32 " channel%s; allowed: %s", op->name, name,
                            plane->channels, plane->channels == 1 ? "" : "s",
                            channels == 2 ? "2 (Cb and Cr), or 1 (Cb) if cr is given"
                                          : "1, because Cb and Cr each have a plane");
    return GF_OK;
}

enum gf_status gf_outputs_rgb420(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    bool apart = gf_view_given(&in[2]);
    struct gf_view out = gf_view_tight(in->dtype, in->width, in->height, 3);
    (void)params;
    if (in->channels != 1)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: src has %" PRIu32 " channels; it is Y and must have 1", op->name,
                            in->channels);
    enum gf_status status = check_chroma(op, 1, in, &in[1], apart ? 1 : 2, err);
    if (status == GF_OK && apart)
        status = check_chroma(op, 2, in, &in[2], 1, err);
    if (status != GF_OK)
        return status;
    if (gf_view_samples(&out) > GF_MAX_SAMPLES)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: the result would have %" PRIu64 " samples; allowed: up to %" PRIu64, op->name,
                            gf_view_samples(&out), (uint64_t)GF_MAX_SAMPLES);
    *ret_out = out;
    return GF_OK;
}

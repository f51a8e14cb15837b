/* SPDX-License-Identifier: MIT */
/* Outputs and checks of the ops that convert channels, docs/numerics.md, "Colour". Called by gf_op_infer. */
#include <inttypes.h>
#include <math.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_checks.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/flatten.h"
#include "protocol/ops/params/gray.h"
#include "protocol/ops/params/hsv.h"
#include "protocol/ops/params/matrix.h"
#include "protocol/ops/params/merge.h"
#include "protocol/ops/params/normalize.h"
#include "protocol/ops/params/rgb.h"
#include "protocol/ops/params/ycbcr.h"

static bool has_alpha(const struct gf_view *view)
{
    return view->channels % 2 == 0;
}

static void make(const struct gf_view *in, uint32_t dtype, uint32_t channels, struct gf_view *ret_out)
{
    *ret_out = gf_view_tight(dtype, in->width, in->height, channels);
}

/* Like make, but checks the number of samples, because channels may be added. */
static enum gf_status make_more(const struct gf_op *op, const struct gf_view *in, uint32_t dtype, uint32_t channels,
                                struct gf_view *ret_out, struct gf_error *err)
{
    struct gf_view out;
    make(in, dtype, channels, &out);
    if (gf_view_samples(&out) > GF_MAX_SAMPLES)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: the result would have %" PRIu64 " samples; allowed: up to %" PRIu64, op->name,
                            gf_view_samples(&out), (uint64_t)GF_MAX_SAMPLES);
    *ret_out = out;
    return GF_OK;
}

static enum gf_status check_rgb(const struct gf_op *op, const struct gf_view *in, struct gf_error *err)
{
    if (in->channels >= 3)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_VIEW, "%s: src has %" PRIu32 " channel%s; allowed: 3, or 4 with alpha", op->name,
                        in->channels, in->channels == 1 ? "" : "s");
}

/* Three colours, and alpha if the input has it and keeps it. */
static void make_colours(const struct gf_view *in, uint32_t colours, uint32_t alpha, struct gf_view *ret_out)
{
    make(in, in->dtype, colours + (has_alpha(in) && alpha == GF_KEPT_ALPHA_KEEP), ret_out);
}

enum gf_status gf_outputs_gray(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_gray_params p = gf_gray_params_get(params);
    if (p.weights.n != 0 && p.weights.n != 3)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: weights has %" PRIu32 " value%s; give three: for red, green and blue", op->name,
                            p.weights.n, p.weights.n == 1 ? "" : "s");
    if (p.weights.n != 0 && p.standard != GF_COLOUR_STANDARD_BT601)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: weights cannot be used with standard=%s; leave one of them out",
                            op->name, gf_enum_word(GF_ENUM_COLOUR_STANDARD, p.standard));
    if (p.weights.n != 0 && in->channels < 3)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: weights cannot be used with a grey picture of %" PRIu32
                            " channel%s; scale it with map, as in map scale=0.5",
                            op->name, in->channels, in->channels == 1 ? "" : "s");
    make_colours(in, 1, p.alpha, ret_out);
    return GF_OK;
}

enum gf_status gf_outputs_matrix(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_view *coefs = &in[1];
    uint32_t channels = in->channels, dtype = gf_matrix_params_get(params).dtype;
    if (coefs->height > GF_MAX_CHANNELS)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: coefs has %" PRIu64 " rows; allowed: 1..%u, one per channel of dst", op->name,
                            coefs->height, GF_MAX_CHANNELS);
    if (coefs->width != channels && coefs->width != channels + 1)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: coefs has %" PRIu64 " columns for %" PRIu32 " channel%s; allowed: %" PRIu32
                            ", or %" PRIu32 " with offsets",
                            op->name, coefs->width, channels, channels == 1 ? "" : "s", channels, channels + 1);
    enum gf_status status = gf_check_result_type(op, in, (struct gf_result_type){dtype, GF_ALPHA_STRAIGHT, 0}, err);
    if (status != GF_OK)
        return status;
    return make_more(op, in, dtype == GF_DTYPE_SAME ? in->dtype : dtype, (uint32_t)coefs->height, ret_out, err);
}

enum gf_status gf_outputs_ycbcr(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status = check_rgb(op, in, err);
    if (status == GF_OK)
        make_colours(in, 3, gf_ycbcr_params_get(params).alpha, ret_out);
    return status;
}

/* Checks that samples can hold a full turn of hue. */
static enum gf_status check_turn(const struct gf_op *op, const struct gf_view *in, uint32_t turn, struct gf_error *err)
{
    if (in->dtype != GF_U8 || turn <= 256)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: turn=%" PRIu32 " for u8; allowed: 1..256, or 0 for 180", op->name,
                        turn);
}

enum gf_status gf_outputs_hsv(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status = check_rgb(op, in, err);
    if (status == GF_OK)
        status = check_turn(op, in, gf_hsv_params_get(params).turn, err);
    if (status == GF_OK)
        make_colours(in, 3, gf_hsv_params_get(params).alpha, ret_out);
    return status;
}

enum gf_status gf_outputs_rgb(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_rgb_params p = gf_rgb_params_get(params);
    bool is_hsv = p.model == GF_COLOUR_MODEL_HSV;
    enum gf_status status = check_rgb(op, in, err);
    if (status != GF_OK)
        return status;
    if (is_hsv && (p.standard != GF_COLOUR_STANDARD_BT601 || p.range != GF_VIDEO_RANGE_FULL))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: standard and range cannot be used with model=hsv; leave them out",
                            op->name);
    if (!is_hsv && p.turn != 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: turn=%" PRIu32 " cannot be used with model=ycbcr; leave it out",
                            op->name, p.turn);
    status = check_turn(op, in, p.turn, err);
    if (status == GF_OK)
        make_colours(in, 3, p.alpha, ret_out);
    return status;
}

/* Checks that a background of integers is a valid sample. */
static enum gf_status check_sample(const struct gf_op *op, const struct gf_view *in, float v, struct gf_error *err)
{
    float max = in->dtype == GF_U8 ? 255.0f : 65535.0f;
    char number[GF_NUMBER_TEXT];
    if (in->dtype == GF_F32 || (v >= 0.0f && v <= max && floorf(v) == v))
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: colour=%s is not a %s sample; allowed: whole numbers 0..%.0f",
                        op->name, gf_text_from_f32(v, number, sizeof number), gf_dtype_word(in->dtype), (double)max);
}

enum gf_status gf_outputs_flatten(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_f32v colour = gf_flatten_params_get(params).colour;
    uint32_t colours = in->channels - has_alpha(in);
    enum gf_status status = GF_OK;
    if (has_alpha(in))
        status = gf_check_per_channel(op, "colour", colour.n, colours, err);
    for (uint32_t i = 0; has_alpha(in) && i < colour.n && status == GF_OK; i++)
        status = check_sample(op, in, colour.v[i], err);
    if (status == GF_OK)
        make(in, in->dtype, colours, ret_out);
    return status;
}

enum gf_status gf_outputs_merge(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_u32v order = gf_merge_params_get(params).order;
    uint32_t channels = 0;
    char a[64], b[64];
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        if (!gf_view_given(&in[i]))
            continue;
        if (in[i].dtype != in->dtype || in[i].width != in->width || in[i].height != in->height)
            return gf_error_set(err, in[i].dtype == in->dtype ? GF_E_BAD_VIEW : GF_E_BAD_DTYPE,
                                "%s: %s is %s, %s is %s; all must have the same size and type%s", op->name,
                                op->inputs[0].name, gf_view_text(&in[0], a, sizeof a), op->inputs[i].name,
                                gf_view_text(&in[i], b, sizeof b), gf_dtypes_differ_hint(&in[0], &in[i]));
        channels += in[i].channels;
    }
    if (channels > GF_MAX_CHANNELS)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: the pictures have %" PRIu32 " channels in total; allowed: up to %u", op->name,
                            channels, GF_MAX_CHANNELS);
    for (uint32_t i = 0; i < order.n; i++)
        if (order.v[i] > channels)
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: order has channel %" PRIu32 " of %" PRIu32 "; allowed: 1..%" PRIu32
                                ", or 0 for the greatest sample",
                                op->name, order.v[i], channels, channels);
    return make_more(op, in, in->dtype, order.n == 0 ? channels : order.n, ret_out, err);
}

enum gf_status gf_outputs_normalize(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                    struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_normalize_params p = gf_normalize_params_get(params);
    enum gf_status status = gf_check_per_channel(op, "mean", p.mean.n, in->channels, err);
    if (status == GF_OK)
        status = gf_check_per_channel(op, "std", p.std.n, in->channels, err);
    if (status == GF_OK && p.range == GF_RANGE_FULL && in->dtype == GF_I16)
        status = gf_error_set(err, GF_E_BAD_PARAM,
                              "%s: range=full cannot be used with i16, which has no white level; use std", op->name);
    if (status == GF_OK)
        make(in, GF_F32, in->channels, ret_out);
    return status;
}

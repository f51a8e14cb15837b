/* SPDX-License-Identifier: MIT */
/* Checks of the named filters and of the point operations. Listed in the table of op_checks.c. */
#include <inttypes.h>

#include "enums.h"
#include "op_checks.h"
#include "protocol/base/text.h"
#include "protocol/ops/params/bilateral.h"
#include "protocol/ops/params/combine.h"
#include "protocol/ops/params/emboss.h"
#include "protocol/ops/params/laplacian.h"
#include "protocol/ops/params/log.h"
#include "protocol/ops/params/map.h"
#include "protocol/ops/params/prewitt.h"
#include "protocol/ops/params/scharr.h"
#include "protocol/ops/params/sharpen.h"
#include "protocol/ops/params/sobel.h"
#include "protocol/ops/params/unsharp.h"

/* Pixel differences cannot be weighted by alpha. */
static enum gf_status check_unweighted(const struct gf_op *op, const struct gf_view *src, uint32_t alpha,
                                       struct gf_error *err)
{
    if (alpha != GF_ALPHA_PREMULTIPLIED || src->channels % 2 != 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: alpha=premultiplied is for weighted means; use ignore or straight",
                        op->name);
}

/* The common checks of filters whose result is f32 by default. */
static enum gf_status check_derivative(const struct gf_op *op, const struct gf_view *src, uint32_t border,
                                       const struct gf_f32v *border_value, struct gf_result_type type,
                                       struct gf_error *err)
{
    enum gf_status status = check_unweighted(op, src, type.alpha, err);
    if (status == GF_OK)
        status = gf_check_result_type(op, src, type, err);
    if (status == GF_OK)
        status = gf_check_outside(op, src, (struct gf_outside){border, border_value, GF_LIGHT_ENCODED}, err);
    return status;
}

enum gf_status gf_check_sharpen(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    const struct gf_sharpen_params p = gf_sharpen_params_get(params);
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_emboss(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_error *err)
{
    const struct gf_emboss_params p = gf_emboss_params_get(params);
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_bilateral(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_error *err)
{
    const struct gf_bilateral_params p = gf_bilateral_params_get(params);
    const struct gf_param_desc *radius = gf_op_param(op, "radius");
    char sigma[GF_NUMBER_TEXT];
    if (gf_bilateral_radius(params) > (uint32_t)radius->hi)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: sigma_space=%s has radius %u; allowed: up to %.0f; give a radius",
                            op->name, gf_text_from_f32(p.sigma_space, sigma, sizeof sigma), gf_bilateral_radius(params),
                            radius->hi);
    enum gf_status status = check_unweighted(op, &in[0], p.alpha, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, GF_LIGHT_ENCODED}, err);
}

enum gf_status gf_check_unsharp(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    const struct gf_unsharp_params p = gf_unsharp_params_get(params);
    enum gf_status status = gf_check_sigma(op, &p.sigma, p.truncate, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_sobel(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_error *err)
{
    const struct gf_sobel_params p = gf_sobel_params_get(params);
    return check_derivative(op, &in[0], p.border, &p.border_value, (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

enum gf_status gf_check_scharr(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_error *err)
{
    const struct gf_scharr_params p = gf_scharr_params_get(params);
    return check_derivative(op, &in[0], p.border, &p.border_value, (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

enum gf_status gf_check_prewitt(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    const struct gf_prewitt_params p = gf_prewitt_params_get(params);
    return check_derivative(op, &in[0], p.border, &p.border_value, (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

enum gf_status gf_check_laplacian(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_error *err)
{
    const struct gf_laplacian_params p = gf_laplacian_params_get(params);
    return check_derivative(op, &in[0], p.border, &p.border_value, (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

enum gf_status gf_check_log(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                            struct gf_error *err)
{
    const struct gf_log_params p = gf_log_params_get(params);
    enum gf_status status = gf_check_sigma(op, &p.sigma, p.truncate, err);
    if (status != GF_OK)
        return status;
    return check_derivative(op, &in[0], p.border, &p.border_value, (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

/* A table has one entry per value of the picture and replaces the formula. */
static enum gf_status check_table(const struct gf_op *op, const struct gf_view *in, const struct gf_map_params *p,
                                  struct gf_error *err)
{
    uint32_t entries = in[0].dtype == GF_U8 ? 256 : 65536;
    if (gf_dtype_kind(in[0].dtype) == GF_KIND_FLOAT)
        return gf_error_set(err, GF_E_BAD_DTYPE,
                            "%s: a table has one entry per value, too many for %s; allowed: pictures of u8, "
                            "u16 and i16",
                            op->name, gf_dtype_word(in[0].dtype));
    if (in[1].width != entries)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: table has %" PRIu64 " numbers; pictures of %s need %" PRIu32,
                            op->name, in[1].width, gf_dtype_word(in[0].dtype), entries);
    if (p->scale != 1.0f || p->offset != 0.0f || p->gamma != 1.0f || p->range != GF_RANGE_VALUE)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: a table replaces scale, offset, gamma and range; leave "
                            "them out",
                            op->name);
    return GF_OK;
}

enum gf_status gf_check_map(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                            struct gf_error *err)
{
    const struct gf_map_params p = gf_map_params_get(params);
    enum gf_status status = check_unweighted(op, &in[0], p.alpha, err);
    if (status == GF_OK)
        status = gf_check_result_type(op, &in[0], (struct gf_result_type){p.dtype, p.alpha, 0}, err);
    if (status == GF_OK && gf_view_given(&in[1]))
        status = check_table(op, in, &p, err);
    if (status == GF_OK && p.range == GF_RANGE_FULL && p.dtype == GF_DTYPE_I16)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: range=full cannot be used with dtype=i16, which has no white level", op->name);
    if (status == GF_OK && p.range == GF_RANGE_FULL && in[0].dtype == GF_I16)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: range=full cannot be used with a picture of i16, which has no white level; give scale and "
            "offset",
            op->name);
    return status;
}

enum gf_status gf_check_combine(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    const struct gf_combine_params p = gf_combine_params_get(params);
    char a[64], b[64];
    if (!gf_view_same_shape(&in[0], &in[1]))
        return gf_error_set(err, in[0].dtype == in[1].dtype ? GF_E_BAD_VIEW : GF_E_BAD_DTYPE,
                            "%s: %s is %s, %s is %s; both must have the same shape and dtype%s", op->name,
                            op->inputs[0].name, gf_view_text(&in[0], a, sizeof a), op->inputs[1].name,
                            gf_view_text(&in[1], b, sizeof b), gf_dtypes_differ_hint(&in[0], &in[1]));
    enum gf_status status = check_unweighted(op, &in[0], p.alpha, err);
    if (status != GF_OK)
        return status;
    return gf_check_result_type(op, &in[0], (struct gf_result_type){p.dtype, p.alpha, 0}, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Checks across parameters and inputs, per op, that no range of a single parameter can express. In protocol/ only this
 * file, and the files with the checks that it lists, name ops.
 */
#include "op_checks.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "enums.h"
#include "outputs_histogram.h"
#include "protocol/base/text.h"
#include "protocol/ops/params/autocontrast.h"
#include "protocol/ops/params/bilateral.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/clahe.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/equalize.h"
#include "protocol/ops/params/gaussian.h"
#include "protocol/ops/params/histogram.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/threshold.h"
#include "texts/operator.h"

/* Radius of the longest axis: 2 * radius + 1 taps. */
#define MAX_RADIUS ((GF_MAX_TAPS - 1) / 2)

uint32_t gf_gaussian_radius(float sigma, float truncate)
{
    double radius = floor((double)truncate * (double)sigma + 0.5);
    if (!(radius < (double)UINT32_MAX))
        return UINT32_MAX;
    return radius > 0 ? (uint32_t)radius : 0;
}

uint32_t gf_bilateral_radius(const union gf_params *params)
{
    double radius = rint(1.5 * (double)gf_bilateral_params_get(params).sigma_space);
    if (gf_bilateral_params_get(params).radius > 0)
        return gf_bilateral_params_get(params).radius;
    return radius > 1.0 ? (uint32_t)radius : 1;
}

uint64_t gf_separable_taps(const struct gf_op *op, const union gf_params *params, uint32_t axis)
{
    struct gf_f32v sigma;
    float truncate;
    memcpy(&sigma, (const char *)params + gf_op_param(op, "sigma")->offset, sizeof(sigma));
    memcpy(&truncate, (const char *)params + gf_op_param(op, "truncate")->offset, sizeof(truncate));
    return 1 + 2 * (uint64_t)gf_gaussian_radius(GF_PICK(sigma, axis), truncate);
}

/* Linear light decodes border values by a table, so they must be valid samples; alpha is never decoded. */
static enum gf_status check_linear_border(const struct gf_op *op, const struct gf_view *src,
                                          const struct gf_f32v *value, struct gf_error *err)
{
    uint32_t colours = src->channels % 2 == 0 ? src->channels - 1 : src->channels;
    float max = src->dtype == GF_U8 ? 255.0f : 65535.0f;
    for (uint32_t i = 0; i < colours; i++) {
        float v = GF_PICK(*value, i);
        char number[GF_NUMBER_TEXT];
        if (!(v >= 0.0f && v <= max && floorf(v) == v))
            return gf_error_set(
                err, GF_E_BAD_PARAM,
                "%s: border_value=%s is not a %s sample, which light=linear needs; allowed: whole numbers 0..%.0f",
                op->name, gf_text_from_f32(v, number, sizeof number), gf_dtype_word(src->dtype), (double)max);
    }
    return GF_OK;
}

enum gf_status gf_check_per_channel(const struct gf_op *op, const char *name, uint32_t given, uint32_t channels,
                                    struct gf_error *err)
{
    if (given == 1 || given == channels)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %" PRIu32 " values for %" PRIu32 " channel%s; give one%s",
                        op->name, name, given, channels, channels == 1 ? "" : "s",
                        channels == 1 ? "" : ", or one per channel");
}

enum gf_status gf_check_outside(const struct gf_op *op, const struct gf_view *src, struct gf_outside outside,
                                struct gf_error *err)
{
    enum gf_status status = gf_check_per_channel(op, "border_value", outside.value->n, src->channels, err);
    if (status != GF_OK)
        return status;
    if (outside.border == GF_BORDER_CONSTANT && outside.light == GF_LIGHT_LINEAR &&
        (GF_DT(src->dtype) & GF_DT_ENCODED) != 0)
        return check_linear_border(op, src, outside.value, err);
    return GF_OK;
}

enum gf_status gf_check_axes(const struct gf_op *op, const char *name, uint32_t n, struct gf_error *err)
{
    if (n != 1 && n != 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %" PRIu32 " values; give one, or x,y", op->name, name, n);
    return GF_OK;
}

enum gf_status gf_check_anchor(const struct gf_op *op, const struct gf_view *mask, const struct gf_u32v *anchor,
                               struct gf_error *err)
{
    if (anchor->n == 0)
        return GF_OK;
    if (anchor->n != 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: anchor has %" PRIu32 " value; give two: x,y", op->name,
                            anchor->n);
    if (anchor->v[0] >= mask->width || anchor->v[1] >= mask->height)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: anchor=%" PRIu32 ",%" PRIu32 " outside the mask; allowed: 0..%" PRIu64 ",0..%" PRIu64,
                            op->name, anchor->v[0], anchor->v[1], mask->width - 1, mask->height - 1);
    return GF_OK;
}

enum gf_status gf_check_correlate(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_error *err)
{
    const struct gf_correlate_params p = gf_correlate_params_get(params);
    enum gf_status status = gf_check_anchor(op, &in[1], &p.anchor, err);
    if (status == GF_OK)
        status = gf_check_result_type(op, &in[0], (struct gf_result_type){p.dtype, p.alpha, p.light}, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_convolve(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_error *err)
{
    const struct gf_convolve_params p = gf_convolve_params_get(params);
    enum gf_status status = gf_check_anchor(op, &in[1], &p.anchor, err);
    if (status == GF_OK)
        status = gf_check_result_type(op, &in[0], (struct gf_result_type){p.dtype, p.alpha, p.light}, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_sigma(const struct gf_op *op, const struct gf_f32v *sigma, float truncate, struct gf_error *err)
{
    enum gf_status status = gf_check_axes(op, "sigma", sigma->n, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < sigma->n; i++) {
        uint32_t radius = gf_gaussian_radius(sigma->v[i], truncate);
        char value[GF_NUMBER_TEXT], factor[GF_NUMBER_TEXT];
        if (radius > MAX_RADIUS)
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: sigma=%s with truncate=%s has radius %" PRIu32 "; allowed: up to %u", op->name,
                                gf_text_from_f32(sigma->v[i], value, sizeof value),
                                gf_text_from_f32(truncate, factor, sizeof factor), radius, MAX_RADIUS);
    }
    return GF_OK;
}

enum gf_status gf_check_result_type(const struct gf_op *op, const struct gf_view *src, struct gf_result_type type,
                                    struct gf_error *err)
{
    /* The numbers of the type words are the numbers of the types. */
    uint32_t allowed = GF_DT_SAMPLES;
    char set[GF_DTYPES_TEXT];
    if (type.dtype == GF_DTYPE_SAME || type.dtype == src->dtype)
        return GF_OK;
    const char *word = gf_enum_word(GF_ENUM_DTYPE, type.dtype);
    if ((GF_DT(type.dtype) & allowed) == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: dtype=%s; allowed: %s", op->name, word,
                            gf_dtype_set_text(allowed, set, sizeof set));
    if (type.light == GF_LIGHT_LINEAR && (GF_DT(src->dtype) & GF_DT_ENCODED) != 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: light=linear of %s cannot be used with dtype=%s; light has no scale there", op->name,
                            gf_dtype_word(src->dtype), word);
    if (type.alpha == GF_ALPHA_PREMULTIPLIED && src->channels % 2 == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: alpha=premultiplied of %s cannot be used with dtype=%s; use ignore or straight",
                            op->name, gf_dtype_word(src->dtype), word);
    return GF_OK;
}

enum gf_status gf_check_gaussian(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_error *err)
{
    const struct gf_gaussian_params p = gf_gaussian_params_get(params);
    enum gf_status status = gf_check_sigma(op, &p.sigma, p.truncate, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

enum gf_status gf_check_box(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                            struct gf_error *err)
{
    const struct gf_box_params p = gf_box_params_get(params);
    enum gf_status status = gf_check_axes(op, "size", p.size.n, err);
    if (status != GF_OK)
        return status;
    return gf_check_outside(op, &in[0], (struct gf_outside){p.border, &p.border_value, p.light}, err);
}

/* For ops that process each sample separately, colours have no weight. */
static enum gf_status check_tone_alpha(const struct gf_op *op, uint32_t alpha, struct gf_error *err)
{
    if (alpha == GF_ALPHA_PREMULTIPLIED)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: alpha=premultiplied has no meaning where pixels are not mixed; give ignore or straight", op->name);
    return GF_OK;
}

/* A threshold is either given or computed, and a brightness threshold does not keep alpha. */
enum gf_status gf_check_threshold(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_error *err)
{
    const struct gf_threshold_params p = gf_threshold_params_get(params);
    char value[GF_NUMBER_TEXT];
    if (p.mode == GF_THRESHOLD_FIXED && p.value.n == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: mode=fixed needs a value; give one, or mode=otsu, which finds it",
                            op->name);
    if (p.mode == GF_THRESHOLD_OTSU && p.value.n != 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: value=%s cannot be used with mode=otsu; leave one of them out",
                            op->name, gf_text_from_f32(p.value.v[0], value, sizeof value));
    if (p.channels == GF_TONE_CHANNELS_LUMA && p.alpha == GF_ALPHA_STRAIGHT && in->channels % 2 == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: channels=luma needs alpha in the last of %" PRIu32
                            " channels, and alpha=straight says that it is not; give alpha=ignore or channels=each",
                            op->name, in->channels);
    return check_tone_alpha(op, p.alpha, err);
}

enum gf_status gf_check_equalize(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_error *err)
{
    (void)in;
    return check_tone_alpha(op, gf_equalize_params_get(params).alpha, err);
}

enum gf_status gf_check_clahe(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_error *err)
{
    enum gf_status status = gf_check_axes(op, "tiles", gf_clahe_params_get(params).tiles.n, err);
    (void)in;
    return status == GF_OK ? check_tone_alpha(op, gf_clahe_params_get(params).alpha, err) : status;
}

enum gf_status gf_check_autocontrast(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_error *err)
{
    (void)in;
    return check_tone_alpha(op, gf_autocontrast_params_get(params).alpha, err);
}

/* Given edges determine bins and range. */
static enum gf_status check_edges(const struct gf_op *op, const struct gf_view *edges,
                                  const struct gf_histogram_params *p, struct gf_error *err)
{
    if (edges->width < 2)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: edges has 1 number; it must have 2 or more", op->name);
    if (p->bins != 0 && p->bins != edges->width - 1)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: bins=%" PRIu32 " with %" PRIu64 " edges, which make %" PRIu64 " bins; leave bins out",
                            op->name, p->bins, edges->width, edges->width - 1);
    if (p->lo != 0.0 || p->hi != 0.0 || p->range != GF_HIST_RANGE_AUTO)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: edges cannot be used with lo, hi and range; leave them out",
                            op->name);
    return GF_OK;
}

/* Checks that ranges and bins define a histogram. */
enum gf_status gf_check_histogram(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                  struct gf_error *err)
{
    const struct gf_histogram_params p = gf_histogram_params_get(params);
    const char *dtype = gf_dtype_word(in->dtype);
    char set[GF_DTYPES_TEXT];
    if (gf_view_given(&in[1])) {
        enum gf_status status = check_edges(op, &in[1], &p, err);
        if (status != GF_OK)
            return status;
    } else if (gf_histogram_bins(&p, in) == 0) {
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: bins=0 counts every value of u8 or u16; for %s give a number, such as bins=256",
                            op->name, dtype);
    } else if (gf_histogram_range(&p, in->dtype) == GF_HIST_RANGE_GIVEN && !(p.lo < p.hi)) {
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: lo=%.17g is not below hi=%.17g", op->name, p.lo, p.hi);
    }
    if (p.channels != GF_CHANNELS_LUMA)
        return GF_OK;
    if ((GF_DT(in->dtype) & GF_DT_IMAGE) == 0)
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: channels=luma of %s; allowed: %s", op->name, dtype,
                            gf_dtype_set_text(GF_DT_IMAGE, set, sizeof set));
    if (in->channels < 3)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: channels=luma needs 3 or 4 channels; the input has %" PRIu32,
                            op->name, in->channels);
    return GF_OK;
}

enum gf_status gf_check_element(const struct gf_op *op, const char *name, uint32_t dtype, double value,
                                struct gf_error *err)
{
    char number[GF_NUMBER_TEXT];
    double most = dtype == GF_F16 ? 65504.0 : (double)FLT_MAX;
    if (dtype == GF_F64 || (gf_dtype_kind(dtype) == GF_KIND_FLOAT && fabs(value) <= most))
        return GF_OK;
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%s for %s; allowed: -%.9g..%.9g", op->name, name,
                            gf_text_from_f64(value, number, sizeof number), gf_dtype_word(dtype), most, most);
    int bits = (int)gf_dtype_size(dtype) * 8;
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    double lo = is_signed ? -ldexp(1.0, bits - 1) : 0.0, hi = ldexp(1.0, is_signed ? bits - 1 : bits) - 1.0;
    if (bits == 64) {
        hi = ldexp(1.0, 53) - 1.0;
        lo = is_signed ? -hi : 0.0;
    }
    if (value == floor(value) && value >= lo && value <= hi)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%s for %s; allowed: whole numbers %.0f..%.0f", op->name, name,
                        gf_text_from_f64(value, number, sizeof number), gf_dtype_word(dtype), lo, hi);
}

const char *gf_dtypes_differ_hint(const struct gf_view *a, const struct gf_view *b)
{
    bool pictures = (GF_DT(a->dtype) & GF_DT_SAMPLES) != 0 && (GF_DT(b->dtype) & GF_DT_SAMPLES) != 0;
    bool white = a->dtype != GF_I16 && b->dtype != GF_I16;
    if (a->dtype == b->dtype || !pictures)
        return "";
    return white ? "; map converts by dtype and range=full" : "; map converts by dtype";
}

enum gf_status gf_check_alike(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                              struct gf_error *err)
{
    char a[64], b[64];
    (void)params;
    if (gf_view_same_shape(&in[0], &in[1]))
        return GF_OK;
    return gf_error_set(err, in[0].dtype == in[1].dtype ? GF_E_BAD_VIEW : GF_E_BAD_DTYPE,
                        "%s: a is %s and b is %s; both must have the same shape and dtype%s", op->name,
                        gf_view_text(&in[0], a, sizeof a), gf_view_text(&in[1], b, sizeof b),
                        gf_dtypes_differ_hint(&in[0], &in[1]));
}

/* Affine maps and matrices are float pixels. */
static enum gf_status check_compose(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                    struct gf_error *err)
{
    const struct gf_reduce_params p = gf_reduce_params_get(params);
    const char *name = p.op == GF_REDUCTION_AFFINE ? "affine" : "matmul2";
    uint32_t channels = p.op == GF_REDUCTION_AFFINE ? 2 : 4;
    if ((GF_DT_REAL & GF_DT(in[0].dtype)) == 0)
        return gf_error_set(err, GF_E_BAD_DTYPE,
                            "%s: op=%s takes f32 or f64, not %s; map dtype=f32 converts u8 and u16", op->name, name,
                            gf_dtype_word(in[0].dtype));
    if (in[0].channels != channels)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: op=%s takes %" PRIu32 " channels, not %" PRIu32, op->name, name,
                            channels, in[0].channels);
    if (p.nan == GF_NAN_OMIT)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: op=%s cannot be used with nan=omit", op->name, name);
    return GF_OK;
}

/* Segments apply to whole channels. */
enum gf_status gf_check_reduce(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_error *err)
{
    const struct gf_reduce_params p = gf_reduce_params_get(params);
    if (gf_view_given(&in[1]) && in[1].width < 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: segments has 1 number; it must have 2 or more", op->name);
    if (gf_view_given(&in[1]) && p.axis != GF_AXIS_ALL)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: axis=%s cannot be used with segments; use axis=all", op->name,
                            gf_enum_word(GF_ENUM_AXIS, p.axis));
    if (p.op == GF_REDUCTION_AFFINE || p.op == GF_REDUCTION_MATMUL2) {
        enum gf_status status = check_compose(op, in, params, err);
        if (status != GF_OK)
            return status;
    }
    return gf_operator_check(op, in, params, err);
}

/* An op without an entry needs no check. */
/* clang-format off */
#define GF_CHECK(op, check) [GF_INDEX_##op] = gf_check_##check,
static gf_check_fn *const checks[GF_N_OPS] = {
#define GF_OUTLINE
#include "ops.def"
};
/* clang-format on */

enum gf_status gf_op_check(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                           struct gf_error *err)
{
    gf_check_fn *check = checks[op->index];
    return check == NULL ? GF_OK : check(op, in, params, err);
}

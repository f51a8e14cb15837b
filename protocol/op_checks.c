/* SPDX-License-Identifier: MIT */
/*
 * Checks across parameters and inputs, per op: what no range of a single parameter can state. The one file of protocol/
 * that may name ops.
 */
#include "op_shapes.h"

#include <inttypes.h>
#include <math.h>

#include "enums.h"
#include "text.h"

/* Radius of the longest axis: 2 * radius + 1 taps. */
#define MAX_RADIUS ((GF_MAX_TAPS - 1) / 2)

/* What every filter says about the pixels outside and the scale of the samples. */
struct outside {
    uint32_t border;
    const struct gf_f32v *value;
    uint32_t light;
};

uint32_t gf_gaussian_radius(float sigma, float truncate)
{
    double radius = floor((double)truncate * (double)sigma + 0.5);
    if (!(radius < (double)UINT32_MAX))
        return UINT32_MAX;
    return radius > 0 ? (uint32_t)radius : 0;
}

/* Linear light reads constants from a table, so they must be whole samples; alpha is never decoded. */
static enum gf_status check_linear_border(const struct gf_op *op, const struct gf_view *src,
                                          const struct gf_f32v *value, struct gf_error *err)
{
    uint32_t colours = src->channels % 2 == 0 ? src->channels - 1 : src->channels;
    float max = src->dtype == GF_U8 ? 255.0f : 65535.0f;
    for (uint32_t i = 0; i < colours; i++) {
        float v = GF_PICK(*value, i);
        char number[GF_NUMBER_TEXT];
        if (!(v >= 0.0f && v <= max && floorf(v) == v))
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: border_value=%s is no %s sample, which light=linear needs: whole numbers 0..%.0f",
                                op->name, gf_text_from_f32(v, number, sizeof number), gf_dtype_word(src->dtype),
                                (double)max);
    }
    return GF_OK;
}

static enum gf_status check_outside(const struct gf_op *op, const struct gf_view *src, struct outside outside,
                                    struct gf_error *err)
{
    if (outside.value->n != 1 && outside.value->n != src->channels)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: border_value has %" PRIu32 " values for %" PRIu32
                            " channels; give one, or one per channel",
                            op->name, outside.value->n, src->channels);
    if (outside.border == GF_BORDER_CONSTANT && outside.light == GF_LIGHT_LINEAR && src->dtype != GF_F32)
        return check_linear_border(op, src, outside.value, err);
    return GF_OK;
}

static enum gf_status check_axes(const struct gf_op *op, const char *name, uint32_t n, struct gf_error *err)
{
    if (n != 1 && n != 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %" PRIu32 " values; give one, or x,y", op->name, name, n);
    return GF_OK;
}

static enum gf_status check_anchor(const struct gf_op *op, const struct gf_view *mask, const struct gf_u32v *anchor,
                                   struct gf_error *err)
{
    if (anchor->n == 0)
        return GF_OK;
    if (anchor->n != 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: anchor has %" PRIu32 " value; give two: x,y", op->name,
                            anchor->n);
    if (anchor->v[0] >= mask->width || anchor->v[1] >= mask->height)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: anchor=%" PRIu32 ",%" PRIu32 " outside the mask, allowed is 0,0 to %" PRIu64
                            ",%" PRIu64,
                            op->name, anchor->v[0], anchor->v[1], mask->width - 1, mask->height - 1);
    return GF_OK;
}

static enum gf_status check_correlate(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                      struct gf_error *err)
{
    const struct gf_correlate_params *p = &params->correlate;
    enum gf_status status = check_anchor(op, &in[1], &p->anchor, err);
    if (status != GF_OK)
        return status;
    return check_outside(op, &in[0], (struct outside){p->border, &p->border_value, p->light}, err);
}

static enum gf_status check_convolve(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_error *err)
{
    const struct gf_convolve_params *p = &params->convolve;
    enum gf_status status = check_anchor(op, &in[1], &p->anchor, err);
    if (status != GF_OK)
        return status;
    return check_outside(op, &in[0], (struct outside){p->border, &p->border_value, p->light}, err);
}

static enum gf_status check_gaussian(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                     struct gf_error *err)
{
    const struct gf_gaussian_params *p = &params->gaussian;
    enum gf_status status = check_axes(op, "sigma", p->sigma.n, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < p->sigma.n; i++) {
        uint32_t radius = gf_gaussian_radius(p->sigma.v[i], p->truncate);
        char sigma[GF_NUMBER_TEXT], truncate[GF_NUMBER_TEXT];
        if (radius > MAX_RADIUS)
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: sigma=%s with truncate=%s has radius %" PRIu32 ", at most %u is allowed", op->name,
                                gf_text_from_f32(p->sigma.v[i], sigma, sizeof sigma),
                                gf_text_from_f32(p->truncate, truncate, sizeof truncate), radius, MAX_RADIUS);
    }
    return check_outside(op, &in[0], (struct outside){p->border, &p->border_value, p->light}, err);
}

static enum gf_status check_box(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    const struct gf_box_params *p = &params->box;
    enum gf_status status = check_axes(op, "size", p->size.n, err);
    if (status != GF_OK)
        return status;
    return check_outside(op, &in[0], (struct outside){p->border, &p->border_value, p->light}, err);
}

static enum gf_status check_dot(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err)
{
    char a[64], b[64];
    (void)params;
    if (gf_view_same_shape(&in[0], &in[1]))
        return GF_OK;
    return gf_error_set(err, in[0].dtype == in[1].dtype ? GF_E_BAD_VIEW : GF_E_BAD_DTYPE,
                        "%s: a is %s and b is %s; both must have the same shape and dtype", op->name,
                        gf_view_text(&in[0], a, sizeof a), gf_view_text(&in[1], b, sizeof b));
}

typedef enum gf_status check_fn(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_error *err);

/* An op without a row needs no check. */
static check_fn *const checks[GF_N_OPS] = {
    [GF_INDEX_correlate] = check_correlate,
    [GF_INDEX_convolve] = check_convolve,
    [GF_INDEX_gaussian] = check_gaussian,
    [GF_INDEX_box] = check_box,
    [GF_INDEX_dot] = check_dot,
};

enum gf_status gf_op_check(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                           struct gf_error *err)
{
    check_fn *check = checks[op->index];
    return check == NULL ? GF_OK : check(op, in, params, err);
}

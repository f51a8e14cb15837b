/* SPDX-License-Identifier: MIT */
/* Output and parameter checks of resize, docs/numerics.md, "resize". Called by gf_op_infer. */
#include <inttypes.h>
#include <math.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/resize.h"

/* Exactly one parameter must determine the size of the result. */
static enum gf_status check_given(const struct gf_op *op, const struct gf_resize_params *p, struct gf_error *err)
{
    const struct {
        const char *name;
        uint32_t n;
    } ways[] = {{"size", p->size.n}, {"scale", p->scale.n}, {"fit", p->fit.n}, {"fill", p->fill.n}};
    const char *first = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(ways); i++) {
        if (ways[i].n == 0)
            continue;
        if (first != NULL)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s and %s are both given; leave one of them out", op->name,
                                first, ways[i].name);
        first = ways[i].name;
    }
    if (first == NULL)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: no size is given; give one of size=640x480, size=400x, scale=0.5, fit=640x480, fill=640x480",
            op->name);
    if (p->size.n != 0 && p->size.v[0] == 0 && GF_PICK(p->size, 1) == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: size=%s has no side; allowed: sides of 1..%u, one of which may be left out, such as "
                            "400x",
                            op->name, p->size.n == 1 ? "0" : "x (0x0)", GF_MAX_SIDE);
    return GF_OK;
}

static enum gf_status check_box(const struct gf_op *op, const struct gf_f64v *box, const struct gf_view *in,
                                struct gf_error *err)
{
    char text[4][GF_NUMBER_TEXT];
    if (box->n == 0)
        return GF_OK;
    if (box->n != 4)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: box has %" PRIu32 " values; give x,y,width,height", op->name,
                            box->n);
    const double *v = box->v;
    const bool empty = v[2] < 1.0 / GF_MAX_SIDE || v[3] < 1.0 / GF_MAX_SIDE;
    if (!empty && v[0] + v[2] <= (double)in->width && v[1] + v[3] <= (double)in->height)
        return GF_OK;
    for (uint32_t i = 0; i < 4; i++)
        gf_text_from_f64(v[i], text[i], sizeof text[i]);
    if (empty)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: box=%s,%s,%s,%s; its width and height must be at least 1/%u",
                            op->name, text[0], text[1], text[2], text[3], GF_MAX_SIDE);
    return gf_error_set(err, GF_E_BAD_PARAM,
                        "%s: box=%s,%s,%s,%s goes beyond the picture of %" PRIu64 "x%" PRIu64
                        "; x + width and y + height must be at most its sides",
                        op->name, text[0], text[1], text[2], text[3], in->width, in->height);
}

static struct gf_region box_of(const struct gf_f64v *box, const struct gf_view *src)
{
    if (box->n == 0)
        return (struct gf_region){0.0, 0.0, (double)src->width, (double)src->height};
    return (struct gf_region){box->v[0], box->v[1], box->v[2], box->v[3]};
}

struct gf_region gf_resize_region(const struct gf_resize_params *params, const struct gf_view *src)
{
    struct gf_region r = box_of(&params->box, src);
    if (params->fill.n == 0)
        return r;
    double w = GF_PICK(params->fill, 0), h = GF_PICK(params->fill, 1), width = r.width, height = r.height;
    if (width * h > w * height)
        r.width = height * w / h;
    else
        r.height = width * h / w;
    r.x += (width - r.width) / 2.0;
    r.y += (height - r.height) / 2.0;
    return r;
}

/* The other side of the result that keeps the shape: `given` replaces the side `from`, whose other side is `other`. */
static double in_shape(double given, double from, double other)
{
    return fmax(1.0, floor(given * other / from + 0.5));
}

/* The sides of the result, which may exceed all limits. */
static void sides_of(const struct gf_resize_params *p, const struct gf_region *r, double *ret_width, double *ret_height)
{
    double w, h;
    if (p->scale.n != 0) {
        w = fmax(1.0, rint(r->width * GF_PICK(p->scale, 0)));
        h = fmax(1.0, rint(r->height * GF_PICK(p->scale, 1)));
    } else if (p->size.n != 0) {
        w = GF_PICK(p->size, 0);
        h = GF_PICK(p->size, 1);
        if (w == 0.0)
            w = in_shape(h, r->height, r->width);
        else if (h == 0.0)
            h = in_shape(w, r->width, r->height);
    } else if (p->fill.n != 0) {
        w = GF_PICK(p->fill, 0);
        h = GF_PICK(p->fill, 1);
    } else {
        w = GF_PICK(p->fit, 0);
        h = GF_PICK(p->fit, 1);
        if (r->width * h > w * r->height)
            h = in_shape(w, r->width, r->height);
        else
            w = in_shape(h, r->height, r->width);
    }
    *ret_width = w;
    *ret_height = h;
}

enum gf_status gf_check_resized_alpha(const struct gf_op *op, const struct gf_view *src, uint32_t alpha,
                                      struct gf_error *err)
{
    if (alpha == GF_ALPHA_IGNORE && src->channels % 2 == 0)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: alpha=ignore would keep the alpha of each pixel, but resized pixels are different ones; give "
            "premultiplied or straight",
            op->name);
    return GF_OK;
}

static enum gf_status check_antialias(const struct gf_op *op, const struct gf_resize_params *p, struct gf_error *err)
{
    if (p->filter == GF_RESIZE_AREA && p->antialias == 0)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: antialias=0 cannot be used with filter=area, which averages all that a pixel covers; give "
            "filter=linear or nearest",
            op->name);
    return GF_OK;
}

enum gf_status gf_outputs_resize(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_resize_params p = gf_resize_params_get(params);
    double width, height;
    enum gf_status status = check_given(op, &p, err);
    if (status == GF_OK)
        status = check_box(op, &p.box, in, err);
    if (status == GF_OK)
        status = gf_check_resized_alpha(op, in, p.alpha, err);
    if (status == GF_OK)
        status = check_antialias(op, &p, err);
    if (status != GF_OK)
        return status;
    struct gf_region region = gf_resize_region(&p, in);
    sides_of(&p, &region, &width, &height);
    struct gf_view dst =
        gf_view_tight(in->dtype, (uint64_t)fmin(width, 1e15), (uint64_t)fmin(height, 1e15), in->channels);
    status = gf_view_check_image(&dst, "resize: dst", err);
    if (status == GF_OK)
        *ret_out = dst;
    return status;
}

/* SPDX-License-Identifier: MIT */
/* erode, dilate and what is made of them, docs/numerics.md, "Morphology": seven ops with the parameters of erode. */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/erode.h"
#include "reference_image.h"
#include "reference_ops.h"

struct element {
    int64_t width, height, anchor_x, anchor_y;
    bool member[GF_MAX_MASK_SIDE][GF_MAX_MASK_SIDE];
};

static enum gf_status element_of_mask(const struct gf_op *op, const struct gf_reference_buf *mask,
                                      struct element *element, struct gf_error *err)
{
    bool any = false;
    for (int64_t y = 0; y < element->height; y++)
        for (int64_t x = 0; x < element->width; x++) {
            float w = gf_reference_read(mask, y, x, 0);
            if (!isfinite(w))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: a coefficient is not finite", op->name);
            element->member[y][x] = w != 0.0f;
            any = any || w != 0.0f;
        }
    return any ? GF_OK : gf_error_set(err, GF_E_BAD_PARAM, "%s: the mask has no member", op->name);
}

static bool in_ellipse(const struct element *e, int64_t y, int64_t x)
{
    int64_t r = e->height / 2, c = e->width / 2, d = y - r;
    double inverse = r == 0 ? 0.0 : 1.0 / (double)(r * r);
    double reach = nearbyint((double)c * sqrt((double)(r * r - d * d) * inverse));
    return fabs((double)(x - c)) <= reach;
}

static enum gf_status element_of(const struct gf_op *op, const struct gf_erode_params *p,
                                 const struct gf_reference_buf *mask, struct element *element, struct gf_error *err)
{
    uint32_t side = 3;
    memset(element, 0, sizeof *element);
    element->width = mask->data != NULL ? (int64_t)mask->view.width : p->size.n == 0 ? side : p->size.v[0];
    element->height = mask->data != NULL ? (int64_t)mask->view.height
                      : p->size.n == 0   ? side
                                         : p->size.v[p->size.n == 1 ? 0 : 1];
    element->anchor_x = p->anchor.n == 0 ? element->width / 2 : p->anchor.v[0];
    element->anchor_y = p->anchor.n == 0 ? element->height / 2 : p->anchor.v[1];
    if (mask->data != NULL)
        return element_of_mask(op, mask, element, err);
    for (int64_t y = 0; y < element->height; y++)
        for (int64_t x = 0; x < element->width; x++)
            element->member[y][x] = p->shape == GF_ELEMENT_RECT    ? true
                                    : p->shape == GF_ELEMENT_CROSS ? x == element->anchor_x || y == element->anchor_y
                                                                   : in_ellipse(element, y, x);
    return GF_OK;
}

/* -inf < ... < -0 < +0 < ... < +inf < NaN */
static bool is_less(float a, float b)
{
    if (isnan(a) || isnan(b))
        return !isnan(a);
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static void set_outside(const struct gf_erode_params *p, uint32_t dtype, bool dilate, struct gf_reference_image *image)
{
    bool real = gf_dtype_kind(dtype) == GF_KIND_FLOAT;
    float least = real ? -INFINITY : gf_reference_min(dtype), most = real ? NAN : gf_reference_max(dtype);
    struct gf_reference_buf one = {&(float){0}, gf_view_tight(dtype, 1, 1, 1)};
    image->border = p->border;
    for (uint32_t c = 0; c < image->channels; c++) {
        image->outside[c] = dilate ? least : most;
        if (p->border_value.n == 0)
            continue;
        gf_reference_write(&one, 0, 0, 0, p->border_value.v[p->border_value.n == 1 ? 0 : c]);
        image->outside[c] = gf_reference_read(&one, 0, 0, 0);
    }
}

static float extremum(const struct gf_reference_image *image, const struct element *e, bool dilate, int64_t y,
                      int64_t x, uint32_t c)
{
    bool any = false;
    float found = 0.0f;
    for (int64_t ky = 0; ky < e->height; ky++)
        for (int64_t kx = 0; kx < e->width; kx++) {
            if (!e->member[ky][kx])
                continue;
            float v = gf_reference_at(image, y + ky - e->anchor_y, x + kx - e->anchor_x, c);
            if (!any || (dilate ? is_less(found, v) : is_less(v, found)))
                found = v;
            any = true;
        }
    return found;
}

/* One after the other, as often as the parameters say. */
static enum gf_status run_passes(const struct gf_erode_params *p, const struct element *e, const char *passes,
                                 uint32_t dtype, struct gf_reference_image *image, struct gf_error *err)
{
    for (; *passes != '\0'; passes++)
        for (uint32_t i = 0; i < p->iterations; i++) {
            struct gf_reference_image next = {0};
            enum gf_status status = gf_reference_image_init(image->width, image->height, image->channels, &next, err);
            if (status != GF_OK)
                return status;
            set_outside(p, dtype, *passes == 'd', image);
            for (int64_t y = 0; y < next.height; y++)
                for (int64_t x = 0; x < next.width; x++)
                    for (uint32_t c = 0; c < next.channels; c++)
                        *gf_reference_sample(&next, y, x, c) = extremum(image, e, *passes == 'd', y, x, c);
            gf_reference_image_deinit(image);
            *image = next;
        }
    return GF_OK;
}

static enum gf_status load(const struct gf_reference_buf *in, struct gf_reference_image *ret_image,
                           struct gf_error *err)
{
    const struct gf_view *view = &in->view;
    enum gf_status status =
        gf_reference_image_init((int64_t)view->width, (int64_t)view->height, view->channels, ret_image, err);
    for (int64_t y = 0; y < ret_image->height && status == GF_OK; y++)
        for (int64_t x = 0; x < ret_image->width; x++)
            for (uint32_t c = 0; c < ret_image->channels; c++)
                *gf_reference_sample(ret_image, y, x, c) = gf_reference_read(in, y, x, c);
    return status;
}

/* a - b, or a alone where b is NULL; alpha is that of the picture unless it is a channel like any other. */
static void store(const struct gf_reference_image *a, const struct gf_reference_image *b,
                  const struct gf_erode_params *p, const struct gf_reference_buf *in, struct gf_reference_buf *out)
{
    for (int64_t y = 0; y < a->height; y++)
        for (int64_t x = 0; x < a->width; x++)
            for (uint32_t c = 0; c < a->channels; c++) {
                float v = *gf_reference_sample(a, y, x, c);
                if (b != NULL)
                    v = v - *gf_reference_sample(b, y, x, c);
                if (gf_reference_is_alpha(a->channels, c) && p->alpha != GF_ALPHA_STRAIGHT)
                    v = gf_reference_read(in, y, x, c);
                gf_reference_write(out, y, x, c, v);
            }
}

/* The picture after passes, 'e' eroding and 'd' dilating, each as often as `iterations` says; "" is the picture. */
static enum gf_status extrema(const struct gf_op *op, const struct gf_erode_params *p, const char *passes,
                              const struct gf_reference_buf *in, struct gf_reference_image *ret_image,
                              struct gf_error *err)
{
    static struct element element;
    enum gf_status status = element_of(op, p, &in[1], &element, err);
    if (status == GF_OK)
        status = load(&in[0], ret_image, err);
    return status == GF_OK ? run_passes(p, &element, passes, in[0].view.dtype, ret_image, err) : status;
}

/* The picture after some passes, less the picture after others unless `less` is NULL. */
static enum gf_status run(const struct gf_op *op, const union gf_params *params, const char *passes, const char *less,
                          const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) first = {0}, second = {0};
    const struct gf_erode_params p = gf_erode_params_get(params);
    enum gf_status status = extrema(op, &p, passes, in, &first, err);
    if (status == GF_OK && less != NULL)
        status = extrema(op, &p, less, in, &second, err);
    if (status == GF_OK)
        store(&first, less != NULL ? &second : NULL, &p, in, out);
    return status;
}

GF_REFERENCE(erode)
{
    return run(op, params, "e", NULL, in, out, err);
}

GF_REFERENCE(dilate)
{
    return run(op, params, "d", NULL, in, out, err);
}

GF_REFERENCE(opening)
{
    return run(op, params, "ed", NULL, in, out, err);
}

GF_REFERENCE(closing)
{
    return run(op, params, "de", NULL, in, out, err);
}

GF_REFERENCE(gradient)
{
    return run(op, params, "d", "e", in, out, err);
}

GF_REFERENCE(tophat)
{
    return run(op, params, "", "ed", in, out, err);
}

GF_REFERENCE(blackhat)
{
    return run(op, params, "de", "", in, out, err);
}

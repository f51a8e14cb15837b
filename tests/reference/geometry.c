/* SPDX-License-Identifier: MIT */
/* The family geometry, and copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/copy.h"
#include "protocol/ops/params/crop.h"
#include "protocol/ops/params/flip.h"
#include "protocol/ops/params/pad.h"
#include "protocol/ops/params/pyramid.h"
#include "protocol/ops/params/resize.h"
#include "protocol/ops/params/rotate.h"
#include "protocol/ops/params/transpose.h"
#include "reference_image.h"
#include "reference_ops.h"

/* Copies a pixel of one buffer to a pixel of another of the same dtype and channels. */
static void copy_pixel(const struct gf_reference_buf *out, uint64_t to_x, uint64_t to_y,
                       const struct gf_reference_buf *in, uint64_t from_x, uint64_t from_y)
{
    size_t size = gf_dtype_size(in->view.dtype);
    for (uint32_t c = 0; c < in->view.channels; c++)
        gf_reference_copy_sample(
            (char *)out->data + to_y * out->view.pitch + (to_x * out->view.channels + c) * size,
            (const char *)in->data + from_y * in->view.pitch + (from_x * in->view.channels + c) * size, in->view.dtype);
}

/* copy, docs/numerics.md, "copy", and crop, flip, rotate and transpose, docs/numerics.md, "Geometry". */

GF_REFERENCE(copy)
{
    const struct gf_view *from = &in->view, *to = &out->view;
    size_t size = gf_dtype_size(from->dtype);
    uint32_t first = gf_copy_params_get(params).channel == 0 ? 0 : gf_copy_params_get(params).channel - 1;
    (void)op, (void)err;
    for (uint64_t y = 0; y < to->height; y++)
        for (uint64_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                gf_reference_copy_sample(
                    (char *)out->data + y * to->pitch + (x * to->channels + c) * size,
                    (const char *)in->data + y * from->pitch + (x * from->channels + first + c) * size, from->dtype);
    return GF_OK;
}

GF_REFERENCE(crop)
{
    uint64_t left = GF_PICK(gf_crop_params_get(params).at, 0), top = GF_PICK(gf_crop_params_get(params).at, 1);
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            copy_pixel(out, x, y, in, left + x, top + y);
    return GF_OK;
}

GF_REFERENCE(flip)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool x_turns = gf_flip_params_get(params).axis == GF_FLIP_X || gf_flip_params_get(params).axis == GF_FLIP_BOTH;
    bool y_turns = gf_flip_params_get(params).axis == GF_FLIP_Y || gf_flip_params_get(params).axis == GF_FLIP_BOTH;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            copy_pixel(out, x, y, in, x_turns ? w - 1 - x : x, y_turns ? h - 1 - y : y);
    return GF_OK;
}

GF_REFERENCE(rotate)
{
    uint64_t w = in->view.width, h = in->view.height;
    uint32_t angle = gf_rotate_params_get(params).angle;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            if (angle == GF_ROTATE_QUARTER)
                copy_pixel(out, x, y, in, y, h - 1 - x);
            else if (angle == GF_ROTATE_HALF)
                copy_pixel(out, x, y, in, w - 1 - x, h - 1 - y);
            else
                copy_pixel(out, x, y, in, w - 1 - y, x);
    return GF_OK;
}

GF_REFERENCE(transpose)
{
    uint64_t w = in->view.width, h = in->view.height;
    bool anti = gf_transpose_params_get(params).diagonal == GF_TRANSPOSE_ANTI;
    (void)op, (void)err;
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            copy_pixel(out, x, y, in, anti ? w - 1 - y : y, anti ? h - 1 - x : x);
    return GF_OK;
}

/* pad, docs/numerics.md, "Geometry". */

/* A number that the dtype holds. */
static void store(void *to, uint32_t dtype, double value)
{
    switch (dtype) {
#define STORE(NAME, type)                                                                                              \
    case GF_##NAME: {                                                                                                  \
        type v = (type)value;                                                                                          \
        memcpy(to, &v, sizeof v);                                                                                      \
        break;                                                                                                         \
    }
        STORE(U8, uint8_t)
        STORE(I8, int8_t)
        STORE(U16, uint16_t)
        STORE(I16, int16_t)
        STORE(U32, uint32_t)
        STORE(I32, int32_t)
        STORE(U64, uint64_t)
        STORE(I64, int64_t)
        STORE(F32, float)
    case GF_F16:
        gf_reference_write(&(struct gf_reference_buf){to, gf_view_tight(GF_F16, 1, 1, 1)}, 0, 0, 0, (float)value);
        break;
    default:
        memcpy(to, &value, sizeof value);
    }
}

GF_REFERENCE(pad)
{
    const struct gf_pad_params p = gf_pad_params_get(params);
    int64_t left = p.margin.v[0], top = p.margin.n == 1 ? p.margin.v[0] : p.margin.v[1];
    int64_t w = (int64_t)in->view.width, h = (int64_t)in->view.height;
    uint64_t pixel[GF_MAX_CHANNELS] = {0};
    struct gf_reference_buf constant = {pixel, gf_view_tight(in->view.dtype, 1, 1, in->view.channels)};
    (void)op, (void)err;
    if (p.border == GF_BORDER_CONSTANT)
        for (uint32_t c = 0; c < in->view.channels; c++)
            store((char *)pixel + c * gf_dtype_size(in->view.dtype), in->view.dtype,
                  p.border_value.v[p.border_value.n == 1 ? 0 : c]);
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++) {
            int64_t from_x = gf_reference_border(p.border, (int64_t)x - left, w);
            int64_t from_y = gf_reference_border(p.border, (int64_t)y - top, h);
            if (from_x < 0 || from_y < 0)
                copy_pixel(out, x, y, &constant, 0, 0);
            else
                copy_pixel(out, x, y, in, (uint64_t)from_x, (uint64_t)from_y);
        }
    return GF_OK;
}

/* resize, docs/numerics.md, "resize". */

/* One axis: results cover `from` to `from` + `length` of `pixels` pixels. */
struct axis {
    double from, length;
    int64_t pixels, results;
};

/* The window of a result, and its weights. */
struct taps {
    int64_t first, n;
    float *w; /* room for all pixels */
};

/* c_k, the f64 nearest to (-1)^k pi^(2k+1) / (2k+1)!. */
static double coefficient(int k)
{
    long double v = 3.14159265358979323846264338327950288L, pi2 = v * v;
    for (int i = 1; i <= k; i++)
        v = -v * pi2 / (long double)(2 * i * (2 * i + 1));
    return (double)v;
}

static double sin_pi(double x)
{
    double n = rint(x), r = x - n, q = r * r, s = coefficient(10);
    for (int k = 9; k >= 0; k--)
        s = s * q + coefficient(k);
    double v = r * s;
    return (int64_t)n % 2 == 0 ? v : -v;
}

static double kernel(uint32_t filter, double t)
{
    const double pi = (double)3.14159265358979323846264338327950288L;
    double x = fabs(t);
    if (filter == GF_RESIZE_LINEAR)
        return x < 1 ? 1 - x : 0;
    if (filter == GF_RESIZE_CUBIC && x < 1)
        return (1.5 * x - 2.5) * x * x + 1;
    if (filter == GF_RESIZE_CUBIC)
        return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0;
    if (x == 0)
        return 1;
    return x < 3 ? sin_pi(x) / (pi * x) * (sin_pi(x / 3) / (pi * (x / 3))) : 0;
}

static void weigh(const struct axis *a, uint32_t filter, bool antialias, int64_t i, struct taps *t)
{
    double step = a->length / (double)a->results, wide = antialias && step > 1 ? step : 1;
    double c = a->from + ((double)i + 0.5) * step;
    double radius = (filter == GF_RESIZE_LINEAR ? 1 : filter == GF_RESIZE_CUBIC ? 2 : 3) * wide;
    double left = a->from + (double)i * step, right = a->from + ((double)i + 1) * step, narrow = 1 / wide;
    double first = floor(c - radius + 0.5), end = floor(c + radius + 0.5);
    if (filter == GF_RESIZE_NEAREST) {
        first = floor(c);
        end = first + 1;
    } else if (filter == GF_RESIZE_AREA) {
        first = floor(left);
        end = ceil(right);
    }
    t->first = (int64_t)first < 0 ? 0 : (int64_t)first;
    t->first = t->first > a->pixels - 1 ? a->pixels - 1 : t->first;
    int64_t last = (int64_t)end < a->pixels ? (int64_t)end : a->pixels;
    t->n = last - t->first < 1 ? 1 : last - t->first;
    if (filter == GF_RESIZE_NEAREST)
        return;
    double sum = 0, *v = malloc((size_t)t->n * sizeof *v);
    for (int64_t k = 0; k < t->n; k++) {
        double j = (double)(t->first + k);
        v[k] = filter == GF_RESIZE_AREA ? fmin(right, j + 1) - fmax(left, j) : kernel(filter, (j - c + 0.5) * narrow);
        sum += v[k];
    }
    for (int64_t k = 0; k < t->n; k++)
        t->w[k] = (float)(v[k] / sum);
    free(v);
    while (t->n > 1 && t->w[t->n - 1] == 0)
        t->n--;
    while (t->n > 1 && t->w[0] == 0) {
        memmove(t->w, t->w + 1, (size_t)--t->n * sizeof *t->w);
        t->first++;
    }
}

/* The whole picture or its box, or what of it has the shape to be filled. */
static void find_axes(const struct gf_resize_params *p, const struct gf_view *src, const struct gf_view *dst,
                      struct axis *x, struct axis *y)
{
    *x = (struct axis){0, (double)src->width, (int64_t)src->width, (int64_t)dst->width};
    *y = (struct axis){0, (double)src->height, (int64_t)src->height, (int64_t)dst->height};
    if (p->box.n == 4) {
        x->from = p->box.v[0];
        y->from = p->box.v[1];
        x->length = p->box.v[2];
        y->length = p->box.v[3];
    }
    if (p->fill.n == 0)
        return;
    double w = (double)dst->width, h = (double)dst->height, width = x->length, height = y->length;
    if (width * h > w * height)
        x->length = height * w / h;
    else
        y->length = width * h / w;
    x->from += (width - x->length) / 2;
    y->from += (height - y->length) / 2;
}

static void nearest(const struct axis *x, const struct axis *y, const struct gf_reference_buf *in,
                    const struct gf_reference_buf *out)
{
    for (int64_t r = 0; r < y->results; r++)
        for (int64_t q = 0; q < x->results; q++) {
            struct taps down = {0}, across = {0};
            weigh(y, GF_RESIZE_NEAREST, false, r, &down);
            weigh(x, GF_RESIZE_NEAREST, false, q, &across);
            copy_pixel(out, (uint64_t)q, (uint64_t)r, in, (uint64_t)across.first, (uint64_t)down.first);
        }
}

/* Columns, then rows. */
static void resample(const struct axis *x, const struct axis *y, const struct gf_resize_params *p, struct taps *t,
                     const struct gf_reference_image *image, struct gf_reference_image *lines,
                     struct gf_reference_image *acc)
{
    for (int64_t r = 0; r < y->results; r++) {
        weigh(y, p->filter, p->antialias != 0, r, t);
        for (int64_t q = 0; q < image->width; q++)
            for (uint32_t c = 0; c < image->channels; c++) {
                float sum = 0.0f;
                for (int64_t k = 0; k < t->n; k++)
                    sum = fmaf(*gf_reference_sample(image, t->first + k, q, c), t->w[k], sum);
                *gf_reference_sample(lines, r, q, c) = sum;
            }
    }
    for (int64_t q = 0; q < x->results; q++) {
        weigh(x, p->filter, p->antialias != 0, q, t);
        for (int64_t r = 0; r < y->results; r++)
            for (uint32_t c = 0; c < image->channels; c++) {
                float sum = 0.0f;
                for (int64_t k = 0; k < t->n; k++)
                    sum = fmaf(*gf_reference_sample(lines, r, t->first + k, c), t->w[k], sum);
                *gf_reference_sample(acc, r, q, c) = sum;
            }
    }
}

GF_REFERENCE(resize)
{
    const struct gf_resize_params p = gf_resize_params_get(params);
    struct gf_reference_rule rule = {.border = GF_BORDER_REPLICATE,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, true),
                                     .light = p.light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    struct axis x, y;
    find_axes(&p, &in[0].view, &out[0].view, &x, &y);
    if (p.filter == GF_RESIZE_NEAREST) {
        nearest(&x, &y, in, out);
        return GF_OK;
    }
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) lines = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    gf_cleanup(gf_freep) float *w = malloc((size_t)(x.pixels + y.pixels) * sizeof *w);
    struct taps taps = {.w = w};
    if (w == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for weights");
    enum gf_status status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init(x.pixels, y.results, in[0].view.channels, &lines, err);
    if (status == GF_OK)
        status = gf_reference_image_init(x.results, y.results, in[0].view.channels, &acc, err);
    if (status != GF_OK)
        return status;
    resample(&x, &y, &p, &taps, &image, &lines, &acc);
    gf_reference_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

/* pyramid, docs/numerics.md, "pyramid": one level after the other, each rounded to the type of the picture. */

static const int binomial[5] = {1, 4, 6, 4, 1};

/* The place of a sample of the picture that is at place i of it, or, up, of the picture with zeros between; -1: a 0. */
static int64_t place(bool up, uint32_t border, int64_t i, int64_t n)
{
    int64_t at = gf_reference_border(border, i, up ? 2 * n : n);
    return !up ? at : at % 2 == 0 ? at / 2 : -1;
}

/* A chain of five columns, each a chain of five samples; a zero between samples is no tap. */
static float real_at(const struct gf_reference_image *in, bool up, int64_t y, int64_t x, uint32_t c)
{
    float acc = 0.0f;
    for (int64_t i = -2; i <= 2; i++) {
        int64_t from_x = place(up, in->border, x + i, in->width);
        if (from_x < 0)
            continue;
        float column = 0.0f;
        for (int64_t k = -2; k <= 2; k++) {
            int64_t from_y = place(up, in->border, y + k, in->height);
            if (from_y >= 0)
                column = fmaf(*gf_reference_sample(in, from_y, from_x, c), (float)binomial[k + 2] / (up ? 8.0f : 16.0f),
                              column);
        }
        acc = fmaf(column, (float)binomial[i + 2] / (up ? 8.0f : 16.0f), acc);
    }
    return acc;
}

static float whole_at(const struct gf_reference_image *in, bool up, int64_t y, int64_t x, uint32_t c)
{
    double sum = 0, unit = up ? 64 : 256;
    for (int64_t i = -2; i <= 2; i++)
        for (int64_t k = -2; k <= 2; k++) {
            int64_t from_x = place(up, in->border, x + i, in->width);
            int64_t from_y = place(up, in->border, y + k, in->height);
            if (from_x >= 0 && from_y >= 0)
                sum += (double)*gf_reference_sample(in, from_y, from_x, c) * binomial[i + 2] * binomial[k + 2];
        }
    return (float)floor((sum + unit / 2) / unit);
}

/* The next level of `from`, as it is stored. */
static enum gf_status next_level(const struct gf_op *op, const struct gf_reference_rule *rule, bool up,
                                 const struct gf_reference_buf *from, struct gf_reference_buf *to, struct gf_error *err)
{
    gf_cleanup(gf_reference_image_deinit) struct gf_reference_image image = {0}, acc = {0};
    const bool whole = gf_dtype_kind(from->view.dtype) != GF_KIND_FLOAT && rule->alpha == GF_ALPHA_STRAIGHT;
    enum gf_status status = gf_reference_load(op, rule, from, &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init((int64_t)to->view.width, (int64_t)to->view.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    int64_t step = up ? 1 : 2;
    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++)
                *gf_reference_sample(&acc, y, x, c) = (whole ? whole_at : real_at)(&image, up, y * step, x * step, c);
    gf_reference_store(&acc, rule, from, to);
    return GF_OK;
}

GF_REFERENCE(pyramid)
{
    const struct gf_pyramid_params p = gf_pyramid_params_get(params);
    const bool up = p.direction == GF_PYRAMID_UP;
    const struct gf_reference_rule rule = {
        .border = p.border, .scale = 1.0f, .alpha = gf_reference_alpha(p.alpha, in->view.channels, true)};
    struct gf_reference_buf from = *in;
    enum gf_status status = GF_OK;
    for (uint32_t i = 1; i <= p.level && status == GF_OK; i++) {
        struct gf_reference_buf to = *out;
        if (i < p.level) {
            to.view = gf_view_tight(from.view.dtype, up ? 2 * from.view.width : (from.view.width + 1) / 2,
                                    up ? 2 * from.view.height : (from.view.height + 1) / 2, from.view.channels);
            to.data = malloc(gf_view_bytes(&to.view));
        }
        status = to.data ? next_level(op, &rule, up, &from, &to, err)
                         : gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for a level");
        if (i > 1)
            free(from.data);
        from = to;
    }
    if (from.data != out->data) /* after an error */
        free(from.data);
    return status;
}

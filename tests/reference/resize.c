/* SPDX-License-Identifier: MIT */
/* resize, docs/numerics.md, "resize". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/resize.h"
#include "reference_geometry.h"
#include "reference_image.h"
#include "reference_ops.h"

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
            gf_reference_copy_pixel(out, (uint64_t)q, (uint64_t)r, in, (uint64_t)across.first, (uint64_t)down.first);
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

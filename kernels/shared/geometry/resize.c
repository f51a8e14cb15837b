/* SPDX-License-Identifier: MIT */
/* Works out resize: windows and weights of both axes. Called once per step by both backends. */
#include "resize.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_geometry.h"

/* Results before one whose windows are looked at for one that lies alike over its pixels. */
#define ALIKE 8u

/* One axis of a step, in f64. */
struct axis {
    double origin, step; /* result i covers origin + i * step to origin + (i + 1) * step of the source */
    double wider;        /* by which the filter is, at least 1 */
    double support;      /* of the filter, to both sides */
    uint32_t filter, length;
};

/* What result i is made of; its pixels are first .. end - 1. */
struct window {
    double centre, begin, stop; /* area takes from begin to stop */
    uint32_t first, end;
};

/* sin(pi x) for |x| <= 3: the polynomial of numerics.md 16. */
static double sin_pi(double x)
{
    static const double c[] = {0x1.921fb54442d18p+1,   -0x1.4abbce625be53p+2,  0x1.466bc6775aae2p+1,
                               -0x1.32d2cce62bd86p-1,  0x1.50783487ee782p-4,   -0x1.e3074fde8871fp-8,
                               0x1.e8f434d018d63p-12,  -0x1.6fadb9f155744p-16, 0x1.aaec32af93359p-21,
                               -0x1.8a404211f9547p-26, 0x1.2877020d52cf0p-31};
    double turns = rint(x), r = x - turns, q = r * r, s = c[10];
    for (int k = 9; k >= 0; k--)
        s = s * q + c[k];
    s = r * s;
    return ((int)turns & 1) != 0 ? -s : s;
}

static double weight_of(uint32_t filter, double t)
{
    static const double pi = 0x1.921fb54442d18p+1;
    double x = fabs(t), third = x / 3.0;
    if (filter == GF_RESIZE_LINEAR)
        return x < 1.0 ? 1.0 - x : 0.0;
    if (filter == GF_RESIZE_CUBIC)
        return x < 1.0 ? (1.5 * x - 2.5) * x * x + 1.0 : x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5 : 0.0;
    if (x == 0.0)
        return 1.0;
    return x < 3.0 ? sin_pi(x) / (pi * x) * (sin_pi(third) / (pi * third)) : 0.0;
}

/* At least 0, less than n. */
static uint32_t clamp_index(double v, uint32_t n)
{
    return v < 0.0 ? 0 : v > (double)(n - 1) ? n - 1 : (uint32_t)v;
}

static struct window window_of(const struct axis *a, uint32_t i)
{
    struct window w = {.centre = a->origin + ((double)i + 0.5) * a->step};
    if (a->filter == GF_RESIZE_NEAREST) {
        w.first = clamp_index(floor(w.centre), a->length);
        w.end = w.first + 1;
    } else if (a->filter == GF_RESIZE_AREA) {
        w.begin = a->origin + (double)i * a->step;
        w.stop = a->origin + ((double)i + 1.0) * a->step;
        w.first = clamp_index(floor(w.begin), a->length);
        w.end = clamp_index(ceil(w.stop) - 1.0, a->length) + 1;
    } else {
        w.first = clamp_index(floor(w.centre - a->support + 0.5), a->length);
        w.end = clamp_index(floor(w.centre + a->support + 0.5) - 1.0, a->length) + 1;
    }
    return w;
}

/* The weights of a window, as many as it has pixels; room has as much room. */
static void weigh(const struct axis *a, const struct window *w, double *room, float *ret)
{
    double sum = 0.0, narrow = 1.0 / a->wider;
    uint32_t n = w->end - w->first;
    for (uint32_t k = 0; k < n; k++) {
        double j = (double)(w->first + k);
        room[k] = a->filter == GF_RESIZE_AREA ? fmin(w->stop, j + 1.0) - fmax(w->begin, j)
                                              : weight_of(a->filter, (j - w->centre + 0.5) * narrow);
        sum += room[k];
    }
    for (uint32_t k = 0; k < n; k++)
        ret[k] = (float)(room[k] / sum);
}

/* Whether the pixels of two windows lie alike in them: all differences are exact in f64, so weights are the same. */
static bool is_alike(const struct axis *a, const struct window *v, const struct window *w)
{
    if (v->end - v->first != w->end - w->first)
        return false;
    double f = (double)v->first, g = (double)w->first;
    if (a->filter == GF_RESIZE_AREA)
        return v->begin - f == w->begin - g && v->stop - f == w->stop - g;
    return v->centre - f == w->centre - g;
}

/* Weights that are 0 at both ends are none. Returns how many are left, from ret[0] on. */
static uint32_t trim(float *ret, uint32_t n, uint32_t *first)
{
    uint32_t from = 0;
    while (n > 1 && ret[n - 1] == 0.0f)
        n--;
    while (from + 1 < n && ret[from] == 0.0f)
        from++;
    memmove(ret, ret + from, (n - from) * sizeof *ret);
    *first += from;
    return n - from;
}

static void fill_axis(const struct axis *a, double *room, struct gf_resize_axis *ret)
{
    struct window seen[ALIKE];
    for (uint32_t i = 0; i < ret->n; i++) {
        struct window w = window_of(a, i);
        uint32_t n = w.end - w.first, like = 0;
        ret->first[i] = w.first;
        for (uint32_t k = 1; k <= ALIKE && k <= i && like == 0; k++)
            like = is_alike(a, &seen[(i - k) % ALIKE], &w) ? k : 0;
        if (like > 0) {
            uint32_t from = ret->at[i - like];
            n = ret->at[i - like + 1] - from;
            memcpy(ret->weights + ret->at[i], ret->weights + from, n * sizeof *ret->weights);
            ret->first[i] += ret->first[i - like] - seen[(i - like) % ALIKE].first;
        } else {
            weigh(a, &w, room, ret->weights + ret->at[i]);
            n = trim(ret->weights + ret->at[i], n, &ret->first[i]);
        }
        seen[i % ALIKE] = w;
        ret->at[i + 1] = ret->at[i] + n;
        ret->most = n > ret->most ? n : ret->most;
    }
}

/* Pixels of a window, at most; its ends are rounded. */
static uint32_t most_of(const struct axis *a)
{
    double most = ceil(a->filter == GF_RESIZE_AREA ? a->step : 2.0 * a->support) + 2.0;
    return most < (double)a->length ? (uint32_t)most : a->length;
}

static enum gf_status init_axis(const struct axis *a, uint32_t n, struct gf_resize_axis *ret, struct gf_error *err)
{
    gf_cleanup(gf_freep) double *room = NULL;
    uint32_t most = most_of(a);
    uint64_t weights = a->filter == GF_RESIZE_NEAREST ? 0 : (uint64_t)n * most;
    ret->n = n;
    ret->first = malloc(n * sizeof *ret->first);
    ret->at = calloc((size_t)n + 1, sizeof *ret->at);
    if (weights > 0) {
        ret->weights = malloc(weights * sizeof *ret->weights);
        room = malloc(most * sizeof *room);
    }
    if (!ret->first || !ret->at || (weights > 0 && (!ret->weights || !room)))
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the weights of %u pixels", n);
    if (weights > 0)
        fill_axis(a, room, ret);
    for (uint32_t i = 0; i < n && weights == 0; i++)
        ret->first[i] = window_of(a, i).first;
    return GF_OK;
}

static struct axis axis_of(const struct gf_resize_params *p, double origin, double covered, uint32_t n, uint32_t length)
{
    struct axis a = {.origin = origin, .step = covered / (double)n, .filter = p->filter, .length = length};
    a.wider = p->antialias != 0 && a.step > 1.0 ? a.step : 1.0;
    a.support = (p->filter == GF_RESIZE_LINEAR ? 1.0 : p->filter == GF_RESIZE_CUBIC ? 2.0 : 3.0) * a.wider;
    return a;
}

enum gf_status gf_resize_init(struct gf_resize *resize, const struct gf_step *step, const struct gf_view *src,
                              struct gf_error *err)
{
    const struct gf_resize_params *p = &step->params.resize;
    const struct gf_view *dst = &step->out[0];
    struct gf_region r = gf_resize_region(p, src);
    struct axis x = axis_of(p, r.x, r.width, (uint32_t)dst->width, (uint32_t)src->width);
    struct axis y = axis_of(p, r.y, r.height, (uint32_t)dst->height, (uint32_t)src->height);
    *resize = (struct gf_resize){.nearest = p->filter == GF_RESIZE_NEAREST,
                                 .premultiply = src->channels % 2 == 0 &&
                                                (p->alpha == GF_ALPHA_AUTO || p->alpha == GF_ALPHA_PREMULTIPLIED),
                                 .linear = p->light == GF_LIGHT_LINEAR && (GF_DT(src->dtype) & GF_DT_ENCODED) != 0};
    enum gf_status status = init_axis(&x, (uint32_t)dst->width, &resize->x, err);
    if (status == GF_OK)
        status = init_axis(&y, (uint32_t)dst->height, &resize->y, err);
    if (status != GF_OK)
        gf_resize_deinit(resize);
    return status;
}

void gf_resize_deinit(struct gf_resize *resize)
{
    struct gf_resize_axis *axes[] = {&resize->x, &resize->y};
    for (size_t i = 0; i < GF_ARRAY_LEN(axes); i++) {
        free(axes[i]->first);
        free(axes[i]->at);
        free(axes[i]->weights);
    }
    *resize = GF_RESIZE_NULL;
}

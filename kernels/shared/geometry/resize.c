/* SPDX-License-Identifier: MIT */
/*
 * Prepares resize: how results lie over source pixels, and the windows and weights of both axes. The weights themselves
 * are in resize_weights.c. Called once per step by both backends.
 */
#include "resize.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/resize.h"
#include "resize_weights.h"

/* The greatest integer that is not above v, |v| < 2^62. */
static int64_t floor_of(double v)
{
    int64_t whole = (int64_t)v;
    return whole - ((double)whole > v);
}

/* Clamps to 0 .. n - 1. */
static uint32_t clamp_index(int64_t v, uint32_t n)
{
    return v < 0 ? 0 : v > (int64_t)n - 1 ? n - 1 : (uint32_t)v;
}

static inline struct gf_resize_window window_of(const struct gf_resize_map *m, uint32_t i)
{
    struct gf_resize_window w = {.centre = m->origin + ((double)i + 0.5) * m->step};
    if (m->filter == GF_RESIZE_NEAREST) {
        w.first = clamp_index(floor_of(w.centre), m->length);
        w.end = w.first + 1;
    } else if (m->filter == GF_RESIZE_AREA) {
        w.begin = m->origin + (double)i * m->step;
        w.stop = m->origin + ((double)i + 1.0) * m->step;
        w.first = clamp_index(floor_of(w.begin), m->length);
        w.end = clamp_index(-floor_of(-w.stop) - 1, m->length) + 1;
    } else {
        w.first = clamp_index(floor_of(w.centre - m->support + 0.5), m->length);
        w.end = clamp_index(floor_of(w.centre + m->support + 0.5) - 1, m->length) + 1;
    }
    return w;
}

/* The end of window i is not less than the ends before it: all operations that compute it are monotonic in i, rounding
 * included. Trimming does not make a window end later. */
uint32_t gf_resize_needed(const struct gf_resize_map *map, uint32_t i)
{
    return window_of(map, i).end;
}

/* Whether the pixels lie in both windows in the same way: all differences are exact in f64, so the weights are
 * equal. */
static bool is_alike(const struct gf_resize_map *m, const struct gf_resize_window *v, const struct gf_resize_window *w)
{
    if (v->end - v->first != w->end - w->first)
        return false;
    double f = (double)v->first, g = (double)w->first;
    if (m->filter == GF_RESIZE_AREA)
        return v->begin - f == w->begin - g && v->stop - f == w->stop - g;
    return v->centre - f == w->centre - g;
}

/* Drops zero weights at both ends. Returns how many remain, from ret[0] on. */
static uint32_t trim(float *ret, uint32_t n, uint32_t *first)
{
    uint32_t from = 0;
    while (n > 1 && ret[n - 1] == 0.0f)
        n--;
    while (from + 1 < n && ret[from] == 0.0f)
        from++;
    if (from > 0)
        memmove(ret, ret + from, (n - from) * sizeof *ret);
    *first += from;
    return n - from;
}

gf_resize_weigh_fn *gf_resize_weigh(void)
{
#ifdef GF_CPU_X86
    if (__builtin_cpu_supports("avx2"))
        return gf_resize_weigh_avx2;
#endif
    return gf_resize_weigh_generic;
}

static void fill_axis(const struct gf_resize_map *m, double *room, struct gf_resize_axis *ret)
{
    gf_resize_weigh_fn *weigh = gf_resize_weigh();
    for (uint32_t i = 0; i < ret->n; i++) {
        struct gf_resize_window w = window_of(m, i), v = w;
        uint32_t n = w.end - w.first, like = m->period;
        float *weights = ret->weights + ret->at[i];
        ret->first[i] = w.first;
        if (like > 0 && like <= i)
            v = window_of(m, i - like);
        if (like > 0 && like <= i && is_alike(m, &v, &w)) {
            uint32_t from = ret->at[i - like];
            n = ret->at[i - like + 1] - from;
            memcpy(weights, ret->weights + from, n * sizeof *weights);
            ret->first[i] += ret->first[i - like] - v.first;
        } else {
            weigh(m, &w, room, weights);
            n = trim(weights, n, &ret->first[i]);
        }
        ret->at[i + 1] = ret->at[i] + n;
        ret->most = n > ret->most ? n : ret->most;
    }
}

/* The most pixels in a window; its ends are rounded. */
static uint32_t most_of(const struct gf_resize_map *m)
{
    double most = ceil(m->filter == GF_RESIZE_AREA ? m->step : 2.0 * m->support) + 2.0;
    return most < (double)m->length ? (uint32_t)most : m->length;
}

enum gf_status gf_resize_axis_init(struct gf_resize_axis *axis, const struct gf_resize_map *map, struct gf_error *err)
{
    gf_cleanup(gf_resize_axis_deinit) struct gf_resize_axis a = {.n = map->n};
    gf_cleanup(gf_freep) double *room = NULL;
    uint32_t most = most_of(map);
    uint64_t weights = map->filter == GF_RESIZE_NEAREST ? 0 : (uint64_t)map->n * most;
    a.first = malloc(map->n * sizeof *a.first);
    a.at = calloc((size_t)map->n + 1, sizeof *a.at);
    if (weights > 0) {
        a.weights = malloc(weights * sizeof *a.weights);
        room = malloc(((size_t)most + GF_RESIZE_SPARE) * sizeof *room);
    }
    if (!a.first || !a.at || (weights > 0 && (!a.weights || !room)))
        return gf_error_set(err, GF_E_NO_MEMORY, "resize: no memory for the weights of %u pixels", map->n);
    if (weights > 0)
        fill_axis(map, room, &a);
    for (uint32_t i = 0; i < map->n && weights == 0; i++)
        a.first[i] = window_of(map, i).first;
    *axis = a;
    a = GF_RESIZE_AXIS_NULL;
    return GF_OK;
}

void gf_resize_axis_deinit(struct gf_resize_axis *axis)
{
    free(axis->first);
    free(axis->at);
    free(axis->weights);
    *axis = GF_RESIZE_AXIS_NULL;
}

/* n / gcd(n, covered): so many results cover an integer number of pixels; 0 if `covered` is not an integer. */
static uint32_t period_of(double covered, uint32_t n)
{
    uint64_t a = n, b = (uint64_t)covered;
    if ((double)b != covered)
        return 0;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (uint32_t)(n / a);
}

static struct gf_resize_map map_of(const struct gf_resize_params *p, double origin, double covered, uint64_t n,
                                   uint64_t length)
{
    struct gf_resize_map m = {.origin = origin,
                              .step = covered / (double)n,
                              .filter = p->filter,
                              .n = (uint32_t)n,
                              .length = (uint32_t)length,
                              .period = period_of(covered, (uint32_t)n)};
    m.wider = p->antialias != 0 && m.step > 1.0 ? m.step : 1.0;
    m.support = (p->filter == GF_RESIZE_LINEAR ? 1.0 : p->filter == GF_RESIZE_CUBIC ? 2.0 : 3.0) * m.wider;
    return m;
}

/*
 * Whether each result is the mean of two pixels. With steps of 2 from an integer o on, all quantities of the windows
 * are exact: area covers pixel o + 2i and the next one, each with 1 of 2; linear with a filter of its own width takes
 * the same two pixels at a distance of 0.5 from the centre, each with 0.5 of 1. If two pixels become one, any filter
 * sees both at the same distance of 0.25 or 0.5, where no filter is 0, and k / (k + k) is 0.5. All other windows of
 * whole pictures have other weights, as the unit test verifies.
 */
static bool is_half(const struct gf_resize_map *m)
{
    if (m->filter == GF_RESIZE_NEAREST || m->step != 2.0 || m->origin != floor(m->origin))
        return false;
    return m->filter == GF_RESIZE_AREA || (m->filter == GF_RESIZE_LINEAR && m->wider == 1.0) || m->length == 2;
}

void gf_resize_plan(struct gf_resize *resize, const struct gf_step *step, const struct gf_view *src)
{
    const struct gf_resize_params p = gf_resize_params_get(&step->params);
    const struct gf_view *dst = &step->out[0];
    struct gf_region r = gf_resize_region(&p, src);
    *resize = (struct gf_resize){.nearest = p.filter == GF_RESIZE_NEAREST,
                                 .premultiply = gf_weights_alpha(p.alpha, src->channels),
                                 .linear = p.light == GF_LIGHT_LINEAR && (GF_DT(src->dtype) & GF_DT_ENCODED) != 0,
                                 .across = map_of(&p, r.x, r.width, dst->width, src->width),
                                 .down = map_of(&p, r.y, r.height, dst->height, src->height)};
    resize->halves = is_half(&resize->across) && is_half(&resize->down);
}

enum gf_status gf_resize_axes_init(struct gf_resize *resize, struct gf_error *err)
{
    enum gf_status status = gf_resize_axis_init(&resize->x, &resize->across, err);
    if (status == GF_OK)
        status = gf_resize_axis_init(&resize->y, &resize->down, err);
    if (status != GF_OK)
        gf_resize_deinit(resize);
    return status;
}

void gf_resize_deinit(struct gf_resize *resize)
{
    gf_resize_axis_deinit(&resize->x);
    gf_resize_axis_deinit(&resize->y);
}

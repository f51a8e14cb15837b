/* SPDX-License-Identifier: MIT */
/* The elements and passes of morphology.h. */
#include "morphology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/base/half.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/erode.h"

/* The members of an element, row by row, while it is made. */
struct form {
    uint32_t width, height, anchor_x, anchor_y;
    bool member[];
};

/* OpenCV's ellipse: with radii r and c, row d reaches as far as c sqrt(1 - d^2 / r^2), rounded. */
static void fill_ellipse(struct form *form)
{
    const int64_t r = form->height / 2, c = form->width / 2, width = form->width;
    const double inverse = r > 0 ? 1.0 / ((double)r * (double)r) : 0.0;
    for (int64_t y = 0; y < form->height; y++) {
        int64_t d = y - r, reach = (int64_t)rint((double)c * sqrt((double)(r * r - d * d) * inverse));
        int64_t end = c + reach + 1 < width ? c + reach + 1 : width;
        for (int64_t x = c > reach ? c - reach : 0; x < end; x++)
            form->member[y * width + x] = true;
    }
}

static void fill_form(struct form *form, uint32_t shape)
{
    if (shape == GF_ELEMENT_ELLIPSE) {
        fill_ellipse(form);
        return;
    }
    for (uint32_t y = 0; y < form->height; y++)
        for (uint32_t x = 0; x < form->width; x++)
            form->member[y * form->width + x] = shape == GF_ELEMENT_RECT || x == form->anchor_x || y == form->anchor_y;
}

static enum gf_status fill_from_mask(struct form *form, const struct gf_op *op, const struct gf_buf *mask,
                                     struct gf_error *err)
{
    for (uint32_t y = 0; y < form->height; y++)
        for (uint32_t x = 0; x < form->width; x++) {
            float w;
            memcpy(&w, (const char *)mask->data + y * mask->view.pitch + x * sizeof(w), sizeof(w));
            if (!isfinite(w))
                return gf_error_set(err, GF_E_BAD_PARAM,
                                    "%s: mask coefficient %g in row %u, column %u; it must be finite", op->name,
                                    (double)w, y, x);
            form->member[y * form->width + x] = w != 0.0f;
        }
    return GF_OK;
}

/* Finds the runs of a form, by columns. Returns their number; `runs` may be NULL. */
static uint32_t find_runs(const struct form *form, struct gf_element_run *runs, uint32_t *ret_members)
{
    uint32_t n = 0, members = 0;
    for (uint32_t x = 0; x < form->width; x++)
        for (uint32_t y = 0; y < form->height;) {
            uint32_t end = y;
            while (end < form->height && form->member[end * form->width + x])
                end++;
            if (end > y && runs)
                runs[n] = (struct gf_element_run){(uint8_t)x, (uint8_t)y, (uint8_t)(end - y)};
            n += end > y;
            members += end - y;
            y = end > y ? end : y + 1;
        }
    *ret_members = members;
    return n;
}

static enum gf_status element_of(struct gf_element *e, const struct gf_op *op, const struct form *form,
                                 struct gf_error *err)
{
    uint32_t members, n = find_runs(form, NULL, &members);
    *e = (struct gf_element){.width = form->width,
                             .height = form->height,
                             .anchor_x = form->anchor_x,
                             .anchor_y = form->anchor_y,
                             .full = members == form->width * form->height};
    if (members == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: the mask of %ux%u is all 0, so the element is empty; at least one coefficient must "
                            "be other than 0",
                            op->name, form->width, form->height);
    e->runs = malloc(n * sizeof(*e->runs));
    if (!e->runs)
        return gf_error_no_memory(err, op->name, n * sizeof(*e->runs));
    e->n_runs = find_runs(form, e->runs, &members);
    return GF_OK;
}

static enum gf_status init_element(struct gf_morphology *m, const struct gf_step *step, const struct gf_buf *mask,
                                   struct gf_error *err)
{
    const struct gf_erode_params p = gf_erode_params_get(&step->params); /* the seven ops have the same */
    const struct gf_view none = {0}, *view = mask->data ? &mask->view : &none;
    uint32_t width = (uint32_t)gf_element_side(step->op, &step->params, view, 0);
    uint32_t height = (uint32_t)gf_element_side(step->op, &step->params, view, 1);
    gf_cleanup(gf_freep) struct form *form = calloc(1, sizeof(*form) + (size_t)width * height);
    if (!form)
        return gf_error_no_memory(err, step->op->name, sizeof(*form) + (size_t)width * height);
    form->width = width;
    form->height = height;
    form->anchor_x = p.anchor.n > 0 ? p.anchor.v[0] : form->width / 2;
    form->anchor_y = p.anchor.n > 0 ? p.anchor.v[1] : form->height / 2;
    enum gf_status status = GF_OK;
    if (mask->data)
        status = fill_from_mask(form, step->op, mask, err);
    else
        fill_form(form, p.shape);
    return status == GF_OK ? element_of(&m->element, step->op, form, err) : status;
}

/*
 * The number of passes with the element that one pass with a larger rectangle replaces. Let windows reach from x - a to
 * x + b, a and b not negative. If pixels outside are left out, a second pass sees the windows of all pixels of the
 * picture from x - a to x + b; each window contains its own pixel, so together they are the pixels of the picture from
 * x - 2a to x + 2b without a gap. A constant border is met in the second pass if x - a is outside, otherwise in the
 * window of x - a if x - 2a is outside: as in the larger window; the other side is symmetric. A replicated pixel is in
 * the window anyway. Pixels repeated by `wrap` are repeated in the first result, too. `reflect` and `reflect101` also
 * mirror the windows of pixels outside, so these windows must reach equally far to both sides.
 */
static uint32_t passes_in_one(const struct gf_morphology *m)
{
    const struct gf_element *e = &m->element;
    bool mirrors = m->border == GF_BORDER_REFLECT || m->border == GF_BORDER_REFLECT101;
    bool even = 2 * e->anchor_x + 1 == e->width && 2 * e->anchor_y + 1 == e->height;
    uint32_t side = e->width > e->height ? e->width : e->height;
    if (!e->full || (mirrors && !even))
        return 1;
    if (side == 1)
        return UINT32_MAX;
    uint32_t n = (GF_MORPHOLOGY_MAX_SIDE - 1) / (side - 1);
    return n > 0 ? n : 1;
}

static void add_passes(struct gf_morphology *m, bool dilate, uint32_t iterations)
{
    const struct gf_element *e = &m->element;
    uint32_t most = passes_in_one(m);
    while (iterations > 0) {
        uint32_t n = iterations < most ? iterations : most;
        m->passes[m->n_passes++] = (struct gf_morphology_pass){.dilate = dilate,
                                                               .width = (uint8_t)((e->width - 1) * n + 1),
                                                               .height = (uint8_t)((e->height - 1) * n + 1),
                                                               .anchor_x = (uint8_t)(e->anchor_x * n),
                                                               .anchor_y = (uint8_t)(e->anchor_y * n)};
        iterations -= n;
    }
}

static enum gf_status init_passes(struct gf_morphology *m, const struct gf_step *step, struct gf_error *err)
{
    static const struct {
        bool erodes, dilates, dilates_first;
        enum gf_morphology_end end;
    } kinds[GF_N_OPS] = {
        [GF_INDEX_erode] = {true, false, false, GF_END_RESULT},
        [GF_INDEX_dilate] = {false, true, false, GF_END_RESULT},
        [GF_INDEX_opening] = {true, true, false, GF_END_RESULT},
        [GF_INDEX_closing] = {true, true, true, GF_END_RESULT},
        [GF_INDEX_gradient] = {true, true, true, GF_END_FROM_DILATED},
        [GF_INDEX_tophat] = {true, true, false, GF_END_FROM_SOURCE},
        [GF_INDEX_blackhat] = {true, true, true, GF_END_LESS_SOURCE},
    };
    uint32_t op = step->op->index, iterations = gf_erode_params_get(&step->params).iterations;
    m->end = kinds[op].end;
    m->passes = malloc(GF_MORPHOLOGY_MAX_PASSES * sizeof(*m->passes));
    if (!m->passes)
        return gf_error_no_memory(err, step->op->name, GF_MORPHOLOGY_MAX_PASSES * sizeof(*m->passes));
    if (kinds[op].dilates_first)
        add_passes(m, true, iterations);
    if (kinds[op].erodes)
        add_passes(m, false, iterations);
    if (kinds[op].dilates && !kinds[op].dilates_first)
        add_passes(m, true, iterations);
    return GF_OK;
}

/* Stores a sample. */
static void put_sample(uint32_t dtype, float value, unsigned char *to)
{
    const int32_t whole = gf_dtype_kind(dtype) == GF_KIND_FLOAT ? 0 : (int32_t)value;
    const uint16_t half = gf_half_from_f32(value);
    if (dtype == GF_F32)
        memcpy(to, &value, sizeof(value));
    else if (dtype == GF_F16)
        memcpy(to, &half, sizeof(half));
    else
        memcpy(to, &whole, gf_dtype_size(dtype)); /* little-endian: the low bytes come first */
}

/* Stores a value beyond all other samples, so that any other sample takes precedence. */
static void put_neutral(uint32_t dtype, bool dilate, unsigned char *to)
{
    const uint32_t nan32 = 0x7FC00000u;
    float most = dtype == GF_U8 ? 255.0f : dtype == GF_U16 ? 65535.0f : 32767.0f;
    float least = gf_dtype_kind(dtype) == GF_KIND_FLOAT ? -INFINITY : dtype == GF_I16 ? -32768.0f : 0.0f;
    put_sample(dtype, dilate ? least : gf_dtype_kind(dtype) == GF_KIND_FLOAT ? NAN : most, to);
    if (dtype == GF_F32 && !dilate)
        memcpy(to, &nan32, sizeof(nan32));
}

static void init_outside(struct gf_morphology *m, const struct gf_erode_params *p, const struct gf_view *src)
{
    size_t size = gf_dtype_size(src->dtype);
    m->border = p->border;
    for (uint32_t c = 0; c < src->channels; c++)
        for (uint32_t dilate = 0; dilate < 2; dilate++)
            if (p->border_value.n > 0)
                put_sample(src->dtype, GF_PICK(p->border_value, c), m->outside[dilate] + c * size);
            else
                put_neutral(src->dtype, dilate != 0, m->outside[dilate] + c * size);
}

enum gf_status gf_morphology_init(struct gf_morphology *m, const struct gf_step *step, const struct gf_view *src,
                                  const struct gf_buf *mask, struct gf_error *err)
{
    const struct gf_erode_params p = gf_erode_params_get(&step->params);
    *m = GF_MORPHOLOGY_NULL;
    init_outside(m, &p, src);
    m->copy_alpha = gf_copies_alpha(p.alpha, src->channels);
    enum gf_status status = init_element(m, step, mask, err);
    if (status == GF_OK)
        status = init_passes(m, step, err);
    if (status != GF_OK)
        gf_morphology_deinit(m);
    return status;
}

void gf_morphology_deinit(struct gf_morphology *m)
{
    free(m->element.runs);
    free(m->passes);
    *m = GF_MORPHOLOGY_NULL;
}

/* Where a pass reads and writes: the passes from the source to `last` alternate between `last` and `beside`. */
static struct gf_morphology_route route(uint32_t pass, uint32_t n, enum gf_morphology_place last,
                                        enum gf_morphology_place beside)
{
    bool even = (n - 1 - pass) % 2 == 0;
    return (struct gf_morphology_route){.from = pass == 0 ? GF_AT_SOURCE
                                                : even    ? beside
                                                          : last,
                                        .to = even ? last : beside};
}

struct gf_morphology_route gf_morphology_route(const struct gf_morphology *m, uint32_t pass)
{
    struct gf_morphology_route r;
    uint32_t half = m->n_passes / 2;
    if (m->end != GF_END_FROM_DILATED)
        r = route(pass, m->n_passes, GF_AT_RESULT, GF_AT_TEMP);
    else if (pass < half) /* the picture that is kept until the end is in the first temporary picture */
        r = route(pass, half, GF_AT_TEMP, GF_AT_RESULT);
    else
        r = route(pass - half, m->n_passes - half, GF_AT_RESULT, GF_AT_TEMP2);
    r.other = m->end == GF_END_FROM_DILATED ? GF_AT_TEMP : GF_AT_SOURCE;
    r.last = pass + 1 == m->n_passes;
    return r;
}

uint32_t gf_morphology_temps(const struct gf_morphology *m)
{
    if (m->end == GF_END_FROM_DILATED)
        return m->n_passes > 2 ? 2 : 1;
    return m->n_passes > 1 ? 1 : 0;
}

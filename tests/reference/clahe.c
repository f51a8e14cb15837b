/* SPDX-License-Identifier: MIT */
/* clahe, docs/numerics.md, "clahe". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/clahe.h"
#include "reference_image.h"
#include "reference_intensity.h"
#include "reference_ops.h"

/* The tiles of a picture, and the table of each for one channel. */
struct clahe {
    const struct gf_reference_buf *in;
    int64_t n_x, n_y, width, height;
    uint64_t levels, limit; /* limit 0: none */
    double min, max;
    double *tables;
};

static void clahe_deinit(struct clahe *c)
{
    free(c->tables);
}

static enum gf_status lay_out(struct clahe *c, const struct gf_clahe_params *p, struct gf_error *err)
{
    const struct gf_view *v = &c->in->view;
    int64_t width = (int64_t)v->width, height = (int64_t)v->height;
    c->n_x = GF_PICK(p->tiles, 0);
    c->n_y = GF_PICK(p->tiles, 1);
    if (width % c->n_x != 0 || height % c->n_y != 0) {
        width += c->n_x - width % c->n_x;
        height += c->n_y - height % c->n_y;
    }
    c->width = width / c->n_x;
    c->height = height / c->n_y;
    c->min = (double)gf_reference_min(v->dtype);
    c->max = (double)gf_reference_max(v->dtype);
    c->levels = (uint64_t)(c->max - c->min) + 1;
    if (p->clip > 0.0)
        c->limit = (uint64_t)fmax(floor(p->clip * (double)(c->width * c->height) / (double)c->levels), 1.0);
    c->tables = malloc((size_t)(c->n_x * c->n_y) * c->levels * sizeof(*c->tables));
    return c->tables != NULL ? GF_OK : gf_error_set(err, GF_E_NO_MEMORY, "no memory for tables");
}

static void count(const struct clahe *c, int64_t tile, uint32_t channel, uint64_t *h)
{
    for (int64_t y = tile / c->n_x * c->height; y < (tile / c->n_x + 1) * c->height; y++)
        for (int64_t x = tile % c->n_x * c->width; x < (tile % c->n_x + 1) * c->width; x++) {
            int64_t from_y = gf_reference_border(GF_BORDER_REFLECT101, y, (int64_t)c->in->view.height);
            int64_t from_x = gf_reference_border(GF_BORDER_REFLECT101, x, (int64_t)c->in->view.width);
            double v = gf_reference_intensity_at(c->in, (uint64_t)from_y, (uint64_t)from_x, channel);
            h[(size_t)(v - c->min)]++;
        }
}

static void clip(const struct clahe *c, uint64_t *h)
{
    uint64_t excess = 0;
    for (uint64_t v = 0; v < c->levels; v++)
        if (h[v] > c->limit) {
            excess += h[v] - c->limit;
            h[v] = c->limit;
        }
    for (uint64_t v = 0; v < c->levels; v++)
        h[v] += excess / c->levels;
    uint64_t rest = excess % c->levels, step = rest == 0 ? 1 : c->levels / rest;
    for (uint64_t v = 0; v < c->levels && rest > 0; v += step, rest--)
        h[v]++;
}

static enum gf_status make_tables(const struct clahe *c, uint32_t channel, struct gf_error *err)
{
    uint64_t *gf_cleanup(gf_freep) h = malloc(c->levels * sizeof(*h));
    if (h == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for counts");
    float scale = (float)c->max / (float)(c->width * c->height);
    for (int64_t tile = 0; tile < c->n_x * c->n_y; tile++) {
        uint64_t sum = 0;
        for (uint64_t v = 0; v < c->levels; v++)
            h[v] = 0;
        count(c, tile, channel, h);
        if (c->limit > 0)
            clip(c, h);
        for (uint64_t v = 0; v < c->levels; v++) {
            sum += h[v];
            float scaled = (float)sum * scale;
            c->tables[(uint64_t)tile * c->levels + v] = fmin((double)rintf(scaled), c->max);
        }
    }
    return GF_OK;
}

/* The tiles next to a row or column, and the weight of the second. */
static float place(int64_t at, int64_t length, int64_t n, int64_t *ret_before, int64_t *ret_after)
{
    float inverse = 1.0f / (float)length, t = (float)at * inverse;
    t = t - 0.5f;
    int64_t below = (int64_t)floorf(t);
    *ret_before = below < 0 ? 0 : below;
    *ret_after = below + 1 > n - 1 ? n - 1 : below + 1;
    return t - (float)below;
}

static double mixed(const struct clahe *c, int64_t y, int64_t x, uint32_t channel)
{
    int64_t top, bottom, left, right;
    float wy = place(y, c->height, c->n_y, &top, &bottom), wx = place(x, c->width, c->n_x, &left, &right);
    size_t v = (size_t)(gf_reference_intensity_at(c->in, (uint64_t)y, (uint64_t)x, channel) - c->min);
    int64_t tiles[4] = {top * c->n_x + left, top * c->n_x + right, bottom * c->n_x + left, bottom * c->n_x + right};
    float e[4];
    for (int i = 0; i < 4; i++)
        e[i] = (float)c->tables[(uint64_t)tiles[i] * c->levels + v];
    float left_weight = 1.0f - wx, p = e[0] * left_weight, q = e[1] * wx, r = e[2] * left_weight, s = e[3] * wx;
    float above = p + q, below = r + s, top_weight = 1.0f - wy;
    above = above * top_weight;
    below = below * wy;
    return (double)(above + below);
}

GF_REFERENCE(clahe)
{
    struct clahe gf_cleanup(clahe_deinit) c = {.in = in};
    const struct gf_clahe_params p = gf_clahe_params_get(params);
    (void)op;
    enum gf_status status = lay_out(&c, &p, err);
    for (uint32_t channel = 0; channel < in->view.channels && status == GF_OK; channel++) {
        bool copied = gf_reference_is_alpha(in->view.channels, channel) && p.alpha != GF_ALPHA_STRAIGHT;
        status = copied ? GF_OK : make_tables(&c, channel, err);
        for (int64_t y = 0; y < (int64_t)in->view.height && status == GF_OK; y++)
            for (int64_t x = 0; x < (int64_t)in->view.width; x++)
                gf_reference_write(out, y, x, channel,
                                   copied ? gf_reference_read(in, y, x, channel) : (float)mixed(&c, y, x, channel));
    }
    return status;
}

/* SPDX-License-Identifier: MIT */
/* match, docs/numerics.md, "match". */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/match.h"
#include "reference_image.h"
#include "reference_ops.h"

struct matching {
    const struct gf_reference_buf *src, *templ, *scores;
    uint32_t method;
    int64_t w, h, width, height; /* of the template, of the scores */
    struct gf_f32v threshold;
};

static float *score_at(const struct matching *m, int64_t y, int64_t x)
{
    return (float *)(void *)((char *)m->scores->data + (uint64_t)y * m->scores->view.pitch) + x;
}

/* Adds the numerator and both sums of squares of one channel to the totals over channels. */
static void add_channel(const struct matching *m, int64_t y, int64_t x, uint32_t c, int64_t *xy, int64_t *xx,
                        int64_t *yy)
{
    int64_t n = m->w * m->h, sx = 0, sy = 0, sxy = 0, sxx = 0, syy = 0;
    for (int64_t j = 0; j < m->h; j++)
        for (int64_t i = 0; i < m->w; i++) {
            int64_t p = (int64_t)gf_reference_read(m->src, y + j, x + i, c);
            int64_t t = (int64_t)gf_reference_read(m->templ, j, i, c);
            sx += p;
            sy += t;
            sxy += p * t;
            sxx += p * p;
            syy += t * t;
        }
    bool centred = m->method == GF_MATCH_CCOEFF;
    *xy += centred ? n * sxy - sx * sy : sxy;
    *xx += centred ? n * sxx - sx * sx : sxx;
    *yy += centred ? n * syy - sy * sy : syy;
}

static float score(const struct matching *m, int64_t y, int64_t x)
{
    int64_t xy = 0, xx = 0, yy = 0;
    for (uint32_t c = 0; c < m->src->view.channels; c++)
        add_channel(m, y, x, c, &xy, &xx, &yy);
    bool differs = m->method == GF_MATCH_SQDIFF;
    double root = sqrt((double)xx * (double)yy);
    if (root == 0.0)
        return differs ? 1.0f : 0.0f;
    double q = (double)(differs ? xx + yy - 2 * xy : xy) / root;
    return (float)(differs && q > 1.0 ? 1.0 : q);
}

static bool is_better(const struct matching *m, float a, float b)
{
    return m->method == GF_MATCH_SQDIFF ? a < b : a > b;
}

/* A place beats another by its score, or being earlier with the same one. */
static bool beats(const struct matching *m, int64_t y, int64_t x, int64_t other_y, int64_t other_x)
{
    float a = *score_at(m, y, x), b = *score_at(m, other_y, other_x);
    return a == b ? y < other_y || (y == other_y && x < other_x) : is_better(m, a, b);
}

static bool is_peak(const struct matching *m, int64_t y, int64_t x)
{
    int64_t across = m->w / 2 > 1 ? m->w / 2 : 1, down = m->h / 2 > 1 ? m->h / 2 : 1;
    if (m->threshold.n > 0 && is_better(m, m->threshold.v[0], *score_at(m, y, x)))
        return false;
    for (int64_t j = y - down; j <= y + down; j++)
        for (int64_t i = x - across; i <= x + across; i++)
            if (j >= 0 && i >= 0 && j < m->height && i < m->width && beats(m, j, i, y, x))
                return false;
    return true;
}

/* Puts a place into its row of `found`, which is sorted; the last row falls out. */
static void insert(const struct matching *m, double *found, uint64_t rows, int64_t y, int64_t x)
{
    uint64_t k = rows;
    while (k > 0 && (isnan(found[3 * k - 3]) || beats(m, y, x, (int64_t)found[3 * k - 2], (int64_t)found[3 * k - 3])))
        k--;
    if (k == rows)
        return;
    memmove(found + 3 * k + 3, found + 3 * k, (rows - k - 1) * 3 * sizeof(*found));
    found[3 * k] = (double)x;
    found[3 * k + 1] = (double)y;
    found[3 * k + 2] = (double)*score_at(m, y, x);
}

GF_REFERENCE(match)
{
    struct matching m = {.src = &in[0],
                         .templ = &in[1],
                         .scores = &out[0],
                         .method = gf_match_params_get(params).method,
                         .w = (int64_t)in[1].view.width,
                         .h = (int64_t)in[1].view.height,
                         .width = (int64_t)out[0].view.width,
                         .height = (int64_t)out[0].view.height,
                         .threshold = gf_match_params_get(params).threshold};
    double *found = out[1].data;
    uint64_t rows = out[1].view.width, count = 0;
    (void)op;
    (void)err;
    for (int64_t y = 0; y < m.height; y++)
        for (int64_t x = 0; x < m.width; x++)
            *score_at(&m, y, x) = score(&m, y, x);
    for (uint64_t i = 0; i < 3 * rows; i++)
        found[i] = (double)NAN;
    for (int64_t y = 0; y < m.height; y++)
        for (int64_t x = 0; x < m.width; x++)
            if (is_peak(&m, y, x)) {
                insert(&m, found, rows, y, x);
                count++;
            }
    memcpy(out[2].data, &count, sizeof(count));
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/* The family region: match, canny, label and distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/canny.h"
#include "protocol/ops/params/label.h"
#include "protocol/ops/params/match.h"
#include "reference_image.h"
#include "reference_ops.h"

/* match, docs/numerics.md, "match". */

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

/* canny, docs/numerics.md, "canny": gradients, thin lines of their maxima, then what is connected to the strong ones.
 */

enum { NOTHING, WEAK, STRONG };

struct point {
    int64_t dx, dy, magnitude;
};

struct canny {
    const struct gf_reference_buf *in;
    int64_t width, height, radius;
    bool l2;
    struct point *points;
    uint8_t *kinds;  /* of pixels: NOTHING, WEAK or STRONG */
    uint32_t *stack; /* indices of strong pixels whose neighbours are to be looked at */
    size_t n;
};

static const int64_t smooth[3][7] = {{1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
static const int64_t slope[3][7] = {{-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};

static int64_t sample(const struct canny *c, int64_t y, int64_t x, uint32_t channel)
{
    y = gf_reference_border(GF_BORDER_REPLICATE, y, c->height);
    x = gf_reference_border(GF_BORDER_REPLICATE, x, c->width);
    return (int64_t)gf_reference_read(c->in, y, x, channel);
}

/* A sixteenth, ties to even. */
static int64_t sixteenth(int64_t v)
{
    return (int64_t)rint((double)v / 16.0);
}

static struct point gradient(const struct canny *c, int64_t y, int64_t x, uint32_t channel)
{
    int64_t r = c->radius;
    struct point p = {0, 0, 0};
    for (int64_t j = -r; j <= r; j++)
        for (int64_t i = -r; i <= r; i++) {
            int64_t v = sample(c, y + j, x + i, channel);
            p.dx += smooth[r - 1][j + r] * slope[r - 1][i + r] * v;
            p.dy += slope[r - 1][j + r] * smooth[r - 1][i + r] * v;
        }
    if (r == 3) {
        p.dx = sixteenth(p.dx);
        p.dy = sixteenth(p.dy);
    }
    p.magnitude = c->l2 ? p.dx * p.dx + p.dy * p.dy : llabs(p.dx) + llabs(p.dy);
    return p;
}

/* The first of the channels with the greatest magnitude. */
static struct point greatest(const struct canny *c, int64_t y, int64_t x)
{
    struct point most = gradient(c, y, x, 0);
    for (uint32_t k = 1; k < c->in->view.channels; k++) {
        struct point p = gradient(c, y, x, k);
        if (p.magnitude > most.magnitude)
            most = p;
    }
    return most;
}

static int64_t magnitude(const struct canny *c, int64_t y, int64_t x)
{
    return y < 0 || x < 0 || y >= c->height || x >= c->width ? 0 : c->points[y * c->width + x].magnitude;
}

/* Whether no neighbour across the edge is greater. */
static bool is_ridge(const struct canny *c, int64_t y, int64_t x)
{
    struct point p = c->points[y * c->width + x];
    int64_t ax = llabs(p.dx), ay = llabs(p.dy), m = p.magnitude, s = (p.dx < 0) != (p.dy < 0) ? -1 : 1;
    if (ay * 32768 < ax * 13573)
        return m > magnitude(c, y, x - 1) && m >= magnitude(c, y, x + 1);
    if (ay * 32768 > ax * (13573 + 65536))
        return m > magnitude(c, y - 1, x) && m >= magnitude(c, y + 1, x);
    return m > magnitude(c, y - 1, x - s) && m > magnitude(c, y + 1, x + s);
}

static int64_t threshold(const struct canny *c, double t)
{
    if (c->radius == 3)
        t /= 16.0;
    return (int64_t)floor(c->l2 ? t * t : t);
}

static void push(struct canny *c, int64_t y, int64_t x)
{
    c->kinds[y * c->width + x] = STRONG;
    c->stack[c->n++] = (uint32_t)(y * c->width + x);
}

static void follow(struct canny *c)
{
    while (c->n > 0) {
        uint32_t index = c->stack[--c->n];
        int64_t y = index / c->width, x = index % c->width;
        for (int64_t j = y - 1; j <= y + 1; j++)
            for (int64_t i = x - 1; i <= x + 1; i++)
                if (j >= 0 && i >= 0 && j < c->height && i < c->width && c->kinds[j * c->width + i] == WEAK)
                    push(c, j, i);
    }
}

GF_REFERENCE(canny)
{
    const struct gf_canny_params p = gf_canny_params_get(params);
    struct canny c = {.in = in,
                      .width = (int64_t)in->view.width,
                      .height = (int64_t)in->view.height,
                      .radius = (int64_t)p.aperture / 2,
                      .l2 = p.l2 != 0};
    size_t n = (size_t)(c.width * c.height);
    struct point *gf_cleanup(gf_freep) points = malloc(n * sizeof(*points));
    uint32_t *gf_cleanup(gf_freep) stack = malloc(n * sizeof(*stack));
    uint8_t *gf_cleanup(gf_freep) kinds = calloc(n, 1);
    int64_t low = threshold(&c, p.low), high = threshold(&c, p.high);
    (void)op;
    if (points == NULL || stack == NULL || kinds == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %zu pixels", n);
    c.points = points;
    c.stack = stack;
    c.kinds = kinds;
    for (int64_t y = 0; y < c.height; y++)
        for (int64_t x = 0; x < c.width; x++)
            c.points[y * c.width + x] = greatest(&c, y, x);
    for (int64_t y = 0; y < c.height; y++)
        for (int64_t x = 0; x < c.width; x++) {
            int64_t m = magnitude(&c, y, x);
            if (m <= low || !is_ridge(&c, y, x))
                continue;
            if (m > high)
                push(&c, y, x);
            else
                c.kinds[y * c.width + x] = WEAK;
        }
    follow(&c);
    for (int64_t y = 0; y < c.height; y++)
        for (int64_t x = 0; x < c.width; x++)
            ((uint8_t *)out->data)[(uint64_t)y * out->view.pitch + (uint64_t)x] =
                c.kinds[y * c.width + x] == STRONG ? 255 : 0;
    return GF_OK;
}

/* label, docs/numerics.md, "label". */

struct flood {
    const struct gf_reference_buf *in, *labels;
    int64_t width, height;
    bool diagonal;
    uint32_t *stack; /* indices of pixels whose neighbours are to be looked at */
    size_t n;
};

static uint32_t *label_at(const struct flood *f, int64_t y, int64_t x)
{
    return (uint32_t *)(void *)((char *)f->labels->data + (uint64_t)y * f->labels->view.pitch) + x;
}

/* NaN is not 0, and -0 is. */
static bool is_foreground(const struct flood *f, int64_t y, int64_t x)
{
    return gf_reference_read(f->in, y, x, 0) != 0.0f;
}

/* Gives a pixel its number, if it has none and needs one. */
static void visit(struct flood *f, int64_t y, int64_t x, uint32_t number)
{
    if (y < 0 || x < 0 || y >= f->height || x >= f->width || !is_foreground(f, y, x) || *label_at(f, y, x) != 0)
        return;
    *label_at(f, y, x) = number;
    f->stack[f->n++] = (uint32_t)(y * f->width + x);
}

static void fill(struct flood *f, int64_t y, int64_t x, uint32_t number)
{
    visit(f, y, x, number);
    while (f->n > 0) {
        uint32_t index = f->stack[--f->n];
        int64_t py = index / f->width, px = index % f->width;
        for (int64_t dy = -1; dy <= 1; dy++)
            for (int64_t dx = -1; dx <= 1; dx++)
                if (dy == 0 || dx == 0 || f->diagonal)
                    visit(f, py + dy, px + dx, number);
    }
}

/* Adds a pixel to the area and the box of its part; pixels come row after row. */
static void measure(uint32_t *area, uint32_t *box, uint32_t x, uint32_t y)
{
    if (*area == 0) {
        box[0] = x;
        box[1] = y;
    }
    uint32_t end = *area == 0 ? x + 1 : box[0] + box[2];
    box[0] = x < box[0] ? x : box[0];
    box[2] = (x >= end ? x + 1 : end) - box[0];
    box[3] = y - box[1] + 1;
    ++*area;
}

static void measure_all(const struct flood *f, uint64_t capacity, uint32_t *areas, uint32_t *boxes)
{
    memset(areas, 0, capacity * sizeof(*areas));
    memset(boxes, 0, 4 * capacity * sizeof(*boxes));
    for (int64_t y = 0; y < f->height; y++)
        for (int64_t x = 0; x < f->width; x++) {
            uint64_t number = *label_at(f, y, x);
            if (number > 0 && number <= capacity)
                measure(&areas[number - 1], &boxes[4 * (number - 1)], (uint32_t)x, (uint32_t)y);
        }
}

GF_REFERENCE(label)
{
    struct flood f = {.in = in,
                      .labels = &out[0],
                      .width = (int64_t)in->view.width,
                      .height = (int64_t)in->view.height,
                      .diagonal = gf_label_params_get(params).connectivity == GF_CONNECTIVITY_EIGHT};
    uint32_t *gf_cleanup(gf_freep) stack = malloc((size_t)(f.width * f.height) * sizeof(*stack));
    uint64_t count = 0;
    (void)op;
    if (stack == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %zu pixels", (size_t)(f.width * f.height));
    f.stack = stack;
    for (int64_t y = 0; y < f.height; y++)
        memset(label_at(&f, y, 0), 0, (size_t)f.width * sizeof(uint32_t));
    for (int64_t y = 0; y < f.height; y++)
        for (int64_t x = 0; x < f.width; x++)
            if (is_foreground(&f, y, x) && *label_at(&f, y, x) == 0)
                fill(&f, y, x, (uint32_t)++count);
    measure_all(&f, out[1].view.width, out[1].data, out[2].data);
    memcpy(out[3].data, &count, sizeof(count));
    return GF_OK;
}

/* distance, docs/numerics.md, "distance": the nearest 0 of each column, then the nearest of all columns. */

/* How far the nearest 0 of column x is from row y; -1: there is none. */
static int64_t height_of(const struct gf_reference_buf *in, int64_t y, int64_t x)
{
    int64_t n = (int64_t)in->view.height;
    for (int64_t d = 0; d < n; d++) {
        if (y - d >= 0 && gf_reference_read(in, y - d, x, 0) == 0.0f)
            return d;
        if (y + d < n && gf_reference_read(in, y + d, x, 0) == 0.0f)
            return d;
    }
    return -1;
}

static void store(struct gf_reference_buf *out, int64_t y, int64_t x, int64_t square)
{
    char *to = (char *)out->data + (uint64_t)y * out->view.pitch + (uint64_t)x * 4;
    uint32_t whole = square < 0 ? UINT32_MAX : (uint32_t)square;
    float real = square < 0 ? INFINITY : (float)sqrt((double)square);
    memcpy(to, out->view.dtype == GF_U32 ? (const void *)&whole : (const void *)&real, 4);
}

GF_REFERENCE(distance)
{
    int64_t width = (int64_t)in->view.width;
    int64_t *gf_cleanup(gf_freep) heights = malloc((size_t)width * sizeof(*heights));
    (void)op, (void)params;
    if (heights == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a row");
    for (int64_t y = 0; y < (int64_t)in->view.height; y++) {
        for (int64_t x = 0; x < width; x++)
            heights[x] = height_of(in, y, x);
        for (int64_t x = 0; x < width; x++) {
            int64_t least = -1;
            for (int64_t k = 0; k < width; k++) {
                int64_t square = (x - k) * (x - k) + heights[k] * heights[k];
                if (heights[k] >= 0 && (least < 0 || square < least))
                    least = square;
            }
            store(out, y, x, least);
        }
    }
    return GF_OK;
}

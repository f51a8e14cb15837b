/* SPDX-License-Identifier: MIT */
/* canny, docs/numerics.md, "canny": gradients, thin lines of their maxima, then what is connected to the strong ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/canny.h"
#include "reference_image.h"
#include "reference_ops.h"

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

/* SPDX-License-Identifier: MIT */
/* Coefficients that reveal faults which benign masks would hide. Called by the runner through case.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "case.h"

/* Where a coefficient stands: number i of n. `limit` is the greatest Σ|w| of integers that is still exact. */
struct tap {
    struct gf_prng *prng;
    uint64_t i, n;
    double limit;
};

typedef double coef_fn(const struct tap *at);

static double int_coef(const struct tap *at)
{
    return (double)gf_prng_range(at->prng, -8, 8);
}

static double one_coef(const struct tap *at)
{
    (void)at;
    return 1.0;
}

static double zero_coef(const struct tap *at)
{
    (void)at;
    return 0.0;
}

/* Integers times 2^-5. */
static double fraction_coef(const struct tap *at)
{
    return int_coef(at) * 0x1p-5;
}

static double random_coef(const struct tap *at)
{
    return (double)gf_prng_unit(at->prng) * 2.0 - 1.0;
}

static double positive_coef(const struct tap *at)
{
    return (double)gf_prng_unit(at->prng);
}

/* Mostly zeros, which are taps. */
static double sparse_coef(const struct tap *at)
{
    return gf_prng_below(at->prng, 4) == 0 ? int_coef(at) : 0.0;
}

/* Zeros of both signs, denormals, powers of two far apart, the greatest floats. */
static double edge_coef(const struct tap *at)
{
    const double values[] = {0, -0.0, 0x1p-149, -0x1p-130, 0x1p-60, -0x1p40, 1, -1, 0x1p-24, FLT_MAX, -0x1.8p100};
    return values[gf_prng_below(at->prng, GF_ARRAY_LEN(values))];
}

/* So small that products underflow, of both signs. */
static double tiny_coef(const struct tap *at)
{
    return int_coef(at) * 0x1p-149;
}

/* Sum 0: the second half undoes the first. */
static double cancel_coef(const struct tap *at)
{
    return at->i < at->n / 2       ? (double)(at->i % 5 + 1)
           : at->i < at->n / 2 * 2 ? -(double)((at->i - at->n / 2) % 5 + 1)
                                   : 0.0;
}

/* Ones, and one coefficient that takes Σ|w| to the limit of exactness, or past it. */
static double limit_coef(const struct tap *at)
{
    return at->i + 1 < at->n ? 1.0 : at->limit - (double)(at->n - 1);
}

static double over_coef(const struct tap *at)
{
    return at->i + 1 < at->n ? -1.0 : at->limit + 1.0 - (double)(at->n - 1);
}

/* Refused: the last coefficient is not finite. */
static double infinite_coef(const struct tap *at)
{
    return at->i + 1 < at->n ? 1.0 : INFINITY;
}

static double nan_coef(const struct tap *at)
{
    return at->i + 1 < at->n ? 1.0 : (double)NAN;
}

static const struct {
    const char *name;
    coef_fn *fn;
} coef_kinds[] = {
    {"int", int_coef},           {"ones", one_coef},          {"zeros", zero_coef},    {"fraction", fraction_coef},
    {"random", random_coef},     {"positive", positive_coef}, {"sparse", sparse_coef}, {"edge", edge_coef},
    {"tiny", tiny_coef},         {"cancel", cancel_coef},     {"limit", limit_coef},   {"over", over_coef},
    {"infinite", infinite_coef}, {"nan", nan_coef},
};

bool gf_data_mask(const char *kind, struct gf_prng *prng, uint32_t image_dtype, const struct gf_view *view, void *data)
{
    coef_fn *fn = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(coef_kinds); i++)
        if (strcmp(coef_kinds[i].name, kind) == 0)
            fn = coef_kinds[i].fn;
    if (fn == NULL)
        return false;
    double greatest_sample = image_dtype == GF_U16 ? 65535.0 : image_dtype == GF_I16 ? 32768.0 : 255.0;
    struct tap at = {.prng = prng, .n = view->width * view->height, .limit = floor(0x1p24 / greatest_sample)};
    for (; at.i < at.n; at.i++) {
        uint64_t x = at.i % view->width, y = at.i / view->width;
        float coef = (float)fn(&at);
        memcpy((char *)data + y * view->pitch + x * sizeof(coef), &coef, sizeof(coef));
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Samples and coefficients that break what benign data would not. Called by the runner through case.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "case.h"

/* One value of a sample, before it is narrowed to the dtype. `max` is 255, 65535 or 1. */
typedef double sample_fn(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha);

static double pick(struct gf_prng *prng, const double *values, uint32_t n)
{
    return values[gf_prng_below(prng, n)];
}

/* Anything from 0 to max. */
static double random_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    (void)x, (void)y, (void)alpha;
    return max == 1.0 ? (double)gf_prng_unit(prng) : (double)gf_prng_range(prng, 0, (int64_t)max);
}

/* Both ends and their neighbours. */
static double extreme_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    (void)x, (void)y, (void)alpha;
    const double values[] = {0, max, 1, max - 1};
    return pick(prng, values, 4);
}

/* The greatest value everywhere. */
static double full_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    (void)prng, (void)x, (void)y, (void)alpha;
    return max;
}

/* Every position its own value, so that a shift shows. */
static double ramp_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    (void)prng, (void)alpha;
    return fmod((double)(x * 7 + y * 31), max + 1);
}

/* Small whole numbers (f32: halves), which scales of 1/2 and 1/4 put on ties. */
static double tie_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    (void)x, (void)y, (void)alpha;
    return (double)gf_prng_below(prng, 12) * (max == 1.0 ? 0.5 : 1.0);
}

/* Any finite float. */
static double bits_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    if (max != 1.0)
        return random_sample(prng, max, x, y, alpha);
    return (double)gf_prng_float_bits(prng);
}

/* Infinities, NaN, zeros of both signs, denormals, the greatest floats, among ordinary numbers. */
static double special_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    const double values[] = {INFINITY, -INFINITY, (double)NAN, 0.0, -0.0, 0x1p-149, -0x1p-140, FLT_MAX, -FLT_MAX, 0.5};
    if (max != 1.0)
        return extreme_sample(prng, max, x, y, alpha);
    if (gf_prng_below(prng, 3) != 0)
        return (double)gf_prng_unit(prng) - 0.25;
    return pick(prng, values, GF_ARRAY_LEN(values));
}

/* Denormals and what becomes one. */
static double tiny_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    if (max != 1.0)
        return tie_sample(prng, max, x, y, alpha);
    return ((double)gf_prng_unit(prng) - 0.5) * 0x1p-125;
}

/* Alpha mostly 0, 1 and max (f32: also outside 0..1), colours random. */
static double alpha_sample(struct gf_prng *prng, double max, uint64_t x, uint64_t y, bool alpha)
{
    const double values[] = {0, 0, 0, 1, max, max, max - 1, max / 2};
    const double floats[] = {0, 0, -0.0, 1, 1, 0.5, 1.5, -0.25, 0x1p-149, 0x1p-30};
    if (!alpha)
        return random_sample(prng, max, x, y, alpha);
    return max == 1.0 ? pick(prng, floats, GF_ARRAY_LEN(floats)) : floor(pick(prng, values, GF_ARRAY_LEN(values)));
}

static const struct {
    const char *name;
    sample_fn *fn;
} sample_kinds[] = {
    {"random", random_sample},   {"extreme", extreme_sample}, {"full", full_sample},
    {"ramp", ramp_sample},       {"ties", tie_sample},        {"bits", bits_sample},
    {"special", special_sample}, {"tiny", tiny_sample},       {"alpha", alpha_sample},
};

static void put(void *p, uint32_t dtype, double v)
{
    uint8_t u8 = dtype == GF_U8 ? (uint8_t)v : 0;
    uint16_t u16 = dtype == GF_U16 ? (uint16_t)v : 0;
    float f32 = dtype == GF_F32 ? (float)v : 0.0f;
    memcpy(p, dtype == GF_U8 ? (void *)&u8 : dtype == GF_U16 ? (void *)&u16 : (void *)&f32, gf_dtype_size(dtype));
}

bool gf_data_image(const char *kind, struct gf_prng *prng, const struct gf_view *view, void *data)
{
    sample_fn *fn = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(sample_kinds); i++)
        if (strcmp(sample_kinds[i].name, kind) == 0)
            fn = sample_kinds[i].fn;
    if (fn == NULL)
        return false;
    double max = view->dtype == GF_U8 ? 255.0 : view->dtype == GF_U16 ? 65535.0 : 1.0;
    size_t size = gf_dtype_size(view->dtype);
    for (uint64_t y = 0; y < view->height; y++)
        for (uint64_t x = 0; x < view->width; x++)
            for (uint32_t c = 0; c < view->channels; c++) {
                bool alpha = view->channels % 2 == 0 && c == view->channels - 1;
                put((char *)data + y * view->pitch + (x * view->channels + c) * size, view->dtype,
                    fn(prng, max, x, y, alpha));
            }
    return true;
}

/* One coefficient, number i of n. `limit` is the greatest Σ|w| of integers that is still exact. */
typedef double coef_fn(struct gf_prng *prng, uint64_t i, uint64_t n, double limit);

static double int_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)i, (void)n, (void)limit;
    return (double)gf_prng_range(prng, -8, 8);
}

static double one_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng, (void)i, (void)n, (void)limit;
    return 1.0;
}

static double zero_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng, (void)i, (void)n, (void)limit;
    return 0.0;
}

/* Integers times 2^-5. */
static double fraction_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    return int_coef(prng, i, n, limit) * 0x1p-5;
}

static double random_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)i, (void)n, (void)limit;
    return (double)gf_prng_unit(prng) * 2.0 - 1.0;
}

static double positive_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)i, (void)n, (void)limit;
    return (double)gf_prng_unit(prng);
}

/* Mostly zeros, which are taps. */
static double sparse_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    return gf_prng_below(prng, 4) == 0 ? int_coef(prng, i, n, limit) : 0.0;
}

/* Zeros of both signs, denormals, powers of two far apart, the greatest floats. */
static double edge_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    const double values[] = {0, -0.0, 0x1p-149, -0x1p-130, 0x1p-60, -0x1p40, 1, -1, 0x1p-24, FLT_MAX, -0x1.8p100};
    (void)i, (void)n, (void)limit;
    return pick(prng, values, GF_ARRAY_LEN(values));
}

/* So small that products underflow, of both signs. */
static double tiny_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    return int_coef(prng, i, n, limit) * 0x1p-149;
}

/* Sum 0: the second half undoes the first. */
static double cancel_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng, (void)limit;
    return i < n / 2 ? (double)(i % 5 + 1) : i < n / 2 * 2 ? -(double)((i - n / 2) % 5 + 1) : 0.0;
}

/* Ones, and one coefficient that takes Σ|w| to the limit of exactness, or past it. */
static double limit_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng;
    return i + 1 < n ? 1.0 : limit - (double)(n - 1);
}

static double over_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng;
    return i + 1 < n ? -1.0 : limit + 1.0 - (double)(n - 1);
}

/* Refused: the last coefficient is not finite. */
static double infinite_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng, (void)limit;
    return i + 1 < n ? 1.0 : INFINITY;
}

static double nan_coef(struct gf_prng *prng, uint64_t i, uint64_t n, double limit)
{
    (void)prng, (void)limit;
    return i + 1 < n ? 1.0 : (double)NAN;
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
    double limit = floor(0x1p24 / (image_dtype == GF_U16 ? 65535.0 : 255.0));
    for (uint64_t y = 0; y < view->height; y++)
        for (uint64_t x = 0; x < view->width; x++)
            put((char *)data + y * view->pitch + x * sizeof(float), GF_F32,
                fn(prng, y * view->width + x, view->width * view->height, limit));
    return true;
}

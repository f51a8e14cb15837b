/* SPDX-License-Identifier: MIT */
/* Ops of the family filter that filter rows, then columns, docs/numerics.md, "Separable filters": gaussian, unsharp and
 * log. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/params/gaussian.h"
#include "protocol/ops/params/log.h"
#include "protocol/ops/params/unsharp.h"
#include "reference_image.h"
#include "reference_ops.h"

/* The taps of one axis; there is room for the largest radius, (GF_MAX_TAPS - 1) / 2. */
struct taps {
    int64_t radius;
    float w[GF_MAX_TAPS]; /* w[i + radius] */
};

static long double bell(int64_t i, long double sigma)
{
    return expl(-(long double)(i * i) / (2.0L * sigma * sigma));
}

static int64_t radius_of(float sigma, float truncate)
{
    return (int64_t)floor((double)truncate * (double)sigma + 0.5);
}

/* The weights of a gaussian, without ends that are 0. */
static void make_gaussian(float sigma, float truncate, struct taps *ret)
{
    int64_t radius = radius_of(sigma, truncate);
    if (sigma == 0.0f) {
        ret->radius = 0;
        ret->w[0] = 1.0f;
        return;
    }
    long double sum = 0.0L;
    for (int64_t j = -radius; j <= radius; j++)
        sum += bell(j, sigma);
    ret->radius = 0;
    for (int64_t r = 1; r <= radius; r++)
        if ((float)(bell(r, sigma) / sum) != 0.0f)
            ret->radius = r;
    for (int64_t i = -ret->radius; i <= ret->radius; i++)
        ret->w[i + ret->radius] = (float)(bell(i, sigma) / sum);
}

/* The chain over a row of the extended image, or with dy = 1 over a column. */
static float chain(const struct gf_reference_image *image, const struct taps *taps, int64_t y, int64_t x, uint32_t c,
                   int64_t dy)
{
    float acc = 0.0f;
    for (int64_t i = -taps->radius; i <= taps->radius; i++)
        acc = fmaf(gf_reference_at(image, y + i * dy, x + i * (1 - dy), c), taps->w[i + taps->radius], acc);
    return acc;
}

static void filter_rows(const struct gf_reference_image *image, const struct taps *taps,
                        struct gf_reference_image *rows)
{
    for (int64_t y = 0; y < rows->height; y++)
        for (int64_t x = 0; x < rows->width; x++)
            for (uint32_t c = 0; c < rows->channels; c++)
                *gf_reference_sample(rows, y, x, c) = chain(image, taps, y, x, c, 0);
    /* Rows outside: other borders repeat rows of the image; of a constant, row -1 is as good as any, everywhere. */
    rows->border = image->border;
    for (uint32_t c = 0; c < rows->channels; c++)
        rows->outside[c] = chain(image, taps, -1, 0, c, 0);
}

static void filter_columns(const struct gf_reference_image *rows, const struct taps *taps,
                           struct gf_reference_image *acc)
{
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++)
            for (uint32_t c = 0; c < acc->channels; c++)
                *gf_reference_sample(acc, y, x, c) = chain(rows, taps, y, x, c, 1);
}

/* acc of the rows with `across` and the columns with `down`; frees nothing that ret_acc held. NO_MEMORY. */
static enum gf_status filter_separably(const struct gf_reference_image *image, const struct taps *across,
                                       const struct taps *down, struct gf_reference_image *ret_acc,
                                       struct gf_error *err)
{
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) rows = {0};
    struct gf_reference_image acc = {0};
    enum gf_status status = gf_reference_image_init(image->width, image->height, image->channels, &rows, err);
    if (status == GF_OK)
        status = gf_reference_image_init(image->width, image->height, image->channels, &acc, err);
    if (status != GF_OK)
        return status;
    filter_rows(image, across, &rows);
    filter_columns(&rows, down, &acc);
    *ret_acc = acc;
    return GF_OK;
}

/* gaussian, docs/numerics.md, "gaussian", and unsharp, docs/numerics.md, "unsharp". */

/* The picture, and the picture under a gaussian. */
static enum gf_status blur(const struct gf_op *op, const struct gf_reference_rule *rule, const struct gf_f32v *sigma,
                           float truncate, const struct gf_reference_buf *in, struct gf_reference_image *image,
                           struct gf_reference_image *acc, struct gf_error *err)
{
    struct taps across, down;
    make_gaussian(GF_PICK(*sigma, 0), truncate, &across);
    make_gaussian(GF_PICK(*sigma, 1), truncate, &down);
    enum gf_status status = gf_reference_load(op, rule, in, image, err);
    return status == GF_OK ? filter_separably(image, &across, &down, acc, err) : status;
}

GF_REFERENCE(gaussian)
{
    const struct gf_gaussian_params p = gf_gaussian_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, true),
                                     .light = p.light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0}, acc = {0};
    enum gf_status status = blur(op, &rule, &p.sigma, p.truncate, in, &image, &acc, err);
    if (status == GF_OK)
        gf_reference_store(&acc, &rule, &in[0], out);
    return status;
}

GF_REFERENCE(unsharp)
{
    const struct gf_unsharp_params p = gf_unsharp_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, true),
                                     .light = p.light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0}, acc = {0};
    enum gf_status status = blur(op, &rule, &p.sigma, p.truncate, in, &image, &acc, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++) {
                float *g = gf_reference_sample(&acc, y, x, c), v = gf_reference_at(&image, y, x, c), d = v - *g;
                *g = fabsf(d) < p.threshold ? v : fmaf(p.amount, d, v);
            }
    gf_reference_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

/* log, docs/numerics.md, "log". */

/* Both weights of one axis at every place. */
struct log_axis {
    struct taps g0, g2;
};

static void make_log_axis(float sigma, float truncate, struct log_axis *ret)
{
    int64_t r = radius_of(sigma, truncate);
    long double sigma2 = (long double)sigma * (long double)sigma, sum = 0.0L, mean = 0.0L;
    for (int64_t i = -r; i <= r; i++)
        sum += expl(-(long double)(i * i) / (2.0L * sigma2));
    for (int64_t i = -r; i <= r; i++) {
        long double h = ((long double)(i * i) - sigma2) / (sigma2 * sigma2);
        mean += h * (expl(-(long double)(i * i) / (2.0L * sigma2)) / sum);
    }
    struct taps g0 = {.radius = r}, g2 = {.radius = r};
    int64_t last = 0;
    for (int64_t i = -r; i <= r; i++) {
        long double h = ((long double)(i * i) - sigma2) / (sigma2 * sigma2);
        long double g = expl(-(long double)(i * i) / (2.0L * sigma2)) / sum;
        g0.w[i + r] = (float)g;
        g2.w[i + r] = (float)((h - mean) * g);
        if (i >= 0 && (g0.w[i + r] != 0.0f || g2.w[i + r] != 0.0f))
            last = i;
    }
    ret->g0.radius = ret->g2.radius = last;
    for (int64_t i = -last; i <= last; i++) {
        ret->g0.w[i + last] = g0.w[i + r];
        ret->g2.w[i + last] = g2.w[i + r];
    }
}

GF_REFERENCE(log)
{
    const struct gf_log_params p = gf_log_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .scale = p.scale,
                                     .offset = p.offset};
    static struct log_axis across, down; /* too large for a stack */
    make_log_axis(GF_PICK(p.sigma, 0), p.truncate, &across);
    make_log_axis(GF_PICK(p.sigma, 1), p.truncate, &down);

    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) a = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) b = {0};
    enum gf_status status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = filter_separably(&image, &across.g2, &down.g0, &a, err);
    if (status == GF_OK)
        status = filter_separably(&image, &across.g0, &down.g2, &b, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < a.height; y++)
        for (int64_t x = 0; x < a.width; x++)
            for (uint32_t c = 0; c < a.channels; c++)
                *gf_reference_sample(&a, y, x, c) += gf_reference_at(&b, y, x, c);
    gf_reference_store(&a, &rule, &in[0], out);
    return GF_OK;
}

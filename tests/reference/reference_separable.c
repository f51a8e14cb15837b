/* SPDX-License-Identifier: MIT */
/* Separable filters of the reference, docs/numerics.md, "Separable filters". Called by the reference of gaussian,
 * unsharp and log. */
#include "reference_separable.h"

#include <math.h>

static long double bell(int64_t i, long double sigma)
{
    return expl(-(long double)(i * i) / (2.0L * sigma * sigma));
}

int64_t gf_reference_radius(float sigma, float truncate)
{
    return (int64_t)floor((double)truncate * (double)sigma + 0.5);
}

void gf_reference_gaussian_taps(float sigma, float truncate, struct gf_reference_taps *ret)
{
    int64_t radius = gf_reference_radius(sigma, truncate);
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
static float chain(const struct gf_reference_image *image, const struct gf_reference_taps *taps, int64_t y, int64_t x,
                   uint32_t c, int64_t dy)
{
    float acc = 0.0f;
    for (int64_t i = -taps->radius; i <= taps->radius; i++)
        acc = fmaf(gf_reference_at(image, y + i * dy, x + i * (1 - dy), c), taps->w[i + taps->radius], acc);
    return acc;
}

static void filter_rows(const struct gf_reference_image *image, const struct gf_reference_taps *taps,
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

static void filter_columns(const struct gf_reference_image *rows, const struct gf_reference_taps *taps,
                           struct gf_reference_image *acc)
{
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++)
            for (uint32_t c = 0; c < acc->channels; c++)
                *gf_reference_sample(acc, y, x, c) = chain(rows, taps, y, x, c, 1);
}

enum gf_status gf_reference_separable(const struct gf_reference_image *image, const struct gf_reference_taps *across,
                                      const struct gf_reference_taps *down, struct gf_reference_image *ret_acc,
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

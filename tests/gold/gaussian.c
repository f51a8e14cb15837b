/* SPDX-License-Identifier: MIT */
/* gaussian, docs/numerics.md 5. */
#include <math.h>
#include <stdlib.h>

#include "gold_image.h"
#include "gold_ops.h"
#include "protocol/enums.h"

/* Room for the largest radius, (GF_MAX_TAPS - 1) / 2. */
struct weights {
    int64_t radius;
    float w[GF_MAX_TAPS]; /* w[i + radius] */
};

static long double bell(int64_t i, long double sigma)
{
    return expl(-(long double)(i * i) / (2.0L * sigma * sigma));
}

static void make_weights(float sigma, float truncate, struct weights *ret)
{
    ret->radius = (int64_t)floor((double)truncate * (double)sigma + 0.5);
    if (sigma == 0.0f) {
        ret->radius = 0;
        ret->w[0] = 1.0f;
        return;
    }
    long double sum = 0.0L;
    for (int64_t j = -ret->radius; j <= ret->radius; j++)
        sum += bell(j, sigma);
    for (int64_t i = -ret->radius; i <= ret->radius; i++)
        ret->w[i + ret->radius] = (float)(bell(i, sigma) / sum);
}

/* The chain over a row of the extended image, or with dy = 1 over a column. Weights that are 0 are no taps. */
static float chain(const struct gf_gold_image *image, const struct weights *weights, int64_t y, int64_t x, uint32_t c,
                   int64_t dy)
{
    float acc = 0.0f;
    for (int64_t i = -weights->radius; i <= weights->radius; i++) {
        float w = weights->w[i + weights->radius];
        if (w != 0.0f)
            acc = fmaf(gf_gold_at(image, y + i * dy, x + i * (1 - dy), c), w, acc);
    }
    return acc;
}

static void filter_rows(const struct gf_gold_image *image, const struct weights *weights, struct gf_gold_image *rows)
{
    for (int64_t y = 0; y < rows->height; y++)
        for (int64_t x = 0; x < rows->width; x++)
            for (uint32_t c = 0; c < rows->channels; c++)
                *gf_gold_sample(rows, y, x, c) = chain(image, weights, y, x, c, 0);
    /* Rows outside: other borders repeat rows of the image; of a constant, row -1 is as good as any, everywhere. */
    rows->border = image->border;
    for (uint32_t c = 0; c < rows->channels; c++)
        rows->outside[c] = chain(image, weights, -1, 0, c, 0);
}

static void filter_columns(const struct gf_gold_image *rows, const struct weights *weights, struct gf_gold_image *acc)
{
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++)
            for (uint32_t c = 0; c < acc->channels; c++)
                *gf_gold_sample(acc, y, x, c) = chain(rows, weights, y, x, c, 1);
}

enum gf_status gf_gold_gaussian(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                                struct gf_gold_buf *out, struct gf_error *err)
{
    const struct gf_gaussian_params *p = &params->gaussian;
    struct gf_gold_rule rule = {.border = p->border,
                                .border_value = &p->border_value,
                                .alpha = gf_gold_alpha(p->alpha, in[0].view.channels, true),
                                .light = p->light,
                                .scale = 1.0f,
                                .offset = 0.0f};
    struct weights across, down;
    make_weights(GF_PICK(p->sigma, 0), p->truncate, &across);
    make_weights(GF_PICK(p->sigma, 1), p->truncate, &down);

    struct gf_gold_image gf_cleanup(gf_gold_image_deinit) image = {0};
    struct gf_gold_image gf_cleanup(gf_gold_image_deinit) rows = {0};
    struct gf_gold_image gf_cleanup(gf_gold_image_deinit) acc = {0};
    enum gf_status status = gf_gold_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_gold_image_init(image.width, image.height, image.channels, &rows, err);
    if (status == GF_OK)
        status = gf_gold_image_init(image.width, image.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    filter_rows(&image, &across, &rows);
    filter_columns(&rows, &down, &acc);
    gf_gold_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

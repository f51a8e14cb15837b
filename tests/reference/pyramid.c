/* SPDX-License-Identifier: MIT */
/* pyramid, docs/numerics.md, "pyramid": one level after the other, each rounded to the type of the picture. */
#include <math.h>

#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/pyramid.h"
#include "reference_image.h"
#include "reference_ops.h"

static const int binomial[5] = {1, 4, 6, 4, 1};

/* The place of a sample of the picture that is at place i of it, or, up, of the picture with zeros between; -1: a 0. */
static int64_t place(bool up, uint32_t border, int64_t i, int64_t n)
{
    int64_t at = gf_reference_border(border, i, up ? 2 * n : n);
    return !up ? at : at % 2 == 0 ? at / 2 : -1;
}

/* A chain of five columns, each a chain of five samples; a zero between samples is no tap. */
static float real_at(const struct gf_reference_image *in, bool up, int64_t y, int64_t x, uint32_t c)
{
    float acc = 0.0f;
    for (int64_t i = -2; i <= 2; i++) {
        int64_t from_x = place(up, in->border, x + i, in->width);
        if (from_x < 0)
            continue;
        float column = 0.0f;
        for (int64_t k = -2; k <= 2; k++) {
            int64_t from_y = place(up, in->border, y + k, in->height);
            if (from_y >= 0)
                column = fmaf(*gf_reference_sample(in, from_y, from_x, c), (float)binomial[k + 2] / (up ? 8.0f : 16.0f),
                              column);
        }
        acc = fmaf(column, (float)binomial[i + 2] / (up ? 8.0f : 16.0f), acc);
    }
    return fmaf(acc, 1.0f, 0.0f);
}

static float whole_at(const struct gf_reference_image *in, bool up, int64_t y, int64_t x, uint32_t c)
{
    double sum = 0, unit = up ? 64 : 256;
    for (int64_t i = -2; i <= 2; i++)
        for (int64_t k = -2; k <= 2; k++) {
            int64_t from_x = place(up, in->border, x + i, in->width);
            int64_t from_y = place(up, in->border, y + k, in->height);
            if (from_x >= 0 && from_y >= 0)
                sum += (double)*gf_reference_sample(in, from_y, from_x, c) * binomial[i + 2] * binomial[k + 2];
        }
    return (float)floor((sum + unit / 2) / unit);
}

/* A level of `from`, samples as the type holds them. */
static enum gf_status next_level(const struct gf_reference_image *from, bool up, uint32_t dtype,
                                 struct gf_reference_image *ret, struct gf_error *err)
{
    bool whole = gf_dtype_kind(dtype) != GF_KIND_FLOAT;
    enum gf_status status =
        gf_reference_image_init(up ? 2 * from->width : (from->width + 1) / 2,
                                up ? 2 * from->height : (from->height + 1) / 2, from->channels, ret, err);
    int64_t step = up ? 1 : 2;
    uint64_t bytes = 0;
    if (status != GF_OK)
        return status;
    ret->border = from->border;
    struct gf_reference_buf one = {.data = &bytes, .view = gf_view_tight(dtype, 1, 1, 1)};
    for (int64_t y = 0; y < ret->height; y++)
        for (int64_t x = 0; x < ret->width; x++)
            for (uint32_t c = 0; c < ret->channels; c++) {
                gf_reference_write(&one, 0, 0, 0, (whole ? whole_at : real_at)(from, up, y * step, x * step, c));
                *gf_reference_sample(ret, y, x, c) = gf_reference_read(&one, 0, 0, 0);
            }
    return GF_OK;
}

GF_REFERENCE(pyramid)
{
    const struct gf_pyramid_params p = gf_pyramid_params_get(params);
    gf_cleanup(gf_reference_image_deinit) struct gf_reference_image image = {0};
    const struct gf_reference_rule rule = {.border = p.border, .scale = 1.0f, .alpha = GF_ALPHA_STRAIGHT};
    enum gf_status status = gf_reference_load(op, &rule, in, &image, err);
    for (uint32_t i = 0; i < p.level && status == GF_OK; i++) {
        struct gf_reference_image next;
        status = next_level(&image, p.direction == GF_PYRAMID_UP, in->view.dtype, &next, err);
        if (status != GF_OK)
            break;
        gf_reference_image_deinit(&image);
        image = next;
    }
    for (int64_t y = 0; y < image.height && status == GF_OK; y++)
        for (int64_t x = 0; x < image.width; x++)
            for (uint32_t c = 0; c < image.channels; c++)
                gf_reference_write(out, y, x, c, *gf_reference_sample(&image, y, x, c));
    return status;
}

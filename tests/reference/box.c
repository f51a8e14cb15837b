/* SPDX-License-Identifier: MIT */
/* box, docs/numerics.md, "box": an exact sum where the filter reads integers, doubling sums in f32 elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/box.h"
#include "reference_image.h"
#include "reference_ops.h"

/* Whether the filter reads whole numbers MIN..MAX only. */
static bool reads_integers(const struct gf_reference_rule *rule, const struct gf_view *view)
{
    if (gf_dtype_kind(view->dtype) == GF_KIND_FLOAT || rule->light == GF_LIGHT_LINEAR ||
        rule->alpha == GF_ALPHA_PREMULTIPLIED)
        return false;
    if (rule->border != GF_BORDER_CONSTANT)
        return true;
    for (uint32_t c = 0; c < view->channels; c++) {
        float v = GF_PICK(*rule->border_value, c);
        bool copied = rule->alpha == GF_ALPHA_IGNORE && gf_reference_is_alpha(view->channels, c);
        if (!copied && !(v >= gf_reference_min(view->dtype) && v <= gf_reference_max(view->dtype) && v == floorf(v)))
            return false;
    }
    return true;
}

/* A rectangle of integers. Alpha that is only copied may lie outside them at the border, and is left out. */
static float integer_sum(const struct gf_reference_image *image, int64_t top, int64_t left, uint32_t width,
                         uint32_t height, uint32_t c)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j++)
            sum += (int64_t)gf_reference_at(image, top + i, left + j, c);
    return (float)sum;
}

static void filter_integers(const struct gf_reference_image *image, const struct gf_reference_rule *rule,
                            uint32_t width, uint32_t height, struct gf_reference_image *acc)
{
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++)
            for (uint32_t c = 0; c < acc->channels; c++)
                if (!(rule->alpha == GF_ALPHA_IGNORE && gf_reference_is_alpha(acc->channels, c)))
                    *gf_reference_sample(acc, y, x, c) =
                        integer_sum(image, y - height / 2, x - width / 2, width, height, c);
}

/* S_m[0]: the sum of m elements, m a power of two, each half by itself. */
static float doubling_sum(const float *x, uint32_t m)
{
    return m == 1 ? x[0] : doubling_sum(x, m / 2) + doubling_sum(x + m / 2, m / 2);
}

/* The window of `length` elements from x[0]. */
static float window_sum(const float *x, uint32_t length)
{
    uint32_t bit = 1;
    while (bit <= length / 2)
        bit *= 2;
    float w = doubling_sum(x, bit);
    uint32_t covered = bit;
    for (bit /= 2; bit > 0; bit /= 2)
        if ((length & bit) != 0) {
            w = w + doubling_sum(x + covered, bit);
            covered += bit;
        }
    return w;
}

/* The window of a row of the extended image that starts at (y, x), or with dy = 1 of a column. */
static float window_at(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, uint32_t length,
                       int64_t dy)
{
    float line[GF_MAX_TAPS];
    for (int64_t i = 0; i < length; i++)
        line[i] = gf_reference_at(image, y + i * dy, x + i * (1 - dy), c);
    return window_sum(line, length);
}

static enum gf_status filter_floats(const struct gf_reference_image *image, uint32_t width, uint32_t height,
                                    struct gf_reference_image *acc, struct gf_error *err)
{
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) rows = {0};
    enum gf_status status = gf_reference_image_init(image->width, image->height, image->channels, &rows, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < rows.height; y++)
        for (int64_t x = 0; x < rows.width; x++)
            for (uint32_t c = 0; c < rows.channels; c++)
                *gf_reference_sample(&rows, y, x, c) = window_at(image, y, x - width / 2, c, width, 0);
    /* Rows outside: other borders repeat rows of the image; of a constant, row -1 is as good as any, everywhere. */
    rows.border = image->border;
    for (uint32_t c = 0; c < rows.channels; c++)
        rows.outside[c] = window_at(image, -1, 0, c, width, 0);
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++)
            for (uint32_t c = 0; c < acc->channels; c++)
                *gf_reference_sample(acc, y, x, c) = window_at(&rows, y - height / 2, x, c, height, 1);
    return GF_OK;
}

GF_REFERENCE(box)
{
    const struct gf_box_params p = gf_box_params_get(params);
    uint32_t width = GF_PICK(p.size, 0), height = GF_PICK(p.size, 1);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, true),
                                     .light = p.light,
                                     .scale = (float)((double)p.scale / ((double)width * (double)height)),
                                     .offset = p.offset};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    enum gf_status status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init(image.width, image.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    if (reads_integers(&rule, &in[0].view))
        filter_integers(&image, &rule, width, height, &acc);
    else
        status = filter_floats(&image, width, height, &acc, err);
    if (status == GF_OK)
        gf_reference_store(&acc, &rule, &in[0], out);
    return status;
}

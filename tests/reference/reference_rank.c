/* SPDX-License-Identifier: MIT */
/* Windows sorted in the order of docs/numerics.md 18. Called by median, rank and percentile. */
#include "reference_rank.h"

#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "reference_image.h"

/* -1, 0 or 1 as a is below, like or above b: numbers, -0 below +0, then NaN. */
static int compare(const void *at_a, const void *at_b)
{
    float a = *(const float *)at_a, b = *(const float *)at_b;
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    if (a != b)
        return a < b ? -1 : 1;
    return !!signbit(b) - !!signbit(a);
}

/* A border value as the dtype holds it. */
static float as_stored(float v, uint32_t dtype)
{
    float sample = 0.0f;
    struct gf_reference_buf one = {&sample, gf_view_tight(dtype, 1, 1, 1)};
    gf_reference_write(&one, 0, 0, 0, v);
    return gf_reference_read(&one, 0, 0, 0);
}

enum gf_status gf_reference_rank_windows(const struct gf_op *op, const struct gf_reference_window *window,
                                         const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                         struct gf_error *err)
{
    int64_t width = GF_PICK(*window->size, 0), height = GF_PICK(*window->size, 1);
    struct gf_reference_rule rule = {
        .border = window->border, .border_value = window->border_value, .alpha = GF_ALPHA_STRAIGHT};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    enum gf_status status = gf_reference_load(op, &rule, in, &image, err);
    if (status != GF_OK)
        return status;
    for (uint32_t c = 0; c < image.channels; c++)
        image.outside[c] = as_stored(image.outside[c], in->view.dtype);
    float *samples = calloc((size_t)(width * height), sizeof(float));
    if (!samples)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for a window");
    for (int64_t y = 0; y < image.height; y++)
        for (int64_t x = 0; x < image.width; x++)
            for (uint32_t c = 0; c < image.channels; c++) {
                for (int64_t i = 0; i < width * height; i++)
                    samples[i] = gf_reference_at(&image, y - height / 2 + i / width, x - width / 2 + i % width, c);
                qsort(samples, (size_t)(width * height), sizeof(float), compare);
                gf_reference_write(out, y, x, c, samples[window->index]);
            }
    free(samples);
    return GF_OK;
}

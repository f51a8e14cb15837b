/* SPDX-License-Identifier: MIT */
/* median, rank and percentile, docs/numerics.md, "median, rank, percentile": one sample of every window, in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/median.h"
#include "protocol/ops/params/percentile.h"
#include "protocol/ops/params/rank.h"
#include "reference_image.h"
#include "reference_ops.h"

/* A window and which of its samples is the result. */
struct ranked {
    const struct gf_u32v *size;
    uint32_t border; /* GF_BORDER_* */
    const struct gf_f32v *border_value;
    uint32_t index; /* from the least one */
};

/* Whole numbers in the order of the samples: numbers, -0 below +0, then NaN. */
static uint32_t key_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof(bits));
    if (isnan(v))
        return UINT32_MAX;
    return signbit(v) ? ~bits : bits | 1u << 31;
}

static float sample_of(uint32_t key)
{
    uint32_t bits = key >> 31 == 0 ? ~key : key & ~(1u << 31);
    float v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* The key that stands at `index` when all are sorted: the greatest one with at most `index` keys below it, found bit by
 * bit from the highest. */
static uint32_t key_at(const uint32_t *keys, int64_t n, uint32_t index)
{
    uint32_t found = 0;
    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        uint32_t below = 0;
        for (int64_t i = 0; i < n; i++)
            below += keys[i] < (found | bit);
        if (below <= index)
            found |= bit;
    }
    return found;
}

/* A border value as the dtype holds it. */
static float as_stored(float v, uint32_t dtype)
{
    float sample = 0.0f;
    struct gf_reference_buf one = {&sample, gf_view_tight(dtype, 1, 1, 1)};
    gf_reference_write(&one, 0, 0, 0, v);
    return gf_reference_read(&one, 0, 0, 0);
}

/* One sample of every window. NO_MEMORY. */
static enum gf_status run(const struct gf_op *op, const struct ranked *window, const struct gf_reference_buf *in,
                          struct gf_reference_buf *out, struct gf_error *err)
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
    uint32_t *gf_cleanup(gf_freep) keys = calloc((size_t)(width * height), sizeof(*keys));
    if (!keys)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for a window");
    for (int64_t y = 0; y < image.height; y++)
        for (int64_t x = 0; x < image.width; x++)
            for (uint32_t c = 0; c < image.channels; c++) {
                for (int64_t ky = 0; ky < height; ky++)
                    for (int64_t kx = 0; kx < width; kx++)
                        keys[ky * width + kx] =
                            key_of(gf_reference_at(&image, y - height / 2 + ky, x - width / 2 + kx, c));
                gf_reference_write(out, y, x, c, sample_of(key_at(keys, width * height, window->index)));
            }
    return GF_OK;
}

GF_REFERENCE(median)
{
    const struct gf_median_params p = gf_median_params_get(params);
    uint32_t n = GF_PICK(p.size, 0) * GF_PICK(p.size, 1);
    struct ranked window = {.size = &p.size, .border = p.border, .border_value = &p.border_value, .index = n / 2};
    return run(op, &window, in, out, err);
}

GF_REFERENCE(rank)
{
    const struct gf_rank_params p = gf_rank_params_get(params);
    int32_t n = (int32_t)(GF_PICK(p.size, 0) * GF_PICK(p.size, 1)), index = (int32_t)p.index.v[0];
    struct ranked window = {.size = &p.size,
                            .border = p.border,
                            .border_value = &p.border_value,
                            .index = (uint32_t)(index < 0 ? n + index : index)};
    return run(op, &window, in, out, err);
}

GF_REFERENCE(percentile)
{
    const struct gf_percentile_params p = gf_percentile_params_get(params);
    double n = (double)(GF_PICK(p.size, 0) * GF_PICK(p.size, 1)), index = floor(n * p.percent.v[0] / 100.0);
    struct ranked window = {
        .size = &p.size, .border = p.border, .border_value = &p.border_value, .index = (uint32_t)fmin(index, n - 1.0)};
    return run(op, &window, in, out, err);
}

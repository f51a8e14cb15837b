/* SPDX-License-Identifier: MIT */
/* Masks of 3 x 3 (their zeros are not taps): sobel, prewitt, scharr, laplacian, sharpen and emboss, docs/numerics.md,
 * "Built-in masks".
 */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/emboss.h"
#include "protocol/ops/params/laplacian.h"
#include "protocol/ops/params/sharpen.h"
#include "protocol/ops/params/sobel.h"
#include "reference_image.h"
#include "reference_ops.h"

static float chain(const struct gf_reference_image *image, const float mask[9], int64_t y, int64_t x, uint32_t c)
{
    float acc = 0.0f;
    for (int64_t ky = 0; ky < 3; ky++)
        for (int64_t kx = 0; kx < 3; kx++)
            if (mask[3 * ky + kx] != 0.0f)
                acc = fmaf(gf_reference_at(image, y + ky - 1, x + kx - 1, c), mask[3 * ky + kx], acc);
    return acc;
}

/* The derivative to the right by a mask, the one to below by its transpose, or their magnitude: GF_GRADIENT_*. */
static enum gf_status gradient(const struct gf_op *op, const struct gf_reference_rule *rule, const float dx[9],
                               uint32_t output, const struct gf_reference_buf *in, struct gf_reference_buf *out,
                               struct gf_error *err)
{
    const float dy[9] = {dx[0], dx[3], dx[6], dx[1], dx[4], dx[7], dx[2], dx[5], dx[8]};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    enum gf_status status = gf_reference_load(op, rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init(image.width, image.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++) {
                float gx = chain(&image, dx, y, x, c), gy = chain(&image, dy, y, x, c);
                *gf_reference_sample(&acc, y, x, c) = output == GF_GRADIENT_DX   ? gx
                                                      : output == GF_GRADIENT_DY ? gy
                                                                                 : sqrtf(fmaf(gx, gx, gy * gy));
            }
    gf_reference_store(&acc, rule, &in[0], out);
    return GF_OK;
}

/* sobel, prewitt and scharr, which have the same parameters. */
static enum gf_status derivative(const struct gf_op *op, const union gf_params *params, const float dx[9],
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_sobel_params p = gf_sobel_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .scale = p.scale,
                                     .offset = p.offset};
    return gradient(op, &rule, dx, p.output, in, out, err);
}

GF_REFERENCE(sobel)
{
    static const float dx[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
    return derivative(op, params, dx, in, out, err);
}

GF_REFERENCE(prewitt)
{
    static const float dx[9] = {-1, 0, 1, -1, 0, 1, -1, 0, 1};
    return derivative(op, params, dx, in, out, err);
}

GF_REFERENCE(scharr)
{
    static const float dx[9] = {-3, 0, 3, -10, 0, 10, -3, 0, 3};
    return derivative(op, params, dx, in, out, err);
}

GF_REFERENCE(laplacian)
{
    const struct gf_laplacian_params p = gf_laplacian_params_get(params);
    static const float four[9] = {0, 1, 0, 1, -4, 1, 0, 1, 0}, eight[9] = {1, 1, 1, 1, -8, 1, 1, 1, 1};
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .scale = p.scale,
                                     .offset = p.offset};
    return gradient(op, &rule, p.connectivity == GF_CONNECTIVITY_EIGHT ? eight : four, GF_GRADIENT_DX, in, out, err);
}

GF_REFERENCE(sharpen)
{
    const struct gf_sharpen_params p = gf_sharpen_params_get(params);
    float s = p.amount, centre = (float)(1.0 + 4.0 * (double)s);
    const float mask[9] = {0, -s, 0, -s, centre, -s, 0, -s, 0};
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, true),
                                     .light = p.light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    return gradient(op, &rule, mask, GF_GRADIENT_DX, in, out, err);
}

GF_REFERENCE(emboss)
{
    const struct gf_emboss_params p = gf_emboss_params_get(params);
    static const float mask[9] = {-2, -1, 0, -1, 1, 1, 0, 1, 2};
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .light = p.light,
                                     .scale = p.scale,
                                     .offset = p.offset};
    return gradient(op, &rule, mask, GF_GRADIENT_DX, in, out, err);
}

/* SPDX-License-Identifier: MIT */
/* Masks of 3 x 3 of the reference. Called by the reference of each op that is one. */
#include "reference_stencil.h"

#include <math.h>

#include "protocol/ops/enums.h"

static float chain(const struct gf_reference_image *image, const float mask[9], int64_t y, int64_t x, uint32_t c)
{
    float acc = 0.0f;
    for (int64_t ky = 0; ky < 3; ky++)
        for (int64_t kx = 0; kx < 3; kx++)
            if (mask[3 * ky + kx] != 0.0f)
                acc = fmaf(gf_reference_at(image, y + ky - 1, x + kx - 1, c), mask[3 * ky + kx], acc);
    return acc;
}

enum gf_status gf_reference_stencil(const struct gf_op *op, const struct gf_reference_rule *rule, const float mask[9],
                                    const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                    struct gf_error *err)
{
    return gf_reference_stencil_gradient(op, rule, mask, GF_GRADIENT_DX, in, out, err);
}

enum gf_status gf_reference_stencil_gradient(const struct gf_op *op, const struct gf_reference_rule *rule,
                                             const float dx[9], uint32_t output, const struct gf_reference_buf *in,
                                             struct gf_reference_buf *out, struct gf_error *err)
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

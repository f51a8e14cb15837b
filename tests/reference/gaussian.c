/* SPDX-License-Identifier: MIT */
/* gaussian, docs/numerics.md, "gaussian", and unsharp, docs/numerics.md, "unsharp". */
#include <math.h>

#include "protocol/ops/params/gaussian.h"
#include "protocol/ops/params/unsharp.h"
#include "reference_ops.h"
#include "reference_separable.h"

/* The picture, and the picture under a gaussian. */
static enum gf_status blur(const struct gf_op *op, const struct gf_reference_rule *rule, const struct gf_f32v *sigma,
                           float truncate, const struct gf_reference_buf *in, struct gf_reference_image *image,
                           struct gf_reference_image *acc, struct gf_error *err)
{
    struct gf_reference_taps across, down;
    gf_reference_gaussian_taps(GF_PICK(*sigma, 0), truncate, &across);
    gf_reference_gaussian_taps(GF_PICK(*sigma, 1), truncate, &down);
    enum gf_status status = gf_reference_load(op, rule, in, image, err);
    return status == GF_OK ? gf_reference_separable(image, &across, &down, acc, err) : status;
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

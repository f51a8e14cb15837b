/* SPDX-License-Identifier: MIT */
/* unsharp, docs/numerics.md 6. */
#include <math.h>
#include <stdlib.h>

#include "reference_ops.h"
#include "reference_separable.h"

GF_REFERENCE(unsharp)
{
    const struct gf_unsharp_params *p = &params->unsharp;
    struct gf_reference_rule rule = {.border = p->border,
                                     .border_value = &p->border_value,
                                     .alpha = gf_reference_alpha(p->alpha, in[0].view.channels, true),
                                     .light = p->light,
                                     .scale = 1.0f,
                                     .offset = 0.0f};
    struct gf_reference_taps across, down;
    gf_reference_gaussian_taps(GF_PICK(p->sigma, 0), p->truncate, &across);
    gf_reference_gaussian_taps(GF_PICK(p->sigma, 1), p->truncate, &down);

    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    enum gf_status status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_separable(&image, &across, &down, &acc, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++) {
                float *g = gf_reference_sample(&acc, y, x, c), v = gf_reference_at(&image, y, x, c), d = v - *g;
                *g = fabsf(d) < p->threshold ? v : fmaf(p->amount, d, v);
            }
    gf_reference_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

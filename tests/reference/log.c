/* SPDX-License-Identifier: MIT */
/* log, docs/numerics.md, "log". */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/params/log.h"
#include "reference_ops.h"
#include "reference_separable.h"

/* Both weights of one axis at every place. */
struct axis {
    struct gf_reference_taps g0, g2;
};

static void make_axis(float sigma, float truncate, struct axis *ret)
{
    int64_t r = gf_reference_radius(sigma, truncate);
    long double sigma2 = (long double)sigma * (long double)sigma, sum = 0.0L, mean = 0.0L;
    for (int64_t i = -r; i <= r; i++)
        sum += expl(-(long double)(i * i) / (2.0L * sigma2));
    for (int64_t i = -r; i <= r; i++) {
        long double h = ((long double)(i * i) - sigma2) / (sigma2 * sigma2);
        mean += h * (expl(-(long double)(i * i) / (2.0L * sigma2)) / sum);
    }
    struct gf_reference_taps g0 = {.radius = r}, g2 = {.radius = r};
    int64_t last = 0;
    for (int64_t i = -r; i <= r; i++) {
        long double h = ((long double)(i * i) - sigma2) / (sigma2 * sigma2);
        long double g = expl(-(long double)(i * i) / (2.0L * sigma2)) / sum;
        g0.w[i + r] = (float)g;
        g2.w[i + r] = (float)((h - mean) * g);
        if (i >= 0 && (g0.w[i + r] != 0.0f || g2.w[i + r] != 0.0f))
            last = i;
    }
    ret->g0.radius = ret->g2.radius = last;
    for (int64_t i = -last; i <= last; i++) {
        ret->g0.w[i + last] = g0.w[i + r];
        ret->g2.w[i + last] = g2.w[i + r];
    }
}

GF_REFERENCE(log)
{
    const struct gf_log_params p = gf_log_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .scale = p.scale,
                                     .offset = p.offset};
    static struct axis across, down; /* too large for a stack */
    make_axis(GF_PICK(p.sigma, 0), p.truncate, &across);
    make_axis(GF_PICK(p.sigma, 1), p.truncate, &down);

    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) a = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) b = {0};
    enum gf_status status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_separable(&image, &across.g2, &down.g0, &a, err);
    if (status == GF_OK)
        status = gf_reference_separable(&image, &across.g0, &down.g2, &b, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < a.height; y++)
        for (int64_t x = 0; x < a.width; x++)
            for (uint32_t c = 0; c < a.channels; c++)
                *gf_reference_sample(&a, y, x, c) += gf_reference_at(&b, y, x, c);
    gf_reference_store(&a, &rule, &in[0], out);
    return GF_OK;
}

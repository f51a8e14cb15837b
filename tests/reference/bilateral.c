/* SPDX-License-Identifier: MIT */
/* bilateral, docs/numerics.md, "bilateral". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/bilateral.h"
#include "reference_image.h"
#include "reference_ops.h"

#define LOG2_E 1.44269504088896340735992468100189214L

/* Channels whose differences make the distance of two colours. */
struct bilateral {
    const struct gf_reference_image *image;
    uint32_t channels;
    int64_t radius;
    float range;
    long double space; /* of the exponent, for a distance of 1 */
};

/* 2^t for t >= -125. */
static float power_of_two(float t)
{
    static const float c[] = {0x1.5bba14p-10f, 0x1.3cea88p-7f, 0x1.c6b752p-5f, 0x1.ebf9bcp-3f, 0x1.62e42ap-1f, 1.0f};
    float n = rintf(t), f = t - n, v = c[0];
    for (int i = 1; i < 6; i++)
        v = fmaf(v, f, c[i]);
    return ldexpf(v, (int)n);
}

/* The exponent of the weight of the pixel at (dy, dx) from (y, x), and what it differs by. */
static float exponent(const struct bilateral *b, int64_t y, int64_t x, int64_t dy, int64_t dx, float *ret_apart)
{
    float far = 0.0f;
    for (uint32_t c = 0; c < b->channels; c++) {
        float v = gf_reference_at(b->image, y, x, c);
        ret_apart[c] = gf_reference_at(b->image, y + dy, x + dx, c) - v;
        far = c == 0 ? fabsf(ret_apart[c]) : far + fabsf(ret_apart[c]);
    }
    float square = far * far;
    return fmaf(square, b->range, (float)((long double)(dy * dy + dx * dx) * b->space));
}

static void filter_pixel(const struct bilateral *b, int64_t y, int64_t x, float *acc)
{
    float sum[GF_MAX_CHANNELS] = {0.0f}, weight = 1.0f, apart[GF_MAX_CHANNELS];
    for (int64_t dy = -b->radius; dy <= b->radius; dy++)
        for (int64_t dx = -b->radius; dx <= b->radius; dx++) {
            if ((dy == 0 && dx == 0) || dy * dy + dx * dx > b->radius * b->radius)
                continue;
            float t = exponent(b, y, x, dy, dx, apart);
            if (!(t >= -125.0f))
                continue;
            float w = power_of_two(t);
            weight = weight + w;
            for (uint32_t c = 0; c < b->channels; c++)
                sum[c] = fmaf(w, apart[c], sum[c]);
        }
    for (uint32_t c = 0; c < b->channels; c++) {
        float mean = sum[c] / weight;
        acc[c] = gf_reference_at(b->image, y, x, c) + mean;
    }
}

GF_REFERENCE(bilateral)
{
    const struct gf_bilateral_params p = gf_bilateral_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in->view.channels, false),
                                     .scale = 1.0f};
    float colour = p.sigma_colour.n > 0 ? p.sigma_colour.v[0] : 0.1f * gf_reference_max(in->view.dtype);
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    enum gf_status status = gf_reference_load(op, &rule, in, &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init(image.width, image.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    struct bilateral b = {.image = &image,
                          .channels = image.channels - (rule.alpha == GF_ALPHA_IGNORE ? 1 : 0),
                          .radius = (int64_t)p.radius,
                          .range = (float)(-LOG2_E / (2.0L * (long double)colour * (long double)colour)),
                          .space = -LOG2_E / (2.0L * (long double)p.sigma_space * (long double)p.sigma_space)};
    if (p.radius == 0)
        b.radius = (int64_t)fmax(rint(1.5 * (double)p.sigma_space), 1.0);
    for (int64_t y = 0; y < image.height; y++)
        for (int64_t x = 0; x < image.width; x++)
            filter_pixel(&b, y, x, gf_reference_sample(&acc, y, x, 0));
    gf_reference_store(&acc, &rule, in, out);
    return GF_OK;
}

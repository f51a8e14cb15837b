/* SPDX-License-Identifier: MIT */
/* Ops of the family filter other than the separable ones: correlate, convolve, box, bilateral and the built-in masks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/bilateral.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/emboss.h"
#include "protocol/ops/params/laplacian.h"
#include "protocol/ops/params/sharpen.h"
#include "protocol/ops/params/sobel.h"
#include "reference_image.h"
#include "reference_ops.h"

/* correlate, docs/numerics.md, "correlate, convolve". */

static float coefficient(const struct gf_reference_buf *mask, int64_t ky, int64_t kx)
{
    float w;
    memcpy(&w, (const char *)mask->data + (size_t)ky * mask->view.pitch + (size_t)kx * sizeof(w), sizeof(w));
    return w;
}

static enum gf_status sum_mask(const struct gf_op *op, const struct gf_reference_buf *mask, double *ret_sum,
                               double *ret_abs_sum, struct gf_error *err)
{
    double sum = 0.0, abs_sum = 0.0;
    for (int64_t ky = 0; ky < (int64_t)mask->view.height; ky++)
        for (int64_t kx = 0; kx < (int64_t)mask->view.width; kx++) {
            float w = coefficient(mask, ky, kx);
            if (!isfinite(w))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: a coefficient is not finite", op->name);
            sum += (double)w;
            abs_sum += fabs((double)w);
        }
    *ret_sum = sum;
    *ret_abs_sum = abs_sum;
    return GF_OK;
}

/* The factor Sc. */
static enum gf_status factor(const struct gf_op *op, const struct gf_correlate_params *p, double sum, double abs_sum,
                             float *ret_scale, struct gf_error *err)
{
    if (p->normalize == GF_NORMALIZE_NONE) {
        *ret_scale = p->scale;
        return GF_OK;
    }
    double s = p->normalize == GF_NORMALIZE_SUM ? sum : abs_sum;
    if (s == 0.0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: the sum to divide by is 0", op->name);
    *ret_scale = (float)((double)p->scale / s);
    return GF_OK;
}

static float chain_of_mask(const struct gf_reference_image *image, const struct gf_reference_buf *mask, int64_t top,
                           int64_t left, uint32_t c)
{
    float acc = 0.0f;
    for (int64_t ky = 0; ky < (int64_t)mask->view.height; ky++)
        for (int64_t kx = 0; kx < (int64_t)mask->view.width; kx++)
            acc = fmaf(gf_reference_at(image, top + ky, left + kx, c), coefficient(mask, ky, kx), acc);
    return acc;
}

GF_REFERENCE(correlate)
{
    const struct gf_correlate_params p = gf_correlate_params_get(params);
    const struct gf_reference_buf *mask = &in[1];
    int64_t anchor_x = p.anchor.n == 0 ? (int64_t)mask->view.width / 2 : (int64_t)GF_PICK(p.anchor, 0);
    int64_t anchor_y = p.anchor.n == 0 ? (int64_t)mask->view.height / 2 : (int64_t)GF_PICK(p.anchor, 1);
    bool valid = p.size == GF_SIZE_VALID;
    double sum = 0.0, abs_sum = 0.0;
    enum gf_status status = sum_mask(op, mask, &sum, &abs_sum, err);
    if (status != GF_OK)
        return status;

    struct gf_reference_rule rule = {
        .border = p.border,
        .border_value = &p.border_value,
        .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, sum > 0.0 && out->view.dtype == in[0].view.dtype),
        .light = p.light,
        .offset = p.offset,
        .origin_x = valid ? anchor_x : 0,
        .origin_y = valid ? anchor_y : 0};
    status = factor(op, &p, sum, abs_sum, &rule.scale, err);
    if (status != GF_OK)
        return status;
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    status = gf_reference_load(op, &rule, &in[0], &image, err);
    if (status == GF_OK)
        status =
            gf_reference_image_init((int64_t)out->view.width, (int64_t)out->view.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;

    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++)
                *gf_reference_sample(&acc, y, x, c) =
                    chain_of_mask(&image, mask, y + rule.origin_y - anchor_y, x + rule.origin_x - anchor_x, c);
    gf_reference_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

/* convolve, docs/numerics.md, "correlate, convolve": correlate with mask and anchor turned by 180 degrees. */

GF_REFERENCE(convolve)
{
    const struct gf_convolve_params p = gf_convolve_params_get(params);
    const struct gf_view *mask = &in[1].view;
    uint32_t width = (uint32_t)mask->width, height = (uint32_t)mask->height;
    float gf_cleanup(gf_freep) *turned = calloc((size_t)width * height, sizeof(float));
    if (turned == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for a mask");
    for (uint32_t ky = 0; ky < height; ky++)
        for (uint32_t kx = 0; kx < width; kx++)
            memcpy(&turned[(size_t)(height - 1 - ky) * width + (width - 1 - kx)],
                   (const char *)in[1].data + ky * mask->pitch + kx * sizeof(float), sizeof(float));

    uint32_t anchor_x = p.anchor.n == 0 ? width / 2 : GF_PICK(p.anchor, 0);
    uint32_t anchor_y = p.anchor.n == 0 ? height / 2 : GF_PICK(p.anchor, 1);
    const struct gf_correlate_params correlate = {.scale = p.scale,
                                                  .offset = p.offset,
                                                  .border = p.border,
                                                  .border_value = p.border_value,
                                                  .normalize = p.normalize,
                                                  .anchor = {2, {width - 1 - anchor_x, height - 1 - anchor_y}},
                                                  .size = p.size,
                                                  .alpha = p.alpha,
                                                  .light = p.light};
    union gf_params turned_params;
    gf_correlate_params_set(&turned_params, &correlate);
    struct gf_reference_buf inputs[2] = {in[0], {turned, gf_view_tight(GF_F32, width, height, 1)}};
    return gf_reference_correlate(op, &turned_params, inputs, out, err);
}

/* box, docs/numerics.md, "box": an exact sum where the filter reads integers, doubling sums in f32 elsewhere. */

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

/* laplacian, sharpen and emboss, docs/numerics.md, "Built-in masks": masks of 3 x 3, the zeros of which are not taps.
 */

static float chain_of_taps(const struct gf_reference_image *image, const float mask[9], int64_t y, int64_t x,
                           uint32_t c)
{
    float acc = 0.0f;
    for (int64_t ky = 0; ky < 3; ky++)
        for (int64_t kx = 0; kx < 3; kx++)
            if (mask[3 * ky + kx] != 0.0f)
                acc = fmaf(gf_reference_at(image, y + ky - 1, x + kx - 1, c), mask[3 * ky + kx], acc);
    return acc;
}

static float tapped(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, const float mask[9],
                    uint32_t output)
{
    (void)output;
    return chain_of_taps(image, mask, y, x, c);
}

/* sobel, prewitt and scharr: chains of differences. */

static float across(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, const float weights[3])
{
    float acc = 0.0f;
    for (int64_t k = -1; k <= 1; k++)
        acc = fmaf(gf_reference_at(image, y + k, x + 1, c) - gf_reference_at(image, y + k, x - 1, c), weights[k + 1],
                   acc);
    return acc;
}

static float down(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, const float weights[3])
{
    float acc = 0.0f;
    for (int64_t k = -1; k <= 1; k++)
        acc = fmaf(gf_reference_at(image, y + 1, x + k, c) - gf_reference_at(image, y - 1, x + k, c), weights[k + 1],
                   acc);
    return acc;
}

static float gradient(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, const float weights[3],
                      uint32_t output)
{
    float gx = across(image, y, x, c, weights), gy = down(image, y, x, c, weights);
    return output == GF_GRADIENT_DX ? gx : output == GF_GRADIENT_DY ? gy : sqrtf(fmaf(gx, gx, gy * gy));
}

typedef float pixel_fn(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c, const float *weights,
                       uint32_t output);

static enum gf_status filter(const struct gf_op *op, const struct gf_reference_rule *rule, pixel_fn *pixel,
                             const float *weights, uint32_t output, const struct gf_reference_buf *in,
                             struct gf_reference_buf *out, struct gf_error *err)
{
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) image = {0};
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) acc = {0};
    enum gf_status status = gf_reference_load(op, rule, &in[0], &image, err);
    if (status == GF_OK)
        status = gf_reference_image_init(image.width, image.height, image.channels, &acc, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < acc.height; y++)
        for (int64_t x = 0; x < acc.width; x++)
            for (uint32_t c = 0; c < acc.channels; c++)
                *gf_reference_sample(&acc, y, x, c) = pixel(&image, y, x, c, weights, output);
    gf_reference_store(&acc, rule, &in[0], out);
    return GF_OK;
}

/* sobel, prewitt and scharr, which have the same parameters. */
static enum gf_status derivative(const struct gf_op *op, const union gf_params *params, const float weights[3],
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    const struct gf_sobel_params p = gf_sobel_params_get(params);
    struct gf_reference_rule rule = {.border = p.border,
                                     .border_value = &p.border_value,
                                     .alpha = gf_reference_alpha(p.alpha, in[0].view.channels, false),
                                     .scale = p.scale,
                                     .offset = p.offset};
    return filter(op, &rule, gradient, weights, p.output, in, out, err);
}

GF_REFERENCE(sobel)
{
    static const float weights[3] = {1, 2, 1};
    return derivative(op, params, weights, in, out, err);
}

GF_REFERENCE(prewitt)
{
    static const float weights[3] = {1, 1, 1};
    return derivative(op, params, weights, in, out, err);
}

GF_REFERENCE(scharr)
{
    static const float weights[3] = {3, 10, 3};
    return derivative(op, params, weights, in, out, err);
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
    return filter(op, &rule, tapped, p.connectivity == GF_CONNECTIVITY_EIGHT ? eight : four, 0, in, out, err);
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
    return filter(op, &rule, tapped, mask, 0, in, out, err);
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
    return filter(op, &rule, tapped, mask, 0, in, out, err);
}

/* bilateral, docs/numerics.md, "bilateral". */

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

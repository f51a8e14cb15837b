/* SPDX-License-Identifier: MIT */
/*
 * Prepares the named filters: 3 x 3 masks and their gradients, unsharp, the Laplacian of Gaussian, and the bilateral
 * filter. Called through the table of filter.c.
 */
#include <math.h>

#include "filter_init.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/bilateral.h"
#include "protocol/ops/params/emboss.h"
#include "protocol/ops/params/laplacian.h"
#include "protocol/ops/params/log.h"
#include "protocol/ops/params/prewitt.h"
#include "protocol/ops/params/scharr.h"
#include "protocol/ops/params/sharpen.h"
#include "protocol/ops/params/sobel.h"
#include "protocol/ops/params/unsharp.h"

/* Makes a stencil of a mask, row by row; its zeros are not taps. */
static struct gf_stencil stencil(const float mask[9])
{
    struct gf_stencil s = {0};
    for (uint32_t i = 0; i < 9; i++) {
        if (mask[i] == 0.0f)
            continue;
        s.place[s.n] = i;
        s.weight[s.n++] = mask[i];
    }
    return s;
}

static void add_stencil(struct gf_filter *f, struct gf_stencil stencil)
{
    f->kind = GF_FILTER_STENCIL;
    f->width = f->height = 3;
    f->anchor_x = f->anchor_y = 1;
    f->stencils[f->n_stencils++] = stencil;
}

/* Makes both gradients or one, from the weights of the outer and the middle differences. */
static void init_gradient(struct gf_filter *f, uint32_t output, float outer, float middle)
{
    const struct gf_stencil dx = {3, {2, 5, 8}, {outer, middle, outer}, GF_STENCIL_ACROSS};
    const struct gf_stencil dy = {3, {6, 7, 8}, {outer, middle, outer}, GF_STENCIL_DOWN};
    if (output != GF_GRADIENT_DY)
        add_stencil(f, dx);
    if (output != GF_GRADIENT_DX)
        add_stencil(f, dy);
}

enum gf_status gf_filter_init_sobel(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                    const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_sobel_params q = gf_sobel_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, 0, q.dtype, &q.border_value};
    init_gradient(f, q.output, 1.0f, 2.0f);
    return gf_filter_init_common(f, step, src, &p, false, err);
}

enum gf_status gf_filter_init_scharr(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                     const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_scharr_params q = gf_scharr_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, 0, q.dtype, &q.border_value};
    init_gradient(f, q.output, 3.0f, 10.0f);
    return gf_filter_init_common(f, step, src, &p, false, err);
}

enum gf_status gf_filter_init_prewitt(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                      const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_prewitt_params q = gf_prewitt_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, 0, q.dtype, &q.border_value};
    init_gradient(f, q.output, 1.0f, 1.0f);
    return gf_filter_init_common(f, step, src, &p, false, err);
}

enum gf_status gf_filter_init_laplacian(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                        const struct gf_buf *mask, struct gf_error *err)
{
    static const float four[9] = {0, 1, 0, 1, -4, 1, 0, 1, 0}, eight[9] = {1, 1, 1, 1, -8, 1, 1, 1, 1};
    (void)mask;
    const struct gf_laplacian_params q = gf_laplacian_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, 0, q.dtype, &q.border_value};
    add_stencil(f, stencil(q.connectivity == GF_CONNECTIVITY_FOUR ? four : eight));
    return gf_filter_init_common(f, step, src, &p, false, err);
}

enum gf_status gf_filter_init_emboss(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                     const struct gf_buf *mask, struct gf_error *err)
{
    static const float relief[9] = {-2, -1, 0, -1, 1, 1, 0, 1, 2};
    (void)mask;
    const struct gf_emboss_params q = gf_emboss_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, q.light, 0, &q.border_value};
    add_stencil(f, stencil(relief));
    return gf_filter_init_common(f, step, src, &p, false, err);
}

enum gf_status gf_filter_init_sharpen(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                      const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_sharpen_params q = gf_sharpen_params_get(&step->params);
    struct gf_filter_params p = {1.0f, 0.0f, q.border, q.alpha, q.light, 0, &q.border_value};
    float s = q.amount, centre = (float)(1.0 + 4.0 * (double)s);
    const float cross[9] = {0, -s, 0, -s, centre, -s, 0, -s, 0};
    add_stencil(f, stencil(cross));
    return gf_filter_init_common(f, step, src, &p, true, err);
}

enum gf_status gf_filter_init_unsharp(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                      const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_unsharp_params q = gf_unsharp_params_get(&step->params);
    struct gf_filter_params p = {1.0f, 0.0f, q.border, q.alpha, q.light, 0, &q.border_value};
    f->after = GF_AFTER_UNSHARP;
    f->amount = q.amount;
    f->threshold = q.threshold;
    enum gf_status status = gf_filter_init_gaussian(f, step, &q.sigma, q.truncate, err);
    return status == GF_OK ? gf_filter_init_common(f, step, src, &p, true, err) : status;
}

/* Both weights at i on one axis, numerics.md, "log", need the sum of the bell and the mean of its second derivative. */
struct log_axis {
    long double sigma2; /* the square of sigma */
    long double sum;    /* of the bell */
    long double mean;   /* of h times g0 */
};

static long double bell(const struct log_axis *axis, int64_t i)
{
    return expl(-(long double)(i * i) / (2.0L * axis->sigma2));
}

static long double second(const struct log_axis *axis, int64_t i)
{
    return ((long double)(i * i) - axis->sigma2) / (axis->sigma2 * axis->sigma2);
}

static float log_g0(const struct log_axis *axis, int64_t i)
{
    return (float)(bell(axis, i) / axis->sum);
}

static float log_g2(const struct log_axis *axis, int64_t i)
{
    return (float)((second(axis, i) - axis->mean) * (bell(axis, i) / axis->sum));
}

/* The weights of one axis, without the ends at which both round to zero. */
static enum gf_status log_taps(float sigma, float truncate, float **ret_g0, float **ret_g2, uint32_t *ret_n,
                               struct gf_error *err)
{
    int64_t r = (int64_t)gf_gaussian_radius(sigma, truncate);
    struct log_axis axis = {.sigma2 = (long double)sigma * (long double)sigma};
    for (int64_t i = -r; i <= r; i++)
        axis.sum += bell(&axis, i);
    for (int64_t i = -r; i <= r; i++)
        axis.mean += second(&axis, i) * (bell(&axis, i) / axis.sum);
    while (r > 0 && log_g0(&axis, r) == 0.0f && log_g2(&axis, r) == 0.0f)
        r--;

    size_t n = (size_t)(2 * r + 1);
    *ret_g0 = malloc(n * sizeof(**ret_g0));
    *ret_g2 = malloc(n * sizeof(**ret_g2));
    if (!*ret_g0 || !*ret_g2)
        return gf_error_no_memory(err, "log", n * 2 * sizeof(**ret_g0));
    for (int64_t i = -r; i <= r; i++) {
        (*ret_g0)[i + r] = log_g0(&axis, i);
        (*ret_g2)[i + r] = log_g2(&axis, i);
    }
    *ret_n = (uint32_t)n;
    return GF_OK;
}

enum gf_status gf_filter_init_log(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                  const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_log_params q = gf_log_params_get(&step->params);
    struct gf_filter_params p = {q.scale, q.offset, q.border, q.alpha, 0, q.dtype, &q.border_value};
    f->kind = GF_FILTER_SEPARABLE;
    f->after = GF_AFTER_SUM;
    /* Rows g2 with columns g0, then rows g0 with columns g2. */
    enum gf_status status = log_taps(GF_PICK(q.sigma, 0), q.truncate, &f->second_x, &f->taps_x, &f->width, err);
    if (status == GF_OK)
        status = log_taps(GF_PICK(q.sigma, 1), q.truncate, &f->taps_y, &f->second_y, &f->height, err);
    if (status != GF_OK)
        return status;
    f->anchor_x = f->width / 2;
    f->anchor_y = f->height / 2;
    return gf_filter_init_common(f, step, src, &p, false, err);
}

/* -log2(e) / (2 * sigma^2): times the squared distance it is the base 2 logarithm of a bell. */
static long double bell_exponent(float sigma)
{
    return -1.44269504088896340735992468100189214L / (2.0L * (long double)sigma * (long double)sigma);
}

enum gf_status gf_filter_init_bilateral(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                        const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_bilateral_params q = gf_bilateral_params_get(&step->params);
    struct gf_filter_params p = {1.0f, 0.0f, q.border, q.alpha, 0, 0, &q.border_value};
    int32_t r = (int32_t)gf_bilateral_radius(&step->params);
    float colour = q.sigma_colour.n > 0 ? q.sigma_colour.v[0] : 0.1f * gf_sample_max(src->dtype);
    const long double space = bell_exponent(q.sigma_space);
    f->kind = GF_FILTER_DISC;
    f->width = f->height = (uint32_t)(2 * r + 1);
    f->anchor_x = f->anchor_y = (uint32_t)r;
    f->range = (float)bell_exponent(colour);
    f->disc = calloc((size_t)f->width * f->height, sizeof(*f->disc));
    if (!f->disc)
        return gf_error_no_memory(err, step->op->name, (uint64_t)f->width * f->height * sizeof(*f->disc));
    for (int32_t y = -r; y <= r; y++)
        for (int32_t x = -r; x <= r; x++) {
            int32_t square = y * y + x * x;
            float exponent = (float)((long double)square * space);
            if (square != 0 && square <= r * r && exponent >= GF_EXP2_MIN)
                f->disc[f->n_disc++] = (struct gf_disc_tap){exponent, (uint16_t)(y + r), (uint16_t)(x + r)};
        }
    return gf_filter_init_common(f, step, src, &p, false, err);
}

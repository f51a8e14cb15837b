/* SPDX-License-Identifier: MIT */
/*
 * Prepares the linear filters correlate, convolve, gaussian and box: mask, taps, anchor, factors, border values, the
 * role of alpha. The named filters are prepared in filter_named.c. Called once per step by both backends.
 */
#include "filter.h"

#include <math.h>
#include <string.h>

#include "filter_init.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/gaussian.h"

/* Up to this magnitude every integer is a float. */
#define EXACT_LIMIT (1ull << 24)
/* Larger exponents could take an exact sum of 24 bits beyond the largest float. */
#define MAX_EXPONENT 103

/* The parameters of correlate and convolve, besides the common ones. */
struct mask_params {
    struct gf_filter_params common;
    uint32_t normalize, size;
    const struct gf_u32v *anchor;
};

int64_t gf_border_index(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    if (border == GF_BORDER_REPLICATE)
        return i < 0 ? 0 : n - 1;
    if (border == GF_BORDER_REFLECT101 && n == 1)
        return 0;
    int64_t period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    int64_t m = i % period;
    if (m < 0)
        m += period;
    if (m < n)
        return m;
    return border == GF_BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m;
}

float gf_sample_max(uint32_t dtype)
{
    return dtype == GF_U8 ? 255.0f : dtype == GF_U16 ? 65535.0f : dtype == GF_I16 ? 32767.0f : 1.0f;
}

float gf_sample_min(uint32_t dtype)
{
    return dtype == GF_I16 ? -32768.0f : 0.0f;
}

float gf_sample_magnitude(uint32_t dtype)
{
    return fmaxf(gf_sample_max(dtype), -gf_sample_min(dtype));
}

bool gf_is_alpha(uint32_t channels, uint32_t channel)
{
    return channels % 2 == 0 && channel == channels - 1;
}

static bool integer_sample(float v, uint32_t dtype)
{
    return v >= gf_sample_min(dtype) && v <= gf_sample_max(dtype) && v == rintf(v);
}

enum gf_status gf_filter_init_common(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                     const struct gf_filter_params *p, bool mean, struct gf_error *err)
{
    /* The dtype words have the numbers of the dtypes. */
    bool keeps_type = p->dtype == GF_DTYPE_SAME || p->dtype == src->dtype;
    f->scale = p->scale;
    f->offset = p->offset;
    f->border = p->border;
    f->linear = p->light == GF_LIGHT_LINEAR && (GF_DT(src->dtype) & GF_DT_ENCODED) != 0;
    if (src->channels % 2 != 0)
        f->alpha = GF_ALPHA_STRAIGHT;
    else if (p->alpha == GF_ALPHA_AUTO)
        f->alpha = mean && keeps_type ? GF_ALPHA_PREMULTIPLIED : GF_ALPHA_IGNORE;
    else
        f->alpha = p->alpha;

    for (uint32_t c = 0; c < src->channels; c++) {
        const struct gf_f32v *v = p->border_value;
        f->border_value[c] = v->n == 1 ? v->v[0] : c < v->n ? v->v[c] : 0.0f;
        if (f->border == GF_BORDER_CONSTANT && f->linear && !gf_is_alpha(src->channels, c) &&
            !integer_sample(f->border_value[c], src->dtype))
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: border_value=%g cannot be decoded; light=linear needs a whole number 0..%g",
                                step->op->name, (double)f->border_value[c], (double)gf_sample_max(src->dtype));
    }
    return GF_OK;
}

/* Whether the samples that a filter sums are integers of the type, borders included. */
static bool sums_integer_samples(const struct gf_filter *f, const struct gf_view *src)
{
    if (gf_dtype_kind(src->dtype) == GF_KIND_FLOAT || f->linear || f->alpha == GF_ALPHA_PREMULTIPLIED)
        return false;
    if (f->border != GF_BORDER_CONSTANT)
        return true;
    for (uint32_t c = 0; c < src->channels; c++) {
        bool filtered = f->alpha == GF_ALPHA_STRAIGHT || !gf_is_alpha(src->channels, c);
        if (filtered && !integer_sample(f->border_value[c], src->dtype))
            return false;
    }
    return true;
}

/* The exponent of the lowest set bit of a finite number other than zero. */
static int lowest_bit(float w)
{
    int exponent;
    float m = frexpf(w, &exponent);
    int32_t bits = (int32_t)ldexpf(m, 24);
    return exponent - 24 + __builtin_ctz((unsigned)bits);
}

/* Sets int_coefs and exponent if the exactness rule holds. */
static enum gf_status init_exact(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                 struct gf_error *err)
{
    size_t n = (size_t)f->width * f->height;
    int exponent = INT32_MAX;
    double sum = 0.0;
    if (!sums_integer_samples(f, src))
        return GF_OK;
    for (size_t i = 0; i < n; i++) {
        if (f->coefs[i] == 0.0f)
            continue;
        int bit = lowest_bit(f->coefs[i]);
        exponent = bit < exponent ? bit : exponent;
    }
    if (exponent == INT32_MAX)
        exponent = 0;
    /* Terms are integers in units of 2^exponent. A sum near the limit is exact in f64; a larger one is rejected
     * anyway. */
    for (size_t i = 0; i < n; i++)
        sum += ldexp(fabs((double)f->coefs[i]), -exponent);
    if (exponent > MAX_EXPONENT || sum * (double)gf_sample_magnitude(src->dtype) > (double)EXACT_LIMIT)
        return GF_OK;

    f->int_coefs = malloc(n * sizeof(*f->int_coefs));
    if (!f->int_coefs)
        return gf_error_no_memory(err, step->op->name, n * sizeof(*f->int_coefs));
    for (size_t i = 0; i < n; i++)
        f->int_coefs[i] = (int32_t)ldexp((double)f->coefs[i], -exponent);
    f->exponent = exponent;
    f->integer_exact = true;
    return GF_OK;
}

static enum gf_status copy_mask(struct gf_filter *f, const struct gf_step *step, const struct gf_buf *mask, bool flip,
                                struct gf_error *err)
{
    f->width = (uint32_t)mask->view.width;
    f->height = (uint32_t)mask->view.height;
    size_t n = (size_t)f->width * f->height;
    f->coefs = malloc(n * sizeof(*f->coefs));
    if (!f->coefs)
        return gf_error_no_memory(err, step->op->name, n * sizeof(*f->coefs));
    for (uint32_t y = 0; y < f->height; y++) {
        const unsigned char *row = (const unsigned char *)mask->data + y * mask->view.pitch;
        for (uint32_t x = 0; x < f->width; x++) {
            size_t i = (size_t)y * f->width + x;
            float w;
            memcpy(&w, row + x * sizeof(w), sizeof(w));
            if (!isfinite(w))
                return gf_error_set(err, GF_E_BAD_PARAM,
                                    "%s: mask coefficient %g in row %u, column %u; it must be finite", step->op->name,
                                    (double)w, y, x);
            f->coefs[flip ? n - 1 - i : i] = w;
        }
    }
    return GF_OK;
}

/* The anchor on one axis, in the order of correlation. */
static uint32_t mask_anchor(const struct gf_u32v *anchor, uint32_t axis, uint32_t n, bool flip)
{
    uint32_t a = anchor->n == 0 ? n / 2 : GF_PICK(*anchor, axis);
    return flip ? n - 1 - a : a;
}

static enum gf_status init_mask(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                const struct gf_buf *mask, const struct mask_params *p, bool flip, struct gf_error *err)
{
    f->kind = GF_FILTER_MASK;
    enum gf_status status = copy_mask(f, step, mask, flip, err);
    if (status != GF_OK)
        return status;
    f->anchor_x = mask_anchor(p->anchor, 0, f->width, flip);
    f->anchor_y = mask_anchor(p->anchor, 1, f->height, flip);
    if (p->size == GF_SIZE_VALID) {
        f->origin_x = f->anchor_x;
        f->origin_y = f->anchor_y;
    }

    double sum = 0.0, abs_sum = 0.0;
    for (size_t i = 0; i < (size_t)f->width * f->height; i++) {
        sum += (double)f->coefs[i];
        abs_sum += fabs((double)f->coefs[i]);
    }
    status = gf_filter_init_common(f, step, src, &p->common, sum > 0.0, err);
    if (status != GF_OK)
        return status;
    if (p->normalize != GF_NORMALIZE_NONE) {
        double s = p->normalize == GF_NORMALIZE_SUM ? sum : abs_sum;
        if (s == 0.0)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: normalize=%s, but the coefficients sum to 0; use none%s",
                                step->op->name, gf_enum_word(GF_ENUM_NORMALIZE, p->normalize),
                                abs_sum > 0.0 ? " or abs-sum" : "");
        f->scale = (float)((double)p->common.scale / s);
    }
    return init_exact(f, step, src, err);
}

static enum gf_status init_correlate(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                     const struct gf_buf *mask, struct gf_error *err)
{
    const struct gf_correlate_params q = gf_correlate_params_get(&step->params);
    struct mask_params p = {.common = {.scale = q.scale,
                                       .offset = q.offset,
                                       .border = q.border,
                                       .alpha = q.alpha,
                                       .light = q.light,
                                       .dtype = q.dtype,
                                       .border_value = &q.border_value},
                            .normalize = q.normalize,
                            .size = q.size,
                            .anchor = &q.anchor};
    return init_mask(f, step, src, mask, &p, false, err);
}

static enum gf_status init_convolve(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                    const struct gf_buf *mask, struct gf_error *err)
{
    const struct gf_convolve_params q = gf_convolve_params_get(&step->params);
    struct mask_params p = {.common = {.scale = q.scale,
                                       .offset = q.offset,
                                       .border = q.border,
                                       .alpha = q.alpha,
                                       .light = q.light,
                                       .dtype = q.dtype,
                                       .border_value = &q.border_value},
                            .normalize = q.normalize,
                            .size = q.size,
                            .anchor = &q.anchor};
    return init_mask(f, step, src, mask, &p, true, err);
}

/* The weights of one axis. Weights that round to zero are dropped; there are equally many at both ends. */
static enum gf_status gaussian_taps(const struct gf_step *step, float sigma, float truncate, float **ret_taps,
                                    uint32_t *ret_n, struct gf_error *err)
{
    int64_t r = (int64_t)gf_gaussian_radius(sigma, truncate);
    long double s = (long double)sigma, sum = 0.0L;
    if (r == 0 || !(sigma > 0.0f)) {
        r = 0;
        s = 1.0L;
    }
    for (int64_t i = -r; i <= r; i++)
        sum += expl(-(long double)(i * i) / (2.0L * s * s));
    while (r > 0 && (float)(expl(-(long double)(r * r) / (2.0L * s * s)) / sum) == 0.0f)
        r--;

    size_t n = (size_t)(2 * r + 1);
    float *taps = malloc(n * sizeof(*taps));
    if (!taps)
        return gf_error_no_memory(err, step->op->name, n * sizeof(*taps));
    for (int64_t i = -r; i <= r; i++)
        taps[i + r] = (float)(expl(-(long double)(i * i) / (2.0L * s * s)) / sum);
    *ret_taps = taps;
    *ret_n = (uint32_t)n;
    return GF_OK;
}

enum gf_status gf_filter_init_gaussian(struct gf_filter *f, const struct gf_step *step, const struct gf_f32v *sigma,
                                       float truncate, struct gf_error *err)
{
    f->kind = GF_FILTER_SEPARABLE;
    enum gf_status status = gaussian_taps(step, GF_PICK(*sigma, 0), truncate, &f->taps_x, &f->width, err);
    if (status == GF_OK)
        status = gaussian_taps(step, GF_PICK(*sigma, 1), truncate, &f->taps_y, &f->height, err);
    f->anchor_x = f->width / 2;
    f->anchor_y = f->height / 2;
    return status;
}

static enum gf_status init_gaussian(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                                    const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_gaussian_params q = gf_gaussian_params_get(&step->params);
    struct gf_filter_params p = {
        .scale = 1.0f, .border = q.border, .alpha = q.alpha, .light = q.light, .border_value = &q.border_value};
    enum gf_status status = gf_filter_init_gaussian(f, step, &q.sigma, q.truncate, err);
    return status == GF_OK ? gf_filter_init_common(f, step, src, &p, true, err) : status;
}

static enum gf_status init_box(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                               const struct gf_buf *mask, struct gf_error *err)
{
    (void)mask;
    const struct gf_box_params q = gf_box_params_get(&step->params);
    struct gf_filter_params p = {
        .offset = q.offset, .border = q.border, .alpha = q.alpha, .light = q.light, .border_value = &q.border_value};
    f->kind = GF_FILTER_BOX;
    f->width = GF_PICK(q.size, 0);
    f->height = GF_PICK(q.size, 1);
    f->anchor_x = f->width / 2;
    f->anchor_y = f->height / 2;
    p.scale = (float)((double)q.scale / ((double)f->width * (double)f->height));
    enum gf_status status = gf_filter_init_common(f, step, src, &p, true, err);
    if (status == GF_OK)
        f->integer_exact = sums_integer_samples(f, src);
    return status;
}

enum gf_status gf_filter_init(struct gf_filter *f, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *mask, struct gf_error *err)
{
    static gf_filter_init_fn *const inits[GF_N_OPS] = {
        [GF_INDEX_correlate] = init_correlate,
        [GF_INDEX_convolve] = init_convolve,
        [GF_INDEX_gaussian] = init_gaussian,
        [GF_INDEX_box] = init_box,
        [GF_INDEX_sharpen] = gf_filter_init_sharpen,
        [GF_INDEX_unsharp] = gf_filter_init_unsharp,
        [GF_INDEX_sobel] = gf_filter_init_sobel,
        [GF_INDEX_scharr] = gf_filter_init_scharr,
        [GF_INDEX_prewitt] = gf_filter_init_prewitt,
        [GF_INDEX_laplacian] = gf_filter_init_laplacian,
        [GF_INDEX_log] = gf_filter_init_log,
        [GF_INDEX_emboss] = gf_filter_init_emboss,
        [GF_INDEX_bilateral] = gf_filter_init_bilateral,
    };
    *f = GF_FILTER_NULL;
    if (!inits[step->op->index])
        return gf_error_set(err, GF_E_INTERNAL, "%s is not a linear filter", step->op->name);
    enum gf_status status = inits[step->op->index](f, step, src, mask, err);
    if (status != GF_OK)
        gf_filter_deinit(f);
    return status;
}

void gf_filter_deinit(struct gf_filter *f)
{
    free(f->coefs);
    free(f->taps_x);
    free(f->taps_y);
    free(f->second_x);
    free(f->second_y);
    free(f->int_coefs);
    free(f->disc);
    *f = GF_FILTER_NULL;
}

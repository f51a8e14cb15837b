/* SPDX-License-Identifier: MIT */
/* correlate, docs/numerics.md, "correlate, convolve". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/correlate.h"
#include "reference_image.h"
#include "reference_ops.h"

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

static float chain(const struct gf_reference_image *image, const struct gf_reference_buf *mask, int64_t top,
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
                    chain(&image, mask, y + rule.origin_y - anchor_y, x + rule.origin_x - anchor_x, c);
    gf_reference_store(&acc, &rule, &in[0], out);
    return GF_OK;
}

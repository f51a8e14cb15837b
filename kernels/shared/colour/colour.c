/* SPDX-License-Identifier: MIT */
/* Prepares the ops that convert channels. Called once per step by both backends. */
#include "colour.h"

#include <math.h>
#include <string.h>

#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/flatten.h"
#include "protocol/ops/params/gray.h"
#include "protocol/ops/params/hsv.h"
#include "protocol/ops/params/i420.h"
#include "protocol/ops/params/merge.h"
#include "protocol/ops/params/normalize.h"
#include "protocol/ops/params/nv12.h"
#include "protocol/ops/params/rgb.h"
#include "protocol/ops/params/rgb420.h"
#include "protocol/ops/params/ycbcr.h"

/* Weights of red, green and blue by GF_COLOUR_STANDARD_*, as numbers and as parts of 65536. */
static const long double weights[2][3] = {{0.299L, 0.587L, 0.114L}, {0.2126L, 0.7152L, 0.0722L}};
static const uint32_t whole_weights[2][3] = {{19595, 38470, 7471}, {13933, 46871, 4732}};

static void init_gray(struct gf_colour *k, struct gf_gray_params p)
{
    k->colours = 1;
    if (k->channels < 3) {
        k->kind = GF_COLOUR_PASS;
        return;
    }
    if ((k->from == GF_U8 || k->from == GF_U16) && p.weights.n == 0) {
        k->kind = GF_COLOUR_LUMA;
        memcpy(k->weights, whole_weights[p.standard], sizeof(k->weights));
        return;
    }
    k->kind = GF_COLOUR_LINEAR;
    for (uint32_t c = 0; c < 3; c++)
        k->matrix[0][c] = p.weights.n == 0 ? (float)weights[p.standard][c] : p.weights.v[c];
}

static enum gf_status init_matrix(struct gf_colour *k, const struct gf_step *step, const struct gf_buf *coefs,
                                  struct gf_error *err)
{
    k->kind = GF_COLOUR_LINEAR;
    k->colours = (uint32_t)coefs->view.height;
    for (uint32_t r = 0; r < k->colours; r++) {
        const float *row = (const float *)(const void *)((const char *)coefs->data + r * coefs->view.pitch);
        for (uint32_t c = 0; c < coefs->view.width; c++) {
            if (!isfinite(row[c]))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: coefs has %g in row %u, column %u; it must be finite",
                                    step->op->name, (double)row[c], r + 1, c + 1);
            *(c < k->channels ? &k->matrix[r][c] : &k->after[r]) = row[c];
        }
    }
    return GF_OK;
}

/* How RGB, 0..1, becomes YCbCr of a type: Y is y * luma + black; Cb and Cr are colour differences, -1/2..1/2, * chroma
 * + grey. */
struct ycbcr {
    const long double *w;
    long double luma, chroma;
    float black, grey;
};

static struct ycbcr ycbcr_of(uint32_t standard, uint32_t range, uint32_t dtype)
{
    struct ycbcr y = {weights[standard], 1.0L, 1.0L, 0.0f, 0.5f};
    long double max = (long double)gf_sample_max(dtype), unit = dtype == GF_F32 ? 1.0L / 255.0L : (max + 1.0L) / 256.0L;
    if (dtype != GF_F32)
        y.grey = (float)((max + 1.0L) / 2.0L);
    if (range == GF_VIDEO_RANGE_VIDEO) {
        y.luma = 219.0L * unit / max;
        y.chroma = 224.0L * unit / max;
        y.black = (float)(16.0L * unit);
        y.grey = (float)(128.0L * unit);
    }
    return y;
}

static void init_ycbcr(struct gf_colour *k, uint32_t standard, uint32_t range)
{
    struct ycbcr y = ycbcr_of(standard, range, k->from);
    k->kind = GF_COLOUR_LINEAR;
    k->colours = 3;
    for (uint32_t c = 0; c < 3; c++) {
        k->matrix[0][c] = (float)(y.luma * y.w[c]);
        k->matrix[1][c] = (float)(y.chroma * ((c == 2) - y.w[c]) / (2.0L * (1.0L - y.w[2])));
        k->matrix[2][c] = (float)(y.chroma * ((c == 0) - y.w[c]) / (2.0L * (1.0L - y.w[0])));
    }
    k->after[0] = y.black;
    k->after[1] = k->after[2] = y.grey;
}

static void init_from_ycbcr(struct gf_colour *k, uint32_t standard, uint32_t range)
{
    struct ycbcr y = ycbcr_of(standard, range, k->from);
    long double blue = 2.0L * (1.0L - y.w[2]) / y.chroma, red = 2.0L * (1.0L - y.w[0]) / y.chroma;
    k->kind = GF_COLOUR_LINEAR;
    for (uint32_t r = 0; r < 3; r++)
        k->matrix[r][0] = (float)(1.0L / y.luma);
    k->matrix[0][2] = (float)red;
    k->matrix[1][1] = (float)(-blue * y.w[2] / y.w[1]);
    k->matrix[1][2] = (float)(-red * y.w[0] / y.w[1]);
    k->matrix[2][1] = (float)blue;
    k->before[0] = y.black;
    k->before[1] = k->before[2] = y.grey;
}

static void init_hsv(struct gf_colour *k, uint32_t kind, uint32_t turn)
{
    k->kind = kind;
    k->colours = 3;
    k->unit = gf_sample_max(k->from);
    k->turn = turn != 0 ? (float)turn : k->from == GF_U8 ? 180.0f : k->from == GF_U16 ? 65536.0f : 360.0f;
    k->sixth = k->turn / 6.0f;
}

static void init_rgb(struct gf_colour *k, struct gf_rgb_params p)
{
    k->colours = 3;
    if (p.model == GF_COLOUR_MODEL_HSV)
        init_hsv(k, GF_COLOUR_FROM_HSV, p.turn);
    else
        init_from_ycbcr(k, p.standard, p.range);
}

static void init_flatten(struct gf_colour *k, struct gf_flatten_params p)
{
    bool whole = k->from != GF_F32;
    k->colours = k->channels - (k->channels % 2 == 0);
    k->kind = k->colours == k->channels ? GF_COLOUR_PASS : whole ? GF_COLOUR_OVER : GF_COLOUR_OVER_F32;
    for (uint32_t c = 0; c < k->colours && k->kind != GF_COLOUR_PASS; c++) {
        k->after[c] = GF_PICK(p.colour, c);
        k->behind[c] = whole ? (uint32_t)k->after[c] : 0;
    }
}

static void init_normalize(struct gf_colour *k, struct gf_normalize_params p)
{
    k->kind = GF_COLOUR_SCALE;
    k->colours = k->channels;
    k->unit = p.range == GF_RANGE_FULL ? gf_sample_max(k->from) : 1.0f;
    for (uint32_t c = 0; c < k->channels; c++) {
        k->before[c] = GF_PICK(p.mean, c);
        k->after[c] = GF_PICK(p.std, c);
    }
}

/* The pixel is four channels of all inputs together. Only `pick` knows which of them exist. */
static void init_merge(struct gf_colour *k, struct gf_merge_params p)
{
    k->kind = GF_COLOUR_PASS;
    k->channels = GF_MAX_CHANNELS;
    k->colours = k->made;
    k->unit = gf_sample_max(k->from);
    for (uint32_t i = 0; i < p.order.n; i++)
        k->pick[i] = p.order.v[i] == 0 ? GF_COLOUR_FULL : p.order.v[i] - 1;
}

/* Selects n rows of a matrix, from `first` on. */
static struct gf_colour some_of(const struct gf_colour *k, uint32_t first, uint32_t n)
{
    struct gf_colour some = *k;
    some.colours = some.made = n;
    for (uint32_t r = 0; r < n; r++) {
        memcpy(some.matrix[r], k->matrix[first + r], sizeof(some.matrix[r]));
        some.after[r] = k->after[first + r];
    }
    return some;
}

void gf_yuv420_init(const struct gf_step *step, uint32_t dtype, struct gf_colour k[2])
{
    struct gf_colour all = {.channels = 3, .colours = 3, .made = 3, .from = dtype, .to = dtype, .pick = {0, 1, 2, 3}};
    const struct gf_nv12_params nv12 = gf_nv12_params_get(&step->params);
    const struct gf_i420_params i420 = gf_i420_params_get(&step->params);
    const struct gf_rgb420_params rgb = gf_rgb420_params_get(&step->params);
    if (step->op->index == GF_INDEX_rgb420)
        init_from_ycbcr(&all, rgb.standard, rgb.range);
    else if (step->op->index == GF_INDEX_nv12)
        init_ycbcr(&all, nv12.standard, nv12.range);
    else
        init_ycbcr(&all, i420.standard, i420.range);
    k[0] = step->op->index == GF_INDEX_rgb420 ? all : some_of(&all, 0, 1);
    k[1] = some_of(&all, 1, 2);
}

enum gf_status gf_colour_init(struct gf_colour *colour, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *coefs, struct gf_error *err)
{
    const struct gf_view *dst = &step->out[0];
    struct gf_colour *k = colour;
    enum gf_status status = GF_OK;
    *k = (struct gf_colour){.channels = src->channels, .made = dst->channels, .from = src->dtype, .to = dst->dtype};
    for (uint32_t i = 0; i < GF_MAX_CHANNELS; i++)
        k->pick[i] = i;
    switch (step->op->index) {
    case GF_INDEX_gray:
        init_gray(k, gf_gray_params_get(&step->params));
        break;
    case GF_INDEX_matrix:
        status = init_matrix(k, step, coefs, err);
        break;
    case GF_INDEX_ycbcr:
        init_ycbcr(k, gf_ycbcr_params_get(&step->params).standard, gf_ycbcr_params_get(&step->params).range);
        break;
    case GF_INDEX_hsv:
        init_hsv(k, GF_COLOUR_TO_HSV, gf_hsv_params_get(&step->params).turn);
        break;
    case GF_INDEX_rgb:
        init_rgb(k, gf_rgb_params_get(&step->params));
        break;
    case GF_INDEX_flatten:
        init_flatten(k, gf_flatten_params_get(&step->params));
        break;
    case GF_INDEX_normalize:
        init_normalize(k, gf_normalize_params_get(&step->params));
        break;
    default:
        init_merge(k, gf_merge_params_get(&step->params));
    }
    return status;
}

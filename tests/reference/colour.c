/* SPDX-License-Identifier: MIT */
/* The family colour, docs/numerics.md, "Colour" and "nv12, i420, rgb420". */
#include <math.h>
#include <string.h>

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
#include "reference_image.h"
#include "reference_ops.h"

/* The weights of red, green and blue by GF_COLOUR_STANDARD_*. */
static const long double *weights_of(uint32_t standard)
{
    static const long double bt601[3] = {0.299L, 0.587L, 0.114L}, bt709[3] = {0.2126L, 0.7152L, 0.0722L};
    return standard == GF_COLOUR_STANDARD_BT601 ? bt601 : bt709;
}

/* YCbCr of a type: Y = luma * y + black and C = chroma * c + grey, of y 0..1 and c -1/2..1/2 on the scale 0..MAX. */
struct video {
    long double luma, chroma;
    float black, grey;
};

static struct video video_of(uint32_t range, uint32_t dtype)
{
    if (range == GF_VIDEO_RANGE_FULL)
        return (struct video){1.0L, 1.0L, 0.0f, dtype == GF_U8 ? 128.0f : dtype == GF_U16 ? 32768.0f : 0.5f};
    if (dtype == GF_U8)
        return (struct video){219.0L / 255.0L, 224.0L / 255.0L, 16.0f, 128.0f};
    if (dtype == GF_U16)
        return (struct video){219.0L * 256.0L / 65535.0L, 224.0L * 256.0L / 65535.0L, 4096.0f, 32768.0f};
    return (struct video){219.0L / 255.0L, 224.0L / 255.0L, (float)(16.0L / 255.0L), (float)(128.0L / 255.0L)};
}

/* The hue of a full turn. */
static float turn_of(uint32_t turn, uint32_t dtype)
{
    if (turn != 0)
        return (float)turn;
    return dtype == GF_U8 ? 180.0f : dtype == GF_U16 ? 65536.0f : 360.0f;
}

/* Copies the alpha of a pixel where the result has more channels than `colours`. */
static void keep_alpha(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t colours,
                       int64_t y, int64_t x)
{
    if (out->view.channels > colours)
        gf_reference_write(out, y, x, colours, gf_reference_read(in, y, x, in->view.channels - 1));
}

static void to_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *rgb, float *ret_ycbcr)
{
    const struct video s = video_of(range, dtype);
    const long double *w = weights_of(standard);
    const long double blue = 2.0L * (1.0L - w[2]), red = 2.0L * (1.0L - w[0]);
    const float m[3][3] = {
        {(float)(s.luma * w[0]), (float)(s.luma * w[1]), (float)(s.luma * w[2])},
        {(float)(s.chroma * -w[0] / blue), (float)(s.chroma * -w[1] / blue), (float)(s.chroma * (1.0L - w[2]) / blue)},
        {(float)(s.chroma * (1.0L - w[0]) / red), (float)(s.chroma * -w[1] / red), (float)(s.chroma * -w[2] / red)}};
    for (uint32_t i = 0; i < 3; i++)
        ret_ycbcr[i] = fmaf(m[i][0], rgb[0], fmaf(m[i][1], rgb[1], fmaf(m[i][2], rgb[2], i == 0 ? s.black : s.grey)));
}

static void from_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *ycbcr, float *ret_rgb)
{
    const struct video s = video_of(range, dtype);
    const long double *w = weights_of(standard);
    const long double blue = 2.0L * (1.0L - w[2]) / s.chroma, red = 2.0L * (1.0L - w[0]) / s.chroma;
    float one = (float)(1.0L / s.luma), y = ycbcr[0] - s.black, b = ycbcr[1] - s.grey, r = ycbcr[2] - s.grey;
    ret_rgb[0] = fmaf(one, y, fmaf((float)red, r, 0.0f));
    ret_rgb[1] = fmaf(one, y, fmaf((float)(-blue * w[2] / w[1]), b, fmaf((float)(-red * w[0] / w[1]), r, 0.0f)));
    ret_rgb[2] = fmaf(one, y, fmaf((float)blue, b, 0.0f));
}

/* The mean of the four pixels that share chroma (y, x); the last row and column count twice where sides are odd. */
static void mean_of_block(const struct gf_reference_buf *in, int64_t y, int64_t x, float *ret_rgb)
{
    int64_t below = 2 * y + 1 < (int64_t)in->view.height ? 2 * y + 1 : 2 * y;
    int64_t right = 2 * x + 1 < (int64_t)in->view.width ? 2 * x + 1 : 2 * x;
    for (uint32_t c = 0; c < 3; c++) {
        float first = gf_reference_read(in, 2 * y, 2 * x, c) + gf_reference_read(in, below, 2 * x, c);
        float second = gf_reference_read(in, 2 * y, right, c) + gf_reference_read(in, below, right, c);
        ret_rgb[c] = (first + second) * 0.25f;
    }
}

/* Y of every pixel. */
static void write_luma(uint32_t standard, uint32_t range, const struct gf_reference_buf *in,
                       const struct gf_reference_buf *out)
{
    float rgb[3], ycbcr[3];
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            for (uint32_t c = 0; c < 3; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            to_ycbcr(standard, range, in->view.dtype, rgb, ycbcr);
            gf_reference_write(out, y, x, 0, ycbcr[0]);
        }
}

static float brightness(const struct gf_gray_params *p, uint32_t dtype, const float *rgb)
{
    const long double *w = weights_of(p->standard);
    bool whole = (dtype == GF_U8 || dtype == GF_U16) && p->weights.n == 0;
    uint64_t sum = 0;
    float v = 0.0f;
    for (int c = 2; c >= 0; c--) {
        float weight = p->weights.n == 0 ? (float)w[c] : p->weights.v[c];
        if (whole)
            sum += (uint64_t)rintl(w[c] * 65536.0L) * (uint64_t)rgb[c];
        else if (weight != 0.0f)
            v = fmaf(weight, rgb[c], v);
    }
    return whole ? (float)((sum + 32768u) >> 16) : v;
}

GF_REFERENCE(gray)
{
    const struct gf_gray_params p = gf_gray_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3] = {0};
            for (uint32_t c = 0; c < 3 && c < in->view.channels; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            gf_reference_write(out, y, x, 0, in->view.channels < 3 ? rgb[0] : brightness(&p, in->view.dtype, rgb));
            keep_alpha(in, out, 1, y, x);
        }
    return GF_OK;
}

static float hue(uint32_t dtype, float turn, const float *rgb, float v, float d)
{
    float sixth = turn / 6.0f, h;
    if (d == 0.0f)
        return 0.0f;
    if (v == rgb[0])
        h = fmaf((rgb[1] - rgb[2]) / d, sixth, 0.0f);
    else if (v == rgb[1])
        h = fmaf((rgb[2] - rgb[0]) / d, sixth, 2.0f * sixth);
    else
        h = fmaf((rgb[0] - rgb[1]) / d, sixth, 4.0f * sixth);
    if (dtype != GF_F32)
        h = rintf(h);
    return h < 0.0f ? h + turn : h;
}

GF_REFERENCE(hsv)
{
    uint32_t dtype = in->view.dtype;
    float turn = turn_of(gf_hsv_params_get(params).turn, dtype);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3];
            for (uint32_t c = 0; c < 3; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            float v = gf_reference_maximum(gf_reference_maximum(rgb[0], rgb[1]), rgb[2]),
                  d = v - gf_reference_minimum(gf_reference_minimum(rgb[0], rgb[1]), rgb[2]);
            gf_reference_write(out, y, x, 0, hue(dtype, turn, rgb, v, d));
            gf_reference_write(out, y, x, 1, d == 0.0f || v == 0.0f ? 0.0f : d * gf_reference_max(dtype) / v);
            gf_reference_write(out, y, x, 2, v);
            keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

GF_REFERENCE(ycbcr)
{
    const struct gf_ycbcr_params p = gf_ycbcr_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float rgb[3], ycbcr[3];
            for (uint32_t i = 0; i < 3; i++)
                rgb[i] = gf_reference_read(in, y, x, i);
            to_ycbcr(p.standard, p.range, in->view.dtype, rgb, ycbcr);
            for (uint32_t i = 0; i < 3; i++)
                gf_reference_write(out, y, x, i, ycbcr[i]);
            keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

static void from_hsv(const struct gf_rgb_params *p, uint32_t dtype, const float *in, float *rgb)
{
    float sixth = turn_of(p->turn, dtype) / 6.0f, x = in[0] / sixth, s = in[1] / gf_reference_max(dtype), v = in[2];
    float i = floorf(x), f = x - i, j = fmaf(-6.0f, floorf(i / 6.0f), i);
    float a = v * (1.0f - s), q = v * fmaf(-s, f, 1.0f), t = v * fmaf(-s, 1.0f - f, 1.0f);
    const float all[6][3] = {{v, t, a}, {q, v, a}, {a, v, t}, {a, q, v}, {t, a, v}, {v, a, q}};
    memcpy(rgb, all[j < 1.0f ? 0 : j < 2.0f ? 1 : j < 3.0f ? 2 : j < 4.0f ? 3 : j < 5.0f ? 4 : 5], sizeof(all[0]));
}

GF_REFERENCE(rgb)
{
    const struct gf_rgb_params p = gf_rgb_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float from[3], rgb[3];
            for (uint32_t c = 0; c < 3; c++)
                from[c] = gf_reference_read(in, y, x, c);
            if (p.model == GF_COLOUR_MODEL_HSV)
                from_hsv(&p, in->view.dtype, from, rgb);
            else
                from_ycbcr(p.standard, p.range, in->view.dtype, from, rgb);
            for (uint32_t c = 0; c < 3; c++)
                gf_reference_write(out, y, x, c, rgb[c]);
            keep_alpha(in, out, 3, y, x);
        }
    return GF_OK;
}

/* nv12 and i420: the same samples in two planes or in three. */

static enum gf_status subsample(uint32_t standard, uint32_t range, const struct gf_reference_buf *in,
                                struct gf_reference_buf *out, struct gf_reference_buf *cr, uint32_t cr_channel)
{
    float rgb[3], ycbcr[3];
    write_luma(standard, range, in, out);
    for (int64_t y = 0; y < (int64_t)out[1].view.height; y++)
        for (int64_t x = 0; x < (int64_t)out[1].view.width; x++) {
            mean_of_block(in, y, x, rgb);
            to_ycbcr(standard, range, in->view.dtype, rgb, ycbcr);
            gf_reference_write(&out[1], y, x, 0, ycbcr[1]);
            gf_reference_write(cr, y, x, cr_channel, ycbcr[2]);
        }
    return GF_OK;
}

GF_REFERENCE(nv12)
{
    (void)op, (void)err;
    return subsample(gf_nv12_params_get(params).standard, gf_nv12_params_get(params).range, in, out, &out[1], 1);
}

GF_REFERENCE(i420)
{
    (void)op, (void)err;
    return subsample(gf_i420_params_get(params).standard, gf_i420_params_get(params).range, in, out, &out[2], 0);
}

GF_REFERENCE(rgb420)
{
    bool apart = gf_view_given(&in[2].view);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            float cb = gf_reference_read(&in[1], y / 2, x / 2, 0);
            float cr = apart ? gf_reference_read(&in[2], y / 2, x / 2, 0) : gf_reference_read(&in[1], y / 2, x / 2, 1);
            float ycbcr[3] = {gf_reference_read(in, y, x, 0), cb, cr}, rgb[3];
            from_ycbcr(gf_rgb420_params_get(params).standard, gf_rgb420_params_get(params).range, in->view.dtype, ycbcr,
                       rgb);
            for (uint32_t c = 0; c < 3; c++)
                gf_reference_write(out, y, x, c, rgb[c]);
        }
    return GF_OK;
}

GF_REFERENCE(normalize)
{
    const struct gf_normalize_params p = gf_normalize_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(in, y, x, c);
                if (p.range == GF_RANGE_FULL)
                    v = v / gf_reference_max(in->view.dtype);
                gf_reference_write(out, y, x, c, (v - GF_PICK(p.mean, c)) / GF_PICK(p.std, c));
            }
    return GF_OK;
}

static enum gf_status check_coefs(const struct gf_op *op, const struct gf_reference_buf *coefs, struct gf_error *err)
{
    for (uint32_t r = 0; r < coefs->view.height; r++)
        for (uint32_t c = 0; c < coefs->view.width; c++)
            if (!isfinite(gf_reference_read(coefs, r, c, 0)))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: a coefficient is not finite", op->name);
    return GF_OK;
}

GF_REFERENCE(matrix)
{
    const struct gf_reference_buf *coefs = &in[1];
    uint32_t channels = in->view.channels;
    (void)params;
    enum gf_status status = check_coefs(op, coefs, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t r = 0; r < out->view.channels; r++) {
                float v = coefs->view.width > channels ? gf_reference_read(coefs, r, channels, 0) : 0.0f;
                for (uint32_t c = channels; c-- > 0;) {
                    float m = gf_reference_read(coefs, r, c, 0);
                    if (m != 0.0f)
                        v = fmaf(m, gf_reference_read(in, y, x, c), v);
                }
                gf_reference_write(out, y, x, r, v);
            }
    return GF_OK;
}

/* Channel `wanted` of all inputs, counted from 0. */
static float channel(const struct gf_op *op, const struct gf_reference_buf *in, uint32_t wanted, int64_t y, int64_t x)
{
    uint32_t i = 0;
    while (i + 1 < op->n_inputs && (!gf_view_given(&in[i].view) || wanted >= in[i].view.channels)) {
        wanted -= gf_view_given(&in[i].view) ? in[i].view.channels : 0;
        i++;
    }
    return gf_reference_read(&in[i], y, x, wanted);
}

GF_REFERENCE(merge)
{
    const struct gf_u32v order = gf_merge_params_get(params).order;
    float greatest = gf_reference_max(in->view.dtype);
    (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                uint32_t number = order.n == 0 ? c + 1 : order.v[c];
                gf_reference_write(out, y, x, c, number == 0 ? greatest : channel(op, in, number - 1, y, x));
            }
    return GF_OK;
}

static float over(uint32_t dtype, float c, float a, float b)
{
    if (dtype == GF_F32)
        return fmaf(c, a, b * (1.0f - a));
    uint64_t max = (uint64_t)gf_reference_max(dtype);
    return (float)(((uint64_t)c * (uint64_t)a + (uint64_t)b * (max - (uint64_t)a) + max / 2) / max);
}

GF_REFERENCE(flatten)
{
    uint32_t channels = in->view.channels;
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(in, y, x, c);
                if (channels % 2 == 0)
                    v = over(in->view.dtype, v, gf_reference_read(in, y, x, channels - 1),
                             GF_PICK(gf_flatten_params_get(params).colour, c));
                gf_reference_write(out, y, x, c, v);
            }
    return GF_OK;
}

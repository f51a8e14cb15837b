/* SPDX-License-Identifier: MIT */
/* Weights, scales and alpha of the ops that turn channels into others. Called by the reference of each. */
#include "reference_colour.h"

#include <math.h>

#include "protocol/ops/enums.h"
#include "reference_image.h"

const long double *gf_reference_weights(uint32_t standard)
{
    static const long double bt601[3] = {0.299L, 0.587L, 0.114L}, bt709[3] = {0.2126L, 0.7152L, 0.0722L};
    return standard == GF_COLOUR_STANDARD_BT601 ? bt601 : bt709;
}

struct gf_reference_video gf_reference_video(uint32_t range, uint32_t dtype)
{
    if (range == GF_VIDEO_RANGE_FULL)
        return (struct gf_reference_video){1.0L, 1.0L, 0.0f,
                                           dtype == GF_U8    ? 128.0f
                                           : dtype == GF_U16 ? 32768.0f
                                                             : 0.5f};
    if (dtype == GF_U8)
        return (struct gf_reference_video){219.0L / 255.0L, 224.0L / 255.0L, 16.0f, 128.0f};
    if (dtype == GF_U16)
        return (struct gf_reference_video){219.0L * 256.0L / 65535.0L, 224.0L * 256.0L / 65535.0L, 4096.0f, 32768.0f};
    return (struct gf_reference_video){219.0L / 255.0L, 224.0L / 255.0L, (float)(16.0L / 255.0L),
                                       (float)(128.0L / 255.0L)};
}

float gf_reference_turn(uint32_t turn, uint32_t dtype)
{
    if (turn != 0)
        return (float)turn;
    return dtype == GF_U8 ? 180.0f : dtype == GF_U16 ? 65536.0f : 360.0f;
}

void gf_reference_keep_alpha(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t colours,
                             int64_t y, int64_t x)
{
    if (out->view.channels > colours)
        gf_reference_write(out, y, x, colours, gf_reference_read(in, y, x, in->view.channels - 1));
}

void gf_reference_to_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *rgb, float *ret_ycbcr)
{
    const struct gf_reference_video s = gf_reference_video(range, dtype);
    const long double *w = gf_reference_weights(standard);
    const long double blue = 2.0L * (1.0L - w[2]), red = 2.0L * (1.0L - w[0]);
    const float m[3][3] = {
        {(float)(s.luma * w[0]), (float)(s.luma * w[1]), (float)(s.luma * w[2])},
        {(float)(s.chroma * -w[0] / blue), (float)(s.chroma * -w[1] / blue), (float)(s.chroma * (1.0L - w[2]) / blue)},
        {(float)(s.chroma * (1.0L - w[0]) / red), (float)(s.chroma * -w[1] / red), (float)(s.chroma * -w[2] / red)}};
    for (uint32_t i = 0; i < 3; i++)
        ret_ycbcr[i] = fmaf(m[i][0], rgb[0], fmaf(m[i][1], rgb[1], fmaf(m[i][2], rgb[2], i == 0 ? s.black : s.grey)));
}

void gf_reference_from_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *ycbcr, float *ret_rgb)
{
    const struct gf_reference_video s = gf_reference_video(range, dtype);
    const long double *w = gf_reference_weights(standard);
    const long double blue = 2.0L * (1.0L - w[2]) / s.chroma, red = 2.0L * (1.0L - w[0]) / s.chroma;
    float one = (float)(1.0L / s.luma), y = ycbcr[0] - s.black, b = ycbcr[1] - s.grey, r = ycbcr[2] - s.grey;
    ret_rgb[0] = fmaf(one, y, fmaf((float)red, r, 0.0f));
    ret_rgb[1] = fmaf(one, y, fmaf((float)(-blue * w[2] / w[1]), b, fmaf((float)(-red * w[0] / w[1]), r, 0.0f)));
    ret_rgb[2] = fmaf(one, y, fmaf((float)blue, b, 0.0f));
}

void gf_reference_mean(const struct gf_reference_buf *in, int64_t y, int64_t x, float *ret_rgb)
{
    int64_t below = 2 * y + 1 < (int64_t)in->view.height ? 2 * y + 1 : 2 * y;
    int64_t right = 2 * x + 1 < (int64_t)in->view.width ? 2 * x + 1 : 2 * x;
    for (uint32_t c = 0; c < 3; c++) {
        float first = gf_reference_read(in, 2 * y, 2 * x, c) + gf_reference_read(in, below, 2 * x, c);
        float second = gf_reference_read(in, 2 * y, right, c) + gf_reference_read(in, below, right, c);
        ret_rgb[c] = (first + second) * 0.25f;
    }
}

void gf_reference_luma(uint32_t standard, uint32_t range, const struct gf_reference_buf *in,
                       const struct gf_reference_buf *out)
{
    float rgb[3], ycbcr[3];
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++) {
            for (uint32_t c = 0; c < 3; c++)
                rgb[c] = gf_reference_read(in, y, x, c);
            gf_reference_to_ycbcr(standard, range, in->view.dtype, rgb, ycbcr);
            gf_reference_write(out, y, x, 0, ycbcr[0]);
        }
}

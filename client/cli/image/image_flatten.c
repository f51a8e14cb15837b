/* SPDX-License-Identifier: MIT */
/*
 * Blends a picture with alpha and a background; see image_flatten.h. With alpha a from 0 to M, a sample c becomes (c*a
 * + b*(M-a)) / M, where b is the background. Integers are rounded to the nearest; M is odd, so ties do not occur.
 */
#include "image_flatten.h"

#include "protocol/base/dtype.h"

static void flatten_u8(const uint8_t *from, uint8_t *to, uint64_t pixels, uint32_t colours, const uint8_t *behind)
{
    for (uint64_t i = 0; i < pixels; i++, from += colours + 1, to += colours)
        for (uint32_t c = 0; c < colours; c++) {
            uint32_t a = from[colours];
            to[c] = (uint8_t)((from[c] * a + behind[c] * (255u - a) + 127u) / 255u);
        }
}

static void flatten_u16(const uint16_t *from, uint16_t *to, uint64_t pixels, uint32_t colours, const uint8_t *behind)
{
    for (uint64_t i = 0; i < pixels; i++, from += colours + 1, to += colours)
        for (uint32_t c = 0; c < colours; c++) {
            uint64_t a = from[colours];
            to[c] = (uint16_t)((from[c] * a + behind[c] * 257ull * (65535u - a) + 32767u) / 65535u);
        }
}

static void flatten_f32(const float *from, float *to, uint64_t pixels, uint32_t colours, const uint8_t *behind)
{
    for (uint64_t i = 0; i < pixels; i++, from += colours + 1, to += colours)
        for (uint32_t c = 0; c < colours; c++)
            to[c] = from[c] * from[colours] + (float)behind[c] / 255.0f * (1.0f - from[colours]);
}

void gf_image_flatten(const struct gf_image *image, const struct gf_image_save *save, struct gf_image *ret_image)
{
    const struct gf_view *v = &image->view;
    uint64_t pixels = v->width * v->height;
    uint32_t colours = v->channels - 1;
    if (v->dtype == GF_U8)
        flatten_u8(image->data, ret_image->data, pixels, colours, save->background);
    else if (v->dtype == GF_U16)
        flatten_u16(image->data, ret_image->data, pixels, colours, save->background);
    else
        flatten_f32(image->data, ret_image->data, pixels, colours, save->background);
    ret_image->view = gf_view_tight(v->dtype, v->width, v->height, colours);
}

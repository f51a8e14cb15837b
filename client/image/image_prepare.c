/* SPDX-License-Identifier: MIT */
/*
 * Blends a picture with a background, and rotates and mirrors it; see image_codec.h. Called by image.c. With alpha a
 * from 0 to M, a sample c becomes (c*a + b*(M-a)) / M, where b is the background. Integers are rounded to the nearest;
 * M is odd, so ties do not occur. Orientations are numbered as in EXIF 2.3, tag 0112, by where the first row and the
 * first column of the samples are in the picture.
 */
#include "image_codec.h"

#include <string.h>

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

void gf_image_cmyk_to_rgb(struct gf_image *image, const char *name)
{
    struct gf_view *v = &image->view;
    uint64_t pixels = v->width * v->height;
    uint8_t *bytes = image->data;
    uint16_t *words = image->data;
    for (uint64_t i = 0; i < pixels && image->data; i++)
        for (uint32_t c = 0; c < 3; c++)
            if (v->dtype == GF_U8)
                bytes[3 * i + c] = (uint8_t)(((255u - bytes[4 * i + c]) * (255u - bytes[4 * i + 3]) + 127u) / 255u);
            else
                words[3 * i + c] =
                    (uint16_t)(((65535u - words[4 * i + c]) * (65535ull - words[4 * i + 3]) + 32767u) / 65535u);
    *v = gf_view_tight(v->dtype, v->width, v->height, 3);
    image->is_cmyk = false;
    if (!image->meta.profile)
        return;
    gf_image_meta_set_profile(&image->meta, NULL, 0, false);
    gf_image_warn(image, GF_CMYK_WARNING, name);
}

static void divide_u8(uint8_t *data, uint64_t pixels, uint32_t colours)
{
    for (uint64_t i = 0; i < pixels; i++, data += colours + 1)
        for (uint32_t c = 0; c < colours; c++) {
            uint32_t a = data[colours], quotient = a > 0 ? (data[c] * 255u + a / 2) / a : 0;
            data[c] = (uint8_t)(quotient < 255u ? quotient : 255u);
        }
}

static void divide_u16(uint16_t *data, uint64_t pixels, uint32_t colours)
{
    for (uint64_t i = 0; i < pixels; i++, data += colours + 1)
        for (uint32_t c = 0; c < colours; c++) {
            uint64_t a = data[colours], quotient = a > 0 ? (data[c] * 65535ull + a / 2) / a : 0;
            data[c] = (uint16_t)(quotient < 65535u ? quotient : 65535u);
        }
}

static void divide_f32(float *data, uint64_t pixels, uint32_t colours)
{
    for (uint64_t i = 0; i < pixels; i++, data += colours + 1)
        for (uint32_t c = 0; c < colours; c++)
            data[c] = data[colours] > 0.0f ? data[c] / data[colours] : 0.0f;
}

void gf_image_divide_by_alpha(struct gf_image *image, const char *name)
{
    const struct gf_view *v = &image->view;
    uint64_t pixels = v->width * v->height;
    if (v->channels % 2 != 0)
        return;
    image->coding.is_premultiplied = true;
    if (!image->data)
        return;
    if (v->dtype == GF_U8)
        divide_u8(image->data, pixels, v->channels - 1);
    else if (v->dtype == GF_U16)
        divide_u16(image->data, pixels, v->channels - 1);
    else if (v->dtype == GF_F32)
        divide_f32(image->data, pixels, v->channels - 1);
    else {
        image->no_alpha = true;
        gf_image_warn(image, "%s: its colours are premultiplied by alpha and stay so, as samples of %s", name,
                      gf_dtype_word(v->dtype));
        return;
    }
    gf_image_warn(image, "%s: its colours, premultiplied by alpha, are divided by it", name);
}

/* Pixels per side of a block, so that both pictures stay in the cache. */
#define BLOCK 64u

/* Copies `n` pixels that are `step` bytes apart. */
static inline void copy_by(uint8_t *to, const uint8_t *from, ptrdiff_t step, uint64_t n, size_t pixel)
{
    for (; n > 0; n--, to += pixel, from += n > 0 ? step : 0)
        memcpy(to, from, pixel);
}

/* The same with constant sizes for the common pixels. */
static void copy(uint8_t *to, const uint8_t *from, ptrdiff_t step, uint64_t n, size_t pixel)
{
    switch (pixel) {
    case 1:
        copy_by(to, from, step, n, 1);
        break;
    case 3:
        copy_by(to, from, step, n, 3);
        break;
    case 4:
        copy_by(to, from, step, n, 4);
        break;
    default:
        copy_by(to, from, step, n, pixel);
    }
}

void gf_image_rotate(const struct gf_image *image, uint32_t orientation, struct gf_image *ret_image)
{
    const struct gf_view *v = &image->view;
    bool sideways = orientation >= 5;
    bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    size_t pixel = v->channels * gf_dtype_size(v->dtype);
    ptrdiff_t right = from_right ? -(ptrdiff_t)pixel : (ptrdiff_t)pixel;
    ptrdiff_t down = from_bottom ? -(ptrdiff_t)v->pitch : (ptrdiff_t)v->pitch;
    struct gf_view to = sideways ? gf_view_tight(v->dtype, v->height, v->width, v->channels)
                                 : gf_view_tight(v->dtype, v->width, v->height, v->channels);
    const uint8_t *corner = (const uint8_t *)image->data + (from_bottom ? (v->height - 1) * v->pitch : 0) +
                            (from_right ? (v->width - 1) * pixel : 0);
    for (uint64_t top = 0; top < to.height; top += BLOCK)
        for (uint64_t x = 0; x < to.width; x += BLOCK) {
            uint64_t end = to.height - top < BLOCK ? to.height : top + BLOCK;
            uint64_t n = to.width - x < BLOCK ? to.width - x : BLOCK;
            for (uint64_t y = top; y < end; y++) {
                uint64_t column = sideways ? y : x, row = sideways ? x : y;
                copy((uint8_t *)ret_image->data + y * to.pitch + x * pixel,
                     corner + (ptrdiff_t)column * right + (ptrdiff_t)row * down, sideways ? down : right, n, pixel);
            }
        }
    ret_image->view = to;
}

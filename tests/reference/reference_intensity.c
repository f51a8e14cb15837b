/* SPDX-License-Identifier: MIT */
/* Samples of pictures as numbers, one by one. Called by the reference of threshold, equalize, autocontrast. */
#include "reference_intensity.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "reference_image.h"

static void *address(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    return (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
}

double gf_reference_intensity_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    const void *p = address(buf, y, x, c);
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    float f32;
    if (buf->view.dtype == GF_U8)
        return memcpy(&u8, p, sizeof(u8)), (double)u8;
    if (buf->view.dtype == GF_U16)
        return memcpy(&u16, p, sizeof(u16)), (double)u16;
    if (buf->view.dtype == GF_I16)
        return memcpy(&i16, p, sizeof(i16)), (double)i16;
    return memcpy(&f32, p, sizeof(f32)), (double)f32;
}

enum gf_status gf_reference_intensity_counts(const struct gf_reference_buf *in, uint32_t c, uint64_t **ret,
                                             struct gf_error *err)
{
    double min = (double)gf_reference_min(in->view.dtype);
    uint64_t *counts = calloc((size_t)((double)gf_reference_max(in->view.dtype) - min) + 1, sizeof(*counts));
    if (counts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for counts");
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            counts[(size_t)(gf_reference_intensity_at(in, y, x, c) - min)]++;
    *ret = counts;
    return GF_OK;
}

void gf_reference_intensity(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t alpha,
                            gf_reference_intensity_fn *fn, const void *context)
{
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++) {
                double v = gf_reference_intensity_at(in, y, x, c);
                if (alpha == GF_ALPHA_STRAIGHT || !gf_reference_is_alpha(in->view.channels, c))
                    v = fn(context, c, v);
                uint8_t u8 = in->view.dtype == GF_U8 ? (uint8_t)v : 0;
                uint16_t u16 = in->view.dtype == GF_U16 ? (uint16_t)v : 0;
                int16_t i16 = in->view.dtype == GF_I16 ? (int16_t)v : 0;
                float f32 = isnan(v) ? NAN : (float)v;
                const void *from = in->view.dtype == GF_U8    ? (const void *)&u8
                                   : in->view.dtype == GF_U16 ? (const void *)&u16
                                   : in->view.dtype == GF_I16 ? (const void *)&i16
                                                              : (const void *)&f32;
                memcpy(address(out, y, x, c), from, gf_dtype_size(in->view.dtype));
            }
}

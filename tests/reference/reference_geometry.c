/* SPDX-License-Identifier: MIT */
/* Samples and pixels from one place to another. */
#include "reference_geometry.h"

#include <math.h>
#include <string.h>

void gf_reference_copy_sample(void *to, const void *from, uint32_t dtype)
{
    static const uint16_t nan16 = 0x7E00;
    static const uint32_t nan32 = 0x7FC00000;
    static const uint64_t nan64 = 0x7FF8000000000000;
    uint16_t f16;
    float f32;
    double f64;
    memcpy(to, from, gf_dtype_size(dtype));
    if (dtype == GF_F16) {
        memcpy(&f16, from, sizeof f16);
        if ((f16 & 0x7C00) == 0x7C00 && (f16 & 0x3FF) != 0)
            memcpy(to, &nan16, sizeof nan16);
    } else if (dtype == GF_F32) {
        memcpy(&f32, from, sizeof f32);
        if (isnan(f32))
            memcpy(to, &nan32, sizeof nan32);
    } else if (dtype == GF_F64) {
        memcpy(&f64, from, sizeof f64);
        if (isnan(f64))
            memcpy(to, &nan64, sizeof nan64);
    }
}

void gf_reference_copy_pixel(const struct gf_reference_buf *out, uint64_t to_x, uint64_t to_y,
                             const struct gf_reference_buf *in, uint64_t from_x, uint64_t from_y)
{
    size_t size = gf_dtype_size(in->view.dtype);
    for (uint32_t c = 0; c < in->view.channels; c++)
        gf_reference_copy_sample(
            (char *)out->data + to_y * out->view.pitch + (to_x * out->view.channels + c) * size,
            (const char *)in->data + from_y * in->view.pitch + (from_x * in->view.channels + c) * size, in->view.dtype);
}

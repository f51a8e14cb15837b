/* SPDX-License-Identifier: MIT */
/* The brightness of pixels. Compiled once per instruction set; called by count.c and intensity.c. */
#include "simd_samples.h"

#include "protocol/base/dtype.h"
#include "simd_isa.h"

GF_ALWAYS uint32_t luma(uint32_t r, uint32_t g, uint32_t b)
{
    return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
}

/* The number of channels is a compile-time constant, here and below. */
GF_ALWAYS void brightness_u8(const gf_u8_any *restrict from, gf_u8_any *restrict to, size_t n, size_t channels)
{
    for (size_t i = 0; i < n; i++) {
        const gf_u8_any *p = from + i * channels;
        to[i * (channels - 2)] = (uint8_t)luma(p[0], p[1], p[2]);
        if (channels == 4)
            to[i * 2 + 1] = p[3];
    }
}

GF_ALWAYS void brightness_u16(const gf_u16_any *restrict from, gf_u16_any *restrict to, size_t n, size_t channels)
{
    for (size_t i = 0; i < n; i++) {
        const gf_u16_any *p = from + i * channels;
        to[i * (channels - 2)] = (uint16_t)luma(p[0], p[1], p[2]);
        if (channels == 4)
            to[i * 2 + 1] = p[3];
    }
}

/* Negative samples are converted to two's complement; the sums stay within 32 bits. */
GF_ALWAYS void brightness_i16(const gf_i16_any *restrict from, gf_i16_any *restrict to, size_t n, size_t channels)
{
    for (size_t i = 0; i < n; i++) {
        const gf_i16_any *p = from + i * channels;
        to[i * (channels - 2)] = (int16_t)luma((uint32_t)p[0], (uint32_t)p[1], (uint32_t)p[2]);
        if (channels == 4)
            to[i * 2 + 1] = p[3];
    }
}

GF_ALWAYS void brightness_f32(const gf_f32_any *restrict from, gf_f32_any *restrict to, size_t n, size_t channels)
{
    for (size_t i = 0; i < n; i++) {
        const gf_f32_any *p = from + i * channels;
        to[i * (channels - 2)] = fmaf(0.299f, p[0], fmaf(0.587f, p[1], 0.114f * p[2]));
        if (channels == 4)
            to[i * 2 + 1] = p[3];
    }
}

GF_ALWAYS void brightness(uint32_t dtype, const void *src, void *dst, size_t n, size_t channels)
{
    if (dtype == GF_U8)
        brightness_u8(src, dst, n, channels);
    else if (dtype == GF_U16)
        brightness_u16(src, dst, n, channels);
    else if (dtype == GF_I16)
        brightness_i16(src, dst, n, channels);
    else
        brightness_f32(src, dst, n, channels);
}

void GF_ISA_NAME(gf_simd_brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n)
{
    if (channels == 3)
        brightness(dtype, src, dst, n, 3);
    else
        brightness(dtype, src, dst, n, 4);
}

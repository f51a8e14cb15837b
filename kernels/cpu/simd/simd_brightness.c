/* SPDX-License-Identifier: MIT */
/* Pixels to their brightness. Compiled once per instruction set; called by count.c and intensity.c. */
#include "simd_samples.h"

#include "protocol/base/dtype.h"
#include "simd_isa.h"

#define ALWAYS static inline __attribute__((always_inline))

/* The number of channels is a constant. */
#define DEFINE_BRIGHTNESS(name, S, LUMA)                                                                               \
    ALWAYS void name##_of(const S *restrict from, S *restrict to, size_t n, size_t channels)                           \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const S *p = from + i * channels;                                                                          \
            to[i * (channels - 2)] = LUMA(p[0], p[1], p[2]);                                                           \
            if (channels == 4)                                                                                         \
                to[i * 2 + 1] = p[3];                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void name(uint32_t channels, const S *from, S *to, size_t n)                                                \
    {                                                                                                                  \
        if (channels == 3)                                                                                             \
            name##_of(from, to, n, 3);                                                                                 \
        else                                                                                                           \
            name##_of(from, to, n, 4);                                                                                 \
    }

ALWAYS uint32_t luma_of(uint32_t r, uint32_t g, uint32_t b)
{
    return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
}

#define LUMA_U8(r, g, b) ((uint8_t)luma_of(r, g, b))
#define LUMA_U16(r, g, b) ((uint16_t)luma_of(r, g, b))
#define LUMA_F32(r, g, b) fmaf(0.299f, r, fmaf(0.587f, g, 0.114f * (b)))

DEFINE_BRIGHTNESS(brightness_u8, gf_u8_any, LUMA_U8)
DEFINE_BRIGHTNESS(brightness_u16, gf_u16_any, LUMA_U16)
DEFINE_BRIGHTNESS(brightness_f32, gf_f32_any, LUMA_F32)

void GF_ISA_NAME(gf_simd_brightness)(uint32_t dtype, uint32_t channels, const void *src, void *dst, size_t n)
{
    if (dtype == GF_U8)
        brightness_u8(channels, src, dst, n);
    else if (dtype == GF_U16)
        brightness_u16(channels, src, dst, n);
    else
        brightness_f32(channels, src, dst, n);
}

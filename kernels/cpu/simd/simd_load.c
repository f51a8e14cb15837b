/* SPDX-License-Identifier: MIT */
/* Converts source samples to lines of f32. Compiled once per instruction set. */
#include "simd_samples.h"

#include "protocol/base/dtype.h"
#include "protocol/base/half.h"
#include "simd_isa.h"

/* load_* converts samples; decode_* reads them from a table with an entry for every sample. Alpha, the last of 2 or 4
 * channels, is never decoded. */
#define DEFINE(name)                                                                                                   \
    static void load_##name(const gf_##name##_any *restrict src, float *restrict dst, size_t n)                        \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            dst[i] = (float)src[i];                                                                                    \
    }                                                                                                                  \
    static void decode_##name(const struct gf_cpu_source *s, const gf_##name##_any *restrict src, float *restrict dst, \
                              size_t pixels)                                                                           \
    {                                                                                                                  \
        uint32_t channels = s->channels, colours = channels - (channels % 2 == 0);                                     \
        for (size_t i = 0; i < pixels; i++) {                                                                          \
            for (uint32_t c = 0; c < colours; c++)                                                                     \
                dst[i * channels + c] = s->decode[src[i * channels + c]];                                              \
            if (colours < channels)                                                                                    \
                dst[i * channels + colours] = (float)src[i * channels + colours];                                      \
        }                                                                                                              \
    }

DEFINE(u8)
DEFINE(u16)
DEFINE(i16)

static void load_f16(const gf_u16_any *restrict src, float *restrict dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = gf_half_to_f32(src[i]);
}

void GF_ISA_NAME(gf_simd_load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels)
{
    size_t n = pixels * source->channels;
    if (source->dtype == GF_F32)
        memcpy(dst, src, n * sizeof(*dst));
    else if (source->dtype == GF_F16)
        load_f16(src, dst, n);
    else if (source->dtype == GF_U8 && source->decode)
        decode_u8(source, src, dst, pixels);
    else if (source->dtype == GF_U8)
        load_u8(src, dst, n);
    else if (source->dtype == GF_U16 && source->decode)
        decode_u16(source, src, dst, pixels);
    else if (source->dtype == GF_U16)
        load_u16(src, dst, n);
    else if (source->decode)
        decode_i16(source, src, dst, pixels);
    else
        load_i16(src, dst, n);
}

GF_ALWAYS void premultiply(float *line, size_t n, uint32_t channels)
{
    const gf_vi alpha = gf_vf_alpha_lanes(channels);
    const gf_vf one = gf_vf_set(1.0f);
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v = gf_vf_load(line + i);
        gf_vf_store(line + i, v * gf_vf_select(alpha, one, gf_vf_alpha(v, channels)));
    }
}

void GF_ISA_NAME(gf_simd_premultiply)(float *line, size_t pixels, uint32_t channels)
{
    if (channels == 2)
        premultiply(line, pixels * 2, 2);
    else
        premultiply(line, pixels * 4, 4);
}

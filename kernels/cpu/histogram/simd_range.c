/* SPDX-License-Identifier: MIT */
/* Finds the range of samples by channel. Compiled once per instruction set; called by count.c. */
#include "simd_histogram.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"

/* n is a compile-time constant except in the last chunk. */
GF_ALWAYS void extend_u8(const gf_u8_any *restrict src, uint8_t *restrict lo, uint8_t *restrict hi, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lo[i] = src[i] < lo[i] ? src[i] : lo[i];
        hi[i] = src[i] > hi[i] ? src[i] : hi[i];
    }
}

GF_ALWAYS void extend_u16(const gf_u16_any *restrict src, uint16_t *restrict lo, uint16_t *restrict hi, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lo[i] = src[i] < lo[i] ? src[i] : lo[i];
        hi[i] = src[i] > hi[i] ? src[i] : hi[i];
    }
}

GF_ALWAYS void extend_i16(const gf_i16_any *restrict src, int16_t *restrict lo, int16_t *restrict hi, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lo[i] = src[i] < lo[i] ? src[i] : lo[i];
        hi[i] = src[i] > hi[i] ? src[i] : hi[i];
    }
}

/* Compares keys in the order of floats. Samples whose magnitude's bits exceed `max_key` are ignored. */
GF_ALWAYS void extend_f32(const gf_i32_any *restrict src, int32_t max_key, int32_t *restrict lo, int32_t *restrict hi,
                          int32_t *restrict nan, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t bits = src[i], magnitude = bits & INT32_MAX, key = bits ^ ((bits >> 31) & INT32_MAX);
        int32_t low = magnitude <= max_key ? key : INT32_MAX, high = magnitude <= max_key ? key : INT32_MIN;
        lo[i] = low < lo[i] ? low : lo[i];
        hi[i] = high > hi[i] ? high : hi[i];
        nan[i] |= magnitude > 0x7F800000 ? 1 : 0;
    }
}

/* Merges the range of one position of the pattern into its channel. */
GF_ALWAYS void include(struct gf_cpu_range *range, size_t channel, int32_t lo, int32_t hi)
{
    range->lo[channel] = lo < range->lo[channel] ? lo : range->lo[channel];
    range->hi[channel] = hi > range->hi[channel] ? hi : range->hi[channel];
}

static void range_u8(const gf_u8_any *src, size_t n, struct gf_cpu_range *ret)
{
    uint8_t lo[GF_PATTERN], hi[GF_PATTERN];
    size_t i = 0;
    memset(lo, 0xFF, sizeof(lo));
    memset(hi, 0, sizeof(hi));
    for (; i + GF_PATTERN <= n; i += GF_PATTERN)
        extend_u8(src + i, lo, hi, GF_PATTERN);
    extend_u8(src + i, lo, hi, n - i);
    for (size_t c = 0; c < ret->channels; c++)
        for (size_t k = c; k < GF_PATTERN; k += ret->channels)
            include(ret, c, lo[k], hi[k]);
}

static void range_u16(const gf_u16_any *src, size_t n, struct gf_cpu_range *ret)
{
    uint16_t lo[GF_PATTERN], hi[GF_PATTERN];
    size_t i = 0;
    memset(lo, 0xFF, sizeof(lo));
    memset(hi, 0, sizeof(hi));
    for (; i + GF_PATTERN <= n; i += GF_PATTERN)
        extend_u16(src + i, lo, hi, GF_PATTERN);
    extend_u16(src + i, lo, hi, n - i);
    for (size_t c = 0; c < ret->channels; c++)
        for (size_t k = c; k < GF_PATTERN; k += ret->channels)
            include(ret, c, lo[k], hi[k]);
}

static void range_i16(const gf_i16_any *src, size_t n, struct gf_cpu_range *ret)
{
    int16_t lo[GF_PATTERN], hi[GF_PATTERN];
    size_t i = 0;
    for (size_t k = 0; k < GF_PATTERN; k++) {
        lo[k] = INT16_MAX;
        hi[k] = INT16_MIN;
    }
    for (; i + GF_PATTERN <= n; i += GF_PATTERN)
        extend_i16(src + i, lo, hi, GF_PATTERN);
    extend_i16(src + i, lo, hi, n - i);
    for (size_t c = 0; c < ret->channels; c++)
        for (size_t k = c; k < GF_PATTERN; k += ret->channels)
            include(ret, c, lo[k], hi[k]);
}

static void range_f32(const gf_i32_any *src, size_t n, bool finite, struct gf_cpu_range *ret)
{
    int32_t lo[GF_PATTERN], hi[GF_PATTERN], nan[GF_PATTERN] = {0}, max_key = finite ? 0x7F7FFFFF : 0x7F800000;
    size_t i = 0;
    for (size_t k = 0; k < GF_PATTERN; k++) {
        lo[k] = INT32_MAX;
        hi[k] = INT32_MIN;
    }
    for (; i + GF_PATTERN <= n; i += GF_PATTERN)
        extend_f32(src + i, max_key, lo, hi, nan, GF_PATTERN);
    extend_f32(src + i, max_key, lo, hi, nan, n - i);
    for (size_t c = 0; c < ret->channels; c++)
        for (size_t k = c; k < GF_PATTERN; k += ret->channels) {
            include(ret, c, lo[k], hi[k]);
            ret->nan[c] = ret->nan[c] || nan[k] != 0;
        }
}

void GF_ISA_NAME(gf_simd_range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret)
{
    for (uint32_t c = 0; c < GF_MAX_CHANNELS; c++) {
        ret->lo[c] = INT32_MAX;
        ret->hi[c] = INT32_MIN;
        ret->nan[c] = false;
    }
    if (dtype == GF_U8)
        range_u8(src, n, ret);
    else if (dtype == GF_U16)
        range_u16(src, n, ret);
    else if (dtype == GF_I16)
        range_i16(src, n, ret);
    else
        range_f32(src, n, finite, ret);
}

const struct gf_simd_histogram GF_ISA_NAME(gf_simd_histogram) = {
    .bins = GF_ISA_NAME(gf_simd_bins),
    .range = GF_ISA_NAME(gf_simd_range),
};

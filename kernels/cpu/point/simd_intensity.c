/* SPDX-License-Identifier: MIT */
/*
 * Maps the samples of a row by limit, by ramp or by table. Values that depend on the channel are patterns that repeat
 * along the row. Compiled once per instruction set; called by intensity.c and point.c.
 */
#include "simd_point.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"

/* The bits of a float as they are stored: every NaN becomes the one NaN. */
GF_ALWAYS uint32_t stored_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return v != v ? 0x7FC00000u : bits;
}

/* A sample of at least `threshold` becomes `high`, any other 0; the bits of a sample under `keep` stay. `keeps` is a
 * compile-time constant, and so is n except in the last chunk. */
GF_ALWAYS void limit_chunk_u8(const struct gf_cpu_limit *restrict p, const gf_u8_any *restrict from,
                              gf_u8_any *restrict to, size_t n, bool keeps)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t high = (uint8_t)(-(uint8_t)(from[i] >= p->threshold.u8[i]) & p->high.u8[i]);
        to[i] = (uint8_t)(high | (keeps ? from[i] & p->keep.u8[i] : 0));
    }
}

GF_ALWAYS void limit_chunk_u16(const struct gf_cpu_limit *restrict p, const gf_u16_any *restrict from,
                               gf_u16_any *restrict to, size_t n, bool keeps)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t high = (uint16_t)(-(uint16_t)(from[i] >= p->threshold.u16[i]) & p->high.u16[i]);
        to[i] = (uint16_t)(high | (keeps ? from[i] & p->keep.u16[i] : 0));
    }
}

GF_ALWAYS void limit_chunk_i16(const struct gf_cpu_limit *restrict p, const gf_i16_any *restrict from,
                               gf_i16_any *restrict to, size_t n, bool keeps)
{
    for (size_t i = 0; i < n; i++) {
        int16_t high = (int16_t)(-(int16_t)(from[i] >= p->threshold.i16[i]) & p->high.i16[i]);
        to[i] = (int16_t)(high | (keeps ? from[i] & p->keep.i16[i] : 0));
    }
}

GF_ALWAYS void limit_chunk_f32(const struct gf_cpu_limit *restrict p, const gf_f32_any *restrict from,
                               gf_u32_any *restrict to, size_t n, bool keeps)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t high = (uint32_t)(-(uint32_t)(from[i] >= p->threshold.f32[i]) & p->high.u32[i]);
        to[i] = (uint32_t)(high | (keeps ? stored_bits(from[i]) & p->keep.u32[i] : 0));
    }
}

/* The same threshold and `high` for all samples. */
GF_ALWAYS void limit_alike_u8(uint8_t threshold, uint8_t high, const gf_u8_any *restrict from, gf_u8_any *restrict to,
                              size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(-(uint8_t)(from[i] >= threshold) & high);
}

GF_ALWAYS void limit_alike_u16(uint16_t threshold, uint16_t high, const gf_u16_any *restrict from,
                               gf_u16_any *restrict to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(-(uint16_t)(from[i] >= threshold) & high);
}

GF_ALWAYS void limit_alike_i16(int16_t threshold, int16_t high, const gf_i16_any *restrict from,
                               gf_i16_any *restrict to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (int16_t)(-(int16_t)(from[i] >= threshold) & high);
}

GF_ALWAYS void limit_alike_f32(float threshold, uint32_t high, const gf_f32_any *restrict from, gf_u32_any *restrict to,
                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)(-(uint32_t)(from[i] >= threshold) & high);
}

/* Maps n samples from sample `at` on; the dtype is a compile-time constant. */
GF_ALWAYS void limit_chunk(uint32_t dtype, const struct gf_cpu_limit *p, const void *src, void *dst, size_t at,
                           size_t n, bool keeps)
{
    if (dtype == GF_U8)
        limit_chunk_u8(p, (const gf_u8_any *)src + at, (gf_u8_any *)dst + at, n, keeps);
    else if (dtype == GF_U16)
        limit_chunk_u16(p, (const gf_u16_any *)src + at, (gf_u16_any *)dst + at, n, keeps);
    else if (dtype == GF_I16)
        limit_chunk_i16(p, (const gf_i16_any *)src + at, (gf_i16_any *)dst + at, n, keeps);
    else
        limit_chunk_f32(p, (const gf_f32_any *)src + at, (gf_u32_any *)dst + at, n, keeps);
}

GF_ALWAYS void limit_alike(uint32_t dtype, const struct gf_cpu_limit *p, const void *src, void *dst, size_t at,
                           size_t n)
{
    if (dtype == GF_U8)
        limit_alike_u8(p->threshold.u8[0], p->high.u8[0], (const gf_u8_any *)src + at, (gf_u8_any *)dst + at, n);
    else if (dtype == GF_U16)
        limit_alike_u16(p->threshold.u16[0], p->high.u16[0], (const gf_u16_any *)src + at, (gf_u16_any *)dst + at, n);
    else if (dtype == GF_I16)
        limit_alike_i16(p->threshold.i16[0], p->high.i16[0], (const gf_i16_any *)src + at, (gf_i16_any *)dst + at, n);
    else
        limit_alike_f32(p->threshold.f32[0], p->high.u32[0], (const gf_f32_any *)src + at, (gf_u32_any *)dst + at, n);
}

/* With one threshold for all samples, stores are aligned to a cache line if dst is aligned to its samples. */
GF_ALWAYS void limit(uint32_t dtype, const struct gf_cpu_limit *p, const void *src, void *dst, size_t n)
{
    size_t i = 0;
    if (p->same) {
        size_t head = gf_line_head(dst, dtype == GF_U8 ? 1 : dtype == GF_F32 ? 4 : 2, n);
        limit_alike(dtype, p, src, dst, 0, head);
        limit_alike(dtype, p, src, dst, head, n - head);
        return;
    }
    for (; p->keeps && i + GF_PATTERN <= n; i += GF_PATTERN)
        limit_chunk(dtype, p, src, dst, i, GF_PATTERN, true);
    for (; !p->keeps && i + GF_PATTERN <= n; i += GF_PATTERN)
        limit_chunk(dtype, p, src, dst, i, GF_PATTERN, false);
    limit_chunk(dtype, p, src, dst, i, n - i, true);
}

/* One threshold for all samples, with streaming stores. */
static void limit_stream(const struct gf_cpu_limit *p, const gf_f32_any *from, gf_u32_any *to, size_t n)
{
    const gf_vf threshold = gf_vf_set(p->threshold.f32[0]);
    const gf_vi high = (gf_vi)gf_vf_set(p->high.f32[0]);
    size_t i = gf_stream_head(to, n);
    limit_alike_f32(p->threshold.f32[0], p->high.u32[0], from, to, i);
    for (; i + GF_LANES <= n; i += GF_LANES)
        gf_vf_stream((gf_f32_any *)to + i, (gf_vf)((*(const gf_vf_byte *)(from + i) >= threshold) & high));
    limit_alike_f32(p->threshold.f32[0], p->high.u32[0], from + i, to + i, n - i);
}

void GF_ISA_NAME(gf_simd_limit)(uint32_t dtype, const struct gf_cpu_limit *p, const void *src, void *dst, size_t n)
{
    if (dtype == GF_U8)
        limit(GF_U8, p, src, dst, n);
    else if (dtype == GF_U16)
        limit(GF_U16, p, src, dst, n);
    else if (dtype == GF_I16)
        limit(GF_I16, p, src, dst, n);
    else if (p->same && p->stream)
        limit_stream(p, src, dst, n);
    else
        limit(GF_F32, p, src, dst, n);
}

GF_ALWAYS void ramp_chunk(const struct gf_cpu_ramp *p, const gf_f32_any *restrict from, gf_u32_any *restrict to,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float v = from[i], changed = (v - p->lo[i]) * p->slope[i];
        to[i] = (stored_bits(changed) & ~p->keep[i]) | (stored_bits(v) & p->keep[i]);
    }
}

void GF_ISA_NAME(gf_simd_ramp)(const struct gf_cpu_ramp *line, const void *src, void *dst, size_t n)
{
    const gf_f32_any *from = src;
    gf_u32_any *to = dst;
    size_t i = 0;
    for (; i + GF_PATTERN <= n; i += GF_PATTERN)
        ramp_chunk(line, from + i, to + i, GF_PATTERN);
    ramp_chunk(line, from + i, to + i, n - i);
}

#if GF_LANES == 16
/* Looks up 64 samples. The table is 128 words of two entries: the upper seven bits of a sample select the word, the
 * lowest bit one of its bytes. */
GF_ALWAYS __m512i look_up_64(const __m512i words[4], __m512i v)
{
    const __m512i low_byte = _mm512_set1_epi16(0xFF);
    __m512i even = _mm512_and_si512(v, low_byte), odd = _mm512_srli_epi16(v, 8), found[2];
    for (int i = 0; i < 2; i++) {
        __m512i at = i == 0 ? even : odd, word = _mm512_srli_epi16(at, 1);
        __m512i lower = _mm512_permutex2var_epi16(words[0], word, words[1]);
        __m512i upper = _mm512_permutex2var_epi16(words[2], word, words[3]);
        __mmask32 is_upper = _mm512_test_epi16_mask(at, _mm512_set1_epi16(0x80));
        __m512i both = _mm512_mask_blend_epi16(is_upper, lower, upper);
        __mmask32 is_odd = _mm512_test_epi16_mask(at, _mm512_set1_epi16(1));
        found[i] = _mm512_mask_srli_epi16(both, is_odd, both, 8);
    }
    return _mm512_or_si512(_mm512_and_si512(found[0], low_byte), _mm512_slli_epi16(found[1], 8));
}
#endif

static void look_up_u8(const uint8_t *table, const gf_u8_any *restrict from, gf_u8_any *restrict to, size_t n)
{
    size_t i = 0;
#if GF_LANES == 16
    __m512i words[4];
    memcpy(words, table, sizeof(words));
    for (; i + 64 <= n; i += 64)
        _mm512_storeu_si512(to + i, look_up_64(words, _mm512_loadu_si512(from + i)));
#endif
    for (; i + 8 <= n; i += 8) {
        uint64_t v, found = 0;
        memcpy(&v, from + i, sizeof(v));
#pragma GCC unroll 8
        for (int k = 0; k < 64; k += 8)
            found |= (uint64_t)table[v >> k & 0xFF] << k;
        memcpy(to + i, &found, sizeof(found));
    }
    for (; i < n; i++)
        to[i] = table[from[i]];
}

GF_ALWAYS void look_up_channels(const uint8_t *const *tables, const gf_u8_any *restrict from, gf_u8_any *restrict to,
                                size_t n, uint32_t channels)
{
    for (size_t i = 0; i < n; i += channels)
        for (uint32_t c = 0; c < channels; c++)
            to[i + c] = tables[c][from[i + c]];
}

void GF_ISA_NAME(gf_simd_look_up)(const uint8_t *const *tables, uint32_t channels, const void *src, void *dst, size_t n)
{
    bool same = true;
    for (uint32_t c = 1; c < channels; c++)
        same = same && tables[c] == tables[0];
    if (same)
        look_up_u8(tables[0], src, dst, n);
    else if (channels == 2)
        look_up_channels(tables, src, dst, n, 2);
    else if (channels == 3)
        look_up_channels(tables, src, dst, n, 3);
    else
        look_up_channels(tables, src, dst, n, 4);
}

/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of pixels of three samples as one vector per channel, for the simd_*.c files of colours. A vector
 * consists of parts of 16 bytes. Each part belongs to its own run of pixels, 48 bytes from the next run, so that all
 * bytes move within their part.
 */
#ifndef GF_KERNELS_CPU_SIMD_PARTS_H
#define GF_KERNELS_CPU_SIMD_PARTS_H

#include "kernels/cpu/simd/simd_isa.h"

#if GF_LANES > 4
#define GF_PARTS (GF_LANES / 4u)
#if GF_LANES == 16
typedef __m512i gf_vb;
#define GF_VB(op) _mm512_##op
#else
typedef __m256i gf_vb;
#define GF_VB(op) _mm256_##op
#endif

/* Loads the first part from p and each further part `step` bytes after the previous one. */
GF_ALWAYS gf_vb gf_vb_load(const void *p, size_t step)
{
    const char *at = p;
    __m256i two =
        _mm256_set_m128i(_mm_loadu_si128((const __m128i_u *)(at + step)), _mm_loadu_si128((const __m128i_u *)at));
#if GF_LANES == 16
    __m256i next = _mm256_set_m128i(_mm_loadu_si128((const __m128i_u *)(at + 3 * step)),
                                    _mm_loadu_si128((const __m128i_u *)(at + 2 * step)));
    return _mm512_inserti64x4(_mm512_castsi256_si512(two), next, 1);
#else
    return two;
#endif
}

GF_ALWAYS void gf_store_part(void *p, __m128i v, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)p, v);
    else
        _mm_storeu_si128((__m128i_u *)p, v);
}

/* Stores parts in the same way. With `stream`, all addresses must be multiples of 16. */
GF_ALWAYS void gf_vb_store(void *p, size_t step, gf_vb v, bool stream)
{
    char *at = p;
#if GF_LANES == 16
    gf_store_part(at, _mm512_castsi512_si128(v), stream);
    gf_store_part(at + step, _mm512_extracti32x4_epi32(v, 1), stream);
    gf_store_part(at + 2 * step, _mm512_extracti32x4_epi32(v, 2), stream);
    gf_store_part(at + 3 * step, _mm512_extracti32x4_epi32(v, 3), stream);
#else
    gf_store_part(at, _mm256_castsi256_si128(v), stream);
    gf_store_part(at + step, _mm256_extracti128_si256(v, 1), stream);
#endif
}

/* The same 16 bytes in every part. */
GF_ALWAYS gf_vb gf_vb_parts(const uint8_t *bytes)
{
    __m128i part = _mm_loadu_si128((const __m128i_u *)bytes);
#if GF_LANES == 16
    return _mm512_broadcast_i32x4(part);
#else
    return _mm256_broadcastsi128_si256(part);
#endif
}

/* In every part, the 32-bit elements of b whose bit in `from_b` is set, and the remaining ones of a. */
#if GF_LANES == 16
#define gf_vb_blend(a, b, from_b) _mm512_mask_blend_epi32((__mmask16)((from_b)*0x1111u), a, b)
#define gf_vb_permute(v, order) (gf_vb) _mm512_permute_ps((__m512)(v), order)
#else
#define gf_vb_blend(a, b, from_b) _mm256_blend_epi32(a, b, (from_b)*0x11)
#define gf_vb_permute(v, order) (gf_vb) _mm256_permute_ps((__m256)(v), order)
#endif

/* From here on: pixels of three floats, as one vector per channel. */
#if GF_LANES == 16
GF_ALWAYS void gf_load_floats(const float *p, gf_vf *ret_v)
{
    for (int i = 0; i < 3; i++)
        ret_v[i] = gf_vf_load(p + 16 * i);
}

/* Indices of permutations of two vectors: 0..15 is an element of the first, 16..31 of the second. The third vector
 * joins in a second step. */
GF_ALWAYS void gf_split_floats(const gf_vf *v, gf_vf *ret_x)
{
    const __m512i first = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0),
                  last[3] = {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
                             _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
                             _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31)};
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        gf_vf two = _mm512_permutex2var_ps(v[0], _mm512_add_epi32(first, _mm512_set1_epi32(k)), v[1]);
        ret_x[k] = _mm512_permutex2var_ps(two, last[k], v[2]);
    }
}

/* The number of pixels from p, a multiple of 4, to the next address where pixels may be streamed. */
GF_ALWAYS size_t gf_floats_head(const void *p)
{
    return (uintptr_t)p / sizeof(float) * 5 % 16; /* 3 * 5 is -1 modulo the 16 floats of a cache line */
}

GF_ALWAYS void gf_store_floats(float *p, const gf_vf *x, bool stream)
{
    const __m512i two[3] = {_mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
                            _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
                            _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0)},
                  all[3] = {_mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15),
                            _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15),
                            _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31)};
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
        gf_vf v = _mm512_permutex2var_ps(_mm512_permutex2var_ps(x[0], two[k], x[1]), all[k], x[2]);
        if (stream)
            gf_vf_stream(p + 16 * k, v);
        else
            gf_vf_store(p + 16 * k, v);
    }
}
#else
/* Four pixels in each part: the first vector holds elements 0..3 of their 12, and so on. */
GF_ALWAYS void gf_load_floats(const float *p, gf_vf *ret_v)
{
    for (int i = 0; i < 3; i++)
        ret_v[i] = (gf_vf)gf_vb_load(p + 4 * i, 48);
}

GF_ALWAYS void gf_split_floats(const gf_vf *floats, gf_vf *ret_x)
{
    const gf_vb v[3] = {(gf_vb)floats[0], (gf_vb)floats[1], (gf_vb)floats[2]};
    gf_vb r = gf_vb_blend(gf_vb_blend(v[0], v[1], 0x4), v[2], 0x2); /* 0 3 2 1 */
    gf_vb g = gf_vb_blend(gf_vb_blend(v[1], v[0], 0x2), v[2], 0x4); /* 1 0 3 2 */
    gf_vb b = gf_vb_blend(gf_vb_blend(v[2], v[1], 0x2), v[0], 0x4); /* 2 1 0 3 */
    ret_x[0] = (gf_vf)gf_vb_permute(r, _MM_SHUFFLE(1, 2, 3, 0));
    ret_x[1] = (gf_vf)gf_vb_permute(g, _MM_SHUFFLE(2, 3, 0, 1));
    ret_x[2] = (gf_vf)gf_vb_permute(b, _MM_SHUFFLE(3, 0, 1, 2));
}

GF_ALWAYS size_t gf_floats_head(const void *p)
{
    (void)p;
    return 0;
}

GF_ALWAYS void gf_store_floats(float *p, const gf_vf *x, bool stream)
{
    gf_vb r = gf_vb_permute(x[0], _MM_SHUFFLE(1, 2, 3, 0));
    gf_vb g = gf_vb_permute(x[1], _MM_SHUFFLE(2, 3, 0, 1));
    gf_vb b = gf_vb_permute(x[2], _MM_SHUFFLE(3, 0, 1, 2));
    gf_vb_store(p, 48, gf_vb_blend(gf_vb_blend(r, g, 0x2), b, 0x4), stream);
    gf_vb_store(p + 4, 48, gf_vb_blend(gf_vb_blend(g, b, 0x2), r, 0x4), stream);
    gf_vb_store(p + 8, 48, gf_vb_blend(gf_vb_blend(b, r, 0x2), g, 0x4), stream);
}
#endif

/* From here on: 16 pixels of bytes in each part, four (a quad) at a time. */
#define GF_NO 0x80
#define GF_QUADS 4u

/* Widens one channel of four pixels, 12 bytes, to 32 bits. [1] is for the last quad, whose 12 bytes are the last of
 * 16. */
static const uint8_t gf_widening[2][3][16] = {
    {{0, GF_NO, GF_NO, GF_NO, 3, GF_NO, GF_NO, GF_NO, 6, GF_NO, GF_NO, GF_NO, 9, GF_NO, GF_NO, GF_NO},
     {1, GF_NO, GF_NO, GF_NO, 4, GF_NO, GF_NO, GF_NO, 7, GF_NO, GF_NO, GF_NO, 10, GF_NO, GF_NO, GF_NO},
     {2, GF_NO, GF_NO, GF_NO, 5, GF_NO, GF_NO, GF_NO, 8, GF_NO, GF_NO, GF_NO, 11, GF_NO, GF_NO, GF_NO}},
    {{4, GF_NO, GF_NO, GF_NO, 7, GF_NO, GF_NO, GF_NO, 10, GF_NO, GF_NO, GF_NO, 13, GF_NO, GF_NO, GF_NO},
     {5, GF_NO, GF_NO, GF_NO, 8, GF_NO, GF_NO, GF_NO, 11, GF_NO, GF_NO, GF_NO, 14, GF_NO, GF_NO, GF_NO},
     {6, GF_NO, GF_NO, GF_NO, 9, GF_NO, GF_NO, GF_NO, 12, GF_NO, GF_NO, GF_NO, 15, GF_NO, GF_NO, GF_NO}}};

/* Turns four bytes of each channel, channel by channel, into 12 bytes of pixels at offset 0, 12, 24 - 16 or 36 - 32,
 * wrapping round the end of the part. */
static const uint8_t gf_placing[GF_QUADS][16] = {{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, GF_NO, GF_NO, GF_NO, GF_NO},
                                                 {5, 9, 2, 6, 10, 3, 7, 11, GF_NO, GF_NO, GF_NO, GF_NO, 0, 4, 8, 1},
                                                 {10, 3, 7, 11, GF_NO, GF_NO, GF_NO, GF_NO, 0, 4, 8, 1, 5, 9, 2, 6},
                                                 {GF_NO, GF_NO, GF_NO, GF_NO, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}};

/* Loads the bytes of quad q of the pixels at p. q is a compile-time constant. */
GF_ALWAYS gf_vb gf_load_quad(const void *p, size_t q)
{
    return gf_vb_load((const char *)p + (q == 3 ? 32 : 12 * q), 48);
}

/* Packs 32-bit whole numbers, saturated, into the bytes of four pixels in each part, at the place of quad q. */
GF_ALWAYS gf_vb gf_place_quad(gf_vb r, gf_vb g, gf_vb b, size_t q)
{
    gf_vb words = GF_VB(packs_epi32)(r, g), more = GF_VB(packs_epi32)(b, b);
    return GF_VB(shuffle_epi8)(GF_VB(packus_epi16)(words, more), gf_vb_parts(gf_placing[q]));
}

GF_ALWAYS void gf_store_quads(void *p, const gf_vb *placed, bool stream)
{
    char *at = p;
    gf_vb_store(at, 48, gf_vb_blend(placed[0], placed[1], 0x8), stream);
    gf_vb_store(at + 16, 48, gf_vb_blend(placed[1], placed[2], 0xc), stream);
    gf_vb_store(at + 32, 48, gf_vb_blend(placed[2], placed[3], 0xe), stream);
}
#endif

#endif

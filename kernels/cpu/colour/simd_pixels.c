/* SPDX-License-Identifier: MIT */
/*
 * Converts pixels of three samples directly, without planes. Compiled once per instruction set; called by colour.c.
 */
#include "simd_colour.h"
#include "simd_formulas.h"
#include "simd_parts.h"

#if GF_LANES > 4
/* The formula; a compile-time constant wherever it is passed. */
enum formula { LINEAR, DENSE, TO_HSV, FROM_HSV };

GF_ALWAYS void compute(const struct gf_colour *k, const struct gf_vf_matrix *m, enum formula formula, bool whole,
                       size_t colours, const gf_vf *x, gf_vf *v)
{
    if (formula == TO_HSV)
        gf_vf_to_hsv(k, whole, x, v);
    else if (formula == FROM_HSV)
        gf_vf_from_hsv(k, x, v);
    else
        gf_vf_linear(m, 3, colours, formula == DENSE, x, v);
}

/* Prefetches 2048 bytes ahead: the hardware prefetcher stops at the end of a page. */
GF_ALWAYS void prefetch(const void *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64)
        _mm_prefetch((const char *)p + 2048 + at, _MM_HINT_T0);
}

#define BYTE_PIXELS (16u * GF_PARTS)
#define FLOAT_PIXELS (4u * GF_PARTS)

/* A byte is placed in the low bits of the float 2^23, which is then subtracted together with `before`, a whole number.
 * Packing saturates the sums. */
GF_ALWAYS size_t bytes_by(const struct gf_colour *k, enum formula formula, size_t colours, const uint8_t *src,
                          uint8_t *dst, size_t n, bool stream)
{
    const struct gf_vf_matrix m = gf_vf_matrix_of(k);
    const gf_vf place = gf_vf_set(8388608.0f),
                before[3] = {place + m.before[0], place + m.before[1], place + m.before[2]};
    size_t i = 0;
    for (; i + BYTE_PIXELS <= n; i += BYTE_PIXELS) {
        gf_vb whole[GF_QUADS][3], placed[GF_QUADS];
        prefetch(src + 3 * i, 3 * BYTE_PIXELS);
#pragma GCC unroll 4
        for (size_t q = 0; q < GF_QUADS; q++) {
            gf_vb in = gf_load_quad(src + 3 * i, q);
            gf_vf x[3], v[3];
#pragma GCC unroll 3
            for (size_t c = 0; c < 3; c++) {
                gf_vb wide = GF_VB(shuffle_epi8)(in, gf_vb_parts(gf_widening[q == 3][c]));
                x[c] = (gf_vf)((gf_vi)wide | (gf_vi)place) - before[c];
            }
            compute(k, &m, formula, true, colours, x, v);
#pragma GCC unroll 3
            for (size_t r = 0; r < colours; r++)
                whole[q][r] = GF_VB(cvtps_epi32)(v[r]);
            if (colours == 3)
                placed[q] = gf_place_quad(whole[q][0], whole[q][1], whole[q][2], q);
        }
        if (colours == 3)
            gf_store_quads(dst + 3 * i, placed, stream);
        else
            gf_vb_store(dst + i, 16,
                        GF_VB(packus_epi16)(GF_VB(packs_epi32)(whole[0][0], whole[1][0]),
                                            GF_VB(packs_epi32)(whole[2][0], whole[3][0])),
                        stream);
    }
    return i;
}

GF_ALWAYS gf_vf canonical(gf_vf v)
{
    return gf_vf_select(v == v, v, gf_vf_set(__builtin_nanf("")));
}

/* Computes one vector of pixels. */
GF_ALWAYS void make_floats(const struct gf_colour *k, const struct gf_vf_matrix *m, enum formula formula,
                           size_t colours, const gf_vf *loaded, float *to, bool stream)
{
    gf_vf x[3], v[3];
    gf_split_floats(loaded, x);
#pragma GCC unroll 3
    for (size_t c = 0; c < 3; c++)
        x[c] = formula == LINEAR || formula == DENSE ? x[c] - m->before[c] : x[c];
    compute(k, m, formula, false, colours, x, v);
#pragma GCC unroll 3
    for (size_t r = 0; r < colours; r++)
        v[r] = canonical(v[r]);
    if (colours == 1)
        gf_vb_store(to, 16, (gf_vb)v[0], stream);
    else
        gf_store_floats(to, v, stream);
}

/* Pixels before the first one that may be streamed are computed twice. The next pixels are loaded before results are
 * stored: otherwise a load would wait for a store to the same offset in another page, as in arrays that lie one after
 * the other. */
GF_ALWAYS size_t floats_by(const struct gf_colour *k, enum formula formula, size_t colours, const float *src,
                           float *dst, size_t n, bool stream)
{
    const struct gf_vf_matrix m = gf_vf_matrix_of(k);
    size_t i = stream && colours == 3 ? gf_floats_head(dst) : 0;
    gf_vf loaded[3], next[3];
    if (n < i + FLOAT_PIXELS)
        return 0;
    if (i > 0) {
        gf_load_floats(src, loaded);
        make_floats(k, &m, formula, colours, loaded, dst, false);
    }
    gf_load_floats(src + 3 * i, next);
    for (; i + FLOAT_PIXELS <= n; i += FLOAT_PIXELS) {
        prefetch(src + 3 * i, sizeof(float) * 3 * FLOAT_PIXELS);
        memcpy(loaded, next, sizeof(loaded));
        if (i + 2 * FLOAT_PIXELS <= n)
            gf_load_floats(src + 3 * (i + FLOAT_PIXELS), next);
        make_floats(k, &m, formula, colours, loaded, dst + colours * i, stream);
    }
    return i;
}

/* Uses a copy of the parameters, so that the compiler knows that no stored sample changes them. */
GF_ALWAYS size_t run_by(const struct gf_colour *shared, enum formula formula, size_t colours, const void *src,
                        void *dst, size_t n, bool stream)
{
    const struct gf_colour own = *shared, *k = &own;
    if (k->from == GF_U8)
        return stream ? bytes_by(k, formula, colours, src, dst, n, true)
                      : bytes_by(k, formula, colours, src, dst, n, false);
    return stream ? floats_by(k, formula, colours, src, dst, n, true)
                  : floats_by(k, formula, colours, src, dst, n, false);
}

static size_t linear(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream)
{
    const bool dense = gf_colour_is_dense(k);
    if (k->colours == 3)
        return dense ? run_by(k, DENSE, 3, src, dst, n, stream) : run_by(k, LINEAR, 3, src, dst, n, stream);
    return dense ? run_by(k, DENSE, 1, src, dst, n, stream) : run_by(k, LINEAR, 1, src, dst, n, stream);
}

/* Pairs of samples of a pixel as 16-bit words: red and green, blue and green; [1] is for the last quad. The products of
 * a pair are added up; green takes part in both pairs with half of its weight. */
static const uint8_t luma_pairs[2][2][16] = {
    {{0, GF_NO, 1, GF_NO, 3, GF_NO, 4, GF_NO, 6, GF_NO, 7, GF_NO, 9, GF_NO, 10, GF_NO},
     {2, GF_NO, 1, GF_NO, 5, GF_NO, 4, GF_NO, 8, GF_NO, 7, GF_NO, 11, GF_NO, 10, GF_NO}},
    {{4, GF_NO, 5, GF_NO, 7, GF_NO, 8, GF_NO, 10, GF_NO, 11, GF_NO, 13, GF_NO, 14, GF_NO},
     {6, GF_NO, 5, GF_NO, 9, GF_NO, 8, GF_NO, 12, GF_NO, 11, GF_NO, 15, GF_NO, 14, GF_NO}}};

static size_t luma(const struct gf_colour *k, const uint8_t *src, uint8_t *dst, size_t n, bool stream)
{
    const uint32_t green = k->weights[1] / 2;
    const gf_vb first = GF_VB(set1_epi32)((int)(k->weights[0] | green << 16)), half = GF_VB(set1_epi32)(32768);
    const gf_vb second = GF_VB(set1_epi32)((int)(k->weights[2] | (k->weights[1] - green) << 16));
    size_t i = 0;
    for (; i + BYTE_PIXELS <= n; i += BYTE_PIXELS) {
        gf_vb sum[GF_QUADS];
        prefetch(src + 3 * i, 3 * BYTE_PIXELS);
#pragma GCC unroll 4
        for (size_t q = 0; q < GF_QUADS; q++) {
            gf_vb in = gf_load_quad(src + 3 * i, q);
            gf_vb a = GF_VB(madd_epi16)(GF_VB(shuffle_epi8)(in, gf_vb_parts(luma_pairs[q == 3][0])), first);
            gf_vb b = GF_VB(madd_epi16)(GF_VB(shuffle_epi8)(in, gf_vb_parts(luma_pairs[q == 3][1])), second);
            sum[q] = GF_VB(srli_epi32)(GF_VB(add_epi32)(GF_VB(add_epi32)(a, b), half), 16);
        }
        gf_vb low = GF_VB(packs_epi32)(sum[0], sum[1]), high = GF_VB(packs_epi32)(sum[2], sum[3]);
        gf_vb_store(dst + i, 16, GF_VB(packus_epi16)(low, high), stream);
    }
    return i;
}

size_t GF_ISA_NAME(gf_simd_pixels)(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream)
{
    const bool past = stream && (uintptr_t)dst % 16 == 0;
    if (k->kind == GF_COLOUR_LUMA)
        return luma(k, src, dst, n, past);
    if (k->kind == GF_COLOUR_TO_HSV)
        return run_by(k, TO_HSV, 3, src, dst, n, past);
    if (k->kind == GF_COLOUR_FROM_HSV)
        return run_by(k, FROM_HSV, 3, src, dst, n, past);
    return linear(k, src, dst, n, past);
}
#else
size_t GF_ISA_NAME(gf_simd_pixels)(const struct gf_colour *k, const void *src, void *dst, size_t n, bool stream)
{
    (void)k, (void)src, (void)dst, (void)n, (void)stream;
    return 0;
}
#endif

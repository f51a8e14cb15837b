/* SPDX-License-Identifier: MIT */
/* Splits pixels into planes and joins planes. Compiled once per instruction set; called by colour.c and yuv420.c. */
#include "simd_colour.h"
#include "simd_parts.h"

#if GF_LANES > 4
/* Two groups of pixels are processed at a time, one in each half of a vector; a group is 16 bytes per channel. */
#define GROUPS 2u

GF_ALWAYS __m256i make_stored(__m256i made, bool floats)
{
    __m256 v = _mm256_castsi256_ps(made), nan = _mm256_set1_ps(__builtin_nanf(""));
    return floats ? _mm256_castps_si256(_mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q))) : made;
}

/* Stores one vector of each of two groups, `step` bytes apart. */
GF_ALWAYS void store_groups(__m256i made, unsigned char *to, size_t step, bool stream)
{
    gf_store_part(to, _mm256_castsi256_si128(made), stream);
    gf_store_part(to + step, _mm256_extracti128_si256(made, 1), stream);
}

/* Stores three vectors of each of two groups, one group after the other. With `stream`, `to` must be a multiple of
 * 16. */
GF_ALWAYS void store_threes(const __m256i *made, unsigned char *to, bool stream)
{
    if (stream) {
        for (size_t i = 0; i < 3; i++)
            store_groups(made[i], to + 16 * i, 48, true);
        return;
    }
    _mm256_storeu_si256((__m256i_u *)to, _mm256_permute2x128_si256(made[0], made[1], 0x20));
    _mm256_storeu_si256((__m256i_u *)(to + 32), _mm256_permute2x128_si256(made[2], made[0], 0x30));
    _mm256_storeu_si256((__m256i_u *)(to + 64), _mm256_permute2x128_si256(made[1], made[2], 0x31));
}

/* Processes pixels in whole vectors and returns how many. Vector j of the first group is at from[j], and groups are
 * from_step bytes apart; output vector i goes to to[i], and groups are to_step bytes apart. The numbers of vectors per
 * group are compile-time constants. */
GF_ALWAYS size_t shuffle_vectors(const struct gf_cpu_shuffle *s, size_t n_from, size_t n_to,
                                 const unsigned char *const *from, size_t from_step, unsigned char *const *to,
                                 size_t to_step, size_t n, bool stream)
{
    const size_t per = GROUPS * 16 / s->size;
    const bool floats = s->floats;
    __m256i mask[GF_MAX_CHANNELS][GF_MAX_CHANNELS], in[GF_MAX_CHANNELS];
    size_t done = 0, at = 0, put = 0;
    for (size_t i = 0; i < n_to; i++)
        for (size_t j = 0; j < n_from; j++)
            mask[i][j] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)s->mask[i][j]));
    for (; done + per <= n; done += per, at += GROUPS * from_step, put += GROUPS * to_step) {
        for (size_t j = 0; j < n_from; j++)
            in[j] = _mm256_set_m128i(_mm_loadu_si128((const __m128i_u *)(from[j] + at + from_step)),
                                     _mm_loadu_si128((const __m128i_u *)(from[j] + at)));
        for (size_t i = 0; i < n_to; i++) {
            __m256i made = _mm256_shuffle_epi8(in[0], mask[i][0]);
            for (size_t j = 1; j < n_from; j++)
                made = _mm256_or_si256(made, _mm256_shuffle_epi8(in[j], mask[i][j]));
            store_groups(make_stored(made, floats), to[i] + put, to_step, stream);
        }
    }
    return done;
}

/* The same for s->apart: each input vector is shuffled once, and the outputs, which are pixels, blend the three. The
 * pointers are copied, so that the compiler knows that no stored sample changes them. */
GF_ALWAYS size_t shuffle_three(const struct gf_cpu_shuffle *s, const unsigned char *const *planes, size_t from_step,
                               unsigned char *to, size_t n, bool floats, bool stream)
{
    const size_t per = GROUPS * 16 / s->size;
    const unsigned char *const from[3] = {planes[0], planes[1], planes[2]};
    __m256i order[3], second[3], third[3];
    size_t done = 0, at = 0;
    for (size_t j = 0; j < 3; j++) {
        __m128i all = _mm_set1_epi8((char)0x80), chosen[3];
        for (size_t i = 0; i < 3; i++) {
            __m128i mask = _mm_loadu_si128((const __m128i_u *)s->mask[i][j]);
            chosen[i] = _mm_cmpgt_epi8(mask, _mm_set1_epi8(-1));
            all = _mm_max_epi8(all, mask);
        }
        order[j] = _mm256_broadcastsi128_si256(all);
        for (size_t i = 0; i < 3 && j > 0; i++)
            (j == 1 ? second : third)[i] = _mm256_broadcastsi128_si256(chosen[i]);
    }
    for (; done + per <= n; done += per, at += GROUPS * from_step, to += GROUPS * 48) {
        __m256i in[3], made[3];
#pragma GCC unroll 3
        for (size_t j = 0; j < 3; j++) /* the hardware prefetcher stops at the end of a page */
            _mm_prefetch((const char *)from[j] + at + 1024, _MM_HINT_T0);
#pragma GCC unroll 3
        for (size_t j = 0; j < 3; j++)
            in[j] = _mm256_shuffle_epi8(_mm256_set_m128i(_mm_loadu_si128((const __m128i_u *)(from[j] + at + from_step)),
                                                         _mm_loadu_si128((const __m128i_u *)(from[j] + at))),
                                        order[j]);
#pragma GCC unroll 3
        for (size_t i = 0; i < 3; i++)
            made[i] =
                make_stored(_mm256_blendv_epi8(_mm256_blendv_epi8(in[0], in[1], second[i]), in[2], third[i]), floats);
        store_threes(made, to, stream);
    }
    return done;
}

static size_t shuffle_apart(const struct gf_cpu_shuffle *s, const unsigned char *const *from, size_t from_step,
                            unsigned char *to, size_t n, bool stream)
{
    if (s->floats)
        return stream ? shuffle_three(s, from, from_step, to, n, true, true)
                      : shuffle_three(s, from, from_step, to, n, true, false);
    return stream ? shuffle_three(s, from, from_step, to, n, false, true)
                  : shuffle_three(s, from, from_step, to, n, false, false);
}

GF_ALWAYS size_t shuffle_from(const struct gf_cpu_shuffle *s, size_t n_from, const unsigned char *const *from,
                              size_t from_step, unsigned char *const *to, size_t to_step, size_t n, bool stream)
{
    if (s->n_to == 1)
        return shuffle_vectors(s, n_from, 1, from, from_step, to, to_step, n, stream);
    if (s->n_to == 2)
        return shuffle_vectors(s, n_from, 2, from, from_step, to, to_step, n, stream);
    if (s->n_to == 3)
        return shuffle_vectors(s, n_from, 3, from, from_step, to, to_step, n, stream);
    return shuffle_vectors(s, n_from, 4, from, from_step, to, to_step, n, stream);
}

static size_t shuffle(const struct gf_cpu_shuffle *s, const unsigned char *const *from, size_t from_step,
                      unsigned char *const *to, size_t to_step, size_t n, bool stream)
{
    if (s->apart)
        return shuffle_apart(s, from, from_step, to[0], n, stream);
    if (s->n_from == 1)
        return shuffle_from(s, 1, from, from_step, to, to_step, n, stream);
    if (s->n_from == 2)
        return shuffle_from(s, 2, from, from_step, to, to_step, n, stream);
    if (s->n_from == 3)
        return shuffle_from(s, 3, from, from_step, to, to_step, n, stream);
    return shuffle_from(s, 4, from, from_step, to, to_step, n, stream);
}
#else
static size_t shuffle(const struct gf_cpu_shuffle *s, const unsigned char *const *from, size_t from_step,
                      unsigned char *const *to, size_t to_step, size_t n, bool stream)
{
    (void)s, (void)from, (void)from_step, (void)to, (void)to_step, (void)n, (void)stream;
    return 0;
}
#endif

/* The size is a compile-time constant. */
GF_ALWAYS void move_samples(size_t size, const unsigned char *restrict from, size_t from_step,
                            unsigned char *restrict to, size_t to_step, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * to_step * size, from + i * from_step * size, size);
}

static void move(size_t size, const unsigned char *from, size_t from_step, unsigned char *to, size_t to_step, size_t n)
{
    if (size == 1)
        move_samples(1, from, from_step, to, to_step, n);
    else if (size == 2)
        move_samples(2, from, from_step, to, to_step, n);
    else
        move_samples(4, from, from_step, to, to_step, n);
}

static void make_canonical(gf_f32_any *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] == v[i] ? v[i] : __builtin_nanf("");
}

/* shuffle() processes whole vectors; the remaining pixels are moved sample by sample. */
void GF_ISA_NAME(gf_simd_split)(const struct gf_cpu_shuffle *s, const void *src, void *const *planes, size_t n)
{
    const unsigned char *from[GF_MAX_CHANNELS], *pixels = src;
    unsigned char *to[GF_MAX_CHANNELS];
    for (size_t c = 0; c < s->n_from; c++) {
        from[c] = pixels + 16 * c;
        to[c] = planes[c];
    }
    size_t done = shuffle(s, from, 16 * s->n_from, to, 16, n, false);
    for (size_t c = 0; c < s->n_from; c++)
        move(s->size, pixels + (done * s->n_from + c) * s->size, s->n_from, to[c] + done * s->size, 1, n - done);
}

void GF_ISA_NAME(gf_simd_join)(const struct gf_cpu_shuffle *s, const void *const *planes, void *dst, size_t n,
                               bool stream)
{
    const unsigned char *from[GF_MAX_CHANNELS];
    unsigned char *to[GF_MAX_CHANNELS], *pixels = dst;
    for (size_t c = 0; c < s->n_to; c++) {
        from[c] = planes[c];
        to[c] = pixels + 16 * c;
    }
    size_t done = shuffle(s, from, 16, to, 16 * s->n_to, n, stream && (uintptr_t)dst % 16 == 0);
    for (size_t c = 0; c < s->n_to; c++)
        move(s->size, from[c] + done * s->size, 1, pixels + (done * s->n_to + c) * s->size, s->n_to, n - done);
    if (s->floats)
        make_canonical((gf_f32_any *)dst + done * s->n_to, (n - done) * s->n_to);
}

size_t GF_ISA_NAME(gf_simd_pick)(const struct gf_cpu_shuffle *s, const void *src, void *dst, size_t n, bool stream)
{
    const unsigned char *from[GF_MAX_CHANNELS], *read = src;
    unsigned char *to[GF_MAX_CHANNELS], *made = dst;
    for (size_t j = 0; j < s->n_from; j++)
        from[j] = read + 16 * j;
    for (size_t i = 0; i < s->n_to; i++)
        to[i] = made + 16 * i;
    return shuffle(s, from, 16 * s->n_from, to, 16 * s->n_to, n, stream && (uintptr_t)dst % 16 == 0);
}

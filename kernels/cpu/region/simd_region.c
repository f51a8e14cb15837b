/* SPDX-License-Identifier: MIT */
/*
 * Rows as bits, their runs, and rows of numbers. Compiled once per instruction set; label.c calls it through
 * gf_simd_region.
 */
#include "simd_region.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"
#include "simd_flags.h"

#define BLOCK GF_FLAGS /* samples per word */

typedef gf_vi gf_vi_any __attribute__((aligned(1), may_alias));

/* The number of runs that begin in a word. `before` is the last bit of the previous word and becomes the last bit of
 * this one. */
GF_ALWAYS size_t begins(uint64_t word, uint64_t *before)
{
    uint64_t starts = word & ~(word << 1 | *before);
    *before = word >> 63;
    return (size_t)__builtin_popcountll(starts);
}

/* The mask removes the sign of floats, so that -0 is 0. The compiler vectorises the inner loop. */
#define BITS_OF(name, any, mask)                                                                                       \
    static size_t name(const void *src, size_t n, uint64_t *words)                                                     \
    {                                                                                                                  \
        const any *x = src;                                                                                            \
        uint8_t flags[BLOCK];                                                                                          \
        size_t i = 0, n_runs = 0;                                                                                      \
        uint64_t before = 0;                                                                                           \
        for (; i + BLOCK <= n; i += BLOCK) {                                                                           \
            for (size_t k = 0; k < BLOCK; k++)                                                                         \
                flags[k] = (x[i + k] & (mask)) != 0;                                                                   \
            *words = gf_flags_pack(flags);                                                                             \
            n_runs += begins(*words++, &before);                                                                       \
        }                                                                                                              \
        memset(flags, 0, sizeof(flags));                                                                               \
        for (size_t k = 0; i + k < n; k++)                                                                             \
            flags[k] = (x[i + k] & (mask)) != 0;                                                                       \
        *words = gf_flags_pack(flags);                                                                                 \
        return n_runs + begins(*words, &before);                                                                       \
    }

BITS_OF(bits_8, gf_u8_any, 0xFFu)
BITS_OF(bits_16, gf_u16_any, 0xFFFFu)
BITS_OF(bits_f16, gf_u16_any, 0x7FFFu)
BITS_OF(bits_f32, gf_u32_any, 0x7FFFFFFFu)

static size_t bits(uint32_t dtype, const void *src, size_t n, uint64_t *words)
{
    if (dtype == GF_U8)
        return bits_8(src, n, words);
    if (dtype == GF_F16)
        return bits_f16(src, n, words);
    return dtype == GF_F32 ? bits_f32(src, n, words) : bits_16(src, n, words);
}

static size_t find_edges(const uint64_t *words, size_t n_words, uint16_t *edges)
{
    size_t k = 0;
    uint64_t before = 0;
    for (size_t w = 0; w < n_words; w++) {
        uint64_t changed = words[w] ^ (words[w] << 1 | before);
        before = words[w] >> 63;
        for (; changed != 0; changed &= changed - 1)
            edges[k++] = (uint16_t)(w * BLOCK + (unsigned)__builtin_ctzll(changed));
    }
    return k / 2;
}

/* Vectors may write beyond `to`, where the next run is stored later, but not beyond the row. */
GF_ALWAYS void fill(gf_u32_any *row, size_t from, size_t to, size_t n, uint32_t number)
{
    const gf_vi v = (int32_t)number - (gf_vi){0};
    for (; from < to && from + GF_LANES <= n; from += GF_LANES)
        *(gf_vi_any *)(void *)(row + from) = v;
    for (; from < to; from++)
        row[from] = number;
}

static void paint(const uint16_t *edges, size_t n_runs, const uint32_t *runs, const uint32_t *numbers, void *row,
                  size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n_runs; i++) {
        fill(row, at, edges[2 * i], n, 0);
        fill(row, edges[2 * i], edges[2 * i + 1], n, numbers[runs[i]]);
        at = edges[2 * i + 1];
    }
    fill(row, at, n, n, 0);
}

extern const struct gf_simd_region GF_ISA_NAME(gf_simd_region);
const struct gf_simd_region GF_ISA_NAME(gf_simd_region) = {.bits = bits, .edges = find_edges, .paint = paint};

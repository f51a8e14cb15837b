/* SPDX-License-Identifier: MIT */
/* The inner loops of pyramid; see simd_pyramid.h. Compiled once per instruction set. */
#include "simd_pyramid.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"

/* A vector of sums, and a vector of as many samples. */
typedef uint16_t sums_u16 __attribute__((vector_size(GF_LANES * 4)));
typedef uint32_t sums_u32 __attribute__((vector_size(GF_LANES * 4)));
typedef uint8_t samples_u8 __attribute__((vector_size(GF_LANES * 2)));
typedef uint16_t samples_u16 __attribute__((vector_size(GF_LANES * 2)));
typedef int16_t samples_i16 __attribute__((vector_size(GF_LANES * 2)));

/* Which lanes of two vectors form a result: their even or odd pixels, vector after vector; or the first or second half
 * of the pixels of both, alternating. */
enum lanes { EVEN, ODD, FIRST, SECOND };

/* The source of lane k, as an index into both vectors. Lanes after the last whole pixel are unspecified. */
GF_ALWAYS size_t lane_of(size_t k, size_t lanes, size_t channels, enum lanes which)
{
    size_t i = which == SECOND ? k + lanes : k, pixel = i / channels, channel = i % channels;
    if (which == FIRST || which == SECOND)
        return (pixel % 2 * lanes + pixel / 2 * channels + channel) % (2 * lanes);
    return ((2 * pixel + (which == ODD)) * channels + channel) % (2 * lanes);
}

/* Weighted sums of whole numbers, and their rounding. 32-bit sums are unsigned, because lanes after a line's last sum
 * are unspecified and their overflow must be defined; they are shifted as signed numbers. */
#define WHOLE_FIVE(a, b, c, d, e) ((a) + (e) + ((b) + (c) + (d)) * 4 + (c) + (c))
#define WHOLE_THREE(a, b, c) ((a) + (c) + (b)*4 + (b) + (b))
#define WHOLE_TWO(a, b) (((a) + (b)) * 4)
#define DOWN_U16(v) (((v) + 128) >> 8)
#define UP_U16(v) (((v) + 32) >> 6)
#define DOWN_I32(v) ((sums_u32)((gf_vi)((v) + 128) >> 8))
#define UP_I32(v) ((sums_u32)((gf_vi)((v) + 32) >> 6))
#define LOAD_32(v) ((sums_u32) __builtin_convertvector(v, gf_vi))

static inline gf_vf five(gf_vf a, gf_vf b, gf_vf c, gf_vf d, gf_vf e)
{
    gf_vf acc = gf_vf_fma(a, gf_vf_set(1 / 16.0f), gf_vf_set(0.0f));
    acc = gf_vf_fma(b, gf_vf_set(1 / 4.0f), acc);
    acc = gf_vf_fma(c, gf_vf_set(3 / 8.0f), acc);
    acc = gf_vf_fma(d, gf_vf_set(1 / 4.0f), acc);
    return gf_vf_fma(e, gf_vf_set(1 / 16.0f), acc);
}

static inline gf_vf three(gf_vf a, gf_vf b, gf_vf c)
{
    gf_vf acc = gf_vf_fma(a, gf_vf_set(1 / 8.0f), gf_vf_set(0.0f));
    acc = gf_vf_fma(b, gf_vf_set(3 / 4.0f), acc);
    return gf_vf_fma(c, gf_vf_set(1 / 8.0f), acc);
}

static inline gf_vf two(gf_vf a, gf_vf b)
{
    return gf_vf_fma(b, gf_vf_set(0.5f), gf_vf_fma(a, gf_vf_set(0.5f), gf_vf_set(0.0f)));
}

/* The stored value of a sum: both zeros become +0, every NaN the one that is stored. */
static inline gf_vf finished(gf_vf v)
{
    const gf_vi nan = (gf_vi){0} + 0x7FC00000;
    v = v + gf_vf_set(0.0f);
    return gf_vf_select(v == v, v, (gf_vf)nan);
}

/* clang-format off */
#define TYPE uint8_t
#define SUM uint16_t
#define SAMPLES samples_u8
#define SUMS sums_u16
#define INDEX uint16_t
#define INDEXES sums_u16
#define NAME(what) u8_##what
#define LOAD(v) __builtin_convertvector(v, sums_u16)
#define STORE(v) __builtin_convertvector(v, samples_u8)
#define FIVE WHOLE_FIVE
#define THREE WHOLE_THREE
#define TWO WHOLE_TWO
#define DOWN_END DOWN_U16
#define UP_END UP_U16
#include "simd_pyramid.def"
#define TYPE uint16_t
#define SUM uint32_t
#define SAMPLES samples_u16
#define SUMS sums_u32
#define INDEX int32_t
#define INDEXES gf_vi
#define NAME(what) u16_##what
#define LOAD LOAD_32
#define STORE(v) __builtin_convertvector(v, samples_u16)
#define FIVE WHOLE_FIVE
#define THREE WHOLE_THREE
#define TWO WHOLE_TWO
#define DOWN_END DOWN_I32
#define UP_END UP_I32
#include "simd_pyramid.def"
#define TYPE int16_t
#define SUM uint32_t
#define SAMPLES samples_i16
#define SUMS sums_u32
#define INDEX int32_t
#define INDEXES gf_vi
#define NAME(what) i16_##what
#define LOAD LOAD_32
#define STORE(v) __builtin_convertvector((gf_vi)(v), samples_i16)
#define FIVE WHOLE_FIVE
#define THREE WHOLE_THREE
#define TWO WHOLE_TWO
#define DOWN_END DOWN_I32
#define UP_END UP_I32
#include "simd_pyramid.def"
#define TYPE float
#define SUM float
#define SAMPLES gf_vf
#define SUMS gf_vf
#define INDEX int32_t
#define INDEXES gf_vi
#define NAME(what) f32_##what
#define LOAD(v) (v)
#define STORE(v) (v)
#define FIVE five
#define THREE three
#define TWO two
#define DOWN_END finished
#define UP_END finished
#include "simd_pyramid.def"
/* clang-format on */

/* Calls a loop with its number of channels as a compile-time constant. */
#define WITH_CHANNELS(loop, channels, ...)                                                                             \
    do {                                                                                                               \
        if ((channels) == 1)                                                                                           \
            loop(1, __VA_ARGS__);                                                                                      \
        else if ((channels) == 2)                                                                                      \
            loop(2, __VA_ARGS__);                                                                                      \
        else if ((channels) == 3)                                                                                      \
            loop(3, __VA_ARGS__);                                                                                      \
        else                                                                                                           \
            loop(4, __VA_ARGS__);                                                                                      \
    } while (0)

static void down_columns(uint32_t dtype, uint32_t channels, const void *const rows[5], size_t n, void *even, void *odd)
{
    const size_t samples = n * channels;
    if (dtype == GF_U8)
        WITH_CHANNELS(u8_down_columns, channels, rows, samples, even, odd);
    else if (dtype == GF_U16)
        WITH_CHANNELS(u16_down_columns, channels, rows, samples, even, odd);
    else if (dtype == GF_I16)
        WITH_CHANNELS(i16_down_columns, channels, rows, samples, even, odd);
    else
        WITH_CHANNELS(f32_down_columns, channels, rows, samples, even, odd);
}

static void down_row(uint32_t dtype, uint32_t channels, const void *even, const void *odd, size_t n, void *to)
{
    const size_t samples = n * channels;
    if (dtype == GF_U8)
        u8_down_row(channels, even, odd, samples, to);
    else if (dtype == GF_U16)
        u16_down_row(channels, even, odd, samples, to);
    else if (dtype == GF_I16)
        i16_down_row(channels, even, odd, samples, to);
    else
        f32_down_row(channels, even, odd, samples, to);
}

static void up_columns(uint32_t dtype, const void *const rows[3], size_t n, void *line)
{
    if (dtype == GF_U8)
        u8_up_columns(rows, n, line);
    else if (dtype == GF_U16)
        u16_up_columns(rows, n, line);
    else if (dtype == GF_I16)
        i16_up_columns(rows, n, line);
    else
        f32_up_columns(rows, n, line);
}

static void up_row(uint32_t dtype, uint32_t channels, const void *line, size_t n, void *to)
{
    const size_t samples = 2 * n * channels;
    if (dtype == GF_U8)
        WITH_CHANNELS(u8_up_row, channels, line, samples, to);
    else if (dtype == GF_U16)
        WITH_CHANNELS(u16_up_row, channels, line, samples, to);
    else if (dtype == GF_I16)
        WITH_CHANNELS(i16_up_row, channels, line, samples, to);
    else
        WITH_CHANNELS(f32_up_row, channels, line, samples, to);
}

extern const struct gf_simd_pyramid GF_ISA_NAME(gf_simd_pyramid);
const struct gf_simd_pyramid GF_ISA_NAME(gf_simd_pyramid) = {
    .down_columns = down_columns,
    .down_row = down_row,
    .up_columns = up_columns,
    .up_row = up_row,
};

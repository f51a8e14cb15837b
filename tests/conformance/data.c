/* SPDX-License-Identifier: MIT */
/* Samples that reveal faults which benign data would hide. Called by the runner through case.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "case.h"
#include "protocol/base/half.h"

/* Where a sample stands, and what its type holds. */
struct place {
    struct gf_prng *prng;
    uint32_t dtype;
    double max; /* 255, 65535, or 1 for floats */
    uint64_t x, y;
    uint64_t index, count; /* in its channel, row after row */
    uint64_t limit;        /* see gf_data_fill */
    bool alpha;
};

/* One sample as a number, before it is narrowed: u8, u16 and floats. */
typedef double real_fn(const struct place *at);
/* One sample as the low bits of a whole number: the other types. */
typedef uint64_t whole_fn(const struct place *at);

static bool is_float(const struct place *at)
{
    return gf_dtype_kind(at->dtype) == GF_KIND_FLOAT;
}

static bool is_signed(const struct place *at)
{
    return gf_dtype_kind(at->dtype) == GF_KIND_SINT;
}

static double pick(struct gf_prng *prng, const double *values, uint32_t n)
{
    return values[gf_prng_below(prng, n)];
}

/* In [0, 1), with all bits that the type has. */
static double unit(const struct place *at)
{
    if (at->dtype == GF_F64)
        return (double)(gf_prng_next(at->prng) >> 11) * 0x1p-53;
    return (double)gf_prng_unit(at->prng);
}

static uint64_t greatest(const struct place *at)
{
    return (UINT64_MAX >> (64 - 8 * gf_dtype_size(at->dtype))) >> (is_signed(at) ? 1 : 0);
}

/* Anything from 0 to max; whole numbers of the other types have the whole range. */
static double random_real(const struct place *at)
{
    return is_float(at) ? unit(at) : (double)gf_prng_range(at->prng, 0, (int64_t)at->max);
}

static uint64_t random_whole(const struct place *at)
{
    return gf_prng_next(at->prng);
}

/* In -1..1, floats; else the whole range. */
static double signed_real(const struct place *at)
{
    return is_float(at) ? unit(at) * 2.0 - 1.0 : random_real(at);
}

/* Both ends and their neighbours. */
static double extreme_real(const struct place *at)
{
    const double values[] = {0, at->max, 1, at->max - 1};
    return pick(at->prng, values, 4);
}

static uint64_t extreme_whole(const struct place *at)
{
    uint64_t max = greatest(at), min = is_signed(at) ? ~max : 0;
    const uint64_t values[] = {min, max, min + 1, max - 1, 0, 1, UINT64_MAX};
    return values[gf_prng_below(at->prng, GF_ARRAY_LEN(values))];
}

/* The greatest value everywhere. */
static double full_real(const struct place *at)
{
    return at->max;
}

static uint64_t full_whole(const struct place *at)
{
    return greatest(at);
}

/* Every position its own value, so that a shift shows. */
static double ramp_real(const struct place *at)
{
    return fmod((double)(at->x * 7 + at->y * 31), at->max + 1);
}

static uint64_t ramp_whole(const struct place *at)
{
    return at->x * 7 + at->y * 31;
}

/* Small whole numbers (floats: halves), which scales of 1/2 and 1/4 put on ties. */
static double tie_real(const struct place *at)
{
    return (double)gf_prng_below(at->prng, 12) * (is_float(at) ? 0.5 : 1.0);
}

/* Whole numbers -6..5, or 0..11 without sign. */
static double small_real(const struct place *at)
{
    return (double)gf_prng_below(at->prng, 12) - (is_float(at) ? 6.0 : 0.0);
}

static uint64_t small_whole(const struct place *at)
{
    return gf_prng_below(at->prng, 12) - (is_signed(at) ? 6u : 0u);
}

/* Any finite float; whole numbers of any length. */
static double bits_real(const struct place *at)
{
    double value;
    if (at->dtype == GF_F32)
        return (double)gf_prng_float_bits(at->prng);
    if (at->dtype == GF_F16)
        return (double)gf_half_to_f32((uint16_t)(gf_prng_below(at->prng, 0x7C00) | gf_prng_below(at->prng, 2) << 15));
    if (at->dtype != GF_F64)
        return random_real(at);
    do {
        uint64_t bits = gf_prng_next(at->prng);
        memcpy(&value, &bits, sizeof(value));
    } while (!isfinite(value));
    return value;
}

static uint64_t bits_whole(const struct place *at)
{
    uint32_t shift = gf_prng_below(at->prng, 64);
    uint64_t value = gf_prng_next(at->prng) >> shift;
    return is_signed(at) && gf_prng_below(at->prng, 2) == 0 ? ~value : value;
}

static double greatest_float(const struct place *at)
{
    return at->dtype == GF_F64 ? DBL_MAX : at->dtype == GF_F16 ? 65504.0 : (double)FLT_MAX;
}

/* The upper half of the floats; the sum of two overflows. */
static double huge_real(const struct place *at)
{
    return is_float(at) ? (0.5 + 0.5 * unit(at)) * greatest_float(at) : full_real(at);
}

/* Infinities, NaN, zeros of both signs, denormals, the greatest floats, among ordinary numbers. */
static double special_real(const struct place *at)
{
    bool wide = at->dtype == GF_F64, narrow = at->dtype == GF_F16;
    double huge = greatest_float(at);
    double least = wide ? 0x1p-1074 : narrow ? 0x1p-24 : 0x1p-149;
    const double values[] = {INFINITY, -INFINITY, (double)NAN, 0.0, -0.0, least, -least * 512.0, huge, -huge, 0.5};
    if (!is_float(at))
        return extreme_real(at);
    if (gf_prng_below(at->prng, 3) != 0)
        return unit(at) - 0.25;
    return pick(at->prng, values, GF_ARRAY_LEN(values));
}

/* NaN among whole numbers. */
static double nan_real(const struct place *at)
{
    return is_float(at) && gf_prng_below(at->prng, 5) == 0 ? (double)NAN : small_real(at);
}

/* Denormals and what becomes one. */
static double tiny_real(const struct place *at)
{
    if (!is_float(at))
        return tie_real(at);
    return (unit(at) - 0.5) * (at->dtype == GF_F64 ? 0x1p-1021 : at->dtype == GF_F16 ? 0x1p-13 : 0x1p-125);
}

/* Alpha mostly 0, 1 and max (floats: also outside 0..1), colours random. */
static double alpha_real(const struct place *at)
{
    const double values[] = {0, 0, 0, 1, at->max, at->max, at->max - 1, at->max / 2};
    const double floats[] = {0, 0, -0.0, 1, 1, 0.5, 1.5, -0.25, 0x1p-149, 0x1p-30};
    if (!at->alpha)
        return random_real(at);
    return is_float(at) ? pick(at->prng, floats, GF_ARRAY_LEN(floats))
                        : floor(pick(at->prng, values, GF_ARRAY_LEN(values)));
}

/* Any bits; every second float is a NaN of either sign, quiet or signalling, with something to carry. */
static uint64_t payload_whole(const struct place *at)
{
    uint64_t bits = gf_prng_next(at->prng), exponent = at->dtype == GF_F32   ? 0x7F800001u
                                                       : at->dtype == GF_F16 ? 0x7C01u
                                                                             : 0x7FF0000000000001u;
    return is_float(at) && gf_prng_below(at->prng, 2) == 0 ? bits | exponent : bits;
}

/* All the same; 0.1 has no exact sums. */
static double equal_real(const struct place *at)
{
    return is_float(at) ? 0.1 : 77.0;
}

static uint64_t equal_whole(const struct place *at)
{
    (void)at;
    return 77;
}

/* Far from zero with a small spread, which a variance by squares loses. */
static double offset_real(const struct place *at)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 3 && is_float(at); i++)
        sum += unit(at);
    if (is_float(at))
        return (at->dtype == GF_F16 ? 1e3 : 1e6) + (sum - 1.5) * 2.0;
    return (at->max > 255 ? 10000.0 : 100.0) + (double)gf_prng_below(at->prng, 3);
}

static uint64_t offset_whole(const struct place *at)
{
    size_t size = gf_dtype_size(at->dtype);
    return (size == 1 ? 100u : size == 2 ? 10000u : 1000000u) + gf_prng_below(at->prng, 3);
}

/* One enormous value, first of all. */
static double outlier_real(const struct place *at)
{
    if (at->index > 0)
        return is_float(at) ? unit(at) : small_real(at);
    return at->dtype == GF_F64 ? 1e300 : at->dtype == GF_F32 ? 1e30 : at->dtype == GF_F16 ? 6e4 : at->max;
}

static uint64_t outlier_whole(const struct place *at)
{
    return at->index > 0 ? small_whole(at) : greatest(at);
}

/* From 0 to the limit without going back: offsets of segments. */
static uint64_t offsets_whole(const struct place *at)
{
    return at->count > 1 ? at->limit * at->index / (at->count - 1) : 0;
}

static double offsets_real(const struct place *at)
{
    double value = (double)offsets_whole(at);
    return is_float(at) ? value : fmin(value, at->max);
}

/* Offsets of segments that are empty at first and become ever longer. */
static uint64_t ragged_whole(const struct place *at)
{
    double part = at->count > 1 ? (double)at->index / (double)(at->count - 1) : 0.0;
    return (uint64_t)floor((double)at->limit * part * part * part);
}

/* Each greater than the one before: edges. */
static double ascending_real(const struct place *at)
{
    return is_float(at) ? ((double)at->index - (double)(at->count / 2)) * 0.5 : fmin((double)at->index * 3.0, at->max);
}

static uint64_t ascending_whole(const struct place *at)
{
    return at->index * 3 - (is_signed(at) ? at->count : 0);
}

/* Mostly two values, whose counters are the halves of one word if u16 has a counter for each value; other values
 * between them prevent runs. */
static double crowded_real(const struct place *at)
{
    if (at->index % 8 == 0)
        return random_real(at);
    return at->max * (at->index % 8 < 5 ? 16384.0 / 65535.0 : 49154.0 / 65535.0);
}

/* Foreground and background, each with all the values that make it: zeros of both signs; denormals and NaN. */
static double shade_real(const struct place *at, bool foreground)
{
    const double zeros[] = {0, 0, is_float(at) ? -0.0 : 0}, others[] = {1, at->max, (double)NAN, 0x1p-24, -at->max};
    return foreground ? pick(at->prng, others, is_float(at) ? 5 : 2) : pick(at->prng, zeros, 3);
}

static uint64_t shade_whole(const struct place *at, bool foreground)
{
    return foreground ? extreme_whole(at) | 1 : 0;
}

/* Every other pixel, by chance. */
static double speckled_real(const struct place *at)
{
    return shade_real(at, gf_prng_below(at->prng, 2) == 0);
}

static uint64_t speckled_whole(const struct place *at)
{
    return shade_whole(at, gf_prng_below(at->prng, 2) == 0);
}

/* Blocks that touch at sides and corners, with some pixels turned. */
static bool in_blob(const struct place *at)
{
    uint64_t block = (at->x / 11 + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (at->y / 5 + 1) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return ((block >> 37 & 1) != 0) != (gf_prng_below(at->prng, 64) == 0);
}

static double blobs_real(const struct place *at)
{
    return shade_real(at, in_blob(at));
}

static uint64_t blobs_whole(const struct place *at)
{
    return shade_whole(at, in_blob(at));
}

/* Paths there and back again, from the top to the bottom. */
static bool on_path(const struct place *at)
{
    if (at->x % 62 == 61)
        return false;
    return at->y % 2 == 0 || at->x % 62 == (at->y % 4 == 1 ? 60 : 0);
}

static double path_real(const struct place *at)
{
    return shade_real(at, on_path(at));
}

static uint64_t path_whole(const struct place *at)
{
    return shade_whole(at, on_path(at));
}

static const struct {
    const char *name;
    real_fn *real;
    whole_fn *whole;
} sample_kinds[] = {
    {"random", random_real, random_whole},
    {"extreme", extreme_real, extreme_whole},
    {"full", full_real, full_whole},
    {"ramp", ramp_real, ramp_whole},
    {"ties", tie_real, small_whole},
    {"bits", bits_real, bits_whole},
    {"special", special_real, extreme_whole},
    {"tiny", tiny_real, small_whole},
    {"alpha", alpha_real, random_whole},
    {"signed", signed_real, random_whole},
    {"small", small_real, small_whole},
    {"nan", nan_real, small_whole},
    {"equal", equal_real, equal_whole},
    {"payload", NULL, payload_whole}, /* bits of every type */
    {"offset", offset_real, offset_whole},
    {"outlier", outlier_real, outlier_whole},
    {"ragged", NULL, ragged_whole},
    {"offsets", offsets_real, offsets_whole},
    {"ascending", ascending_real, ascending_whole},
    {"crowded", crowded_real, random_whole},
    {"speckled", speckled_real, speckled_whole},
    {"blobs", blobs_real, blobs_whole},
    {"path", path_real, path_whole},
    {"huge", huge_real, full_whole},
};

static void put_real(void *p, uint32_t dtype, double v)
{
    uint8_t u8 = dtype == GF_U8 ? (uint8_t)v : 0;
    uint16_t u16 = dtype == GF_U16 ? (uint16_t)v : 0;
    float f32 = dtype == GF_F32 || dtype == GF_F16 ? (float)v : 0.0f;
    u16 = dtype == GF_F16 ? gf_half_from_f32(f32) : u16;
    const void *value = dtype == GF_U8                       ? (const void *)&u8
                        : dtype == GF_U16 || dtype == GF_F16 ? (const void *)&u16
                                                             : &v;
    memcpy(p, dtype == GF_F32 ? &f32 : value, gf_dtype_size(dtype));
}

bool gf_data_fill(const char *kind, struct gf_prng *prng, uint64_t limit, const struct gf_view *view, void *data)
{
    size_t k = 0;
    while (k < GF_ARRAY_LEN(sample_kinds) && strcmp(sample_kinds[k].name, kind) != 0)
        k++;
    if (k == GF_ARRAY_LEN(sample_kinds))
        return false;
    struct place at = {
        .prng = prng, .dtype = view->dtype, .max = 1.0, .count = view->width * view->height, .limit = limit};
    if (view->dtype == GF_U8 || view->dtype == GF_U16)
        at.max = view->dtype == GF_U8 ? 255.0 : 65535.0;
    bool real = (at.max > 1.0 || is_float(&at)) && sample_kinds[k].real != NULL;
    size_t size = gf_dtype_size(view->dtype);
    for (at.y = 0; at.y < view->height; at.y++)
        for (at.x = 0; at.x < view->width; at.x++)
            for (uint32_t c = 0; c < view->channels; c++) {
                char *p = (char *)data + at.y * view->pitch + (at.x * view->channels + c) * size;
                at.alpha = view->channels % 2 == 0 && c == view->channels - 1;
                at.index = at.y * view->width + at.x;
                uint64_t whole = real ? 0 : sample_kinds[k].whole(&at);
                if (real)
                    put_real(p, view->dtype, sample_kinds[k].real(&at));
                else
                    memcpy(p, &whole, size);
            }
    return true;
}

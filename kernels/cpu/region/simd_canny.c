/* SPDX-License-Identifier: MIT */
/*
 * Gradients of rows, ridges as bits, and bits as bytes. Compiled once per instruction set; canny.c calls it through
 * gf_simd_canny. The compiler vectorises the loops.
 */
#include "simd_canny.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"
#include "simd_flags.h"

/* A mask of radius r, 1 to 3, applied to at(-r) .. at(r). */
#define SMOOTH(r, at)                                                                                                  \
    ((r) == 1   ? at(-1) + 2 * at(0) + at(1)                                                                           \
     : (r) == 2 ? at(-2) + at(2) + 4 * (at(-1) + at(1)) + 6 * at(0)                                                    \
                : at(-3) + at(3) + 6 * (at(-2) + at(2)) + 15 * (at(-1) + at(1)) + 20 * at(0))
#define SLOPE(r, at)                                                                                                   \
    ((r) == 1   ? at(1) - at(-1)                                                                                       \
     : (r) == 2 ? at(2) - at(-2) + 2 * (at(1) - at(-1))                                                                \
                : at(3) - at(-3) + 4 * (at(2) - at(-2)) + 5 * (at(1) - at(-1)))

/* Sums along the columns of 2 * radius + 1 rows. */
#define COLUMNS_OF(name, any, part)                                                                                    \
    GF_ALWAYS void name##_of(const void *const *rows, size_t n, int r, part *restrict smooth, part *restrict slope)    \
    {                                                                                                                  \
        const any *row[2 * GF_CANNY_RADIUS + 1];                                                                       \
        for (int k = 0; k <= 2 * r; k++)                                                                               \
            row[k] = rows[k];                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                                               \
            smooth[i] = (part)(SMOOTH(r, AT_ROW));                                                                     \
            slope[i] = (part)(SLOPE(r, AT_ROW));                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(const void *const *rows, size_t n, uint32_t r, part *restrict smooth, part *restrict slope)       \
    {                                                                                                                  \
        if (r == 1)                                                                                                    \
            name##_of(rows, n, 1, smooth, slope);                                                                      \
        else if (r == 2)                                                                                               \
            name##_of(rows, n, 2, smooth, slope);                                                                      \
        else                                                                                                           \
            name##_of(rows, n, 3, smooth, slope);                                                                      \
    }
#define AT_ROW(k) row[r + (k)][i]

COLUMNS_OF(columns_u8, gf_u8_any, int16_t)
COLUMNS_OF(columns_u16, gf_u16_any, int32_t)
COLUMNS_OF(columns_i16, gf_i16_any, int32_t)

/* Repeats the first and the last pixel outside the row. */
#define EXTEND_OF(name, part)                                                                                          \
    GF_ALWAYS void name(part *sums, size_t n, size_t channels, size_t r)                                               \
    {                                                                                                                  \
        part *before = sums - r * channels;                                                                            \
        for (size_t k = 0; k < r * channels; k++) {                                                                    \
            before[k] = sums[k % channels];                                                                            \
            sums[n + k] = sums[n - channels + k % channels];                                                           \
        }                                                                                                              \
    }

EXTEND_OF(extend_16, int16_t)
EXTEND_OF(extend_32, int32_t)

/* A sixteenth, ties to even. */
GF_ALWAYS int32_t sixteenth(int32_t v)
{
    return (v + 7 + (v >> 4 & 1)) >> 4;
}

/* Sums along rows; the next pixel is c samples further. */
#define ROWS_OF(name, part, magnitude, measure)                                                                        \
    GF_ALWAYS void name##_of(const part *restrict smooth, const part *restrict slope, size_t n, ptrdiff_t c, int r,    \
                             part *restrict dx, part *restrict dy, magnitude *restrict m)                              \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const part *s = smooth + i, *d = slope + i;                                                                \
            int32_t x = SLOPE(r, AT_S), y = SMOOTH(r, AT_D);                                                           \
            dx[i] = (part)(r == 3 ? sixteenth(x) : x);                                                                 \
            dy[i] = (part)(r == 3 ? sixteenth(y) : y);                                                                 \
            m[i] = measure(dx[i], dy[i], magnitude);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(const void *smooth, const void *slope, size_t n, ptrdiff_t c, uint32_t r,                         \
                     const struct gf_canny_line *to)                                                                   \
    {                                                                                                                  \
        if (r == 1)                                                                                                    \
            name##_of(smooth, slope, n, c, 1, to->dx, to->dy, to->magnitudes);                                         \
        else if (r == 2)                                                                                               \
            name##_of(smooth, slope, n, c, 2, to->dx, to->dy, to->magnitudes);                                         \
        else                                                                                                           \
            name##_of(smooth, slope, n, c, 3, to->dx, to->dy, to->magnitudes);                                         \
    }
#define AT_S(k) s[(k)*c]
#define AT_D(k) d[(k)*c]
#define SUM(x, y, magnitude) (magnitude)(((x) < 0 ? -(x) : (x)) + ((y) < 0 ? -(y) : (y)))
#define SQUARE(x, y, magnitude) (magnitude)(x) * (magnitude)(x) + (magnitude)(y) * (magnitude)(y)

ROWS_OF(rows_16_sum, int16_t, int16_t, SUM)
ROWS_OF(rows_16_square, int16_t, int32_t, SQUARE)
ROWS_OF(rows_32_sum, int32_t, int32_t, SUM)
ROWS_OF(rows_32_square, int32_t, double, SQUARE)

/* Chooses for each pixel the first of its c samples with the greatest magnitude. */
#define CHOOSE_OF(name, part, magnitude)                                                                               \
    GF_ALWAYS void name##_of(const part *restrict fx, const part *restrict fy, const magnitude *restrict fm, size_t n, \
                             uint32_t c, part *restrict dx, part *restrict dy, magnitude *restrict m)                  \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            part x = fx[i * c], y = fy[i * c];                                                                         \
            magnitude most = fm[i * c];                                                                                \
            for (uint32_t k = 1; k < c; k++) {                                                                         \
                part next_x = fx[i * c + k], next_y = fy[i * c + k];                                                   \
                magnitude next = fm[i * c + k];                                                                        \
                x = next > most ? next_x : x;                                                                          \
                y = next > most ? next_y : y;                                                                          \
                most = next > most ? next : most;                                                                      \
            }                                                                                                          \
            dx[i] = x;                                                                                                 \
            dy[i] = y;                                                                                                 \
            m[i] = most;                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(const struct gf_canny_line *from, size_t n, uint32_t c, const struct gf_canny_line *to)           \
    {                                                                                                                  \
        if (c == 2)                                                                                                    \
            name##_of(from->dx, from->dy, from->magnitudes, n, 2, to->dx, to->dy, to->magnitudes);                     \
        else if (c == 3)                                                                                               \
            name##_of(from->dx, from->dy, from->magnitudes, n, 3, to->dx, to->dy, to->magnitudes);                     \
        else                                                                                                           \
            name##_of(from->dx, from->dy, from->magnitudes, n, 4, to->dx, to->dy, to->magnitudes);                     \
    }

CHOOSE_OF(choose_16_16, int16_t, int16_t)
CHOOSE_OF(choose_16_32, int16_t, int32_t)
CHOOSE_OF(choose_32_32, int32_t, int32_t)
CHOOSE_OF(choose_32_f64, int32_t, double)

static void gradients(const struct gf_canny_kind *kind, const void *const *rows, size_t n,
                      const struct gf_canny_workspace *room, const struct gf_canny_line *line)
{
    const struct gf_canny_line *to = kind->channels == 1 ? line : &room->samples;
    size_t samples = n * kind->channels, r = kind->radius;
    ptrdiff_t c = (ptrdiff_t)kind->channels;
    if (kind->dtype == GF_U8) {
        columns_u8(rows, samples, kind->radius, room->smooth, room->slope);
        extend_16(room->smooth, samples, kind->channels, r);
        extend_16(room->slope, samples, kind->channels, r);
        (kind->l2 ? rows_16_square : rows_16_sum)(room->smooth, room->slope, samples, c, kind->radius, to);
        if (kind->channels > 1)
            (kind->l2 ? choose_16_32 : choose_16_16)(to, n, kind->channels, line);
        return;
    }
    (kind->dtype == GF_U16 ? columns_u16 : columns_i16)(rows, samples, kind->radius, room->smooth, room->slope);
    extend_32(room->smooth, samples, kind->channels, r);
    extend_32(room->slope, samples, kind->channels, r);
    (kind->l2 ? rows_32_square : rows_32_sum)(room->smooth, room->slope, samples, c, kind->radius, to);
    if (kind->channels > 1)
        (kind->l2 ? choose_32_f64 : choose_32_32)(to, n, kind->channels, line);
}

/*
 * The neighbours that a pixel is compared with depend on t = 13573 x / 2^15, where x and y are the magnitudes of dx and
 * dy. y is whole, so y < t means y < floor(t), or y <= floor(t) if t is not whole; and y > t + 2 x means y > floor(t) +
 * 2 x. t is whole only if x is a multiple of 2^15. For u8 that is x = 0 alone, which NOT_WHOLE_16 may ignore: it makes
 * a difference only if y is 0 too, and such a pixel has no magnitude and is no ridge.
 */
GF_ALWAYS int16_t floor_16(int16_t x)
{
    return (int16_t)((uint32_t)(uint16_t)x * (2u * 13573u) >> 16);
}

GF_ALWAYS int32_t floor_32(int32_t x)
{
    return (x >> 15) * 13573 + ((x & 32767) * 13573 >> 15);
}

#define NOT_WHOLE_16(x) 1
#define NOT_WHOLE_32(x) (((x)&32767) != 0)

/* Flags of n pixels, 0 or 1. A pixel is on a ridge if it is greater than one neighbour and not less than the other, or
 * with diagonal neighbours, greater than both. Magnitudes are whole, so "not less than v" is "greater than v - 1". */
#define FLAGS_OF(name, part, magnitude, bits)                                                                          \
    GF_ALWAYS void name##_flags(const part *restrict dx, const part *restrict dy, const magnitude *restrict above,     \
                                const magnitude *restrict own, const magnitude *restrict below, size_t n,              \
                                magnitude low, magnitude high, uint8_t *restrict weak, uint8_t *restrict strong)       \
    {                                                                                                                  \
        for (size_t k = 0; k < n; k++) {                                                                               \
            part x = (part)(dx[k] < 0 ? -dx[k] : dx[k]), y = (part)(dy[k] < 0 ? -dy[k] : dy[k]), t = floor_##bits(x);  \
            magnitude m = own[k], left = own[(ptrdiff_t)k - 1], right = own[k + 1], over = above[k], under = below[k]; \
            magnitude over_left = above[(ptrdiff_t)k - 1], over_right = above[k + 1];                                  \
            magnitude under_left = below[(ptrdiff_t)k - 1], under_right = below[k + 1];                                \
            bool across = y<(part)(t + NOT_WHOLE_##bits(x)), down = y>(part)(t + 2 * x);                               \
            bool falls = (part)(dx[k] ^ dy[k]) < 0;                                                                    \
            magnitude before = falls ? over_right : over_left, behind = falls ? under_left : under_right;              \
            before = down ? over : before;                                                                             \
            behind = down ? under - 1 : behind;                                                                        \
            before = across ? left : before;                                                                           \
            behind = across ? right - 1 : behind;                                                                      \
            bool ridge = (m > before) & (m > behind);                                                                  \
            weak[k] = ridge & (m > low);                                                                               \
            strong[k] = ridge & (m > high);                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    GF_ALWAYS bool name##_above(const magnitude *m, size_t n, magnitude low)                                           \
    {                                                                                                                  \
        magnitude most = 0;                                                                                            \
        for (size_t k = 0; k < n; k++)                                                                                 \
            most = m[k] > most ? m[k] : most;                                                                          \
        return most > low;                                                                                             \
    }                                                                                                                  \
    static void name(const struct gf_canny_line *lines, size_t n, magnitude low, magnitude high, uint64_t *weak,       \
                     uint64_t *strong)                                                                                 \
    {                                                                                                                  \
        const magnitude *own = lines[1].magnitudes, *above = lines[0].magnitudes, *below = lines[2].magnitudes;        \
        const part *dx = lines[1].dx, *dy = lines[1].dy;                                                               \
        uint8_t w[GF_FLAGS], s[GF_FLAGS];                                                                              \
        size_t i = 0;                                                                                                  \
        for (; i + GF_FLAGS <= n; i += GF_FLAGS, weak++, strong++) {                                                   \
            *weak = *strong = 0;                                                                                       \
            if (!name##_above(own + i, GF_FLAGS, low))                                                                 \
                continue;                                                                                              \
            name##_flags(dx + i, dy + i, above + i, own + i, below + i, GF_FLAGS, low, high, w, s);                    \
            *weak = gf_flags_pack(w);                                                                                  \
            *strong = gf_flags_pack(s);                                                                                \
        }                                                                                                              \
        memset(w, 0, sizeof(w));                                                                                       \
        memset(s, 0, sizeof(s));                                                                                       \
        name##_flags(dx + i, dy + i, above + i, own + i, below + i, n - i, low, high, w, s);                           \
        *weak = gf_flags_pack(w);                                                                                      \
        *strong = gf_flags_pack(s);                                                                                    \
    }

FLAGS_OF(ridges_16_16, int16_t, int16_t, 16)
FLAGS_OF(ridges_16_32, int16_t, int32_t, 16)
FLAGS_OF(ridges_32_32, int32_t, int32_t, 32)
FLAGS_OF(ridges_32_f64, int32_t, double, 32)

GF_ALWAYS int64_t at_most(int64_t v, int64_t most)
{
    return v < most ? v : most;
}

static void ridges(const struct gf_canny_kind *kind, const struct gf_canny_line *lines, size_t n,
                   const int64_t thresholds[2], uint64_t *weak, uint64_t *strong)
{
    int64_t low = thresholds[0], high = thresholds[1];
    if (kind->dtype == GF_U8 && !kind->l2) /* no magnitude exceeds the type's greatest number */
        ridges_16_16(lines, n, (int16_t)at_most(low, INT16_MAX), (int16_t)at_most(high, INT16_MAX), weak, strong);
    else if (kind->dtype == GF_U8)
        ridges_16_32(lines, n, (int32_t)at_most(low, INT32_MAX), (int32_t)at_most(high, INT32_MAX), weak, strong);
    else if (!kind->l2)
        ridges_32_32(lines, n, (int32_t)at_most(low, INT32_MAX), (int32_t)at_most(high, INT32_MAX), weak, strong);
    else
        ridges_32_f64(lines, n, (double)low, (double)high, weak, strong);
}

/* Bit k of eight is selected in byte k of the product with ones. Adding 127 to a byte that is not 0 carries into its
 * bit 7. */
GF_ALWAYS uint64_t spread(uint64_t bits)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t bytes = (bits & 255) * ones & UINT64_C(0x8040201008040201);
    return ((bytes + 127 * ones) >> 7 & ones) * 255;
}

static void paint(const uint64_t *words, uint8_t *row, size_t n)
{
    size_t i = 0;
#if GF_LANES == 16
    for (; i + GF_FLAGS <= n; i += GF_FLAGS)
        _mm512_storeu_si512(row + i, _mm512_movm_epi8(words[i / GF_FLAGS]));
#endif
    for (; i < n; i += 8) {
        uint64_t bytes = spread(words[i / GF_FLAGS] >> i % GF_FLAGS);
        memcpy(row + i, &bytes, n - i < 8 ? n - i : 8);
    }
}

extern const struct gf_simd_canny GF_ISA_NAME(gf_simd_canny);
const struct gf_simd_canny GF_ISA_NAME(gf_simd_canny) = {.gradients = gradients, .ridges = ridges, .paint = paint};

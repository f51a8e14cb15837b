/* SPDX-License-Identifier: MIT */
/*
 * Converts samples of kinds that the program does not know. Samples of 9 to 15 bits are scaled to 16. L*a*b* is
 * inverted as in CIE 15 (TIFF 6.0, section 23, has the encoding), adapted from the white of the file to D65 by the
 * Bradford matrix of ICC.1, and encoded as sRGB (IEC 61966-2-1); colours outside sRGB are clamped. docs/files.md has
 * the formulas. Called by tiff_read.c.
 */
#include <math.h>
#include <string.h>

#include "tiff_calls.h"

void gf_tiff_unpack(const uint8_t *from, uint32_t bits, uint16_t *to, uint32_t n)
{
    uint32_t max = (1u << bits) - 1, held = 0, n_held = 0; /* the lowest n_held bits are read and not yet used */
    for (uint32_t i = 0; i < n; i++) {
        for (; n_held < bits; n_held += 8)
            held = held << 8 | *from++;
        n_held -= bits;
        to[i] = (uint16_t)(((held >> n_held & max) * 65535u + max / 2) / max);
    }
}

struct matrix {
    double of[3][3];
};

/* CIE XYZ of D65 to linear sRGB, Bradford's cone responses, and the inverse of the latter. */
static const struct matrix xyz_to_rgb = {
    {{3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}}};
static const struct matrix cones = {{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
static const struct matrix cones_inverse = {
    {{0.9869929, -0.1470543, 0.1599627}, {0.4323053, 0.5183603, 0.0492912}, {-0.0085287, 0.0400428, 0.9684867}}};

static struct matrix multiply(const struct matrix *a, const struct matrix *b)
{
    struct matrix product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product.of[i][j] = a->of[i][0] * b->of[0][j] + a->of[i][1] * b->of[1][j] + a->of[i][2] * b->of[2][j];
    return product;
}

/* The matrix from X/Xn, Y/Yn, Z/Zn to linear sRGB; n is the white x, y. */
static struct matrix from_white(double x, double y)
{
    const double d65[3] = {0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290}, white[3] = {x / y, 1, (1 - x - y) / y};
    struct matrix scaled = cones;
    for (int i = 0; i < 3; i++) {
        const double *row = cones.of[i];
        double to = row[0] * d65[0] + row[1] * d65[1] + row[2] * d65[2];
        double from = row[0] * white[0] + row[1] * white[1] + row[2] * white[2];
        for (int j = 0; j < 3; j++)
            scaled.of[i][j] *= to / from * white[j];
    }
    scaled = multiply(&cones_inverse, &scaled);
    return multiply(&xyz_to_rgb, &scaled);
}

/* The inverse of the cube root of CIE 15, which is linear near 0. */
static double cube(double t)
{
    return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

static uint16_t encode(double linear, double max)
{
    double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint16_t)(fmin(fmax(v, 0), 1) * max + 0.5);
}

/* The rows of the matrix sum to 1, up to its rounding. Differences from Y keep greys exactly neutral. */
static void to_srgb(const struct matrix *m, double lightness, double a, double b, double max, uint16_t rgb[3])
{
    double f = (lightness + 16) / 116, y = cube(f), x = cube(f + a / 500), z = cube(f - b / 200);
    for (int i = 0; i < 3; i++)
        rgb[i] = encode(y + m->of[i][0] * (x - y) + m->of[i][2] * (z - y), max);
}

void gf_tiff_lab_to_srgb(struct gf_image *image, const float white[2])
{
    bool valid = white[0] > 0 && white[1] > 0 && white[0] + white[1] < 1;
    const struct matrix m = valid ? from_white((double)white[0], (double)white[1]) : from_white(0.3457, 0.3585);
    uint64_t n = gf_view_samples(&image->view);
    uint32_t step = image->view.channels;
    uint16_t rgb[3];
    uint8_t *bytes = image->data;
    uint16_t *words = image->data;
    for (uint64_t i = 0; i < n; i += step)
        if (image->view.dtype == GF_U8) {
            to_srgb(&m, bytes[i] / 2.55, (int8_t)bytes[i + 1], (int8_t)bytes[i + 2], UINT8_MAX, rgb);
            for (uint32_t k = 0; k < 3; k++)
                bytes[i + k] = (uint8_t)rgb[k];
        } else {
            to_srgb(&m, words[i] / 655.35, (int16_t)words[i + 1] / 256.0, (int16_t)words[i + 2] / 256.0, UINT16_MAX,
                    rgb);
            memcpy(words + i, rgb, sizeof(rgb));
        }
}

/* SPDX-License-Identifier: MIT */
/*
 * Makes a picture that looks like a photograph: evening sky, sun, ridges, their reflection in a lake, film grain.
 * Always the same for the same size. usage: make_photo OUT.png [WIDTH HEIGHT]. Called by scripts/demo and the tests.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/image/image.h"
#include "protocol/base/dtype.h"

#define N_RIDGES 5
#define WATERLINE 0.64f /* of the height */
#define SUN_X 0.768f    /* of the width */
#define SUN_Y 0.448f    /* of the height */

struct rgb {
    float r, g, b;
};

/* The picture in units of its height: x from 0 to `aspect`, y from 0 (top) to 1. */
struct scene {
    uint32_t width;
    uint32_t height;
    float aspect;
    float *ridges; /* N_RIDGES rows of `width` tops */
};

static struct rgb mix(struct rgb a, struct rgb b, float t)
{
    return (struct rgb){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static struct rgb add(struct rgb a, struct rgb b, float t)
{
    return (struct rgb){a.r + b.r * t, a.g + b.g * t, a.b + b.b * t};
}

static float clamp01(float v)
{
    return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
}

static float smooth(float lo, float hi, float v)
{
    float t = clamp01((v - lo) / (hi - lo));
    return t * t * (3.0f - 2.0f * t);
}

/* A number in [0, 1) that belongs to a lattice point. */
static float lattice(int32_t x, int32_t y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) * 0x1p-24f;
}

static float value_noise(float x, float y, uint32_t seed)
{
    float fx = floorf(x);
    float fy = floorf(y);
    float tx = smooth(0.0f, 1.0f, x - fx);
    float ty = smooth(0.0f, 1.0f, y - fy);
    int32_t ix = (int32_t)fx;
    int32_t iy = (int32_t)fy;
    float top = lattice(ix, iy, seed) * (1.0f - tx) + lattice(ix + 1, iy, seed) * tx;
    float bottom = lattice(ix, iy + 1, seed) * (1.0f - tx) + lattice(ix + 1, iy + 1, seed) * tx;
    return top * (1.0f - ty) + bottom * ty;
}

/* Octaves of value noise, each of twice the frequency and `fall` of the strength; in [0, 1). */
static float octaves(float x, float y, int n, float fall, uint32_t seed)
{
    float sum = 0.0f;
    float total = 0.0f;
    float strength = 1.0f;
    for (int i = 0; i < n; i++) {
        sum += strength * value_noise(x, y, seed + (uint32_t)i);
        total += strength;
        strength *= fall;
        x = x * 2.0f + 17.3f;
        y = y * 2.0f + 5.1f;
    }
    return sum / total;
}

/* Height of the trees on the nearest shore: cones of random size, beside and before one another. */
static float trees(float x, uint32_t seed)
{
    float top = 0.0f;
    for (uint32_t row = 0; row < 3; row++) {
        float spacing = 0.011f + 0.004f * (float)row;
        int32_t first = (int32_t)floorf(x / spacing) - 1;
        for (int32_t i = first; i <= first + 2; i++) {
            float at = ((float)i + lattice(i, 1, seed + row)) * spacing;
            float size = 0.012f + 0.034f * lattice(i, 2, seed + row) * value_noise(x * 4.0f, 0.0f, seed);
            float h = size - fabsf(x - at) * (4.2f + 1.5f * lattice(i, 3, seed + row));
            top = h > top ? h : top;
        }
    }
    return top + 0.002f * value_noise(x * 900.0f, 0.0f, seed);
}

/* The top of a ridge, as y; 0 is the farthest. */
static float ridge_top(int ridge, float x)
{
    static const float base[N_RIDGES] = {0.500f, 0.535f, 0.570f, 0.605f, 0.632f};
    static const float rise[N_RIDGES] = {0.300f, 0.235f, 0.165f, 0.110f, 0.030f};
    static const float frequency[N_RIDGES] = {1.7f, 2.3f, 2.6f, 3.1f, 2.0f};
    float f = frequency[ridge];
    float n = octaves(x * f + 3.7f * (float)ridge, 0.5f, 8, 0.47f, 40u + 16u * (uint32_t)ridge);
    float top = base[ridge] + 0.12f * rise[ridge] - rise[ridge] * powf(smooth(0.24f, 0.86f, n), 1.15f);
    if (ridge == N_RIDGES - 1)
        top -= trees(x, 500u);
    return top < WATERLINE ? top : WATERLINE;
}

static struct rgb sky(const struct scene *s, float x, float y)
{
    static const struct rgb zenith = {0.040f, 0.105f, 0.310f};
    static const struct rgb middle = {0.230f, 0.360f, 0.600f};
    static const struct rgb low = {1.050f, 0.500f, 0.190f};
    static const struct rgb sun_colour = {1.00f, 0.83f, 0.55f};
    static const struct rgb cloud_lit = {1.00f, 0.62f, 0.45f};
    static const struct rgb cloud_dark = {0.30f, 0.30f, 0.42f};
    float t = y / WATERLINE;
    struct rgb c = mix(mix(zenith, middle, smooth(0.0f, 0.62f, t)), low, smooth(0.42f, 0.98f, t));
    float dx = x - SUN_X * s->aspect;
    float dy = y - SUN_Y;
    float distance = sqrtf(dx * dx + dy * dy);
    float warp = octaves(x * 2.0f, y * 5.0f, 3, 0.5f, 7u);
    float cover = octaves(x * 1.9f + warp * 0.9f, y * 8.5f + warp * 1.4f, 6, 0.52f, 11u);
    float density = smooth(0.46f, 0.72f, cover) * smooth(0.02f, 0.16f, y) * (1.0f - smooth(0.44f, 0.60f, y));
    float thick = smooth(0.60f, 0.84f, cover);
    c = mix(c, mix(cloud_lit, cloud_dark, 0.75f * thick * smooth(0.05f, 0.7f, distance)), 0.80f * density);
    c = add(c, sun_colour, 0.50f * expf(-distance * 6.0f) + 0.10f * expf(-distance * 1.8f));
    return add(c, sun_colour, 2.2f * (1.0f - smooth(0.026f, 0.030f, distance)));
}

/* Sky and land above the water. */
static struct rgb land(const struct scene *s, float x, float y)
{
    static const struct rgb far_colour = {0.250f, 0.225f, 0.360f};
    static const struct rgb near_colour = {0.010f, 0.018f, 0.022f};
    static const struct rgb haze = {0.900f, 0.480f, 0.260f};
    float column = x * (float)s->height;
    uint32_t i = column <= 0.0f ? 0 : column >= (float)s->width ? s->width - 1 : (uint32_t)column;
    struct rgb c = sky(s, x, y);
    for (int ridge = 0; ridge < N_RIDGES; ridge++) {
        float top = s->ridges[(size_t)ridge * s->width + i];
        float inside = clamp01((y - top) * (float)s->height + 0.5f);
        if (inside <= 0.0f)
            continue;
        float near = (float)ridge / (N_RIDGES - 1);
        struct rgb body = mix(far_colour, near_colour, powf(near, 0.62f));
        float slope = octaves(x * 22.0f + (y - top) * 30.0f, y * 34.0f, 5, 0.6f, 90u + (uint32_t)ridge) - 0.5f;
        float to_sun = 1.0f - clamp01(fabsf(x - SUN_X * s->aspect) / 0.9f);
        body = add(body, haze, (1.0f - near) * 0.34f * slope);
        body =
            mix(body, haze, (1.0f - near) * (0.08f + 0.42f * smooth(0.0f, 0.16f, y - top)) * (0.30f + 0.65f * to_sun));
        c = mix(c, body, inside);
    }
    return c;
}

static struct rgb water(const struct scene *s, float x, float y)
{
    static const struct rgb deep = {0.015f, 0.045f, 0.075f};
    static const struct rgb glitter = {1.00f, 0.74f, 0.42f};
    float depth = (y - WATERLINE) / (1.0f - WATERLINE);
    /* Waves look smaller the farther they are: their phase goes with the inverse distance. */
    float distance = 1.0f / (0.06f + depth);
    float wave = octaves(x * (4.0f + 5.0f * distance), distance * 9.0f + y * 60.0f, 4, 0.6f, 200u) - 0.5f;
    float ripple = octaves(x * 60.0f, y * 330.0f, 3, 0.6f, 230u) - 0.5f;
    float mirror = 2.0f * WATERLINE - y - (0.012f + 0.085f * depth) * wave - 0.010f * ripple * (0.3f + depth);
    float up = mirror < 0.0f ? 0.0f : mirror > WATERLINE ? WATERLINE : mirror;
    struct rgb c = land(s, x + (0.004f + 0.02f * depth) * wave, up);
    c = mix(c, deep, 0.18f + 0.42f * depth + 0.30f * wave * depth);
    float off = fabsf(x - SUN_X * s->aspect + 0.05f * wave) / (0.030f + 0.13f * depth);
    float spark = smooth(0.10f, 0.34f, wave + 0.6f * ripple);
    c = add(c, glitter, 1.3f * spark * expf(-off * off) * (1.0f - 0.55f * depth));
    return add(c, (struct rgb){0.9f, 0.6f, 0.4f}, 0.045f * (1.0f - smooth(0.0f, 0.012f, depth)));
}

static uint8_t to_srgb(float v, float grain)
{
    v = 1.0f - expf(-1.35f * (v > 0.0f ? v : 0.0f)); /* a film's shoulder */
    v = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(255.0f * clamp01(v + grain) + 0.5f);
}

static void paint(const struct scene *s, uint8_t *pixels)
{
    for (uint32_t row = 0; row < s->height; row++)
        for (uint32_t column = 0; column < s->width; column++) {
            float x = ((float)column + 0.5f) / (float)s->height;
            float y = ((float)row + 0.5f) / (float)s->height;
            struct rgb c = y < WATERLINE ? land(s, x, y) : water(s, x, y);
            float cx = x / s->aspect - 0.5f;
            float cy = y - 0.5f;
            float shade = 1.0f - 0.55f * (cx * cx + cy * cy);
            int32_t gx = (int32_t)column;
            int32_t gy = (int32_t)row;
            float grain = 0.030f * (lattice(gx, gy, 1u) + lattice(gx, gy, 2u) - 1.0f);
            float tint = 0.012f * (lattice(gx, gy, 3u) - 0.5f);
            uint8_t *to = pixels + 3 * ((size_t)row * s->width + column);
            to[0] = to_srgb(c.r * shade, grain + tint);
            to[1] = to_srgb(c.g * shade, grain);
            to[2] = to_srgb(c.b * shade, grain - tint);
        }
}

/* A side from the command line, or 0. */
static uint32_t parse_side(const char *text)
{
    char *end = NULL;
    unsigned long v = strtoul(text, &end, 10);
    return *end || v < 1 || v > 16384 ? 0 : (uint32_t)v;
}

int main(int argc, char **argv)
{
    struct scene s = {.width = argc == 4 ? parse_side(argv[2]) : 1920,
                      .height = argc == 4 ? parse_side(argv[3]) : 1280};
    struct gf_io_error err;
    if ((argc != 2 && argc != 4) || !s.width || !s.height) {
        fprintf(stderr, "usage: make_photo OUT.png [WIDTH HEIGHT], sides up to 16384\n");
        return GF_IO_USAGE;
    }
    s.aspect = (float)s.width / (float)s.height;
    gf_cleanup(gf_freep) float *ridges = malloc(N_RIDGES * sizeof(float) * s.width);
    gf_cleanup(gf_freep) uint8_t *pixels = malloc((size_t)3 * s.width * s.height);
    if (!ridges || !pixels) {
        fprintf(stderr, "make_photo: out of memory\n");
        return GF_IO_NO_MEMORY;
    }
    for (int ridge = 0; ridge < N_RIDGES; ridge++)
        for (uint32_t i = 0; i < s.width; i++)
            ridges[(size_t)ridge * s.width + i] = ridge_top(ridge, ((float)i + 0.5f) / (float)s.height);
    s.ridges = ridges;
    paint(&s, pixels);
    struct gf_view view = gf_view_tight(GF_U8, s.width, s.height, 3);
    if (gf_image_write(argv[1], GF_FORMAT_NONE, &view, pixels, NULL, &err) != GF_IO_OK)
        fprintf(stderr, "make_photo: %s\n", err.text);
    else
        err.status = GF_IO_OK;
    return (int)err.status;
}

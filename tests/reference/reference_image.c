/* SPDX-License-Identifier: MIT */
/* Linear light, samples to f32 and back, alpha and borders, for every filter of the reference. Called by the reference
 * of each op. */
#include "reference_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"

static long double srgb(long double s)
{
    return s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L);
}

/* Of half steps from 0 to 2 * max: D[v] is that of 2 * v, T[k] that of 2 * k - 1 for k = 1..max. A power takes long, so
 * each is computed once. */
static float light(uint32_t half_steps, uint32_t max)
{
    static float of_8_bits[2 * 255 + 1], of_16_bits[2 * 65535 + 1]; /* 0: not yet */
    float *known = max == 255 ? &of_8_bits[half_steps] : &of_16_bits[half_steps];
    long double m = (long double)max;
    if (*known == 0.0f)
        *known = (float)(m * srgb((long double)half_steps / 2.0L / m));
    return *known;
}

float gf_reference_decode(uint32_t v, uint32_t max)
{
    return light(2 * v, max);
}

uint32_t gf_reference_encode(float x, uint32_t max)
{
    uint32_t below = 0, above = max + 1; /* T[below] <= x < T[above], with T[0] and T[max + 1] at the infinities */
    while (above - below > 1) {
        uint32_t k = below + (above - below) / 2;
        if (light(2 * k - 1, max) <= x) /* T[k] */
            below = k;
        else
            above = k;
    }
    return below;
}

bool gf_reference_is_alpha(uint32_t channels, uint32_t c)
{
    return (channels == 2 && c == 1) || (channels == 4 && c == 3);
}

uint32_t gf_reference_alpha(uint32_t alpha, uint32_t channels, bool mean)
{
    if (channels == 1 || channels == 3)
        return GF_ALPHA_STRAIGHT;
    if (alpha == GF_ALPHA_AUTO)
        return mean ? GF_ALPHA_PREMULTIPLIED : GF_ALPHA_IGNORE;
    return alpha;
}

float gf_reference_max(uint32_t dtype)
{
    return dtype == GF_U8 ? 255.0f : dtype == GF_U16 ? 65535.0f : dtype == GF_I16 ? 32767.0f : 1.0f;
}

float gf_reference_min(uint32_t dtype)
{
    return dtype == GF_I16 ? -32768.0f : 0.0f;
}

static int64_t true_mod(int64_t i, int64_t n)
{
    return (i % n + n) % n;
}

int64_t gf_reference_border(uint32_t border, int64_t i, int64_t n)
{
    int64_t m;
    switch (border) {
    case GF_BORDER_REPLICATE:
        return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    case GF_BORDER_WRAP:
        return true_mod(i, n);
    case GF_BORDER_REFLECT:
        m = true_mod(i, 2 * n);
        return m < n ? m : 2 * n - 1 - m;
    case GF_BORDER_REFLECT101:
        if (n == 1)
            return 0;
        m = true_mod(i, 2 * n - 2);
        return m < n ? m : 2 * n - 2 - m;
    default:
        return i >= 0 && i < n ? i : -1;
    }
}

enum gf_status gf_reference_image_init(int64_t width, int64_t height, uint32_t channels,
                                       struct gf_reference_image *ret_image, struct gf_error *err)
{
    float *samples = calloc((size_t)(width * height) * channels, sizeof(float));
    if (samples == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "reference: no memory for an image");
    *ret_image =
        (struct gf_reference_image){.width = width, .height = height, .channels = channels, .samples = samples};
    return GF_OK;
}

void gf_reference_image_deinit(struct gf_reference_image *image)
{
    free(image->samples);
    *image = (struct gf_reference_image){0};
}

static const char *address(const struct gf_reference_buf *buf, int64_t y, int64_t x, uint32_t c)
{
    size_t element = (size_t)x * buf->view.channels + c;
    return (const char *)buf->data + (size_t)y * buf->view.pitch + element * gf_dtype_size(buf->view.dtype);
}

/* Half precision by arithmetic: a number is a multiple of the unit of its binade, at least 2^-24. */
static float half_to_float(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double v = exponent == 0    ? ldexp(fraction, -24)
               : exponent == 31 ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                                : ldexp(1024 + fraction, exponent - 25);
    return (float)(half >> 15 != 0 ? -v : v);
}

static uint16_t half_of(float v)
{
    int exponent;
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v))
        return 0x7E00;
    if (isinf(v))
        return (uint16_t)(sign | 0x7C00);
    (void)frexpf(v, &exponent); /* |v| < 2^exponent */
    if (exponent < -13)
        exponent = -13;
    double units = rint(ldexp(fabs((double)v), 11 - exponent)); /* 2048: the first number of the next binade */
    uint32_t bits = units < 1024 ? (uint32_t)units : (uint32_t)(exponent + 13) * 1024 + (uint32_t)units;
    return (uint16_t)(sign | (exponent > 16 ? 0x7C00 : bits));
}

float gf_reference_read(const struct gf_reference_buf *buf, int64_t y, int64_t x, uint32_t c)
{
    const char *p = address(buf, y, x, c);
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    float f32;
    if (buf->view.dtype == GF_U8) {
        memcpy(&u8, p, sizeof(u8));
        return (float)u8;
    }
    if (buf->view.dtype == GF_U16) {
        memcpy(&u16, p, sizeof(u16));
        return (float)u16;
    }
    if (buf->view.dtype == GF_I16) {
        memcpy(&i16, p, sizeof(i16));
        return (float)i16;
    }
    if (buf->view.dtype == GF_F16) {
        memcpy(&u16, p, sizeof(u16));
        return half_to_float(u16);
    }
    memcpy(&f32, p, sizeof(f32));
    return f32;
}

void gf_reference_copy_sample(void *to, const void *from, uint32_t dtype)
{
    static const uint16_t nan16 = 0x7E00;
    static const uint32_t nan32 = 0x7FC00000;
    static const uint64_t nan64 = 0x7FF8000000000000;
    uint16_t f16;
    float f32;
    double f64;
    memcpy(to, from, gf_dtype_size(dtype));
    if (dtype == GF_F16) {
        memcpy(&f16, from, sizeof f16);
        if ((f16 & 0x7C00) == 0x7C00 && (f16 & 0x3FF) != 0)
            memcpy(to, &nan16, sizeof nan16);
    } else if (dtype == GF_F32) {
        memcpy(&f32, from, sizeof f32);
        if (isnan(f32))
            memcpy(to, &nan32, sizeof nan32);
    } else if (dtype == GF_F64) {
        memcpy(&f64, from, sizeof f64);
        if (isnan(f64))
            memcpy(to, &nan64, sizeof nan64);
    }
}

float gf_reference_full_range(float v, uint32_t from, uint32_t to)
{
    bool from_float = gf_dtype_kind(from) == GF_KIND_FLOAT, to_float = gf_dtype_kind(to) == GF_KIND_FLOAT;
    if (from == to || (from_float && to_float))
        return v;
    if (from_float)
        return v * gf_reference_max(to);
    if (to_float)
        return v / gf_reference_max(from);
    return from == GF_U8 ? v * 257.0f : v / 257.0f;
}

float gf_reference_copied_alpha(const struct gf_reference_buf *in, int64_t y, int64_t x, uint32_t dtype)
{
    float a = gf_reference_read(in, y, x, in->view.channels - 1);
    return dtype == GF_I16 || in->view.dtype == GF_I16 ? a : gf_reference_full_range(a, in->view.dtype, dtype);
}

void gf_reference_write(const struct gf_reference_buf *buf, int64_t y, int64_t x, uint32_t c, float v)
{
    char *p = (char *)buf->data + (address(buf, y, x, c) - (const char *)buf->data);
    if (buf->view.dtype == GF_F32) {
        uint32_t bits;
        memcpy(&bits, &v, sizeof(bits));
        if (isnan(v))
            bits = 0x7FC00000u;
        memcpy(p, &bits, sizeof(bits));
        return;
    }
    if (buf->view.dtype == GF_F16) {
        uint16_t half = half_of(v);
        memcpy(p, &half, sizeof(half));
        return;
    }
    float min = gf_reference_min(buf->view.dtype), max = gf_reference_max(buf->view.dtype);
    float r = isnan(v) ? 0.0f : rintf(v);
    if (r < min)
        r = min;
    if (r > max)
        r = max;
    uint8_t u8 = buf->view.dtype == GF_U8 ? (uint8_t)r : 0;
    uint16_t u16 = buf->view.dtype == GF_U16 ? (uint16_t)r : 0;
    int16_t i16 = buf->view.dtype == GF_I16 ? (int16_t)r : 0;
    memcpy(p,
           buf->view.dtype == GF_U8    ? (void *)&u8
           : buf->view.dtype == GF_U16 ? (void *)&u16
                                       : (void *)&i16,
           gf_dtype_size(buf->view.dtype));
}

static bool decodes(const struct gf_reference_rule *rule, const struct gf_view *view, uint32_t c)
{
    bool encoded = view->dtype == GF_U8 || view->dtype == GF_U16;
    return rule->light == GF_LIGHT_LINEAR && encoded && !gf_reference_is_alpha(view->channels, c);
}

/* Colours of one pixel times its alpha. */
static void premultiply(float *pixel, uint32_t channels)
{
    for (uint32_t c = 0; c < channels - 1; c++)
        pixel[c] = pixel[c] * pixel[channels - 1];
}

static enum gf_status load_outside(const struct gf_op *op, const struct gf_reference_rule *rule,
                                   const struct gf_view *view, struct gf_reference_image *image, struct gf_error *err)
{
    image->border = rule->border;
    if (rule->border != GF_BORDER_CONSTANT)
        return GF_OK;
    for (uint32_t c = 0; c < view->channels; c++) {
        float v = GF_PICK(*rule->border_value, c);
        if (decodes(rule, view, c)) {
            float max = gf_reference_max(view->dtype);
            if (!(v >= 0.0f && v <= max && v == floorf(v)))
                return gf_error_set(err, GF_E_BAD_PARAM, "%s: border_value %g is not a whole sample 0..%g", op->name,
                                    (double)v, (double)max);
            v = gf_reference_decode((uint32_t)v, (uint32_t)max);
        }
        image->outside[c] = v;
    }
    if (rule->alpha == GF_ALPHA_PREMULTIPLIED)
        premultiply(image->outside, view->channels);
    return GF_OK;
}

enum gf_status gf_reference_load(const struct gf_op *op, const struct gf_reference_rule *rule,
                                 const struct gf_reference_buf *in, struct gf_reference_image *ret_image,
                                 struct gf_error *err)
{
    const struct gf_view *view = &in->view;
    struct gf_reference_image image = {0};
    enum gf_status status =
        gf_reference_image_init((int64_t)view->width, (int64_t)view->height, view->channels, &image, err);
    if (status != GF_OK)
        return status;
    for (int64_t y = 0; y < image.height; y++)
        for (int64_t x = 0; x < image.width; x++) {
            for (uint32_t c = 0; c < image.channels; c++) {
                float v = gf_reference_read(in, y, x, c);
                if (decodes(rule, view, c))
                    v = gf_reference_decode((uint32_t)v, (uint32_t)gf_reference_max(view->dtype));
                *gf_reference_sample(&image, y, x, c) = v;
            }
            if (rule->alpha == GF_ALPHA_PREMULTIPLIED)
                premultiply(gf_reference_sample(&image, y, x, 0), image.channels);
        }
    status = load_outside(op, rule, view, &image, err);
    if (status != GF_OK) {
        gf_reference_image_deinit(&image);
        return status;
    }
    *ret_image = image;
    return GF_OK;
}

/* From the acc of one pixel to its values v, alpha included where it was filtered. */
static void finish_pixel(const float *acc, const struct gf_reference_rule *rule, const struct gf_view *view, float *v)
{
    uint32_t n = view->channels;
    if (rule->alpha != GF_ALPHA_PREMULTIPLIED) {
        for (uint32_t c = 0; c < n; c++)
            v[c] = fmaf(acc[c], rule->scale, rule->offset);
        return;
    }
    float alpha = fmaf(acc[n - 1], rule->scale, 0.0f);
    if (alpha < 0.0f)
        alpha = 0.0f;
    if (alpha > gf_reference_max(view->dtype))
        alpha = gf_reference_max(view->dtype);
    float r = 1.0f / alpha;
    for (uint32_t c = 0; c < n - 1; c++) {
        float p = acc[c] * rule->scale;
        float colour = alpha == 0.0f ? 0.0f : p * r;
        v[c] = colour + rule->offset;
    }
    v[n - 1] = alpha;
}

void gf_reference_store(const struct gf_reference_image *acc, const struct gf_reference_rule *rule,
                        const struct gf_reference_buf *in, struct gf_reference_buf *out)
{
    const struct gf_view *view = &in->view;
    for (int64_t y = 0; y < acc->height; y++)
        for (int64_t x = 0; x < acc->width; x++) {
            float v[GF_MAX_CHANNELS];
            finish_pixel(gf_reference_sample(acc, y, x, 0), rule, view, v);
            for (uint32_t c = 0; c < acc->channels; c++) {
                if (rule->alpha == GF_ALPHA_IGNORE && gf_reference_is_alpha(acc->channels, c))
                    v[c] = gf_reference_copied_alpha(in, y + rule->origin_y, x + rule->origin_x, out->view.dtype);
                if (decodes(rule, view, c))
                    v[c] = (float)gf_reference_encode(v[c], (uint32_t)gf_reference_max(view->dtype));
                gf_reference_write(out, y, x, c, v[c]);
            }
        }
}

float gf_reference_minimum(float a, float b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

float gf_reference_maximum(float a, float b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* SPDX-License-Identifier: MIT */
/*
 * Shared by all filters of the reference: images as f32 with their borders, and the conversion from samples to filter
 * values and back (docs/numerics.md, "General" and "Pictures"). load and store handle alpha and light; filters see
 * neither.
 */
#ifndef GF_TESTS_REFERENCE_IMAGE_H
#define GF_TESTS_REFERENCE_IMAGE_H

#include "reference.h"

/* An image of floats that can be read at any position. */
struct gf_reference_image {
    int64_t width, height;
    uint32_t channels;
    uint32_t border;                /* GF_BORDER_* */
    float outside[GF_MAX_CHANNELS]; /* of a constant border */
    float *samples;                 /* owned */
};

/* What the parameters of a filter say beside the mask. */
struct gf_reference_rule {
    uint32_t border;
    const struct gf_f32v *border_value;
    uint32_t alpha;             /* as gf_reference_alpha gives it */
    uint32_t light;             /* GF_LIGHT_* */
    float scale, offset;        /* Sc and Of */
    int64_t origin_x, origin_y; /* input pixel of the same place as output pixel 0,0 */
};

/* Whether channel c is alpha. */
bool gf_reference_is_alpha(uint32_t channels, uint32_t c);
/* Resolves auto; `mean` says whether the filter is a weighted mean. GF_ALPHA_STRAIGHT without an alpha channel. */
uint32_t gf_reference_alpha(uint32_t alpha, uint32_t channels, bool mean);
/* 255, 65535, or 1 for f32. */
float gf_reference_max(uint32_t dtype);
/* The least: -32768 of i16, else 0. */
float gf_reference_min(uint32_t dtype);

/* The index from which a border takes the sample at i; -1 for the constant. */
int64_t gf_reference_border(uint32_t border, int64_t i, int64_t n);

static inline float *gf_reference_sample(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c)
{
    return &image->samples[(y * image->width + x) * image->channels + c];
}

/* The sample at any position. */
static inline float gf_reference_at(const struct gf_reference_image *image, int64_t y, int64_t x, uint32_t c)
{
    if (y < 0 || y >= image->height)
        y = gf_reference_border(image->border, y, image->height);
    if (x < 0 || x >= image->width)
        x = gf_reference_border(image->border, x, image->width);
    return y < 0 || x < 0 ? image->outside[c] : *gf_reference_sample(image, y, x, c);
}

/* One sample as f32; the store of numerics.md, "Store". */
float gf_reference_read(const struct gf_reference_buf *buf, int64_t y, int64_t x, uint32_t c);
void gf_reference_write(const struct gf_reference_buf *buf, int64_t y, int64_t x, uint32_t c, float v);
/* Copies one sample of a dtype as it is, any NaN as the one that is stored. */
void gf_reference_copy_sample(void *to, const void *from, uint32_t dtype);
/* range=full of numerics.md, "map", from one image type to another. */
float gf_reference_full_range(float v, uint32_t from, uint32_t to);
/* The alpha of a pixel as a result of type `dtype` has it when alpha is copied. */
float gf_reference_copied_alpha(const struct gf_reference_buf *in, int64_t y, int64_t x, uint32_t dtype);

/* An image of zeros; frees nothing that ret_image held. NO_MEMORY. */
enum gf_status gf_reference_image_init(int64_t width, int64_t height, uint32_t channels,
                                       struct gf_reference_image *ret_image, struct gf_error *err);
void gf_reference_image_deinit(struct gf_reference_image *image);

/* The values that a filter reads: image and border decoded and premultiplied. BAD_PARAM for a border that cannot be
 * decoded. */
enum gf_status gf_reference_load(const struct gf_op *op, const struct gf_reference_rule *rule,
                                 const struct gf_reference_buf *in, struct gf_reference_image *ret_image,
                                 struct gf_error *err);
/* From the filter's acc to samples: scale, unpremultiply, offset, encode, round. Alpha that is ignored comes from in.
 */
void gf_reference_store(const struct gf_reference_image *acc, const struct gf_reference_rule *rule,
                        const struct gf_reference_buf *in, struct gf_reference_buf *out);

/* Linear light on the scale 0..max, max 255 or 65535. */
float gf_reference_decode(uint32_t v, uint32_t max);
uint32_t gf_reference_encode(float x, uint32_t max);

/* IEEE 754 minimum and maximum: NaN where one is NaN, and -0 is below +0. */
float gf_reference_minimum(float a, float b);
float gf_reference_maximum(float a, float b);

#endif

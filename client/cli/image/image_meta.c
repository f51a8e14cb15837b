/* SPDX-License-Identifier: MIT */
/* Metadata kept from a file; see image_meta.h. EXIF data are a TIFF file without pictures: TIFF 6.0. */
#include "image_meta.h"

#include <math.h>
#include <string.h>

enum {
    TAG_ORIENTATION = 0x0112,
    TAG_X_RESOLUTION = 0x011a,
    TAG_Y_RESOLUTION = 0x011b,
    TAG_RESOLUTION_UNIT = 0x0128,
    TYPE_SHORT = 3,
    TYPE_RATIONAL = 5,
    UNIT_CENTIMETRE = 3,
    ENTRY_BYTES = 12,
};

#define INCHES_PER_METRE (1 / 0.0254)

struct tiff {
    const uint8_t *data;
    size_t size;
    bool big; /* endian */
};

void gf_image_meta_deinit(struct gf_image_meta *meta)
{
    free(meta->profile);
    *meta = (struct gf_image_meta){0};
}

void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey)
{
    free(meta->profile);
    meta->profile = size > 0 && size <= GF_IMAGE_MAX_PROFILE ? malloc(size) : NULL;
    meta->profile_size = meta->profile ? size : 0;
    meta->profile_is_grey = is_grey;
    if (meta->profile)
        memcpy(meta->profile, profile, size);
}

/* An integer of 2 or 4 bytes, 0 outside the data. */
static uint32_t number(const struct tiff *t, size_t at, size_t bytes)
{
    uint32_t v = 0;
    if (at > t->size || t->size - at < bytes)
        return 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | t->data[at + (t->big ? i : bytes - 1 - i)];
    return v;
}

/* Where the entry of a tag of this type, of one value, is in the first directory; 0 where there is none. */
static size_t find(const struct tiff *t, uint32_t tag, uint32_t type)
{
    size_t at = number(t, 4, 4), n = number(t, at, 2);
    for (size_t i = 0; i < n; i++) {
        size_t entry = at + 2 + i * ENTRY_BYTES;
        if (number(t, entry, 2) == tag)
            return number(t, entry + 2, 2) == type && number(t, entry + 4, 4) == 1 ? entry : 0;
    }
    return 0;
}

/* Pixels per metre; 0: not said. */
static uint32_t resolution(const struct tiff *t, uint32_t tag)
{
    size_t entry = find(t, tag, TYPE_RATIONAL), unit = find(t, TAG_RESOLUTION_UNIT, TYPE_SHORT);
    size_t value = entry ? number(t, entry + 8, 4) : 0;
    double above = number(t, value, 4), below = number(t, value + 4, 4);
    double scale = unit && number(t, unit + 8, 2) == UNIT_CENTIMETRE ? 100 : INCHES_PER_METRE;
    double per_metre = entry && below > 0 ? round(above / below * scale) : 0;
    return per_metre < INT32_MAX ? (uint32_t)per_metre : 0;
}

void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta)
{
    struct tiff t = {.data = tiff, .size = size};
    if (size < 8 || (memcmp(tiff, "MM\0*", 4) != 0 && memcmp(tiff, "II*\0", 4) != 0))
        return;
    t.big = tiff[0] == 'M';
    size_t entry = find(&t, TAG_ORIENTATION, TYPE_SHORT);
    uint32_t orientation = entry ? number(&t, entry + 8, 2) : 0;
    if (orientation >= 1 && orientation <= 8)
        meta->orientation = orientation;
    if (meta->per_metre_x || meta->per_metre_y)
        return;
    meta->per_metre_x = resolution(&t, TAG_X_RESOLUTION);
    meta->per_metre_y = resolution(&t, TAG_Y_RESOLUTION);
}

void gf_exif_write(const struct gf_image_meta *meta, uint8_t ret_tiff[GF_EXIF_BYTES])
{
    /* A directory of one entry: tag, type, how many values, the value. */
    static const uint8_t tiff[GF_EXIF_BYTES] = {'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1};
    memcpy(ret_tiff, tiff, GF_EXIF_BYTES);
    ret_tiff[19] = (uint8_t)meta->orientation;
}

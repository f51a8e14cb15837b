/* SPDX-License-Identifier: MIT */
/*
 * Metadata of a file that a filtered picture keeps: orientation, resolution, colour space, EXIF and XMP; of an array,
 * its number of dimensions. Read and written by the files of the formats. Thumbnails show the picture as it was and
 * are dropped (image_exif.h, image_xmp.h).
 */
#ifndef GF_CLI_IMAGE_META_H
#define GF_CLI_IMAGE_META_H

#include "protocol/base/base.h"

struct gf_image_meta {
    uint32_t orientation;  /* EXIF 2.3, tag 0112: 1 to 8; 0: not said */
    uint32_t per_metre_x;  /* pixels; 0: not said, or without a unit */
    uint32_t per_metre_y;  /* */
    uint32_t gamma;        /* of the file's samples, times 100000; 0: not said */
    uint32_t srgb_intent;  /* 1 + the rendering intent of sRGB; 0: not said to be sRGB */
    uint32_t primaries[8]; /* times 100000: x and y of white, red, green, blue; all 0: not said */
    bool profile_is_grey;  /* a profile is for grey or for colours */
    uint32_t sides;        /* of an array, those of 1 too, save for channels of more than 1; 0: is none */
    uint8_t *profile;      /* ICC; NULL: none */
    size_t profile_size;   /* at most GF_IMAGE_MAX_PROFILE */
    uint8_t *exif;         /* a TIFF structure without orientation and thumbnail; NULL: none */
    size_t exif_size;
    char *xmp; /* without thumbnails; NULL: none */
    size_t xmp_size;
};

#define GF_IMAGE_MAX_PROFILE ((size_t)16 << 20)
void gf_image_meta_deinit(struct gf_image_meta *meta);

/* Takes a copy of the profile; leaves it out where it is too large or there is no memory. */
void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey);

#endif

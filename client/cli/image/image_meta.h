/* SPDX-License-Identifier: MIT */
/*
 * Metadata of a file that a filtered picture keeps: orientation, resolution, colour space, EXIF and XMP; for an array,
 * its number of dimensions. Read and written by the codecs. Thumbnails show the picture before filtering and are
 * dropped (image_exif.h, image_xmp.h).
 */
#ifndef GF_CLI_IMAGE_META_H
#define GF_CLI_IMAGE_META_H

#include "protocol/base/base.h"

struct gf_image_meta {
    uint32_t orientation; /* EXIF 2.3, tag 0112: 1 to 8; 0: none */
    uint32_t per_metre_x; /* pixels; 0: none, or without a unit */
    uint32_t per_metre_y;
    uint32_t gamma;        /* of the file's samples, times 100000; 0: none */
    uint32_t srgb_intent;  /* 1 + the rendering intent of sRGB; 0: not sRGB */
    uint32_t primaries[8]; /* times 100000: x and y of white, red, green, blue; all 0: none */
    bool profile_is_grey;  /* the profile is for grey, otherwise for colour */
    uint32_t sides;        /* dimensions of an array, without that of several channels; 0: not an array */
    uint8_t *profile;      /* ICC; NULL: none */
    size_t profile_size;   /* at most GF_IMAGE_MAX_PROFILE */
    uint8_t *exif;         /* a TIFF structure without orientation and thumbnail; NULL: none */
    size_t exif_size;
    char *xmp; /* without thumbnails; NULL: none */
    size_t xmp_size;
};

#define GF_IMAGE_MAX_PROFILE ((size_t)16 << 20)
void gf_image_meta_deinit(struct gf_image_meta *meta);

/* Copies a profile; drops it if it is too large or memory is short. */
void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey);

#endif

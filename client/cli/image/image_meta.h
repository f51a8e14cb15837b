/* SPDX-License-Identifier: MIT */
/*
 * Metadata of a file that a filtered picture keeps: orientation, resolution and colour space; of an array, its number
 * of dimensions. Read and written by the files of PNG, JPEG and .npy. Other metadata, above all thumbnails, shows the
 * picture as it was and is dropped.
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
};

#define GF_IMAGE_MAX_PROFILE ((size_t)16 << 20)
/* Bytes that gf_exif_write stores. */
#define GF_EXIF_BYTES 26u

void gf_image_meta_deinit(struct gf_image_meta *meta);

/* Takes a copy of the profile; leaves it out where it is too large or there is no memory. */
void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey);

/* Takes orientation and, where none is known yet, resolution from the TIFF structure of EXIF data; what is damaged or
 * makes no sense is not said. */
void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta);
/* Makes EXIF data of the orientation alone. */
void gf_exif_write(const struct gf_image_meta *meta, uint8_t ret_tiff[GF_EXIF_BYTES]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * EXIF data, which are a TIFF structure without a picture. What is kept is written anew: entries of the camera, the
 * time, the place, their directories and the maker's note where it was, without thumbnails and without what points
 * outside the data. Called by the files of formats.
 */
#ifndef GF_CLI_IMAGE_EXIF_H
#define GF_CLI_IMAGE_EXIF_H

#include "image_meta.h"
#include "protocol/base/view.h"

/* EXIF data that are kept have at most this many bytes. */
#define GF_EXIF_MAX ((size_t)1 << 20)

/* Takes orientation, resolution where none is known yet, and the data themselves; what is damaged or makes no sense is
 * not said. */
void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta);
/* The same from the directory at `at` of a TIFF file; nothing from a BigTIFF. */
void gf_exif_read_directory(const uint8_t *tiff, size_t size, uint64_t at, struct gf_image_meta *meta);

/* Makes EXIF data of what meta has, with this orientation (0: not said) and the sides of a picture. What has more than
 * `limit` bytes is left out: first the maker's note, then all but the orientation. The caller frees them. NULL: there
 * is nothing to say, or no memory. */
uint8_t *gf_exif_write(const struct gf_image_meta *meta, uint32_t orientation, const struct gf_view *view, size_t limit,
                       size_t *ret_size);

/* The directories of the camera and of the place, in this machine's byte order, as they are to lie at byte `base`
 * (even) of a TIFF file: without the maker's note, which may not be moved. */
struct gf_exif_parts {
    uint8_t *bytes; /* from malloc; NULL: there are none */
    size_t size;
    uint64_t exif, gps; /* where in the file; 0: none */
};
void gf_exif_parts(const struct gf_image_meta *meta, const struct gf_view *view, uint64_t base,
                   struct gf_exif_parts *ret_parts);

/* The text of a tag of the first directory, which the caller frees; NULL: none. */
char *gf_exif_text(const struct gf_image_meta *meta, uint16_t tag);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * EXIF data, a TIFF structure without a picture. Kept data are written anew: the entries about camera, time and place,
 * their directories, and the maker's note at its offset, without thumbnails and without entries that point outside the
 * data. Called by the codecs.
 */
#ifndef GF_CLI_IMAGE_EXIF_H
#define GF_CLI_IMAGE_EXIF_H

#include "image_meta.h"
#include "protocol/base/view.h"

/* Largest size of kept EXIF data in bytes. */
#define GF_EXIF_MAX ((size_t)1 << 20)

/* Reads the orientation, the resolution unless it is already known, and the data themselves. Damaged or meaningless
 * entries are ignored. */
void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta);
/* The same from the directory at `at` of a TIFF file; ignores BigTIFF. */
void gf_exif_read_directory(const uint8_t *tiff, size_t size, uint64_t at, struct gf_image_meta *meta);

/* Makes EXIF data from `meta` with this orientation (0: none) and the size of the view. Data beyond `limit` bytes are
 * dropped: first the maker's note, then everything except the orientation. The caller frees the data. NULL: no data, or
 * out of memory. */
uint8_t *gf_exif_write(const struct gf_image_meta *meta, uint32_t orientation, const struct gf_view *view, size_t limit,
                       size_t *ret_size);

/* The directories about the camera and the place, in native byte order, made for offset `base` (even) of a TIFF file.
 * Without the maker's note, which must not move. */
struct gf_exif_parts {
    uint8_t *bytes; /* from malloc; NULL: there are none */
    size_t size;
    uint64_t exif, gps; /* offsets in the file; 0: none */
};
void gf_exif_parts(const struct gf_image_meta *meta, const struct gf_view *view, uint64_t base,
                   struct gf_exif_parts *ret_parts);

/* The text of a tag of the first directory, which the caller frees; NULL: none. */
char *gf_exif_text(const struct gf_image_meta *meta, uint16_t tag);

#endif

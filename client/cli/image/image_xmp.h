/* SPDX-License-Identifier: MIT */
/* XMP, the metadata of programs as XML: taken over as text. Called by the files of formats. */
#ifndef GF_CLI_IMAGE_XMP_H
#define GF_CLI_IMAGE_XMP_H

#include "image_meta.h"

/* XMP that is kept has at most this many bytes. */
#define GF_XMP_MAX ((size_t)16 << 20)

/* Takes a copy without thumbnails; leaves out what is too large, not UTF-8, or for which there is no memory. */
void gf_image_meta_set_xmp(struct gf_image_meta *meta, const void *xmp, size_t size);

/* A copy that says this orientation where it says one (0: 1), zero-terminated, which the caller frees; NULL: none. */
char *gf_xmp_write(const struct gf_image_meta *meta, uint32_t orientation);

#endif

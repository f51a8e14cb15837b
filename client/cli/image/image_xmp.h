/* SPDX-License-Identifier: MIT */
/* XMP, metadata of programs as XML, kept as text. Called by the codecs. */
#ifndef GF_CLI_IMAGE_XMP_H
#define GF_CLI_IMAGE_XMP_H

#include "image_meta.h"

/* Largest size of kept XMP in bytes. */
#define GF_XMP_MAX ((size_t)16 << 20)

/* Copies XMP without thumbnails. Drops it if it is too large or not UTF-8, or if memory is short. */
void gf_image_meta_set_xmp(struct gf_image_meta *meta, const void *xmp, size_t size);

/* A zero-terminated copy with this orientation (0: 1) wherever the text names one; the caller frees it. NULL: none. */
char *gf_xmp_write(const struct gf_image_meta *meta, uint32_t orientation);

#endif

/* SPDX-License-Identifier: MIT */
/* Metadata in PNG chunks, as image_meta.h keeps it. Called by image_png.c. */
#ifndef GF_CLI_PNG_META_H
#define GF_CLI_PNG_META_H

#include <spng.h>

#include "client/cli/image/image_codec.h"

/* Takes what the chunks before the samples say of a file that has been read; damaged ones are passed over. */
void gf_png_meta_read(const struct gf_source *src, struct gf_image_meta *meta);

/* Has libspng write the chunks, after its header of `ihdr` was set. It uses `tiff`, and the profile, until the file is
 * encoded. */
void gf_png_meta_set(spng_ctx *ctx, const struct gf_image_meta *meta, const struct spng_ihdr *ihdr,
                     uint8_t tiff[GF_EXIF_BYTES]);

/* The same chunks as bytes, which the caller frees; NULL: there are none. */
uint8_t *gf_png_meta_chunks(const struct gf_image_meta *meta, const struct spng_ihdr *ihdr, size_t *ret_size);

#endif

/* SPDX-License-Identifier: MIT */
/* Metadata in PNG chunks, as image_meta.h keeps it. Called by image_png.c. */
#ifndef GF_CLI_PNG_META_H
#define GF_CLI_PNG_META_H

#include <spng.h>

#include "client/cli/image/image_codec.h"

/* Takes what the chunks before the samples say of a file that has been read; damaged ones are passed over. */
void gf_png_meta_read(const struct gf_source *src, struct gf_image_meta *meta);

/* What libspng uses until a file is encoded. */
struct gf_png_blocks {
    uint8_t *exif;
    char *xmp;
};

/* Has libspng write the chunks, after its header was set: of a picture of `ihdr`. The blocks, empty before, are used
 * with the profile until the file is encoded. */
void gf_png_meta_set(spng_ctx *ctx, const struct gf_image_meta *meta, const struct spng_ihdr *ihdr,
                     struct gf_png_blocks *ret_blocks);
/* Frees them; usable with gf_cleanup. */
void gf_png_blocks_deinit(struct gf_png_blocks *blocks);

/* The same chunks as bytes, which the caller frees; NULL: there are none. */
uint8_t *gf_png_meta_chunks(const struct gf_image_meta *meta, const struct spng_ihdr *ihdr, size_t *ret_size);

#endif

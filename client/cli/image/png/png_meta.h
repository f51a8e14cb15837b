/* SPDX-License-Identifier: MIT */
/* Conversion between PNG chunks and image_meta.h. Called by image_png.c. */
#ifndef GF_CLI_PNG_META_H
#define GF_CLI_PNG_META_H

#include <spng.h>

#include "client/cli/image/image_codec.h"

/* Reads the metadata in the chunks before the samples of a file that has been decoded. Damaged chunks are ignored. */
void gf_png_meta_read(const struct gf_source *src, struct gf_image_meta *meta);

/* Memory that libspng uses until a file is encoded. */
struct gf_png_blocks {
    uint8_t *exif;
    char *xmp;
};

/* Makes libspng write the metadata chunks of a picture; `ihdr` must have been set before. The blocks must be empty, and
 * they and the profile must live until the file is encoded. */
void gf_png_meta_set(spng_ctx *ctx, const struct gf_image_meta *meta, const struct spng_ihdr *ihdr,
                     struct gf_png_blocks *ret_blocks);
/* Frees the blocks. For gf_cleanup. */
void gf_png_blocks_deinit(struct gf_png_blocks *blocks);

/* The same chunks as bytes, which the caller frees; NULL: there are none. */
uint8_t *gf_png_meta_chunks(const struct gf_image_meta *meta, const struct spng_ihdr *ihdr, size_t *ret_size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The parts of the PNG codec: chunks in memory, metadata in chunks (png_meta.c), and PNG at the speed of ISA-L for the
 * most common kinds of files (png_fast_read.c, png_fast_write.c), which image_png.c tries before libspng. Without
 * ISA-L, png_fast_absent.c replaces both files.
 */
#ifndef GF_PNG_CODEC_H
#define GF_PNG_CODEC_H

#include <spng.h>

#include "client/image/image_codec.h"
#include "protocol/base/base.h"

/* For gf_cleanup. */
static inline void gf_png_ctx_freep(spng_ctx **ctx)
{
    spng_ctx_free(*ctx);
}

/* The offset of the first chunk of a type, up to IEND; `size` if there is none. Only chunks that lie inside the file
 * (of at least 8 bytes) count. Checksums are not checked. */
size_t gf_png_find_chunk(const uint8_t *file, size_t size, const char *type, uint32_t *ret_length);
/* The same from the chunk at `from` on. */
size_t gf_png_find_chunk_from(const uint8_t *file, size_t size, size_t from, const char *type, uint32_t *ret_length);

/* Reads the metadata in the chunks before the samples of a file that has been decoded. Damaged chunks are ignored. */
void gf_png_meta_read(const struct gf_source *src, struct gf_image_meta *meta);

/* Memory that libspng uses until a file is encoded. */
struct gf_png_blocks {
    uint8_t *exif;
    char *xmp;
    struct spng_unknown_chunk cicp;
};

#define GF_PNG_HEAD 33u /* bytes of the signature and IHDR */

/* Makes libspng write the metadata chunks of a picture; `ihdr` must have been set before. The blocks must be empty, and
 * they and `meta` must live until the file is encoded. */
void gf_png_meta_set(spng_ctx *ctx, const struct gf_image_meta *meta, const struct spng_ihdr *ihdr,
                     struct gf_png_blocks *ret_blocks);
/* Frees the blocks. For gf_cleanup. */
void gf_png_blocks_deinit(struct gf_png_blocks *blocks);

/* The same chunks, and those that are copied, as bytes, which the caller frees; NULL: there are none. */
uint8_t *gf_png_meta_chunks(const struct gf_image_meta *meta, const struct spng_ihdr *ihdr, size_t *ret_size);

/* Reads the samples of a file, by the faster way if that knows its kind. */
enum gf_io_status gf_png_decode_samples(const struct gf_source *src, struct gf_image *ret_image,
                                        struct gf_io_error *err);
/* Reads what a file whose samples were read says besides them. */
void gf_png_describe(const struct gf_source *src, struct gf_image *image);

/* An animation (APNG). The picture in the chunks IDAT is its first frame, or a page before it. */
struct gf_png_animation {
    uint64_t pages;    /* 1: no animation */
    uint32_t missing;  /* frames that the file announces and does not have */
    uint32_t plays;    /* as in image_meta.h */
    uint32_t delay[2]; /* of the first page */
    bool is_separate;  /* the first page is not a frame */
    bool lacks_end;    /* there is no IEND, but everything before it */
};

struct gf_png_animation gf_png_animation_find(const struct gf_source *src);
/* Warns of what the animation lacks. */
void gf_png_warn(const struct gf_source *src, const struct gf_png_animation *animation, struct gf_image *image);
/* Reads the chosen pages, beyond the first one or from it, as an animation shows them. */
enum gf_io_status gf_png_read_frames(const struct gf_source *src, const struct gf_png_animation *animation,
                                     const struct gf_pages *pages, struct gf_image *ret_image, struct gf_io_error *err);

/* Reads grey and RGB with and without alpha, of 8 and 16 bits, not interlaced, if all chunks and checksums are right.
 * False, with nothing stored, for other kinds and any damage, which libspng then describes. */
bool gf_png_fast_decode(const struct gf_source *src, struct gf_image *ret_image);

/* Writes a tight view of u8 or u16 with the filter "up", in row chunks on `threads` threads (0: all cores). The bytes
 * do not depend on the number of threads. `chunks` (none: NULL, 0) are written before the samples. False, with nothing
 * written: there is no ISA-L, or no memory. The output remembers its own failures. */
bool gf_png_fast_encode(struct gf_output_file *out, const struct gf_view *view, const void *data, const uint8_t *chunks,
                        size_t chunks_size, uint32_t threads);

/* Fast rather than small by default: a result is often an intermediate step. */
#define GF_PNG_LEVEL 1u

struct spng_ihdr gf_png_ihdr(const struct gf_view *view);
/* Encodes with libspng to the output of `ctx`. A level for small files also chooses the best filter for each row.
 * Returns libspng's error. */
int gf_png_encode_samples(spng_ctx *ctx, const struct gf_view *view, const void *data, uint32_t level);

#define GF_PNG_FILTERS 5u

/* Undoes filter `type` (below GF_PNG_FILTERS) of one row: `size` bytes of pixels of `bpp` bytes (1, 2, 3, 4, 6 or 8),
 * from `row`, with the finished row `above`, into `to`. The three must not overlap. */
void gf_png_unfilter(uint32_t type, uint8_t *to, const uint8_t *row, const uint8_t *above, size_t size, size_t bpp);

#endif

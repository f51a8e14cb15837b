/* SPDX-License-Identifier: MIT */
/*
 * Strict PNG through libspng, for files that png_fast_read.c does not handle: a wrong checksum or a file that ends
 * before IEND is an error; without IEND alone it is read with a warning. Grey below 8 bits becomes u8 at full range,
 * palettes become RGB, tRNS becomes alpha; 16 bits remain. Called by image.c.
 */
#include <inttypes.h>
#include <spng.h>
#include <stdio.h>
#include <string.h>

#include "png_codec.h"

/* One bit per pixel, and deflate expands a byte to at most 1032 bytes. */
#define GF_PNG_PIXELS_PER_BYTE (8 * 1032)
/* Larger text and profile chunks are damage or malice. */
#define GF_PNG_MAX_CHUNK (64u << 20)

static enum gf_io_status damaged(const struct gf_source *src, int code, struct gf_io_error *err)
{
    bool short_file = code == SPNG_IO_EOF || code == SPNG_EIDAT_TOO_SHORT;
    return gf_io_fail(err, code == SPNG_EMEM ? GF_IO_NO_MEMORY : GF_IO_DATA, "%s: damaged png: %s", src->name,
                      short_file ? "the file ends too early" : spng_strerror(code));
}

/* Whether all chunks up to IEND are present, checksums included: libspng does not notice if the last few bytes are
 * missing. */
static bool is_whole(const struct gf_source *src)
{
    uint32_t length;
    return gf_png_find_chunk(src->data, src->size, "IEND", &length) < src->size;
}

/* The target format of a PNG. */
struct png_plan {
    uint32_t dtype;
    uint32_t channels;
    int format; /* enum spng_format */
};

static struct png_plan plan_png(const struct spng_ihdr *ihdr, bool trns)
{
    uint32_t dtype = ihdr->bit_depth == 16 ? GF_U16 : GF_U8;
    bool wide = ihdr->bit_depth == 16;
    switch (ihdr->color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
        if (trns)
            return (struct png_plan){dtype, 2, wide ? SPNG_FMT_GA16 : SPNG_FMT_GA8};
        return (struct png_plan){dtype, 1, wide ? SPNG_FMT_PNG : SPNG_FMT_G8};
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
        return (struct png_plan){dtype, 2, SPNG_FMT_PNG};
    case SPNG_COLOR_TYPE_TRUECOLOR:
    case SPNG_COLOR_TYPE_INDEXED:
        if (trns)
            return (struct png_plan){dtype, 4, wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8};
        return (struct png_plan){dtype, 3, wide ? SPNG_FMT_PNG : SPNG_FMT_RGB8};
    default:
        return (struct png_plan){dtype, 4, SPNG_FMT_PNG};
    }
}

/* Reads the chunks before the pixels and plans the result. */
static enum gf_io_status read_header(const struct gf_source *src, spng_ctx *ctx, struct png_plan *ret_plan,
                                     struct gf_view *ret_view, struct gf_io_error *err)
{
    struct spng_ihdr ihdr;
    struct spng_trns trns;
    int code = src->how.only_head || is_whole(src) ? spng_set_png_buffer(ctx, src->data, src->size) : SPNG_IO_EOF;
    if (!code)
        code = spng_set_chunk_limits(ctx, GF_PNG_MAX_CHUNK, GF_PNG_MAX_CHUNK);
    if (!code)
        code = spng_set_crc_action(ctx, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
    if (!code)
        code = spng_get_ihdr(ctx, &ihdr);
    if (code == SPNG_EOVERFLOW) /* the sides are right in PNG, but no picture has them */
        return gf_image_plan(src, GF_U8, gf_get_be32(src->data + 16), gf_get_be32(src->data + 20), 1,
                             GF_PNG_PIXELS_PER_BYTE, ret_view, err);
    if (code)
        return damaged(src, code, err);
    code = spng_get_trns(ctx, &trns);
    if (code && code != SPNG_ECHUNKAVAIL)
        return damaged(src, code, err);
    *ret_plan = plan_png(&ihdr, code == 0);
    return gf_image_plan(src, ret_plan->dtype, ihdr.width, ihdr.height, ret_plan->channels, GF_PNG_PIXELS_PER_BYTE,
                         ret_view, err);
}

/* Reads rows up to the damage, which `why` describes. The rows of an interlaced file come once per pass. False if there
 * is none. */
static bool read_rows(const struct gf_source *src, spng_ctx *ctx, int format, const char *why, struct gf_image *image)
{
    const struct gf_view *view = &image->view;
    struct spng_row_info row;
    uint64_t n = 0;
    memset(image->data, 0, gf_view_bytes(view));
    int code = spng_decode_image(ctx, NULL, 0, format, SPNG_DECODE_TRNS | SPNG_DECODE_PROGRESSIVE);
    for (; !code; n += !code || code == SPNG_EOI) {
        code = spng_get_row_info(ctx, &row);
        if (!code)
            code = spng_decode_row(ctx, (uint8_t *)image->data + row.row_num * view->pitch, view->pitch);
    }
    if (src->data[28] != 0 && code != SPNG_EOI)
        gf_image_warn(image, "%s; salvaged in part", why);
    else
        gf_image_warn(image, "%s; salvaged %" PRIu64 " of %" PRIu64 " rows", why, n < view->height ? n : view->height,
                      view->height);
    return n > 0;
}

/* Reads a file through libspng; with `why`, which describes its damage, up to there. */
static enum gf_io_status decode(const struct gf_source *src, const char *why, struct gf_image *ret_image,
                                struct gf_io_error *err)
{
    gf_cleanup(gf_png_ctx_freep) spng_ctx *ctx = spng_ctx_new(0);
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct png_plan plan = {0};
    struct gf_view view = {0};
    size_t size = 0;
    if (!ctx)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", src->name);
    enum gf_io_status r = read_header(src, ctx, &plan, &view, err);
    if (r != GF_IO_OK)
        return r;
    int code = why ? spng_set_crc_action(ctx, SPNG_CRC_USE, SPNG_CRC_DISCARD) : 0;
    if (!code)
        code = spng_decoded_image_size(ctx, plan.format, &size);
    if (code)
        return damaged(src, code, err);
    if (size != gf_view_bytes(&view))
        return gf_io_fail(err, GF_IO_INTERNAL,
                          "%s: libspng needs %zu bytes for the picture, which its header contradicts", src->name, size);
    r = gf_image_alloc(src, &view, &image, err);
    if (r != GF_IO_OK)
        return r;
    if (why && !read_rows(src, ctx, plan.format, why, &image))
        return GF_IO_DATA;
    if (!why && !src->how.only_head)
        code = spng_decode_image(ctx, image.data, size, plan.format, SPNG_DECODE_TRNS);
    if (!why && !src->how.only_head && !code)
        code = spng_decode_chunks(ctx); /* up to IEND, to find damage after the pixels */
    if (code)
        return damaged(src, code, err);
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

/* Reads what the file says besides the samples. */
void gf_png_describe(const struct gf_source *src, struct gf_image *image)
{
    uint32_t length;
    gf_png_meta_read(src, &image->meta);
    image->coding.bits = src->data[24];
    image->coding.compression = src->data[28] ? "deflate, interlaced" : "deflate";
    if (!image->meta.profile && gf_png_find_chunk(src->data, src->size, "iCCP", &length) < src->size)
        gf_image_warn(image, "%s: the colour profile is damaged or too large and is not kept", src->name);
}

enum gf_io_status gf_png_decode_samples(const struct gf_source *src, struct gf_image *ret_image,
                                        struct gf_io_error *err)
{
    return !src->how.only_head && gf_png_fast_decode(src, ret_image) ? GF_IO_OK : decode(src, NULL, ret_image, err);
}

/* Completes the copy of a file that lacks only IEND or a part of it, or, to `salvage` it, that ends anywhere.
 * *ret_copy: the memory of the copy, which the caller frees; NULL: another file, or out of memory. */
static struct gf_source add_end(const struct gf_source *src, bool salvage, uint8_t **ret_copy)
{
    static const uint8_t iend[12] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    struct gf_source whole = *src;
    uint32_t length;
    size_t pos = 8;
    *ret_copy = NULL;
    while (src->size - pos >= sizeof(iend) && gf_get_be32(src->data + pos) <= src->size - pos - sizeof(iend))
        pos += sizeof(iend) + gf_get_be32(src->data + pos);
    const size_t left = src->size - pos;
    const bool fits = !is_whole(src) && gf_png_find_chunk(src->data, src->size, "IDAT", &length) < src->size &&
                      left < sizeof(iend) && memcmp(src->data + pos, iend, left) == 0;
    if (fits || (salvage && !is_whole(src)))
        *ret_copy = calloc(1, src->size + 2 * sizeof(iend));
    uint8_t *copy = *ret_copy;
    if (!copy)
        return whole;
    memcpy(copy, src->data, src->size);
    if (!fits && left > 8 && memcmp(copy + pos + 4, "IDAT", 4) == 0) { /* as long as it is, with any checksum */
        length = gf_get_be32(copy + pos) < left - 8 ? gf_get_be32(copy + pos) : (uint32_t)(left - 8);
        for (size_t i = 0; i < 4; i++)
            copy[pos + i] = (uint8_t)(length >> (24 - 8 * i));
        pos += sizeof(iend) + length;
    }
    memcpy(copy + pos, iend, sizeof(iend));
    whole.data = copy;
    whole.size = pos + sizeof(iend);
    return whole;
}

/* Reads the samples of a damaged file up to the damage, which `err` describes, if they are wanted. */
static enum gf_io_status salvage(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) uint8_t *copy = NULL;
    const struct gf_source whole = add_end(src, true, &copy);
    enum gf_io_status r = decode(&whole, err->text, ret_image, NULL);
    if (r != GF_IO_OK)
        return err->status;
    gf_png_describe(&whole, ret_image);
    gf_image_block_clear(&ret_image->meta.light); /* chunks that are copied must have the right checksum */
    gf_image_block_clear(&ret_image->meta.text);
    return GF_IO_OK;
}

/* Reads the picture that programs show which know nothing of animations, from the file `whole` that has its end mark.
 */
static enum gf_io_status read_still(const struct gf_source *src, const struct gf_source *whole,
                                    struct gf_image *ret_image, struct gf_io_error *err)
{
    uint32_t length;
    struct gf_io_error why;
    const bool head = src->how.only_head;
    enum gf_io_status r = gf_png_decode_samples(whole, ret_image, &why);
    if (r == GF_IO_OK)
        gf_png_describe(whole, ret_image);
    else if (r == GF_IO_DATA && src->how.salvage)
        r = salvage(src, ret_image, &why);
    if (r != GF_IO_OK)
        return err ? *err = why, r : r;
    if (head && gf_png_find_chunk(src->data, src->size, "IEND", &length) == src->size)
        gf_image_warn(ret_image, "%s: has no end mark (IEND); the file may be truncated", src->name);
    return GF_IO_OK;
}

enum gf_io_status gf_png_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    uint32_t length;
    struct gf_pages pages;
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_freep) uint8_t *copy = NULL;
    const struct gf_source whole = src->how.only_head ? *src : add_end(src, false, &copy);
    struct gf_png_animation animation = gf_png_animation_find(src);
    const size_t end = gf_png_find_chunk(src->data, src->size, "IEND", &length);
    enum gf_io_status r =
        gf_image_choose_pages(src, animation.pages > 1 ? "frame" : "picture", animation.pages, &pages, err);
    if (r != GF_IO_OK)
        return r;
    animation.lacks_end = copy != NULL;
    if (pages.end > 1 && !src->how.only_head) {
        r = gf_png_read_frames(&whole, &animation, &pages, ret_image, err);
    } else {
        r = read_still(src, &whole, &image, err);
        image.meta.plays = animation.plays;
        memcpy(image.meta.delay, animation.delay, sizeof(animation.delay));
        gf_png_warn(src, &animation, &image);
        if (r == GF_IO_OK)
            r = gf_image_give(src, &pages, &image, ret_image, err);
    }
    ret_image->file_bytes = end < src->size ? end + 12 : src->size;
    return r;
}

struct spng_ihdr gf_png_ihdr(const struct gf_view *view)
{
    static const uint8_t types[GF_MAX_CHANNELS + 1] = {0, SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                                       SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    return (struct spng_ihdr){.width = (uint32_t)view->width,
                              .height = (uint32_t)view->height,
                              .bit_depth = view->dtype == GF_U16 ? 16 : 8,
                              .color_type = types[view->channels]};
}

/* An output into which chunks are inserted. */
struct stream {
    struct gf_output_file *out;
    const uint8_t *chunks;
    size_t chunks_size, at; /* bytes written without the chunks */
};

static int write_bytes(spng_ctx *ctx, void *user, void *bytes, size_t size)
{
    struct stream *s = user;
    size_t before = s->at >= GF_PNG_HEAD ? 0 : size < GF_PNG_HEAD - s->at ? size : GF_PNG_HEAD - s->at;
    (void)ctx;
    (void)gf_output_write(s->out, bytes, before, NULL);
    if (before > 0 && s->at + before == GF_PNG_HEAD)
        (void)gf_output_write(s->out, s->chunks, s->chunks_size, NULL);
    s->at += size;
    return gf_output_write(s->out, (uint8_t *)bytes + before, size - before, NULL) == GF_IO_OK ? 0 : SPNG_IO_ERROR;
}

int gf_png_encode_samples(spng_ctx *ctx, const struct gf_view *view, const void *data, uint32_t level)
{
    struct spng_ihdr ihdr = gf_png_ihdr(view);
    int code = spng_set_option(ctx, SPNG_IMG_COMPRESSION_LEVEL, (int)level);
    if (!code)
        code = spng_set_option(ctx, SPNG_FILTER_CHOICE,
                               level > GF_PNG_LEVEL ? SPNG_FILTER_CHOICE_ALL : SPNG_FILTER_CHOICE_UP);
    if (!code)
        code = spng_set_ihdr(ctx, &ihdr);
    return code ? code : spng_encode_image(ctx, data, gf_view_bytes(view), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
}

static int encode(struct stream *s, const struct gf_view *view, const void *data, uint32_t level)
{
    gf_cleanup(gf_png_ctx_freep) spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    int code = ctx ? spng_set_png_stream(ctx, write_bytes, s) : SPNG_EMEM;
    return code ? code : gf_png_encode_samples(ctx, view, data, level);
}

enum gf_io_status gf_png_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    static const struct gf_image_meta none;
    const struct spng_ihdr ihdr = gf_png_ihdr(view);
    const struct gf_image_meta *meta = save->meta ? save->meta : &none;
    uint32_t level = save->png_level ? save->png_level : GF_PNG_LEVEL;
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *chunks = gf_png_meta_chunks(meta, &ihdr, &size);
    bool done = level == GF_PNG_LEVEL && gf_png_fast_encode(out, view, data, chunks, size, save->threads);
    struct stream stream = {.out = out, .chunks = chunks, .chunks_size = size};
    int code = done ? 0 : encode(&stream, view, data, level);
    /* The output reports its own failure in better words. */
    enum gf_io_status r = gf_output_write(out, NULL, 0, err);
    if (r == GF_IO_OK && code)
        r = gf_io_fail(err, GF_IO_INTERNAL, "png: %s", spng_strerror(code));
    return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads PNG through ISA-L: checks the chunks, inflates their data through a window that stays in the cache, and
 * unfilters the rows from there into the picture. Unusual files are left to libspng. Called by image_png.c.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

#include "png_codec.h"

#define WINDOW_BYTES (256u << 10)
/* Deflate expands a byte to at most 1032 bytes. */
#define MAX_RATIO 1032u

/* A complete file whose chunks are in order. */
struct png_file {
    size_t idat; /* offset of the first IDAT chunk; the others follow it */
    uint32_t width, height, depth, color_type;
};

struct inflater {
    struct inflate_state state;
    const struct gf_source *src;
    size_t next; /* the chunk to feed next */
    size_t have; /* unused bytes in the window */
    size_t capacity;
    uint8_t window[];
};

/* Whether the chunk at `pos`, of at least 12 bytes, has the type. */
static bool is_type(const struct gf_source *src, size_t pos, const char *type)
{
    return memcmp(src->data + pos + 4, type, 4) == 0;
}

/* Whether a complete chunk with the right checksum is at `pos`. */
static bool is_sound(const struct gf_source *src, size_t pos, size_t *ret_next)
{
    if (src->size - pos < 12)
        return false;
    const uint8_t *chunk = src->data + pos;
    uint32_t length = gf_get_be32(chunk);
    if (length > src->size - pos - 12 ||
        gf_get_be32(chunk + 8 + length) != crc32_gzip_refl(0, chunk + 4, 4 + (size_t)length))
        return false;
    *ret_next = pos + 12 + length;
    return true;
}

/* Whether the chunk cannot change samples: ancillary chunks (lower-case first letter) other than tRNS. */
static bool is_optional(const struct gf_source *src, size_t pos)
{
    return (src->data[pos + 4] & 0x20) != 0 && !is_type(src, pos, "tRNS");
}

static bool read_ihdr(const struct gf_source *src, struct png_file *file)
{
    const uint8_t *ihdr = src->data + 16;
    if (src->size < 33 || gf_get_be32(src->data + 8) != 13 || !is_type(src, 8, "IHDR"))
        return false;
    file->width = gf_get_be32(ihdr);
    file->height = gf_get_be32(ihdr + 4);
    file->depth = ihdr[8];
    file->color_type = ihdr[9];
    bool plain = file->color_type <= 6 && file->color_type % 2 == 0 && (file->depth == 8 || file->depth == 16);
    return plain && ihdr[10] == 0 && ihdr[11] == 0 && ihdr[12] == 0;
}

/* Checks every chunk up to IEND. */
static bool check_chunks(const struct gf_source *src, struct png_file *file)
{
    size_t pos = 8, next = 0;
    bool in_idat = false;
    file->idat = 0;
    if (!read_ihdr(src, file))
        return false;
    for (; is_sound(src, pos, &next); pos = next) {
        bool idat = is_type(src, pos, "IDAT");
        if (is_type(src, pos, "IEND"))
            return file->idat != 0 && next - pos == 12;
        if (idat && file->idat != 0 && !in_idat)
            return false; /* the samples are in two places */
        if (idat && file->idat == 0)
            file->idat = pos;
        if (!idat && pos != 8 && !is_optional(src, pos))
            return false;
        in_idat = idat;
    }
    return false;
}

/* Feeds the next IDAT chunk; false if there is none. */
static bool feed(struct inflater *in)
{
    if (!is_type(in->src, in->next, "IDAT"))
        return false;
    in->state.avail_in = gf_get_be32(in->src->data + in->next);
    in->state.next_in = (uint8_t *)(uintptr_t)(in->src->data + in->next + 8);
    in->next += 12 + (size_t)in->state.avail_in;
    return true;
}

/* Fills the window until it is full or the stream ends. False if the data are damaged or end early. */
static bool fill(struct inflater *in)
{
    struct inflate_state *s = &in->state;
    s->next_out = in->window + in->have;
    s->avail_out = (uint32_t)(in->capacity - in->have);
    for (;;) {
        if (isal_inflate(s) < 0)
            return false;
        if (s->avail_out == 0 || s->block_state == ISAL_BLOCK_FINISH)
            break;
        if (!feed(in))
            return false;
    }
    in->have = in->capacity - s->avail_out;
    return true;
}

static void swap_pairs(uint8_t *row, size_t size)
{
    for (size_t i = 0; i < size; i += 2) {
        uint8_t high = row[i];
        row[i] = row[i + 1];
        row[i + 1] = high;
    }
}

/* Takes complete rows out of the window. False for an unknown filter. */
static bool take_rows(struct inflater *in, const struct gf_view *view, uint8_t *to, const uint8_t *zeros, uint64_t *y)
{
    size_t pitch = view->pitch, at = 0;
    size_t bpp = view->channels * (view->dtype == GF_U16 ? 2u : 1u);
    for (; *y < view->height && in->have - at > pitch; ++*y, at += 1 + pitch) {
        uint8_t *row = in->window + at + 1, *into = to + *y * pitch;
        if (row[-1] >= GF_PNG_FILTERS)
            return false;
        if (view->dtype == GF_U16)
            swap_pairs(row, pitch); /* filters treat both bytes of a sample alike */
        gf_png_unfilter(row[-1], into, row, *y > 0 ? into - pitch : zeros, pitch, bpp);
    }
    memmove(in->window, in->window + at, in->have - at);
    in->have -= at;
    return true;
}

/* Inflates exactly the picture, and the end of the stream with its checksum. */
static bool read_samples(struct inflater *in, const struct gf_view *view, uint8_t *to)
{
    gf_cleanup(gf_freep) uint8_t *zeros = calloc(1, view->pitch);
    uint64_t y = 0;
    bool good = zeros != NULL;
    isal_inflate_init(&in->state);
    in->state.crc_flag = ISAL_ZLIB;
    (void)feed(in);
    while (good && y < view->height) {
        good = fill(in) && take_rows(in, view, to, zeros, &y);
        if (y < view->height && in->state.block_state == ISAL_BLOCK_FINISH)
            good = false; /* fewer rows than the header claims */
    }
    if (good && in->have == 0 && in->state.block_state != ISAL_BLOCK_FINISH)
        good = fill(in);
    return good && in->have == 0 && in->state.block_state == ISAL_BLOCK_FINISH && in->state.avail_in == 0 &&
           !is_type(in->src, in->next, "IDAT");
}

bool gf_png_fast_decode(const struct gf_source *src, struct gf_image *ret_image)
{
    static const uint32_t channels[7] = {1, 0, 3, 0, 2, 0, 4};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct png_file file;
    struct gf_view view;
    if (!check_chunks(src, &file) ||
        gf_image_plan(src, file.depth == 16 ? GF_U16 : GF_U8, file.width, file.height, channels[file.color_type],
                      MAX_RATIO, &view, NULL) != GF_IO_OK ||
        gf_image_alloc(src, &view, &image, NULL) != GF_IO_OK)
        return false;
    size_t capacity = view.pitch < WINDOW_BYTES / 2 ? WINDOW_BYTES : 2 * (1 + view.pitch);
    gf_cleanup(gf_freep) struct inflater *in = malloc(sizeof(*in) + capacity);
    if (!in)
        return false;
    in->src = src;
    in->next = file.idat;
    in->have = 0;
    in->capacity = capacity;
    if (!read_samples(in, &view, image.data))
        return false;
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads TGA: colour-mapped, true-colour and grey, plain and run-length coded, with any first index of the map, and rows
 * and columns from either end. TGA has no magic number, so the header is checked strictly. Called by image.c.
 */
#include <inttypes.h>
#include <string.h>

#include "image_codec.h"

#define HEADER 18u
#define FOOTER 26u
#define FOOTER_MARK "TRUEVISION-XFILE." /* with its null byte, the last bytes of a version 2 file */

enum kind { MAPPED = 1, COLOUR = 2, GREY = 3, RUNS = 8 };

struct tga {
    const struct gf_source *src;
    uint32_t kind, bits, map_bits, map_first, map_length, alpha_bits;
    uint64_t width, height;
    bool runs, from_right, from_top;
    uint32_t channels, bytes; /* of the picture; per stored pixel */
    size_t map_at, pixels_at, end;
};

static uint32_t number(const uint8_t *from, uint32_t bytes)
{
    return bytes == 1 ? from[0] : (uint32_t)from[1] << 8 | from[0];
}

/* The number of channels of a stored colour; 0 for an unsupported number of bits. */
static uint32_t channels_of(uint32_t bits)
{
    return bits == 32 ? 4 : bits == 15 || bits == 16 || bits == 24 ? 3 : 0;
}

static const char *check_kind(struct tga *t, uint8_t type, uint8_t map_type)
{
    t->kind = type & ~(uint32_t)RUNS;
    t->runs = type & RUNS;
    if (type > (GREY | RUNS) || t->kind < MAPPED || t->kind > GREY)
        return "the type must be one of 1, 2, 3, 9, 10, 11";
    if (map_type > 1 || (t->kind == MAPPED && map_type == 0))
        return "the type and the colour map contradict each other";
    if (t->kind == MAPPED && t->bits != 8 && t->bits != 16)
        return "an index must have 8 or 16 bits";
    if (t->kind == GREY && t->bits != 8 && t->bits != 16)
        return "grey must have 8 or 16 bits";
    if (t->kind == GREY)
        t->channels = t->bits / 8;
    else
        t->channels = channels_of(t->kind == MAPPED ? t->map_bits : t->bits);
    return t->channels > 0 ? NULL : "a colour must have 15, 16, 24 or 32 bits";
}

/* Reads the header. Returns the error; NULL: none. */
static const char *read_header(struct tga *t)
{
    const uint8_t *h = t->src->data;
    if (t->src->size < HEADER)
        return "the file ends too early";
    t->map_first = number(h + 3, 2);
    t->map_length = number(h + 5, 2);
    t->map_bits = h[7];
    t->width = number(h + 12, 2);
    t->height = number(h + 14, 2);
    t->bits = h[16];
    t->alpha_bits = h[17] & 15;
    t->from_right = h[17] & 16;
    t->from_top = h[17] & 32;
    t->bytes = (t->bits + 7) / 8;
    t->map_at = HEADER + h[0];
    t->pixels_at = t->map_at + (h[1] == 1 ? (size_t)t->map_length * ((t->map_bits + 7) / 8) : 0);
    const char *why = check_kind(t, h[2], h[1]);
    if (!why && h[17] & 0xc0)
        why = "interleaved rows are not supported";
    if (!why && (t->width == 0 || t->height == 0))
        why = "the width or the height is 0";
    if (!why && t->pixels_at > t->src->size)
        why = "the file ends too early";
    return why;
}

bool gf_tga_is_possible(const struct gf_source *src)
{
    struct tga t = {.src = src};
    bool marked = src->size >= sizeof(FOOTER_MARK) &&
                  memcmp(src->data + src->size - sizeof(FOOTER_MARK), FOOTER_MARK, sizeof(FOOTER_MARK)) == 0;
    return read_header(&t) == NULL || marked;
}

static enum gf_io_status damaged(const struct tga *t, const char *why, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_DATA, "%s: damaged tga: %s", t->src->name, why);
}

static uint8_t scale5(uint32_t value)
{
    return (uint8_t)(((value & 31) * 255 + 15) / 31);
}

/* Converts a stored colour. Files do not agree on the meaning of the 16th bit of 16-bit colours, so it is ignored. */
static void put_colour(uint8_t *to, const uint8_t *from, uint32_t bits)
{
    uint32_t v = number(from, 2);
    if (bits <= 16) {
        to[0] = scale5(v >> 10);
        to[1] = scale5(v >> 5);
        to[2] = scale5(v);
    } else {
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
    }
    if (bits == 32)
        to[3] = from[3];
}

/* Stores the colour of an index. */
static enum gf_io_status put_mapped(const struct tga *t, const struct gf_image *image, uint8_t *to, const uint8_t *from,
                                    struct gf_io_error *err)
{
    uint32_t index = number(from, t->bytes), bytes = (t->map_bits + 7) / 8;
    if (index >= t->map_first && index - t->map_first < t->map_length) {
        put_colour(to, t->src->data + t->map_at + (size_t)(index - t->map_first) * bytes, t->map_bits);
        return GF_IO_OK;
    }
    uint64_t pixel = (uint64_t)(to - (uint8_t *)image->data) / t->channels;
    return gf_io_fail(err, GF_IO_DATA,
                      "%s: damaged tga: pixel %" PRIu64 ",%" PRIu64
                      " has colour %u, but the map has %u colours from %u on",
                      t->src->name, pixel % t->width, pixel / t->width, index, t->map_length, t->map_first);
}

/* Stores `n` pixels of one row, beginning with pixel `i` in file order. `step` is the distance of stored pixels in
 * bytes. */
static enum gf_io_status put_pixels(const struct tga *t, const struct gf_image *image, uint64_t i, uint64_t n,
                                    const uint8_t *from, size_t step, struct gf_io_error *err)
{
    uint64_t x = i % t->width, y = i / t->width;
    x = t->from_right ? t->width - 1 - x : x;
    y = t->from_top ? y : t->height - 1 - y;
    uint8_t *to = (uint8_t *)image->data + (y * t->width + x) * t->channels;
    enum gf_io_status r = GF_IO_OK;
    if (t->kind == GREY && !t->from_right && step > 0) {
        memcpy(to, from, n * t->channels);
        return GF_IO_OK;
    }
    for (; n > 0 && r == GF_IO_OK; n--, from += step) {
        if (t->kind == COLOUR)
            put_colour(to, from, t->bits);
        else if (t->kind == GREY)
            memcpy(to, from, t->channels);
        else
            r = put_mapped(t, image, to, from, err);
        if (n > 1)
            to = t->from_right ? to - t->channels : to + t->channels;
    }
    return r;
}

static enum gf_io_status read_plain(struct tga *t, const struct gf_image *image, struct gf_io_error *err)
{
    uint64_t row = t->width * t->bytes;
    enum gf_io_status r = GF_IO_OK;
    if (t->src->size - t->pixels_at < row * t->height)
        return damaged(t, "the file ends too early", err);
    for (uint64_t y = 0; y < t->height && r == GF_IO_OK; y++)
        r = put_pixels(t, image, y * t->width, t->width, t->src->data + t->pixels_at + y * row, t->bytes, err);
    t->end = t->pixels_at + row * t->height;
    return r;
}

/* Reads runs of one repeated pixel or of different pixels. Old writers let a run continue in the next row. */
static enum gf_io_status read_runs(struct tga *t, const struct gf_image *image, struct gf_io_error *err)
{
    uint64_t n = t->width * t->height;
    size_t pos = t->pixels_at, size = t->src->size;
    for (uint64_t i = 0; i < n;) {
        if (pos == size)
            return damaged(t, "the file ends too early", err);
        uint8_t code = t->src->data[pos++];
        uint64_t run = (code & 127u) + 1, step = code & 128 ? 0 : t->bytes;
        size_t bytes = code & 128 ? t->bytes : run * t->bytes;
        if (size - pos < bytes)
            return damaged(t, "the file ends too early", err);
        if (run > n - i)
            return damaged(t, "a run goes past the last pixel", err);
        const uint8_t *from = t->src->data + pos;
        while (run > 0) {
            uint64_t left = t->width - i % t->width, part = run < left ? run : left;
            enum gf_io_status r = put_pixels(t, image, i, part, from, step, err);
            if (r != GF_IO_OK)
                return r;
            i += part;
            run -= part;
            from += part * step;
        }
        pos += bytes;
    }
    t->end = pos;
    return GF_IO_OK;
}

/* The end of the picture's file: after the footer of version 2 if it follows at once, or after the areas that the
 * footer names; otherwise after the pixels. */
static size_t find_end(const struct tga *t)
{
    const uint8_t *rest = t->src->data + t->end;
    size_t left = t->src->size - t->end, head = FOOTER - sizeof(FOOTER_MARK);
    const uint8_t *mark = memmem(rest, left, FOOTER_MARK, sizeof(FOOTER_MARK));
    if (!mark || (size_t)(mark - rest) < head)
        return t->end;
    const uint8_t *footer = mark - head;
    bool more = false;
    for (uint32_t i = 0; i < 2; i++)
        more |= ((size_t)number(footer + 4 * i + 2, 2) << 16 | number(footer + 4 * i, 2)) >= t->end;
    return footer == rest || more ? t->end + (size_t)(footer - rest) + FOOTER : t->end;
}

enum gf_io_status gf_tga_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_source own = *src; /* whether a fourth byte is alpha, only the samples tell */
    struct tga t = {.src = &own};
    struct gf_view view;
    const char *why = read_header(&t);
    if (why)
        return damaged(&t, why, err);
    /* A run stores 128 pixels in two bytes. */
    enum gf_io_status r = gf_image_plan(src, GF_U8, t.width, t.height, t.channels, t.runs ? 64 : 1, &view, err);
    const bool alpha_is_guess = t.channels == 4 && t.alpha_bits == 0;
    own.how.only_head &= !alpha_is_guess;
    if (r == GF_IO_OK)
        r = gf_image_alloc(&own, &view, &image, err);
    if (r == GF_IO_OK && !own.how.only_head)
        r = t.runs ? read_runs(&t, &image, err) : read_plain(&t, &image, err);
    if (r != GF_IO_OK)
        return r;
    if (alpha_is_guess)
        gf_image_drop_empty_alpha(&image);
    if (!own.how.only_head)
        image.file_bytes = find_end(&t);
    image.coding.bits = t.kind == COLOUR && t.bits <= 16 ? 5 : 8;
    image.coding.compression = t.runs ? "RLE" : "none";
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

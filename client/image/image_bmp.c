/* SPDX-License-Identifier: MIT */
/*
 * Reads BMP: headers of OS/2 and Windows, 12 to 124 bytes; palettes of 1 to 8 bits, also run-length coded, which become
 * RGB; 16, 24 and 32 bits, in fields of any width; rows from either end. Every sample comes from the file: a colour
 * beyond the palette is damage, not black. Called by image.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image_codec.h"

#define FILE_HEADER 14u
#define MASKS_AT (FILE_HEADER + 40u) /* after the header of 40 bytes, inside longer headers */
#define MAX_COLOURS 256u

enum header {
    OS2_CORE = 12,
    OS2_SHORT = 16,
    INFO = 40,
    INFO_RGB = 52,
    INFO_RGBA = 56,
    OS2_FULL = 64,
    V4 = 108,
    V5 = 124
};

enum compression { NONE = 0, RLE8 = 1, RLE4 = 2, FIELDS = 3, JPEG_INSIDE = 4, PNG_INSIDE = 5, FIELDS_RGBA = 6 };

/* The bits of one channel in a pixel. */
struct field {
    uint32_t mask, shift, max;
};

struct bmp {
    const struct gf_source *src;
    uint32_t header, bits, compression;
    int64_t width, height; /* negative height: rows from the top */
    size_t pixels_at, palette_at, end;
    uint32_t n_colours;
    uint8_t colours[MAX_COLOURS][3];
    uint32_t channels; /* of the picture */
    struct field fields[4];
    bool alpha_is_guess; /* no header says that the fourth byte is alpha */
};

static enum gf_io_status damaged(const struct bmp *b, const char *why, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_DATA, "%s: damaged bmp: %s", b->src->name, why);
}

static uint32_t number(const struct bmp *b, size_t at, uint32_t bytes)
{
    uint32_t v = 0;
    for (uint32_t i = bytes; i > 0; i--)
        v = v << 8 | b->src->data[at + i - 1];
    return v;
}

/* Reads a number that only longer headers have; otherwise 0. */
static uint32_t option(const struct bmp *b, size_t at)
{
    return FILE_HEADER + b->header >= at + 4 ? number(b, at, 4) : 0;
}

static bool header_is_known(uint32_t bytes)
{
    return bytes == OS2_CORE || bytes == OS2_SHORT || bytes == INFO || bytes == INFO_RGB || bytes == INFO_RGBA ||
           bytes == OS2_FULL || bytes == V4 || bytes == V5;
}

/* Refuses pixels that are stored in an unsupported way. */
static enum gf_io_status check_compression(const struct bmp *b, struct gf_io_error *err)
{
    uint32_t c = b->compression, bits = b->bits;
    bool palette = bits == 1 || bits == 2 || bits == 4 || bits == 8;
    bool wide = bits == 16 || bits == 32;
    if (!palette && !wide && bits != 24)
        return gf_io_fail(err, GF_IO_DATA, "%s: bmp with %u bits per pixel; it must be one of 1, 2, 4, 8, 16, 24, 32",
                          b->src->name, bits);
    if (b->header == OS2_FULL && (c == FIELDS || c == JPEG_INSIDE))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: bmp of OS/2 compressed by %s, which is not supported; convert it to PNG", b->src->name,
                          c == FIELDS ? "Huffman coding" : "RLE24");
    if (c == JPEG_INSIDE || c == PNG_INSIDE)
        return gf_io_fail(err, GF_IO_DATA, "%s: bmp that contains a %s file, which is not supported; convert it to PNG",
                          b->src->name, c == JPEG_INSIDE ? "JPEG" : "PNG");
    bool good = c == NONE || (c == RLE8 && bits == 8) || (c == RLE4 && bits == 4) || (c == FIELDS && wide) ||
                (c == FIELDS_RGBA && wide && b->header != INFO_RGB);
    if (!good)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged bmp: compression %u with %u bits per pixel", b->src->name, c,
                          bits);
    if (b->height < 0 && (c == RLE8 || c == RLE4))
        return damaged(b, "run-length coded rows must begin at the bottom, but the height is negative", err);
    return GF_IO_OK;
}

static enum gf_io_status read_header(struct bmp *b, struct gf_io_error *err)
{
    size_t size = b->src->size;
    b->header = size >= FILE_HEADER + 4 ? number(b, FILE_HEADER, 4) : 0;
    if (size >= FILE_HEADER + 4 && !header_is_known(b->header))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: bmp with a header of %u bytes; it must be one of 12, 16, 40, 52, 56, 64, 108, 124",
                          b->src->name, b->header);
    if (b->header == 0 || size - FILE_HEADER < b->header)
        return damaged(b, "the file ends too early", err);
    uint32_t side = b->header == OS2_CORE ? 2 : 4;
    b->width = side == 2 ? (int64_t)number(b, 18, 2) : (int32_t)number(b, 18, 4);
    b->height = side == 2 ? (int64_t)number(b, 20, 2) : (int32_t)number(b, 22, 4);
    if (number(b, 18 + 2 * side, 2) != 1)
        return damaged(b, "the number of planes is not 1", err);
    b->bits = number(b, 20 + 2 * side, 2);
    b->compression = option(b, 30);
    b->pixels_at = number(b, 10, 4);
    b->palette_at = FILE_HEADER + b->header;
    if (b->header == INFO && b->compression == FIELDS)
        b->palette_at += 12;
    else if (b->header == INFO && b->compression == FIELDS_RGBA)
        b->palette_at += 16;
    if (b->width < 0)
        return damaged(b, "the width is negative", err);
    if (b->pixels_at < b->palette_at)
        return damaged(b, "the pixels begin inside the header", err);
    if (b->pixels_at > size)
        return damaged(b, "the file ends too early", err);
    return check_compression(b, err);
}

/* Reads the palette, whose entries must fit before the pixels. */
static void read_palette(struct bmp *b)
{
    uint32_t bytes = b->header == OS2_CORE ? 3 : 4, used = option(b, 46), max_colours = 1u << b->bits;
    size_t capacity = (b->pixels_at - b->palette_at) / bytes;
    b->n_colours = used > 0 && used < max_colours ? used : max_colours;
    if (capacity < b->n_colours)
        b->n_colours = (uint32_t)capacity;
    for (uint32_t i = 0; i < b->n_colours; i++)
        for (uint32_t c = 0; c < 3; c++)
            b->colours[i][c] = b->src->data[b->palette_at + (size_t)i * bytes + 2 - c];
    b->channels = 3;
}

static bool set_field(struct field *f, uint32_t mask, uint32_t bits)
{
    uint32_t shift = mask ? (uint32_t)__builtin_ctz(mask) : 0, max = mask >> shift;
    *f = (struct field){mask, shift, max};
    return (max & (max + 1)) == 0 && (bits == 32 || mask >> bits == 0);
}

/* Reads where the channels of a pixel are. */
static enum gf_io_status read_fields(struct bmp *b, struct gf_io_error *err)
{
    /* A header that could name alpha and does not means none; others leave the fourth byte open. */
    uint32_t masks[4] = {0xff0000, 0xff00, 0xff, b->bits == 32 && b->header < INFO_RGBA ? 0xff000000 : 0}, all = 0;
    bool said = b->compression == FIELDS || b->compression == FIELDS_RGBA;
    if (b->bits == 16) {
        masks[0] = 0x7c00;
        masks[1] = 0x3e0;
        masks[2] = 0x1f;
    }
    bool has_alpha = b->compression == FIELDS_RGBA || b->header >= INFO_RGBA;
    for (uint32_t i = 0; i < 4 && said; i++)
        masks[i] = i < 3 || has_alpha ? number(b, MASKS_AT + 4 * (size_t)i, 4) : 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (!set_field(&b->fields[i], masks[i], b->bits) || (masks[i] & all) != 0 || (i < 3 && masks[i] == 0))
            return gf_io_fail(err, GF_IO_DATA,
                              "%s: damaged bmp: channel masks %08x, %08x, %08x and %08x; each must be a contiguous run "
                              "of its own bits",
                              b->src->name, masks[0], masks[1], masks[2], masks[3]);
        all |= masks[i];
    }
    b->channels = masks[3] ? 4 : 3;
    b->alpha_is_guess = !said && masks[3];
    return GF_IO_OK;
}

static uint8_t *row_of(const struct bmp *b, const struct gf_image *image, uint64_t y)
{
    return (uint8_t *)image->data + (b->height < 0 ? y : image->view.height - 1 - y) * image->view.pitch;
}

/* Stores pixel x of row y, counted as in the file. */
static enum gf_io_status put_colour(const struct bmp *b, const struct gf_image *image, uint64_t x, uint64_t y,
                                    uint32_t index, struct gf_io_error *err)
{
    if (index >= b->n_colours)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: damaged bmp: pixel %" PRIu64 ",%" PRIu64
                          " has colour %u, but the palette has %u colours",
                          b->src->name, x, b->height < 0 ? y : image->view.height - 1 - y, index, b->n_colours);
    memcpy(row_of(b, image, y) + 3 * x, b->colours[index], 3);
    return GF_IO_OK;
}

/* The index of a pixel in a row; the first pixel is in the highest bits of its byte. */
static uint32_t index_at(const uint8_t *row, uint64_t x, uint32_t bits)
{
    return (uint32_t)row[x * bits / 8] >> (8 - bits - x * bits % 8) & ((1u << bits) - 1);
}

static enum gf_io_status read_indices(const struct bmp *b, const struct gf_image *image, uint64_t y, const uint8_t *row,
                                      struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    for (uint64_t x = 0; x < image->view.width && r == GF_IO_OK; x++)
        r = put_colour(b, image, x, y, index_at(row, x, b->bits), err);
    return r;
}

/* Whether all channels and pixels are whole bytes, so that nothing must be scaled. */
static bool is_bytes(const struct bmp *b)
{
    for (uint32_t c = 0; c < b->channels; c++)
        if (b->fields[c].max != UINT8_MAX || b->fields[c].shift % 8 != 0)
            return false;
    return true;
}

static void read_bytes(const struct bmp *b, const struct gf_image *image, uint64_t y, const uint8_t *row)
{
    uint8_t *to = row_of(b, image, y);
    for (uint64_t x = 0; x < image->view.width; x++, row += b->bits / 8)
        for (uint32_t c = 0; c < b->channels; c++)
            *to++ = row[b->fields[c].shift / 8];
}

/* Reads channels of any width and scales them to the full range of their type. */
static void read_scaled(const struct bmp *b, const struct gf_image *image, uint64_t y, const uint8_t *row)
{
    uint8_t *to = row_of(b, image, y);
    uint32_t full = image->view.dtype == GF_U16 ? UINT16_MAX : UINT8_MAX;
    for (uint64_t i = 0; i < image->view.width * b->channels; i++) {
        const struct field *f = &b->fields[i % b->channels];
        const uint8_t *pixel = row + i / b->channels * (b->bits / 8);
        uint32_t bits = 0;
        for (uint32_t k = b->bits / 8; k > 0; k--)
            bits = bits << 8 | pixel[k - 1];
        uint64_t value = ((uint64_t)((bits & f->mask) >> f->shift) * full + f->max / 2) / f->max;
        if (full == UINT16_MAX)
            ((uint16_t *)(void *)to)[i] = (uint16_t)value;
        else
            to[i] = (uint8_t)value;
    }
}

/* Reads rows, each padded to 4 bytes; the padding of the last row may be missing. */
static enum gf_io_status read_rows(struct bmp *b, const struct gf_image *image, struct gf_io_error *err)
{
    uint64_t width = image->view.width, height = image->view.height;
    uint64_t used = (width * b->bits + 7) / 8, pitch = (used + 3) / 4 * 4;
    size_t size = b->src->size;
    bool bytes = b->bits >= 24 && is_bytes(b);
    if (size - b->pixels_at < pitch * (height - 1) + used)
        return damaged(b, "the file ends too early", err);
    for (uint64_t y = 0; y < height; y++) {
        const uint8_t *row = b->src->data + b->pixels_at + y * pitch;
        enum gf_io_status r = GF_IO_OK;
        if (b->bits <= 8)
            r = read_indices(b, image, y, row, err);
        else if (bytes)
            read_bytes(b, image, y, row);
        else
            read_scaled(b, image, y, row);
        if (r != GF_IO_OK)
            return r;
    }
    b->end = b->pixels_at + pitch * height;
    return GF_IO_OK;
}

/* The position in run-length coded data. */
struct place {
    uint64_t x, y;
};

/* Stores `n` pixels in one row. If `repeat`, the pixels of one byte of `from` are repeated. */
static enum gf_io_status put_run(const struct bmp *b, const struct gf_image *image, struct place *at, uint32_t n,
                                 const uint8_t *from, bool repeat, struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    if (at->y >= image->view.height || n > image->view.width - at->x)
        return damaged(b, "a run goes past the end of its row", err);
    for (uint32_t i = 0; i < n && r == GF_IO_OK; i++)
        r = put_colour(b, image, at->x++, at->y, index_at(from, repeat ? i % (8 / b->bits) : i, b->bits), err);
    return r;
}

/* Reads the data after an escape: a run of different pixels, padded to 2 bytes, or a move to the right and up. */
static enum gf_io_status read_escape(const struct bmp *b, const struct gf_image *image, size_t *pos, struct place *at,
                                     uint32_t code, struct gf_io_error *err)
{
    size_t bytes = code == 2 ? 2 : (code * b->bits + 15) / 16 * 2;
    const uint8_t *data = b->src->data + *pos;
    if (b->src->size - *pos < bytes)
        return damaged(b, "the file ends too early", err);
    *pos += bytes;
    if (code != 2)
        return put_run(b, image, at, code, data, false, err);
    at->x += data[0];
    at->y += data[1];
    if (at->x > image->view.width || at->y > image->view.height)
        return damaged(b, "a move leads out of the picture", err);
    return GF_IO_OK;
}

/* Reads runs. Skipped pixels have the first colour. A file that ends with the last pixel needs no end mark. */
static enum gf_io_status read_runs(struct bmp *b, const struct gf_image *image, struct gf_io_error *err)
{
    struct place at = {0, 0};
    size_t pos = b->pixels_at;
    enum gf_io_status r = GF_IO_OK;
    for (uint64_t i = 0; i < image->view.width * image->view.height && r == GF_IO_OK; i++)
        r = put_colour(b, image, i % image->view.width, i / image->view.width, 0, err);
    while (r == GF_IO_OK && b->src->size - pos >= 2) {
        const uint8_t *code = b->src->data + pos;
        pos += 2;
        b->end = pos;
        if (code[0] > 0) {
            r = put_run(b, image, &at, code[0], code + 1, true, err);
        } else if (code[1] == 0) {
            at = (struct place){0, at.y + 1};
        } else if (code[1] == 1) {
            return GF_IO_OK;
        } else {
            r = read_escape(b, image, &pos, &at, code[1], err);
            b->end = pos;
        }
    }
    bool done = at.y >= image->view.height || (at.y + 1 == image->view.height && at.x == image->view.width);
    return r == GF_IO_OK && !done ? damaged(b, "the file ends too early", err) : r;
}

/* The end of the picture: after the pixels, or where the file header says, which may be after a profile. */
static size_t find_end(const struct bmp *b)
{
    size_t said = number(b, 2, 4), end = said > b->end ? said : b->end;
    return end < b->src->size ? end : b->src->size;
}

/* The type of the samples: u16 if a channel has more than 8 bits. */
static uint32_t dtype_of(const struct bmp *b)
{
    for (uint32_t c = 0; c < 4; c++)
        if (b->fields[c].max > UINT8_MAX)
            return GF_U16;
    return GF_U8;
}

enum gf_io_status gf_bmp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_source own = *src; /* whether a fourth byte is alpha, only the samples tell */
    struct bmp b = {.src = &own};
    struct gf_view view;
    enum gf_io_status r = read_header(&b, err);
    bool runs = b.compression == RLE8 || b.compression == RLE4;
    if (r == GF_IO_OK && b.bits <= 8)
        read_palette(&b);
    else if (r == GF_IO_OK)
        r = read_fields(&b, err);
    /* A run stores 255 pixels in two bytes; a bitmap 8 pixels in one. */
    if (r == GF_IO_OK)
        r = gf_image_plan(src, dtype_of(&b), (uint64_t)b.width, (uint64_t)(b.height < 0 ? -b.height : b.height),
                          b.channels, runs ? 128 : 8, &view, err);
    own.how.only_head &= !b.alpha_is_guess;
    if (r == GF_IO_OK)
        r = gf_image_alloc(&own, &view, &image, err);
    if (r == GF_IO_OK && !own.how.only_head)
        r = runs ? read_runs(&b, &image, err) : read_rows(&b, &image, err);
    if (r != GF_IO_OK)
        return r;
    if (b.alpha_is_guess)
        gf_image_drop_empty_alpha(&image);
    if (!own.how.only_head)
        image.file_bytes = find_end(&b);
    image.coding.bits = b.bits <= 8 ? b.bits : (uint32_t)__builtin_popcount(b.fields[0].mask);
    image.coding.compression = runs ? "RLE" : "none";
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * PFM: "PF" (RGB) or "Pf" (grey), width, height, and a scale whose sign gives the byte order (negative: little-endian;
 * its size is ignored by convention), then floats from the bottom row up. Called by image.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image_codec.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored as they are in memory");

#define GF_PFM_WORD 32 /* longest header word */

/* Reads the next word of the header; empty if there is none or it is too long. */
static void next_word(const struct gf_source *src, size_t *pos, char word[GF_PFM_WORD])
{
    size_t n = 0;
    while (*pos < src->size && strchr(" \t\r\n", src->data[*pos]))
        (*pos)++;
    while (*pos < src->size && !strchr(" \t\r\n", src->data[*pos]) && n < GF_PFM_WORD - 1)
        word[n++] = (char)src->data[(*pos)++];
    word[n == GF_PFM_WORD - 1 ? 0 : n] = '\0';
}

/* Parses a number of up to 9 digits; 0 for anything else. */
static uint64_t word_number(const char *word)
{
    uint64_t value = 0;
    size_t n = strspn(word, "0123456789");
    if (n == 0 || n > 9 || word[n])
        return 0;
    for (; *word; word++)
        value = value * 10 + (uint64_t)(*word - '0');
    return value;
}

/* The scale must be a number other than 0. Only its sign is used, so the locale does not matter. */
static bool scale_is_good(const char *word)
{
    word += *word == '-' || *word == '+';
    return *word && word[strspn(word, "0123456789.eE+-")] == '\0' && strpbrk(word, "123456789") != NULL;
}

static void swap_row(uint8_t *row, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 4) {
        uint32_t v;
        memcpy(&v, row + i, 4);
        v = __builtin_bswap32(v);
        memcpy(row + i, &v, 4);
    }
}

enum gf_io_status gf_pfm_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    char width[GF_PFM_WORD];
    char height[GF_PFM_WORD];
    char scale[GF_PFM_WORD];
    struct gf_view view = {0};
    size_t pos = 2;
    next_word(src, &pos, width);
    next_word(src, &pos, height);
    next_word(src, &pos, scale);
    if (!word_number(width) || !word_number(height) || !scale_is_good(scale) || pos == src->size)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: damaged pfm: the header must be width, height and a scale other than 0, but it is "
                          "\"%s %s %s\"",
                          src->name, width, height, scale);
    pos++; /* the single white space after the header */
    enum gf_io_status r =
        gf_image_plan(src, GF_F32, word_number(width), word_number(height), src->data[1] == 'F' ? 3 : 1, 1, &view, err);
    if (r != GF_IO_OK)
        return r;
    if (src->size - pos < gf_view_bytes(&view))
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged pfm: %zu bytes of samples; it must have %" PRIu64, src->name,
                          src->size - pos, gf_view_bytes(&view));
    r = gf_image_alloc(src, &view, ret_image, err);
    for (uint64_t y = 0; r == GF_IO_OK && y < view.height; y++) {
        uint8_t *row = (uint8_t *)ret_image->data + (view.height - 1 - y) * view.pitch;
        memcpy(row, src->data + pos + y * view.pitch, view.pitch);
        if (scale[0] != '-')
            swap_row(row, view.pitch);
    }
    if (r == GF_IO_OK)
        ret_image->file_bytes = pos + gf_view_bytes(&view);
    return r;
}

enum gf_io_status gf_pfm_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    char header[64];
    int n = snprintf(header, sizeof(header), "P%c\n%" PRIu64 " %" PRIu64 "\n-1.0\n", view->channels == 3 ? 'F' : 'f',
                     view->width, view->height);
    enum gf_io_status r = gf_output_write(out, header, (size_t)n, err);
    for (uint64_t y = view->height; r == GF_IO_OK && y > 0; y--)
        r = gf_output_write(out, (const uint8_t *)data + (y - 1) * view->pitch, view->pitch, err);
    return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * The PNM family: P1-P3 in digits, P4-P6 in bytes, P7 (PAM) with any number of channels. 16-bit samples are stored
 * big-endian. A maximum other than 255 or 65535 is scaled to the full range of u8 (maximum up to 255) or u16. Called by
 * image.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image_codec.h"

#define GF_PNM_CHUNK 4096 /* samples swapped at a time while writing */

struct pnm {
    const struct gf_source *src;
    size_t pos;
    char kind; /* '1' to '7' */
    uint64_t width;
    uint64_t height;
    uint64_t channels;
    uint64_t max;  /* the sample value of white */
    bool no_alpha; /* the header names another kind of pixels than ..._ALPHA */
};

static void skip_line(struct pnm *p)
{
    while (p->pos < p->src->size && p->src->data[p->pos] != '\n')
        p->pos++;
}

/* Skips blanks, and comments from '#' to the end of the line. */
static void skip_blanks(struct pnm *p)
{
    while (p->pos < p->src->size) {
        uint8_t c = p->src->data[p->pos];
        if (c == '#')
            skip_line(p);
        else if (!gf_is_space(c))
            return;
        else
            p->pos++;
    }
}

/* Reads blanks and a number of at most `digits` digits. With one digit, the next number may follow without a blank. */
static bool next_number(struct pnm *p, int digits, uint64_t *ret_value)
{
    uint64_t value = 0;
    int n = 0;
    skip_blanks(p);
    while (p->pos < p->src->size && p->src->data[p->pos] >= '0' && p->src->data[p->pos] <= '9' && n < digits) {
        value = value * 10 + (uint64_t)(p->src->data[p->pos++] - '0');
        n++;
    }
    *ret_value = value;
    bool more = p->pos < p->src->size && p->src->data[p->pos] >= '0' && p->src->data[p->pos] <= '9';
    return n > 0 && (digits == 1 || !more);
}

static enum gf_io_status damaged(const struct pnm *p, const char *why, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_DATA, "%s: damaged P%c file: %s", p->src->name, p->kind, why);
}

/* One blank ends the header. A comment may precede it; the end of its line is then that blank. */
static bool end_header(struct pnm *p)
{
    if (p->pos < p->src->size && p->src->data[p->pos] == '#')
        skip_line(p);
    if (p->pos >= p->src->size || !gf_is_space(p->src->data[p->pos]))
        return false;
    p->pos++;
    return true;
}

/* Consumes `word` if it is the next word of a PAM header; otherwise false. */
static bool take_word(struct pnm *p, const char *word)
{
    size_t n = strlen(word);
    if (p->src->size - p->pos <= n || memcmp(p->src->data + p->pos, word, n) != 0 ||
        !gf_is_space(p->src->data[p->pos + n]))
        return false;
    p->pos += n;
    return true;
}

static bool read_pam_header(struct pnm *p)
{
    for (;;) {
        skip_blanks(p);
        bool good = true;
        if (take_word(p, "ENDHDR"))
            return end_header(p);
        if (take_word(p, "WIDTH"))
            good = next_number(p, 9, &p->width);
        else if (take_word(p, "HEIGHT"))
            good = next_number(p, 9, &p->height);
        else if (take_word(p, "DEPTH"))
            good = next_number(p, 9, &p->channels);
        else if (take_word(p, "MAXVAL"))
            good = next_number(p, 9, &p->max);
        else if (take_word(p, "TUPLTYPE")) {
            while (p->pos < p->src->size && (p->src->data[p->pos] == ' ' || p->src->data[p->pos] == '\t'))
                p->pos++;
            p->no_alpha = !take_word(p, "RGB_ALPHA") && !take_word(p, "GRAYSCALE_ALPHA");
            skip_line(p);
        } else
            return false;
        if (!good)
            return false;
    }
}

static enum gf_io_status read_header(struct pnm *p, struct gf_io_error *err)
{
    bool good = true;
    p->kind = (char)p->src->data[1];
    p->pos = 2;
    if (p->kind == '7') {
        good = read_pam_header(p);
    } else {
        bool is_bitmap = p->kind == '1' || p->kind == '4';
        p->channels = p->kind == '3' || p->kind == '6' ? 3 : 1;
        p->max = 1;
        good = next_number(p, 9, &p->width) && next_number(p, 9, &p->height) &&
               (is_bitmap || next_number(p, 9, &p->max)) && end_header(p);
    }
    if (!good)
        return damaged(p, "the header is not complete", err);
    if (p->max < 1 || p->max > 65535)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged P%c file: the maximum is %" PRIu64 "; it must be 1 to 65535",
                          p->src->name, p->kind, p->max);
    if (p->channels < 1 || p->channels > GF_MAX_CHANNELS)
        return gf_io_fail(err, GF_IO_DATA, "%s: has %" PRIu64 " channels; it must have 1 to %u", p->src->name,
                          p->channels, GF_MAX_CHANNELS);
    return GF_IO_OK;
}

/* Stores sample i, scaled to the full range of its type. */
static void store(const struct pnm *p, struct gf_image *image, uint64_t i, uint64_t value)
{
    if (image->view.dtype == GF_U8)
        ((uint8_t *)image->data)[i] = (uint8_t)((value * 255 + p->max / 2) / p->max);
    else
        ((uint16_t *)image->data)[i] = (uint16_t)((value * 65535 + p->max / 2) / p->max);
}

/* Reads P1, P2, P3. The digits of P1 need no blanks between them, and 1 is black. */
static enum gf_io_status read_digits(struct pnm *p, struct gf_image *image, struct gf_io_error *err)
{
    uint64_t samples = gf_view_samples(&image->view);
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t value = 0;
        if (!next_number(p, p->kind == '1' ? 1 : 9, &value))
            return gf_io_fail(err, GF_IO_DATA,
                              "%s: damaged P%c file: only %" PRIu64 " of %" PRIu64 " samples are present", p->src->name,
                              p->kind, i, samples);
        if (value > p->max)
            return damaged(p, "a sample is larger than the maximum", err);
        store(p, image, i, p->kind == '1' ? 1 - value : value);
    }
    skip_blanks(p); /* including comments */
    return GF_IO_OK;
}

/* Reads P4: eight pixels per byte, every row begins with a new byte, 1 is black. */
static enum gf_io_status read_bits(struct pnm *p, struct gf_image *image, struct gf_io_error *err)
{
    uint64_t row_bytes = (p->width + 7) / 8;
    if (p->src->size - p->pos < row_bytes * p->height)
        return damaged(p, "the file ends too early", err);
    for (uint64_t y = 0; y < p->height; y++) {
        const uint8_t *row = p->src->data + p->pos + y * row_bytes;
        for (uint64_t x = 0; x < p->width; x++)
            store(p, image, y * p->width + x, 1 - ((uint64_t)row[x / 8] >> (7 - x % 8) & 1));
    }
    p->pos += row_bytes * p->height;
    return GF_IO_OK;
}

/* Reads P5, P6, P7. */
static enum gf_io_status read_bytes(struct pnm *p, struct gf_image *image, struct gf_io_error *err)
{
    uint64_t samples = gf_view_samples(&image->view);
    const uint8_t *from = p->src->data + p->pos;
    bool wide = image->view.dtype == GF_U16;
    if (p->src->size - p->pos < gf_view_bytes(&image->view))
        return damaged(p, "the file ends too early", err);
    p->pos += gf_view_bytes(&image->view);
    if (p->max == 255) {
        memcpy(image->data, from, samples);
        return GF_IO_OK;
    }
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t value = wide ? (uint64_t)from[2 * i] << 8 | from[2 * i + 1] : from[i];
        if (value > p->max)
            return damaged(p, "a sample is larger than the maximum", err);
        store(p, image, i, value);
    }
    return GF_IO_OK;
}

enum gf_io_status gf_pnm_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct pnm p = {.src = src};
    struct gf_view view = {0};
    enum gf_io_status r = read_header(&p, err);
    if (r == GF_IO_OK)
        r = gf_image_plan(src, p.max <= 255 ? GF_U8 : GF_U16, p.width, p.height, (uint32_t)p.channels, 8, &view, err);
    if (r == GF_IO_OK)
        r = gf_image_alloc(src, &view, &image, err);
    if (r == GF_IO_OK)
        r = p.kind <= '3'   ? read_digits(&p, &image, err)
            : p.kind == '4' ? read_bits(&p, &image, err)
                            : read_bytes(&p, &image, err);
    if (r == GF_IO_OK) {
        image.file_bytes = p.pos;
        image.no_alpha = p.no_alpha;
        image.coding.bits = 32 - (uint32_t)__builtin_clz((uint32_t)p.max);
        *ret_image = image;
        image = GF_IMAGE_NULL;
    }
    return r;
}

/* Writes the samples, 16-bit ones big-endian. */
static enum gf_io_status write_samples(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                       struct gf_io_error *err)
{
    uint64_t samples = gf_view_samples(view);
    enum gf_io_status r = GF_IO_OK;
    if (view->dtype == GF_U8)
        return gf_output_write(out, data, samples, err);
    for (uint64_t at = 0; r == GF_IO_OK && at < samples; at += GF_PNM_CHUNK) {
        uint8_t chunk[2 * GF_PNM_CHUNK];
        size_t n = samples - at < GF_PNM_CHUNK ? (size_t)(samples - at) : GF_PNM_CHUNK;
        for (size_t i = 0; i < n; i++) {
            uint16_t v = ((const uint16_t *)data)[at + i];
            chunk[2 * i] = (uint8_t)(v >> 8);
            chunk[2 * i + 1] = (uint8_t)v;
        }
        r = gf_output_write(out, chunk, 2 * n, err);
    }
    return r;
}

enum gf_io_status gf_pnm_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    char header[64];
    int n = snprintf(header, sizeof(header), "P%c\n%" PRIu64 " %" PRIu64 "\n%u\n", view->channels == 3 ? '6' : '5',
                     view->width, view->height, view->dtype == GF_U8 ? 255u : 65535u);
    enum gf_io_status r = gf_output_write(out, header, (size_t)n, err);
    return r == GF_IO_OK ? write_samples(out, view, data, err) : r;
}

enum gf_io_status gf_pam_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    static const char *const tuples[GF_MAX_CHANNELS + 1] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    char header[160];
    int n = snprintf(header, sizeof(header),
                     "P7\nWIDTH %" PRIu64 "\nHEIGHT %" PRIu64 "\nDEPTH %" PRIu32 "\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
                     view->width, view->height, view->channels, view->dtype == GF_U8 ? 255u : 65535u,
                     tuples[view->channels]);
    enum gf_io_status r = gf_output_write(out, header, (size_t)n, err);
    return r == GF_IO_OK ? write_samples(out, view, data, err) : r;
}

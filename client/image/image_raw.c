/* SPDX-License-Identifier: MIT */
/*
 * Bare samples, little-endian, and the text that describes them ("1920x1080x3:u8"). Called by image.c and the commands.
 */
#include <inttypes.h>
#include <stdio.h>

#include "client/io/input.h"
#include "image_codec.h"

#define CHUNK 4096u /* samples */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored as they are in memory");

enum gf_io_status gf_raw_read(const char *path, const struct gf_view *view, struct gf_image *ret_image,
                              struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    char shape[64];
    char limit_text[96];
    uint64_t want = gf_view_bytes(view);
    snprintf(limit_text, sizeof(limit_text), "%s needs exactly", gf_view_text(view, shape, sizeof(shape)));
    enum gf_io_status r = gf_input_read(path, want, limit_text, &bytes, err);
    if (r != GF_IO_OK)
        return r;
    if (bytes.size != want)
        return gf_io_fail(err, GF_IO_DATA, "%s: %zu bytes; %s %" PRIu64, gf_input_name(path), bytes.size, limit_text,
                          want);
    *ret_image =
        (struct gf_image){.view = *view, .data = gf_steal_ptr(&bytes.data), .free_data = free, .meta.sides = 1};
    return GF_IO_OK;
}

enum gf_io_status gf_raw_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    return gf_output_write(out, data, gf_view_bytes(view), err);
}

enum gf_io_status gf_y4m_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    uint16_t white = (uint16_t)save->white;
    uint64_t samples = gf_view_samples(view);
    const uint16_t *from = data;
    uint16_t row[CHUNK];
    enum gf_io_status r = GF_IO_OK;
    if (white == 0 || view->dtype != GF_U16)
        return gf_raw_encode(out, view, data, save, err);
    for (uint64_t at = 0; at < samples && r == GF_IO_OK; at += CHUNK) {
        size_t n = samples - at < CHUNK ? (size_t)(samples - at) : CHUNK;
        for (size_t i = 0; i < n; i++) {
            *save->above += from[at + i] > white;
            row[i] = from[at + i] < white ? from[at + i] : white;
        }
        r = gf_output_write(out, row, n * sizeof(*row), err);
    }
    return r;
}

/* Parses a plain decimal number of at most 13 digits and moves past it. */
static bool parse_number(const char **text, uint64_t *ret_value)
{
    uint64_t value = 0;
    int digits = 0;
    while (**text >= '0' && **text <= '9' && digits++ < 13)
        value = value * 10 + (uint64_t)(*(*text)++ - '0');
    *ret_value = value;
    return digits > 0;
}

static bool skip(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

enum gf_io_status gf_image_raw_parse(const char *text, struct gf_view *ret_view, struct gf_io_error *err)
{
    const char *p = text;
    uint64_t width = 0;
    uint64_t height = 1;
    uint64_t channels = 1;
    char dtypes[GF_DTYPES_TEXT];
    struct gf_error why;
    bool good = parse_number(&p, &width);
    if (good && skip(&p, 'x'))
        good = parse_number(&p, &height);
    if (good && skip(&p, 'x'))
        good = parse_number(&p, &channels);
    uint32_t dtype = good && skip(&p, ':') ? gf_dtype_from_word(p) : 0;
    if (!dtype)
        return gf_io_fail(
            err, GF_IO_USAGE,
            "\"%s\" does not describe raw samples; it must be WxHxC:dtype, e.g. 1920x1080x3:u8, with dtype %s", text,
            gf_dtype_set_text(GF_DT_ALL, dtypes, sizeof dtypes));
    struct gf_view view = gf_view_tight(dtype, width, height, (uint32_t)channels);
    if (gf_view_check(&view, "raw samples", &why) != GF_OK)
        return gf_io_fail(err, GF_IO_USAGE, "\"%s\": %s", text, why.text);
    *ret_view = view;
    return GF_IO_OK;
}

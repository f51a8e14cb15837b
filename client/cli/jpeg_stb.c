/* SPDX-License-Identifier: MIT */
/*
 * JPEG where libjpeg-turbo is missing: stb does the work, and the segments of a file are walked before stb_image sees
 * them, which up to 2.27 writes past its tables where a Huffman table claims more than 256 codes. Called by image.c.
 */
#include <string.h>

#include "image_codec.h"

#define MPF_HEAD "MPF" /* CIPA DC-007, with its zero */
#define GF_JPEG_APP2 0xe2
#define GF_JPEG_DHT 0xc4
#define GF_JPEG_EOI 0xd9

/* The first byte after the next marker, which is stored; 0 at the end of the image or when there is none. Bytes that
 * are no marker are skipped: zeros and restarts (D0-D7) after FF belong to coded samples. */
static size_t next_marker(const struct gf_source *src, size_t pos, uint8_t *ret_marker)
{
    for (; src->size - pos >= 2; pos++) {
        uint8_t m = src->data[pos + 1];
        if (src->data[pos] != 0xff || m == 0x00 || m == 0xff || (m >= 0xd0 && m <= 0xd8))
            continue;
        *ret_marker = m;
        return m == GF_JPEG_EOI ? 0 : pos + 2; /* cameras append what they like */
    }
    return 0;
}

/* Whether every table of a DHT segment counts at most 256 codes. */
static bool tables_are_good(const uint8_t *segment, size_t size)
{
    while (size >= 17) {
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++)
            codes += segment[i];
        if (codes > 256)
            return false;
        size_t table = 17 + codes;
        if (table > size)
            return false;
        segment += table;
        size -= table;
    }
    return size == 0;
}

/* Also finds out whether the file says that further pictures follow the first, as cameras have it. */
static enum gf_io_status check_segments(const struct gf_source *src, bool *ret_more, struct gf_io_error *err)
{
    uint8_t marker = 0;
    size_t pos = next_marker(src, 2, &marker);
    while (pos && src->size - pos >= 2) {
        size_t length = (size_t)src->data[pos] << 8 | src->data[pos + 1];
        if (length < 2 || length > src->size - pos)
            return gf_io_fail(err, GF_IO_DATA, "%s: damaged jpeg: %s", src->name,
                              length < 2 ? "a segment without a length" : "the file ends too early");
        if (marker == GF_JPEG_DHT && !tables_are_good(src->data + pos + 2, length - 2))
            return gf_io_fail(err, GF_IO_DATA, "%s: damaged jpeg: bad Huffman table", src->name);
        if (marker == GF_JPEG_APP2 && length >= 2 + sizeof(MPF_HEAD) &&
            memcmp(src->data + pos + 2, MPF_HEAD, sizeof(MPF_HEAD)) == 0)
            *ret_more = true;
        pos = next_marker(src, pos + length, &marker);
    }
    return GF_IO_OK;
}

enum gf_io_status gf_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    bool has_more = false;
    enum gf_io_status r = check_segments(src, &has_more, err);
    if (r == GF_IO_OK)
        r = gf_stb_decode(src, GF_FORMAT_JPEG, ret_image, err);
    if (r == GF_IO_OK && has_more)
        ret_image->file_bytes = src->size;
    return r;
}

const bool gf_jpeg_has_meta = false;

/* stb knows of nothing but samples. */
enum gf_io_status gf_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    return gf_stb_jpeg_encode(out, view, data, save->quality ? save->quality : GF_JPEG_QUALITY, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * JPEG in builds without libjpeg-turbo, through stb. The segments of a file are checked before stb_image sees them: up
 * to version 2.27 it writes past its tables if a Huffman table claims more than 256 codes, decodes with tables that the
 * file does not contain, and takes a channel without samples for black. Not noticed: samples that end early in a file
 * that goes on. Called by image.c.
 */
#include <string.h>

#include "client/image/image_codec.h"

#define MPF_HEAD "MPF" /* CIPA DC-007, with its null byte */
#define MAX_CHANNELS 4
#define AC_TABLES 4 /* bit of the first AC table in a set of Huffman tables */

enum marker { SOF0 = 0xc0, SOF2 = 0xc2, DHT = 0xc4, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, APP2 = 0xe2 };

/* What the segments so far contain. */
struct walk {
    uint32_t huffman;   /* set of tables: bits 0 to 3 are DC, 4 to 7 AC */
    uint32_t quantizer; /* set of tables */
    uint32_t wanted;    /* tables that the channels use */
    uint32_t n_channels;
    uint8_t channels[MAX_CHANNELS]; /* their numbers */
    uint32_t filled;                /* set of channels with samples */
    bool has_more;                  /* further pictures follow the first, as cameras write them */
};

/* Returns the offset after the next marker and stores the marker; 0 at the end of the image or if there is none. Other
 * bytes are skipped: zeros and restarts (D0-D7) after FF belong to coded samples. */
static size_t next_marker(const struct gf_source *src, size_t pos, uint8_t *ret_marker)
{
    for (; src->size - pos >= 2; pos++) {
        uint8_t m = src->data[pos + 1];
        if (src->data[pos] != 0xff || m == 0x00 || m == 0xff || (m >= 0xd0 && m <= 0xd8))
            continue;
        *ret_marker = m;
        return m == EOI ? 0 : pos + 2; /* cameras append data of all kinds */
    }
    return 0;
}

/* Reads Huffman tables with at most 256 codes each. */
static bool take_huffman(struct walk *w, const uint8_t *segment, size_t size)
{
    while (size >= 17) {
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++)
            codes += segment[i];
        size_t table = 17 + codes;
        if (codes > 256 || table > size || (segment[0] & 0xec) != 0)
            return false;
        w->huffman |= 1u << ((segment[0] >> 4) * AC_TABLES + (segment[0] & 3));
        segment += table;
        size -= table;
    }
    return size == 0;
}

/* Reads quantizers of 8 or 16 bits. */
static bool take_quantizers(struct walk *w, const uint8_t *segment, size_t size)
{
    while (size > 0) {
        size_t table = segment[0] >> 4 ? 129 : 65;
        if (table > size || (segment[0] & 0xec) != 0)
            return false;
        w->quantizer |= 1u << (segment[0] & 3);
        segment += table;
        size -= table;
    }
    return true;
}

/* Reads which quantizers the channels of a frame use. */
static bool take_frame(struct walk *w, const uint8_t *segment, size_t size)
{
    if (size < 6 || size != 6 + 3 * (size_t)segment[5] || segment[5] > MAX_CHANNELS)
        return false;
    w->n_channels = segment[5];
    for (size_t i = 0; i < w->n_channels; i++) {
        const uint8_t *channel = segment + 6 + 3 * i;
        if (channel[2] > 3)
            return false;
        w->channels[i] = channel[0];
        w->wanted |= 1u << channel[2];
    }
    return true;
}

/* Reads a scan, whose tables must exist; refining DC needs none. A scan with the first coefficients gives its channels
 * samples. */
static bool take_scan(struct walk *w, const uint8_t *segment, size_t size)
{
    if (size < 1 || size != 4 + 2 * (size_t)segment[0])
        return false;
    const uint8_t *spectrum = segment + size - 3; /* first and last coefficient, then bit positions */
    for (size_t i = 1; i < size - 3; i += 2) {
        uint32_t dc = segment[i + 1] >> 4, ac = segment[i + 1] & 15, needed = 0;
        if (dc > 3 || ac > 3)
            return false;
        if (spectrum[0] == 0 && spectrum[2] >> 4 == 0)
            needed |= 1u << dc;
        if (spectrum[1] > 0)
            needed |= 1u << (AC_TABLES + ac);
        if ((needed & ~w->huffman) != 0)
            return false;
        for (uint32_t c = 0; c < w->n_channels && spectrum[0] == 0; c++)
            w->filled |= w->channels[c] == segment[i] ? 1u << c : 0;
    }
    return (w->wanted & ~w->quantizer) == 0;
}

/* Checks a segment. Returns the error; NULL: none. */
static const char *take_segment(struct walk *w, uint8_t marker, const uint8_t *segment, size_t size)
{
    switch (marker) {
    case DHT:
        return take_huffman(w, segment, size) ? NULL : "a Huffman table is invalid";
    case DQT:
        return take_quantizers(w, segment, size) ? NULL : "a quantizer is invalid";
    case SOS:
        return take_scan(w, segment, size) ? NULL : "a scan lacks its tables";
    case APP2:
        w->has_more |= size >= sizeof(MPF_HEAD) && memcmp(segment, MPF_HEAD, sizeof(MPF_HEAD)) == 0;
        return NULL;
    default:
        return marker < SOF0 || marker > SOF2 || take_frame(w, segment, size) ? NULL : "a frame is invalid";
    }
}

static enum gf_io_status walk_segments(const struct gf_source *src, struct walk *w, struct gf_io_error *err)
{
    uint8_t marker = 0;
    size_t pos = next_marker(src, 2, &marker);
    while (pos && src->size - pos >= 2) {
        size_t length = (size_t)src->data[pos] << 8 | src->data[pos + 1];
        const char *why = length < 2                 ? "a segment has no length"
                          : length > src->size - pos ? "the file ends too early"
                                                     : take_segment(w, marker, src->data + pos + 2, length - 2);
        if (why)
            return gf_io_fail(err, GF_IO_DATA, "%s: damaged jpeg: %s", src->name, why);
        pos = next_marker(src, pos + length, &marker);
    }
    if (w->n_channels == 0 || w->filled + 1 != 1u << w->n_channels)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged jpeg: a channel has no samples", src->name);
    return GF_IO_OK;
}

enum gf_io_status gf_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct walk w = {.has_more = false};
    struct gf_pages only;
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    enum gf_io_status r = gf_image_choose_pages(src, "picture", 1, &only, err);
    if (r == GF_IO_OK)
        r = walk_segments(src, &w, err);
    if (r == GF_IO_OK)
        r = gf_stb_jpeg_decode(src, &image, err);
    const size_t end = w.has_more ? src->size : image.file_bytes;
    if (r == GF_IO_OK)
        r = gf_image_give(src, &only, &image, ret_image, err);
    ret_image->file_bytes = end;
    return r;
}

const uint32_t gf_jpeg_holds = 0;

/* stb stores nothing but samples, with colour at half resolution up to quality 90. */
enum gf_io_status gf_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    if (save->subsampling || save->progressive)
        return gf_io_fail(
            err, GF_IO_USAGE,
            "jpeg: --subsampling and --progressive need libjpeg-turbo, which this build lacks; leave them "
            "out");
    return gf_stb_jpeg_encode(out, view, data, save, err);
}

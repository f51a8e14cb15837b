/* SPDX-License-Identifier: MIT */
/*
 * Writes TIFF through libtiff, into memory, because libtiff seeks back in its file: every dtype, lossless. Of several
 * pages one is in memory until the next one is made, so that a pipe can take the file. Called by image.c.
 */
#include <inttypes.h>
#include <string.h>

#include "client/image/image_meta.h"
#include "tiff_calls.h"

#define STRIP_BYTES (256u << 10)
/* Larger files may need the 64-bit offsets of BigTIFF. */
#define MAX_CLASSIC (3ull << 30)
#define FIRST_BYTES ((size_t)1 << 20)

/* A page. Its places are those of the file; the bytes before `base` were written, but for the head. */
struct writer {
    uint8_t head[16]; /* of the file: its last part is the place of the first directory */
    uint8_t *bytes;
    uint64_t base, at;
    size_t size, capacity;
    bool no_memory, is_big; /* BigTIFF, whose directories differ from EXIF's */
    struct gf_tiff_failure failure;
    TIFF *tiff;
};

static tmsize_t read_bytes(thandle_t user, void *to, tmsize_t size)
{
    struct writer *w = user;
    size_t at = w->at >= w->base ? (size_t)(w->at - w->base) : w->size, left = at < w->size ? w->size - at : 0;
    size_t n = (size_t)size < left ? (size_t)size : left;
    if (n > 0)
        memcpy(to, w->bytes + at, n);
    w->at += n;
    return (tmsize_t)n;
}

static bool grow(struct writer *w, size_t size)
{
    size_t capacity = w->capacity ? w->capacity : FIRST_BYTES;
    while (capacity < size)
        capacity *= 2;
    uint8_t *bytes = capacity > w->capacity ? realloc(w->bytes, capacity) : w->bytes;
    w->no_memory |= bytes == NULL;
    if (!bytes)
        return false;
    w->bytes = bytes;
    w->capacity = capacity;
    return true;
}

static tmsize_t write_bytes(thandle_t user, void *from, tmsize_t size)
{
    struct writer *w = user;
    if (w->at < w->base) { /* the library changes nothing else there */
        if (w->at + (uint64_t)size > sizeof(w->head))
            return -1;
        memcpy(w->head + w->at, from, (size_t)size);
        w->at += (uint64_t)size;
        return size;
    }
    const size_t at = (size_t)(w->at - w->base), end = at + (size_t)size;
    if (!grow(w, end))
        return -1;
    if (at > w->size)
        memset(w->bytes + w->size, 0, at - w->size);
    memcpy(w->bytes + at, from, (size_t)size);
    w->at += (uint64_t)size;
    w->size = end > w->size ? end : w->size;
    return size;
}

static toff_t seek(thandle_t user, toff_t to, int whence)
{
    struct writer *w = user;
    w->at = whence == SEEK_SET ? to : whence == SEEK_CUR ? w->at + to : w->base + w->size + to;
    return w->at;
}

static toff_t size_of(thandle_t user)
{
    const struct writer *w = user;
    return w->base + w->size;
}

static int map(thandle_t user, void **ret_base, toff_t *ret_size)
{
    (void)user;
    (void)ret_base;
    (void)ret_size;
    return 0;
}

static bool set_number(struct writer *w, uint32_t tag, int value)
{
    return gf_tiff.TIFFSetField(w->tiff, tag, value) == 1;
}

/* The compressions of libtiff. */
static const uint16_t codes[GF_N_COMPRESSIONS] = {[GF_COMPRESSION_USUAL] = COMPRESSION_ADOBE_DEFLATE,
                                                  [GF_COMPRESSION_NONE] = COMPRESSION_NONE,
                                                  [GF_COMPRESSION_LZW] = COMPRESSION_LZW,
                                                  [GF_COMPRESSION_DEFLATE] = COMPRESSION_ADOBE_DEFLATE,
                                                  [GF_COMPRESSION_PACKBITS] = COMPRESSION_PACKBITS,
                                                  [GF_COMPRESSION_ZSTD] = COMPRESSION_ZSTD};

enum gf_io_status gf_tiff_can_compress(const char *path, enum gf_compression compression, struct gf_io_error *err)
{
    enum gf_io_status s = gf_tiff_ready(path, err);
    if (s != GF_IO_OK || compression == GF_COMPRESSION_USUAL || gf_tiff.TIFFIsCODECConfigured(codes[compression]))
        return s;
    return gf_io_fail(err, GF_IO_DATA, "%s: the installed libtiff has no compression %s; use another", path,
                      gf_compression_words[compression]);
}

/* Differences of neighbours are small if samples are integers. */
static bool set_compression(struct writer *w, uint32_t dtype, enum gf_compression compression)
{
    const uint16_t code = codes[compression];
    const bool predicts = code != COMPRESSION_NONE && code != COMPRESSION_PACKBITS;
    if (!gf_tiff.TIFFIsCODECConfigured(code))
        return true;
    return set_number(w, TIFFTAG_COMPRESSION, code) && (!predicts || gf_dtype_size(dtype) > 2 || dtype == GF_F16 ||
                                                        set_number(w, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL));
}

static bool set_header(struct writer *w, const struct gf_view *view, const struct gf_image_save *save)
{
    static const int formats[] = {
        [GF_KIND_UINT] = SAMPLEFORMAT_UINT, [GF_KIND_SINT] = SAMPLEFORMAT_INT, [GF_KIND_FLOAT] = SAMPLEFORMAT_IEEEFP};
    uint16_t alpha = save->no_alpha ? EXTRASAMPLE_UNSPECIFIED : EXTRASAMPLE_UNASSALPHA;
    size_t bytes = gf_dtype_size(view->dtype);
    bool done = gf_tiff.TIFFSetField(w->tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)view->width) == 1 &&
                gf_tiff.TIFFSetField(w->tiff, TIFFTAG_IMAGELENGTH, (uint32_t)view->height) == 1 &&
                set_number(w, TIFFTAG_BITSPERSAMPLE, (int)(8 * bytes)) &&
                set_number(w, TIFFTAG_SAMPLESPERPIXEL, (int)view->channels) &&
                set_number(w, TIFFTAG_SAMPLEFORMAT, formats[gf_dtype_kind(view->dtype)]) &&
                set_number(w, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                set_number(w, TIFFTAG_PHOTOMETRIC, view->channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    if (done && view->channels % 2 == 0)
        done = gf_tiff.TIFFSetField(w->tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha) == 1;
    return done && set_compression(w, view->dtype, save->compression);
}

/* Writes the EXIF directories after the header, where the library will continue. */
static void set_exif(struct writer *w, const struct gf_image_meta *meta, const struct gf_view *view)
{
    static const uint16_t texts[] = {TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_DOCUMENTNAME, TIFFTAG_PAGENAME,
                                     TIFFTAG_HOSTCOMPUTER,     TIFFTAG_MAKE,         TIFFTAG_MODEL,
                                     TIFFTAG_SOFTWARE,         TIFFTAG_DATETIME,     TIFFTAG_ARTIST,
                                     TIFFTAG_COPYRIGHT};
    struct gf_exif_parts parts;
    for (size_t i = 0; i < GF_ARRAY_LEN(texts); i++) {
        gf_cleanup(gf_freep) char *text = gf_exif_text(meta, texts[i]);
        if (text)
            (void)gf_tiff.TIFFSetField(w->tiff, texts[i], text);
    }
    if (w->is_big)
        return;
    w->at = size_of(w) + w->size % 2; /* `base` is even */
    gf_exif_parts(meta, view, w->at, &parts);
    if (parts.bytes && write_bytes(w, parts.bytes, (tmsize_t)parts.size) > 0) {
        if (parts.exif)
            (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_EXIFIFD, parts.exif);
        if (parts.gps)
            (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_GPSIFD, parts.gps);
    }
    free(parts.bytes);
}

static void set_resolution(struct writer *w, int unit, double x, double y)
{
    (void)set_number(w, TIFFTAG_RESOLUTIONUNIT, unit);
    (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_XRESOLUTION, x);
    (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_YRESOLUTION, y);
}

static void set_geo(struct writer *w, const struct gf_image_geo *geo)
{
    (void)gf_tiff.TIFFMergeFieldInfo(w->tiff, gf_tiff_geo, GF_GEO_TAGS);
    for (size_t i = 0; i < GF_GEO_TAGS; i++)
        if (geo->tags[i].values)
            (void)gf_tiff.TIFFSetField(w->tiff, gf_tiff_geo[i].field_tag, geo->tags[i].count, geo->tags[i].values);
}

/* The library takes bytes, or words of 32 bits, depending on its version. */
static void set_iptc(struct writer *w, const struct gf_image_block *iptc)
{
    const bool words = gf_tiff.TIFFFindField(w->tiff, TIFFTAG_RICHTIFFIPTC, TIFF_LONG) != NULL;
    const size_t size = words ? (iptc->size + 3) / 4 * 4 : iptc->size;
    gf_cleanup(gf_freep) uint8_t *bytes = calloc(1, size);
    if (!bytes)
        return;
    memcpy(bytes, iptc->bytes, iptc->size);
    (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_RICHTIFFIPTC, (uint32_t)(words ? size / 4 : size), bytes);
}

/* Anything that the library refuses is skipped: no metadata is worth losing the picture for. */
static void set_meta(struct writer *w, const struct gf_image_meta *meta, const struct gf_view *view)
{
    gf_cleanup(gf_freep) char *xmp = gf_xmp_write(meta, 1);
    if (xmp)
        (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_XMLPACKET, (uint32_t)strlen(xmp), xmp);
    if (meta->profile && meta->profile_is_grey == (view->channels < 3))
        (void)gf_tiff.TIFFSetField(w->tiff, TIFFTAG_ICCPROFILE, (uint32_t)meta->profile_size, meta->profile);
    if (meta->iptc.bytes)
        set_iptc(w, &meta->iptc);
    if (meta->orientation)
        (void)set_number(w, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    if (meta->per_metre_x && meta->per_metre_y)
        set_resolution(w, RESUNIT_CENTIMETER, meta->per_metre_x / 100.0, meta->per_metre_y / 100.0);
    else if (meta->without_unit[0] > 0 && meta->without_unit[1] > 0)
        set_resolution(w, RESUNIT_NONE, (double)meta->without_unit[0], (double)meta->without_unit[1]);
    set_exif(w, meta, view);
}

static bool write_strips(struct writer *w, const struct gf_view *view, const uint8_t *data)
{
    uint64_t rows = STRIP_BYTES / view->pitch;
    rows = rows < 1 ? 1 : rows > view->height ? view->height : rows;
    if (gf_tiff.TIFFSetField(w->tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)rows) != 1)
        return false;
    uint32_t strip = 0;
    for (uint64_t y = 0; y < view->height; y += rows, strip++) {
        uint64_t n = view->height - y < rows ? view->height - y : rows;
        void *from = (void *)(uintptr_t)(data + y * view->pitch);
        if (gf_tiff.TIFFWriteEncodedStrip(w->tiff, strip, from, (tmsize_t)(n * view->pitch)) < 0)
            return false;
    }
    return true;
}

/* Makes the bytes of a page and, in the head, the place of its directory. */
static bool write_page(struct writer *w, const struct gf_view *view, const void *data, const struct gf_image_save *save)
{
    w->tiff = gf_tiff_open(w->is_big ? "w8" : "w", w, read_bytes, write_bytes, seek, size_of, map, &w->failure);
    bool done = w->tiff && set_header(w, view, save);
    if (done && save->meta)
        set_meta(w, save->meta, view);
    if (done && gf_image_keeps_geo(GF_FORMAT_TIFF, view, save))
        set_geo(w, save->meta->geo);
    w->failure.text[0] = '\0'; /* drop errors about metadata */
    done = done && write_strips(w, view, data) && gf_tiff.TIFFWriteDirectory(w->tiff) == 1;
    gf_tiff_closep(&w->tiff);
    return done && !w->failure.text[0] && !w->no_memory;
}

/* A page that waits for the next one, whose place its directory tells. */
struct held {
    uint8_t *bytes;
    uint64_t base;
    size_t size, next; /* bytes; the place, among them, of the place of the next directory */
    bool is_big;
};

static void held_free(void *state)
{
    struct held *held = state;
    free(held->bytes);
    free(held);
}

/* Begins the file, or writes the page before with the place of the page that was made. */
static enum gf_io_status write_before(struct gf_image_pages *pages, struct held *held, const struct writer *w,
                                      struct gf_io_error *err)
{
    const size_t offset = w->is_big ? 8 : 4;
    if (pages->done == 0)
        return gf_output_write(pages->out, w->head, 2 * offset, err);
    memcpy(held->bytes + held->next, w->head + offset, offset);
    return gf_output_write(pages->out, held->bytes, held->size, err);
}

/* Keeps the page. Its directory is a number of entries, the entries, and the place of the next directory. */
static enum gf_io_status hold(struct held *held, struct writer *w, struct gf_io_error *err)
{
    uint64_t directory = 0, n = 0;
    const size_t offset = w->is_big ? 8 : 4, count = w->is_big ? 8 : 2, entry = w->is_big ? 20 : 12;
    memcpy(&directory, w->head + offset, offset);
    uint64_t at = directory - w->base;
    if (directory >= w->base && at <= w->size && count <= w->size - at)
        memcpy(&n, w->bytes + at, count);
    if (n == 0 || n > UINT16_MAX || count + n * entry + offset > w->size - at)
        return gf_io_fail(err, GF_IO_INTERNAL, "tiff: libtiff made no directory");
    free(held->bytes);
    held->base = w->base;
    held->next = (size_t)(at + count + n * entry);
    held->size = w->size;
    held->bytes = gf_steal_ptr(&w->bytes);
    return GF_IO_OK;
}

enum gf_io_status gf_tiff_encode_page(struct gf_image_pages *pages, const struct gf_view *view, const void *data,
                                      const struct gf_image_save *save, struct gf_io_error *err)
{
    struct writer w = {.bytes = NULL};
    enum gf_io_status s = gf_tiff_ready("the result", err);
    if (s == GF_IO_OK && !pages->state) {
        pages->state = calloc(1, sizeof(struct held));
        pages->free_state = held_free;
    }
    struct held *held = pages->state;
    if (s != GF_IO_OK || !held)
        return s != GF_IO_OK ? s : gf_io_fail(err, GF_IO_NO_MEMORY, "tiff: out of memory");
    if (pages->done == 0)
        held->is_big = gf_view_bytes(view) > MAX_CLASSIC / pages->n;
    w.is_big = held->is_big;
    w.base = pages->done == 0 ? (w.is_big ? 16 : 8) : held->base + held->size;
    if (!write_page(&w, view, data, save))
        s = gf_io_fail(err, GF_IO_INTERNAL, "tiff: %s", w.failure.text[0] ? w.failure.text : "out of memory");
    const bool is_last = pages->done + 1 == pages->n;
    if (s == GF_IO_OK && !is_last && w.size % 2 != 0 && !(grow(&w, w.size + 1) && memset(w.bytes + w.size++, 0, 1)))
        s = gf_io_fail(err, GF_IO_NO_MEMORY, "tiff: out of memory");
    if (s == GF_IO_OK)
        s = write_before(pages, held, &w, err);
    if (s == GF_IO_OK)
        s = hold(held, &w, err);
    if (s == GF_IO_OK && is_last)
        s = gf_output_write(pages->out, held->bytes, held->size, err);
    free(w.bytes);
    return s;
}

enum gf_io_status gf_tiff_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    struct gf_image_pages only = {.n = 1, .out = out};
    enum gf_io_status s = gf_tiff_encode_page(&only, view, data, save, err);
    if (only.state)
        only.free_state(only.state);
    return s;
}

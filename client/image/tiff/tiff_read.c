/* SPDX-License-Identifier: MIT */
/*
 * Reads TIFF and BigTIFF through libtiff. Grey, RGB, with and without alpha, and CMYK keep their channels, and their
 * type if samples are whole bytes; 9 to 15 bits become u16. L*a*b* becomes RGB of the same type (tiff_convert.c); other
 * kinds (fewer bits, palettes, YCbCr) become u8 grey or RGB through libtiff's conversion. A damaged or missing strip or
 * tile is refused, and so is a warning about them. Called by image.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/image/image_meta.h"
#include "tiff_calls.h"

/* One bit of a CCITT code may encode a whole white row. */
#define PIXELS_PER_BYTE (8u * GF_MAX_SIDE)
/* More directories are damage or malice. */
#define MAX_PAGES 65536u
/* How much larger than the picture the tiles may be. */
#define SPARE_BYTES (64u << 20)

struct reader {
    const struct gf_source *src;
    struct gf_tiff_failure failure;
    TIFF *tiff;
    toff_t at;
    uint16_t bits, samples, format, photometric, planar, compression, orientation;
    uint32_t width, height;
    uint32_t bands[GF_MAX_CHANNELS]; /* samples of a pixel that become its channels, from 0 */
    uint32_t n_bands;
    bool is_whole;  /* the bands are all samples, in order */
    uint64_t end;   /* end of the data that the directories read so far point to */
    uint64_t named; /* number of images by ImageJ's description; 0: none */
    struct gf_pages pages;
    /* Uncompressed pictures of one directory are its pages: those of a stack follow each other, those of a volume are
     * in tiles that are tile_depth deep. */
    uint64_t slices, slice, slice_bytes; /* number, 0: none; the one to read, from 0; of one in a stack */
    uint32_t tile_depth;                 /* 0: no volume */
    struct gf_io_error *err;
};

static tmsize_t read_bytes(thandle_t user, void *to, tmsize_t size)
{
    struct reader *r = user;
    size_t left = r->at < r->src->size ? r->src->size - r->at : 0;
    size_t n = (size_t)size < left ? (size_t)size : left;
    memcpy(to, r->src->data + (left > 0 ? r->at : 0), n);
    r->at += n;
    return (tmsize_t)n;
}

static tmsize_t write_nothing(thandle_t user, void *from, tmsize_t size)
{
    (void)user;
    (void)from;
    (void)size;
    return -1;
}

static toff_t seek(thandle_t user, toff_t to, int whence)
{
    struct reader *r = user;
    r->at = whence == SEEK_SET ? to : whence == SEEK_CUR ? r->at + to : r->src->size + to;
    return r->at;
}

static toff_t size_of(thandle_t user)
{
    return ((struct reader *)user)->src->size;
}

/* Lets the library read the bytes in memory. */
static int map(thandle_t user, void **ret_base, toff_t *ret_size)
{
    struct reader *r = user;
    *ret_base = (void *)(uintptr_t)r->src->data;
    *ret_size = r->src->size;
    return 1;
}

static enum gf_io_status damaged(const struct reader *r)
{
    return gf_io_fail(r->err, GF_IO_DATA, "%s: damaged tiff, or of an unsupported kind: %s", r->src->name,
                      r->failure.text[0] ? r->failure.text : "libtiff gives no reason");
}

/* Whether the current directory is a page, not a reduced copy or a mask. */
static bool is_page(const struct reader *r)
{
    uint32_t kind = 0;
    (void)gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

/* Extends r->end to the end of the directory and its samples. Only for pipes, which may deliver another file. */
static void look_at_end(struct reader *r)
{
    uint32_t n =
        gf_tiff.TIFFIsTiled(r->tiff) ? gf_tiff.TIFFNumberOfTiles(r->tiff) : gf_tiff.TIFFNumberOfStrips(r->tiff);
    uint64_t at = gf_tiff.TIFFCurrentDirOffset(r->tiff);
    r->end = at > r->end ? at : r->end;
    for (uint32_t i = 0; i < n && r->failure.text[0] == '\0'; i++) {
        uint64_t begin = gf_tiff.TIFFGetStrileOffset(r->tiff, i), size = gf_tiff.TIFFGetStrileByteCount(r->tiff, i);
        if (begin <= r->src->size && size <= r->src->size - begin && begin + size > r->end)
            r->end = begin + size;
    }
}

/* The beginning of another TIFF file after this one; otherwise the end of the bytes. */
static size_t find_next_file(const struct reader *r)
{
    static const char *const heads[] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    size_t next = r->src->size;
    for (size_t i = 0; i < GF_ARRAY_LEN(heads) && r->end > 0; i++) {
        const uint8_t *head = memmem(r->src->data + r->end, next - r->end, heads[i], 4);
        next = head ? (size_t)(head - r->src->data) : next;
    }
    return next;
}

static bool read_tags(struct reader *r)
{
    TIFF *t = r->tiff;
    r->photometric = PHOTOMETRIC_MINISBLACK;
    r->orientation = 0;
    (void)gf_tiff.TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &r->photometric);
    (void)gf_tiff.TIFFGetField(t, TIFFTAG_ORIENTATION, &r->orientation);
    return gf_tiff.TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &r->width) &&
           gf_tiff.TIFFGetField(t, TIFFTAG_IMAGELENGTH, &r->height) &&
           gf_tiff.TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &r->bits) &&
           gf_tiff.TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &r->samples) &&
           gf_tiff.TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &r->format) &&
           gf_tiff.TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &r->planar) &&
           gf_tiff.TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &r->compression);
}

/* Whether samples have 9 to 15 bits and follow each other without padding. */
static bool is_packed(const struct reader *r)
{
    return r->bits > 8 && r->bits < 16;
}

/* The dtype of samples of whole bytes, and of 9 to 15 bits; 0: none. */
static uint32_t dtype_of(const struct reader *r)
{
    static const struct {
        uint16_t format, bits;
        uint32_t dtype;
    } types[] = {{SAMPLEFORMAT_UINT, 8, GF_U8},     {SAMPLEFORMAT_UINT, 16, GF_U16},  {SAMPLEFORMAT_UINT, 32, GF_U32},
                 {SAMPLEFORMAT_UINT, 64, GF_U64},   {SAMPLEFORMAT_INT, 8, GF_I8},     {SAMPLEFORMAT_INT, 16, GF_I16},
                 {SAMPLEFORMAT_INT, 32, GF_I32},    {SAMPLEFORMAT_INT, 64, GF_I64},   {SAMPLEFORMAT_IEEEFP, 16, GF_F16},
                 {SAMPLEFORMAT_IEEEFP, 32, GF_F32}, {SAMPLEFORMAT_IEEEFP, 64, GF_F64}};
    uint16_t format = r->format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : r->format;
    for (size_t i = 0; i < GF_ARRAY_LEN(types); i++)
        if (types[i].format == format && types[i].bits == r->bits)
            return types[i].dtype;
    return format == SAMPLEFORMAT_UINT && is_packed(r) ? GF_U16 : 0;
}

/* Whether samples are read as they are, or converted by tiff_convert.c; otherwise libtiff converts them. JPEG in TIFF
 * counts, because its decoder returns RGB. */
static bool is_plain(struct reader *r)
{
    uint16_t inks = INKSET_CMYK;
    uint32_t dtype = dtype_of(r);
    bool is_u8 = dtype == GF_U8, is_u16 = dtype == GF_U16 && !is_packed(r);
    switch (r->photometric) {
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_MINISBLACK:
        return dtype != 0;
    case PHOTOMETRIC_MINISWHITE:
        return dtype != 0 && gf_dtype_kind(dtype) != GF_KIND_FLOAT && r->samples == 1;
    case PHOTOMETRIC_CIELAB:
        return (is_u8 || is_u16) && r->samples >= 3;
    case PHOTOMETRIC_SEPARATED:
        (void)gf_tiff.TIFFGetField(r->tiff, TIFFTAG_INKSET, &inks);
        return (is_u8 || is_u16) && r->samples == 4 && inks == INKSET_CMYK;
    case PHOTOMETRIC_YCBCR:
        return is_u8 && r->compression == COMPRESSION_JPEG && r->planar == PLANARCONFIG_CONTIG &&
               gf_tiff.TIFFSetField(r->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    default:
        return false;
    }
}

/* Whether libtiff neither decodes nor rearranges samples, so that those of later slices can be found. */
static bool is_bare(struct reader *r)
{
    uint16_t order = FILLORDER_MSB2LSB;
    (void)gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_FILLORDER, &order);
    return is_plain(r) && r->compression == COMPRESSION_NONE && order == FILLORDER_MSB2LSB &&
           (r->planar == PLANARCONFIG_CONTIG || r->samples == 1);
}

/* Finds the images that follow the samples of the only directory, as ImageJ writes stacks beyond 4 GiB. */
static void find_stack(struct reader *r)
{
    static const char key[] = "\nimages=";
    const char *text = NULL;
    if (!gf_tiff.TIFFGetField(r->tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || strncmp(text, "ImageJ=", 7) != 0 ||
        !(text = strstr(text, key)))
        return;
    r->named = strtoull(text + strlen(key), NULL, 10);
    uint64_t begin = gf_tiff.TIFFGetStrileOffset(r->tiff, 0), bytes = 0;
    if (r->named < 2 || !is_bare(r) || gf_tiff.TIFFIsTiled(r->tiff))
        return;
    for (uint32_t i = 0; i < gf_tiff.TIFFNumberOfStrips(r->tiff); i++) {
        if (gf_tiff.TIFFGetStrileOffset(r->tiff, i) != begin + bytes)
            return;
        bytes += gf_tiff.TIFFGetStrileByteCount(r->tiff, i);
    }
    if (bytes == 0 || bytes != gf_tiff.TIFFScanlineSize64(r->tiff) * r->height || begin > r->src->size ||
        r->named > (r->src->size - begin) / bytes)
        return;
    uint64_t directory = gf_tiff.TIFFCurrentDirOffset(r->tiff), end = begin + r->named * bytes;
    if (directory > begin && directory < end)
        return; /* fewer images than named */
    r->slices = r->named;
    r->slice_bytes = bytes;
    r->end = r->src->how.is_stream ? end : 0;
}

/* Finds the slices of a volume, which must be the only directory. */
static enum gf_io_status find_volume(struct reader *r, bool is_only)
{
    uint32_t depth = 1;
    (void)gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_IMAGEDEPTH, &depth);
    if (depth <= 1)
        return GF_IO_OK;
    (void)gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_TILEDEPTH, &r->tile_depth);
    if (!is_only || !gf_tiff.TIFFIsTiled(r->tiff) || r->tile_depth == 0 || !is_bare(r))
        return gf_io_fail(r->err, GF_IO_DATA,
                          "%s: has a volume of %" PRIu32 " slices (ImageDepth); it must be the only page, in "
                          "uncompressed tiles, with the channels of a pixel together",
                          r->src->name, depth);
    r->slices = depth;
    return GF_IO_OK;
}

/* Reads the tags of the current directory. */
static enum gf_io_status enter_directory(struct reader *r, bool is_only)
{
    if (!read_tags(r))
        return damaged(r);
    if (is_only)
        find_stack(r);
    return r->slices == 0 ? find_volume(r, is_only) : GF_IO_OK;
}

/* Counts the pages and selects the first one to read. */
static enum gf_io_status find_pages(struct reader *r)
{
    tdir_t asked = 0, first = 0, n_directories = 0;
    uint64_t n = 0;
    do {
        if (r->src->how.is_stream)
            look_at_end(r);
        if (!is_page(r))
            continue;
        n++;
        if (n == 1)
            first = n_directories;
        if (n == r->src->how.page)
            asked = n_directories;
    } while (++n_directories < MAX_PAGES && gf_tiff.TIFFReadDirectory(r->tiff));
    if (n_directories == MAX_PAGES)
        return gf_io_fail(r->err, GF_IO_DATA, "%s: has too many pages; it must have fewer than %u", r->src->name,
                          MAX_PAGES);
    if (r->failure.text[0])
        return damaged(r);
    if (n == 0)
        return gf_io_fail(r->err, GF_IO_DATA,
                          "%s: is a TIFF file with only reduced pictures, perhaps in a camera's raw format; "
                          "convert it to PNG",
                          r->src->name);
    if (!gf_tiff.TIFFSetDirectory(r->tiff, n > 1 && asked > 0 ? asked : first))
        return damaged(r);
    enum gf_io_status s = enter_directory(r, n == 1);
    if (s == GF_IO_OK)
        s = gf_image_choose_pages(r->src, "page", r->slices > 0 ? r->slices : n, &r->pages, r->err);
    r->slice = r->pages.first;
    return s;
}

/* Selects the next page. */
static enum gf_io_status go_on(struct reader *r)
{
    r->slice++;
    if (r->slices > 0)
        return GF_IO_OK;
    do {
        if (!gf_tiff.TIFFReadDirectory(r->tiff))
            return damaged(r);
    } while (!is_page(r));
    return enter_directory(r, false);
}

/* Refuses a kind that is neither read as it is nor converted. */
static enum gf_io_status refuse(const struct reader *r, const char *why)
{
    static const char *const formats[] = {"", "unsigned", "signed", "floating-point", "untyped", "complex", "complex"};
    return gf_io_fail(r->err, GF_IO_DATA,
                      "%s: is a TIFF of an unsupported kind: %u %s samples of %u bits per pixel, photometric %u "
                      "(%s); convert it to grey or RGB of 8, 16 or 32 bits",
                      r->src->name, r->samples, r->format < GF_ARRAY_LEN(formats) ? formats[r->format] : "unknown",
                      r->bits, r->photometric, why);
}

/* A strip or tile: its place in the picture and the bytes of one of its rows. */
struct block {
    uint32_t index, x, y, width, height, plane;
    size_t row_bytes;
};

static bool is_planar(const struct reader *r)
{
    return r->planar == PLANARCONFIG_SEPARATE && r->samples > 1;
}

/* Whether a plane has samples that are read. */
static bool is_wanted(const struct reader *r, uint32_t plane)
{
    for (uint32_t k = 0; k < r->n_bands; k++)
        if (!is_planar(r) || r->bands[k] == plane)
            return true;
    return false;
}

/* Copies the bands that a row of a block has. */
static void copy_row(const struct reader *r, const struct block *b, uint32_t columns, const uint8_t *from, uint8_t *to,
                     size_t sample)
{
    const uint32_t step = is_planar(r) ? 1 : r->samples;
    const size_t pixel = sample * r->n_bands;
    if (!is_planar(r) && r->is_whole) {
        memcpy(to, from, columns * pixel);
        return;
    }
    for (uint32_t k = 0; k < r->n_bands; k++)
        for (uint32_t x = 0; x < columns && (!is_planar(r) || r->bands[k] == b->plane); x++)
            memcpy(to + x * pixel + k * sample, from + ((size_t)x * step + (is_planar(r) ? 0 : r->bands[k])) * sample,
                   sample);
}

/* Copies the part of a block that is inside the picture. `unpacked` has room for the samples of a row. */
static void place(const struct reader *r, const struct block *b, const uint8_t *from, uint16_t *unpacked,
                  struct gf_image *image)
{
    size_t sample = gf_dtype_size(image->view.dtype);
    uint32_t columns = r->width - b->x < b->width ? r->width - b->x : b->width;
    uint32_t rows = r->height - b->y < b->height ? r->height - b->y : b->height;
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *row = from + y * b->row_bytes;
        if (is_packed(r)) {
            gf_tiff_unpack(row, r->bits, unpacked, columns * (is_planar(r) ? 1 : r->samples));
            row = (const uint8_t *)unpacked;
        }
        copy_row(r, b, columns, row,
                 (uint8_t *)image->data + (b->y + y) * image->view.pitch + b->x * sample * r->n_bands, sample);
    }
}

/* Copies a strip of a stack or a tile of a volume, of which libtiff reads the first slice. */
static bool copy_block(struct reader *r, uint32_t index, uint8_t *to, uint64_t size)
{
    bool deep = r->tile_depth > 0;
    uint64_t at = gf_tiff.TIFFGetStrileOffset(r->tiff, deep ? index : 0), before = index * size;
    uint64_t skip = deep ? r->slice % r->tile_depth * size : r->slice * r->slice_bytes + before;
    uint64_t n = deep || r->slice_bytes - before > size ? size : r->slice_bytes - before, sample = r->bits / 8;
    if (at > r->src->size || skip > r->src->size - at || n > r->src->size - at - skip) {
        snprintf(r->failure.text, sizeof(r->failure.text), "slice %" PRIu64 " is cut off", r->slice + 1);
        return false;
    }
    const uint8_t *from = r->src->data + at + skip;
    bool swap = gf_tiff.TIFFIsByteSwapped(r->tiff) && !is_packed(r);
    for (uint64_t i = 0; swap && i < n / sample * sample; i++)
        to[i] = from[i - i % sample + (sample - 1 - i % sample)];
    if (!swap)
        memcpy(to, from, n);
    return true;
}

static bool read_block(struct reader *r, bool tiled, uint32_t index, uint8_t *to, uint64_t size)
{
    if (r->slices > 0)
        return copy_block(r, index, to, size);
    tmsize_t n = tiled ? gf_tiff.TIFFReadEncodedTile(r->tiff, index, to, (tmsize_t)size)
                       : gf_tiff.TIFFReadEncodedStrip(r->tiff, index, to, (tmsize_t)size);
    return n >= 0 && r->failure.text[0] == '\0';
}

/* Whether libtiff and the tags agree on all sizes, which must hold before bytes are copied by them. */
static bool is_consistent(const struct reader *r, bool tiled, const struct block *b, uint64_t block_bytes)
{
    uint64_t pixel_bits = (uint64_t)r->bits * (is_planar(r) ? 1 : r->samples);
    uint64_t blocks_x = ((uint64_t)r->width + b->width - 1) / b->width;
    uint64_t blocks_y = ((uint64_t)r->height + b->height - 1) / b->height;
    uint64_t blocks_z = r->tile_depth > 0 ? (r->slices - 1) / r->tile_depth + 1 : 1;
    uint64_t n = tiled ? gf_tiff.TIFFNumberOfTiles(r->tiff) : gf_tiff.TIFFNumberOfStrips(r->tiff);
    return b->row_bytes == (b->width * pixel_bits + 7) / 8 && block_bytes == b->row_bytes * b->height &&
           n == blocks_x * blocks_y * blocks_z * (is_planar(r) ? r->samples : 1);
}

/* Reads block by block through the memory of one block. */
static enum gf_io_status read_blocks(struct reader *r, struct gf_image *image)
{
    bool tiled = gf_tiff.TIFFIsTiled(r->tiff) != 0;
    struct block b = {.width = r->width, .height = r->height};
    uint32_t rows = r->height;
    if (tiled && (!gf_tiff.TIFFGetField(r->tiff, TIFFTAG_TILEWIDTH, &b.width) ||
                  !gf_tiff.TIFFGetField(r->tiff, TIFFTAG_TILELENGTH, &b.height)))
        return damaged(r);
    if (!tiled && gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_ROWSPERSTRIP, &rows) && rows > 0 && rows < b.height)
        b.height = rows;
    uint64_t row = tiled ? gf_tiff.TIFFTileRowSize64(r->tiff) : gf_tiff.TIFFScanlineSize64(r->tiff);
    uint64_t size = tiled ? gf_tiff.TIFFTileSize64(r->tiff) : gf_tiff.TIFFStripSize64(r->tiff);
    uint64_t bytes = gf_view_bytes(&image->view) / r->n_bands * r->samples;
    b.row_bytes = row;
    if (b.width == 0 || b.height == 0 || size > SPARE_BYTES + 4 * bytes || !is_consistent(r, tiled, &b, size))
        return refuse(r, "its strips or tiles do not fit the picture");
    gf_cleanup(gf_freep) uint8_t *memory = calloc(1, size);
    gf_cleanup(gf_freep) uint16_t *unpacked = is_packed(r) ? calloc(b.row_bytes, sizeof(*unpacked)) : NULL;
    if (!memory || (is_packed(r) && !unpacked))
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: no memory for %" PRIu64 " bytes of samples", r->src->name,
                          size);
    uint32_t across = (r->width - 1) / b.width + 1, down = (r->height - 1) / b.height + 1;
    uint32_t planes = is_planar(r) ? r->samples : 1;
    if (r->tile_depth > 0)
        b.index = (uint32_t)(r->slice / r->tile_depth) * across * down;
    for (b.plane = 0; b.plane < planes; b.plane++)
        for (uint32_t i = 0; i < across * down; i++, b.index++) {
            if (!is_wanted(r, b.plane))
                continue;
            b.x = i % across * b.width;
            b.y = i / across * b.height;
            if (!read_block(r, tiled, b.index, memory, size))
                return damaged(r);
            place(r, &b, memory, unpacked, image);
        }
    return GF_IO_OK;
}

/* Inverts samples: 0 in the file is white. The inverse of a signed sample v is -1 - v. */
static void invert(struct gf_image *image)
{
    uint8_t *bytes = image->data;
    for (uint64_t i = 0, n = gf_view_bytes(&image->view); i < n; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

/* Chooses the samples of a pixel that become channels: those asked for, or all. */
static enum gf_io_status choose_bands(struct reader *r)
{
    const struct gf_image_load *how = &r->src->how;
    r->n_bands = how->n_bands > 0 ? how->n_bands : r->samples;
    if (how->n_bands > 0 && r->photometric != PHOTOMETRIC_RGB && r->photometric != PHOTOMETRIC_MINISBLACK)
        return refuse(r, "--bands takes channels of grey and RGB");
    if (r->n_bands == 0)
        return refuse(r, "it must have a channel");
    if (r->n_bands > GF_MAX_CHANNELS && how->only_head)
        r->n_bands = 1; /* info tells their number */
    if (r->n_bands > GF_MAX_CHANNELS)
        return gf_io_fail(r->err, GF_IO_DATA,
                          "%s: has %u bands; choose 1 to %u of them, as in --bands 1,2,3; info describes the file",
                          r->src->name, r->samples, GF_MAX_CHANNELS);
    r->is_whole = r->n_bands == r->samples;
    for (uint32_t k = 0; k < r->n_bands; k++) {
        r->bands[k] = how->n_bands > 0 ? how->bands[k] - 1 : k;
        r->is_whole &= r->bands[k] == k;
        if (r->bands[k] >= r->samples)
            return gf_io_fail(r->err, GF_IO_DATA, "%s: has %u band%s; --bands %" PRIu32 " must be 1 to %u",
                              r->src->name, r->samples, r->samples == 1 ? "" : "s", how->bands[k], r->samples);
    }
    return GF_IO_OK;
}

static enum gf_io_status read_plain(struct reader *r, struct gf_image *image)
{
    struct gf_view view;
    enum gf_io_status s = choose_bands(r);
    if (s == GF_IO_OK)
        s = gf_image_plan(r->src, dtype_of(r), r->width, r->height, r->n_bands, PIXELS_PER_BYTE, &view, r->err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(r->src, &view, image, r->err);
    if (s == GF_IO_OK && image->data)
        s = read_blocks(r, image);
    float *white = NULL;
    if (s != GF_IO_OK)
        return s;
    image->coding.bands = r->samples == r->n_bands ? 0 : r->samples;
    image->is_cmyk = r->photometric == PHOTOMETRIC_SEPARATED;
    if (!image->data)
        return GF_IO_OK;
    if (r->photometric == PHOTOMETRIC_MINISWHITE)
        invert(image);
    else if (r->photometric == PHOTOMETRIC_CIELAB && gf_tiff.TIFFGetFieldDefaulted(r->tiff, TIFFTAG_WHITEPOINT, &white))
        gf_tiff_lab_to_srgb(image, white);
    return GF_IO_OK;
}

/* Reads through libtiff's own conversion, which returns u8 RGBA in 32-bit words. */
static enum gf_io_status read_converted(struct reader *r, struct gf_image *image)
{
    char why[1024] = "";
    struct gf_view view;
    if (r->src->how.n_bands > 0)
        return refuse(r, "--bands takes channels of grey and RGB of 8 bits and more");
    bool grey = r->photometric == PHOTOMETRIC_MINISBLACK || r->photometric == PHOTOMETRIC_MINISWHITE;
    if (r->format != SAMPLEFORMAT_UINT || r->bits > 8 || !gf_tiff.TIFFRGBAImageOK(r->tiff, why))
        return refuse(r, why[0] ? why : "the samples are neither a supported type nor unsigned with up to 8 bits");
    enum gf_io_status s =
        gf_image_plan(r->src, GF_U8, r->width, r->height, grey ? 1 : 3, PIXELS_PER_BYTE, &view, r->err);
    if (s == GF_IO_OK)
        s = gf_image_alloc(r->src, &view, image, r->err);
    if (s != GF_IO_OK || !image->data)
        return s;
    uint64_t pixels = view.width * view.height;
    gf_cleanup(gf_freep) uint32_t *words = calloc(pixels, sizeof(*words));
    if (!words)
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: no memory for %" PRIu64 " pixels", r->src->name, pixels);
    /* Otherwise the conversion would apply the orientation, but only without quarter turns. */
    (void)gf_tiff.TIFFSetField(r->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    int done = gf_tiff.TIFFReadRGBAImageOriented(r->tiff, r->width, r->height, words, ORIENTATION_TOPLEFT, 1);
    if (!done || r->failure.text[0])
        return damaged(r);
    uint8_t *to = image->data;
    for (uint64_t i = 0; i < pixels; i++) {
        *to++ = (uint8_t)TIFFGetR(words[i]);
        if (grey)
            continue;
        *to++ = (uint8_t)TIFFGetG(words[i]);
        *to++ = (uint8_t)TIFFGetB(words[i]);
    }
    return GF_IO_OK;
}

static enum gf_io_status read_page(struct reader *r, struct gf_image *ret_image)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    const struct gf_pages *pages = &r->pages;
    r->failure.is_strict = true;
    enum gf_io_status s = is_plain(r) ? read_plain(r, &image) : read_converted(r, &image);
    r->failure.is_strict = false;
    if (s != GF_IO_OK)
        return s;
    gf_tiff_read_meta(
        r->tiff, r->src,
        &(struct gf_tiff_page){
            .photometric = r->photometric, .orientation = r->orientation, .samples = r->samples, .bands = r->bands},
        &image);
    if (r->named > 1 && pages->n == 1)
        gf_image_warn(&image, "%s: its description names %" PRIu64 " images, of which only the first can be read",
                      r->src->name, r->named);
    return gf_image_give(r->src, pages, &image, ret_image, r->err);
}

enum gf_io_status gf_tiff_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct reader r = {.src = src, .err = err};
    enum gf_io_status s = gf_tiff_ready(src->name, err);
    if (s != GF_IO_OK)
        return s;
    gf_cleanup(gf_tiff_closep) TIFF *tiff =
        gf_tiff_open("r", &r, read_bytes, write_nothing, seek, size_of, map, &r.failure);
    r.tiff = tiff;
    if (!tiff)
        return damaged(&r);
    s = find_pages(&r);
    for (uint64_t i = r.pages.first; s == GF_IO_OK && i < r.pages.end; i++) {
        if (i > r.pages.first)
            s = go_on(&r);
        if (s == GF_IO_OK)
            s = read_page(&r, ret_image);
    }
    ret_image->file_bytes = find_next_file(&r);
    return s;
}

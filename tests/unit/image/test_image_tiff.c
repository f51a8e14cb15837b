/* SPDX-License-Identifier: MIT */
/* client/image/tiff: every type and layout that libtiff writes is read back unchanged, pages are selected, damage
 * is refused. */
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

enum { WIDTH = 37, HEIGHT = 21 };

static void set(TIFF *tiff, uint32_t tag, int value)
{
    assert_int_equal(TIFFSetField(tiff, tag, value), 1);
}

/* What a page is, as libtiff is told. */
struct page {
    int bits, format, samples, photometric, planar, compression, tile, subfile;
};

static const struct page grey8 = {
    8, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISBLACK, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 0, 0};

/* A file with a directory begun. */
static TIFF *create(const char *path, const char *mode)
{
    TIFF *tiff = TIFFOpen(path, mode);
    assert_non_null(tiff);
    return tiff;
}

/* Writes rows of `samples` of one page (interleaved) in the layout that `p` names. */
static void write_page(TIFF *tiff, const struct page *p, const uint8_t *data)
{
    size_t sample = (size_t)p->bits / 8, pixel = sample * (size_t)p->samples;
    set(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    set(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    set(tiff, TIFFTAG_BITSPERSAMPLE, p->bits);
    set(tiff, TIFFTAG_SAMPLEFORMAT, p->format);
    set(tiff, TIFFTAG_SAMPLESPERPIXEL, p->samples);
    set(tiff, TIFFTAG_PHOTOMETRIC, p->photometric);
    set(tiff, TIFFTAG_PLANARCONFIG, p->planar);
    set(tiff, TIFFTAG_COMPRESSION, p->compression);
    if (p->subfile)
        set(tiff, TIFFTAG_SUBFILETYPE, p->subfile);
    bool planar = p->planar == PLANARCONFIG_SEPARATE;
    uint32_t side = p->tile ? (uint32_t)p->tile : 0, width = side ? side : WIDTH, height = side ? side : 4;
    if (side) {
        set(tiff, TIFFTAG_TILEWIDTH, p->tile);
        set(tiff, TIFFTAG_TILELENGTH, p->tile);
    } else {
        set(tiff, TIFFTAG_ROWSPERSTRIP, 4);
    }
    size_t block_pixel = planar ? sample : pixel;
    gf_cleanup(gf_freep) uint8_t *block = malloc(width * height * block_pixel);
    assert_non_null(block);
    uint32_t index = 0;
    for (int plane = 0; plane < (planar ? p->samples : 1); plane++)
        for (uint32_t y = 0; y < HEIGHT; y += height)
            for (uint32_t x = 0; x < WIDTH; x += width, index++) {
                memset(block, 0, width * height * block_pixel);
                for (uint32_t v = 0; v < height && y + v < HEIGHT; v++)
                    for (uint32_t u = 0; u < width && x + u < WIDTH; u++)
                        memcpy(block + (v * width + u) * block_pixel,
                               data + ((y + v) * WIDTH + x + u) * pixel + (size_t)plane * sample, block_pixel);
                uint32_t rows = !side && HEIGHT - y < height ? HEIGHT - y : height;
                tmsize_t size = (tmsize_t)(width * rows * block_pixel);
                assert_true((side ? TIFFWriteEncodedTile(tiff, index, block, size)
                                  : TIFFWriteEncodedStrip(tiff, index, block, size)) == size);
            }
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
}

/* Arbitrary bytes; for floats, finite numbers. */
static struct gf_image samples_of(uint32_t dtype, uint32_t channels)
{
    struct gf_view view = gf_view_tight(dtype, WIDTH, HEIGHT, channels);
    struct gf_image image = {.view = view, .data = malloc(gf_view_bytes(&view)), .free_data = free};
    assert_non_null(image.data);
    for (uint64_t i = 0; i < gf_view_samples(&view); i++)
        if (dtype == GF_F32)
            ((float *)image.data)[i] = (float)i * -1.25e-3f;
        else if (dtype == GF_F64)
            ((double *)image.data)[i] = (double)i / -3;
    if (gf_dtype_kind(dtype) != GF_KIND_FLOAT || dtype == GF_F16)
        for (uint64_t i = 0; i < gf_view_bytes(&view); i++)
            ((uint8_t *)image.data)[i] = (uint8_t)(i * i * 31 >> 3);
    return image;
}

static const uint32_t dtypes[] = {GF_U8, GF_I8, GF_U16, GF_I16, GF_U32, GF_I32, GF_U64, GF_I64, GF_F16, GF_F32, GF_F64};
static const int formats[] = {
    [GF_KIND_UINT] = SAMPLEFORMAT_UINT, [GF_KIND_SINT] = SAMPLEFORMAT_INT, [GF_KIND_FLOAT] = SAMPLEFORMAT_IEEEFP};

static void every_layout_is_read_bit_by_bit(void **state)
{
    UNUSED(state);
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_PACKBITS};
    static const char *const modes[] = {"w", "wb", "w8", "wl"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t channels = 1; channels <= 4; channels++)
            for (int layout = 0; layout < 4; layout++) {
                gf_cleanup(gf_image_deinit) struct gf_image image = samples_of(dtypes[d], channels);
                const struct page p = {(int)(8 * gf_dtype_size(dtypes[d])),
                                       formats[gf_dtype_kind(dtypes[d])],
                                       (int)channels,
                                       channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB,
                                       layout & 1 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG,
                                       compressions[(d + channels) % 4],
                                       layout & 2 ? 16 : 0,
                                       0};
                TIFF *tiff = create(path, modes[(d + channels + (uint32_t)layout) % 4]);
                write_page(tiff, &p, image.data);
                TIFFClose(tiff);
                gf_cleanup(gf_image_deinit) struct gf_image back = fixture_read(dir, "a.tif");
                fixture_assert_equal(&image, &back);
            }
}

static void every_type_is_written_and_read_bit_by_bit(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t channels = 1; channels <= 4; channels++) {
            gf_cleanup(gf_image_deinit) struct gf_image image = samples_of(dtypes[d], channels);
            fixture_write(dir, "a.tif", &image);
            gf_cleanup(gf_image_deinit) struct gf_image back = fixture_read(dir, "a.tif");
            fixture_assert_equal(&image, &back);
        }
}

/* An array may be wider than a picture. */
static void an_array_may_be_long(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    struct gf_view view = gf_view_tight(GF_I32, 100000, 2, 1);
    gf_cleanup(gf_image_deinit) struct gf_image image = {
        .view = view, .data = calloc(1, gf_view_bytes(&view)), .free_data = free};
    assert_non_null(image.data);
    ((int32_t *)image.data)[199999] = -7;
    fixture_write(dir, "a.tif", &image);
    gf_cleanup(gf_image_deinit) struct gf_image back = fixture_read(dir, "a.tif");
    fixture_assert_equal(&image, &back);
}

static void what_is_0_may_be_white(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    gf_cleanup(gf_image_deinit) struct gf_image image = samples_of(GF_U16, 1);
    struct page p = grey8;
    p.bits = 16;
    p.photometric = PHOTOMETRIC_MINISWHITE;
    TIFF *tiff = create(path, "w");
    write_page(tiff, &p, image.data);
    TIFFClose(tiff);
    gf_cleanup(gf_image_deinit) struct gf_image back = fixture_read(dir, "a.tif");
    for (uint64_t i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(((uint16_t *)back.data)[i], 65535 - ((uint16_t *)image.data)[i]);
    p.format = SAMPLEFORMAT_INT;
    tiff = create(path, "w");
    write_page(tiff, &p, image.data);
    TIFFClose(tiff);
    gf_cleanup(gf_image_deinit) struct gf_image below = fixture_read(dir, "a.tif");
    assert_int_equal(below.view.dtype, GF_I16);
    for (uint64_t i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(((int16_t *)below.data)[i], -1 - ((int16_t *)image.data)[i]);
}

/* Begins a file of two rows of 4 pixels, of any number of bits. */
static TIFF *begin_rows(const char *path, int bits, int samples, int photometric)
{
    TIFF *tiff = create(path, "w");
    set(tiff, TIFFTAG_IMAGEWIDTH, 4);
    set(tiff, TIFFTAG_IMAGELENGTH, 2);
    set(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    set(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
    set(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    set(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(tiff, TIFFTAG_ROWSPERSTRIP, 2);
    return tiff;
}

/* Ends the file; its second row is 0. */
static void end_rows(TIFF *tiff, const void *row, size_t size)
{
    uint8_t both[128] = {0};
    memcpy(both, row, size);
    assert_true(TIFFWriteEncodedStrip(tiff, 0, both, (tmsize_t)(2 * size)) == (tmsize_t)(2 * size));
    TIFFClose(tiff);
}

static void write_rows(const char *path, int bits, int samples, int photometric, int orientation, const uint8_t *row)
{
    uint16_t red[4] = {0, 65535, 0, 257 * 10}, green[4] = {0, 0, 65535, 257 * 20}, blue[4] = {65535, 0, 0, 257 * 30};
    TIFF *tiff = begin_rows(path, bits, samples, photometric);
    set(tiff, TIFFTAG_ORIENTATION, orientation);
    if (photometric == PHOTOMETRIC_PALETTE)
        assert_int_equal(TIFFSetField(tiff, TIFFTAG_COLORMAP, red, green, blue), 1);
    end_rows(tiff, row, (size_t)(4 * bits * samples + 7) / 8);
}

static void fewer_bits_and_palettes_are_converted(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const uint8_t grey[] = {0, 255, 255, 0}, fours[] = {0, 0x55, 0xaa, 0xff};
    static const uint8_t colours[] = {0, 0, 255, 255, 0, 0, 0, 255, 0, 10, 20, 30}, white[] = {255, 255, 255, 0, 0, 0};
    write_rows(path, 1, 1, PHOTOMETRIC_MINISBLACK, 1, (const uint8_t[]){0x60});
    gf_cleanup(gf_image_deinit) struct gf_image one = fixture_read(dir, "a.tif");
    assert_int_equal(one.view.channels, 1);
    assert_memory_equal(one.data, grey, 4);
    write_rows(path, 1, 1, PHOTOMETRIC_MINISWHITE, 6, (const uint8_t[]){0x90});
    gf_cleanup(gf_image_deinit) struct gf_image fax = fixture_read(dir, "a.tif");
    assert_memory_equal(fax.data, grey, 4); /* as stored: it is turned when it is written */
    assert_int_equal(fax.meta.orientation, 6);
    write_rows(path, 2, 1, PHOTOMETRIC_MINISBLACK, 1, (const uint8_t[]){0x1b});
    gf_cleanup(gf_image_deinit) struct gf_image two = fixture_read(dir, "a.tif");
    assert_memory_equal(two.data, fours, 4);
    write_rows(path, 2, 1, PHOTOMETRIC_PALETTE, 1, (const uint8_t[]){0x1b});
    gf_cleanup(gf_image_deinit) struct gf_image palette = fixture_read(dir, "a.tif");
    assert_int_equal(palette.view.channels, 3);
    assert_memory_equal(palette.data, colours, 12);
    write_rows(path, 8, 4, PHOTOMETRIC_SEPARATED, 1, (const uint8_t[16]){0, 0, 0, 0, 0, 0, 0, 255});
    gf_cleanup(gf_image_deinit) struct gf_image cmyk = fixture_read(dir, "a.tif");
    assert_int_equal(cmyk.view.channels, 3);
    assert_memory_equal(cmyk.data, white, 6);
}

/* Packs samples of `bits`, the first one in the highest bits. */
static void pack(const uint16_t *samples, size_t n, int bits, uint8_t *to)
{
    for (size_t i = 0; i < n * (size_t)bits; i++)
        to[i / 8] |= (uint8_t)((samples[i / (size_t)bits] >> (bits - 1 - (int)(i % (size_t)bits)) & 1) << (7 - i % 8));
}

static void more_than_8_bits_are_scaled_to_16(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    for (int bits = 9; bits < 16; bits++)
        for (int samples = 1; samples <= 4; samples++) {
            uint16_t values[16], max = (uint16_t)((1u << bits) - 1);
            uint8_t packed[32] = {0};
            for (int i = 0; i < 4 * samples; i++)
                values[i] = i == 0 ? max : (uint16_t)(i * 2741 & max);
            pack(values, 4 * (size_t)samples, bits, packed);
            write_rows(path, bits, samples, samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB, 1, packed);
            gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
            assert_int_equal(image.view.dtype, GF_U16);
            assert_int_equal(image.view.channels, samples);
            for (int i = 0; i < 4 * samples; i++)
                assert_int_equal(((uint16_t *)image.data)[i], (values[i] * 65535u + max / 2) / max);
        }
}

/* 12 bits in planes and tiles, whose rows end within a byte. */
static void few_bits_in_tiles_are_placed(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    TIFF *tiff = create(path, "w");
    set(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    set(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    set(tiff, TIFFTAG_BITSPERSAMPLE, 12);
    set(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    set(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    set(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_SEPARATE);
    set(tiff, TIFFTAG_TILEWIDTH, 16);
    set(tiff, TIFFTAG_TILELENGTH, 16);
    for (uint32_t tile = 0; tile < 3 * 3 * 2; tile++) {
        uint8_t packed[16 * 24] = {0};
        for (uint32_t y = 0; y < 16; y++) {
            uint16_t row[16];
            for (uint32_t x = 0; x < 16; x++)
                row[x] = (uint16_t)(tile / 6 * 1000 + 16 * (tile % 6 / 3) + y + 50 * (tile % 3 * 16 + x) % 997);
            pack(row, 16, 12, packed + y * 24);
        }
        assert_true(TIFFWriteEncodedTile(tiff, tile, packed, sizeof(packed)) == sizeof(packed));
    }
    TIFFClose(tiff);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t v = c * 1000 + y + 50 * x % 997;
                assert_int_equal(((uint16_t *)image.data)[(y * WIDTH + x) * 3 + c], (v * 65535 + 2047) / 4095);
            }
}

static void cmyk_of_16_bits_becomes_rgb(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const uint16_t cmyk[16] = {0, 0, 0, 0, 65535, 0, 0, 0, 0, 0, 0, 65535, 1000, 20000, 65535, 32767};
    static const uint16_t rgb[12] = {65535, 65535, 65535, 0, 65535, 65535, 0, 0, 0, 32268, 22768, 0};
    write_rows(path, 16, 4, PHOTOMETRIC_SEPARATED, 1, (const uint8_t *)cmyk);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
    assert_int_equal(image.view.dtype, GF_U16);
    assert_int_equal(image.view.channels, 3);
    assert_memory_equal(image.data, rgb, sizeof(rgb));
}

static void a_profile_of_cmyk_is_dropped_with_a_warning(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const struct {
        int bits, samples, photometric;
        bool kept;
    } kinds[] = {
        {8, 4, PHOTOMETRIC_SEPARATED, false}, {16, 4, PHOTOMETRIC_SEPARATED, false}, {8, 3, PHOTOMETRIC_RGB, true}};
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++) {
        TIFF *tiff = begin_rows(path, kinds[i].bits, kinds[i].samples, kinds[i].photometric);
        assert_int_equal(TIFFSetField(tiff, TIFFTAG_ICCPROFILE, 3, "icc"), 1);
        end_rows(tiff, (const uint8_t[32]){0}, (size_t)(kinds[i].bits * kinds[i].samples / 2));
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
        assert_int_equal(image.meta.profile_size, kinds[i].kept ? 3 : 0);
        assert_int_equal(image.warning == NULL, kinds[i].kept);
        if (!kinds[i].kept)
            assert_non_null(strstr(image.warning, ": CMYK becomes RGB by a plain conversion; the colour profile is "
                                                  "neither applied nor kept"));
    }
}

static void a_resolution_keeps_its_unit(void **state)
{
    UNUSED(state);
    static const struct {
        int unit, stored;
        uint32_t per_metre_x, per_metre_y;
        float x, y;
    } cases[] = {{RESUNIT_NONE, RESUNIT_NONE, 0, 0, 40, 20},
                 {RESUNIT_CENTIMETER, RESUNIT_CENTIMETER, 4000, 2000, 40, 20},
                 {RESUNIT_INCH, RESUNIT_CENTIMETER, 1575, 787, 15.75f, 7.87f}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        uint16_t unit = 0;
        float x = 0, y = 0;
        TIFF *tiff = begin_rows(path, 8, 1, PHOTOMETRIC_MINISBLACK);
        set(tiff, TIFFTAG_RESOLUTIONUNIT, cases[i].unit);
        assert_int_equal(TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 40.0), 1);
        assert_int_equal(TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 20.0), 1);
        end_rows(tiff, "abcd", 4);
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
        fixture_write(dir, "a.png", &image);
        fixture_write(dir, "b.tif", &image);
        gf_cleanup(gf_image_deinit) struct gf_image png = fixture_read(dir, "a.png");
        assert_int_equal(image.meta.per_metre_x, cases[i].per_metre_x);
        assert_int_equal(png.meta.per_metre_x, cases[i].per_metre_x);
        assert_int_equal(png.meta.per_metre_y, cases[i].per_metre_y);
        gf_cleanup(gf_freep) char *copy = fixture_path(dir, "b.tif");
        tiff = create(copy, "r");
        assert_int_equal(TIFFGetField(tiff, TIFFTAG_RESOLUTIONUNIT, &unit), 1);
        assert_true(TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y));
        TIFFClose(tiff);
        assert_int_equal(unit, cases[i].stored);
        assert_true(x == cases[i].x && y == cases[i].y);
    }
}

/* Greys stay neutral; the primaries of sRGB have known coordinates by D50, which is the default, and by D65. */
static void lab_becomes_srgb(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const uint8_t bytes[12] = {127, 0, 0, 230, 5, 5, 255, 0, 0, 0, 0, 0};
    static const uint8_t srgb[12] = {118, 118, 118, 240, 223, 218, 255, 255, 255, 0, 0, 0};
    TIFF *tiff = begin_rows(path, 8, 3, PHOTOMETRIC_CIELAB);
    end_rows(tiff, bytes, sizeof(bytes));
    gf_cleanup(gf_image_deinit) struct gf_image eight = fixture_read(dir, "a.tif");
    assert_int_equal(eight.view.channels, 3);
    assert_memory_equal(eight.data, srgb, sizeof(srgb));
    assert_int_equal(eight.meta.srgb_intent, 2);
    static const double coordinates[2][4][3] = {
        {{54.29, 80.81, 69.89}, {87.82, -79.27, 80.99}, {29.57, 68.30, -112.03}, {50, 0, 0}},
        {{53.24, 80.09, 67.20}, {87.73, -86.18, 83.18}, {32.30, 79.19, -107.86}, {50, 0, 0}}};
    const float d65[2] = {0.3127f, 0.3290f};
    for (int white = 0; white < 2; white++) {
        uint16_t words[12];
        for (int i = 0; i < 4; i++) {
            const double *c = coordinates[white][i];
            words[3 * i] = (uint16_t)(c[0] * 655.35 + 0.5);
            words[3 * i + 1] = (uint16_t)(int)(c[1] * 256);
            words[3 * i + 2] = (uint16_t)(int)(c[2] * 256);
        }
        tiff = begin_rows(path, 16, 3, PHOTOMETRIC_CIELAB);
        if (white == 1)
            assert_int_equal(TIFFSetField(tiff, TIFFTAG_WHITEPOINT, d65), 1);
        end_rows(tiff, words, sizeof(words));
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
        const uint16_t *got = image.data;
        assert_int_equal(image.view.dtype, GF_U16);
        for (int i = 0; i < 9; i++) /* 0.5 % of white */
            assert_in_range(got[i] + 327, i % 4 == 0 ? 65535 : 0, (i % 4 == 0 ? 65535 : 0) + 2 * 327);
        assert_int_equal(got[9], 30561);
        assert_true(got[9] == got[10] && got[10] == got[11]);
    }
}

static void jpeg_inside_is_rgb(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    uint8_t data[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (const uint8_t[]){200, 40, 90}[i % 3];
    TIFF *tiff = create(path, "w");
    set(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    set(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    set(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    set(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    set(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(tiff, TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
    set(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    set(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    set(tiff, TIFFTAG_ROWSPERSTRIP, 16);
    for (uint32_t y = 0; y < HEIGHT; y++)
        assert_int_equal(TIFFWriteScanline(tiff, data + y * WIDTH * 3, y, 0), 1);
    TIFFClose(tiff);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_read(dir, "a.tif");
    assert_int_equal(image.view.channels, 3);
    for (size_t i = 0; i < sizeof(data); i++)
        assert_in_range(((uint8_t *)image.data)[i], data[i] - 3, data[i] + 3);
}

static uint8_t *pages(const char *path, size_t *ret_size)
{
    uint8_t data[WIDTH * HEIGHT];
    struct page p = grey8;
    TIFF *tiff = create(path, "w");
    for (int i = 0; i < 4; i++) {
        memset(data, 10 * i, sizeof(data));
        p.subfile = i == 2 ? FILETYPE_REDUCEDIMAGE : 0; /* a thumbnail is no page */
        write_page(tiff, &p, data);
    }
    TIFFClose(tiff);
    return fixture_load(path, ret_size);
}

static void a_page_is_chosen(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const uint8_t values[] = {0, 10, 30};
    struct gf_io_error err;
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = pages(path, &size);
    for (uint32_t page = 1; page <= 3; page++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        const struct gf_image_load how = {.page = page};
        assert_int_equal(gf_image_decode("a.tif", bytes, size, &how, &image, &err), GF_IO_OK);
        assert_int_equal(((uint8_t *)image.data)[5], values[page - 1]);
    }
    gf_cleanup(gf_image_deinit) struct gf_image first = fixture_decode("a.tif", bytes, size);
    assert_int_equal(((uint8_t *)first.data)[5], values[0]);
    assert_string_equal(first.warning, "a.tif: has 3 pages; the first one is read; choose one with --page N");
    struct gf_image none = GF_IMAGE_NULL;
    const struct gf_image_load fourth = {.page = 4};
    assert_int_equal(gf_image_decode("a.tif", bytes, size, &fourth, &none, &err), GF_IO_DATA);
    fixture_assert_says(&err, "a.tif: has 3 pages; --page 4 must be 1 to 3");
}

static void other_kinds_are_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    static const struct page kinds[] = {
        {24, SAMPLEFORMAT_IEEEFP, 1, PHOTOMETRIC_MINISBLACK, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 0, 0},
        {32, SAMPLEFORMAT_COMPLEXINT, 1, PHOTOMETRIC_MINISBLACK, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 0, 0},
        {16, SAMPLEFORMAT_UINT, 1, 32803, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 0, 0}, /* of a camera's sensor */
    };
    static const char *const says[] = {"1 floating-point samples of 24 bits", "1 complex samples of 32 bits",
                                       "photometric 32803"};
    uint8_t data[WIDTH * HEIGHT * 8] = {0};
    struct gf_io_error err;
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++) {
        size_t size;
        TIFF *tiff = create(path, "w");
        write_page(tiff, &kinds[i], data);
        TIFFClose(tiff);
        gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
        fixture_refuses("a.tif", bytes, size, GF_IO_DATA, &err);
        fixture_assert_says(&err, "of an unsupported kind");
        fixture_assert_says(&err, says[i]);
    }
}

static void a_file_of_thumbnails_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    uint8_t data[WIDTH * HEIGHT] = {0};
    struct page p = grey8;
    struct gf_io_error err;
    size_t size;
    p.subfile = FILETYPE_REDUCEDIMAGE;
    TIFF *tiff = create(path, "w");
    write_page(tiff, &p, data);
    TIFFClose(tiff);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    fixture_refuses("a.nef", bytes, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "only reduced pictures");
}

/* libtiff writes the directory after the samples: a cut file has no directory, and a file without its samples is
 * reported as such. */
static void damage_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.tif");
    gf_cleanup(gf_image_deinit) struct gf_image image = samples_of(GF_U16, 3);
    struct gf_io_error err;
    size_t size;
    fixture_write(dir, "a.tif", &image);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    for (size_t cut = 8; cut < size - 1; cut++)
        fixture_refuses("a.tif", bytes, cut, GF_IO_DATA, &err);
    /* Every byte is changed, one at a time: the file is read, or refused in one sentence. */
    for (size_t i = 4; i < size; i++) {
        struct gf_image other = GF_IMAGE_NULL;
        bytes[i] ^= 0x41;
        if (gf_image_decode("a.tif", bytes, size, NULL, &other, &err) != GF_IO_OK)
            fixture_assert_says(&err, "a.tif: ");
        gf_image_deinit(&other);
        bytes[i] ^= 0x41;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_read_bit_by_bit),
        cmocka_unit_test(every_type_is_written_and_read_bit_by_bit),
        cmocka_unit_test(an_array_may_be_long),
        cmocka_unit_test(what_is_0_may_be_white),
        cmocka_unit_test(fewer_bits_and_palettes_are_converted),
        cmocka_unit_test(more_than_8_bits_are_scaled_to_16),
        cmocka_unit_test(few_bits_in_tiles_are_placed),
        cmocka_unit_test(cmyk_of_16_bits_becomes_rgb),
        cmocka_unit_test(a_profile_of_cmyk_is_dropped_with_a_warning),
        cmocka_unit_test(a_resolution_keeps_its_unit),
        cmocka_unit_test(lab_becomes_srgb),
        cmocka_unit_test(jpeg_inside_is_rgb),
        cmocka_unit_test(a_page_is_chosen),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(a_file_of_thumbnails_is_refused),
        cmocka_unit_test(damage_is_refused),
    };
    TIFFSetWarningHandler(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

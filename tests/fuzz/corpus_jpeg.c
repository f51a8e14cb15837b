/* SPDX-License-Identifier: MIT */
/* Seeds of fuzz_image: JPEG files of the kinds that the command reads but does not write, made by libjpeg. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "corpus.h"
#include "protocol/base/base.h"

#define SIDE CORPUS_SIDE
#define CENTIMETRES 2
#define LARGE 1024u /* a side of a picture that two threads read */

struct recipe {
    const char *name;
    J_COLOR_SPACE in, stored;
    int channels;
    bool progressive, arithmetic, restarts, no_adobe, dots_per_centimetre;
    int pieces; /* of a profile */
    const uint8_t *exif;
    size_t exif_size;
};

/* A TIFF directory, little-endian: the orientation, and the resolution in each direction in dots per centimetre. */
static const uint8_t exif_small[] = {
    'E',  'x', 'i', 'f', 0, 0, 'I', 'I', '*', 0, 8, 0, 0,    0, 4, 0, 0x12, 1, 3, 0, 1,  0, 0, 0, 3,    0, 0, 0,
    0x1a, 1,   5,   0,   1, 0, 0,   0,   62,  0, 0, 0, 0x1b, 1, 5, 0, 1,    0, 0, 0, 70, 0, 0, 0, 0x28, 1, 3, 0,
    1,    0,   0,   0,   3, 0, 0,   0,   0,   0, 0, 0, 72,   0, 0, 0, 1,    0, 0, 0, 71, 0, 0, 0, 1,    0, 0, 0};
/* The same directory in big-endian and per inch; the second number has the denominator 0. */
static const uint8_t exif_big[] = {'E', 'x', 'i', 'f', 0, 0,    'M', 'M', 0, '*', 0, 0,    0, 8,  0, 3,  1, 0x12,
                                   0,   3,   0,   0,   0, 1,    0,   9,   0, 0,   1, 0x1a, 0, 5,  0, 0,  0, 1,
                                   0,   0,   0,   50,  1, 0x1b, 0,   5,   0, 0,   0, 1,    0, 0,  0, 58, 0, 0,
                                   0,   0,   0,   0,   0, 72,   0,   0,   0, 1,   0, 0,    0, 72, 0, 0,  0, 0};

static void put_markers(struct jpeg_compress_struct *jpeg, const struct recipe *r)
{
    static const uint8_t head[] = "ICC_PROFILE";
    if (r->exif)
        jpeg_write_marker(jpeg, JPEG_APP0 + 1, r->exif, (unsigned)r->exif_size);
    for (int i = 0; i < r->pieces; i++) {
        uint8_t piece[sizeof(head) + 2 + 20] = {0};
        memcpy(piece, head, sizeof(head));
        piece[sizeof(head)] = (uint8_t)(i + 1);
        piece[sizeof(head) + 1] = (uint8_t)r->pieces;
        jpeg_write_marker(jpeg, JPEG_APP0 + 2, piece, sizeof(piece));
    }
}

static void jpeg(const struct recipe *r)
{
    struct jpeg_error_mgr mgr;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&mgr)};
    unsigned char *file = NULL;
    unsigned long size = 0;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &size);
    jpeg.image_width = jpeg.image_height = SIDE;
    jpeg.input_components = r->channels;
    jpeg.in_color_space = r->in;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, r->stored);
    jpeg.arith_code = r->arithmetic;
    jpeg.restart_interval = r->restarts ? 1 : 0;
    if (r->no_adobe)
        jpeg.write_Adobe_marker = FALSE;
    if (r->dots_per_centimetre) {
        jpeg.density_unit = CENTIMETRES;
        jpeg.X_density = jpeg.Y_density = 28;
    }
    if (r->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    put_markers(&jpeg, r);
    for (unsigned y = 0; y < SIDE; y++) {
        uint8_t row[SIDE * 4];
        JSAMPROW rows[] = {row};
        for (unsigned x = 0; x < sizeof(row); x++)
            row[x] = (uint8_t)((x * y * 31 >> 2) + x);
        (void)jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    corpus_save("fuzz_image", r->name, file, size);
    free(file);
}

/* Nothing but white: the fewest bytes for its pixels. */
static void large_jpeg(void)
{
    struct jpeg_error_mgr mgr;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&mgr)};
    unsigned char *file = NULL;
    unsigned long size = 0;
    uint8_t row[LARGE];
    JSAMPROW rows[] = {row};
    memset(row, 255, sizeof(row));
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &size);
    jpeg.image_width = jpeg.image_height = LARGE;
    jpeg.input_components = 1;
    jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg.optimize_coding = TRUE;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < LARGE)
        (void)jpeg_write_scanlines(&jpeg, rows, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    corpus_save("fuzz_image", "large.jpg", file, size);
    free(file);
}

void corpus_jpegs(void)
{
    static const uint8_t nothing[] = {0xff, 0xd8, 0xff, 0xd9};
    static const struct recipe recipes[] = {
        {.name = "progressive.jpg", .in = JCS_RGB, .stored = JCS_YCbCr, .channels = 3, .progressive = true},
        {.name = "arithmetic.jpg", .in = JCS_RGB, .stored = JCS_YCbCr, .channels = 3, .arithmetic = true},
        {.name = "restarts.jpg", .in = JCS_RGB, .stored = JCS_RGB, .channels = 3, .restarts = true},
        {.name = "cmyk.jpg", .in = JCS_CMYK, .stored = JCS_CMYK, .channels = 4},
        {.name = "ycck.jpg", .in = JCS_CMYK, .stored = JCS_YCCK, .channels = 4},
        {.name = "ink.jpg", .in = JCS_CMYK, .stored = JCS_CMYK, .channels = 4, .no_adobe = true},
        {.name = "density.jpg",
         .in = JCS_GRAYSCALE,
         .stored = JCS_GRAYSCALE,
         .channels = 1,
         .dots_per_centimetre = true,
         .pieces = 2},
        {.name = "exif.jpg",
         .in = JCS_RGB,
         .stored = JCS_RGB,
         .channels = 3,
         .exif = exif_small,
         .exif_size = sizeof(exif_small)},
        {.name = "exif_big.jpg",
         .in = JCS_RGB,
         .stored = JCS_RGB,
         .channels = 3,
         .exif = exif_big,
         .exif_size = sizeof(exif_big)},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(recipes); i++)
        jpeg(&recipes[i]);
    large_jpeg();
    corpus_save("fuzz_image", "nothing.jpg", nothing, sizeof(nothing));
}

/* SPDX-License-Identifier: MIT */
/* Seeds of fuzz_image: BMP and TGA files of the kinds that the command reads but does not write. */
#include "corpus.h"
#include "protocol/base/base.h"
#include "tests/support/picture_bytes.h"

#define ZEROS "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct {
    const char *name;
    struct bmp_recipe r;
} bmps[] = {
    {"core1.bmp", {.header = 12, .bits = 1, .colours = 2, BYTES("\x60\0\0\0\xa0\0\0\0")}},
    {"short24.bmp", {.header = 16, .bits = 24, BYTES(ZEROS)}},
    {"palette2.bmp", {.header = 40, .bits = 2, .colours = 4, BYTES("\x6c\0\0\0\x18\0\0\0")}},
    {"palette4.bmp", {.header = 64, .bits = 4, .colours = 7, BYTES("\x45\x60\0\0\x12\x30\0\0")}},
    {"palette8.bmp", {.header = 124, .bits = 8, .colours = 7, .used = 7, BYTES("\4\5\6\0\1\2\3\0")}},
    {"palette_beyond.bmp", {.header = 40, .bits = 8, .colours = 2, .used = 2, BYTES("\0\1\2\0\1\2\3\0")}},
    {"from_top.bmp", {.header = 40, .bits = 8, .colours = 7, .height = -2, BYTES("\4\5\6\0\1\2\3\0")}},
    {"rgb555.bmp", {.header = 40, .bits = 16, BYTES("\0\x7c\xe0\3\x1f\0\0\0\0\0\xff\x7f\x42\x08\0\0")}},
    {"no_alpha32.bmp", {.header = 40, .bits = 32, BYTES(ZEROS)}},
    {"rgb565.bmp",
     {.header = 40,
      .bits = 16,
      .compression = BMP_FIELDS,
      .masks = {0xf800, 0x7e0, 0x1f},
      BYTES("\x20\0\xff\xff\0\0\0\0\0\xf8\xe0\7\x1f\0\0\0")}},
    {"rgb101010.bmp",
     {.header = 52,
      .bits = 32,
      .compression = BMP_FIELDS,
      .masks = {0x3ff00000, 0xffc00, 0x3ff},
      BYTES("\3\x08\x10\0" ZEROS)}},
    {"argb4444.bmp",
     {.header = 56,
      .bits = 16,
      .compression = BMP_FIELDS,
      .masks = {0xf00, 0xf0, 0xf, 0xf000},
      BYTES("\x34\x12\0\x0f\0\xf0\0\0\0\0\0\0\0\0\0\0")}},
    {"argb1555.bmp",
     {.header = 40,
      .bits = 16,
      .compression = BMP_FIELDS_RGBA,
      .masks = {0x7c00, 0x3e0, 0x1f, 0x8000},
      BYTES("\x34\x12\0\x0f\0\xf0\0\0\0\0\0\0\0\0\0\0")}},
    {"runs8.bmp",
     {.header = 40, .bits = 8, .compression = BMP_RLE8, .colours = 7, BYTES("\0\3\1\2\3\0\0\0\2\5\1\6\0\1")}},
    {"runs8_steps.bmp",
     {.header = 108, .bits = 8, .compression = BMP_RLE8, .colours = 7, BYTES("\1\1\0\2\1\1\1\6\0\1")}},
    {"runs4.bmp",
     {.header = 40, .bits = 4, .compression = BMP_RLE4, .colours = 7, BYTES("\2\x12\1\x30\0\0\0\3\x55\x60\0\1")}},
};

static const struct {
    const char *name;
    struct tga_recipe r;
} tgas[] = {
    {"grey.tga", {.type = TGA_GREY, .bits = 8, .id_bytes = 3, BYTES("\1\2\3\4\5\6")}},
    {"grey_alpha.tga",
     {.type = TGA_GREY, .bits = 16, .descriptor = TGA_FROM_TOP | 8, BYTES("\1\2\3\4\5\6\7\10\11\12\13\14")}},
    {"mirrored.tga", {.type = TGA_GREY | TGA_RUNS, .bits = 8, .descriptor = TGA_FROM_RIGHT, BYTES("\x83\7\1\1\2")}},
    {"rgb555.tga", {.type = TGA_COLOUR, .bits = 15, BYTES("\0\x7c\xe0\3\x1f\0\xff\x7f\x43\4\0\0")}},
    {"rgb555_runs.tga", {.type = TGA_COLOUR | TGA_RUNS, .bits = 16, BYTES("\x82\0\x7c\2\x1f\0\xff\x7f\x43\4")}},
    {"no_alpha32.tga", {.type = TGA_COLOUR, .bits = 32, BYTES(ZEROS)}},
    {"map24.tga",
     {.type = TGA_MAPPED, .bits = 8, .map_bits = 24, .map_first = 100, .map_length = 2, BYTES("\3\2\1\6\5\4dedeee")}},
    {"map_beyond.tga",
     {.type = TGA_MAPPED, .bits = 8, .map_bits = 24, .map_first = 100, .map_length = 2, BYTES("\3\2\1\6\5\4dedeef")}},
    {"map16_runs.tga",
     {.type = TGA_MAPPED | TGA_RUNS,
      .bits = 16,
      .map_bits = 16,
      .map_first = 0x1000,
      .map_length = 2,
      BYTES("\3\2\1\6\2\0\x10\1\x10\0\x10\x82\1\x10")}},
    {"map_unused.tga",
     {.type = TGA_COLOUR, .bits = 24, .map_bits = 16, .map_length = 2, BYTES("\xaa\xaa\xaa\xaa" ZEROS)}},
};

void corpus_simple(void)
{
    uint8_t file[PICTURE_CAPACITY];
    for (size_t i = 0; i < GF_ARRAY_LEN(bmps); i++)
        corpus_save("fuzz_image", bmps[i].name, file, bmp_make(file, &bmps[i].r));
    for (size_t i = 0; i < GF_ARRAY_LEN(tgas); i++)
        corpus_save("fuzz_image", tgas[i].name, file, tga_make(file, &tgas[i].r));
}

/* SPDX-License-Identifier: MIT */
/* Small BMP and TGA files of kinds that the command does not write. Used by unit tests and by make_corpus. */
#ifndef GF_TESTS_PICTURE_BYTES_H
#define GF_TESTS_PICTURE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_WIDTH 3
#define PICTURE_HEIGHT 2
#define PICTURE_CAPACITY 512 /* for any of these files */

/* Bytes of a recipe. */
#define BYTES(text) .bytes = (text), .size = sizeof(text) - 1

enum { BMP_NONE, BMP_RLE8, BMP_RLE4, BMP_FIELDS, BMP_FIELDS_RGBA = 6 };

/* A BMP file; zeros are the usual. */
struct bmp_recipe {
    uint32_t header, bits, compression;
    uint32_t masks[4];
    uint32_t colours;  /* entries of the palette, of which entry i is i, 2i, 3i */
    uint32_t used;     /* what the header says of their number */
    int32_t height;    /* what the header says; 0: PICTURE_HEIGHT */
    const char *bytes; /* the pixels */
    size_t size;
};

enum { TGA_MAPPED = 1, TGA_COLOUR = 2, TGA_GREY = 3, TGA_RUNS = 8 };
enum { TGA_FROM_RIGHT = 16, TGA_FROM_TOP = 32 };

/* A TGA file; zeros are the usual. */
struct tga_recipe {
    uint8_t type, bits, descriptor, id_bytes, map_bits;
    uint16_t map_first, map_length;
    const char *bytes; /* the map and the pixels */
    size_t size;
};

/* Make the file of a recipe and return its bytes. */
size_t bmp_make(uint8_t file[PICTURE_CAPACITY], const struct bmp_recipe *r);
size_t tga_make(uint8_t file[PICTURE_CAPACITY], const struct tga_recipe *r);

/* Stores a number, little-endian. */
void picture_put(uint8_t *file, size_t at, uint64_t value, size_t bytes);

#endif

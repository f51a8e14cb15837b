/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the bytes are a file of any format that the command reads. What is read has the size that its view
 * claims, a PNG that the fast reader takes has the pixels that libspng finds, and what the file says of the picture can
 * be written into a PNG. Checksums of PNG chunks are put right first, since nobody guesses them.
 */
#include <spng.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/png_fast.h"
#include "client/cli/png_meta.h"
#include "fuzz.h"
#include "tests/support/png_bytes.h"

#define MAX_PIXELS (1u << 20)

static bool is_png(const struct gf_source *src)
{
    return src->size >= 33 && memcmp(src->data, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static void mend_checksums(uint8_t *png, size_t size)
{
    for (size_t pos = 8, length; size - pos >= 12; pos += 12 + length) {
        length = png_get32(png + pos);
        if (length > size - pos - 12)
            return;
        uint32_t right = png_crc(png + pos + 4, 4 + length);
        for (int i = 0; i < 4; i++)
            png[pos + 8 + length + (size_t)i] = (uint8_t)(right >> (24 - 8 * i));
    }
}

/* Pixels are what the time goes to: a header may claim some thousand times the bytes that are there. */
static bool is_small(const struct gf_source *src)
{
    return !is_png(src) || (uint64_t)png_get32(src->data + 16) * png_get32(src->data + 20) <= MAX_PIXELS;
}

static void compare_with_libspng(const struct gf_source *src)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    if (!is_png(src) || !gf_png_fast_decode(src, &image))
        return;
    size_t size = gf_view_bytes(&image.view);
    gf_cleanup(gf_freep) uint8_t *pixels = malloc(size);
    spng_ctx *ctx = spng_ctx_new(0);
    if (pixels && ctx && spng_set_png_buffer(ctx, src->data, src->size) == 0 &&
        spng_decode_image(ctx, pixels, size, SPNG_FMT_PNG, 0) == 0 && memcmp(pixels, image.data, size) != 0)
        abort();
    spng_ctx_free(ctx);
}

/* A profile is for a picture as it was made for, grey or not. */
static void write_meta(const struct gf_image *image)
{
    size_t size = 0;
    struct spng_ihdr ihdr = {.color_type =
                                 image->meta.profile_is_grey ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR};
    gf_cleanup(gf_freep) uint8_t *chunks = gf_png_meta_chunks(&image->meta, &ihdr, &size);
    if ((chunks == NULL) != (size == 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_freep) uint8_t *copy = malloc(size + 1);
    struct gf_io_error err;
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    struct gf_source src = {.name = "fuzz.txt", .data = copy, .size = size}; /* numbers, if nothing else */
    if (is_png(&src))
        mend_checksums(copy, size);
    if (!is_small(&src))
        return 0;
    compare_with_libspng(&src);
    if (gf_image_decode(src.name, src.data, src.size, NULL, &image, &err) != GF_IO_OK) {
        if (image.data || err.text[0] == '\0')
            abort();
        return 0;
    }
    write_meta(&image);
    volatile uint8_t sum = 0; /* a sanitizer sees samples that are not there */
    for (uint64_t i = 0; i < gf_view_bytes(&image.view); i++)
        sum = (uint8_t)(sum + ((const uint8_t *)image.data)[i]);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Seeds of fuzz_image: a picture in each format that the command writes, and PNG files that it does not write. */
#include <spng.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/image/image.h"
#include "client/image/png/png_codec.h"
#include "corpus.h"

#define SIDE CORPUS_SIDE

/* All metadata that is kept of a file; a profile replaces the colour space. */
static struct gf_image_meta meta_of(bool profile)
{
    static uint8_t icc[64] = "a profile, as far as anybody looks";
    struct gf_image_meta meta = {.orientation = 6,
                                 .per_metre_x = 2835,
                                 .per_metre_y = 2834,
                                 .gamma = 45455,
                                 .srgb_intent = 1,
                                 .primaries = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000}};
    if (profile) {
        meta.profile = icc;
        meta.profile_size = sizeof(icc);
    }
    return meta;
}

/* A picture in the format of the name's extension. */
static void picture(const char *root, const char *name, uint32_t dtype, uint32_t channels,
                    const struct gf_image_meta *meta)
{
    static uint8_t samples[SIDE * SIDE * 4 * 4];
    gf_cleanup(gf_freep) char *path = NULL;
    struct gf_view view = gf_view_tight(dtype, SIDE, SIDE, channels);
    struct gf_image_save save = {.meta = meta};
    struct gf_io_error err;
    for (uint32_t i = 0; i < gf_view_samples(&view); i++) {
        if (dtype == GF_F32)
            ((float *)samples)[i] = (float)(i * 7 % 256) / 256;
        else
            samples[i] = (uint8_t)(i * 7);
    }
    if (asprintf(&path, "%s/fuzz_image/%s", root, name) < 0)
        exit(1);
    if (gf_image_write(path, GF_FORMAT_NONE, &view, samples, &save, &err) != GF_IO_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* A PNG of a kind that the command does not write, with all filters. */
static void png(const char *name, struct spng_ihdr ihdr, bool trns, const struct gf_image_meta *meta)
{
    static uint8_t samples[SIDE * SIDE * 8];
    static const size_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    struct spng_plte plte = {.n_entries = 1u << (ihdr.bit_depth & 7)};
    struct spng_trns transparent = {.n_type3_entries = 1};
    struct gf_png_blocks blocks = {.exif = NULL};
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    size_t size = 0, row = (SIDE * channels[ihdr.color_type] * ihdr.bit_depth + 7) / 8;
    int code = ctx ? 0 : 1;
    for (uint32_t i = 0; i < sizeof(samples); i++)
        samples[i] = (uint8_t)(i * i * 31 >> 4);
    ihdr.width = ihdr.height = SIDE;
    if (!code)
        code = spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    if (!code)
        code = spng_set_ihdr(ctx, &ihdr);
    if (!code && ihdr.color_type == SPNG_COLOR_TYPE_INDEXED)
        code = spng_set_plte(ctx, &plte);
    if (!code && trns)
        code = spng_set_trns(ctx, &transparent);
    if (!code && meta)
        gf_png_meta_set(ctx, meta, &ihdr, &blocks);
    if (!code)
        code = spng_encode_image(ctx, samples, SIDE * row, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    gf_cleanup(gf_freep) uint8_t *file = code ? NULL : spng_get_png_buffer(ctx, &size, &code);
    if (!file)
        exit(1);
    corpus_save("fuzz_image", name, file, size);
    spng_ctx_free(ctx);
    gf_png_blocks_deinit(&blocks);
}

void corpus_pictures(const char *root)
{
    static const char numbers[] = "1 -2.5e3\n0x1p-4, .5 # four\n";
    const struct gf_image_meta plain = meta_of(false), profile = meta_of(true);
    picture(root, "grey.png", GF_U8, 1, NULL);
    picture(root, "rgba16.png", GF_U16, 4, NULL);
    picture(root, "meta.png", GF_U8, 3, &plain);
    picture(root, "profile.png", GF_U8, 3, &profile);
    picture(root, "rgb.jpg", GF_U8, 3, NULL);
    picture(root, "grey.jpg", GF_U8, 1, NULL);
    picture(root, "profile.jpg", GF_U8, 3, &profile);
    picture(root, "rgb.bmp", GF_U8, 3, NULL);
    picture(root, "rgba.tga", GF_U8, 4, NULL);
    picture(root, "grey16.pgm", GF_U16, 1, NULL);
    picture(root, "rgb.ppm", GF_U8, 3, NULL);
    picture(root, "rgba.pam", GF_U8, 4, NULL);
    picture(root, "rgb.pfm", GF_F32, 3, NULL);
    picture(root, "rgb.hdr", GF_F32, 3, NULL);
    picture(root, "array.npy", GF_F32, 1, NULL);
    picture(root, "rgb16.tif", GF_U16, 3, &profile);
    picture(root, "grey_float.tif", GF_F32, 1, NULL);
    picture(root, "rgba.webp", GF_U8, 4, NULL);
    picture(root, "profile.webp", GF_U8, 3, &profile);
    picture(root, "rgb.avif", GF_U8, 3, NULL);
    picture(root, "rgb.heic", GF_U8, 3, NULL);
    corpus_save("fuzz_image", "numbers.txt", numbers, sizeof(numbers) - 1);
    png("filters_rgb.png", (struct spng_ihdr){.bit_depth = 8, .color_type = 2}, false, NULL);
    png("filters_grey_alpha16.png", (struct spng_ihdr){.bit_depth = 16, .color_type = 4}, false, NULL);
    png("laced.png", (struct spng_ihdr){.bit_depth = 8, .color_type = 6, .interlace_method = 1}, false, NULL);
    png("laced_meta.png", (struct spng_ihdr){.bit_depth = 8, .color_type = 2, .interlace_method = 1}, false, &plain);
    png("palette.png", (struct spng_ihdr){.bit_depth = 2, .color_type = 3}, true, NULL);
    png("transparent.png", (struct spng_ihdr){.bit_depth = 16, .color_type = 2}, true, NULL);
    png("transparent_grey.png", (struct spng_ihdr){.bit_depth = 8, .color_type = 0}, true, NULL);
    png("bits.png", (struct spng_ihdr){.bit_depth = 1, .color_type = 0}, false, NULL);
}

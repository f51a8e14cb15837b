/* SPDX-License-Identifier: MIT */
/*
 * Finds chunks, and converts gamma, sRGB, primaries, profile, resolution, EXIF and XMP in chunks to image_meta.h and
 * back, through libspng; copies chunks that libspng does not know. See png_codec.h.
 */
#include "png_codec.h"

#include <stdlib.h>
#include <string.h>

#include "client/image/image_meta.h"

#define XMP_NAME "XML:com.adobe.xmp"
#define PROFILE_NAME "Raw profile type "

size_t gf_png_find_chunk(const uint8_t *file, size_t size, const char *type, uint32_t *ret_length)
{
    return gf_png_find_chunk_from(file, size, 8, type, ret_length);
}

size_t gf_png_find_chunk_from(const uint8_t *file, size_t size, size_t from, const char *type, uint32_t *ret_length)
{
    for (size_t pos = from; size - pos >= 12;) {
        const uint8_t *chunk = file + pos;
        uint32_t length = gf_get_be32(chunk);
        if (length > size - pos - 12)
            break;
        if (memcmp(chunk + 4, type, 4) == 0) {
            *ret_length = length;
            return pos;
        }
        if (memcmp(chunk + 4, "IEND", 4) == 0)
            break; /* chunks after IEND are ignored */
        pos += 12 + (size_t)length;
    }
    return size;
}

static bool is_grey(uint8_t color_type)
{
    return color_type == SPNG_COLOR_TYPE_GRAYSCALE || color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA;
}

static void read_primaries(spng_ctx *ctx, struct gf_image_meta *meta)
{
    struct spng_chrm_int c;
    if (spng_get_chrm_int(ctx, &c))
        return;
    const uint32_t p[] = {c.white_point_x, c.white_point_y, c.red_x, c.red_y, c.green_x, c.green_y, c.blue_x, c.blue_y};
    memcpy(meta->primaries, p, sizeof(meta->primaries));
}

/* XMP is an iTXt chunk with this keyword. The zeros mean: not compressed, no language. */
static void read_xmp(const struct gf_source *src, struct gf_image_meta *meta)
{
    static const char head[] = XMP_NAME "\0\0\0\0";
    uint32_t length;
    for (size_t at = 8;; at += 12 + (size_t)length) {
        at = gf_png_find_chunk_from(src->data, src->size, at, "iTXt", &length);
        if (at == src->size)
            return;
        if (length >= sizeof(head) && memcmp(src->data + at + 8, head, sizeof(head)) == 0)
            gf_image_meta_set_xmp(meta, src->data + at + 8 + sizeof(head), length - sizeof(head));
    }
}

/* Reads the chunks of HDR. */
static void read_hdr(const struct gf_source *src, struct gf_image_meta *meta)
{
    static const struct {
        const char *type;
        uint32_t length;
    } levels[] = {{"mDCV", 24}, {"cLLI", 8}};
    uint32_t length = 0;
    size_t at = gf_png_find_chunk(src->data, src->size, "cICP", &length);
    if (at < src->size && length == sizeof(meta->cicp))
        memcpy(meta->cicp, src->data + at + 8, sizeof(meta->cicp));
    for (size_t i = 0; i < GF_ARRAY_LEN(levels); i++) {
        at = gf_png_find_chunk(src->data, src->size, levels[i].type, &length);
        if (at < src->size && length == levels[i].length)
            gf_image_block_add(&meta->light, src->data + at, length + 12);
    }
}

/* The bytes of a profile as ImageMagick stores it in a text: its name and its size, each on a line, then hexadecimal
 * digits. The caller frees them; NULL: another text, or out of memory. */
static uint8_t *decode_profile(const char *text, size_t *ret_size)
{
    const char *at = strchr(text + (text[0] == '\n'), '\n');
    char *digits = NULL;
    const unsigned long long size = at ? strtoull(at, &digits, 10) : 0;
    if (size == 0 || size > strlen(digits) / 2)
        return NULL;
    gf_cleanup(gf_freep) uint8_t *bytes = calloc(1, size);
    for (size_t i = 0; bytes && i < 2 * size; digits++) {
        const char *digit = memchr("0123456789abcdef", *digits, 16);
        if (!digit && !gf_is_space((uint8_t)*digits))
            return NULL;
        if (digit)
            bytes[i / 2] |= (uint8_t)((digit - "0123456789abcdef") << (i % 2 == 0 ? 4 : 0));
        i += digit != NULL;
    }
    *ret_size = size;
    return gf_steal_ptr(&bytes);
}

/* Reads EXIF, XMP and IPTC that programs stored as text, unless chunks of their own have them. */
static void read_profiles(spng_ctx *ctx, struct gf_image_meta *meta)
{
    static const char exif[] = "Exif\0", resources[] = "Photoshop 3.0";
    uint32_t n = 0;
    if (spng_get_text(ctx, NULL, &n) || n == 0)
        return;
    gf_cleanup(gf_freep) struct spng_text *texts = calloc(n, sizeof(*texts));
    if (!texts || spng_get_text(ctx, texts, &n))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const char *type = texts[i].keyword + strlen(PROFILE_NAME);
        size_t size = 0;
        if (strncmp(texts[i].keyword, PROFILE_NAME, strlen(PROFILE_NAME)) != 0)
            continue;
        gf_cleanup(gf_freep) uint8_t *bytes = decode_profile(texts[i].text, &size);
        if (!bytes)
            continue;
        if (size > sizeof(exif) && memcmp(bytes, exif, sizeof(exif)) == 0 && !meta->exif)
            gf_exif_read(bytes + sizeof(exif), size - sizeof(exif), meta);
        else if (strcmp(type, "xmp") == 0 && !meta->xmp)
            gf_image_meta_set_xmp(meta, bytes, size);
        else if (strcmp(type, "iptc") == 0 && size > sizeof(resources) &&
                 memcmp(bytes, resources, sizeof(resources)) == 0)
            gf_image_meta_set_iptc(meta, bytes + sizeof(resources), size - sizeof(resources));
        else if (strcmp(type, "iptc") == 0)
            gf_image_meta_set_iptc(meta, bytes, size);
    }
}

/* Reads the text that no other fact has: programs store XMP, EXIF and thumbnails as text, too. */
static void read_text(const struct gf_source *src, struct gf_image_meta *meta)
{
    static const char *const types[] = {"tEXt", "zTXt", "iTXt"};
    static const char *const others[] = {XMP_NAME, PROFILE_NAME, "Thumb::"};
    for (size_t i = 0; i < GF_ARRAY_LEN(types); i++) {
        uint32_t length = 0;
        for (size_t at = 8;; at += 12 + (size_t)length) {
            at = gf_png_find_chunk_from(src->data, src->size, at, types[i], &length);
            if (at == src->size)
                break;
            bool is_other = false;
            for (size_t k = 0; k < GF_ARRAY_LEN(others); k++)
                is_other |= gf_source_has(src, at + 8, others[k], strlen(others[k]));
            if (!is_other)
                gf_image_block_add(&meta->text, src->data + at, 12 + (size_t)length);
        }
    }
}

void gf_png_meta_read(const struct gf_source *src, struct gf_image_meta *meta)
{
    gf_cleanup(gf_png_ctx_freep) spng_ctx *ctx = spng_ctx_new(0);
    struct spng_ihdr ihdr;
    struct spng_phys phys;
    struct spng_iccp iccp;
    uint32_t length;
    uint8_t intent;
    if (!ctx || spng_set_png_buffer(ctx, src->data, src->size) ||
        spng_set_chunk_limits(ctx, GF_IMAGE_MAX_PROFILE, GF_IMAGE_MAX_PROFILE) || spng_get_ihdr(ctx, &ihdr))
        return;
    (void)spng_get_gama_int(ctx, &meta->gamma);
    read_primaries(ctx, meta);
    if (!spng_get_srgb(ctx, &intent))
        meta->srgb_intent = 1u + intent;
    if (!spng_get_phys(ctx, &phys) && phys.unit_specifier == 1) {
        meta->per_metre_x = phys.ppu_x;
        meta->per_metre_y = phys.ppu_y;
    }
    if (!spng_get_iccp(ctx, &iccp))
        gf_image_meta_set_profile(meta, iccp.profile, iccp.profile_len, is_grey(ihdr.color_type));
    /* libspng up to 0.7.3 loses the length of this chunk's data. */
    size_t exif = gf_png_find_chunk(src->data, src->size, "eXIf", &length);
    if (exif < src->size)
        gf_exif_read(src->data + exif + 8, length, meta);
    read_xmp(src, meta);
    read_profiles(ctx, meta);
    read_hdr(src, meta);
    read_text(src, meta);
}

static void set_primaries(spng_ctx *ctx, const uint32_t p[8])
{
    static const uint32_t none[8];
    struct spng_chrm_int c = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
    if (memcmp(p, none, sizeof(none)) != 0)
        (void)spng_set_chrm_int(ctx, &c);
}

/* Anything that libspng refuses is skipped: no metadata is worth losing the picture for. */
void gf_png_meta_set(spng_ctx *ctx, const struct gf_image_meta *meta, const struct spng_ihdr *ihdr,
                     struct gf_png_blocks *ret_blocks)
{
    struct spng_phys phys = {.ppu_x = meta->per_metre_x, .ppu_y = meta->per_metre_y, .unit_specifier = 1};
    struct spng_iccp iccp = {
        .profile_name = "ICC", .profile_len = meta->profile_size, .profile = (char *)meta->profile};
    static char empty[] = "";
    const struct gf_view sides = {.width = ihdr->width, .height = ihdr->height};
    size_t size = 0;
    if (meta->cicp[0]) {
        ret_blocks->cicp = (struct spng_unknown_chunk){.type = "cICP",
                                                       .length = sizeof(meta->cicp),
                                                       .data = (void *)(uintptr_t)meta->cicp,
                                                       .location = SPNG_AFTER_IHDR};
        (void)spng_set_unknown_chunks(ctx, &ret_blocks->cicp, 1);
    }
    if (meta->gamma)
        (void)spng_set_gama_int(ctx, meta->gamma);
    set_primaries(ctx, meta->primaries);
    if (meta->profile && meta->profile_is_grey == is_grey(ihdr->color_type))
        (void)spng_set_iccp(ctx, &iccp);
    else if (meta->srgb_intent && !meta->profile)
        (void)spng_set_srgb(ctx, (uint8_t)(meta->srgb_intent - 1));
    if (meta->per_metre_x && meta->per_metre_y)
        (void)spng_set_phys(ctx, &phys);
    ret_blocks->exif = gf_exif_write(meta, meta->orientation, &sides, GF_EXIF_MAX, &size);
    ret_blocks->xmp = gf_xmp_write(meta, meta->orientation);
    struct spng_exif exif = {.length = size, .data = (char *)ret_blocks->exif};
    struct spng_text xmp = {.keyword = XMP_NAME,
                            .type = SPNG_ITXT,
                            .text = ret_blocks->xmp,
                            .length = ret_blocks->xmp ? strlen(ret_blocks->xmp) : 0,
                            .language_tag = empty,
                            .translated_keyword = empty};
    if (exif.data)
        (void)spng_set_exif(ctx, &exif);
    if (xmp.text)
        (void)spng_set_text(ctx, &xmp, 1);
}

void gf_png_blocks_deinit(struct gf_png_blocks *blocks)
{
    free(blocks->exif);
    free(blocks->xmp);
}

/* The bytes between the header and the samples of an encoded file of one pixel, then the chunks to copy. */
uint8_t *gf_png_meta_chunks(const struct gf_image_meta *meta, const struct spng_ihdr *ihdr, size_t *ret_size)
{
    static const uint8_t pixel[4];
    static const size_t channels[] = {1, 0, 3, 0, 2, 0, 4};
    gf_cleanup(gf_png_blocks_deinit) struct gf_png_blocks blocks = {.exif = NULL};
    gf_cleanup(gf_png_ctx_freep) spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr one = {.width = 1, .height = 1, .bit_depth = 8, .color_type = ihdr->color_type};
    size_t size = 0;
    uint32_t length;
    int code = 0;
    if (!ctx || spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1) || spng_set_ihdr(ctx, &one))
        return NULL;
    gf_png_meta_set(ctx, meta, ihdr, &blocks);
    if (spng_encode_image(ctx, pixel, channels[one.color_type], SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE))
        return NULL;
    gf_cleanup(gf_freep) uint8_t *file = spng_get_png_buffer(ctx, &size, &code);
    size_t idat = file ? gf_png_find_chunk(file, size, "IDAT", &length) : GF_PNG_HEAD;
    size_t made = idat - GF_PNG_HEAD, light = meta->light.bytes ? meta->light.size : 0;
    size_t text = meta->text.bytes ? meta->text.size : 0, all = made + light + text;
    gf_cleanup(gf_freep) uint8_t *chunks = all > 0 ? malloc(all) : NULL;
    if (!chunks)
        return NULL;
    memcpy(chunks, file + GF_PNG_HEAD, made);
    if (light > 0)
        memcpy(chunks + made, meta->light.bytes, light);
    if (text > 0)
        memcpy(chunks + made + light, meta->text.bytes, text);
    *ret_size = all;
    return gf_steal_ptr(&chunks);
}

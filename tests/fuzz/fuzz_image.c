/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the bytes are a file of any format that the command reads. The picture has the size that its view
 * claims, which is also that of its header. It is the same whatever was in memory before, so no sample is
 * uninitialized, in parts that --salvage fills and on other pages neither. A PNG that the fast reader accepts has the
 * pixels that libspng finds, and the metadata can be written into a PNG. The readers of metadata get what follows their
 * marks in the bytes, so that they run in builds without the library of a format, too. Colours are converted by
 * whatever profile the file has. Checksums of PNG chunks are
 * corrected first, because a fuzzer cannot guess them. MemorySanitizer runs without PNG: libspng and zlib are not built
 * with it.
 */
#include <malloc.h>
#include <spng.h>
#include <stdlib.h>
#include <string.h>

#include "client/image/image.h"
#include "client/image/png/png_codec.h"
#include "fuzz.h"
#include "tests/support/png_bytes.h"

#define MAX_PIXELS (1u << 20)
#define STACK_BYTES (128u << 10)

#if defined(__has_feature)
#define HAS_MSAN __has_feature(memory_sanitizer)
#else
#define HAS_MSAN 0
#endif

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

static uint64_t get16(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8;
}

/* The number of pixels that the header of a WebP claims, by the kind of its first chunk. */
static uint64_t webp_pixels(const uint8_t *p)
{
    if (memcmp(p + 12, "VP8X", 4) == 0)
        return (get16(p + 24) + 65536u * p[26] + 1) * (get16(p + 27) + 65536u * p[29] + 1);
    if (memcmp(p + 12, "VP8L", 4) == 0)
        return ((get16(p + 21) & 0x3fff) + 1) * (((get16(p + 22) >> 6 | (uint64_t)p[24] << 10) & 0x3fff) + 1);
    return (get16(p + 26) & 0x3fff) * (get16(p + 28) & 0x3fff);
}

/* Limits the pixels, which cost most of the time: a header may claim thousands of times the bytes of the file. */
static bool is_small(const struct gf_source *src)
{
    if (src->size >= 30 && memcmp(src->data, "RIFF", 4) == 0)
        return webp_pixels(src->data) <= MAX_PIXELS;
    if (src->size >= 10 && memcmp(src->data, "GIF8", 4) == 0)
        return get16(src->data + 6) * get16(src->data + 8) <= MAX_PIXELS;
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

/* A profile fits only pictures of the kind that it was made for, grey or colour. */
static void write_meta(const struct gf_image *image)
{
    size_t size = 0;
    struct spng_ihdr ihdr = {.color_type =
                                 image->meta.profile_is_grey ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR};
    gf_cleanup(gf_freep) uint8_t *chunks = gf_png_meta_chunks(&image->meta, &ihdr, &size);
    if ((chunks == NULL) != (size == 0))
        abort();
}

/* Memory for samples: poisoned under the sanitizer, otherwise filled with a value. */
static void *take(void *user, uint64_t size)
{
    uint8_t *data = malloc(size);
    if (data && !HAS_MSAN)
        memset(data, *(const int *)user, size);
    return data;
}

static void give_back(void *user, void *data)
{
    (void)user;
    free(data);
}

/* Memory with two different contents, so that samples that a reader leaves out differ. */
static int g_one = 0x55, g_other = 0xaa;
static const struct gf_image_memory g_ones = {take, give_back, &g_one}, g_others = {take, give_back, &g_other};

/* Fills the stack where the next function will have its variables. */
static __attribute__((noinline)) void fill_stack(int value)
{
    uint8_t bytes[STACK_BYTES];
    memset(bytes, value, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

/* Reads the file in this way while unwritten memory holds this value. */
static bool decode(const struct gf_source *src, struct gf_image_load how, const struct gf_image_memory *memory,
                   struct gf_image *image)
{
    struct gf_io_error err = {.text = ""};
    how.memory = memory;
    (void)mallopt(M_PERTURB, *(const int *)memory->user);
    fill_stack(*(const int *)memory->user);
    if (gf_image_decode(src->name, src->data, src->size, &how, image, &err) == GF_IO_OK)
        return true;
    if (image->data || err.text[0] == '\0')
        abort();
    return false;
}

static bool is_same(const struct gf_image *a, const struct gf_image *b)
{
    return memcmp(&a->view, &b->view, sizeof(a->view)) == 0 && a->file_bytes == b->file_bytes &&
           memcmp(a->data, b->data, gf_view_bytes(&a->view)) == 0;
}

#define MAX_PAGES 32u

/* Pages that were read, and what their samples sum up to. */
struct pages {
    uint64_t n, sum;
};

static enum gf_io_status take_page(void *user, struct gf_image *page, struct gf_io_error *err)
{
    struct pages *pages = user;
    for (uint64_t i = 0; i < gf_view_bytes(&page->view); i++)
        pages->sum = pages->sum * 31 + ((const uint8_t *)page->data)[i];
    if (page->pages < ++pages->n)
        abort();
    return pages->n < MAX_PAGES ? GF_IO_OK : gf_io_fail(err, GF_IO_FAILED, "enough");
}

/* Reads all pages, the first of which may be read alone if `read`. */
static struct pages read_pages(const struct gf_source *src, const struct gf_image_memory *memory, bool read)
{
    struct pages pages = {.n = 0};
    gf_cleanup(gf_image_deinit) struct gf_image none = GF_IMAGE_NULL;
    const struct gf_image_load how = {.memory = memory, .take = take_page, .take_user = &pages};
    struct gf_io_error err = {.text = ""};
    (void)mallopt(M_PERTURB, *(const int *)memory->user);
    enum gf_io_status s = gf_image_decode(src->name, src->data, src->size, &how, &none, &err);
    if (none.data || (s == GF_IO_OK && (pages.n == 0 || !read)) || (s != GF_IO_OK && err.text[0] == '\0'))
        abort();
    return pages;
}

/* The picture is also converted to sRGB, which may be refused but leaves its size and channels. */
static void convert(const struct gf_source *src, const struct gf_image *image)
{
    gf_cleanup(gf_image_deinit) struct gf_image converted = GF_IMAGE_NULL;
    const struct gf_image_load how = {.srgb = true, .threads = 1};
    struct gf_io_error err = {.text = ""};
    if (gf_image_decode(src->name, src->data, src->size, &how, &converted, &err) != GF_IO_OK) {
        if (converted.data || err.text[0] == '\0')
            abort();
    } else if (memcmp(&image->view, &converted.view, sizeof(image->view)) != 0) {
        abort();
    }
}

/* Makes a sanitizer check that all bytes exist and were written. */
static void check_bytes(const void *data, uint64_t size)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < size; i++)
        sum += ((const uint8_t *)data)[i];
    if (sum > UINT8_MAX * size)
        abort();
}

static void check_text(const char *text)
{
    if (text)
        check_bytes(text, strlen(text));
}

/* Reads the file in this way twice, and stores the picture; false if it is refused. */
static bool decode_twice(const struct gf_source *src, struct gf_image_load how, struct gf_image *ret_image)
{
    gf_cleanup(gf_image_deinit) struct gf_image again = GF_IMAGE_NULL;
    bool read = decode(src, how, &g_ones, ret_image);
    if (decode(src, how, &g_others, &again) != read || (read && !is_same(ret_image, &again)))
        abort();
    if (read)
        check_bytes(ret_image->data, gf_view_bytes(&ret_image->view));
    return read;
}

/* A header alone tells the size and the type of the picture that it begins. */
static void compare_with_head(const struct gf_source *src, const struct gf_image *image)
{
    static int zero;
    static const struct gf_image_memory memory = {take, give_back, &zero};
    gf_cleanup(gf_image_deinit) struct gf_image head = GF_IMAGE_NULL;
    if (!decode(src, (struct gf_image_load){.only_head = true}, &memory, &head) ||
        head.view.width != image->view.width || head.view.height != image->view.height ||
        head.view.dtype != image->view.dtype)
        abort();
}

/* Gives the readers of metadata what follows their marks. */
static void read_meta(const struct gf_source *src, struct gf_image_meta *meta)
{
    static const char exif[] = "Exif\0", pictures[] = "MPF", xmp[] = "<x:xmpmeta", profile[] = "acsp";
    const size_t acsp_at = 36; /* in a profile */
    for (size_t at = 0; at < src->size; at++) {
        const uint8_t *p = src->data + at;
        size_t left = src->size - at;
        if (left > sizeof(exif) && memcmp(p, exif, sizeof(exif)) == 0)
            gf_exif_read(p + sizeof(exif), left - sizeof(exif), meta);
        else if (left > sizeof(pictures) && memcmp(p, pictures, sizeof(pictures)) == 0)
            for (uint64_t i = 0, n = 1; i < n && i < MAX_PAGES; i++) {
                struct gf_exif_place place;
                n = gf_exif_pictures(p + sizeof(pictures), left - sizeof(pictures), i, &place);
            }
        else if (left > sizeof(xmp) && memcmp(p, xmp, sizeof(xmp) - 1) == 0)
            gf_image_meta_set_xmp(meta, p, strnlen((const char *)p, left));
        else if (left > sizeof(profile) && at >= acsp_at && memcmp(p, profile, sizeof(profile) - 1) == 0)
            gf_image_meta_set_profile(meta, p - acsp_at, left + acsp_at, false);
    }
    if (meta->exif_size == 0)
        gf_exif_read(src->data, src->size, meta);
}

/* Writes metadata in each way, and what --keep leaves of them. */
static void use_meta(const struct gf_image_meta *all)
{
    static const uint32_t drops[] = {0, GF_FACT(EXIF), ~0u};
    const struct gf_view view = gf_view_tight(GF_U8, 3, 2, 3);
    for (size_t i = 0; i < GF_ARRAY_LEN(drops); i++) {
        const struct gf_image_meta meta = gf_image_meta_without(all, drops[i]);
        struct gf_exif_parts parts;
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *exif = gf_exif_write(&meta, 6, &view, GF_EXIF_MAX, &size);
        gf_cleanup(gf_freep) char *xmp = gf_xmp_write(&meta, 6), *name = gf_image_profile_name(&meta);
        gf_cleanup(gf_freep) char *artist = gf_exif_text(&meta, 0x013b);
        gf_cleanup(gf_image_meta_deinit) struct gf_image_meta again = {.orientation = 0};
        gf_exif_parts(&meta, &view, 8, &parts);
        gf_exif_read(exif, size, &again);
        if (exif && again.orientation != 6)
            abort();
        check_bytes(exif, size);
        check_bytes(parts.bytes, parts.size);
        check_text(xmp);
        check_text(name);
        check_text(artist);
        free(parts.bytes);
    }
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_N_FORMATS; f++) {
        struct gf_io_error err = {.text = ""};
        (void)gf_image_loss("fuzz", f, &view, &(struct gf_image_save){.meta = all, .strict = true}, &err);
        check_text(err.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct gf_image_load ways[] = {{.page = 2}, {.salvage = true}, {.is_stream = true}};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_image_meta_deinit) struct gf_image_meta meta = {.orientation = 0};
    gf_cleanup(gf_freep) uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    struct gf_source src = {.name = "fuzz.txt", .data = copy, .size = size}; /* numbers, if nothing else */
    read_meta(&src, &meta);
    use_meta(&meta);
    if (is_png(&src))
        mend_checksums(copy, size);
    if (!is_small(&src) || (HAS_MSAN && is_png(&src)))
        return 0;
    compare_with_libspng(&src);
    for (size_t i = 0; i < GF_ARRAY_LEN(ways); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image other = GF_IMAGE_NULL;
        (void)decode_twice(&src, ways[i], &other);
    }
    const bool read = decode_twice(&src, (struct gf_image_load){.page = 0}, &image);
    const struct pages pages = read_pages(&src, &g_ones, read), again = read_pages(&src, &g_others, read);
    if (pages.n != again.n || pages.sum != again.sum)
        abort();
    if (!read)
        return 0;
    compare_with_head(&src, &image);
    use_meta(&image.meta);
    if (!HAS_MSAN) {
        write_meta(&image);
        convert(&src, &image);
    }
    return 0;
}

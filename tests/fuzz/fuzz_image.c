/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the bytes are a file of any format that the command reads. The picture has the size that its view
 * claims. It is the same whatever was in memory before, so no sample is uninitialized. A PNG that the fast reader
 * accepts has the pixels that libspng finds, and the metadata can be written into a PNG. Its colours are converted by
 * whatever profile the file has. Checksums of PNG chunks are
 * corrected first, because a fuzzer cannot guess them. MemorySanitizer runs without PNG: libspng and zlib are not built
 * with it.
 */
#include <malloc.h>
#include <spng.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/image/image.h"
#include "client/cli/image/png/png_codec.h"
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

/* Fills the stack where the next function will have its variables. */
static __attribute__((noinline)) void fill_stack(int value)
{
    uint8_t bytes[STACK_BYTES];
    memset(bytes, value, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

/* Reads the file while unwritten memory holds this value. */
static bool decode(const struct gf_source *src, const struct gf_image_memory *memory, struct gf_image *image)
{
    const struct gf_image_load how = {.memory = memory};
    struct gf_io_error err = {.text = ""};
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int one = 0x55, other = 0xaa;
    static const struct gf_image_memory ones = {take, give_back, &one}, others = {take, give_back, &other};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL, again = GF_IMAGE_NULL;
    gf_cleanup(gf_freep) uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    struct gf_source src = {.name = "fuzz.txt", .data = copy, .size = size}; /* numbers, if nothing else */
    if (is_png(&src))
        mend_checksums(copy, size);
    if (!is_small(&src) || (HAS_MSAN && is_png(&src)))
        return 0;
    compare_with_libspng(&src);
    bool read = decode(&src, &ones, &image);
    if (decode(&src, &others, &again) != read || (read && !is_same(&image, &again)))
        abort();
    const struct pages pages = read_pages(&src, &ones, read), pages_again = read_pages(&src, &others, read);
    if (pages.n != pages_again.n || pages.sum != pages_again.sum)
        abort();
    if (!read)
        return 0;
    if (!HAS_MSAN) {
        write_meta(&image);
        convert(&src, &image);
    }
    uint64_t sum = 0; /* the sum makes a sanitizer check that every sample exists and was written */
    for (uint64_t i = 0; i < gf_view_bytes(&image.view); i++)
        sum += ((const uint8_t *)image.data)[i];
    if (sum > UINT8_MAX * gf_view_bytes(&image.view))
        abort();
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Code that the codecs share: header checks, memory for samples, and samples in the layout of a format. */
#include "image_codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/io/input.h"

void gf_image_deinit(struct gf_image *image)
{
    if (image->memory)
        image->memory->give_back(image->memory->user, image->data);
    else if (image->free_data)
        image->free_data(image->data);
    gf_image_meta_deinit(&image->meta);
    free(image->warning);
    free(image->note);
    for (size_t i = 0; i < GF_ARRAY_LEN(image->words); i++)
        free(image->words[i]);
    *image = GF_IMAGE_NULL;
}

bool gf_image_keeps_geo(enum gf_image_format format, const struct gf_view *view, const struct gf_image_save *save)
{
    const struct gf_image_geo *geo = save->meta ? save->meta->geo : NULL;
    return geo && format == GF_FORMAT_TIFF && !save->is_moved && save->meta->orientation <= 1 &&
           view->width == geo->width && view->height == geo->height;
}

bool gf_source_has(const struct gf_source *src, size_t offset, const char *mark, size_t size)
{
    return src->size >= offset + size && memcmp(src->data + offset, mark, size) == 0;
}

enum gf_io_status gf_image_choose_pages(const struct gf_source *src, const char *word, uint64_t n,
                                        struct gf_pages *ret_pages, struct gf_io_error *err)
{
    const uint32_t page = src->how.page;
    if (page > 1 && n == 1)
        return gf_io_fail(err, GF_IO_DATA, "%s: has only one %s; leave --page %" PRIu32 " out", src->name, word, page);
    if (page > n)
        return gf_io_fail(err, GF_IO_DATA, "%s: has %" PRIu64 " %ss; --page %" PRIu32 " must be 1 to %" PRIu64,
                          src->name, n, word, page, n);
    *ret_pages = (struct gf_pages){.word = word, .n = n, .first = page > 0 ? page - 1 : 0};
    ret_pages->end = src->how.take ? n : ret_pages->first + 1;
    return GF_IO_OK;
}

enum gf_io_status gf_image_give(const struct gf_source *src, const struct gf_pages *pages, struct gf_image *image,
                                struct gf_image *ret_image, struct gf_io_error *err)
{
    image->pages = pages->n;
    image->page_word = pages->word;
    if (!src->how.take) {
        *ret_image = *image;
        *image = GF_IMAGE_NULL;
        return GF_IO_OK;
    }
    enum gf_io_status r = src->how.take(src->how.take_user, image, err);
    gf_image_deinit(image);
    return r;
}

enum gf_io_status gf_image_plan(const struct gf_source *src, uint32_t dtype, uint64_t width, uint64_t height,
                                uint32_t channels, uint64_t pixels_per_byte, struct gf_view *ret_view,
                                struct gf_io_error *err)
{
    struct gf_view view = gf_view_tight(dtype, width, height, channels);
    struct gf_error why;
    bool array = gf_dtype_known(dtype) && !(GF_DT(dtype) & GF_DT_WHITE);
    enum gf_status s = array ? gf_view_check(&view, "the array", &why) : gf_view_check_image(&view, "the image", &why);
    if (s != GF_OK)
        return gf_io_fail(err, s == GF_E_TOO_LARGE ? GF_IO_TOO_LARGE : GF_IO_DATA, "%s: %s", src->name, why.text);
    /* Cannot overflow: there are at most 2^40 samples, and files have at most a few GiB. */
    if (width * height > src->size * pixels_per_byte)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: the header claims %" PRIu64 "x%" PRIu64 " pixels, more than %zu bytes can hold; the "
                          "file is damaged or truncated",
                          src->name, width, height, src->size);
    if (src->how.max_pixels > 0 && width * height > src->how.max_pixels)
        return gf_io_fail(err, GF_IO_TOO_LARGE,
                          "%s: has %" PRIu64 "x%" PRIu64 " = %" PRIu64 " pixels; --max-pixels allows %" PRIu32,
                          src->name, width, height, width * height, src->how.max_pixels);
    *ret_view = view;
    return GF_IO_OK;
}

enum gf_io_status gf_image_alloc(const struct gf_source *src, const struct gf_view *view, struct gf_image *ret_image,
                                 struct gf_io_error *err)
{
    uint64_t bytes = gf_view_bytes(view);
    const struct gf_image_memory *memory = src->how.memory;
    if (src->how.only_head) {
        *ret_image = (struct gf_image){.view = *view, .file_bytes = src->size};
        return GF_IO_OK;
    }
    void *data = memory && bytes > 0 ? memory->take(memory->user, bytes) : NULL;
    if (data) {
        *ret_image = (struct gf_image){.view = *view, .data = data, .memory = memory, .file_bytes = src->size};
        return GF_IO_OK;
    }
    data = bytes > 0 ? gf_large_alloc(bytes) : NULL;
    if (!data)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: no memory for %" PRIu64 " bytes of samples", src->name, bytes);
    *ret_image = (struct gf_image){.view = *view, .data = data, .free_data = free, .file_bytes = src->size};
    return GF_IO_OK;
}

void gf_image_name_sampling(struct gf_image_coding *coding, int x, int y)
{
    if ((x == 1 || x == 2 || x == 4) && (y == 1 || y == 2))
        (void)snprintf(coding->sampling, sizeof(coding->sampling), "4:%d:%d", 4 / x, y == 1 ? 4 / x : 0);
}

static void add_text(char **text, const char *fmt, va_list args) gf_printf(2, 0);

/* Without memory the text stays as it is. */
static void add_text(char **text, const char *fmt, va_list args)
{
    gf_cleanup(gf_freep) char *more = NULL;
    char *both = NULL;
    if (vasprintf(&more, fmt, args) < 0) {
        more = NULL;
        return;
    }
    if (!*text) {
        *text = gf_steal_ptr(&more);
    } else if (asprintf(&both, "%s; %s", *text, more) >= 0) {
        free(*text);
        *text = both;
    }
}

void gf_image_warn(struct gf_image *image, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_text(&image->warning, fmt, args);
    va_end(args);
}

void gf_image_note(struct gf_image *image, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_text(&image->note, fmt, args);
    va_end(args);
}

uint32_t gf_image_delay(struct gf_image_pages *pages, const struct gf_image_meta *meta, uint32_t per_second,
                        uint32_t max)
{
    const int64_t second = INT64_C(1000000000), unit = second / per_second;
    const bool known = meta && meta->delay[1] != 0;
    int64_t ns = known ? (int64_t)(meta->delay[0] * (uint64_t)second / meta->delay[1]) : second / 10;
    ns += pages->behind_ns;
    int64_t delay = ns > 0 ? (ns + unit / 2) / unit : 0;
    delay = delay < max ? delay : max;
    pages->behind_ns = delay < max ? ns - delay * unit : 0;
    return (uint32_t)delay;
}

uint8_t *gf_image_expand_grey(const struct gf_view *view, const uint8_t *from)
{
    uint64_t pixels = view->width * view->height;
    uint32_t n = view->channels;
    uint8_t *to = malloc((n + 2) * pixels);
    for (uint64_t i = 0; to && i < pixels; i++) {
        uint8_t *pixel = to + (n + 2) * i;
        pixel[0] = pixel[1] = pixel[2] = from[n * i];
        if (n == 2)
            pixel[3] = from[2 * i + 1];
    }
    return to;
}

void gf_image_drop_empty_alpha(struct gf_image *image)
{
    uint64_t pixels = image->view.width * image->view.height;
    uint8_t *samples = image->data;
    uint32_t all = 0;
    for (uint64_t i = 0; i < pixels; i++)
        all |= samples[4 * i + 3];
    if (all != 0)
        return;
    for (uint64_t i = 0; i < pixels; i++)
        memmove(samples + 3 * i, samples + 4 * i, 3);
    image->view = gf_view_tight(GF_U8, image->view.width, image->view.height, 3);
}

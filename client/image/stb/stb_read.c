/* SPDX-License-Identifier: MIT */
/*
 * HDR, and JPEG for jpeg_stb.c, through stb_image, whose implementation is compiled only here. stb continues with
 * invented bytes if a file is truncated; the reader notices that it needed more bytes than there are, and the picture
 * is refused. stb's memory is zeroed, so that samples it might forget to write reveal nothing. Called by image.c and
 * jpeg_stb.c.
 */
#include "client/image/image_codec.h"

#include <limits.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_HDR
#ifndef STBI_MALLOC /* scripts/check msan sets malloc, which reveals memory that stb forgets to write */
#define STBI_MALLOC(size) calloc(1, size)
#endif
#define STBI_REALLOC(data, size) realloc(data, size)
#define STBI_FREE(data) free(data)
#define STBI_MAX_DIMENSIONS GF_MAX_SIDE
/* Not popped: stb's unused declarations are reported at the end of the file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>

/* The file's bytes as a stream for stb. */
struct reader {
    const struct gf_source *src;
    size_t pos;
    const char *window; /* stb's own small buffer: reads into it run ahead of need */
    bool overrun;       /* stb needed bytes beyond the end */
};

static int reader_read(void *user, char *data, int size)
{
    struct reader *r = user;
    size_t left = r->src->size - r->pos;
    size_t n = (size_t)size < left ? (size_t)size : left;
    if (!r->window)
        r->window = data; /* the first read always fills the window */
    if (n > 0)
        memcpy(data, r->src->data + r->pos, n);
    r->pos += n;
    if (left > 0 && (data == r->window || n == (size_t)size))
        return (int)n;
    /* If stb invented zeros, its HDR decoder would never end. In these bytes JPEG finds its end marker, an HDR header
     * its empty line, and HDR samples non-empty runs. */
    r->overrun = true;
    for (size_t i = n; i < (size_t)size; i++)
        data[i] = "\xff\xd9\n\n"[i % 4];
    return size;
}

static void reader_skip(void *user, int n)
{
    struct reader *r = user;
    size_t left = r->src->size - r->pos;
    if (n < 0)
        r->pos -= (size_t)-n < r->pos ? (size_t)-n : r->pos;
    else
        r->pos += (size_t)n < left ? (size_t)n : left;
}

static int reader_eof(void *user)
{
    struct reader *r = user;
    return r->pos >= r->src->size;
}

static const stbi_io_callbacks callbacks = {reader_read, reader_skip, reader_eof};

static enum gf_io_status damaged(const struct gf_source *src, const char *format, const struct reader *reader,
                                 struct gf_io_error *err)
{
    const char *why = stbi_failure_reason();
    bool no_memory = !reader->overrun && why && strcmp(why, "outofmem") == 0;
    return gf_io_fail(err, no_memory ? GF_IO_NO_MEMORY : GF_IO_DATA, "%s: damaged %s, or of an unsupported kind: %s",
                      src->name, format,
                      reader->overrun ? "the file ends too early"
                      : why           ? why
                                      : "unknown reason");
}

/* Decodes a file. A byte of it holds at most `pixels_per_byte` pixels, so that a header with a false size is refused
 * before memory is allocated. */
static enum gf_io_status decode(const struct gf_source *src, const char *format, uint32_t dtype,
                                uint64_t pixels_per_byte, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) void *data = NULL;
    struct reader header = {.src = src};
    struct reader reader = {.src = src};
    struct gf_view view = {0};
    stbi__context context;
    int width = 0;
    int height = 0;
    int channels = 0;
    if (!stbi_info_from_callbacks(&callbacks, &header, &width, &height, &channels))
        return damaged(src, format, &header, err);
    enum gf_io_status r =
        gf_image_plan(src, dtype, (uint64_t)width, (uint64_t)height, (uint32_t)channels, pixels_per_byte, &view, err);
    if (r == GF_IO_OK && src->how.only_head)
        return gf_image_alloc(src, &view, ret_image, err);
    if (r != GF_IO_OK)
        return r;
    /* Calls stb's internals, because its public functions do not report how far they read. */
    stbi__start_callbacks(&context, (stbi_io_callbacks *)(uintptr_t)&callbacks, &reader);
    if (dtype == GF_F32)
        data = stbi__loadf_main(&context, &width, &height, &channels, 0);
    else
        data = stbi__load_and_postprocess_8bit(&context, &width, &height, &channels, 0);
    if (!data || reader.overrun)
        return damaged(src, format, &reader, err);
    if ((uint64_t)width != view.width || (uint64_t)height != view.height || channels < 1 || channels > 4)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: stb_image reports two different sizes", src->name);
    *ret_image = (struct gf_image){.view = gf_view_tight(dtype, view.width, view.height, (uint32_t)channels),
                                   .data = gf_steal_ptr(&data),
                                   .free_data = free,
                                   .file_bytes = reader.pos - (size_t)(context.img_buffer_end - context.img_buffer)};
    return GF_IO_OK;
}

enum gf_io_status gf_hdr_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    return decode(src, "hdr", GF_F32, 32, ret_image, err); /* four runs of 127, two bytes each */
}

enum gf_io_status gf_stb_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    return decode(src, "jpeg", GF_U8, GF_JPEG_PIXELS_PER_BYTE, ret_image, err);
}

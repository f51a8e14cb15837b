/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing of pictures: finds out the format, checks the sizes, and hands over to the file that knows the
 * format. Called by the commands; the codecs call back for the checks and the memory.
 */
#include "image.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "image_codec.h"
#include "input.h"
#include "large_alloc.h"

enum gf_kind { KIND_UNKNOWN, KIND_NPY, KIND_PNG, KIND_PNM, KIND_PFM, KIND_JPEG, KIND_STB };

/* First bytes of formats that people hand over and that are not read: named, so that the sentence helps. */
static const struct {
    size_t offset;
    size_t size;
    const char *mark;
    const char *name;
} strangers[] = {
    {0, 4, "GIF8", "GIF"},
    {8, 4, "WEBP", "WebP"},
    {0, 4, "II*\0", "TIFF"},
    {0, 4, "MM\0*", "TIFF"},
    {4, 8, "ftypavif", "AVIF"},
    {4, 8, "ftypheic", "HEIC"},
    {4, 8, "jP  \r\n\x87\n", "JPEG 2000"},
    {0, 4, "\x76\x2f\x31\x01", "OpenEXR"},
    {0, 4, "8BPS", "Photoshop"},
    {0, 4, "%PDF", "PDF"},
    {0, 2, "\x1f\x8b", "gzip"},
};

void gf_image_deinit(struct gf_image *image)
{
    if (image->memory)
        image->memory->give_back(image->memory->user, image->data);
    else if (image->free_data)
        image->free_data(image->data);
    gf_image_meta_deinit(&image->meta);
    *image = GF_IMAGE_NULL;
}

static bool has_mark(const struct gf_source *src, size_t offset, const char *mark, size_t size)
{
    return src->size >= offset + size && memcmp(src->data + offset, mark, size) == 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* TGA has no mark at its beginning; version 2 has one at its end, older ones only the name or the look. The second byte
 * is 0 or 1, which keeps files away from stb that it would take for something else. */
static bool is_tga(const struct gf_source *src)
{
    static const char footer[] = "TRUEVISION-XFILE.";
    const char *dot = strrchr(src->name, '.');
    if (src->size < 2 || src->data[1] > 1)
        return false;
    if (src->size >= sizeof(footer) && has_mark(src, src->size - sizeof(footer), footer, sizeof(footer)))
        return true;
    if (dot && strcasecmp(dot, ".tga") == 0)
        return true;
    return gf_stb_may_be_tga(src);
}

/* Tells the format by the first bytes. */
static enum gf_kind sniff(const struct gf_source *src, enum gf_image_format *ret_stb_format)
{
    if (has_mark(src, 0, "\x89PNG\r\n\x1a\n", 8))
        return KIND_PNG;
    if (has_mark(src, 0, "\x93NUMPY", 6))
        return KIND_NPY;
    if (src->size >= 3 && src->data[0] == 'P' && (is_space(src->data[2]) || src->data[2] == '#')) {
        if (src->data[1] >= '1' && src->data[1] <= '7')
            return KIND_PNM;
        if (src->data[1] == 'F' || src->data[1] == 'f')
            return KIND_PFM;
    }
    if (has_mark(src, 0, "\xff\xd8\xff", 3))
        return KIND_JPEG;
    *ret_stb_format = GF_FORMAT_NONE;
    if (has_mark(src, 0, "BM", 2))
        *ret_stb_format = GF_FORMAT_BMP;
    else if (has_mark(src, 0, "#?RADIANCE\n", 11) || has_mark(src, 0, "#?RGBE\n", 7))
        *ret_stb_format = GF_FORMAT_HDR;
    return *ret_stb_format ? KIND_STB : KIND_UNKNOWN;
}

static enum gf_io_status decode_unknown(const struct gf_source *src, struct gf_image *ret_image,
                                        struct gf_io_error *err)
{
    if (src->size == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: is empty", src->name);
    for (size_t i = 0; i < GF_ARRAY_LEN(strangers); i++)
        if (has_mark(src, strangers[i].offset, strangers[i].mark, strangers[i].size))
            return gf_io_fail(err, GF_IO_DATA, "%s: is a %s file, which is not read; convert it to PNG", src->name,
                              strangers[i].name);
    if (is_tga(src))
        return gf_stb_decode(src, GF_FORMAT_TGA, ret_image, err);
    const char *dot = strrchr(src->name, '.');
    if (dot && strcasecmp(dot, ".txt") == 0)
        return gf_text_decode(src, GF_F64, ret_image, err);
    return gf_io_fail(err, GF_IO_DATA,
                      "%s: is not an image file that is read (PNG, JPEG, BMP, TGA, PNM, PFM, HDR) nor .npy; for bare "
                      "samples say --raw WxHxC:dtype, for numbers as text --in-dtype",
                      src->name);
}

enum gf_io_status gf_image_decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                  struct gf_image *ret_image, struct gf_io_error *err)
{
    struct gf_source src = {.name = name, .data = bytes, .size = size};
    if (how)
        src.how = *how;
    enum gf_image_format stb_format = GF_FORMAT_NONE;
    switch (sniff(&src, &stb_format)) {
    case KIND_PNG:
        return gf_png_decode(&src, ret_image, err);
    case KIND_NPY:
        return gf_npy_decode(&src, ret_image, err);
    case KIND_PNM:
        return gf_pnm_decode(&src, ret_image, err);
    case KIND_PFM:
        return gf_pfm_decode(&src, ret_image, err);
    case KIND_JPEG:
        return gf_jpeg_decode(&src, ret_image, err);
    case KIND_STB:
        return gf_stb_decode(&src, stb_format, ret_image, err);
    case KIND_UNKNOWN:
        break;
    }
    return decode_unknown(&src, ret_image, err);
}

enum gf_io_status gf_array_decode_text(const char *name, const void *bytes, size_t size, uint32_t dtype,
                                       struct gf_image *ret_image, struct gf_io_error *err)
{
    return gf_text_decode(&(struct gf_source){.name = name, .data = bytes, .size = size}, dtype, ret_image, err);
}

enum gf_io_status gf_image_read(const char *path, const struct gf_view *raw, const struct gf_image_load *how,
                                struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    if (raw)
        return gf_raw_read(path, raw, ret_image, err);
    enum gf_io_status r = gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return gf_image_decode(name, bytes.data, bytes.size, how, ret_image, err);
}

enum gf_io_status gf_image_plan(const struct gf_source *src, uint32_t dtype, uint64_t width, uint64_t height,
                                uint32_t channels, uint64_t pixels_per_byte, struct gf_view *ret_view,
                                struct gf_io_error *err)
{
    struct gf_view view = gf_view_tight(dtype, width, height, channels);
    struct gf_error why;
    if (gf_view_check_image(&view, "the image", &why) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", src->name, why.text);
    /* Sides are at most 65535 and files at most a few GiB: no overflow. */
    if (width * height > src->size * pixels_per_byte)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: its header claims %" PRIu64 "x%" PRIu64 " pixels, more than %zu bytes can hold; the "
                          "file is damaged or cut short",
                          src->name, width, height, src->size);
    *ret_view = view;
    return GF_IO_OK;
}

enum gf_io_status gf_image_alloc(const struct gf_source *src, const struct gf_view *view, struct gf_image *ret_image,
                                 struct gf_io_error *err)
{
    uint64_t bytes = gf_view_bytes(view);
    const struct gf_image_memory *memory = src->how.memory;
    void *data = memory && bytes > 0 ? memory->take(memory->user, bytes) : NULL;
    if (data) {
        *ret_image = (struct gf_image){.view = *view, .data = data, .memory = memory};
        return GF_IO_OK;
    }
    data = bytes > 0 ? gf_large_alloc(bytes) : NULL;
    if (!data)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: no memory for %" PRIu64 " bytes of samples", src->name, bytes);
    *ret_image = (struct gf_image){.view = *view, .data = data, .free_data = free};
    return GF_IO_OK;
}

typedef enum gf_io_status gf_encode_fn(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                       struct gf_io_error *err);

/* Of those without a choice. */
static gf_encode_fn *const encoders[GF_N_FORMATS] = {
    [GF_FORMAT_BMP] = gf_bmp_encode,  [GF_FORMAT_TGA] = gf_tga_encode, [GF_FORMAT_PGM] = gf_pnm_encode,
    [GF_FORMAT_PPM] = gf_pnm_encode,  [GF_FORMAT_PNM] = gf_pnm_encode, [GF_FORMAT_PAM] = gf_pam_encode,
    [GF_FORMAT_PFM] = gf_pfm_encode,  [GF_FORMAT_HDR] = gf_hdr_encode, [GF_FORMAT_NPY] = gf_npy_encode,
    [GF_FORMAT_TXT] = gf_text_encode, [GF_FORMAT_RAW] = gf_raw_encode,
};

static enum gf_io_status encode(struct gf_output_file *out, enum gf_image_format format, const struct gf_image *image,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    switch (format) {
    case GF_FORMAT_PNG:
        return gf_png_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_JPEG:
        return gf_jpeg_encode(out, &image->view, image->data, save, err);
    default:
        return encoders[format](out, &image->view, image->data, err);
    }
}

/* Encoders want rows without padding: borrows where there is none, copies otherwise. */
static enum gf_io_status make_tight(const struct gf_view *view, const void *data, const char *path,
                                    struct gf_image *ret_image, struct gf_io_error *err)
{
    struct gf_view tight = gf_view_tight(view->dtype, view->width, view->height, view->channels);
    if (view->pitch == tight.pitch) {
        *ret_image = (struct gf_image){.view = tight, .data = (void *)(uintptr_t)data};
        return GF_IO_OK;
    }
    enum gf_io_status r = gf_image_alloc(&(struct gf_source){.name = path}, &tight, ret_image, err);
    for (uint64_t y = 0; r == GF_IO_OK && y < view->height; y++)
        memcpy((uint8_t *)ret_image->data + y * tight.pitch, (const uint8_t *)data + y * view->pitch, tight.pitch);
    return r;
}

enum gf_io_status gf_image_write(const char *path, enum gf_image_format format, const struct gf_view *view,
                                 const void *data, const struct gf_image_save *save, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    static const struct gf_image_save by_default;
    struct gf_error why;
    enum gf_io_status r = GF_IO_OK;
    if (format == GF_FORMAT_NONE)
        r = gf_image_format_from_path(path, &format, err);
    bool array = format == GF_FORMAT_NPY || format == GF_FORMAT_TXT || format == GF_FORMAT_RAW;
    bool empty = array && view->width == 0; /* a list with nothing in it */
    if (r == GF_IO_OK && !empty &&
        (array ? gf_view_check(view, "the array", &why) : gf_view_check_image(view, "the image", &why)) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", path, why.text);
    if (r == GF_IO_OK)
        r = gf_image_can_hold(format, view, path, err);
    if (r == GF_IO_OK)
        r = make_tight(view, data, path, &image, err);
    if (r == GF_IO_OK && format == GF_FORMAT_HDR)
        r = gf_hdr_check(&image.view, image.data, path, err);
    if (r == GF_IO_OK)
        r = gf_output_open(path, true, &out, err);
    if (r == GF_IO_OK)
        r = encode(out, format, &image, save ? save : &by_default, err);
    return r == GF_IO_OK ? gf_output_commit(&out, err) : r;
}

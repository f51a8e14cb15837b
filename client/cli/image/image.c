/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes pictures: detects the format, checks the sizes, and calls the file of the format. Called by the
 * commands; the codecs call back for checks and memory.
 */
#include "image.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "client/cli/io/input.h"
#include "client/cli/io/large_alloc.h"
#include "image_codec.h"
#include "image_flatten.h"
#include "image_rotate.h"

enum gf_kind {
    KIND_UNKNOWN,
    KIND_NPY,
    KIND_PNG,
    KIND_PNM,
    KIND_PFM,
    KIND_JPEG,
    KIND_BMP,
    KIND_HDR,
    KIND_TIFF,
    KIND_WEBP,
    KIND_HEIF,
    KIND_GIF
};

static const char *const kind_words[] = {
    [KIND_NPY] = "npy",   [KIND_PNG] = "png",   [KIND_PNM] = "pnm", [KIND_PFM] = "pfm",
    [KIND_JPEG] = "jpeg", [KIND_BMP] = "bmp",   [KIND_HDR] = "hdr", [KIND_TIFF] = "tiff",
    [KIND_WEBP] = "webp", [KIND_HEIF] = "heic", [KIND_GIF] = "gif",
};

/* First bytes of formats that people hand over and that are not read: named, so that the sentence helps. */
static const struct {
    size_t offset;
    size_t size;
    const char *mark;
    const char *name;
} strangers[] = {
    {8, 4, "CR\x02\0", "Canon CR2"},     {4, 8, "jP  \r\n\x87\n", "JPEG 2000"},
    {4, 8, "JXL \r\n\x87\n", "JPEG XL"}, {0, 2, "\xff\x0a", "JPEG XL"},
    {4, 4, "ftyp", "video (MP4, MOV)"},  {0, 4, "\x76\x2f\x31\x01", "OpenEXR"},
    {0, 4, "8BPS", "Photoshop"},         {0, 4, "%PDF", "PDF"},
    {0, 2, "\x1f\x8b", "gzip"},
};

void gf_image_deinit(struct gf_image *image)
{
    if (image->memory)
        image->memory->give_back(image->memory->user, image->data);
    else if (image->free_data)
        image->free_data(image->data);
    gf_image_meta_deinit(&image->meta);
    free(image->warning);
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

/* TGA has no mark at its beginning, but its second byte is 0 or 1. */
static bool is_tga(const struct gf_source *src)
{
    const char *dot = strrchr(src->name, '.');
    if (src->size < 2 || src->data[1] > 1)
        return false;
    return (dot && strcasecmp(dot, ".tga") == 0) || gf_tga_may_be(src);
}

/* TIFF and BigTIFF, but not what a camera makes of them. */
static bool is_tiff(const struct gf_source *src)
{
    return (has_mark(src, 0, "II*\0", 4) || has_mark(src, 0, "MM\0*", 4) || has_mark(src, 0, "II+\0", 4) ||
            has_mark(src, 0, "MM\0+", 4)) &&
           !has_mark(src, 8, "CR\x02\0", 4);
}

/* The kinds of ISO media files that hold pictures. */
static bool is_heif(const struct gf_source *src)
{
    static const char brands[] = "avif avis heic heix heim heis hevc hevx hevm hevs mif1 mif2 msf1";
    for (const char *brand = brands; has_mark(src, 4, "ftyp", 4) && brand < brands + sizeof(brands); brand += 5)
        if (has_mark(src, 8, brand, 4))
            return true;
    return false;
}

/* Tells the format by the first bytes. */
static enum gf_kind sniff(const struct gf_source *src)
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
    if (has_mark(src, 0, "BM", 2))
        return KIND_BMP;
    if (has_mark(src, 0, "#?RADIANCE\n", 11) || has_mark(src, 0, "#?RGBE\n", 7))
        return KIND_HDR;
    if (is_tiff(src))
        return KIND_TIFF;
    if (has_mark(src, 0, "RIFF", 4) && has_mark(src, 8, "WEBP", 4))
        return KIND_WEBP;
    if (is_heif(src))
        return KIND_HEIF;
    if (has_mark(src, 0, "GIF87a", 6) || has_mark(src, 0, "GIF89a", 6))
        return KIND_GIF;
    return KIND_UNKNOWN;
}

/* The format in which such a file is written. */
static enum gf_image_format format_of(const struct gf_source *src, enum gf_kind kind)
{
    static const enum gf_image_format formats[] = {
        [KIND_NPY] = GF_FORMAT_NPY,   [KIND_PNG] = GF_FORMAT_PNG,   [KIND_PFM] = GF_FORMAT_PFM,
        [KIND_JPEG] = GF_FORMAT_JPEG, [KIND_BMP] = GF_FORMAT_BMP,   [KIND_HDR] = GF_FORMAT_HDR,
        [KIND_TIFF] = GF_FORMAT_TIFF, [KIND_WEBP] = GF_FORMAT_WEBP,
    };
    if (kind == KIND_HEIF)
        return has_mark(src, 8, "avi", 3) ? GF_FORMAT_AVIF : GF_FORMAT_HEIC;
    if (kind == KIND_PNM)
        return src->data[1] == '7' ? GF_FORMAT_PAM : GF_FORMAT_PNM;
    if (kind == KIND_UNKNOWN)
        return is_tga(src) ? GF_FORMAT_TGA : GF_FORMAT_TXT;
    return (size_t)kind < GF_ARRAY_LEN(formats) ? formats[kind] : GF_FORMAT_NONE;
}

static enum gf_io_status decode_unknown(const struct gf_source *src, struct gf_image *ret_image,
                                        struct gf_io_error *err)
{
    if (src->size == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: is empty", src->name);
    for (size_t i = 0; i < GF_ARRAY_LEN(strangers); i++)
        if (has_mark(src, strangers[i].offset, strangers[i].mark, strangers[i].size))
            return gf_io_fail(err, GF_IO_DATA, "%s: is a %s file, which is not supported; convert it to PNG", src->name,
                              strangers[i].name);
    if (has_mark(src, 0, "YUV4MPEG2 ", 10))
        return gf_io_fail(
            err, GF_IO_DATA,
            "%s: is y4m video, which goes from standard input to standard output alone, through an "
            "operation on one picture or a pipe with one as result: ffmpeg ... | gpufilter-client blur - - | "
            "ffmpeg ...; for the rest, as --timing or stats, make pictures of it: ffmpeg ... %%04d.png",
            src->name);
    if (is_tga(src))
        return gf_tga_decode(src, ret_image, err);
    const char *dot = strrchr(src->name, '.');
    if (dot && strcasecmp(dot, ".txt") == 0)
        return gf_text_decode(src, GF_F64, ret_image, err);
    return gf_io_fail(err, GF_IO_DATA,
                      "%s: is neither a supported image file (PNG, JPEG, TIFF, WebP, HEIC, AVIF, GIF, BMP, TGA, PNM, "
                      "PFM, HDR) nor .npy; for bare samples use --raw WxHxC:dtype, for numbers as text --in-dtype",
                      src->name);
}

static enum gf_io_status decode_as(const struct gf_source *src, enum gf_kind kind, struct gf_image *ret_image,
                                   struct gf_io_error *err)
{
    switch (kind) {
    case KIND_PNG:
        return gf_png_decode(src, ret_image, err);
    case KIND_NPY:
        return gf_npy_decode(src, ret_image, err);
    case KIND_PNM:
        return gf_pnm_decode(src, ret_image, err);
    case KIND_PFM:
        return gf_pfm_decode(src, ret_image, err);
    case KIND_JPEG:
        return gf_jpeg_decode(src, ret_image, err);
    case KIND_BMP:
        return gf_bmp_decode(src, ret_image, err);
    case KIND_HDR:
        return gf_stb_decode(src, GF_FORMAT_HDR, ret_image, err);
    case KIND_TIFF:
        return gf_tiff_decode(src, ret_image, err);
    case KIND_WEBP:
        return gf_webp_decode(src, ret_image, err);
    case KIND_HEIF:
        return gf_heif_decode(src, ret_image, err);
    case KIND_GIF:
        return gf_gif_decode(src, ret_image, err);
    case KIND_UNKNOWN:
        break;
    }
    return decode_unknown(src, ret_image, err);
}

/* Where something begins behind the picture that is more than white space and zeros, which files are filled up with. */
static size_t find_more(const struct gf_source *src, size_t at)
{
    while (at < src->size && (src->data[at] == 0 || is_space(src->data[at])))
        at++;
    return at;
}

/* Whether what begins there is too much. A PNM file may hold several pictures. Others hold one, and what programs
 * append to it in a file harms nobody; but a pipe may bring another picture. What cameras append to a JPEG is none that
 * is read, or the JPEG announces it. */
static bool is_too_much(const struct gf_source *src, enum gf_kind kind, size_t at)
{
    struct gf_source rest = {.name = src->name, .data = src->data + at, .size = src->size - at};
    if (at >= src->size)
        return false;
    if (kind == KIND_JPEG)
        return src->how.is_stream && sniff(&rest) != KIND_UNKNOWN;
    return kind == KIND_PNM || src->how.is_stream;
}

static bool has_pages(enum gf_kind kind)
{
    return kind == KIND_TIFF || kind == KIND_WEBP || kind == KIND_HEIF || kind == KIND_GIF;
}

enum gf_io_status gf_image_choose_page(const struct gf_source *src, const char *what, uint64_t n, uint64_t *ret_index,
                                       struct gf_io_error *err)
{
    if (src->how.page > 1 && n == 1)
        return gf_io_fail(err, GF_IO_DATA, "%s: has one %s, and --page %" PRIu32 " asks for another; leave it out",
                          src->name, what, src->how.page);
    if (src->how.page > n)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: has %" PRIu64 " %ss, and --page %" PRIu32 " asks for another; give 1 to %" PRIu64,
                          src->name, n, what, src->how.page, n);
    if (src->how.ret_pages)
        *src->how.ret_pages = n;
    else if (src->how.page == 0 && n > 1)
        return gf_io_fail(err, GF_IO_DATA, "%s: has %" PRIu64 " %ss; choose one by --page N, the first by --page 1",
                          src->name, n, what);
    *ret_index = src->how.page > 0 ? src->how.page - 1 : 0;
    return GF_IO_OK;
}

enum gf_io_status gf_image_decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                  struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_source src = {.name = name, .data = bytes, .size = size};
    if (how)
        src.how = *how;
    enum gf_kind kind = sniff(&src);
    uint64_t first;
    enum gf_io_status r = has_pages(kind) ? GF_IO_OK : gf_image_choose_page(&src, "picture", 1, &first, err);
    if (r == GF_IO_OK)
        r = decode_as(&src, kind, &image, err);
    if (r != GF_IO_OK)
        return r;
    if (is_too_much(&src, kind, find_more(&src, image.file_bytes)))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: more data follows the first picture, which ends at byte %zu of %zu; one run takes one "
                          "picture%s",
                          name, image.file_bytes, size,
                          src.how.is_stream ? ", or from - to - several as PNG, PNM, y4m or --raw" : "");
    /* What is told by no mark is TGA or text. */
    image.kind = kind != KIND_UNKNOWN ? kind_words[kind] : image.view.dtype == GF_F64 ? "txt" : "tga";
    image.format = format_of(&src, kind);
    if (kind == KIND_HEIF && image.format == GF_FORMAT_AVIF)
        image.kind = "avif";
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_io_status gf_array_decode_text(const char *name, const void *bytes, size_t size, uint32_t dtype,
                                       struct gf_image *ret_image, struct gf_io_error *err)
{
    const struct gf_source src = {.name = name, .data = bytes, .size = size};
    if (sniff(&src) != KIND_UNKNOWN)
        return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file says itself what is in it; leave --in-dtype out", name,
                          gf_image_format_word(format_of(&src, sniff(&src))));
    enum gf_io_status r = gf_text_decode(&src, dtype, ret_image, err);
    if (r == GF_IO_OK)
        ret_image->format = GF_FORMAT_TXT;
    return r;
}

/* Samples that begin as no samples do are a file that has a header. */
static enum gf_io_status read_raw(const char *path, const struct gf_view *raw, struct gf_image *ret_image,
                                  struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    enum gf_io_status r = gf_raw_read(path, raw, &image, err);
    if (r != GF_IO_OK)
        return r;
    const struct gf_source src = {.name = path, .data = image.data, .size = gf_view_bytes(raw)};
    enum gf_kind kind = sniff(&src);
    if (kind == KIND_PNG || kind == KIND_NPY)
        return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file says itself what is in it; leave --raw out", path,
                          gf_image_format_word(format_of(&src, kind)));
    image.format = GF_FORMAT_RAW;
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_io_status gf_image_read(const char *path, const struct gf_view *raw, const struct gf_image_load *how,
                                struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    if (raw)
        return read_raw(path, raw, ret_image, err);
    enum gf_io_status r = gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct gf_image_load own = how ? *how : (struct gf_image_load){.is_stream = false};
    own.is_stream = bytes.is_stream;
    return gf_image_decode(name, bytes.data, bytes.size, &own, ret_image, err);
}

enum gf_io_status gf_image_plan(const struct gf_source *src, uint32_t dtype, uint64_t width, uint64_t height,
                                uint32_t channels, uint64_t pixels_per_byte, struct gf_view *ret_view,
                                struct gf_io_error *err)
{
    struct gf_view view = gf_view_tight(dtype, width, height, channels);
    struct gf_error why;
    bool array = gf_dtype_known(dtype) && !(GF_DT(dtype) & GF_DT_WHITE);
    if ((array ? gf_view_check(&view, "the array", &why) : gf_view_check_image(&view, "the image", &why)) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", src->name, why.text);
    /* There are at most 2^40 samples, and files have at most a few GiB: no overflow. */
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
        *ret_image = (struct gf_image){.view = *view, .data = data, .memory = memory, .file_bytes = src->size};
        return GF_IO_OK;
    }
    data = bytes > 0 ? gf_large_alloc(bytes) : NULL;
    if (!data)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: no memory for %" PRIu64 " bytes of samples", src->name, bytes);
    *ret_image = (struct gf_image){.view = *view, .data = data, .free_data = free, .file_bytes = src->size};
    return GF_IO_OK;
}

void gf_image_warn(struct gf_image *image, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (!image->warning && vasprintf(&image->warning, fmt, args) < 0)
        image->warning = NULL;
    va_end(args);
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

typedef enum gf_io_status gf_encode_fn(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                       struct gf_io_error *err);

/* Of those without a choice. */
static gf_encode_fn *const encoders[GF_N_FORMATS] = {
    [GF_FORMAT_BMP] = gf_bmp_encode, [GF_FORMAT_TGA] = gf_tga_encode, [GF_FORMAT_PGM] = gf_pnm_encode,
    [GF_FORMAT_PPM] = gf_pnm_encode, [GF_FORMAT_PNM] = gf_pnm_encode, [GF_FORMAT_PAM] = gf_pam_encode,
    [GF_FORMAT_PFM] = gf_pfm_encode, [GF_FORMAT_HDR] = gf_hdr_encode, [GF_FORMAT_TXT] = gf_text_encode,
    [GF_FORMAT_RAW] = gf_raw_encode,
};

/* A picture has two sides, also where one is 1. */
static uint32_t count_sides(const struct gf_image_meta *meta)
{
    return !meta ? 1 : meta->sides ? meta->sides : 2;
}

static enum gf_io_status encode(struct gf_output_file *out, enum gf_image_format format, const struct gf_image *image,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    switch (format) {
    case GF_FORMAT_PNG:
        return gf_png_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_JPEG:
        return gf_jpeg_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_Y4M:
        return gf_y4m_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_TIFF:
        return gf_tiff_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_WEBP:
        return gf_webp_encode(out, &image->view, image->data, save, err);
    case GF_FORMAT_AVIF:
    case GF_FORMAT_HEIC:
        return gf_heif_encode(out, format, &image->view, image->data, save, err);
    case GF_FORMAT_NPY:
        return gf_npy_encode(out, &image->view, image->data, count_sides(save->meta), err);
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

bool gf_image_rotates(enum gf_image_format format, const struct gf_image_save *save)
{
    bool says = format == GF_FORMAT_PNG || (format == GF_FORMAT_JPEG && gf_jpeg_has_meta);
    return save && save->meta && save->meta->orientation > 1 && !save->as_stored && !says;
}

/* Puts the turned picture in the place of one that is borrowed or not. */
static enum gf_io_status rotate(struct gf_image *image, uint32_t orientation, const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image rotated = GF_IMAGE_NULL, old = *image;
    *image = GF_IMAGE_NULL;
    enum gf_io_status r = gf_image_alloc(&(struct gf_source){.name = path}, &old.view, &rotated, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_rotate(&old, orientation, &rotated);
    *image = rotated;
    rotated = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_io_status gf_image_make_upright(struct gf_image *image, const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image upright = GF_IMAGE_NULL;
    const struct gf_source source = {.name = path, .how = {.memory = image->memory}};
    if (image->meta.orientation <= 1)
        return GF_IO_OK;
    enum gf_io_status r = gf_image_alloc(&source, &image->view, &upright, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_rotate(image, image->meta.orientation, &upright);
    struct gf_image stored = *image;
    image->view = upright.view;
    image->data = upright.data;
    image->free_data = upright.free_data;
    image->memory = upright.memory;
    image->meta.orientation = 1;
    upright = (struct gf_image){.data = stored.data, .free_data = stored.free_data, .memory = stored.memory};
    return GF_IO_OK;
}

/* What is stored of a picture: without alpha where a background takes its place. */
static enum gf_io_status flat_view(const struct gf_image_save *save, const struct gf_view *view, const char *path,
                                   struct gf_view *ret_view, struct gf_io_error *err)
{
    *ret_view = *view;
    if (!save || !save->flatten || view->channels % 2 != 0)
        return GF_IO_OK;
    if ((GF_DT(view->dtype) & GF_DT_WHITE) == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: --background goes with u8, u16 and f32, not with %s", path,
                          gf_dtype_word(view->dtype));
    const uint8_t *b = save->background;
    if (view->channels == 2 && (b[0] != b[1] || b[1] != b[2]))
        return gf_io_fail(err, GF_IO_DATA, "%s: the picture is grey, and --background #%02x%02x%02x is not", path, b[0],
                          b[1], b[2]);
    *ret_view = gf_view_tight(view->dtype, view->width, view->height, view->channels - 1);
    return GF_IO_OK;
}

enum gf_io_status gf_image_can_store(enum gf_image_format format, const struct gf_view *view,
                                     const struct gf_image_save *save, const char *path, struct gf_io_error *err)
{
    struct gf_view stored;
    enum gf_io_status r = flat_view(save, view, path, &stored, err);
    return r == GF_IO_OK ? gf_image_can_hold(format, &stored, path, err) : r;
}

/* Puts the flat picture in the place of one that is borrowed or not, where it shall be flat. */
static enum gf_io_status flatten(struct gf_image *image, const struct gf_image_save *save, const char *path,
                                 struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image flat = GF_IMAGE_NULL, old = *image;
    struct gf_view view;
    *image = GF_IMAGE_NULL;
    enum gf_io_status r = flat_view(save, &old.view, path, &view, err);
    if (r == GF_IO_OK && view.channels == old.view.channels) {
        *image = old;
        old = GF_IMAGE_NULL;
        return GF_IO_OK;
    }
    if (r == GF_IO_OK)
        r = gf_image_alloc(&(struct gf_source){.name = path}, &view, &flat, err);
    if (r != GF_IO_OK)
        return r;
    gf_image_flatten(&old, save, &flat);
    *image = flat;
    flat = GF_IMAGE_NULL;
    return GF_IO_OK;
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
    bool list = format == GF_FORMAT_NPY || format == GF_FORMAT_TXT || format == GF_FORMAT_RAW;
    bool array = list || (format == GF_FORMAT_TIFF && !(GF_DT_WHITE & GF_DT(view->dtype)));
    bool empty = list && view->width == 0; /* a list with nothing in it */
    if (r == GF_IO_OK && !empty &&
        (array ? gf_view_check(view, "the array", &why) : gf_view_check_image(view, "the image", &why)) != GF_OK)
        return gf_io_fail(err, GF_IO_DATA, "%s: %s", path, why.text);
    if (r == GF_IO_OK)
        r = gf_image_can_store(format, view, save, path, err);
    if (r == GF_IO_OK)
        r = make_tight(view, data, path, &image, err);
    if (r == GF_IO_OK)
        r = flatten(&image, save, path, err);
    if (r == GF_IO_OK && !empty && gf_image_rotates(format, save))
        r = rotate(&image, save->meta->orientation, path, err);
    if (r == GF_IO_OK && format == GF_FORMAT_HDR)
        r = gf_hdr_check(&image.view, image.data, path, err);
    if (r == GF_IO_OK && save && save->to)
        return encode(save->to, format, &image, save, err);
    if (r == GF_IO_OK)
        r = gf_output_open(path, true, &out, err);
    if (r == GF_IO_OK)
        r = encode(out, format, &image, save ? save : &by_default, err);
    return r == GF_IO_OK ? gf_output_commit(&out, err) : r;
}

/* SPDX-License-Identifier: MIT */
/*
 * The table of formats: how each is recognised, which codec reads and writes it, and what it can hold. Called by
 * image.c and by the commands that choose or refuse a format before they compute.
 */
#include "image_format.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "image.h"
#include "image_codec.h"
#include "library.h"
#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

#define C(n) (1u << (n))
#define C_GREY C(1)
#define C_OPAQUE (C(1) | C(3))
#define C_ALL (C(1) | C(2) | C(3) | C(4))

/* stb_image_write counts the bytes of a picture in an int. */
#define STB_MAX_SAMPLES (1ull << 29)
/* WebP stores each side less 1 in 14 bits, but its library does not use the largest value. */
#define WEBP_MAX_SIDE 16383u
/* AVIF and HEIC encoders need about ten times the memory of the picture. */
#define HEIF_MAX_SAMPLES (1ull << 29)

/* What the encoders write besides samples. */
static const uint32_t in_png = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP) | GF_FACT(RESOLUTION) |
                               GF_FACT(ORIENTATION) | GF_FACT(COLOUR) | GF_FACT(LIGHT) | GF_FACT(TEXT) |
                               GF_FACT(GAMMA) | GF_FACT(FRAMES);
static const uint32_t in_tiff = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP) | GF_FACT(IPTC) | GF_FACT(RESOLUTION);
static const uint32_t in_webp = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP) | GF_FACT(FRAMES);
static const uint32_t in_heic = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP);
static const uint32_t in_gif = GF_FACT(FRAMES);
static const uint32_t in_avif = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP) | GF_FACT(COLOUR);

static bool is_png(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "\x89PNG\r\n\x1a\n");
}

static bool is_jpeg(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "\xff\xd8\xff");
}

/* TIFF and BigTIFF, but not the raw files that cameras derive from TIFF. */
static bool is_tiff(const struct gf_source *src)
{
    return (GF_HAS_MARK(src, 0, "II*\0") || GF_HAS_MARK(src, 0, "MM\0*") || GF_HAS_MARK(src, 0, "II+\0") ||
            GF_HAS_MARK(src, 0, "MM\0+")) &&
           !GF_HAS_MARK(src, 8, "CR\x02\0");
}

static bool is_webp(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "RIFF") && GF_HAS_MARK(src, 8, "WEBP");
}

static bool is_avif(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 4, "ftypavif") || GF_HAS_MARK(src, 4, "ftypavis");
}

const char *const gf_compression_words[GF_N_COMPRESSIONS] = {
    [GF_COMPRESSION_USUAL] = "",          [GF_COMPRESSION_NONE] = "none",         [GF_COMPRESSION_LZW] = "lzw",
    [GF_COMPRESSION_DEFLATE] = "deflate", [GF_COMPRESSION_PACKBITS] = "packbits", [GF_COMPRESSION_ZSTD] = "zstd"};

/* The remaining brands of ISO media files that contain pictures. */
static bool is_heic(const struct gf_source *src)
{
    static const char brands[] = "heic heix heim heis hevc hevx hevm hevs mif1 mif2 msf1";
    for (const char *brand = brands; GF_HAS_MARK(src, 4, "ftyp") && brand < brands + sizeof(brands); brand += 5)
        if (gf_source_has(src, 8, brand, 4))
            return true;
    return false;
}

static bool is_bmp(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "BM");
}

/* 'P', one of the letters, and the end of the word. */
static bool is_netpbm(const struct gf_source *src, const char *letters)
{
    return src->size >= 3 && src->data[0] == 'P' && src->data[1] != '\0' && strchr(letters, src->data[1]) &&
           (gf_is_space(src->data[2]) || src->data[2] == '#');
}

static bool is_pnm(const struct gf_source *src)
{
    return is_netpbm(src, "123456");
}

static bool is_pam(const struct gf_source *src)
{
    return is_netpbm(src, "7");
}

static bool is_pfm(const struct gf_source *src)
{
    return is_netpbm(src, "Ff");
}

static bool is_hdr(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "#?RADIANCE\n") || GF_HAS_MARK(src, 0, "#?RGBE\n");
}

static bool is_npy(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "\x93NUMPY");
}

static bool is_gif(const struct gf_source *src)
{
    return GF_HAS_MARK(src, 0, "GIF87a") || GF_HAS_MARK(src, 0, "GIF89a");
}

const struct gf_format gf_formats[GF_N_FORMATS] = {
    [GF_FORMAT_NONE] = {"?", ""},
    [GF_FORMAT_PNG] = {"png", "png", is_png, gf_png_decode, gf_png_encode, GF_DT_U8 | GF_DT_U16, C_ALL, GF_MAX_SAMPLES,
                       .encode_page = gf_png_encode_page, .has_pages = true, .is_certain = true, .has_head = true,
                       .holds = &in_png},
    [GF_FORMAT_JPEG] = {"jpeg", "jpg jpeg jpe jfif", is_jpeg, gf_jpeg_decode, gf_jpeg_encode, GF_DT_U8, C_OPAQUE,
                        STB_MAX_SAMPLES, .has_pages = true, .has_appendix = true, .has_head = true, .is_lossy = true,
                        .has_quality = true, .holds = &gf_jpeg_holds, .max_block = GF_JPEG_MAX_BLOCK},
    [GF_FORMAT_TIFF] = {"tiff", "tif tiff", is_tiff, gf_tiff_decode, gf_tiff_encode, GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS,
                        .encode_page = gf_tiff_encode_page, .pages_differ = true, .has_pages = true, .has_head = true,
                        .has_bands = true, .ready = gf_tiff_ready, .can_compress = gf_tiff_can_compress,
                        .max_side = UINT32_MAX, .library = &gf_tiff_use, .holds = &in_tiff},
    [GF_FORMAT_WEBP] = {"webp", "webp", is_webp, gf_webp_decode, gf_webp_encode, GF_DT_U8, C_ALL, GF_MAX_SAMPLES,
                        .encode_page = gf_webp_encode_page, .has_pages = true, .has_head = true, .ready = gf_webp_ready,
                        .has_quality = true, .max_side = WEBP_MAX_SIDE, .library = &gf_webp_use, .is_colour = true,
                        .holds = &in_webp},
    [GF_FORMAT_AVIF] = {"avif", "avif", is_avif, gf_heif_decode, gf_avif_encode, GF_DT_U8, C_ALL, HEIF_MAX_SAMPLES,
                        .has_pages = true, .has_head = true, .ready = gf_avif_ready, .is_lossy = true,
                        .has_quality = true, .library = &gf_heif_use, .is_colour = true, .holds = &in_avif},
    [GF_FORMAT_HEIC] = {"heic", "heic heif", is_heic, gf_heif_decode, gf_heic_encode, GF_DT_U8, C_ALL, HEIF_MAX_SAMPLES,
                        .has_pages = true, .has_head = true, .ready = gf_heic_ready, .is_lossy = true,
                        .has_quality = true, .library = &gf_heif_use, .is_colour = true, .holds = &in_heic},
    [GF_FORMAT_GIF] = {"gif", "gif", is_gif, gf_gif_decode, gf_gif_encode, GF_DT_U8, C_ALL, GF_MAX_SAMPLES,
                       .encode_page = gf_gif_encode_page, .has_pages = true, .has_head = true, .ready = gf_gif_ready,
                       .library = &gf_gif_use, .is_colour = true, .holds = &in_gif},
    [GF_FORMAT_BMP] = {"bmp", "bmp dib", is_bmp, gf_bmp_decode, gf_bmp_encode, GF_DT_U8, C_ALL, STB_MAX_SAMPLES,
                       .has_head = true},
    [GF_FORMAT_TGA] = {"tga", "tga icb vda vst", NULL, gf_tga_decode, gf_tga_encode, GF_DT_U8, C_ALL, STB_MAX_SAMPLES,
                       .has_head = true},
    [GF_FORMAT_PGM] = {"pgm", "pgm", NULL, NULL, gf_pnm_encode, GF_DT_U8 | GF_DT_U16, C_GREY, GF_MAX_SAMPLES},
    [GF_FORMAT_PPM] = {"ppm", "ppm", NULL, NULL, gf_pnm_encode, GF_DT_U8 | GF_DT_U16, C(3), GF_MAX_SAMPLES},
    [GF_FORMAT_PNM] = {"pnm", "pnm", is_pnm, gf_pnm_decode, gf_pnm_encode, GF_DT_U8 | GF_DT_U16, C_OPAQUE,
                       GF_MAX_SAMPLES, .holds_several = true},
    [GF_FORMAT_PAM] = {"pam", "pam", is_pam, gf_pnm_decode, gf_pam_encode, GF_DT_U8 | GF_DT_U16, C_ALL, GF_MAX_SAMPLES,
                       .kind = "pnm", .holds_several = true},
    [GF_FORMAT_PFM] = {"pfm", "pfm", is_pfm, gf_pfm_decode, gf_pfm_encode, GF_DT_F32, C_OPAQUE, GF_MAX_SAMPLES},
    [GF_FORMAT_HDR] = {"hdr", "hdr rgbe", is_hdr, gf_hdr_decode, gf_hdr_encode, GF_DT_F32, C_OPAQUE, STB_MAX_SAMPLES,
                       .has_head = true, .check = gf_hdr_check},
    [GF_FORMAT_NPY] = {"npy", "npy", is_npy, gf_npy_decode, gf_npy_encode, GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS,
                       .encode_page = gf_npy_encode_page, .has_pages = true, .is_certain = true, .has_head = true,
                       .is_array = true},
    [GF_FORMAT_TXT] = {"txt", "txt", NULL, gf_txt_decode, gf_text_encode, GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS,
                       .is_array = true},
    [GF_FORMAT_RAW] = {"raw", "raw", NULL, NULL, gf_raw_encode, GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS, .is_array = true},
    [GF_FORMAT_Y4M] = {"y4m", "", NULL, NULL, gf_y4m_encode, GF_DT_U8 | GF_DT_U16, C_GREY, GF_MAX_SAMPLES},
};

enum gf_image_format gf_format_sniff(const struct gf_source *src)
{
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_ARRAY_LEN(gf_formats); f++)
        if (gf_formats[f].sniff && gf_formats[f].sniff(src))
            return f;
    return GF_FORMAT_NONE;
}

const char *gf_image_format_word(enum gf_image_format format)
{
    return gf_formats[format < GF_N_FORMATS ? format : GF_FORMAT_NONE].word;
}

const char *gf_image_format_words(void)
{
    return "png, jpeg, tiff, webp, avif, heic, gif, bmp, tga, pgm, ppm, pnm, pam, pfm, hdr, npy, txt or raw";
}

/* Whether `word` is one of the blank-separated words of `list`, in any case. */
static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (length > 0 && *list) {
        size_t n = strcspn(list, " ");
        if (n == length && strncasecmp(list, word, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

/* --format and file extensions share one vocabulary, so "jpg" and "jpeg" are valid in both places. */
static enum gf_image_format find_format(const char *word)
{
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_N_FORMATS; f++)
        if (in_list(gf_formats[f].extensions, word))
            return f;
    return GF_FORMAT_NONE;
}

/* Explains where y4m can be used. */
static enum gf_io_status refuse_y4m(const char *what, const char *word, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_USAGE,
                      "%s%s: y4m is read only from standard input and written to standard output: "
                      "gpufilter-client blur - - <IN.y4m >OUT.y4m",
                      what, word);
}

enum gf_io_status gf_image_format_from_word(const char *word, enum gf_image_format *ret_format, struct gf_io_error *err)
{
    enum gf_image_format format = find_format(word);
    if (format == GF_FORMAT_NONE && strcasecmp(word, "y4m") == 0)
        return refuse_y4m("--format ", word, err);
    if (format == GF_FORMAT_NONE)
        return gf_io_fail(err, GF_IO_USAGE, "unknown format \"%s\"; it must be one of %s", word,
                          gf_image_format_words());
    *ret_format = format;
    return GF_IO_OK;
}

/* The extension of a path, from its dot on; NULL: it has none. */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && dot[1] ? dot : NULL;
}

enum gf_io_status gf_image_format_from_path(const char *path, enum gf_image_format *ret_format, struct gf_io_error *err)
{
    if (strcmp(path, "-") == 0)
        return gf_io_fail(err, GF_IO_USAGE,
                          "standard output has no extension; name the format with --format, one of %s",
                          gf_image_format_words());
    const char *dot = extension_of(path);
    if (!dot)
        return gf_io_fail(err, GF_IO_USAGE, "%s: has no extension; name the format with --format, one of %s", path,
                          gf_image_format_words());
    enum gf_image_format format = find_format(dot + 1);
    if (format == GF_FORMAT_NONE && strcasecmp(dot, ".y4m") == 0)
        return refuse_y4m("", path, err);
    if (format == GF_FORMAT_NONE)
        return gf_io_fail(err, GF_IO_USAGE, "%s: \"%s\" is not a format that can be written; it must be one of %s",
                          path, dot, gf_image_format_words());
    *ret_format = format;
    return GF_IO_OK;
}

bool gf_image_is_array(enum gf_image_format format)
{
    return gf_formats[format].is_array;
}

bool gf_image_implies_alpha(enum gf_image_format format)
{
    return format != GF_FORMAT_TIFF && !gf_formats[format].is_array;
}

enum gf_io_status gf_image_can_hold_pages(enum gf_image_format format, uint64_t n, const char *path,
                                          struct gf_io_error *err)
{
    if (n <= 1 || gf_formats[format].encode_page)
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_DATA,
                      "%s: %s holds one picture, and there are %" PRIu64
                      " pages; write tiff, npy, png, gif or webp, or a "
                      "file for each page with {page} in the name",
                      path, gf_formats[format].word, n);
}

bool gf_image_has_quality(enum gf_image_format format)
{
    return gf_formats[format].has_quality;
}

enum gf_io_status gf_image_refuse_header(const char *path, const char *option, struct gf_io_error *err)
{
    const char *dot = extension_of(path);
    enum gf_image_format format = dot ? find_format(dot + 1) : GF_FORMAT_NONE;
    if (format == GF_FORMAT_NONE || format == GF_FORMAT_TXT || format == GF_FORMAT_RAW)
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file describes its own contents; leave %s out", path,
                      gf_image_format_word(format), option);
}

bool gf_image_holds_dtype(enum gf_image_format format, uint32_t dtype)
{
    return gf_dtype_known(dtype) && (gf_formats[format].dtypes & GF_DT(dtype)) != 0;
}

static const char *channels_text(uint32_t set)
{
    switch (set) {
    case C_GREY:
        return "1 channel";
    case C(3):
        return "3 channels";
    case C_OPAQUE:
        return "1 or 3 channels (no alpha)";
    default:
        return "1 to 4 channels";
    }
}

/* Formats that can hold the picture. */
static const char *advice(const struct gf_view *view, bool no_alpha)
{
    if (gf_view_samples(view) > GF_MAX_SAMPLES)
        return "npy or raw";
    if ((GF_DT_WHITE & GF_DT(view->dtype)) == 0)
        return "npy, txt or raw";
    if (no_alpha && view->channels % 2 == 0)
        return "npy, tiff or raw";
    if (view->dtype == GF_F32)
        return view->channels == 1 || view->channels == 3 ? "npy, pfm or hdr" : "npy or raw";
    return "png or pam";
}

enum gf_io_status gf_image_can_hold(enum gf_image_format format, const struct gf_view *view, bool no_alpha,
                                    const char *path, struct gf_io_error *err)
{
    const struct gf_format *f = &gf_formats[format];
    char dtypes[GF_DTYPES_TEXT];
    if (format <= GF_FORMAT_NONE || format >= GF_N_FORMATS)
        return gf_io_fail(err, GF_IO_USAGE, "%s: no format is named; it must be one of %s", path,
                          gf_image_format_words());
    bool holds_flat =
        !no_alpha && view->channels > 1 && view->channels % 2 == 0 && (f->channels & C(view->channels - 1)) != 0;
    bool is_wide = f->dtypes == GF_DT_U8 && (view->dtype == GF_U16 || view->dtype == GF_F32 || view->dtype == GF_F16);
    if (!gf_dtype_known(view->dtype) || !(f->dtypes & GF_DT(view->dtype)) || view->channels < 1 ||
        view->channels > GF_MAX_CHANNELS || !(f->channels & C(view->channels)))
        return gf_io_fail(
            err, GF_IO_DATA, "%s: %s holds %s with %s, but the picture is %s with %" PRIu32 " channel%s; write %s%s%s",
            path, f->word, gf_dtype_set_text(f->dtypes, dtypes, sizeof(dtypes)), channels_text(f->channels),
            gf_dtype_word(view->dtype), view->channels, view->channels == 1 ? "" : "s", advice(view, no_alpha),
            is_wide ? ", or convert it with map, dtype u8 and range full" : "",
            holds_flat ? ", or blend alpha with --background" : "");
    if (gf_view_samples(view) > f->max_samples)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: %s holds up to %" PRIu64 " samples, but the picture has %" PRIu64 "; write %s", path,
                          f->word, f->max_samples, gf_view_samples(view), advice(view, no_alpha));
    if (f->max_side > 0 && (view->width > f->max_side || view->height > f->max_side))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: %s holds sides of up to %" PRIu64 ", but the picture is %" PRIu64 "x%" PRIu64
                          "; write %s",
                          path, f->word, f->max_side, view->width, view->height, advice(view, no_alpha));
    return f->ready ? f->ready(path, err) : GF_IO_OK;
}

bool gf_image_rotates(enum gf_image_format format, const struct gf_image_save *save)
{
    const uint32_t *holds = gf_formats[format].holds;
    return save && save->meta && save->meta->orientation > 1 && !save->as_stored &&
           (!holds || !(*holds & GF_FACT(ORIENTATION)) || (save->drop & GF_FACT(EXIF)) ||
            (save->pages && save->pages->n > 1));
}

static void print_library(FILE *out, const struct gf_library_use *use)
{
    char text[128];
    const char *version = use->built_in ? use->version(text, sizeof(text)) : NULL;
    const char *state = version ? version : use->built_in ? "not installed" : "not in this build";
    fprintf(out, "%s: %s %s\n", use->formats, use->name, state);
}

void gf_library_print(FILE *out)
{
    const struct gf_library_use *last = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(gf_formats); i++) {
        const struct gf_library_use *use = gf_formats[i].library;
        if (!use || use == last)
            continue;
        print_library(out, use);
        last = use;
    }
    print_library(out, &gf_colour_use);
}

void gf_library_prepare(const void *bytes, size_t size, bool srgb)
{
    const struct gf_source src = {.name = "", .data = bytes, .size = size};
    const struct gf_library_use *uses[] = {gf_formats[gf_format_sniff(&src)].library, srgb ? &gf_colour_use : NULL};
    char text[128];
    for (size_t i = 0; i < GF_ARRAY_LEN(uses); i++)
        if (uses[i] && uses[i]->built_in)
            (void)uses[i]->version(text, sizeof(text));
}

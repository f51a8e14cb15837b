/* SPDX-License-Identifier: MIT */
/*
 * The image formats as a table: words, extensions, and capabilities. Called by image.c and by the commands that choose
 * or refuse a format before they compute.
 */
#include "image_codec.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

#define C(n) (1u << (n))
#define C_GREY C(1)
#define C_OPAQUE (C(1) | C(3))
#define C_ALL (C(1) | C(2) | C(3) | C(4))

/* stb_image_write counts the bytes of a picture in an int. */
#define GF_STB_MAX_SAMPLES (1ull << 29)

/* Sides of WebP have 14 bits, and are stored less 1, of which its library does not use the last. */
#define GF_WEBP_MAX_SIDE 16383u
/* Encoders of AVIF and HEIC take some ten times the memory of the picture. */
#define GF_HEIF_MAX_SAMPLES (1ull << 29)

struct format {
    const char *word;
    const char *extensions; /* separated by blanks; the first is the one to recommend */
    uint32_t dtypes;        /* set of GF_DT() */
    uint32_t channels;      /* set of C() */
    uint64_t max_samples;
    uint64_t max_side; /* 0: as many as samples allow */
};

static const struct format formats[GF_N_FORMATS] = {
    [GF_FORMAT_PNG] = {"png", "png", GF_DT_U8 | GF_DT_U16, C_ALL, GF_MAX_SAMPLES},
    [GF_FORMAT_JPEG] = {"jpeg", "jpg jpeg jpe jfif", GF_DT_U8, C_OPAQUE, GF_STB_MAX_SAMPLES},
    [GF_FORMAT_TIFF] = {"tiff", "tif tiff", GF_DT_ANY, C_ALL, GF_MAX_ELEMENTS, UINT32_MAX},
    [GF_FORMAT_WEBP] = {"webp", "webp", GF_DT_U8, C_ALL, GF_MAX_SAMPLES, GF_WEBP_MAX_SIDE},
    [GF_FORMAT_AVIF] = {"avif", "avif", GF_DT_U8, C_ALL, GF_HEIF_MAX_SAMPLES, 0},
    [GF_FORMAT_HEIC] = {"heic", "heic heif", GF_DT_U8, C_ALL, GF_HEIF_MAX_SAMPLES, 0},
    [GF_FORMAT_BMP] = {"bmp", "bmp dib", GF_DT_U8, C_ALL, GF_STB_MAX_SAMPLES},
    [GF_FORMAT_TGA] = {"tga", "tga icb vda vst", GF_DT_U8, C_ALL, GF_STB_MAX_SAMPLES},
    [GF_FORMAT_PGM] = {"pgm", "pgm", GF_DT_U8 | GF_DT_U16, C_GREY, GF_MAX_SAMPLES},
    [GF_FORMAT_PPM] = {"ppm", "ppm", GF_DT_U8 | GF_DT_U16, C(3), GF_MAX_SAMPLES},
    [GF_FORMAT_PNM] = {"pnm", "pnm", GF_DT_U8 | GF_DT_U16, C_OPAQUE, GF_MAX_SAMPLES},
    [GF_FORMAT_PAM] = {"pam", "pam", GF_DT_U8 | GF_DT_U16, C_ALL, GF_MAX_SAMPLES},
    [GF_FORMAT_PFM] = {"pfm", "pfm", GF_DT_F32, C_OPAQUE, GF_MAX_SAMPLES},
    [GF_FORMAT_HDR] = {"hdr", "hdr rgbe", GF_DT_F32, C_OPAQUE, GF_STB_MAX_SAMPLES},
    [GF_FORMAT_NPY] = {"npy", "npy", GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS},
    [GF_FORMAT_TXT] = {"txt", "txt", GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS},
    [GF_FORMAT_RAW] = {"raw", "raw", GF_DT_ALL, C_ALL, GF_MAX_ELEMENTS},
    [GF_FORMAT_Y4M] = {"y4m", "", GF_DT_U8 | GF_DT_U16, C_GREY, GF_MAX_SAMPLES},
};

const char *gf_image_format_word(enum gf_image_format format)
{
    return format > GF_FORMAT_NONE && format < GF_N_FORMATS ? formats[format].word : "?";
}

const char *gf_image_format_words(void)
{
    return "png, jpeg, tiff, webp, avif, heic, bmp, tga, pgm, ppm, pnm, pam, pfm, hdr, npy, txt or raw";
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

/* Words and extensions are one vocabulary: "jpg" is as good as "jpeg" in both places. */
static enum gf_image_format find_format(const char *word)
{
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_N_FORMATS; f++)
        if (in_list(formats[f].extensions, word))
            return f;
    return GF_FORMAT_NONE;
}

/* For those who look for it among the formats of files. */
static enum gf_io_status refuse_y4m(const char *what, const char *word, struct gf_io_error *err)
{
    return gf_io_fail(err, GF_IO_USAGE,
                      "%s%s: y4m goes from standard input to standard output and keeps its format, without --format: "
                      "gpufilter-client blur - - <IN.y4m >OUT.y4m",
                      what, word);
}

enum gf_io_status gf_image_format_from_word(const char *word, enum gf_image_format *ret_format, struct gf_io_error *err)
{
    enum gf_image_format format = find_format(word);
    if (format == GF_FORMAT_NONE && strcasecmp(word, "y4m") == 0)
        return refuse_y4m("--format ", word, err);
    if (format == GF_FORMAT_NONE)
        return gf_io_fail(err, GF_IO_USAGE, "format \"%s\" is not known; there are %s", word, gf_image_format_words());
    *ret_format = format;
    return GF_IO_OK;
}

enum gf_io_status gf_image_format_from_path(const char *path, enum gf_image_format *ret_format, struct gf_io_error *err)
{
    if (strcmp(path, "-") == 0)
        return gf_io_fail(err, GF_IO_USAGE, "standard output has no extension; name the format with --format: %s",
                          gf_image_format_words());
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot || !dot[1])
        return gf_io_fail(err, GF_IO_USAGE, "%s: has no extension to tell the format; name it with --format: %s", path,
                          gf_image_format_words());
    enum gf_image_format format = find_format(dot + 1);
    if (format == GF_FORMAT_NONE && strcasecmp(dot, ".y4m") == 0)
        return refuse_y4m("", path, err);
    if (format == GF_FORMAT_NONE)
        return gf_io_fail(err, GF_IO_USAGE, "%s: \"%s\" is not an image format that can be written; there are %s", path,
                          dot, gf_image_format_words());
    *ret_format = format;
    return GF_IO_OK;
}

bool gf_image_has_quality(enum gf_image_format format)
{
    return format == GF_FORMAT_JPEG || format == GF_FORMAT_WEBP || format == GF_FORMAT_AVIF || format == GF_FORMAT_HEIC;
}

enum gf_io_status gf_image_refuse_header(const char *path, const char *option, struct gf_io_error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    enum gf_image_format format = dot ? find_format(dot + 1) : GF_FORMAT_NONE;
    if (format == GF_FORMAT_NONE || format == GF_FORMAT_TXT || format == GF_FORMAT_RAW)
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_USAGE, "%s: a %s file says itself what is in it; leave %s out", path,
                      gf_image_format_word(format), option);
}

bool gf_image_holds_dtype(enum gf_image_format format, uint32_t dtype)
{
    return gf_dtype_known(dtype) && (formats[format].dtypes & GF_DT(dtype)) != 0;
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

/* The format to take instead, by what the picture is. */
static const char *advice(const struct gf_view *view)
{
    if (gf_view_samples(view) > GF_MAX_SAMPLES)
        return "npy or raw";
    if ((GF_DT_WHITE & GF_DT(view->dtype)) == 0)
        return "npy, txt or raw";
    if (view->dtype == GF_F32)
        return view->channels == 1 || view->channels == 3 ? "npy, pfm or hdr" : "npy or raw";
    return "png or pam";
}

/* Whether the library is there that writes it. */
static enum gf_io_status is_ready(enum gf_image_format format, const char *path, struct gf_io_error *err)
{
    switch (format) {
    case GF_FORMAT_TIFF:
        return gf_tiff_ready(path, err);
    case GF_FORMAT_WEBP:
        return gf_webp_ready(path, err);
    case GF_FORMAT_AVIF:
    case GF_FORMAT_HEIC:
        return gf_heif_ready(path, format, err);
    default:
        return GF_IO_OK;
    }
}

enum gf_io_status gf_image_can_hold(enum gf_image_format format, const struct gf_view *view, const char *path,
                                    struct gf_io_error *err)
{
    const struct format *f = &formats[format];
    char dtypes[GF_DTYPES_TEXT];
    if (format <= GF_FORMAT_NONE || format >= GF_N_FORMATS)
        return gf_io_fail(err, GF_IO_USAGE, "%s: no format is named; there are %s", path, gf_image_format_words());
    bool holds_flat = view->channels > 1 && view->channels % 2 == 0 && (f->channels & C(view->channels - 1)) != 0;
    bool is_wide = f->dtypes == GF_DT_U8 && (view->dtype == GF_U16 || view->dtype == GF_F32 || view->dtype == GF_F16);
    if (!gf_dtype_known(view->dtype) || !(f->dtypes & GF_DT(view->dtype)) || view->channels < 1 ||
        view->channels > GF_MAX_CHANNELS || !(f->channels & C(view->channels)))
        return gf_io_fail(
            err, GF_IO_DATA, "%s: %s holds %s with %s, and the picture is %s with %" PRIu32 " channel%s; write %s%s%s",
            path, f->word, gf_dtype_set_text(f->dtypes, dtypes, sizeof(dtypes)), channels_text(f->channels),
            gf_dtype_word(view->dtype), view->channels, view->channels == 1 ? "" : "s", advice(view),
            is_wide ? ", or convert by map, dtype u8 and range full" : "",
            holds_flat ? ", or put a colour behind alpha by --background" : "");
    if (gf_view_samples(view) > f->max_samples)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: %s is written up to %" PRIu64 " samples, and the picture has %" PRIu64 "; write %s",
                          path, f->word, f->max_samples, gf_view_samples(view), advice(view));
    if (f->max_side > 0 && (view->width > f->max_side || view->height > f->max_side))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: %s has sides of up to %" PRIu64 ", and the picture is %" PRIu64 "x%" PRIu64 "; write %s",
                          path, f->word, f->max_side, view->width, view->height, advice(view));
    return is_ready(format, path, err);
}

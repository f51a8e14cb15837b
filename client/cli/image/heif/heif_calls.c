/* SPDX-License-Identifier: MIT */
/* Loads libheif and reports which coders it has; see heif_calls.h. */
#include "heif_calls.h"

struct gf_heif_calls gf_heif;

static const char *const names[] = {GF_HEIF_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "libheif", .file = GF_HEIF_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gf_heif};

enum gf_io_status gf_heif_load(const char *path, struct gf_io_error *err)
{
    return gf_library_load(&library, path, "HEIC and AVIF", err);
}

static enum gf_io_status ready(const char *path, const char *word, enum heif_compression_format compression,
                               const char *coding, const char *plugin, struct gf_io_error *err)
{
    enum gf_io_status s = gf_heif_load(path, err);
    if (s == GF_IO_OK && !gf_heif.heif_have_encoder_for_format(compression))
        s = gf_io_fail(err, GF_IO_DATA,
                       "%s: %s needs an %s encoder, which the installed libheif lacks; install its %s plugin or "
                       "write png",
                       path, word, coding, plugin);
    return s;
}

enum gf_io_status gf_avif_ready(const char *path, struct gf_io_error *err)
{
    return ready(path, "avif", heif_compression_AV1, "AV1", "aom", err);
}

enum gf_io_status gf_heic_ready(const char *path, struct gf_io_error *err)
{
    return ready(path, "heic", heif_compression_HEVC, "HEVC", "x265", err);
}

static const char *coders(enum heif_compression_format format)
{
    bool reads = gf_heif.heif_have_decoder_for_format(format), writes = gf_heif.heif_have_encoder_for_format(format);
    return reads && writes ? "reads and writes" : reads ? "reads" : writes ? "writes" : "has no coder for";
}

static const char *version(char *text, size_t size)
{
    if (gf_heif_load("", NULL) != GF_IO_OK)
        return NULL;
    snprintf(text, size, "%s, %s HEIC, %s AVIF", gf_heif.heif_get_version(), coders(heif_compression_HEVC),
             coders(heif_compression_AV1));
    return text;
}

const struct gf_library_use gf_heif_use = {"HEIC and AVIF", "libheif", true, version};

void gf_heif_contextp(struct heif_context **context)
{
    if (*context)
        gf_heif.heif_context_free(*context);
}

void gf_heif_handlep(struct heif_image_handle **handle)
{
    if (*handle)
        gf_heif.heif_image_handle_release(*handle);
}

void gf_heif_imagep(struct heif_image **image)
{
    if (*image)
        gf_heif.heif_image_release(*image);
}

/* SPDX-License-Identifier: MIT */
/* Loads libwebp; see webp_calls.h. */
#include "webp_calls.h"

struct gf_webp_calls gf_webp;
struct gf_webp_demux_calls gf_webp_demux;
struct gf_webp_mux_calls gf_webp_mux;

static const char *const names[] = {GF_WEBP_CALLS(GF_LIBRARY_NAME)};
static const char *const demux_names[] = {GF_WEBP_DEMUX_CALLS(GF_LIBRARY_NAME)};
static const char *const mux_names[] = {GF_WEBP_MUX_CALLS(GF_LIBRARY_NAME)};
static struct gf_library libraries[] = {
    {.name = "libwebp", .file = GF_WEBP_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gf_webp},
    {.name = "libwebpdemux",
     .file = GF_WEBPDEMUX_FILE,
     .names = demux_names,
     .n = GF_ARRAY_LEN(demux_names),
     .calls = &gf_webp_demux},
    {.name = "libwebpmux",
     .file = GF_WEBPMUX_FILE,
     .names = mux_names,
     .n = GF_ARRAY_LEN(mux_names),
     .calls = &gf_webp_mux},
};

enum gf_io_status gf_webp_ready(const char *path, struct gf_io_error *err)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(libraries); i++) {
        enum gf_io_status s = gf_library_load(&libraries[i], path, "WebP", err);
        if (s != GF_IO_OK)
            return s;
    }
    return GF_IO_OK;
}

static const char *version(char *text, size_t size)
{
    if (gf_webp_ready("", NULL) != GF_IO_OK)
        return NULL;
    unsigned int v = (unsigned int)gf_webp.WebPGetDecoderVersion();
    snprintf(text, size, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
    return text;
}

const struct gf_library_use gf_webp_use = {"WebP", "libwebp", true, version};

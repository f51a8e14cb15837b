/* SPDX-License-Identifier: MIT */
/* Loads libtiff, and keeps its messages off standard error; see tiff_calls.h. */
#include "tiff_calls.h"

#include <string.h>

/* Largest single allocation of the library; strips and tiles are read into our own memory. */
#define MAX_ALLOC ((tmsize_t)1 << 30)

struct gf_tiff_calls gf_tiff;

static const char *const names[] = {GF_TIFF_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "libtiff", .file = GF_TIFF_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &gf_tiff};

enum gf_io_status gf_tiff_ready(const char *path, struct gf_io_error *err)
{
    return gf_library_load(&library, path, &gf_tiff_use, err);
}

/* Takes the number from "LIBTIFF, Version 4.5.0" and lines about its authors. */
static const char *version(char *text, size_t size)
{
    if (gf_tiff_ready("", NULL) != GF_IO_OK)
        return NULL;
    const char *all = gf_tiff.TIFFGetVersion(), *number = strstr(all, "Version ");
    number = number ? number + strlen("Version ") : all;
    snprintf(text, size, "%.*s", (int)strcspn(number, "\n"), number);
    return text;
}

const struct gf_library_use gf_tiff_use = {"TIFF", "libtiff", true, version, NULL};

#define GEO(tag, type, name)                                                                                           \
    {                                                                                                                  \
        tag, TIFF_VARIABLE2, TIFF_VARIABLE2, type, FIELD_CUSTOM, true, true, name                                      \
    }
const TIFFFieldInfo gf_tiff_geo[GF_GEO_TAGS] = {
    GEO(33550, TIFF_DOUBLE, "ModelPixelScale"),     GEO(33922, TIFF_DOUBLE, "ModelTiepoint"),
    GEO(34264, TIFF_DOUBLE, "ModelTransformation"), GEO(34735, TIFF_SHORT, "GeoKeyDirectory"),
    GEO(34736, TIFF_DOUBLE, "GeoDoubleParams"),     GEO(34737, TIFF_ASCII, "GeoAsciiParams"),
    GEO(42112, TIFF_ASCII, "GDAL_METADATA"),        GEO(42113, TIFF_ASCII, "GDAL_NODATA"),
};

static void keep(struct gf_tiff_failure *failure, const char *fmt, va_list args)
{
    if (failure->text[0] == '\0')
        (void)vsnprintf(failure->text, sizeof(failure->text), fmt, args);
}

static int on_error(TIFF *tiff, void *user, const char *module, const char *fmt, va_list args)
{
    (void)tiff;
    (void)module;
    keep(user, fmt, args);
    return 1; /* handled: call no other handler */
}

/* Whether a warning is about an old style that the library decodes in full, not about damage. */
static bool is_about_style(const char *module)
{
    static const char *const modules[] = {"LZWPreDecode", "OJPEGSetupDecode", "OJPEGSubsamplingCorrect"};
    for (size_t i = 0; i < GF_ARRAY_LEN(modules); i++)
        if (module && strcmp(module, modules[i]) == 0)
            return true;
    return false;
}

static int on_warning(TIFF *tiff, void *user, const char *module, const char *fmt, va_list args)
{
    struct gf_tiff_failure *failure = user;
    (void)tiff;
    if (failure->is_strict && !is_about_style(module))
        keep(failure, fmt, args);
    return 1;
}

static int close_nothing(thandle_t user)
{
    (void)user;
    return 0;
}

static void unmap_nothing(thandle_t user, void *base, toff_t size)
{
    (void)user;
    (void)base;
    (void)size;
}

TIFF *gf_tiff_open(const char *mode, void *user, TIFFReadWriteProc read, TIFFReadWriteProc write, TIFFSeekProc seek,
                   TIFFSizeProc size, TIFFMapFileProc map, struct gf_tiff_failure *failure)
{
    TIFFOpenOptions *options = gf_tiff.TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    gf_tiff.TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, failure);
    gf_tiff.TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, failure);
    gf_tiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, MAX_ALLOC);
    TIFF *tiff =
        gf_tiff.TIFFClientOpenExt("", mode, user, read, write, seek, close_nothing, size, map, unmap_nothing, options);
    gf_tiff.TIFFOpenOptionsFree(options);
    return tiff;
}

void gf_tiff_closep(TIFF **tiff)
{
    if (*tiff)
        gf_tiff.TIFFClose(*tiff);
    *tiff = NULL;
}

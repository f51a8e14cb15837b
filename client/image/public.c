/* SPDX-License-Identifier: MIT */
/* Errors and formats of libgpufilterimage; see public.h and gpufilter/image.h. */
#include "public.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "image_format.h"
#include "protocol/base/text.h"

GF_ENDS_WITHOUT_PADDING(gpufilter_image_format, library);

int gf_public_fail(gpufilter_error *err, enum gf_status status, const char *fmt, ...)
{
    va_list args;
    if (!err)
        return (int)status;
    memset(err, 0, sizeof(*err));
    err->status = (int32_t)status;
    va_start(args, fmt);
    gf_text_sentence(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return (int)status;
}

int gf_public_fail_io(gpufilter_error *err, const struct gf_io_error *why)
{
    static const enum gf_status of_io[] = {
        [GF_IO_OK] = GF_OK,
        [GF_IO_USAGE] = GF_E_BAD_ARGUMENT,
        [GF_IO_DATA] = GF_E_BAD_FILE,
        [GF_IO_TOO_LARGE] = GF_E_TOO_LARGE,
        [GF_IO_UNSUPPORTED] = GF_E_UNSUPPORTED,
        [GF_IO_NO_INPUT] = GF_E_NO_INPUT,
        [GF_IO_NO_MEMORY] = GF_E_NO_MEMORY,
        [GF_IO_INTERNAL] = GF_E_INTERNAL,
        [GF_IO_CANT_CREATE] = GF_E_CANT_CREATE,
        [GF_IO_FAILED] = GF_E_IO,
    };
    return gf_public_fail(err, of_io[why->status], "%s", why->text);
}

int gf_public_struct_in(void *ret, size_t size, const void *from, const char *name, gpufilter_error *err)
{
    struct gf_error why;
    return gf_struct_in(ret, size, from, name, &why) == GF_OK
               ? GF_OK
               : gf_public_fail(err, (enum gf_status)why.status, "%s", why.text);
}

int gf_public_struct_out(void *to, const void *from, size_t size, const char *name, gpufilter_error *err)
{
    struct gf_error why;
    return gf_struct_out(to, from, size, name, &why) == GF_OK
               ? GF_OK
               : gf_public_fail(err, (enum gf_status)why.status, "%s", why.text);
}

int gf_public_check(bool good, const char *name, uint64_t value, const char *allowed, gpufilter_error *err)
{
    return good ? GF_OK : gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s=%" PRIu64 "; allowed: %s", name, value, allowed);
}

GF_EXPORT int gpufilter_image_get_format(uint32_t index, gpufilter_image_format *format, gpufilter_error *err)
{
    char version[128];
    uint32_t at = GF_FORMAT_NONE;
    if (!format)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "format is NULL");
    do /* y4m is of streams alone, and no extension names it */
        at++;
    while (at < GF_N_FORMATS && (gf_formats[at].extensions[0] == '\0' || index-- > 0));
    if (at >= GF_N_FORMATS)
        return gf_public_fail(err, GF_E_UNSUPPORTED, "there is no such format");
    const struct gf_format *f = &gf_formats[at];
    const struct gf_library_use *use = f->library;
    const bool loads = !use || (use->built_in && use->version(version, sizeof(version)));
    const gpufilter_image_format told = {
        .flags = gf_flag_if(f->decode && loads, GPUFILTER_IMAGE_READS) |
                 gf_flag_if(loads && (!f->ready || f->ready(f->word, NULL) == GF_IO_OK), GPUFILTER_IMAGE_WRITES) |
                 gf_flag_if(f->has_pages, GPUFILTER_IMAGE_PAGES) | gf_flag_if(f->is_array, GPUFILTER_IMAGE_ARRAY),
        .word = f->word,
        .extensions = f->extensions,
        .library = use ? use->name : "",
    };
    return gf_public_struct_out(format, &told, sizeof(told), "gpufilter_image_format", err);
}

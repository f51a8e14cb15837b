/* SPDX-License-Identifier: MIT */
/* Reads masks; called by op_call.c, pipe_text.c and cmd_pipe.c. */
#include "coefs.h"

#include <string.h>

#include "client/cli/io/input.h"
#include "protocol/ops/op_codec.h"

#define CAPACITY ((size_t)GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE)
#define MAX_FILE (4ull << 20) /* 255 x 255 numbers of 64 characters */

void gf_coefs_deinit(struct gf_coefs *coefs)
{
    free(coefs->data);
    *coefs = (struct gf_coefs){.data = NULL};
}

enum gf_io_status gf_coefs_parse(const char *text, struct gf_coefs *coefs, struct gf_io_error *err)
{
    struct gf_error why;
    uint32_t width, height;
    gf_cleanup(gf_freep) float *data = malloc(CAPACITY * sizeof(*data));
    if (!data)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    if (gf_mask_parse(text, data, CAPACITY, &width, &height, &why) != GF_OK)
        return gf_io_fail(err, GF_IO_USAGE, "%s", why.text);
    gf_coefs_deinit(coefs);
    *coefs = (struct gf_coefs){.data = gf_steal_ptr(&data), .view = gf_view_tight(GF_F32, width, height, 1)};
    return GF_IO_OK;
}

enum gf_io_status gf_coefs_read(const char *path, struct gf_coefs *coefs, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    gf_cleanup(gf_freep) char *text = NULL;
    struct gf_io_error why;
    enum gf_io_status r = gf_input_read(path, MAX_FILE, "a mask file may have", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    if (bytes.size > 0 && memchr(bytes.data, '\0', bytes.size))
        return gf_io_fail(err, GF_IO_USAGE, "%s: is not a text file; a mask is rows of numbers", path);
    text = bytes.size > 0 ? strndup((const char *)bytes.data, bytes.size) : strdup("");
    if (!text)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", path);
    r = gf_coefs_parse(text, coefs, &why);
    return r == GF_IO_OK ? GF_IO_OK : gf_io_fail(err, r, "%s: %s", path, why.text);
}

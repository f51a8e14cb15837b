/* SPDX-License-Identifier: MIT */
/* Reads masks and lists; see op_data.h. */
#include "op_data.h"

#include <string.h>

#include "client/cli/io/input.h"
#include "protocol/ops/op_codec.h"

#define CAPACITY ((size_t)GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE)
#define MAX_FILE (4ull << 20) /* 255 x 255 numbers of 64 characters */
#define NUMBERS "0123456789+-.eE, \t"
#define NPY_MAGIC "\x93NUMPY"

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
    enum gf_io_status r = gf_input_read(path, MAX_FILE, "a mask file may have at most", &bytes, err);
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

/* The type for numbers given as text. */
static uint32_t text_dtype(const struct gf_input_desc *input, const void *text, size_t size)
{
    if (input->dtypes & GF_DT_F64)
        return GF_F64;
    if ((input->dtypes & GF_DT_I64) && memchr(text, '-', size))
        return GF_I64;
    if (input->dtypes & GF_DT_U64)
        return GF_U64;
    if (input->dtypes & GF_DT_F32) /* f32 holds all values of the smaller types */
        return GF_F32;
    return (uint32_t)__builtin_ctz(input->dtypes);
}

static bool is_numbers(const char *value)
{
    return value[strspn(value, NUMBERS)] == '\0' && strpbrk(value, "0123456789");
}

enum gf_io_status gf_data_option_read(const struct gf_input_desc *input, const char *value, struct gf_image *ret_image,
                                      struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    bool list = input->kind == GF_INPUT_LIST;
    if (list && is_numbers(value))
        return gf_array_decode_text(input->name, value, strlen(value), text_dtype(input, value, strlen(value)),
                                    ret_image, err);
    enum gf_io_status r = gf_input_read(value, GF_IMAGE_MAX_FILE, "a data file may have at most", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = gf_input_name(value);
    if (list && (bytes.size < sizeof(NPY_MAGIC) - 1 || memcmp(bytes.data, NPY_MAGIC, sizeof(NPY_MAGIC) - 1) != 0))
        return gf_array_decode_text(name, bytes.data, bytes.size, text_dtype(input, bytes.data, bytes.size), ret_image,
                                    err);
    const struct gf_image_load how = {.is_stream = bytes.is_stream};
    return gf_image_decode(name, bytes.data, bytes.size, &how, ret_image, err);
}

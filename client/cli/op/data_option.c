/* SPDX-License-Identifier: MIT */
/* Data given by an option of an operation; see data_option.h. */
#include "data_option.h"

#include <string.h>

#include "client/cli/io/input.h"

#define NUMBERS "0123456789+-.eE, \t"
#define NPY_MAGIC "\x93NUMPY"

/* The type of numbers given as text. */
static uint32_t text_dtype(const struct gf_input_desc *input, const void *text, size_t size)
{
    if (input->dtypes & GF_DT_F64)
        return GF_F64;
    if ((input->dtypes & GF_DT_I64) && memchr(text, '-', size))
        return GF_I64;
    if (input->dtypes & GF_DT_U64)
        return GF_U64;
    if (input->dtypes & GF_DT_F32) /* which holds all that the smaller types do */
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
    enum gf_io_status r = gf_input_read(value, GF_IMAGE_MAX_FILE, "a file of data may have", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(value, "-") == 0 ? "standard input" : value;
    if (list && (bytes.size < sizeof(NPY_MAGIC) - 1 || memcmp(bytes.data, NPY_MAGIC, sizeof(NPY_MAGIC) - 1) != 0))
        return gf_array_decode_text(name, bytes.data, bytes.size, text_dtype(input, bytes.data, bytes.size), ret_image,
                                    err);
    const struct gf_image_load how = {.is_stream = bytes.is_stream};
    return gf_image_decode(name, bytes.data, bytes.size, &how, ret_image, err);
}

/* SPDX-License-Identifier: MIT */
/* Reads masks and lists, and converts arrays; see op_data.h. */
#include "op_data.h"

#include <inttypes.h>
#include <string.h>

#include "client/io/input.h"
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
        return gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
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
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
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

/* The first step that takes f32 in place of the type; NULL: there is none, or a step takes the type or f64. */
static const struct gf_op *find_taker(const struct gf_program *program, uint32_t operand, uint32_t dtype)
{
    const struct gf_op *first = NULL;
    for (const struct gf_step *s = program->steps; s < program->steps + program->n_steps; s++)
        for (uint32_t k = 0; k < s->op->n_inputs; k++) {
            const uint32_t takes = s->op->inputs[k].dtypes;
            if (s->in[k].from != GF_FROM_OPERAND || s->in[k].index != operand)
                continue;
            if ((takes & (GF_DT(dtype) | GF_DT_F64)) != 0 || (takes & GF_DT_F32) == 0)
                return NULL;
            first = first ? first : s->op;
        }
    return first;
}

enum gf_io_status gf_narrow(const struct gf_program *program, uint32_t operand, const char *path,
                            struct gf_image *image, struct gf_narrowed *ret, struct gf_io_error *err)
{
    struct gf_narrowed narrowed = {.dtype = image->view.dtype};
    if (!image->data || (GF_DT(narrowed.dtype) & GF_DT_ANY & ~GF_DT_IMAGE) == 0)
        return GF_IO_OK;
    narrowed.op = find_taker(program, operand, narrowed.dtype);
    if (!narrowed.op)
        return GF_IO_OK;
    enum gf_io_status r = gf_image_to_f32(image, path, &narrowed.loss, err);
    if (r == GF_IO_OK)
        *ret = narrowed;
    return r;
}

void gf_narrowed_add(struct gf_narrowed *sum, const struct gf_narrowed *more)
{
    sum->dtype = more->dtype;
    sum->op = more->op;
    sum->loss.values += more->loss.values;
    sum->loss.rounded += more->loss.rounded;
    sum->loss.infinite += more->loss.infinite;
}

void gf_narrow_report(const struct gf_cli *cli, const struct gf_narrowed *narrowed, const char *path)
{
    const struct gf_number_loss *loss = &narrowed->loss;
    char more[64] = "", name[GF_PATH_TEXT];
    if (narrowed->dtype == 0 || cli->quiet)
        return;
    if (loss->infinite > 0)
        snprintf(more, sizeof(more), ", %" PRIu64 " of them to infinity", loss->infinite);
    else if (loss->rounded > 0 && narrowed->dtype != GF_F64)
        snprintf(more, sizeof(more), ", all beyond 2^24");
    fprintf(cli->err,
            GF_CLI_NAME ": %s: %s: %s read as f32, since %s does not take it, %" PRIu64 " of %" PRIu64
                        " values rounded%s\n",
            cli->command, gf_path_text(gf_input_name(path), name, sizeof(name)), gf_dtype_word(narrowed->dtype),
            narrowed->op->name, loss->rounded, loss->values, more);
}

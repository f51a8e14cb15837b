/* SPDX-License-Identifier: MIT */
/* Reads the command line of an operation by its descriptor; called by cmd_op.c. */
#include "op_call.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "exit_code.h"
#include "fail.h"
#include "fit.h"
#include "input.h"
#include "op_options.h"
#include "output.h"
#include "protocol/op_codec.h"

#define MAX_MASK_FILE (4ull << 20) /* 255 x 255 numbers of 64 characters */

void gf_op_call_deinit(struct gf_op_call *call)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(call->coefs); i++)
        free(call->coefs[i].data);
    *call = GF_OP_CALL_NULL;
}

/* A file as text with a null byte at its end. */
static int read_text(const struct gf_cli *cli, const char *path, char **ret_text)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    struct gf_io_error err;
    if (gf_input_read(path, MAX_MASK_FILE, "a mask file may have", &bytes, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (bytes.size > 0 && memchr(bytes.data, '\0', bytes.size))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "%s: is not a text file; a mask is rows of numbers", path);
    char *text = bytes.size > 0 ? strndup((const char *)bytes.data, bytes.size) : strdup("");
    if (!text)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: out of memory", path);
    *ret_text = text;
    return GF_EXIT_OK;
}

static int parse_coefs(const struct gf_cli *cli, const struct gf_input_desc *input, const char *text,
                       struct gf_coefs *coefs)
{
    gf_cleanup(gf_freep) char *owned = NULL;
    const size_t room = (size_t)GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE;
    struct gf_error err;
    uint32_t width, height;
    if (!text)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s is missing, e.g. --%s '1 2 1; 2 4 2; 1 2 1' or --%s @file",
                           input->name, input->name, input->name);
    if (text[0] == '@') {
        int code = read_text(cli, text + 1, &owned);
        if (code != GF_EXIT_OK)
            return code;
        text = owned;
    }
    coefs->data = malloc(room * sizeof(*coefs->data));
    if (!coefs->data)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "--%s: out of memory", input->name);
    if (gf_mask_parse(text, coefs->data, room, &width, &height, &err) != GF_OK)
        return gf_cli_fail_error(cli, &err);
    coefs->view = gf_view_tight(GF_F32, width, height, 1);
    return GF_EXIT_OK;
}

static int parse_params(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    const struct gf_op *op = call->op;
    gf_op_params_default(op, &call->params);
    for (uint32_t i = 0; i < op->n_params; i++) {
        struct gf_error err;
        if (options->params[i] &&
            gf_op_param_parse(op, &op->params[i], options->params[i], &call->params, &err) != GF_OK)
            return gf_cli_fail_error(cli, &err);
    }
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        if (op->inputs[i].kind != GF_INPUT_COEFS)
            continue;
        int code = parse_coefs(cli, &op->inputs[i], options->inputs[i], &call->coefs[i]);
        if (code != GF_EXIT_OK)
            return code;
    }
    return GF_EXIT_OK;
}

/* Tries the output before any work. A fifo is left alone, since its reader would see an end. */
static enum gf_io_status try_output(const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return GF_IO_OK;
    return gf_output_open(path, true, &out, err);
}

static int parse_files(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    struct gf_io_error err;
    call->is_raw = options->raw;
    call->text_dtype = options->in_dtype ? gf_dtype_from_word(options->in_dtype) : 0;
    if (options->in_dtype && call->text_dtype == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--in-dtype %s: there are u8, i8, u16, i16, u32, i32, u64, i64, f32, f64",
                           options->in_dtype);
    if (options->raw && options->in_dtype)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--raw and --in-dtype: samples are bare or text, not both");
    if (options->raw && gf_image_raw_parse(options->raw, &call->raw, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    call->plot = options->plot;
    if (!call->out)
        return GF_EXIT_OK;
    enum gf_io_status r = options->format ? gf_image_format_from_word(options->format, &call->format, &err)
                                          : gf_image_format_from_path(call->out, &call->format, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->json && strcmp(call->out, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json and the picture would both go to standard output; name a file");
    int code = gf_fit_refuse(cli, call->op, &call->params, call->format, call->out);
    if (code != GF_EXIT_OK)
        return code;
    return try_output(call->out, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
}

int gf_op_call_parse(struct gf_cli *cli, struct gf_args *args, struct gf_op_call *call)
{
    const char *names[GF_MAX_INPUTS + 1], *files[GF_MAX_INPUTS + 1] = {NULL};
    char text[64];
    struct gf_op_options options;
    size_t n = gf_op_operands(cli->op, names, text, sizeof(text)), k = 0;
    call->op = cli->op;
    gf_op_options_init(cli->op, &options);
    struct gf_option_set own = {options.rows, options.n};
    int code = gf_cli_parse(cli, args, &own, names, n, files);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (!gf_op_input_is_option(&call->op->inputs[i]))
            call->in[i] = files[k++];
        else if (call->op->inputs[i].kind != GF_INPUT_COEFS)
            call->in[i] = options.inputs[i];
    call->out = k < n ? files[k] : options.output;
    code = parse_params(cli, &options, call);
    return code == GF_EXIT_OK ? parse_files(cli, &options, call) : code;
}

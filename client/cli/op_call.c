/* SPDX-License-Identifier: MIT */
/* Reads the command line of an operation by its descriptor; called by cmd_op.c. */
#include "op_call.h"

#include <inttypes.h>
#include <string.h>

#include "chart.h"
#include "exit_code.h"
#include "fail.h"
#include "fit.h"
#include "op_options.h"
#include "output.h"
#include "protocol/op_codec.h"

void gf_op_call_deinit(struct gf_op_call *call)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(call->coefs); i++)
        gf_coefs_deinit(&call->coefs[i]);
    *call = GF_OP_CALL_NULL;
}

static int parse_coefs(const struct gf_cli *cli, const struct gf_input_desc *input, const char *text,
                       struct gf_coefs *coefs)
{
    struct gf_io_error err;
    if (!text)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s is missing, e.g. --%s '1 2 1; 2 4 2; 1 2 1' or --%s @file",
                           input->name, input->name, input->name);
    enum gf_io_status r = text[0] == '@' ? gf_coefs_read(text + 1, coefs, &err) : gf_coefs_parse(text, coefs, &err);
    return r == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
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

/* The format of a file to be written, which is tried. */
static int parse_output(const struct gf_cli *cli, const char *path, const char *format,
                        enum gf_image_format *ret_format)
{
    struct gf_io_error err;
    enum gf_io_status r = format ? gf_image_format_from_word(format, ret_format, &err)
                                 : gf_image_format_from_path(path, ret_format, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->json && strcmp(path, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json and the picture would both go to standard output; name a file");
    return GF_EXIT_OK;
}

static int parse_lists(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    struct gf_io_error err;
    for (uint32_t i = 1; i < call->op->n_outputs; i++) {
        const char *path = call->lists[i].path = options->lists[i];
        if (!path)
            continue;
        int code = parse_output(cli, path, options->format, &call->lists[i].format);
        if (code != GF_EXIT_OK)
            return code;
        if (call->out && strcmp(path, "-") == 0 && strcmp(call->out, "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "OUT and --%s would both go to standard output; name a file",
                               call->op->outputs[i].name);
        if (gf_output_try(path, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    return GF_EXIT_OK;
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
    if (call->plot && (gf_chart_can_plot(call->plot, &err) != GF_IO_OK || gf_output_try(call->plot, &err) != GF_IO_OK))
        return gf_cli_fail_io(cli, &err);
    int code = parse_lists(cli, options, call);
    if (code != GF_EXIT_OK || !call->out)
        return code;
    code = parse_output(cli, call->out, options->format, &call->format);
    if (code == GF_EXIT_OK)
        code = gf_fit_refuse(cli, call->op, &call->params, call->format, call->out);
    if (code != GF_EXIT_OK)
        return code;
    return gf_output_try(call->out, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
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

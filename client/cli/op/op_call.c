/* SPDX-License-Identifier: MIT */
/* Parses the command line of an operation by its descriptor; called by cmd_op.c. */
#include "op_call.h"

#include <inttypes.h>
#include <string.h>

#include "adjust.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/io/output.h"
#include "client/cli/report/plot.h"
#include "client/cli/report/table.h"
#include "fit.h"
#include "op_options.h"
#include "protocol/ops/op_codec.h"

void gf_op_call_deinit(struct gf_op_call *call)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(call->coefs); i++)
        gf_coefs_deinit(&call->coefs[i]);
    gf_operands_deinit(&call->files);
    gf_batch_names_deinit(&call->names);
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

/* The format of a file to be written. */
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

static int parse_lists(const struct gf_cli *cli, struct gf_op_call *call)
{
    for (uint32_t i = 1; i < call->op->n_outputs; i++) {
        const char *path = call->lists[i].path;
        if (!path)
            continue;
        int code = parse_output(cli, path, call->format_word, &call->lists[i].format);
        if (code != GF_EXIT_OK)
            return code;
        if (call->out && strcmp(path, "-") == 0 && strcmp(call->out, "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "OUT and --%s would both go to standard output; name a file",
                               call->op->outputs[i].name);
    }
    return GF_EXIT_OK;
}

/* The formats of what is written, as far as they can be known without the data. */
static int parse_outputs(const struct gf_cli *cli, struct gf_op_call *call)
{
    struct gf_io_error err;
    if (call->plot && gf_plot_can(call->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    int code = parse_lists(cli, call);
    if (code == GF_EXIT_OK && call->out)
        code = parse_output(cli, call->out, call->format_word, &call->format);
    if (code == GF_EXIT_OK && call->out)
        code = gf_fit_refuse(cli, call->op, &call->params, call->format, call->out);
    return code;
}

/* What is written: OUT, a drawing, lists; returns how many there are. */
static size_t paths_of(struct gf_op_call *call, const char **ret_paths[GF_BATCH_TEMPLATES])
{
    size_t n = 0;
    if (call->out)
        ret_paths[n++] = &call->out;
    if (call->plot)
        ret_paths[n++] = &call->plot;
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        if (call->lists[i].path)
            ret_paths[n++] = &call->lists[i].path;
    return n;
}

int gf_op_call_file(const struct gf_cli *cli, const struct gf_op_call *batch, const char *in, char *const *out,
                    struct gf_op_call *ret_call)
{
    const char **paths[GF_BATCH_TEMPLATES];
    *ret_call = *batch;
    ret_call->in[0] = in;
    size_t n = paths_of(ret_call, paths);
    for (size_t i = 0; i < n; i++)
        *paths[i] = out[i];
    return parse_outputs(cli, ret_call);
}

/* Whether every file that is written can be: of a batch by its names, else by trying. */
static int try_outputs(const struct gf_cli *cli, struct gf_op_call *call)
{
    struct gf_io_error err;
    const char **paths[GF_BATCH_TEMPLATES], *templates[GF_BATCH_TEMPLATES];
    size_t n = paths_of(call, paths);
    for (size_t i = 0; i < n; i++) {
        templates[i] = *paths[i];
        if (!call->is_batch && gf_output_try(templates[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    if (!call->is_batch)
        return GF_EXIT_OK;
    if (gf_batch_names_init(&call->names, call->files.of, call->files.n, templates, n, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    for (size_t i = 0; i < call->names.n; i++) {
        struct gf_op_call one;
        int code = gf_op_call_file(cli, call, call->names.in[i], call->names.out + i * n, &one);
        if (code != GF_EXIT_OK)
            return code;
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
    int code = call->is_batch ? GF_EXIT_OK : parse_outputs(cli, call);
    return code == GF_EXIT_OK ? try_outputs(cli, call) : code;
}

/* With -o, and where nothing is written, all operands are read. */
static int parse_operands(const struct gf_cli *cli, const struct gf_args *args, struct gf_op_call *call)
{
    const char *names[GF_MAX_INPUTS + 1], *files[GF_MAX_INPUTS + 1] = {NULL};
    char text[64];
    struct gf_io_error err;
    size_t n = gf_op_operands(call->op, names, text, sizeof(text)), k = 0;
    bool writes = !gf_op_is_table(call->op);
    if (gf_op_takes_one(call->op) && (call->out || !writes)) {
        const char **paths[GF_BATCH_TEMPLATES];
        bool template = false;
        for (size_t i = paths_of(call, paths); i > 0; i--)
            template |= gf_batch_is_template(*paths[i - 1]);
        call->is_batch = call->files.n > 1 || (template && call->files.n == 1);
    }
    if (call->is_batch)
        return GF_EXIT_OK;
    if (!call->out && gf_op_takes_one(call->op) && call->files.n > n)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "\"%s\" is one operand too many; of several files, -o names the results; see --help",
                           call->files.of[n]);
    if (gf_args_match(args, &call->files, names, writes && call->out ? n - 1 : n, files, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (!gf_op_input_is_option(&call->op->inputs[i]))
            call->in[i] = files[k++];
    if (!call->out && k < n)
        call->out = files[k];
    return GF_EXIT_OK;
}

int gf_op_call_parse(struct gf_cli *cli, struct gf_args *args, struct gf_op_call *call)
{
    struct gf_op_options options;
    call->op = cli->op;
    gf_op_options_init(cli->op, &options);
    if (cli->adjust)
        gf_adjust_options(cli->adjust, &options);
    struct gf_option_set own = {options.rows, options.n};
    int code = gf_cli_parse_all(cli, args, &own, &call->files);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (gf_op_input_is_option(&call->op->inputs[i]) && call->op->inputs[i].kind != GF_INPUT_COEFS)
            call->in[i] = options.inputs[i];
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        call->lists[i].path = options.lists[i];
    call->out = options.output;
    call->plot = options.plot;
    call->format_word = options.format;
    call->batch = options.batch;
    code = parse_operands(cli, args, call);
    if (code == GF_EXIT_OK)
        code = parse_params(cli, &options, call);
    if (code == GF_EXIT_OK && cli->adjust)
        code = gf_adjust_parse(cli, &options, call);
    return code == GF_EXIT_OK ? parse_files(cli, &options, call) : code;
}

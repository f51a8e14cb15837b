/* SPDX-License-Identifier: MIT */
/* Parses the command line of an operation by its descriptor; called by cmd_op.c. */
#include "op_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "adjust.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/io/output.h"
#include "client/cli/report/list.h"
#include "client/cli/report/plot.h"
#include "client/cli/report/table.h"
#include "fit.h"
#include "op_options.h"
#include "protocol/ops/op_codec.h"
#include "save_check.h"

void gf_op_call_deinit(struct gf_op_call *call)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(call->coefs); i++)
        gf_coefs_deinit(&call->coefs[i]);
    free(call->joined);
    gf_operands_deinit(&call->files);
    gf_batch_list_deinit(&call->list);
    gf_batch_names_deinit(&call->names);
    *call = GF_OP_CALL_NULL;
}

static int parse_coefs(const struct gf_cli *cli, const struct gf_input_desc *input, const char *text,
                       struct gf_coefs *coefs)
{
    struct gf_io_error err, why;
    if (!text)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s is missing, e.g. --%s '1 2 1; 2 4 2; 1 2 1' or --%s @file",
                           input->name, input->name, input->name);
    enum gf_io_status r = text[0] == '@' ? gf_coefs_read(text + 1, coefs, &err) : gf_coefs_parse(text, coefs, &why);
    if (r != GF_IO_OK && text[0] != '@')
        gf_io_fail(&err, r, "%s: %s", input->name, why.text);
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
        if (op->inputs[i].kind != GF_INPUT_COEFS || (op->inputs[i].optional && !options->inputs[i]))
            continue;
        int code = parse_coefs(cli, &op->inputs[i], options->inputs[i], &call->coefs[i]);
        if (code != GF_EXIT_OK)
            return code;
    }
    return GF_EXIT_OK;
}

/* The format of a file to be written; NONE for standard output that takes the format of IN. */
static int parse_output(const struct gf_cli *cli, const char *path, const char *format, bool as_input,
                        enum gf_image_format *ret_format)
{
    struct gf_io_error err;
    enum gf_io_status r = GF_IO_OK;
    *ret_format = GF_FORMAT_NONE;
    if (format)
        r = gf_image_format_from_word(format, ret_format, &err);
    else if (!as_input || strcmp(path, "-") != 0)
        r = gf_image_format_from_path(path, ret_format, &err);
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
        int code = parse_output(cli, path, call->format_word, false, &call->lists[i].format);
        if (code != GF_EXIT_OK)
            return code;
        if (call->out && strcmp(path, "-") == 0 && strcmp(call->out, "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "OUT and --%s would both go to standard output; name a file",
                               call->op->outputs[i].name);
    }
    return GF_EXIT_OK;
}

/* Whether the result may have the format of what was taken. */
static bool gives_picture(const struct gf_op *op)
{
    return !gf_op_is_table(op) && !gf_op_is_list(op);
}

/* The formats of what is written, as far as they can be known without the data. */
static int parse_outputs(const struct gf_cli *cli, struct gf_op_call *call)
{
    struct gf_io_error err;
    if (call->plot && gf_plot_can(call->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    int code = parse_lists(cli, call);
    if (code == GF_EXIT_OK && call->out)
        code = parse_output(cli, call->out, call->format_word, gives_picture(call->op), &call->format);
    if (code == GF_EXIT_OK && call->out && call->format != GF_FORMAT_NONE)
        code = gf_fit_refuse(cli, call->op, &call->params, call->format, call->out);
    return code;
}

int gf_op_call_check_format(const struct gf_cli *cli, const struct gf_op_call *call)
{
    if (call->format == GF_FORMAT_NONE)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "%s: files of its format are read and not written; name another with --format: %s",
                           strcmp(call->in[0], "-") == 0 ? "standard input" : call->in[0], gf_image_format_words());
    return gf_fit_refuse(cli, call->op, &call->params, call->format, "standard output");
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

static void see_outputs(const struct gf_op_call *call, struct gf_save_seen *seen)
{
    if (call->out)
        gf_save_see(seen, call->format, call->out);
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        if (call->lists[i].path)
            gf_save_see(seen, call->lists[i].format, call->lists[i].path);
}

/* The names of what is written, made of those on the command line. */
static int make_names(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    const char **paths[GF_BATCH_TEMPLATES];
    char *templates[GF_BATCH_TEMPLATES] = {NULL};
    struct gf_io_error err = {.status = GF_IO_OK};
    bool in_place = options->names_how.in_place, more = true;
    bool is_plain = call->out && !options->output && !options->batch.files_from; /* an operand beside IN */
    size_t n = paths_of(call, paths);
    for (size_t i = 0; i < n && more; i++) {
        bool is_in = in_place && *paths[i] == call->in[0];
        templates[i] = is_in ? NULL : gf_batch_template(*paths[i], i == 0 && is_plain);
        more = is_in || templates[i];
    }
    struct gf_batch_wish wish = {.in = call->is_batch ? call->files.of : call->in,
                                 .n = call->is_batch ? call->files.n : 1,
                                 .also = call->in + 1,
                                 .n_also = call->op->n_inputs - 1,
                                 .out = (const char *const *)templates,
                                 .n_out = n,
                                 .in_place = in_place};
    if (more)
        (void)gf_batch_names_init(&call->names, &wish, &err);
    for (size_t i = 0; i < n; i++)
        free(templates[i]);
    call->names.wish.out = NULL;
    if (!more)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    return err.status == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
}

/* Whether every file that is written can be: its format, its name, and where it is one of its own by trying. */
static int check_outputs(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    struct gf_io_error err;
    struct gf_save_seen seen = {.path = NULL};
    const struct gf_batch_names *names = &call->names;
    for (size_t i = 0; i < names->wish.n; i++) {
        struct gf_op_call one;
        int code = gf_op_call_file(cli, call, names->wish.in[i], names->out + i * names->wish.n_out, &one);
        if (code != GF_EXIT_OK)
            return code;
        see_outputs(&one, &seen);
        if (!call->is_batch)
            *call = one;
    }
    int code = gf_save_check(cli, &seen);
    if (code != GF_EXIT_OK)
        return code;
    if (gf_batch_names_check(names, options->names_how.parents, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    code = gf_batch_skip_existing(cli, &options->batch, &call->names);
    if (code != GF_EXIT_OK)
        return code;
    for (size_t i = 0; i < names->wish.n_out && !call->is_batch; i++)
        if (gf_output_try(names->out[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

/* What the command line says of the samples of IN, where they do not say it themselves. */
static int parse_input(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    struct gf_io_error err;
    call->is_raw = options->raw;
    if (options->in_dtype && gf_array_dtype_parse(options->in_dtype, &call->text_dtype, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (options->raw && options->in_dtype)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--raw and --in-dtype: samples are bare or text, not both");
    if (cli->page && (options->raw || options->in_dtype))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--page and %s: the file has no pages",
                           options->raw ? "--raw" : "--in-dtype");
    if (options->raw && gf_image_raw_parse(options->raw, &call->raw, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    const char *option = options->raw ? "--raw" : options->in_dtype ? "--in-dtype" : NULL;
    for (size_t i = 0; option && i < call->names.wish.n; i++)
        if (gf_image_refuse_header(call->names.wish.in[i], option, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

static int parse_files(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_op_call *call)
{
    uint32_t jobs = 0;
    int code = gf_batch_options_check(cli, &options->batch, &jobs);
    if (code == GF_EXIT_OK)
        code = make_names(cli, options, call);
    if (code == GF_EXIT_OK)
        code = gf_batch_take_shard(cli, &options->batch, &call->names);
    if (code == GF_EXIT_OK)
        code = parse_input(cli, options, call);
    return code == GF_EXIT_OK ? check_outputs(cli, options, call) : code;
}

static size_t count_inputs(const struct gf_op *op)
{
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        n += !gf_op_input_is_option(op, i);
    return n;
}

/* Reads the list in the place of operands, of which OUT may be one. */
static int take_list(const struct gf_cli *cli, const char *path, bool in_place, struct gf_op_call *call)
{
    struct gf_operands *files = &call->files;
    bool wants = !gf_op_is_table(call->op) && !call->out && !in_place;
    if (wants && files->n > 0)
        call->out = files->of[--files->n];
    if (files->n > 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\": --files-from names what is read; leave this operand out",
                           files->of[0]);
    if (wants && !call->out)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "OUT is missing; with --files-from it is a directory, a name with {stem}, or --in-place");
    for (uint32_t i = 1; i < call->op->n_inputs && strcmp(path, "-") == 0; i++)
        if (call->in[i] && strcmp(call->in[i], "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--files-from and --%s would both read standard input",
                               call->op->inputs[i].name);
    int code = gf_batch_list_read(cli, path, &call->list);
    if (code == GF_EXIT_OK) {
        gf_operands_deinit(files);
        *files = call->list.names;
        call->list.names = (struct gf_operands){.n = 0};
    }
    return code;
}

/* Whether the operands are several files, each of which the operation takes; the last may be the directory of the
 * results, or with options for lists any result. */
static bool is_batch(struct gf_op_call *call, bool in_place)
{
    const char **paths[GF_BATCH_TEMPLATES];
    bool template = gf_batch_list_wanted(&call->batch), writes = !gf_op_is_table(call->op);
    struct gf_operands *files = &call->files;
    if (!gf_op_takes_one(call->op))
        return false;
    if (call->batch.files_from)
        return true;
    if (writes && !call->out && !in_place &&
        ((template && files->n == 2) || (files->n > 2 && gf_batch_is_directory(files->of[files->n - 1]))))
        call->out = files->of[--files->n];
    for (size_t i = paths_of(call, paths); i > 0; i--)
        template |= gf_batch_is_template(*paths[i - 1]);
    if (writes && !call->out && !in_place)
        return false;
    return files->n > 1 || (template && files->n == 1);
}

/* Says how to give what people write before the files: a value of the first parameter, or a window. False: it is
 * neither, or a file of that name is there. */
static bool is_value(const struct gf_op *op, const char *word, char *text, size_t size)
{
    union gf_params params;
    unsigned w, h, x, y;
    int end = 0;
    char name[40];
    gf_op_params_default(op, &params);
    if (op->n_params == 0 || access(word, F_OK) == 0)
        return false;
    if (gf_op_param_parse(op, &op->params[0], word, &params, NULL) == GF_OK)
        snprintf(text, size, "--%s %s", gf_op_option_name(op->params[0].name, name, sizeof(name)), word);
    else if (op->index == GF_INDEX_crop && sscanf(word, "%6ux%6u+%6u+%6u%n", &w, &h, &x, &y, &end) == 4 &&
             word[end] == '\0')
        snprintf(text, size, "--size %ux%u --at %u,%u", w, h, x, y);
    else
        return false;
    return true;
}

/* Whether the second of two operands is meant as a result of an operation that prints what it finds. */
static bool is_result(const struct gf_op_call *call)
{
    const struct gf_operands *files = &call->files;
    return gf_op_is_table(call->op) && call->op->n_required == 1 && files->n == 2 && !call->out &&
           !call->batch.files_from && !call->batch.keep_going && access(files->of[0], F_OK) == 0 &&
           access(files->of[1], F_OK) != 0;
}

/* Pictures that may be left out, from the last, are as many as `given` operands are too few for; the words of the
 * others move up. Returns how many are left out. */
static size_t leave_out(const struct gf_op *op, size_t given, size_t n, size_t reads, const char **names)
{
    size_t least = op->n_required < reads ? op->n_required : reads, out = 0;
    while (given + out < n && reads - out > least)
        out++;
    for (size_t i = reads; out > 0 && i < n; i++)
        names[i - out] = names[i];
    return out;
}

/* With -o or --in-place, and where nothing is written, all operands are read. */
static int parse_operands(const struct gf_cli *cli, const struct gf_args *args, bool in_place, struct gf_op_call *call)
{
    const char *names[GF_MAX_INPUTS + 1], *files[GF_MAX_INPUTS + 1] = {NULL};
    char text[64];
    struct gf_io_error err;
    size_t n = gf_op_operands(call->op, names, text, sizeof(text)), reads = count_inputs(call->op), k = 0;
    if (call->batch.files_from) {
        int code = take_list(cli, call->batch.files_from, in_place, call);
        if (code != GF_EXIT_OK)
            return code;
    }
    if (is_result(call))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is no file; results are printed, and -o %s writes them",
                           call->files.of[1], call->files.of[1]);
    call->is_batch = is_batch(call, in_place);
    if (!call->is_batch) {
        if (call->files.n == n + 1 && is_value(call->op, call->files.of[0], text, sizeof(text)))
            return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is no file; did you mean %s?", call->files.of[0], text);
        if (!call->out && gf_op_takes_one(call->op) && call->files.n > n)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "\"%s\" is one operand too many; of several files, -o names the results; see --help",
                               call->files.of[n]);
        bool all = n > reads && (call->out || in_place);
        size_t out = leave_out(call->op, call->files.n, all ? reads : n, reads, names);
        n -= out;
        reads -= out;
        if (gf_args_match(args, &call->files, names, all ? reads : n, files, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        for (uint32_t i = 0; i < call->op->n_inputs && k < reads; i++)
            if (!gf_op_input_is_option(call->op, i))
                call->in[i] = files[k++];
    }
    if (in_place && !call->out && call->files.n > 0)
        call->out = call->in[0] = call->files.of[0];
    else if (!call->is_batch && !call->out && k < n)
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
    code = gf_op_words_take(cli, &options, &call->files);
    if (code == GF_EXIT_OK)
        code = gf_op_words_join(cli, &options, &call->joined);
    if (code != GF_EXIT_OK)
        return code;
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (gf_op_input_is_option(call->op, i) && call->op->inputs[i].kind != GF_INPUT_COEFS)
            call->in[i] = options.inputs[i];
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        call->lists[i].path = options.lists[i];
    call->out = options.output;
    call->plot = options.plot;
    call->format_word = options.format;
    call->batch = options.batch;
    call->keeps_samples = options.shrink && strcmp(options.shrink, "0") == 0;
    code = parse_operands(cli, args, options.names_how.in_place, call);
    if (code == GF_EXIT_OK)
        code = parse_params(cli, &options, call);
    if (code == GF_EXIT_OK && cli->adjust)
        code = gf_adjust_parse(cli, &options, call);
    return code == GF_EXIT_OK ? parse_files(cli, &options, call) : code;
}

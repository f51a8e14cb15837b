/* SPDX-License-Identifier: MIT */
/*
 * Runs any operation as a command, from its descriptor, without knowing an operation by name: turns the command line
 * into a pipe of one step. Called by main.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adjust.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/report/table.h"
#include "client/io/output.h"
#include "op_options.h"
#include "op_report.h"
#include "pipe_files.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "shrink.h"
#include "thumbnail.h"

/* The command line. */
struct call {
    struct gf_pipe *pipe; /* owned */
    struct gf_pipe_files files;
    struct gf_operands operands;   /* the operands without the words; for a batch, its files */
    struct gf_batch_list list;     /* the list from which the operands were read */
    char *joined;                  /* owns the joined text to which text parameters may refer */
    const char *in[GF_MAX_INPUTS]; /* by input: a file, or the value of its option; NULL: left out */
    const char *out;               /* NULL: the first output goes to no file */
};

static bool is_named(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

/* The option that a word NAME=VALUE sets, as in pipes and in messages; NULL if the word is a file. */
static const char **option_of(const struct gf_op *op, struct gf_op_options *o, const char *word)
{
    size_t length = strcspn(word, "=");
    if (word[length] != '=' || word[length + 1] == '=') /* a file, or an expression that compares: b==3 */
        return NULL;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (gf_op_input_is_option(op, i) && is_named(op->inputs[i].name, word, length))
            return &o->inputs[i];
    for (size_t row = 0; row < o->n; row++) {
        const struct gf_param_desc *param = gf_op_option_param(op, o, row);
        if (param && is_named(param->name, word, length))
            return o->rows[row].ret;
    }
    return NULL;
}

static int take_text(const struct gf_cli *cli, struct gf_op_options *o, struct gf_operands *operands)
{
    const char *name = cli->op->params[0].name;
    if (operands->n == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "the %s is missing, as in " GF_CLI_NAME " %s 'a*1.2' in.png out.png",
                           name, cli->command);
    if (access(operands->of[0], F_OK) == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "\"%s\" is a file; the %s must be before the files, as in " GF_CLI_NAME
                           " %s 'a*1.2' in.png out.png; if it is the %s, give it with --%s",
                           operands->of[0], name, cli->command, name, name);
    o->params[0] = operands->of[0];
    operands->n--;
    memmove(operands->of, operands->of + 1, operands->n * sizeof(*operands->of));
    return GF_EXIT_OK;
}

/* Takes the text and the words NAME=VALUE out of the operands, as if given by options. */
static int take_words(const struct gf_cli *cli, struct gf_op_options *o, struct gf_operands *operands)
{
    size_t n = 0;
    for (size_t i = 0; i < operands->n; i++) {
        const char *word = operands->of[i], **option = option_of(cli->op, o, word);
        if (option && *option)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "%s: %.*s is given twice", word, (int)strcspn(word, "="), word);
        if (option)
            *option = strchr(word, '=') + 1;
        else
            operands->of[n++] = word;
    }
    operands->n = n;
    if (cli->is_thumbnail)
        return gf_thumbnail_take_fit(cli, o, operands);
    return gf_op_takes_text(cli->op) && !o->params[0] ? take_text(cli, o, operands) : GF_EXIT_OK;
}

/* Joins the values of a repeated option with commas. *ret_joined receives the text, to be freed by the caller, or NULL.
 */
static int join_values(const struct gf_cli *cli, struct gf_op_options *o, char **ret_joined)
{
    const char **first = NULL;
    size_t size = 0, n = 0;
    for (uint32_t i = 1; i < cli->op->n_params; i++)
        if (cli->op->params[i].kind == GF_PARAM_TEXT)
            first = &o->params[i];
    while (first && n < GF_OP_REPEATS && o->more[n])
        size += strlen(o->more[n++]) + 1;
    if (n == 0)
        return GF_EXIT_OK;
    size += strlen(*first) + 1;
    *ret_joined = malloc(size);
    if (!*ret_joined)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    char *end = stpcpy(*ret_joined, *first);
    for (size_t i = 0; i < n; i++) {
        *end++ = ',';
        end = stpcpy(end, o->more[i]);
    }
    *first = *ret_joined;
    return GF_EXIT_OK;
}

static void call_deinit(struct call *call)
{
    gf_pipe_freep(&call->pipe);
    free(call->joined);
    gf_operands_deinit(&call->operands);
    gf_batch_list_deinit(&call->list);
}

static int parse_params(const struct gf_cli *cli, const struct gf_op_options *options, struct gf_step *step)
{
    const struct gf_op *op = step->op;
    gf_op_params_default(op, &step->params);
    for (uint32_t i = 0; i < op->n_params; i++) {
        struct gf_error err;
        if (options->params[i] &&
            gf_op_param_parse(op, &op->params[i], options->params[i], &step->params, &err) != GF_OK)
            return gf_cli_fail_error(cli, &err);
    }
    return GF_EXIT_OK;
}

/* Connects an input to its argument: a mask given as text, or a file. */
static int add_input(const struct gf_cli *cli, struct gf_pipe *p, uint32_t i, const char *text)
{
    const struct gf_input_desc *input = &cli->op->inputs[i];
    struct gf_ref *ref = &p->program.steps[0].in[i];
    bool is_mask = input->kind == GF_INPUT_COEFS;
    struct gf_error err;
    struct gf_io_error why;
    if (!text && is_mask && !input->optional)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s is missing, e.g. --%s '1 2 1; 2 4 2; 1 2 1' or --%s @file",
                           input->name, input->name, input->name);
    *ref = (struct gf_ref){.from = GF_FROM_NOTHING};
    if (!text)
        return GF_EXIT_OK;
    if (!is_mask)
        return gf_pipe_add_file(p, text, gf_input_is_copied(input) ? input : NULL, ref, &err) == GF_OK
                   ? GF_EXIT_OK
                   : gf_cli_fail_error(cli, &err);
    struct gf_coefs *mask = &gf_pipe_add_data(p, ref)->mask;
    enum gf_io_status r = text[0] == '@' ? gf_coefs_read(text + 1, mask, &why) : gf_coefs_parse(text, mask, &why);
    if (r == GF_IO_OK)
        return GF_EXIT_OK;
    return text[0] == '@' ? gf_cli_fail_io(cli, &why)
                          : gf_cli_fail(cli, (int)gf_exit_of_io(r), "%s: %s", input->name, why.text);
}

/* Makes the step and its inputs. */
static int make_step(const struct gf_cli *cli, const struct gf_op_options *options, struct call *call)
{
    struct gf_pipe *p = call->pipe;
    struct gf_step *step = &p->program.steps[0];
    p->program.n_steps = 1;
    step->op = cli->op;
    p->may_shrink = !options->shrink || strcmp(options->shrink, "0") != 0;
    p->only_shrinks = options->only_shrink && strcmp(options->only_shrink, "0") != 0;
    int code = parse_params(cli, options, step);
    if (code == GF_EXIT_OK && p->only_shrinks && !gf_shrink_has_fit(step))
        code = gf_cli_fail(cli, GF_EXIT_USAGE, "--only-shrink: applies only to --fit; give --fit, or leave it out");
    const struct gf_param_desc *alpha = gf_op_param_of_enum(step->op, GF_ENUM_ALPHA);
    p->open_alpha = alpha != NULL && options->params[alpha - step->op->params] == NULL;
    for (uint32_t i = 0; i < cli->op->n_inputs && code == GF_EXIT_OK; i++)
        code = add_input(cli, p, i, gf_op_input_is_option(cli->op, i) ? options->inputs[i] : call->in[i]);
    if (code == GF_EXIT_OK && cli->adjust) {
        p->adjusts[0] = cli->adjust;
        code = gf_adjust_parse(cli, options, &step->params, &p->amounts[0]);
    }
    return code;
}

/* Lists the results to write. The first output is always wanted, unless it is a table or rows with a count. */
static int make_targets(const struct gf_cli *cli, const struct gf_op_options *options, struct call *call)
{
    struct gf_pipe *p = call->pipe;
    const struct gf_op *op = cli->op;
    int code = GF_EXIT_OK;
    p->plot = options->plot;
    if (call->out || (!gf_op_is_table(op) && !gf_op_is_list(op)))
        code = gf_pipe_add_target(cli, p, call->out, 0, 0);
    for (uint32_t i = 1; i < op->n_outputs && code == GF_EXIT_OK; i++) {
        if (!options->lists[i])
            continue;
        if (call->out && gf_output_is_stdout(options->lists[i]) && gf_output_is_stdout(call->out))
            return gf_cli_fail(cli, GF_EXIT_USAGE, "OUT and --%s would both go to standard output; name a file",
                               op->outputs[i].name);
        code = gf_pipe_add_target(cli, p, options->lists[i], 0, i);
    }
    return code == GF_EXIT_OK ? gf_pipe_list_results(cli, p) : code;
}

static size_t count_inputs(const struct gf_op *op)
{
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        n += !gf_op_input_is_option(op, i);
    return n;
}

/* Reads the list that takes the place of operands; the only operand left may be OUT. */
static int take_list(const struct gf_cli *cli, const char *path, const struct gf_op_options *options, struct call *call)
{
    struct gf_operands *files = &call->operands;
    bool wants = !gf_op_is_table(cli->op) && !call->out && !options->names_how.in_place;
    if (wants && files->n > 0)
        call->out = files->of[--files->n];
    if (files->n > 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\": --files-from names the inputs; leave this operand out",
                           files->of[0]);
    if (wants && !call->out)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "OUT is missing; with --files-from it is a directory, a name with {stem}, or --in-place");
    for (uint32_t i = 1; i < cli->op->n_inputs && strcmp(path, "-") == 0; i++)
        if (options->inputs[i] && strcmp(options->inputs[i], "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--files-from and --%s would both read standard input",
                               cli->op->inputs[i].name);
    int code = gf_batch_list_read(cli, path, &call->list);
    if (code == GF_EXIT_OK) {
        gf_operands_deinit(files);
        *files = call->list.names;
        call->list.names = (struct gf_operands){.n = 0};
    }
    return code;
}

/* Whether the operands are several files for an operation that takes one. The last operand may be the directory of the
 * results; with the options of a batch it may be any result. */
static bool is_batch(const struct gf_op *op, const struct gf_op_options *options, struct call *call)
{
    bool template = gf_batch_list_wanted(&options->batch);
    bool writes = !gf_op_is_table(op) && !options->names_how.in_place;
    struct gf_operands *files = &call->operands;
    if (!gf_op_is_batch(op))
        return false;
    if (options->batch.files_from)
        return true;
    if (writes && !call->out &&
        ((template && files->n == 2) || (files->n > 2 && gf_batch_is_directory(files->of[files->n - 1]))))
        call->out = files->of[--files->n];
    template |=
        (call->out && gf_batch_is_template(call->out)) || (options->plot && gf_batch_is_template(options->plot));
    for (uint32_t i = 1; i < op->n_outputs; i++)
        template |= options->lists[i] && gf_batch_is_template(options->lists[i]);
    if (writes && !call->out)
        return false;
    return files->n > 1 || (template && files->n == 1);
}

/* A common mistake is a value of the first parameter, or a window, before the files. Writes the option that the user
 * meant to `text`. Returns false if the word is neither, or if a file of this name exists. */
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

/* Whether the second of two operands was meant as a result, although the operation prints its results. */
static bool is_result(const struct gf_op *op, const struct call *call)
{
    const struct gf_operands *files = &call->operands;
    return gf_op_is_table(op) && op->n_required == 1 && files->n == 2 && !call->out && !call->files.batch.files_from &&
           !call->files.batch.keep_going && access(files->of[0], F_OK) == 0 && access(files->of[1], F_OK) != 0;
}

/* Leaves out as many optional pictures, from the last, as the `given` operands are too few for, and closes the gap in
 * `names`. Returns the number of pictures left out. */
static size_t leave_out(const struct gf_op *op, size_t given, size_t n, size_t reads, const char **names)
{
    size_t least = op->n_required < reads ? op->n_required : reads, out = 0;
    while (given + out < n && reads - out > least)
        out++;
    for (size_t i = reads; out > 0 && i < n; i++)
        names[i - out] = names[i];
    return out;
}

/* Assigns the operands of one run. With -o or --in-place, and for operations that write no file, all operands are
 * inputs. */
static int take_operands(const struct gf_cli *cli, const struct gf_args *args, bool in_place, struct call *call)
{
    const struct gf_op *op = cli->op;
    const char *names[GF_MAX_INPUTS + 1], *files[GF_MAX_INPUTS + 1] = {NULL};
    char text[64];
    struct gf_io_error err;
    size_t n = gf_op_operands(op, names, text, sizeof(text)), reads = count_inputs(op), k = 0;
    if (call->operands.n == n + 1 && !cli->is_thumbnail && is_value(op, call->operands.of[0], text, sizeof(text)))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is not a file; did you mean %s?", call->operands.of[0], text);
    if (!call->out && gf_op_is_batch(op) && call->operands.n > n)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "\"%s\" is one operand too many; with several files, -o names the results; see --help",
                           call->operands.of[n]);
    bool all = n > reads && (call->out || in_place);
    size_t out = leave_out(op, call->operands.n, all ? reads : n, reads, names);
    n -= out;
    reads -= out;
    if (gf_args_match(args, &call->operands, names, all ? reads : n, files, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    for (uint32_t i = 0; i < op->n_inputs && k < reads; i++)
        if (!gf_op_input_is_option(op, i))
            call->in[i] = files[k++];
    if (!call->out && !in_place && k < n)
        call->out = files[k];
    return GF_EXIT_OK;
}

static int parse_operands(const struct gf_cli *cli, const struct gf_args *args, const struct gf_op_options *options,
                          struct call *call)
{
    bool in_place = options->names_how.in_place;
    int code = GF_EXIT_OK;
    if (options->batch.files_from)
        code = take_list(cli, options->batch.files_from, options, call);
    if (code != GF_EXIT_OK)
        return code;
    if (is_result(cli->op, call))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is not a file; results are printed, or written with -o %s",
                           call->operands.of[1], call->operands.of[1]);
    call->files.several = is_batch(cli->op, options, call);
    if (!call->files.several)
        code = take_operands(cli, args, in_place, call);
    else
        call->in[0] = call->operands.n > 0 ? call->operands.of[0] : "";
    if (in_place && !call->out && call->operands.n > 0)
        call->out = call->in[0] = call->operands.of[0];
    return code;
}

/* Reads the rest of the command line of cli->op. Reports the error, such as a parameter out of range or too few files.
 * On OK without cli->help the pipe is complete. The caller must call call_deinit in any case. */
static int parse_call(struct gf_cli *cli, struct gf_args *args, struct call *call)
{
    struct gf_op_options options;
    struct gf_pipe_files *f = &call->files;
    gf_op_options_init(cli->op, &options);
    if (cli->adjust)
        gf_adjust_options(cli->adjust, &options);
    if (cli->is_thumbnail)
        gf_thumbnail_options(&options);
    struct gf_option_set own = {options.rows, options.n};
    int code = gf_cli_parse_all(cli, args, &own, &call->operands);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    code = take_words(cli, &options, &call->operands);
    if (code == GF_EXIT_OK)
        code = join_values(cli, &options, &call->joined);
    if (code != GF_EXIT_OK)
        return code;
    call->pipe = calloc(1, sizeof(*call->pipe));
    if (!call->pipe)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    call->out = options.output;
    *f = (struct gf_pipe_files){.format = options.format,
                                .raw = options.raw,
                                .in_dtype = options.in_dtype,
                                .batch = options.batch,
                                .names_how = options.names_how,
                                .result = "picture"};
    code = parse_operands(cli, args, &options, call);
    f->in = f->several ? call->operands.of : call->in;
    f->n = f->several ? call->operands.n : 1;
    f->plain = call->out && !options.output && !options.batch.files_from;
    if (code != GF_EXIT_OK)
        return code;
    code = make_step(cli, &options, call);
    if (code == GF_EXIT_OK)
        code = make_targets(cli, &options, call);
    return code == GF_EXIT_OK ? gf_pipe_take_input(cli, f, call->pipe) : code;
}

int gf_cmd_op(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(call_deinit) struct call call = {.pipe = NULL};
    int code = parse_call(cli, args, &call);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help && cli->is_thumbnail)
        return gf_thumbnail_help(cli);
    if (cli->help)
        return cli->adjust && !gf_op_by_name(cli->command) ? gf_adjust_help(cli) : gf_op_help(cli);
    return gf_pipe_run(cli, call.pipe, &call.files, gf_op_explain, gf_op_report);
}

/* SPDX-License-Identifier: MIT */
/*
 * `pipe`: several operations in one request, on one picture or array or on each of several. A step whose result is a
 * table is a tap: its result is reported, and the next step takes the tap's input. `split` is a pipe of copies. Called
 * by main.c.
 */
#include "cmd_pipe.h"

#include <string.h>
#include <unistd.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/batch/batch.h"
#include "client/cli/op/op_options.h"
#include "client/cli/report/table.h"
#include "protocol/base/text.h"

/* The command line. */
struct options {
    struct gf_pipe_files files;
    const char *outputs[GF_PIPE_TARGETS], *plot;
    struct gf_option rows[GF_PIPE_TARGETS + 4 + GF_BATCH_OPTIONS + GF_BATCH_NAME_OPTIONS];
};

static void options_init(struct options *o)
{
    struct gf_option *row = o->rows;
    *o = (struct options){.files = {.result = "result"}};
    for (size_t i = 0; i < GF_PIPE_TARGETS; i++)
        *row++ = (struct gf_option){"output", 'o', "[STEP:]FILE",
                                    "write the last result that is not a table, or a step's", &o->outputs[i]};
    *row++ = (struct gf_option){"format", '\0', "WORD", "format of the files (by their extensions)", &o->files.format};
    *row++ = (struct gf_option){"raw", '\0', "WxHxC:DTYPE",
                                "IN holds bare samples of this shape and type, little-endian", &o->files.raw};
    *row++ = (struct gf_option){"in-dtype", '\0', "DTYPE", "IN holds numbers of this type as text", &o->files.in_dtype};
    *row++ = (struct gf_option){"plot", '\0', "[STEP:]FILE", "draw the last histogram, or a step's, as .svg or .png",
                                &o->plot};
    gf_batch_option_rows(&o->files.batch, row);
    gf_batch_name_rows(&o->files.names_how, row + GF_BATCH_OPTIONS);
}

/* The last step whose result is data; if there is none, the last step. */
static uint32_t last_data(const struct gf_program *program)
{
    for (uint32_t i = program->n_steps; i > 0; i--)
        if (!gf_op_is_table(program->steps[i - 1].op))
            return i - 1;
    return program->n_steps - 1;
}

/* The output of an op with this name; n_outputs if there is none. */
static uint32_t find_output(const struct gf_op *op, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < op->n_outputs &&
           (strlen(op->outputs[i].name) != length || memcmp(op->outputs[i].name, name, length) != 0))
        i++;
    return i;
}

/* Parses "2:edges.png" or "2.edges:edges.npy" into step, output and path. A path alone leaves step and output
 * unchanged. */
static int parse_place(const struct gf_cli *cli, const struct gf_program *program, const char *option, const char *text,
                       uint32_t *step, uint32_t *output, const char **ret_path)
{
    size_t digits = strspn(text, "0123456789"), word = 0;
    if (digits > 0 && text[digits] == '.')
        word = strspn(text + digits + 1, "abcdefghijklmnopqrstuvwxyz_");
    size_t colon = digits + (word > 0 ? word + 1 : 0);
    *ret_path = text;
    if (digits == 0 || text[colon] != ':')
        return GF_EXIT_OK;
    unsigned long number = strtoul(text, NULL, 10);
    if (number < 1 || number > program->n_steps)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: there are steps 1..%u", option, text, program->n_steps);
    const struct gf_op *op = program->steps[number - 1].op;
    *step = (uint32_t)number - 1;
    *output = word > 0 ? find_output(op, text + digits + 1, word) : 0;
    if (*output == op->n_outputs)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: %s has no output %.*s", option, text, op->name, (int)word,
                           text + digits + 1);
    *ret_path = text + colon + 1;
    return GF_EXIT_OK;
}

static int add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *text)
{
    uint32_t step = last_data(&p->program), output = 0;
    const char *path;
    int code = parse_place(cli, &p->program, "output", text, &step, &output, &path);
    return code == GF_EXIT_OK ? gf_pipe_add_target(cli, p, path, step, output) : code;
}

/* Makes the last result that is data replace IN. If -o also names this result, its path must be IN, which
 * gf_batch_names_check checks. The target becomes the first one. */
static int add_in_place(const struct gf_cli *cli, const struct options *o, struct gf_pipe *p)
{
    uint32_t step = last_data(&p->program), i = 0;
    if (gf_op_is_table(p->program.steps[step].op))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--in-place: no step gives a result that could replace IN");
    while (i < p->n_targets && p->targets[i].path != o->outputs[i])
        i++;
    if (i == GF_PIPE_TARGETS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "more than %d files, one of them by --in-place", GF_PIPE_TARGETS);
    int code = i == p->n_targets ? gf_pipe_add_target(cli, p, o->files.in[0], step, 0) : GF_EXIT_OK;
    const struct gf_pipe_target own = p->targets[i];
    p->targets[i] = p->targets[0];
    p->targets[0] = own;
    return code;
}

static int add_plot(const struct gf_cli *cli, struct gf_pipe *p, const char *text)
{
    uint32_t step = p->program.n_steps, output = 0;
    for (uint32_t i = 0; i < p->program.n_steps; i++)
        if (gf_op_is_histogram(p->program.steps[i].op))
            step = i;
    int code = parse_place(cli, &p->program, "plot", text, &step, &output, &p->plot);
    if (code != GF_EXIT_OK)
        return code;
    if (step == p->program.n_steps || !gf_op_is_histogram(p->program.steps[step].op))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--plot %s: %s", text,
                           step == p->program.n_steps ? "no step is a histogram" : "that step is not a histogram");
    p->plot_step = step;
    return GF_EXIT_OK;
}

/* Makes the pipe of the first file, with the names of results as given on the command line. */
static int make_pipe(const struct gf_cli *cli, const struct options *o, const char *text, struct gf_pipe *p)
{
    struct gf_ref in;
    struct gf_error err;
    int code = gf_pipe_take_input(cli, &o->files, p);
    if (code == GF_EXIT_OK && gf_pipe_add_file(p, o->files.in[0], NULL, &in, &err) != GF_OK)
        code = gf_cli_fail_error(cli, &err);
    if (code == GF_EXIT_OK)
        code = gf_pipe_text_read(cli, text, p);
    for (size_t i = 0; i < GF_PIPE_TARGETS && o->outputs[i] && code == GF_EXIT_OK; i++)
        code = add_target(cli, p, o->outputs[i]);
    if (code == GF_EXIT_OK && o->files.names_how.in_place)
        code = add_in_place(cli, o, p);
    if (code == GF_EXIT_OK)
        code = gf_pipe_list_results(cli, p);
    if (code == GF_EXIT_OK && o->plot)
        code = add_plot(cli, p, o->plot);
    if (code == GF_EXIT_OK && p->n_results == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "no result is requested; name a file with -o, or add a step that reports");
    return code;
}

/* Refuses a list and a file of the program that would both be read from standard input. */
static int check_standard_input(const struct gf_cli *cli, const struct options *o, const struct gf_pipe *p)
{
    if (o->files.batch.files_from && strcmp(o->files.batch.files_from, "-") == 0)
        for (uint32_t i = 1; i < p->program.n_operands; i++)
            if (p->operands[i].path && strcmp(p->operands[i].path, "-") == 0)
                return gf_cli_fail(cli, GF_EXIT_USAGE, "--files-from and @- would both read standard input");
    return GF_EXIT_OK;
}

/* Takes the last operand as the program. */
static int run_pipe(const struct gf_cli *cli, struct options *o, const struct gf_operands *operands)
{
    gf_cleanup(gf_pipe_freep) struct gf_pipe *p = calloc(1, sizeof(*p));
    struct gf_pipe_files *f = &o->files;
    if (!p)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    f->in = operands->of;
    f->n = operands->n - 1;
    int code = make_pipe(cli, o, operands->of[f->n], p);
    if (code == GF_EXIT_OK)
        code = check_standard_input(cli, o, p);
    f->several = f->n > 1 || gf_batch_list_wanted(&f->batch) || (p->plot && gf_batch_is_template(p->plot));
    for (uint32_t i = 0; i < p->n_targets; i++)
        f->several |= p->targets[i].path != f->in[0] && gf_batch_is_template(p->targets[i].path);
    return code == GF_EXIT_OK ? gf_pipe_run(cli, p, f, gf_pipe_explain, gf_pipe_report) : code;
}

/* Reports steps that are not quoted, as in "pipe in.png blur sigma=2", where an operand names an operation and no
 * file. */
static int check_quotes(const struct gf_cli *cli, const struct gf_operands *operands)
{
    char steps[256] = "";
    for (size_t i = 0; i + 1 < operands->n; i++) {
        if (!gf_op_by_word(operands->of[i]) || access(operands->of[i], F_OK) == 0)
            continue;
        for (size_t k = i; k < operands->n; k++)
            gf_text_append(steps, sizeof(steps), "%s%s", k > i ? " " : "", operands->of[k]);
        return gf_cli_fail(cli, GF_EXIT_USAGE, "%s is an operation, and there is no such file; quote the steps: '%s'",
                           operands->of[i], steps);
    }
    return GF_EXIT_OK;
}

/* Reads the list that takes the place of operands; the program is the only operand. */
static int run_list(const struct gf_cli *cli, struct options *o, const struct gf_operands *operands)
{
    gf_cleanup(gf_batch_list_deinit) struct gf_batch_list list = {.names = {.n = 0}};
    if (operands->n != 1)
        return operands->n == 0
                   ? gf_cli_fail(cli, GF_EXIT_USAGE,
                                 "the steps are missing, as in 'gaussian sigma=1 | stats'; see --help")
                   : gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\": --files-from names the inputs; leave this operand out",
                                 operands->of[0]);
    int code = gf_batch_list_read(cli, o->files.batch.files_from, &list);
    if (code != GF_EXIT_OK || list.names.n == 0)
        return code;
    list.names.of[list.names.n++] = operands->of[0];
    return run_pipe(cli, o, &list.names);
}

int gf_cmd_pipe(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands operands = {.n = 0};
    struct options o;
    options_init(&o);
    const struct gf_help help = {.synopsis = "pipe [options] IN... 'STEP | STEP ...' -o OUT",
                                 .about = GF_PIPE_ABOUT,
                                 .example = GF_PIPE_EXAMPLE,
                                 .own = {o.rows, GF_ARRAY_LEN(o.rows)}};
    int code = gf_cli_parse_all(cli, args, &help.own, &operands);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (o.files.batch.files_from)
        return run_list(cli, &o, &operands);
    if (operands.n < 2)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "IN or the steps are missing, as in pipe in.png 'gaussian sigma=1 | sobel dtype=u8' -o "
                           "out.png; see --help");
    code = check_quotes(cli, &operands);
    return code == GF_EXIT_OK ? run_pipe(cli, &o, &operands) : code;
}

/* Runs the pipe that writes the first channel of `in` to the first file, the second channel to the second, and so on.
 * `format` may be NULL. */
static int split(const struct gf_cli *cli, const char *in, const char *const *files, size_t n, const char *format)
{
    char program[GF_MAX_CHANNELS * 32] = "";
    const char *words[] = {in, program};
    char *places[GF_MAX_CHANNELS] = {NULL};
    struct options o;
    int code = GF_EXIT_OK;
    options_init(&o);
    o.files.format = format;
    for (size_t i = 0; i < n && code == GF_EXIT_OK; i++) {
        gf_text_append(program, sizeof(program), "%scopy src=#0 channel=%zu", i > 0 ? " | " : "", i + 1);
        if (asprintf(&places[i], "%zu:%s", i + 1, files[i]) < 0)
            code = gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
        o.outputs[i] = places[i];
    }
    if (code == GF_EXIT_OK)
        code = run_pipe(cli, &o, &(struct gf_operands){words, GF_ARRAY_LEN(words)});
    for (size_t i = 0; i < n; i++)
        free(places[i]);
    return code;
}

int gf_cmd_split(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands files = {.n = 0};
    const char *format = NULL;
    const struct gf_option own[] = {
        {"format", '\0', "WORD", "format of the files written (by their extensions)", &format},
    };
    const struct gf_help help = {
        .synopsis = "split [options] IN OUT1 [OUT2 [OUT3 [OUT4]]]",
        .about =
            "Writes the first channel of a picture or array to OUT1, the second to OUT2, and so on. Channels without\n"
            "a file are left out. `split IN A B` is short for\n"
            "`pipe IN 'copy channel=1 | copy src=#0 channel=2' -o 1:A -o 2:B`.",
        .example = "split in.png red.png green.png blue.png",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse_all(cli, args, &help.own, &files);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (files.n < 2)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "%s is missing; name a file; see --help", files.n == 0 ? "IN" : "OUT1");
    if (files.n > 1 + GF_MAX_CHANNELS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is one operand too many; there are up to %u channels",
                           files.of[1 + GF_MAX_CHANNELS], GF_MAX_CHANNELS);
    return split(cli, files.of[0], files.of + 1, files.n - 1, format);
}

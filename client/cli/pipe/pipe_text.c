/* SPDX-License-Identifier: MIT */
/* Parses the text of a pipe; called by cmd_pipe.c. */
#include "pipe_text.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/op/op_options.h"
#include "client/cli/report/table.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/suggest_op.h"

#define BLANKS " \t\r\n"
#define MAX_NAME 40

/* Where the reading stands. `at` NULL: the text is wrong, and the library says how. */
struct reader {
    const struct gf_cli *cli;
    struct gf_pipe_text *p;
    const char *text, *at;
    char *out;          /* what is written of the text for the library */
    const char *copied; /* up to here */
    struct gf_pipe_step *step;
    struct gf_ref flow;
    uint32_t given; /* inputs of the step, a bit each */
};

void gf_pipe_text_deinit(struct gf_pipe_text *p)
{
    for (uint32_t i = 0; i < GF_MAX_STEPS; i++)
        gf_op_call_deinit(&p->steps[i].call);
    for (uint32_t i = 0; i < p->n_files; i++)
        free(p->files[i].path);
    free(p->text);
    p->text = NULL;
    p->n_steps = p->n_files = 0;
}

uint32_t gf_pipe_output(const struct gf_op *op, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < op->n_outputs &&
           (strlen(op->outputs[i].name) != length || memcmp(op->outputs[i].name, name, length) != 0))
        i++;
    return i;
}

/* Copies a word and returns what stands behind it. */
static const char *read_word(const char *at, char name[MAX_NAME])
{
    size_t n = strcspn(at, BLANKS "|='\"");
    snprintf(name, MAX_NAME, "%.*s", (int)(n < MAX_NAME ? n : MAX_NAME - 1), at);
    return at + n;
}

/* A value with or without quotes, NULL without memory; what follows it, NULL where the text ends within it. */
static const char *read_value(const char *at, char **ret_value)
{
    char quote = *at == '\'' || *at == '"' ? *at : '\0';
    const char *begin = at + (quote != '\0');
    const char *end = quote ? strchr(begin, quote) : begin + strcspn(begin, BLANKS "|");
    *ret_value = end ? strndup(begin, (size_t)(end - begin)) : NULL;
    return end ? end + (quote != '\0') : NULL;
}

/* "#2", "#2.edges". */
static bool read_ref(const struct gf_pipe_text *p, const char *value, struct gf_ref *ret)
{
    char *end;
    if (value[1] < '0' || value[1] > '9')
        return false;
    unsigned long number = strtoul(value + 1, &end, 10);
    if (number > p->n_steps || (*end != '\0' && *end != '.') || (number == 0 && *end != '\0'))
        return false;
    *ret = (struct gf_ref){.from = number > 0 ? GF_FROM_STEP : GF_FROM_OPERAND,
                           .index = (uint16_t)(number > 0 ? number - 1 : 0)};
    if (*end == '\0')
        return true;
    const struct gf_op *op = p->steps[number - 1].call.op;
    ret->output = (uint8_t)gf_pipe_output(op, end + 1, strlen(end + 1));
    return ret->output < op->n_outputs;
}

/* The operand that a file becomes; what was named before is read once. */
static int add_file(struct reader *r, struct gf_pipe_file file, struct gf_ref *ret)
{
    struct gf_pipe_text *p = r->p;
    uint32_t i = 0;
    while (i < p->n_files &&
           (file.mask || file.list || p->files[i].mask || p->files[i].list || strcmp(p->files[i].path, file.path) != 0))
        i++;
    if (i == GF_MAX_OPERANDS)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "%s: more than %u files", file.path, GF_MAX_OPERANDS);
    if (i == p->n_files) {
        file.path = strdup(file.path);
        if (!file.path)
            return gf_cli_fail(r->cli, GF_EXIT_SOFTWARE, "out of memory");
        p->files[p->n_files++] = file;
    }
    *ret = (struct gf_ref){.index = (uint16_t)i};
    return GF_EXIT_OK;
}

static void copy(struct reader *r, const char *end)
{
    size_t n = (size_t)(end - r->copied);
    memcpy(r->out, r->copied, n);
    r->out += n;
    r->copied = end;
}

/* Writes "@3" for the value from `begin` to where the reading stands, as long as that, so that columns stay. */
static void replace(struct reader *r, const char *begin, uint32_t operand)
{
    char ref[16];
    copy(r, begin);
    snprintf(ref, sizeof(ref), "@%u", operand);
    r->out += sprintf(r->out, "%-*s", (int)(r->at - begin), ref);
    r->copied = r->at;
}

static int set_ref(struct reader *r, uint32_t i, const char *begin, const char *value)
{
    size_t column = (size_t)(begin - r->text) + 1;
    const char *name = r->step->call.op->inputs[i].name;
    if (read_ref(r->p, value, &r->step->in[i]))
        return GF_EXIT_OK;
    if (strspn(value + 1, "0123456789") == 0)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: %s=%s: #N is the result of step N, #0 is IN", column,
                           name, value);
    if (strchr(value, '.')) /* an output that is not there */
        r->at = NULL;
    else if (r->p->n_steps == 0)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: %s=%s: before step 1 there is only #0, which is IN",
                           column, name, value);
    else
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: %s=%s: before step %u there are #0 to #%u", column, name,
                           value, r->p->n_steps + 1, r->p->n_steps);
    return GF_EXIT_OK;
}

/* A value for an input; r->at stands behind it, and `begin` is where it begins. */
static int set_input(struct reader *r, uint32_t i, const char *begin, char *value)
{
    const struct gf_input_desc *input = &r->step->call.op->inputs[i];
    struct gf_coefs *mask = &r->step->call.coefs[i];
    bool is_mask = input->kind == GF_INPUT_COEFS, is_list = input->kind == GF_INPUT_LIST;
    r->given |= 1u << i;
    if (value[0] == '#')
        return set_ref(r, i, begin, value);
    if (value[0] == '@' && value[1] == '\0')
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "%s=@: the name of a file is missing", input->name);
    if (value[0] == '@' || (is_list && value[0] != '\0')) {
        struct gf_pipe_file file = {
            .path = value + (value[0] == '@'), .mask = is_mask ? mask : NULL, .list = is_list ? input : NULL};
        int code = add_file(r, file, &r->step->in[i]);
        if (code == GF_EXIT_OK)
            replace(r, begin, r->step->in[i].index);
        return code;
    }
    if (!is_mask)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE,
                           "%s=%s: write %s=@%s for a file, %s=#1 for the result of step 1, #0 for IN", input->name,
                           value, input->name, value[0] ? value : "FILE", input->name);
    struct gf_io_error why;
    enum gf_io_status status = gf_coefs_parse(value, mask, &why);
    if (status == GF_IO_INTERNAL)
        return gf_cli_fail_io(r->cli, &why);
    if (status != GF_IO_OK)
        r->at = NULL;
    return GF_EXIT_OK;
}

/* A parameter that is a text refers to the text of the pipe, where it begins with a quote or without one. */
static void set_text(struct reader *r, const struct gf_param_desc *param, const char *begin, const char *value)
{
    begin += *begin == '\'' || *begin == '"';
    if (gf_op_param_set(r->step->call.op, param, begin, strlen(value), &r->step->call.params, NULL) != GF_OK)
        r->at = NULL;
}

/* The text that an operation is about, in quotes behind it. */
static int read_text(struct reader *r)
{
    gf_cleanup(gf_freep) char *value = NULL;
    const char *begin = r->at;
    r->at = read_value(begin, &value);
    if (r->at && !value)
        return gf_cli_fail(r->cli, GF_EXIT_SOFTWARE, "out of memory");
    if (r->at)
        set_text(r, &r->step->call.op->params[0], begin, value);
    return GF_EXIT_OK;
}

static int read_pair(struct reader *r)
{
    const struct gf_op *op = r->step->call.op;
    gf_cleanup(gf_freep) char *value = NULL;
    char name[MAX_NAME];
    struct gf_error err;
    r->at = read_word(r->at, name);
    if (*r->at != '=') {
        r->at = NULL;
        return GF_EXIT_OK;
    }
    const char *begin = r->at + 1;
    r->at = read_value(begin, &value);
    if (!r->at)
        return GF_EXIT_OK;
    if (!value)
        return gf_cli_fail(r->cli, GF_EXIT_SOFTWARE, "out of memory");
    const struct gf_param_desc *param = gf_op_param(op, name);
    if (param && param->kind == GF_PARAM_TEXT)
        set_text(r, param, begin, value);
    else if (param && gf_op_param_parse(op, param, value, &r->step->call.params, &err) != GF_OK)
        r->at = NULL;
    if (param)
        return GF_EXIT_OK;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (strcmp(name, op->inputs[i].name) == 0)
            return set_input(r, i, begin, value);
    r->at = NULL;
    return GF_EXIT_OK;
}

/* Inputs that are not given: the first one flows in, the others are missing, or left out. */
static int join_inputs(struct reader *r)
{
    const struct gf_op *op = r->step->call.op;
    if ((r->given & 1) == 0)
        r->step->in[0] = r->flow;
    for (uint32_t i = 1; i < op->n_inputs; i++) {
        const char *name = op->inputs[i].name;
        if ((r->given >> i & 1) != 0)
            continue;
        if (op->inputs[i].optional) {
            r->step->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
            continue;
        }
        if (op->inputs[i].kind == GF_INPUT_COEFS)
            return gf_cli_fail(r->cli, GF_EXIT_USAGE,
                               "step %u (%s) needs %s, e.g. %s='1 2 1; 2 4 2; 1 2 1' or %s=@FILE", r->p->n_steps + 1,
                               op->name, name, name, name);
        return gf_cli_fail(r->cli, GF_EXIT_USAGE,
                           "step %u (%s) needs %s: %s=@FILE, or %s=#N for the result of step N (#0: IN)",
                           r->p->n_steps + 1, op->name, name, name, name);
    }
    return GF_EXIT_OK;
}

static int fail_unknown(const struct reader *r, const char *begin, const char *name)
{
    const struct gf_suggest suggest = gf_suggest_op(name);
    const char *instead = gf_suggest_instead(name);
    size_t column = (size_t)(begin - r->text) + 1;
    if (instead)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: there is no operation %s; %s", column, name, instead);
    if (suggest.best)
        return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: there is no operation %s; did you mean %s?", column,
                           name, suggest.best);
    return gf_cli_fail(r->cli, GF_EXIT_USAGE, "column %zu: there is no operation %s; " GF_CLI_NAME " ops lists them",
                       column, name);
}

/* One step up to the bar or the end. */
static int read_step(struct reader *r)
{
    char name[MAX_NAME];
    int code = GF_EXIT_OK;
    r->step = &r->p->steps[r->p->n_steps];
    r->given = 0;
    r->at += strspn(r->at, BLANKS);
    const char *begin = r->at;
    r->at = read_word(begin, name);
    r->step->call.op = gf_op_by_word(name);
    if (!r->step->call.op) {
        r->at = NULL;
        return name[0] ? fail_unknown(r, begin, name) : GF_EXIT_OK;
    }
    gf_op_params_default(r->step->call.op, &r->step->call.params);
    r->at += strspn(r->at, BLANKS);
    bool is_text = gf_op_takes_text(r->step->call.op) && (*r->at == '\'' || *r->at == '"');
    while (r->at && *r->at && *r->at != '|' && code == GF_EXIT_OK) {
        code = is_text ? read_text(r) : read_pair(r);
        is_text = false;
        if (r->at)
            r->at += strspn(r->at, BLANKS);
    }
    if (code == GF_EXIT_OK && r->at)
        code = join_inputs(r);
    if (code == GF_EXIT_OK && r->at) {
        r->flow = r->step->in[0];
        if (!gf_op_is_table(r->step->call.op))
            r->flow = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)r->p->n_steps};
        r->p->n_steps++;
    }
    return code;
}

int gf_pipe_text_read(const struct gf_cli *cli, const char *in, const char *text, struct gf_pipe_text *p)
{
    struct reader r = {.cli = cli, .p = p, .text = text, .at = text, .copied = text};
    struct gf_ref ref;
    /* A reference has at most three characters, and stands for at least one behind a name and '='. */
    p->text = r.out = malloc(2 * strlen(text) + 1);
    if (!p->text)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    gf_cleanup(gf_freep) char *path = strdup(in);
    int code = path ? add_file(&r, (struct gf_pipe_file){.path = path}, &ref)
                    : gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    bool more = true;
    while (code == GF_EXIT_OK && more && p->n_steps < GF_MAX_STEPS) {
        code = read_step(&r);
        more = code == GF_EXIT_OK && r.at && *r.at == '|';
        if (more)
            r.at++;
    }
    copy(&r, text + strlen(text) + 1);
    return code;
}

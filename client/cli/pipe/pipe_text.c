/* SPDX-License-Identifier: MIT */
/* The inputs named in the text of a pipe; see cmd_pipe.h. */
#include "cmd_pipe.h"

#include <math.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/op/adjust.h"
#include "client/lib/text/reader.h"

/* Parses "#2" or "#2.edges". */
static enum gf_status connect_step(const struct gf_text_value *value, const char *name, struct gf_ref *ret,
                                   struct gf_error *err)
{
    const char *text = value->text;
    const uint32_t n = value->program->n_steps;
    size_t digits = strspn(text + 1, "0123456789");
    if (digits == 0)
        return gf_text_fail(value, GF_E_BAD_REQUEST, err, "%s=%s: #N is the result of step N, #0 is IN", name, text);
    enum gf_status status = gf_text_ref_read(value, 1, ret, err);
    if (status == GF_OK || strchr(text, '.')) /* an unknown output */
        return status;
    if (n == 0)
        return gf_text_fail(value, GF_E_BAD_REQUEST, err, "%s=%s: before step 1 there is only #0, which is IN", name,
                            text);
    return gf_text_fail(value, GF_E_BAD_REQUEST, err, "%s=%s: before step %u there are #0 to #%u", name, text, n + 1,
                        n);
}

static enum gf_status fail_missing(const struct gf_text_value *value, const struct gf_op *op, struct gf_error *err)
{
    const struct gf_input_desc *input = &op->inputs[value->input];
    const char *name = input->name;
    uint32_t step = value->program->n_steps + 1;
    if (input->kind == GF_INPUT_COEFS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "step %u (%s) needs %s, e.g. %s='1 2 1; 2 4 2; 1 2 1' or %s=@FILE",
                            step, op->name, name, name, name);
    return gf_error_set(err, GF_E_BAD_REQUEST,
                        "step %u (%s) needs %s: %s=@FILE, or %s=#N for the result of step N (#0: IN)", step, op->name,
                        name, name, name);
}

static enum gf_status connect_mask(struct gf_pipe *p, const struct gf_text_value *value, const char *name,
                                   struct gf_ref *ret, struct gf_error *err)
{
    struct gf_pipe_operand *o = gf_pipe_add_data(p, ret);
    struct gf_io_error why;
    if (!o)
        return gf_text_fail(value, GF_E_BAD_REQUEST, err, "more than %u operands", GF_MAX_OPERANDS);
    enum gf_io_status r = gf_coefs_parse(value->text, &o->mask, &why);
    if (r == GF_IO_OK)
        return GF_OK;
    if (r == GF_IO_NO_MEMORY)
        return gf_error_set(err, GF_E_NO_MEMORY, "%s", why.text);
    return gf_text_fail(value, GF_E_BAD_PARAM, err, "%s: %s", name, why.text);
}

enum gf_status gf_pipe_connect(struct gf_pipe *p, const struct gf_text_value *value, struct gf_ref *ret,
                               struct gf_error *err)
{
    const struct gf_op *op = gf_text_op(value);
    const struct gf_input_desc *input = &op->inputs[value->input];
    const char *text = value->text, *name = input->name;
    if (!text)
        return fail_missing(value, op, err);
    if (text[0] == '#')
        return connect_step(value, name, ret, err);
    if (text[0] == '@' && text[1] == '\0')
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s=@: the file name is missing", name);
    if (text[0] == '@' || (input->kind == GF_INPUT_LIST && text[0] != '\0'))
        return gf_pipe_add_file(p, text + (text[0] == '@'), gf_input_is_copied(input) ? input : NULL, ret, err);
    if (input->kind == GF_INPUT_COEFS)
        return connect_mask(p, value, name, ret, err);
    return gf_error_set(err, GF_E_BAD_REQUEST,
                        "%s=%s: write %s=@%s for a file, %s=#1 for the result of step 1, #0 for IN", name, text, name,
                        text[0] ? text : "FILE", name);
}

int gf_pipe_fail_text(const struct gf_cli *cli, const struct gf_error *err)
{
    bool usage = err->status == GF_E_BAD_REQUEST || err->status == GF_E_UNSUPPORTED || err->status == GF_E_UNKNOWN_OP;
    return usage ? gf_cli_fail(cli, GF_EXIT_USAGE, "%s", err->text) : gf_cli_fail_error(cli, err);
}

/* The reader of the text of a pipe. */
struct source {
    struct gf_pipe *pipe;
    gf_pipe_connect_fn *connect;
    void *user;
};

static enum gf_status connect_data(void *user, const struct gf_text_value *value, struct gf_ref *ret,
                                   struct gf_error *err)
{
    const struct source *s = user;
    return s->connect(s->user, value, ret, err);
}

/* for invert, brightness, contrast */
static const struct gf_op *find_word(void *user, const struct gf_program *program, const char *word)
{
    struct gf_pipe *p = ((const struct source *)user)->pipe;
    const struct gf_adjust *adjust = gf_adjust_by_name(word);
    p->adjusts[program->n_steps] = adjust;
    p->amounts[program->n_steps] = (double)NAN;
    return adjust ? gf_adjust_op(adjust) : NULL;
}

static enum gf_status take_pair(void *user, const struct gf_text_value *value, const char *name, bool *ret_taken,
                                struct gf_error *err)
{
    struct gf_pipe *p = ((const struct source *)user)->pipe;
    uint32_t step = value->program->n_steps;
    return gf_adjust_pair(p->adjusts[step], value, name, &p->amounts[step], ret_taken, err);
}

enum gf_status gf_pipe_read_steps(struct gf_pipe *p, const char *text, gf_pipe_connect_fn *connect, void *user,
                                  bool takes_words, struct gf_error *err)
{
    struct source source = {.pipe = p, .connect = connect, .user = user};
    const struct gf_text_data data = {.user = &source,
                                      .connect = connect_data,
                                      .word = find_word,
                                      .pair = take_pair,
                                      .takes_words = takes_words,
                                      .ret_open_alpha = &p->open_alpha};
    enum gf_status status = gf_text_read(text, &data, &p->program, err);
    for (uint32_t i = 0; i < p->program.n_steps && status == GF_OK; i++)
        if (p->adjusts[i])
            status = gf_adjust_check(p->adjusts[i], i, p->amounts[i], err);
    return status;
}

/* The input of the first step is IN. */
static enum gf_status connect_file(void *user, const struct gf_text_value *value, struct gf_ref *ret,
                                   struct gf_error *err)
{
    if (value->text || value->input > 0)
        return gf_pipe_connect(user, value, ret, err);
    *ret = (struct gf_ref){.from = GF_FROM_OPERAND};
    return GF_OK;
}

int gf_pipe_text_read(const struct gf_cli *cli, const char *text, struct gf_pipe *p)
{
    struct gf_error err;
    enum gf_status status = gf_pipe_read_steps(p, text, connect_file, p, false, &err);
    return status == GF_OK ? GF_EXIT_OK : gf_pipe_fail_text(cli, &err);
}

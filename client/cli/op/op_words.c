/* SPDX-License-Identifier: MIT */
/* Words of a command line that replace options of an operation; see op_options.h. Called by op_call.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "op_options.h"

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

int gf_op_words_take(const struct gf_cli *cli, struct gf_op_options *o, struct gf_operands *operands)
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
    return gf_op_takes_text(cli->op) && !o->params[0] ? take_text(cli, o, operands) : GF_EXIT_OK;
}

int gf_op_words_join(const struct gf_cli *cli, struct gf_op_options *o, char **ret_joined)
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

/* SPDX-License-Identifier: MIT */
/* Walks the commands for completions. Called by cmd_ops.c. */
#include "docgen.h"

#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/op/op_options.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"

static const struct gf_completion_shell *const shells[] = {&gf_completion_bash, &gf_completion_zsh,
                                                           &gf_completion_fish};

static const struct gf_param_desc *param_of(const struct gf_completion *c, const struct gf_option *o)
{
    char name[40];
    for (uint32_t i = 0; c->op && i < c->op->n_params; i++)
        if (strcmp(gf_op_option_name(c->op->params[i].name, name, sizeof(name)), o->name) == 0)
            return &c->op->params[i];
    return NULL;
}

const char *gf_completion_words(const struct gf_completion *c, const struct gf_option *o,
                                char text[GF_COMPLETION_WORDS])
{
    const struct gf_param_desc *param = c ? param_of(c, o) : NULL;
    text[0] = '\0';
    for (size_t i = 0; param && i < gf_n_words; i++)
        if (gf_op_word_help(param, &gf_words[i]))
            gf_text_append(text, GF_COMPLETION_WORDS, "%s%s", text[0] ? " " : "", gf_words[i].word);
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; strcmp(o->name, "format") == 0 && f < GF_N_FORMATS; f++)
        gf_text_append(text, GF_COMPLETION_WORDS, "%s%s", text[0] ? " " : "", gf_image_format_word(f));
    return text;
}

bool gf_completion_is_file(const struct gf_option *o)
{
    return o->value && (strstr(o->value, "FILE") || strstr(o->value, "PATH"));
}

bool gf_completion_is_device(const struct gf_option *o)
{
    return strcmp(o->name, "device") == 0;
}

void gf_completion_each(const struct gf_completion *c, const struct gf_option_set *set,
                        void (*put)(const struct gf_completion *c, const struct gf_option *o))
{
    for (size_t i = 0; i < set->n; i++)
        if (i == 0 || strcmp(set->rows[i - 1].name, set->rows[i].name) != 0)
            put(c, &set->rows[i]);
}

static void put_op(const struct gf_completion_shell *shell, const struct gf_op *op)
{
    struct gf_op_options options;
    struct gf_completion c = {.op = op, .works = true};
    gf_op_options_init(op, &options);
    gf_text_append(c.names, sizeof(c.names), "%s", op->name);
    for (size_t i = 0; i < gf_n_aliases; i++)
        if (gf_op_by_name(gf_aliases[i].op) == op)
            gf_text_append(c.names, sizeof(c.names), " %s", gf_aliases[i].name);
    c.own = (struct gf_option_set){options.rows, options.n};
    shell->command(&c);
}

/* A taker that writes the completions of a command instead of its help. */
struct asked {
    struct gf_help_taker taker; /* first, so that a pointer to it is a pointer to this struct */
    const struct gf_completion_shell *shell;
};

static void take_help(const struct gf_help_taker *taker, const struct gf_cli *cli, const struct gf_help *help)
{
    const struct asked *asked = (const struct asked *)taker;
    struct gf_completion c = {.own = help->own, .works = cli->works};
    gf_text_append(c.names, sizeof(c.names), "%s", cli->command);
    asked->shell->command(&c);
}

/* Writes the completions of a command. Only the command knows its options; it reveals them to a taker of its help. */
static void put_command(const struct gf_completion_shell *shell, const struct gf_cli *cli,
                        const struct gf_command *command)
{
    char *none[] = {NULL};
    const struct asked asked = {.taker = {take_help}, .shell = shell};
    struct gf_cli own = {.out = cli->out, .err = cli->err, .common = cli->common, .work = cli->work};
    struct gf_args args = {.next = none, .help = &own.help};
    own.command = command->name;
    own.works = command->works;
    own.help = "";
    own.taker = &asked.taker;
    (void)command->run(&own, &args);
}

int gf_completion_print(const struct gf_cli *cli, const char *shell)
{
    const struct gf_completion_shell *s = NULL;
    for (size_t i = 0; i < GF_ARRAY_LEN(shells); i++)
        s = strcmp(shells[i]->name, shell) == 0 ? shells[i] : s;
    if (!s)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--completion %s: must be one of bash, zsh, fish", shell);
    s->begin(&cli->common, &cli->work);
    for (size_t i = 0; i < GF_N_OPS; i++)
        s->word(gf_ops[i].name, gf_help_text(gf_ops[i].help), true);
    for (size_t i = 0; i < gf_n_aliases; i++)
        s->word(gf_aliases[i].name, gf_help_text(gf_op_by_name(gf_aliases[i].op)->help), true);
    for (size_t i = 0; i < cli->n_commands; i++)
        s->word(cli->commands[i].name, cli->commands[i].help, cli->commands[i].works);
    s->word("help", "explain an operation or a command", false);
    for (size_t i = 0; i < GF_N_OPS; i++)
        put_op(s, &gf_ops[i]);
    for (size_t i = 0; i < cli->n_commands; i++)
        put_command(s, cli, &cli->commands[i]);
    s->end();
    return GF_EXIT_OK;
}

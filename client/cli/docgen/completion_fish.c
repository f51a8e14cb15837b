/* SPDX-License-Identifier: MIT */
/* Completions as fish commands. Called by completion.c. */
#include <stdio.h>
#include <string.h>

#include "docgen.h"

static void put_text(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
}

/* Prints the end of a line whose condition the caller has printed. */
static void put_rest(const struct gf_completion *c, const struct gf_option *o)
{
    char words[GF_COMPLETION_WORDS];
    if (o->letter)
        printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    gf_completion_words(c, o, words);
    if (words[0])
        printf(" -x -a '%s'", words);
    else if (gf_completion_is_device(o))
        fputs(" -x -a '(" GF_COMPLETION_DEVICES ")'", stdout);
    else if (gf_option_takes_value(o))
        fputs(gf_completion_is_file(o) ? " -r -F" : " -x", stdout);
    fputs(" -d '", stdout);
    put_text(o->help);
    puts("'");
}

static void put_common(const struct gf_completion *c, const struct gf_option *o)
{
    fputs("complete -c gpufilter-client", stdout);
    put_rest(c, o);
}

static void put_work(const struct gf_completion *c, const struct gf_option *o)
{
    fputs("complete -c gpufilter-client -n \"__fish_seen_subcommand_from $works\"", stdout);
    put_rest(c, o);
}

static void put_own(const struct gf_completion *c, const struct gf_option *o)
{
    printf("complete -c gpufilter-client -n '__fish_seen_subcommand_from %s'", c->names);
    put_rest(c, o);
}

static struct gf_option_set work;

static void begin(const struct gf_option_set *common, const struct gf_option_set *of_operations)
{
    work = *of_operations;
    puts("# Printed by gpufilter-client ops --completion fish; do not edit.\nset -l works");
    gf_completion_each(NULL, common, put_common);
}

static void put_word(const char *name, const char *help, bool works)
{
    printf("complete -c gpufilter-client -n __fish_use_subcommand -f -a %s -d '", name);
    put_text(help);
    puts("'");
    if (works)
        printf("set -a works %s\n", name);
}

static void put_command(const struct gf_completion *c)
{
    gf_completion_each(c, &c->own, put_own);
}

static void end(void)
{
    gf_completion_each(NULL, &work, put_work);
}

const struct gf_completion_shell gf_completion_fish = {"fish", begin, put_word, put_command, end};

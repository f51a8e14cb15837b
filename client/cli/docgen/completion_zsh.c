/* SPDX-License-Identifier: MIT */
/* Completions as a zsh function. Called by completion.c. */
#include <stdio.h>
#include <string.h>

#include "docgen.h"

/* Writes text inside single quotes, with a backslash before each of the `special` characters, for zsh's parser of the
 * specification. */
static void put_text(const char *text, const char *special)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *p))
            putchar('\\');
        putchar(*p);
    }
}

static void put_option(const struct gf_completion *c, const struct gf_option *o)
{
    char words[GF_COMPLETION_WORDS];
    for (int letter = 0; letter <= (o->letter != '\0'); letter++) {
        if (letter)
            printf(" \\\n        '-%c", o->letter);
        else
            printf(" \\\n        '--%s", o->name);
        if (gf_option_takes_value(o))
            putchar(letter ? '+' : '=');
        putchar('[');
        put_text(o->help, "[]\\:");
        putchar(']');
        if (gf_option_takes_value(o)) {
            putchar(':');
            put_text(o->value, "[]\\:");
            gf_completion_words(c, o, words);
            if (words[0])
                printf(":(%s)", words);
            else if (gf_completion_is_device(o))
                fputs(":_gpufilter_client_devices", stdout);
            else
                fputs(gf_completion_is_file(o) ? ":_files" : ": ", stdout);
        }
        putchar('\'');
    }
}

static bool named; /* the list of commands is complete */

static void put_array(const char *name, const struct gf_option_set *set)
{
    printf("    local -a %s=(", name);
    gf_completion_each(NULL, set, put_option);
    puts(")");
}

static void begin(const struct gf_option_set *common, const struct gf_option_set *work)
{
    named = false;
    puts("#compdef gpufilter-client\n"
         "# Printed by gpufilter-client ops --completion zsh; do not edit.\n"
         "_gpufilter_client_devices()\n{\n    compadd -- ${(f)\"$(" GF_COMPLETION_DEVICES ")\"}\n}\n"
         "_gpufilter_client()\n{\n    local curcontext=$curcontext state line\n    local -a commands");
    put_array("common", common);
    put_array("work", work);
    puts("    _arguments -C -s $work $common '1:command:->command' '*::argument:->argument'\n"
         "    commands=(");
}

static void put_word(const char *name, const char *help, bool works)
{
    (void)works;
    printf("        '%s:", name);
    put_text(help, "\\:");
    puts("'");
}

static void close_commands(void)
{
    if (!named)
        puts("    )\n"
             "    if [[ $state == command ]]; then\n"
             "        _describe -t commands command commands\n"
             "        return\n"
             "    fi\n"
             "    case $line[1] in\n"
             "    help)\n"
             "        _describe -t commands command commands ;;");
    named = true;
}

static void put_command(const struct gf_completion *c)
{
    close_commands();
    fputs("    (", stdout);
    for (const char *p = c->names; *p; p++)
        putchar(*p == ' ' ? '|' : *p);
    printf(")\n        _arguments -s %s$common", c->works ? "$work " : "");
    gf_completion_each(c, &c->own, put_option);
    puts(" \\\n        '*:file:_files' ;;");
}

static void end(void)
{
    puts("    esac\n}\n_gpufilter_client \"$@\"");
}

const struct gf_completion_shell gf_completion_zsh = {"zsh", begin, put_word, put_command, end};

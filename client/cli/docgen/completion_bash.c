/* SPDX-License-Identifier: MIT */
/* Completions as a bash function. Called by completion.c. */
#include <stdio.h>
#include <string.h>

#include "docgen.h"

static struct {
    struct gf_option_set common, work;
    const char *separator; /* printed before the next name */
    bool closed;           /* the list of commands is complete */
} bash;

static void put_names(const struct gf_completion *c, const struct gf_option *o)
{
    (void)c;
    if (o->letter)
        printf("%s-%c --%s", bash.separator, o->letter, o->name);
    else
        printf("%s--%s", bash.separator, o->name);
    bash.separator = " ";
}

static void put_list(const char *variable, const struct gf_option_set *set)
{
    printf("%s=\"", variable);
    bash.separator = "";
    gf_completion_each(NULL, set, put_names);
    puts("\"");
}

static void put_pattern(const struct gf_option *o)
{
    if (o->letter)
        printf("%s-%c | --%s", bash.separator, o->letter, o->name);
    else
        printf("%s--%s", bash.separator, o->name);
    bash.separator = " | ";
}

static void put_words(const struct gf_completion *c, const struct gf_option *o)
{
    char words[GF_COMPLETION_WORDS];
    if (gf_completion_words(c, o, words)[0] == '\0')
        return;
    bash.separator = "        ";
    put_pattern(o);
    printf(") values=\"%s\" ;;\n", words);
}

static void put_value(const struct gf_completion *c, const struct gf_option *o)
{
    (void)c;
    if (gf_option_takes_value(o))
        put_pattern(o);
}

static void put_file(const struct gf_completion *c, const struct gf_option *o)
{
    (void)c;
    if (gf_completion_is_file(o))
        put_pattern(o);
}

static void put_device(const struct gf_completion *c, const struct gf_option *o)
{
    (void)c;
    if (gf_completion_is_device(o))
        put_pattern(o);
}

static void put_other(const struct gf_completion *c, const struct gf_option *o)
{
    char words[GF_COMPLETION_WORDS];
    if (gf_option_takes_value(o) && !gf_completion_is_file(o) && !gf_completion_is_device(o) &&
        gf_completion_words(c, o, words)[0] == '\0')
        put_pattern(o);
}

static void put_group(const struct gf_completion *c, const struct gf_option_set *set,
                      void (*put)(const struct gf_completion *c, const struct gf_option *o), const char *then)
{
    bash.separator = "        ";
    gf_completion_each(c, set, put);
    if (bash.separator[1] == '|')
        puts(then);
}

static void begin(const struct gf_option_set *common, const struct gf_option_set *work)
{
    bash.common = *common;
    bash.work = *work;
    bash.closed = false;
    puts("# Printed by gpufilter-client ops --completion bash; do not edit.\n"
         "_gpufilter_client()\n{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= options= values=\n"
         "    local i before= at=$COMP_CWORD");
    put_list("    local common", common);
    put_list("    local work", work);
    puts("    # bash splits cuda:0 into three words; the last one is completed.\n"
         "    if [[ $cur == \":\" && $at -gt 1 ]]; then\n        at=$((at - 1)) before=$prev:\n        cur=$before\n"
         "    elif [[ $prev == \":\" && $at -gt 2 ]]; then\n        at=$((at - 2)) before=${COMP_WORDS[at]}:\n"
         "        cur=$before$cur\n    fi\n"
         "    prev=${COMP_WORDS[at - 1]}\n"
         "    # bash splits --name=value the same way.\n"
         "    if [[ $cur == \"=\" ]]; then\n        cur=\n"
         "    elif [[ $prev == \"=\" && $at -gt 2 ]]; then\n        prev=${COMP_WORDS[at - 2]}\n    fi\n"
         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "        case ${COMP_WORDS[i]} in");
    bash.separator = "        ";
    gf_completion_each(NULL, common, put_value);
    gf_completion_each(NULL, work, put_value);
    fputs(")\n            [[ ${COMP_WORDS[i + 1]} == \"=\" ]] && ((i++))\n            ((i++))\n"
          "            while [[ ${COMP_WORDS[i + 1]} == \":\" ]]; do ((i += 2)); done ;;\n"
          "        -* | help) ;;\n"
          "        *)\n            command=${COMP_WORDS[i]}\n            break ;;\n"
          "        esac\n"
          "    done\n"
          "    case $command in\n"
          "    \"\")\n        options=\"$work $common\"\n        values=\"",
          stdout);
    bash.separator = "";
}

static void put_word(const char *name, const char *help, bool works)
{
    (void)help;
    (void)works;
    printf("%s%s", bash.separator, name);
    bash.separator = " ";
}

static void put_command(const struct gf_completion *c)
{
    if (!bash.closed)
        puts("\" ;;");
    bash.closed = true;
    fputs("    ", stdout);
    for (const char *p = c->names; *p; p++)
        if (*p == ' ')
            fputs(" | ", stdout);
        else
            putchar(*p);
    fputs(")\n        options=\"", stdout);
    bash.separator = "";
    gf_completion_each(c, &c->own, put_names);
    printf("%s%s$common\"\n", bash.separator, c->works ? "$work " : "");
    puts("        case $prev in");
    gf_completion_each(c, &c->own, put_words);
    put_group(c, &c->own, put_file, ") options=file ;;");
    put_group(c, &c->own, put_other, ") options=none ;;");
    puts("        esac ;;");
}

static void end(void)
{
    puts("    esac\n"
         "    case $prev in");
    put_group(NULL, &bash.work, put_file, ") options=file ;;");
    put_group(NULL, &bash.work, put_device, ") options=none values=$(" GF_COMPLETION_DEVICES ") ;;");
    put_group(NULL, &bash.work, put_other, ") options=none ;;");
    put_group(NULL, &bash.common, put_file, ") options=file ;;");
    put_group(NULL, &bash.common, put_other, ") options=none ;;");
    puts("    esac\n"
         "    # If nothing is offered, bash offers files.\n"
         "    COMPREPLY=()\n"
         "    if [[ $options != file && $options != none && $cur == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "    elif [[ $options != file ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
         "    fi\n"
         "    COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n}\n"
         "complete -o bashdefault -o default -F _gpufilter_client gpufilter-client");
}

const struct gf_completion_shell gf_completion_bash = {"bash", begin, put_word, put_command, end};

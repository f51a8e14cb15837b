/* SPDX-License-Identifier: MIT */
/* Parses the options and operands of a command line. Called by base/cli.c and every command. */
#include "args.h"

#include <string.h>

#include "protocol/base/suggest.h"

#define HELP_COLUMN 26 /* column in which the help of an option begins */

static const struct gf_option *find_name(const struct gf_args *args, const char *name, size_t length)
{
    for (size_t s = 0; s < args->n_sets; s++)
        for (size_t i = 0; i < args->sets[s].n; i++) {
            const struct gf_option *o = &args->sets[s].rows[i];
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
                return o;
        }
    return NULL;
}

static const struct gf_option *find_letter(const struct gf_args *args, char letter)
{
    for (size_t s = 0; s < args->n_sets; s++)
        for (size_t i = 0; i < args->sets[s].n; i++)
            if (args->sets[s].rows[i].letter == letter)
                return &args->sets[s].rows[i];
    return NULL;
}

static enum gf_io_status fail_unknown(const struct gf_args *args, const char *token, struct gf_io_error *err)
{
    const char *name = token + strspn(token, "-");
    int length = (int)strcspn(token, "=");
    struct gf_suggest suggest = gf_suggest_for(name);
    for (size_t s = 0; s < args->n_sets; s++)
        for (size_t i = 0; i < args->sets[s].n; i++)
            gf_suggest_try(&suggest, args->sets[s].rows[i].name);
    if (suggest.best)
        return gf_io_fail(err, GF_IO_USAGE, "unknown option %.*s; did you mean --%s?", length, token, suggest.best);
    return gf_io_fail(err, GF_IO_USAGE, "unknown option %.*s; --help lists the options", length, token);
}

/* Returns the row that takes the next value. Adjacent rows of the same name take one value each: the first row without
 * a value, otherwise the last row. */
static const struct gf_option *free_row(const struct gf_args *args, const struct gf_option *o)
{
    for (size_t s = 0; s < args->n_sets; s++) {
        const struct gf_option *rows = args->sets[s].rows, *end = rows + args->sets[s].n;
        if (o >= rows && o < end)
            while (*o->ret && o + 1 < end && strcmp(o[1].name, o->name) == 0)
                o++;
    }
    return o;
}

static bool is_yes_no(const struct gf_option *o)
{
    return o->value && strcmp(o->value, GF_YES_NO) == 0;
}

bool gf_option_takes_value(const struct gf_option *option)
{
    return option->value && !is_yes_no(option);
}

/* Whether the option takes a number or a list of numbers. */
static bool takes_number(const struct gf_option *o)
{
    size_t length = strcspn(o->value, "[,");
    return (length == 6 && strncmp(o->value, "NUMBER", 6) == 0) ||
           (length == 7 && strncmp(o->value, "INTEGER", 7) == 0);
}

/* Whether a word in the place of a number looks like a file name or the next option. */
static bool is_no_number(const char *word)
{
    const char *digits = word + strspn(word, "+-.");
    return strchr("0123456789", *digits) == NULL && (strncmp(word, "--", 2) == 0 || strpbrk(digits, "./") != NULL);
}

/* Stores the value of an option: the rest of the same word, or the next word, whatever it begins with. */
static enum gf_io_status take_value(struct gf_args *args, const struct gf_option *o, const char *attached,
                                    struct gf_io_error *err)
{
    if (!attached && !*args->next)
        return gf_io_fail(err, GF_IO_USAGE, "--%s needs a value: --%s %s", o->name, o->name, o->value);
    if (!attached && takes_number(o) && is_no_number(*args->next))
        return gf_io_fail(err, GF_IO_USAGE, "--%s needs a value, and \"%s\" is not a number: --%s %s", o->name,
                          *args->next, o->name, o->value);
    *free_row(args, o)->ret = attached ? attached : *args->next++;
    return GF_IO_OK;
}

/* Reads --NAME or --NAME=V of a yes-or-no option. A following word 0 or 1 would be a file name, which is rarely meant,
 * so it is refused. */
static enum gf_io_status take_yes(struct gf_args *args, const struct gf_option *o, const char *attached,
                                  struct gf_io_error *err)
{
    const char *next = *args->next;
    if (!attached && next && (strcmp(next, "0") == 0 || strcmp(next, "1") == 0))
        return gf_io_fail(err, GF_IO_USAGE, "--%s %s: write --%s, --no-%s or --%s=%s; a file of this name is ./%s",
                          o->name, next, o->name, o->name, o->name, next, next);
    *o->ret = attached ? attached : "1";
    return GF_IO_OK;
}

/* Reads --no-NAME of a yes-or-no option. */
static enum gf_io_status take_no(struct gf_args *args, const char *token, size_t length, struct gf_io_error *err)
{
    const struct gf_option *o = find_name(args, token + 5, length - 3);
    if (!o || !is_yes_no(o))
        return fail_unknown(args, token, err);
    if (token[2 + length] == '=')
        return gf_io_fail(err, GF_IO_USAGE, "--no-%s takes no value", o->name);
    *o->ret = "0";
    return GF_IO_OK;
}

static enum gf_io_status take_long(struct gf_args *args, const char *token, struct gf_io_error *err)
{
    const char *name = token + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct gf_option *o = find_name(args, name, length);
    if (!o && strncmp(name, "no-", 3) == 0)
        return take_no(args, token, length, err);
    if (!o)
        return fail_unknown(args, token, err);
    if (is_yes_no(o))
        return take_yes(args, o, equals ? equals + 1 : NULL, err);
    if (o->value)
        return take_value(args, o, equals ? equals + 1 : NULL, err);
    if (equals)
        return gf_io_fail(err, GF_IO_USAGE, "--%s takes no value", o->name);
    *o->ret = "";
    return GF_IO_OK;
}

/* Reads "-q", "-qv", "-c5" or "-c 5". */
static enum gf_io_status take_letters(struct gf_args *args, const char *token, struct gf_io_error *err)
{
    for (const char *p = token + 1; *p; p++) {
        const struct gf_option *o = find_letter(args, *p);
        if (!o)
            return fail_unknown(args, token, err);
        if (o->value)
            return take_value(args, o, p[1] ? p + 1 : NULL, err);
        *o->ret = "";
    }
    return GF_IO_OK;
}

enum gf_io_status gf_args_next(struct gf_args *args, const char **ret_operand, struct gf_io_error *err)
{
    while (*args->next) {
        const char *token = *args->next++;
        if (args->ended || token[0] != '-' || token[1] == '\0') {
            *ret_operand = token;
            return GF_IO_OK;
        }
        enum gf_io_status r = GF_IO_OK;
        if (strcmp(token, "--") == 0)
            args->ended = true;
        else if (token[1] == '-')
            r = take_long(args, token, err);
        else
            r = take_letters(args, token, err);
        if (r != GF_IO_OK)
            return r;
    }
    *ret_operand = NULL;
    return GF_IO_OK;
}

void gf_operands_deinit(struct gf_operands *operands)
{
    free(operands->of);
    *operands = (struct gf_operands){.n = 0};
}

enum gf_io_status gf_args_all(struct gf_args *args, struct gf_operands *ret_operands, struct gf_io_error *err)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands all = {.n = 0};
    size_t left = 0;
    enum gf_io_status r;
    while (args->next[left])
        left++;
    all.of = calloc(left + 1, sizeof(*all.of));
    if (!all.of)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    while ((r = gf_args_next(args, &all.of[all.n], err)) == GF_IO_OK && all.of[all.n])
        all.n++;
    if (r == GF_IO_OK) {
        *ret_operands = all;
        all.of = NULL;
    }
    return r;
}

enum gf_io_status gf_args_match(const struct gf_args *args, const struct gf_operands *operands,
                                const char *const *names, size_t n, const char **ret_operands, struct gf_io_error *err)
{
    if (operands->n > n)
        return gf_io_fail(err, GF_IO_USAGE, "\"%s\" is one operand too many; see --help", operands->of[n]);
    for (size_t i = 0; i < n; i++) {
        if (i < operands->n)
            ret_operands[i] = operands->of[i];
        else if (names[i][0] != '[' && !*args->help)
            return gf_io_fail(err, GF_IO_USAGE,
                              "%s is missing; name a file, or - for standard input or output; see --help", names[i]);
    }
    return GF_IO_OK;
}

void gf_args_print(FILE *out, const struct gf_option_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct gf_option *o = &set->rows[i];
        int n = 0;
        if (i > 0 && strcmp(o[-1].name, o->name) == 0)
            continue;
        if (o->letter)
            n += fprintf(out, "  -%c, ", o->letter);
        else
            n += fprintf(out, "  ");
        n += fprintf(out, "--%s%s%s", o->name, gf_option_takes_value(o) ? " " : "", o->value ? o->value : "");
        if (n + 2 > HELP_COLUMN) {
            fputc('\n', out);
            n = 0;
        }
        fprintf(out, "%*s%s\n", HELP_COLUMN - n, "", o->help);
    }
}

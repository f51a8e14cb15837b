/* SPDX-License-Identifier: MIT */
/* Lists of cases to lines. Called by main.c. */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "protocol/base/base.h"

#define INDENT "    "
#define DEPTH 3 /* sections that include each other */

struct replacement {
    const char *from, *to;
    gf_list_visit visit;
    void *context;
    bool too_long;
};

/* Visits a line with every `from` replaced. */
static void visit_replaced(const char *line, void *context)
{
    struct replacement *r = context;
    char text[GF_CASE_LINE] = "";
    size_t used = 0;
    for (const char *at = line; *at != '\0';) {
        bool found = strncmp(at, r->from, strlen(r->from)) == 0;
        size_t n = found ? strlen(r->to) : 1;
        if (used + n >= sizeof(text)) {
            r->too_long = true;
            return;
        }
        memcpy(text + used, found ? r->to : at, n);
        used += n;
        at += found ? strlen(r->from) : 1;
    }
    text[used] = '\0';
    r->visit(text, r->context);
}

static bool read_line(FILE *file, char text[GF_CASE_LINE])
{
    if (fgets(text, GF_CASE_LINE, file) == NULL)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return true;
}

/* The indented lines behind the file's position, once for each of the words. */
static bool walk_words(FILE *file, const char *list, gf_list_visit visit, void *context)
{
    char text[GF_CASE_LINE], words[GF_CASE_LINE], *rest = NULL;
    snprintf(words, sizeof(words), "%s", list);
    const long body = ftell(file);
    long end = body;
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        struct replacement r = {"$", word, visit, context, false};
        if (fseek(file, body, SEEK_SET) != 0)
            return false;
        for (end = body; read_line(file, text) && strncmp(text, INDENT, strlen(INDENT)) == 0; end = ftell(file))
            visit_replaced(text + strlen(INDENT), &r);
        if (r.too_long || end == body)
            return false;
    }
    return end > body && fseek(file, end, SEEK_SET) == 0;
}

/* Moves behind the heading of a section. */
static bool find_section(FILE *file, const char *section)
{
    char text[GF_CASE_LINE], heading[68];
    snprintf(heading, sizeof(heading), "[%s]", section);
    while (read_line(file, text))
        if (strcmp(text, heading) == 0)
            return true;
    return false;
}

static bool walk(const char *path, const char *section, int depth, gf_list_visit visit, void *context);

/* The lines of another section of the list. */
static bool include(const char *path, const char *line, int depth, gf_list_visit visit, void *context)
{
    char section[64], from[64] = "", to[64] = "";
    int n = sscanf(line, "include %63s %63s %63s", section, from, to);
    struct replacement r = {from, to, visit, context, false};
    if (n != 1 && n != 3)
        return false;
    return (n == 1 ? walk(path, section, depth + 1, visit, context)
                   : walk(path, section, depth + 1, visit_replaced, &r)) &&
           !r.too_long;
}

/* The lines from the file's position to the next section. */
static bool walk_lines(FILE *file, const char *path, int depth, gf_list_visit visit, void *context)
{
    char text[GF_CASE_LINE];
    while (read_line(file, text) && text[0] != '[') {
        bool ok = true;
        if (text[0] == '\0' || text[0] == '#')
            continue;
        if (strncmp(text, "include ", 8) == 0)
            ok = include(path, text, depth, visit, context);
        else if (strncmp(text, "for ", 4) == 0)
            ok = walk_words(file, text + 4, visit, context);
        else if (text[0] == ' ')
            ok = false;
        else
            visit(text, context);
        if (!ok) {
            printf("FAILED: %s: '%s' must be a case, 'include SECTION [FROM TO]', or 'for WORD...' above indented "
                   "lines\n",
                   path, text);
            return false;
        }
    }
    return true;
}

static bool walk(const char *path, const char *section, int depth, gf_list_visit visit, void *context)
{
    FILE *file = fopen(path, "re");
    bool ok = false;
    if (file == NULL)
        printf("FAILED: %s: %s\n", path, strerror(errno));
    else if (depth == DEPTH)
        printf("FAILED: %s: the section [%s] is included by itself, or too deep\n", path, section);
    else if (section != NULL && !find_section(file, section))
        printf("FAILED: %s: there is no section [%s]\n", path, section);
    else
        ok = walk_lines(file, path, depth, visit, context);
    if (file != NULL)
        fclose(file);
    return ok;
}

bool gf_list_walk(const char *path, const char *section, gf_list_visit visit, void *context)
{
    return walk(path, section, 0, visit, context);
}

/* SPDX-License-Identifier: MIT */
/* Lists of cases to lines. Called by main.c. */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "protocol/base/base.h"

#define INDENT "    "
#define DEPTH 3 /* lists that include each other */

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

static bool walk(const char *path, int depth, gf_list_visit visit, void *context);

/* The lines of the list that stands beside `path`. */
static bool include(const char *path, const char *line, int depth, gf_list_visit visit, void *context)
{
    char beside[512], name[64], from[64] = "", to[64] = "";
    int n = sscanf(line, "include %63s %63s %63s", name, from, to);
    struct replacement r = {from, to, visit, context, false};
    if (n != 1 && n != 3)
        return false;
    snprintf(beside, sizeof(beside), "%.*s%s", (int)(strrchr(path, '/') - path + 1), path, name);
    return (n == 1 ? walk(beside, depth + 1, visit, context) : walk(beside, depth + 1, visit_replaced, &r)) &&
           !r.too_long;
}

static bool walk(const char *path, int depth, gf_list_visit visit, void *context)
{
    char text[GF_CASE_LINE];
    FILE *file = depth < DEPTH ? fopen(path, "re") : NULL;
    bool ok = file != NULL;
    if (!ok)
        printf("FAILED: %s: %s\n", path, depth < DEPTH ? strerror(errno) : "lists include each other");
    while (ok && read_line(file, text)) {
        if (text[0] == '\0' || text[0] == '#' || strncmp(text, "dtype,", 6) == 0)
            continue;
        if (strncmp(text, "include ", 8) == 0)
            ok = include(path, text, depth, visit, context);
        else if (strncmp(text, "for ", 4) == 0)
            ok = walk_words(file, text + 4, visit, context);
        else if (text[0] == ' ')
            ok = false;
        else
            visit(text, context);
        if (!ok)
            printf("FAILED: %s: '%s' must be a case, 'include LIST [FROM TO]', or 'for WORD...' above indented lines\n",
                   path, text);
    }
    if (file != NULL)
        fclose(file);
    return ok;
}

bool gf_list_walk(const char *path, gf_list_visit visit, void *context)
{
    return walk(path, 0, visit, context);
}

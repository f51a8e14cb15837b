/* SPDX-License-Identifier: MIT */
/* Splits the text of a session into statements and words; see session_text.h. */
#include "session_text.h"

#include <string.h>

#define BLANKS " \t\r"

/* Returns the first of the characters `ends`, or the end of the line. Quoted text is skipped. */
static char *find_end(const char *at, const char *ends)
{
    char quote = '\0';
    while (*at && *at != '\n' && (quote || !strchr(ends, *at))) {
        if (*at == '\'' || *at == '"')
            quote = !quote ? *at : quote == *at ? '\0' : quote;
        at++;
    }
    return (char *)(uintptr_t)at;
}

char *gf_script_next(struct gf_script *script, unsigned *ret_line)
{
    while (*script->at) {
        char *begin = script->at + strspn(script->at, BLANKS);
        char *end = *begin == '#' ? begin + strcspn(begin, "\n") : find_end(begin, ";");
        *ret_line = script->line;
        script->at = *end ? end + 1 : end;
        script->line += *end == '\n';
        if (*begin == '#' || begin == end)
            continue;
        *end = '\0';
        while (end > begin && strchr(BLANKS, end[-1]))
            *--end = '\0';
        return begin;
    }
    return NULL;
}

size_t gf_script_word(const char *at, const char **ret_word)
{
    at += strspn(at, BLANKS);
    *ret_word = at;
    return *at == '|' ? 1 : (size_t)(find_end(at, BLANKS "|") - at);
}

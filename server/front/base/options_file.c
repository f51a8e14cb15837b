/* SPDX-License-Identifier: MIT */
/*
 * Reads the configuration file; see options_file.h. Refuses input that inih would misinterpret: inih reads the tail of
 * a long line as a separate line, reads a line that begins with a blank as a new value for the previous name, and
 * ignores text after a NUL.
 */
#include "options_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#define SECTION "gpufilterd"

struct reader {
    FILE *file;
    int line;
    gf_options_entry *entry;
    void *data;
    struct gf_error line_error;  /* of the line that ended parsing */
    struct gf_error entry_error; /* of the first invalid entry */
};

static void fclosep(FILE **file)
{
    if (*file)
        fclose(*file);
}

/* Refuses a line that inih would misinterpret. */
static bool check_line(struct reader *r, const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)line[i] < ' ' && !strchr("\t\r", line[i])) || line[i] == '\0') {
            gf_error_set(&r->line_error, GF_E_BAD_PARAM, "contains the control character 0x%02x",
                         (unsigned char)line[i]);
            return false;
        }
    size_t blanks = strspn(line, " \t\r");
    if (blanks > 0 && blanks < size && !strchr("#;", line[blanks])) {
        gf_error_set(&r->line_error, GF_E_BAD_PARAM,
                     "begins with a blank; each option must be on one line and start in the first column");
        return false;
    }
    return true;
}

/* Replaces fgets: returns the next line, or NULL at the end of the file or after an invalid line. */
static char *read_line(char *line, int capacity, void *data)
{
    struct reader *r = data;
    size_t size = 0;
    int c = EOF;
    r->line++;
    while (size + 2 < (size_t)capacity && (c = getc(r->file)) != EOF && c != '\n')
        line[size++] = (char)c;
    line[size] = '\0';
    if (c == EOF && size == 0)
        return NULL;
    if (c != EOF && c != '\n') {
        gf_error_set(&r->line_error, GF_E_BAD_PARAM, "longer than %d bytes", capacity - 3);
        return NULL;
    }
    return check_line(r, line, size) ? line : NULL;
}

static int on_entry(void *data, const char *section, const char *name, const char *value)
{
    struct reader *r = data;
    struct gf_error error = {0};
    if (*section && strcmp(section, SECTION) != 0)
        gf_error_set(&error, GF_E_BAD_PARAM, "unknown section [%s]; allowed: [" SECTION "]", section);
    else
        r->entry(r->data, name, value, &error);
    if (error.status != GF_OK && r->entry_error.status == GF_OK)
        r->entry_error = error;
    return error.status == GF_OK;
}

enum gf_status gf_options_file_read(const char *path, bool needed, gf_options_entry *entry, void *data,
                                    struct gf_error *err)
{
    gf_cleanup(fclosep) FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT && !needed)
        return GF_OK;
    if (!file)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: cannot be read: %s", path, strerror(errno));
    struct reader r = {.file = file, .entry = entry, .data = data};
    int line = ini_parse_stream(read_line, &r, on_entry, &r);
    if (ferror(file))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: cannot be read: %s", path, strerror(errno));
    if (line > 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s:%d: %s", path, line,
                            r.entry_error.status != GF_OK ? r.entry_error.text : "not of the form name = value");
    if (r.line_error.status != GF_OK)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s:%d: %s", path, r.line, r.line_error.text);
    return GF_OK;
}

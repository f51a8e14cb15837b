/* SPDX-License-Identifier: MIT */
/* Names of results. Called by the commands that write them. */
#include "batch_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "client/io/output.h"

#define KEPT "{stem}{ext}" /* the same name in another directory */

void gf_batch_name_rows(struct gf_batch_name_options *options, struct gf_option rows[GF_BATCH_NAME_OPTIONS])
{
    rows[0] = (struct gf_option){"parents", '\0', NULL, "make missing directories of the output", &options->parents};
    rows[1] = (struct gf_option){"in-place", '\0', NULL, "replace each IN by its result", &options->in_place};
}

bool gf_batch_is_template(const char *name)
{
    return strpbrk(name, "{}") != NULL;
}

/* The parts of a file's name. */
struct parts {
    const char *dir, *stem, *ext;
    int dir_size, stem_size;
};

static struct parts parts_of(const char *in)
{
    const char *slash = strrchr(in, '/'), *base = slash ? slash + 1 : in, *dot = strrchr(base, '.');
    struct parts p = {.dir = in, .stem = base, .ext = dot && dot != base ? dot : base + strlen(base)};
    p.dir_size = (int)(slash == in ? 1 : slash ? slash - in : 0);
    p.stem_size = (int)(p.ext - base);
    if (!slash) {
        p.dir = ".";
        p.dir_size = 1;
    }
    return p;
}

/* Whether the directory of a file, taken below another directory, leads out of that one by "..". */
static bool leads_out(const struct parts *p)
{
    const char *end = p->dir + p->dir_size;
    int depth = 0;
    for (const char *at = p->dir; at < end && depth >= 0;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        const size_t length = (size_t)((slash ? slash : end) - at);
        if (length == 2 && memcmp(at, "..", 2) == 0)
            depth--;
        else if (length > 1 || (length == 1 && *at != '.'))
            depth++;
        at += length + 1;
    }
    return depth < 0;
}

/* Writes the value of the placeholder at `at` and returns the text after it; NULL if it is not a placeholder. */
static const char *put_place(FILE *out, const char *at, const struct parts *p, size_t number, int digits, bool pages)
{
    const size_t page = strlen(GF_BATCH_PAGE);
    if (pages && strncmp(at, GF_BATCH_PAGE, page) == 0) {
        fputs(GF_BATCH_PAGE, out);
        return at + page;
    }
    if (strncmp(at, "{dir}", 5) == 0) {
        fprintf(out, "%.*s", p->dir_size, p->dir);
        return at + 5;
    }
    if (strncmp(at, "{stem}", 6) == 0) {
        fprintf(out, "%.*s", p->stem_size, p->stem);
        return at + 6;
    }
    if (strncmp(at, "{ext}", 5) == 0) {
        fputs(p->ext, out);
        return at + 5;
    }
    if (strncmp(at, "{n}", 3) == 0) {
        fprintf(out, "%0*zu", digits, number);
        return at + 3;
    }
    return NULL;
}

static enum gf_io_status refuse_brace(const char *template, const char *at, struct gf_io_error *err)
{
    size_t length = strcspn(at, "}");
    if (strncmp(at, GF_BATCH_PAGE, length + 1) == 0)
        return gf_io_fail(err, GF_IO_USAGE, "%s: " GF_BATCH_PAGE " needs --page all", template);
    if (*at == '}' || !at[length])
        return gf_io_fail(err, GF_IO_USAGE, "%s: single %c; write %c%c for a brace in the name", template, *at, *at,
                          *at);
    return gf_io_fail(err, GF_IO_USAGE, "%s: %.*s is not a placeholder; the placeholders are " GF_BATCH_PLACES,
                      template, (int)length + 1, at);
}

/* Expands a template to a file name. All numbers have as many digits as the last one. */
static enum gf_io_status expand(const char *template, const char *in, size_t number, size_t last, bool pages,
                                char **ret, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *text = NULL;
    const struct parts p = parts_of(in);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *at = template;
    if (!out)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    while (at && *at) {
        if ((*at == '{' || *at == '}') && at[1] != at[0]) {
            const char *brace = at;
            bool out_of = brace > template && strncmp(brace, "{dir}", 5) == 0 && leads_out(&p);
            at = out_of ? NULL : put_place(out, at, &p, number, snprintf(NULL, 0, "%zu", last), pages);
            if (out_of)
                (void)gf_io_fail(err, GF_IO_USAGE,
                                 "%s: its directory leads out of that of %s by \"..\"; name the file without it, or "
                                 "begin OUT with {dir}",
                                 in, template);
            else if (!at)
                (void)refuse_brace(template, brace, err);
        } else {
            fputc(*at, out);
            at += *at == '{' || *at == '}' ? 2 : 1;
        }
    }
    if (fclose(out) != 0 || !text) /* glibc returns 0 even if it had no memory for the last part */
        return gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    if (!at)
        return GF_IO_USAGE;
    *ret = gf_steal_ptr(&text);
    return GF_IO_OK;
}

bool gf_batch_is_directory(const char *name)
{
    struct stat st;
    size_t length = strlen(name);
    return (length > 0 && name[length - 1] == '/') || (stat(name, &st) == 0 && S_ISDIR(st.st_mode));
}

char *gf_batch_template(const char *name, bool plain)
{
    size_t length = strlen(name), n = 0;
    bool into = gf_batch_is_directory(name), ends = length > 0 && name[length - 1] == '/';
    char *template = malloc(2 * length + sizeof("/" KEPT));
    for (size_t i = 0; template && i < length; i++) {
        template[n++] = name[i];
        if ((plain || (into && !ends)) && (name[i] == '{' || name[i] == '}'))
            template[n++] = name[i];
    }
    if (template)
        sprintf(template + n, "%s%s", into && !ends ? "/" : "", into ? KEPT : "");
    return template;
}

void gf_batch_names_keep(struct gf_batch_names *names, gf_batch_keep_fn *keep, const void *data)
{
    struct gf_batch_wish *w = &names->wish;
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        char **from = names->out + i * w->n_out, **to = names->out + kept * w->n_out;
        bool stays = keep(names, i, data);
        for (size_t t = 0; t < w->n_out; t++) {
            char *name = gf_steal_ptr(&from[t]);
            if (stays)
                to[t] = name;
            else
                free(name);
        }
        names->in[kept] = names->in[i];
        kept += stays;
    }
    w->n = kept;
}

void gf_batch_names_deinit(struct gf_batch_names *names)
{
    for (size_t i = 0; names->out && i < names->wish.n * names->wish.n_out; i++)
        free(names->out[i]);
    free(names->out);
    free(names->in);
    *names = GF_BATCH_NAMES_NULL;
}

/* Makes the name of result t of file i. */
static enum gf_io_status make_name(const struct gf_batch_wish *w, size_t i, size_t t, char **ret,
                                   struct gf_io_error *err)
{
    const char *template = w->out[t];
    bool nameless = strcmp(w->in[i], "-") == 0;
    if (nameless && (w->n > 1 || !template || gf_batch_is_template(template)))
        return gf_io_fail(err, GF_IO_USAGE, "%s must have names; standard input has none",
                          w->n > 1    ? "several files"
                          : !template ? "files replaced by --in-place"
                                      : "inputs of a template");
    if (w->n > 1 && template && gf_output_is_stdout(template))
        return gf_io_fail(err, GF_IO_USAGE, "standard output takes only one picture; name files with " GF_BATCH_PLACES);
    if (template)
        return expand(template, w->in[i], i + 1, w->n, w->pages, ret, err);
    *ret = strdup(w->in[i]);
    return *ret ? GF_IO_OK : gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
}

bool gf_batch_has_page(const char *name)
{
    return strstr(name, GF_BATCH_PAGE) != NULL;
}

char *gf_batch_page_name(const char *name, uint64_t page, uint64_t last)
{
    const char *at = strstr(name, GF_BATCH_PAGE);
    char *text = NULL;
    if (asprintf(&text, "%.*s%0*" PRIu64 "%s", (int)(at - name), name, snprintf(NULL, 0, "%" PRIu64, last), page,
                 at + strlen(GF_BATCH_PAGE)) < 0)
        return NULL;
    return text;
}

/* Whether `name` is `text` with a number in place of {page}. */
static bool may_become(const char *text, const char *name)
{
    const char *at = strstr(text, GF_BATCH_PAGE);
    const size_t before = (size_t)(at - text);
    if (strncmp(text, name, before) != 0)
        return false;
    const size_t digits = strspn(name + before, "0123456789");
    return digits > 0 && strcmp(name + before + digits, at + strlen(GF_BATCH_PAGE)) == 0;
}

/* Checks a name with {page}: no number of a page may lead to the name of an input, or of a page of another input. */
static enum gf_io_status check_page(const struct gf_batch_wish *w, const char *name, struct gf_io_error *err)
{
    static const char digits[] = "0123456789";
    const char *at = strstr(name, GF_BATCH_PAGE), *after = at + strlen(GF_BATCH_PAGE);
    if (strchr(after, '/') || strstr(after, GF_BATCH_PAGE))
        return gf_io_fail(err, GF_IO_USAGE, "%s: " GF_BATCH_PAGE " must come once, in the name of the file", name);
    if (w->n > 1 && ((at > name && strchr(digits, at[-1])) || strpbrk(after, digits)))
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s: pages of two files could get one name; there must be no digit before " GF_BATCH_PAGE
                          " and after it",
                          name);
    for (size_t i = 0; i < w->n + w->n_also; i++) {
        const char *in = i < w->n ? w->in[i] : w->also[i - w->n];
        if (in && may_become(name, in))
            return gf_io_fail(err, GF_IO_USAGE, "%s: would overwrite the input %s", name, in);
    }
    return GF_IO_OK;
}

enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const struct gf_batch_wish *wish,
                                      struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    *names = (struct gf_batch_names){.wish = *wish};
    names->out = calloc(wish->n * wish->n_out + 1, sizeof(*names->out));
    names->in = calloc(wish->n + 1, sizeof(*names->in));
    if (!names->out || !names->in)
        r = gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < wish->n && r == GF_IO_OK; i++)
        names->in[i] = wish->in[i];
    names->wish.in = names->in;
    for (size_t i = 0; i < wish->n && r == GF_IO_OK; i++) {
        if (wish->n > 1 && strcmp(wish->in[i], "-") == 0)
            r = gf_io_fail(err, GF_IO_USAGE, "several files must have names; standard input has none");
        for (size_t t = 0; t < wish->n_out && r == GF_IO_OK; t++)
            r = make_name(wish, i, t, &names->out[i * wish->n_out + t], err);
        for (size_t t = 0; t < wish->n_out && r == GF_IO_OK && wish->pages; t++)
            if (gf_batch_has_page(names->out[i * wish->n_out + t]))
                r = check_page(wish, names->out[i * wish->n_out + t], err);
    }
    if (r != GF_IO_OK)
        gf_batch_names_deinit(names);
    return r;
}

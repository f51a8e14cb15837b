/* SPDX-License-Identifier: MIT */
/* Output names of a batch; called by the commands that take several files. */
#include "batch_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define IN_PLACE "{dir}/{stem}{ext}"

bool gf_batch_is_template(const char *name)
{
    return strpbrk(name, "{}") != NULL;
}

/* The parts of a name of a file. */
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

/* Writes what stands in braces at `at` and returns what follows; NULL where it is no placeholder. */
static const char *put_place(FILE *out, const char *at, const struct parts *p, size_t number, int digits)
{
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
    if (*at == '}' || !at[length])
        return gf_io_fail(err, GF_IO_USAGE, "%s: single %c; write %c%c for one in the name", template, *at, *at, *at);
    return gf_io_fail(err, GF_IO_USAGE, "%s: %.*s is not a placeholder; there are " GF_BATCH_PLACES, template,
                      (int)length + 1, at);
}

/* The name of a file that is written; numbers have as many digits as the last one. */
static enum gf_io_status expand(const char *template, const char *in, size_t number, size_t last, char **ret,
                                struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *text = NULL;
    const struct parts p = parts_of(in);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *at = template;
    if (!out)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    while (at && *at) {
        if ((*at == '{' || *at == '}') && at[1] != at[0]) {
            const char *brace = at;
            at = put_place(out, at, &p, number, snprintf(NULL, 0, "%zu", last));
            if (!at)
                (void)refuse_brace(template, brace, err);
        } else {
            fputc(*at, out);
            at += *at == '{' || *at == '}' ? 2 : 1;
        }
    }
    if (fclose(out) != 0)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    if (!at)
        return GF_IO_USAGE;
    *ret = gf_steal_ptr(&text);
    return GF_IO_OK;
}

/* A file that is read or written, by where it really is. */
struct place {
    char *real;
    const char *path;
    size_t file;
    bool written;
    bool in_place; /* its name asks for it to be its own input */
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->real, y->real);
    return order != 0 ? order : (int)x->written - (int)y->written;
}

/* Where a file is or will be; NULL, with errno, where it cannot be. */
static char *real_of(const char *path)
{
    char *real = realpath(path, NULL), *joined = NULL;
    if (real || errno != ENOENT)
        return real;
    struct parts p = parts_of(path);
    gf_cleanup(gf_freep) char *dir = strndup(p.dir, (size_t)p.dir_size);
    gf_cleanup(gf_freep) char *real_dir = dir ? realpath(dir, NULL) : NULL;
    if (real_dir && asprintf(&joined, "%s/%s", real_dir, p.stem) < 0)
        return NULL;
    return joined;
}

/* Two places that are one. */
static enum gf_io_status refuse(const struct gf_batch_names *names, const struct place *a, const struct place *b,
                                struct gf_io_error *err)
{
    if (a->written && b->written && a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s and %s would both be written to %s; " GF_BATCH_PLACES " tell them apart",
                          names->in[a->file], names->in[b->file], b->path);
    if (a->written && b->written)
        return gf_io_fail(err, GF_IO_USAGE, "two results of %s would be written to %s", names->in[a->file], b->path);
    if (b->written && a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE, "the result of %s would be written over %s, which is an input too",
                          names->in[b->file], a->path);
    if (b->written && !b->in_place)
        return gf_io_fail(err, GF_IO_USAGE, "%s would be replaced by its result; -o '" IN_PLACE "' asks for that",
                          a->path);
    return GF_IO_OK;
}

/* Looks for places that are one; `room` has one for each file that is read or written. */
static enum gf_io_status check_places(const struct gf_batch_names *names, const char *const *templates,
                                      struct place *places, size_t *n_places, struct gf_io_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        places[n] = (struct place){.real = realpath(names->in[i], NULL), .path = names->in[i], .file = i};
        *n_places = n += places[n].real != NULL; /* what cannot be read is told when it is to be read */
        for (size_t t = 0; t < names->n_templates; t++) {
            const char *path = names->out[i * names->n_templates + t];
            places[n] = (struct place){.path = path, .file = i, .written = true};
            places[n].in_place = strcmp(templates[t], IN_PLACE) == 0;
            places[n].real = real_of(path);
            if (!places[n].real)
                return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
            *n_places = ++n;
        }
    }
    qsort(places, n, sizeof(*places), compare);
    for (size_t i = 1; i < n; i++)
        if (strcmp(places[i - 1].real, places[i].real) == 0) {
            enum gf_io_status r = refuse(names, &places[i - 1], &places[i], err);
            if (r != GF_IO_OK)
                return r;
        }
    return GF_IO_OK;
}

void gf_batch_names_deinit(struct gf_batch_names *names)
{
    for (size_t i = 0; names->out && i < names->n * names->n_templates; i++)
        free(names->out[i]);
    free(names->out);
    *names = GF_BATCH_NAMES_NULL;
}

static enum gf_io_status check(const struct gf_batch_names *names, const char *const *templates,
                               struct gf_io_error *err)
{
    size_t n = 0;
    struct place *places = calloc(names->n * (1 + names->n_templates), sizeof(*places));
    if (!places)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    enum gf_io_status r = check_places(names, templates, places, &n, err);
    while (n > 0)
        free(places[--n].real);
    free(places);
    return r;
}

enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const char *const *in, size_t n,
                                      const char *const *templates, size_t n_templates, struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    *names = (struct gf_batch_names){.in = in, .n = n, .n_templates = n_templates};
    names->out = calloc(n * n_templates + 1, sizeof(*names->out));
    if (!names->out)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    for (size_t i = 0; i < n && r == GF_IO_OK; i++) {
        if (strcmp(in[i], "-") == 0)
            r = gf_io_fail(err, GF_IO_USAGE, "several files are read by their names; standard input has none");
        for (size_t t = 0; t < n_templates && r == GF_IO_OK; t++)
            r = strcmp(templates[t], "-") == 0
                    ? gf_io_fail(err, GF_IO_USAGE,
                                 "standard output takes one picture; name files with " GF_BATCH_PLACES)
                    : expand(templates[t], in[i], i + 1, n, &names->out[i * n_templates + t], err);
    }
    if (r == GF_IO_OK)
        r = check(names, templates, err);
    if (r != GF_IO_OK)
        gf_batch_names_deinit(names);
    return r;
}

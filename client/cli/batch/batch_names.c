/* SPDX-License-Identifier: MIT */
/* Names of results; called by the commands that write them. */
#include "batch_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT "{stem}{ext}" /* the name, in another directory */

void gf_batch_name_rows(struct gf_batch_name_options *options, struct gf_option rows[GF_BATCH_NAME_OPTIONS])
{
    rows[0] =
        (struct gf_option){"parents", '\0', NULL, "make directories of the output that are missing", &options->parents};
    rows[1] = (struct gf_option){"in-place", '\0', NULL, "replace each IN by its result", &options->in_place};
}

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
    if (fclose(out) != 0 || !text) /* glibc says 0 where there was no memory for the last part */
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    if (!at)
        return GF_IO_USAGE;
    *ret = gf_steal_ptr(&text);
    return GF_IO_OK;
}

/* A file that is read or written. */
struct place {
    char *key; /* which file it is; NULL: none that can be replaced */
    const char *path;
    size_t file;
    bool also;    /* read for every file */
    bool written; /* else read */
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    if (order == 0)
        order = 2 * (int)x->written + (int)x->also - 2 * (int)y->written - (int)y->also;
    return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

/* What is one file under several names is one place; what is no file has none. */
static char *key_of(const struct stat *st)
{
    char *key = NULL;
    if (!S_ISREG(st->st_mode) || asprintf(&key, "%ju %ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino) < 0)
        return NULL;
    return key;
}

static char *key_of_input(const char *path)
{
    struct stat st;
    bool there = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) == 0 : stat(path, &st) == 0;
    return there ? key_of(&st) : NULL; /* what cannot be read is told when it is to be read */
}

/* Of a file that is or will be there. */
static enum gf_io_status find_output(const char *path, char **ret_key, struct gf_io_error *err)
{
    struct stat st;
    *ret_key = NULL;
    if (strcmp(path, "-") == 0)
        return GF_IO_OK;
    if (stat(path, &st) == 0) {
        *ret_key = S_ISREG(st.st_mode) ? key_of(&st) : realpath(path, NULL);
        return *ret_key ? GF_IO_OK : gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", path);
    }
    if (errno != ENOENT)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
    const struct parts p = parts_of(path);
    gf_cleanup(gf_freep) char *dir = strndup(p.dir, (size_t)p.dir_size);
    gf_cleanup(gf_freep) char *real = dir ? realpath(dir, NULL) : NULL;
    if (dir && !real && errno == ENOENT)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s; --parents makes %s", path,
                          strerror(ENOENT), dir);
    if (dir && !real)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
    if (!real || asprintf(ret_key, "%s/%s", real, p.stem) < 0)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", path);
    return GF_IO_OK;
}

/* Two places that are one. */
static enum gf_io_status refuse(const struct gf_batch_names *names, const struct place *a, const struct place *b,
                                struct gf_io_error *err)
{
    const char *const *in = names->wish.in;
    bool in_place = names->wish.in_place;
    if (!b->written && in_place && !a->also && !b->also)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s and %s are one file, which --in-place replaces; every operand is an IN, name it once",
                          a->path, b->path);
    if (!b->written)
        return GF_IO_OK;
    if (a->written && a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s and %s would both be written to %s; " GF_BATCH_PLACES " tell them apart", in[a->file],
                          in[b->file], b->path);
    if (a->written)
        return gf_io_fail(err, GF_IO_USAGE, "two results of %s would be written to %s", in[a->file], b->path);
    if (a->also || a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE, "the result of %s would be written over %s, which is an input too",
                          in[b->file], a->path);
    if (!in_place)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s would be replaced by its result; name another file, or say --in-place without one",
                          a->path);
    return GF_IO_OK;
}

/* What is replaced has to be there, and a name beside --in-place has to be that of IN. */
static enum gf_io_status check_in_place(const char *in, const char *key, const struct place *out,
                                        struct gf_io_error *err)
{
    if (access(in, F_OK) < 0)
        return gf_io_fail(err, GF_IO_NO_INPUT, "%s: cannot be read: %s; with --in-place every operand is an IN", in,
                          strerror(errno));
    if (!key)
        return gf_io_fail(err, GF_IO_USAGE, "%s: is not a file that --in-place could replace", in);
    if (!out->key || strcmp(out->key, key) != 0)
        return gf_io_fail(err, GF_IO_USAGE, "--in-place replaces %s, and the result is to go to %s; leave one out", in,
                          out->path);
    return GF_IO_OK;
}

/* Lists what file i reads and writes; the first result is the one that may replace it. */
static enum gf_io_status list_places(const struct gf_batch_names *names, size_t i, struct place *places,
                                     size_t *n_places, struct gf_io_error *err)
{
    const struct gf_batch_wish *w = &names->wish;
    size_t n = *n_places;
    gf_cleanup(gf_freep) char *own = key_of_input(w->in[i]);
    enum gf_io_status r = GF_IO_OK;
    for (size_t t = 0; t < w->n_out && r == GF_IO_OK; t++) {
        struct place out = {.path = names->out[i * w->n_out + t], .file = i, .written = true};
        r = find_output(out.path, &out.key, err);
        if (r == GF_IO_OK && t == 0 && w->in_place)
            r = check_in_place(w->in[i], own, &out, err);
        if (out.key)
            places[n++] = out;
    }
    if (own)
        places[n++] = (struct place){.key = gf_steal_ptr(&own), .path = w->in[i], .file = i};
    *n_places = n;
    return r;
}

/* Refuses the first place that cannot be, in the order in which files were given; that of keys is another. */
static enum gf_io_status refuse_first(const struct gf_batch_names *names, const struct place *places, size_t n,
                                      struct gf_io_error *err)
{
    struct gf_io_error one;
    size_t first = SIZE_MAX;
    bool told = false; /* of this key */
    for (size_t i = 1; i < n; i++) {
        bool same = strcmp(places[i - 1].key, places[i].key) == 0;
        told = told && same;
        if (!same || told || refuse(names, &places[i - 1], &places[i], &one) == GF_IO_OK)
            continue;
        told = true;
        if (places[i].file < first) {
            first = places[i].file;
            *err = one;
        }
    }
    return first < SIZE_MAX ? GF_IO_USAGE : GF_IO_OK;
}

/* Looks for places that are one; `places` has room for all. */
static enum gf_io_status check_places(const struct gf_batch_names *names, struct place *places, size_t *n_places,
                                      struct gf_io_error *err)
{
    const struct gf_batch_wish *w = &names->wish;
    enum gf_io_status r = GF_IO_OK;
    for (size_t i = 0; i < w->n && r == GF_IO_OK; i++)
        r = list_places(names, i, places, n_places, err);
    for (size_t i = 0; i < w->n_also; i++) {
        char *key = w->also[i] ? key_of_input(w->also[i]) : NULL;
        if (key)
            places[(*n_places)++] = (struct place){.key = key, .path = w->also[i], .also = true};
    }
    if (r == GF_IO_OK)
        qsort(places, *n_places, sizeof(*places), compare);
    return r == GF_IO_OK ? refuse_first(names, places, *n_places, err) : r;
}

/* Makes the directories of a file, from the root on. */
static enum gf_io_status make_parents(const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *dir = strdup(path);
    if (!dir)
        return gf_io_fail(err, GF_IO_INTERNAL, "%s: out of memory", path);
    for (char *slash = *dir ? strchr(dir + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(dir, 0777) < 0 && errno != EEXIST)
            return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: the directory %s cannot be made: %s", path, dir,
                              strerror(errno));
        *slash = '/';
    }
    return GF_IO_OK;
}

enum gf_io_status gf_batch_names_check(const struct gf_batch_names *names, bool parents, struct gf_io_error *err)
{
    const struct gf_batch_wish *w = &names->wish;
    enum gf_io_status r = GF_IO_OK;
    size_t n = 0;
    for (size_t i = 0; parents && i < w->n * w->n_out && r == GF_IO_OK; i++)
        r = make_parents(names->out[i], err);
    if (r != GF_IO_OK)
        return r;
    struct place *places = calloc(w->n * (1 + w->n_out) + w->n_also + 1, sizeof(*places));
    if (!places)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    r = check_places(names, places, &n, err);
    while (n > 0)
        free(places[--n].key);
    free(places);
    return r;
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

void gf_batch_names_deinit(struct gf_batch_names *names)
{
    for (size_t i = 0; names->out && i < names->wish.n * names->wish.n_out; i++)
        free(names->out[i]);
    free(names->out);
    *names = GF_BATCH_NAMES_NULL;
}

/* The name of result t of file i. */
static enum gf_io_status make_name(const struct gf_batch_wish *w, size_t i, size_t t, char **ret,
                                   struct gf_io_error *err)
{
    const char *template = w->out[t];
    bool nameless = strcmp(w->in[i], "-") == 0;
    if (nameless && (w->n > 1 || !template || gf_batch_is_template(template)))
        return gf_io_fail(err, GF_IO_USAGE, "%s are read by their names; standard input has none",
                          w->n > 1    ? "several files"
                          : !template ? "files that --in-place replaces"
                                      : "files whose names are kept");
    if (w->n > 1 && template && strcmp(template, "-") == 0)
        return gf_io_fail(err, GF_IO_USAGE, "standard output takes one picture; name files with " GF_BATCH_PLACES);
    if (template)
        return expand(template, w->in[i], i + 1, w->n, ret, err);
    *ret = strdup(w->in[i]);
    return *ret ? GF_IO_OK : gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
}

enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const struct gf_batch_wish *wish,
                                      struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    *names = (struct gf_batch_names){.wish = *wish};
    names->out = calloc(wish->n * wish->n_out + 1, sizeof(*names->out));
    if (!names->out)
        return gf_io_fail(err, GF_IO_INTERNAL, "out of memory");
    for (size_t i = 0; i < wish->n && r == GF_IO_OK; i++) {
        if (wish->n > 1 && strcmp(wish->in[i], "-") == 0)
            r = gf_io_fail(err, GF_IO_USAGE, "several files are read by their names; standard input has none");
        for (size_t t = 0; t < wish->n_out && r == GF_IO_OK; t++)
            r = make_name(wish, i, t, &names->out[i * wish->n_out + t], err);
    }
    if (r != GF_IO_OK)
        gf_batch_names_deinit(names);
    return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * Identifies the files behind the names of a batch, so that no file is written twice and no input is overwritten.
 * Called by the commands that write results.
 */
#include "batch_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/io/output.h"

/* A file that is read or written. */
struct place {
    char *key; /* identity of the file; NULL: not a file that can be replaced */
    const char *path;
    size_t file;
    bool also;    /* read for every file of the batch */
    bool written; /* otherwise read */
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    if (order == 0)
        order = 2 * (int)x->written + (int)x->also - 2 * (int)y->written - (int)y->also;
    return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

/* The key of a file, pipe or device is the same under all its names. NULL: out of memory. */
static char *key_of(const struct stat *st)
{
    char *key = NULL;
    if (asprintf(&key, "%ju %ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino) < 0)
        return NULL;
    return key;
}

static char *key_of_input(const char *path)
{
    struct stat st;
    bool there = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) == 0 : stat(path, &st) == 0;
    return there && S_ISREG(st.st_mode) ? key_of(&st) : NULL; /* an unreadable input is reported when it is read */
}

/* Returns the directory of a path, from malloc, and the name in it. */
static char *dir_of(const char *path, const char **ret_base)
{
    const char *slash = strrchr(path, '/');
    *ret_base = slash ? slash + 1 : path;
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* Finds the key of an output, which may exist or not. */
static enum gf_io_status find_output(const char *path, char **ret_key, struct gf_io_error *err)
{
    struct stat st;
    *ret_key = NULL;
    if (gf_output_is_stdout(path))
        return GF_IO_OK;
    if (stat(path, &st) == 0) {
        *ret_key = key_of(&st);
        return *ret_key ? GF_IO_OK : gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    }
    if (errno != ENOENT)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
    const char *base;
    gf_cleanup(gf_freep) char *dir = dir_of(path, &base);
    gf_cleanup(gf_freep) char *real = dir ? realpath(dir, NULL) : NULL;
    if (dir && !real && errno == ENOENT)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s; --parents makes %s", path,
                          strerror(ENOENT), dir);
    if (dir && !real)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
    if (!real || asprintf(ret_key, "%s/%s", real, base) < 0)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    return GF_IO_OK;
}

/* Refuses two places that are the same file, unless that is allowed. */
static enum gf_io_status refuse(const struct gf_batch_names *names, const struct place *a, const struct place *b,
                                struct gf_io_error *err)
{
    const char *const *in = names->wish.in;
    bool in_place = names->wish.in_place;
    if (!b->written && in_place && !a->also && !b->also)
        return gf_io_fail(
            err, GF_IO_USAGE,
            "%s and %s are the same file, which --in-place replaces; every operand is an IN, so name it once", a->path,
            b->path);
    if (!b->written)
        return GF_IO_OK;
    if (a->written && a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s and %s would both be written to %s; tell them apart with " GF_BATCH_PLACES, in[a->file],
                          in[b->file], b->path);
    if (a->written)
        return gf_io_fail(err, GF_IO_USAGE, "two results of %s would be written to %s", in[a->file], b->path);
    if (a->also || a->file != b->file)
        return gf_io_fail(err, GF_IO_USAGE, "the result of %s would overwrite %s, which is also an input", in[b->file],
                          a->path);
    if (!in_place)
        return gf_io_fail(err, GF_IO_USAGE,
                          "%s would be replaced by its result; name another output, or give --in-place and no output",
                          a->path);
    return GF_IO_OK;
}

/* Checks that the file to be replaced exists, and that an output given beside --in-place is IN itself. */
static enum gf_io_status check_in_place(const char *in, const char *key, const struct place *out,
                                        struct gf_io_error *err)
{
    if (access(in, F_OK) < 0)
        return gf_io_fail(err, GF_IO_NO_INPUT, "%s: cannot be read: %s; with --in-place every operand is an IN", in,
                          strerror(errno));
    if (!key)
        return gf_io_fail(err, GF_IO_USAGE, "%s: is not a regular file, so --in-place cannot replace it", in);
    if (!out->key || strcmp(out->key, key) != 0)
        return gf_io_fail(err, GF_IO_USAGE, "--in-place replaces %s, but the output is %s; leave one out", in,
                          out->path);
    return GF_IO_OK;
}

/* Lists the places that file i reads and writes. Only the first result may replace the file. */
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

/* Refuses the first collision in the order in which the files were given, which differs from the order of the keys. */
static enum gf_io_status refuse_first(const struct gf_batch_names *names, const struct place *places, size_t n,
                                      struct gf_io_error *err)
{
    struct gf_io_error one;
    size_t first = SIZE_MAX;
    bool told = false; /* this key has been refused */
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

/* Checks for places that are the same file. `places` has room for all. */
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

/* Makes the directories of a file, from the root down. */
static enum gf_io_status make_parents(const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *dir = strdup(path);
    if (!dir)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    for (char *slash = *dir ? strchr(dir + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(dir, 0777) < 0 && errno != EEXIST)
            return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: the directory %s cannot be created: %s", path, dir,
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
        return gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    r = check_places(names, places, &n, err);
    while (n > 0)
        free(places[--n].key);
    free(places);
    return r;
}

/* The directory that was resolved last. In most lists adjacent names share their directory. */
struct known_dir {
    char *dir, *real;
};

/* Identifies a file by its name alone, with the links and spellings of its directory resolved: for files that other
 * processes make and replace meanwhile, so that their inodes prove nothing. NULL: out of memory. */
static char *text_key(const char *path, struct known_dir *known)
{
    const char *base;
    char *key = NULL, *dir = dir_of(path, &base);
    if (!dir)
        return NULL;
    if (known->dir && strcmp(known->dir, dir) == 0) {
        free(dir);
    } else {
        free(known->dir);
        free(known->real);
        known->dir = dir;
        known->real = realpath(dir, NULL); /* NULL: does not exist yet */
    }
    if (asprintf(&key, "%s/%s", known->real ? known->real : known->dir, base) < 0)
        return NULL;
    return key;
}

enum gf_io_status gf_batch_names_check_texts(const struct gf_batch_names *names, struct gf_io_error *err)
{
    const struct gf_batch_wish *w = &names->wish;
    struct known_dir in = {.dir = NULL}, out = {.dir = NULL};
    size_t n = 0;
    bool enough = true;
    struct place *places = calloc(w->n * (1 + w->n_out) + 1, sizeof(*places));
    for (size_t i = 0; i < w->n && places && enough; i++) {
        places[n] = (struct place){.key = text_key(w->in[i], &in), .path = w->in[i], .file = i};
        enough = places[n].key;
        n += enough;
        for (size_t t = 0; t < w->n_out && enough; t++) {
            const char *path = names->out[i * w->n_out + t];
            places[n] = (struct place){.key = text_key(path, &out), .path = path, .file = i, .written = true};
            enough = places[n].key;
            n += enough;
        }
    }
    enum gf_io_status r = places && enough ? GF_IO_OK : gf_io_fail(err, GF_IO_NO_MEMORY, "out of memory");
    if (r == GF_IO_OK) {
        qsort(places, n, sizeof(*places), compare);
        r = refuse_first(names, places, n, err);
    }
    while (n > 0)
        free(places[--n].key);
    free(places);
    free(in.dir);
    free(in.real);
    free(out.dir);
    free(out.real);
    return r;
}

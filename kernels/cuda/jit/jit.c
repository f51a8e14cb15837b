/* SPDX-License-Identifier: MIT */
/*
 * Which kernels there are; see jit.h. A program's entry goes SEEN, WAITING, MAKING, then READY, FAILED, or SEEN again;
 * only the thread takes it out of WAITING and MAKING. The mutex guards all entries; nothing slow happens under it.
 */
#include "jit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "protocol/base/base.h"

#define BROKEN_MAX 4u /* times in a row that the compiler may break before it is left alone */

enum state { FREE, SEEN, WAITING, MAKING, READY, FAILED };

struct entry {
    enum state state;
    uint32_t pins; /* uses between gf_jit_find and gf_jit_done */
    uint64_t hash, uses, used;
    uint32_t key_size;
    uint8_t *key;             /* of gf_jit_key, owned */
    struct gf_jit_work *work; /* while WAITING and MAKING, owned */
    bool looked;              /* its file was looked for */
    struct gf_jit_layout layout;
    struct gf_jit_module module; /* of READY */
};

struct gf_jit {
    struct gf_jit_maker maker; /* the thread's */
    struct gf_jit_loader loader;
    int stop[2]; /* a pipe: the thread is to end once something is in it */
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    pthread_t thread;
    bool started, over, busy, all;
    uint32_t broken; /* times in a row */
    uint64_t clock;  /* counts uses */
    struct gf_jit_figures figures;
    struct entry entries[GF_JIT_PROGRAMS];
};

static uint64_t hash_of(const struct gf_jit_key *key)
{
    uint64_t hash = 0xCBF29CE484222325ull;
    for (uint32_t i = 0; i < key->size; i++)
        hash = (hash ^ key->bytes[i]) * 0x100000001B3ull;
    return hash;
}

static void clear(struct entry *e)
{
    free(e->key);
    free(e->work);
    memset(e, 0, sizeof(*e));
}

static struct entry *find(struct gf_jit *jit, const struct gf_jit_key *key, uint64_t hash)
{
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        struct entry *e = &jit->entries[i];
        if (e->state != FREE && e->hash == hash && e->key_size == key->size &&
            memcmp(e->key, key->bytes, key->size) == 0)
            return e;
    }
    return NULL;
}

/* The one used longest ago of those in a state and without uses; NULL: none. */
static struct entry *oldest(struct gf_jit *jit, bool loaded)
{
    struct entry *found = NULL;
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        struct entry *e = &jit->entries[i];
        bool fits = loaded ? e->state == READY && e->pins == 0 : e->state == SEEN || e->state == FAILED;
        if (fits && (!found || e->used < found->used))
            found = e;
    }
    return found;
}

/* An entry for a program that has none, in place of an old one if need be; NULL: no memory. */
static struct entry *add(struct gf_jit *jit, const struct gf_jit_key *key, uint64_t hash)
{
    struct entry *e = NULL;
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS && !e; i++)
        if (jit->entries[i].state == FREE)
            e = &jit->entries[i];
    if (!e)
        e = oldest(jit, false);
    if (!e)
        return NULL;
    clear(e);
    e->key = malloc(key->size);
    if (!e->key)
        return NULL;
    memcpy(e->key, key->bytes, key->size);
    e->key_size = key->size;
    e->hash = hash;
    e->state = SEEN;
    return e;
}

/* What the thread does next: the entry that has waited longest. */
static struct entry *next(struct gf_jit *jit)
{
    struct entry *found = NULL;
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        struct entry *e = &jit->entries[i];
        if (e->state == WAITING && (!found || e->work->turn < found->work->turn))
            found = e;
    }
    return found;
}

/* A kernel was made: makes room for it. True where it may stay; *ret_gone is what has to be unloaded then, if it has a
 * library. */
static bool make_room(struct gf_jit *jit, struct gf_jit_module *ret_gone)
{
    if (jit->figures.loaded < GF_JIT_KERNELS)
        return true;
    struct entry *e = oldest(jit, true);
    if (!e)
        return false;
    *ret_gone = e->module;
    e->module = (struct gf_jit_module){.library = NULL};
    e->state = SEEN; /* no job finds it any more, and those that did have ended */
    e->looked = false;
    jit->figures.loaded--;
    return true;
}

/* Counts what became of a program. */
static enum state outcome_of(struct gf_jit *jit, enum gf_jit_made made)
{
    struct gf_jit_figures *f = &jit->figures;
    jit->broken = made == GF_JIT_MAKE_BROKEN ? jit->broken + 1 : made == GF_JIT_MAKE_NOTHING ? jit->broken : 0;
    f->off = f->off || made == GF_JIT_MAKE_OFF || jit->broken >= BROKEN_MAX;
    f->compiled += made == GF_JIT_MAKE_COMPILED;
    f->from_files += made == GF_JIT_MAKE_FROM_FILE;
    f->failed += made == GF_JIT_MAKE_FAILED || made == GF_JIT_MAKE_BROKEN;
    switch (made) {
    case GF_JIT_MAKE_COMPILED:
    case GF_JIT_MAKE_FROM_FILE:
        return READY;
    case GF_JIT_MAKE_FAILED:
    case GF_JIT_MAKE_BROKEN:
        return FAILED;
    default:
        return SEEN;
    }
}

/* Makes the kernel of an entry, which is MAKING. The mutex is held before and after. */
static void make(struct gf_jit *jit, struct entry *e)
{
    struct gf_jit_module module = {.library = NULL}, gone = {.library = NULL};
    struct gf_jit_work *work = gf_steal_ptr(&e->work);
    const struct gf_jit_disk_key key = {e->key, e->key_size};
    bool off = jit->figures.off;
    (void)pthread_mutex_unlock(&jit->mutex);
    enum gf_jit_made made = off ? GF_JIT_MAKE_NOTHING : gf_jit_make(&jit->maker, work, &key, &module);
    (void)pthread_mutex_lock(&jit->mutex);
    e->looked = true;
    e->layout = gf_jit_layout_of(&work->spec);
    enum state outcome = outcome_of(jit, made);
    if (outcome == READY && make_room(jit, &gone)) { /* e is MAKING yet, so that it is not what makes room */
        e->module = module;
        jit->figures.loaded++;
    } else if (outcome == READY) {
        gone = module;
        outcome = SEEN;
    }
    e->state = outcome;
    free(work);
    if (gone.library) {
        (void)pthread_mutex_unlock(&jit->mutex);
        jit->loader.unload(jit->loader.data, &gone);
        (void)pthread_mutex_lock(&jit->mutex);
    }
}

static void *run(void *data)
{
    struct gf_jit *jit = data;
    (void)pthread_mutex_lock(&jit->mutex);
    while (!jit->over) {
        struct entry *e = next(jit);
        if (e) {
            e->state = MAKING;
            jit->figures.waiting--;
            jit->busy = true;
            make(jit, e);
            jit->busy = false;
        } else {
            (void)pthread_cond_broadcast(&jit->idle);
            (void)pthread_cond_wait(&jit->work, &jit->mutex);
        }
    }
    (void)pthread_cond_broadcast(&jit->idle);
    (void)pthread_mutex_unlock(&jit->mutex);
    return NULL;
}

/* Gives an entry to the thread, if that has room, and starts the thread if need be. */
static void submit(struct gf_jit *jit, struct entry *e, const struct gf_jit_spec *spec, bool compile)
{
    if (jit->figures.waiting == GF_JIT_WAITING || jit->figures.off)
        return;
    if (!jit->started && pthread_create(&jit->thread, NULL, run, jit) != 0)
        return;
    jit->started = true;
    e->work = gf_jit_work_new(spec, compile, jit->clock);
    if (!e->work)
        return;
    e->state = WAITING;
    jit->figures.waiting++;
    (void)pthread_cond_signal(&jit->work);
}

bool gf_jit_find(struct gf_jit *jit, const struct gf_jit_spec *spec, uint64_t bytes, struct gf_jit_use *ret_use)
{
    struct gf_jit_key key;
    gf_jit_key_of(spec, &key);
    uint64_t hash = hash_of(&key);
    (void)pthread_mutex_lock(&jit->mutex);
    struct entry *e = find(jit, &key, hash);
    if (!e)
        e = add(jit, &key, hash);
    if (e) {
        e->uses++;
        e->used = ++jit->clock;
    }
    if (e && e->state == SEEN) {
        bool compile = e->uses > 1 || bytes >= GF_JIT_LARGE || jit->all;
        if (compile || (!e->looked && jit->maker.disk.folder >= 0))
            submit(jit, e, spec, compile);
    }
    while (jit->all && e && (e->state == WAITING || e->state == MAKING)) {
        (void)pthread_cond_wait(&jit->idle, &jit->mutex);
        e = find(jit, &key, hash);
    }
    bool ready = e && e->state == READY;
    if (ready) {
        e->pins++;
        *ret_use = (struct gf_jit_use){(uint32_t)(e - jit->entries), e->module, e->layout};
    }
    jit->figures.runs_compiled += ready;
    jit->figures.runs_interpreted += !ready;
    (void)pthread_mutex_unlock(&jit->mutex);
    return ready;
}

void gf_jit_done(struct gf_jit *jit, uint32_t entry)
{
    (void)pthread_mutex_lock(&jit->mutex);
    jit->entries[entry].pins--;
    (void)pthread_mutex_unlock(&jit->mutex);
}

void gf_jit_figures(struct gf_jit *jit, struct gf_jit_figures *ret_figures)
{
    (void)pthread_mutex_lock(&jit->mutex);
    *ret_figures = jit->figures;
    (void)pthread_mutex_unlock(&jit->mutex);
}

void gf_jit_settle(struct gf_jit *jit)
{
    (void)pthread_mutex_lock(&jit->mutex);
    while (jit->started && !jit->over && (jit->busy || jit->figures.waiting > 0))
        (void)pthread_cond_wait(&jit->idle, &jit->mutex);
    (void)pthread_mutex_unlock(&jit->mutex);
}

static void freep(struct gf_jit **jit)
{
    gf_jit_free(*jit);
}

enum gf_status gf_jit_new(const struct gf_jit_options *options, struct gf_jit **ret_jit, struct gf_error *err)
{
    gf_cleanup(freep) struct gf_jit *jit = calloc(1, sizeof(*jit));
    if (!jit)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for kernels of expressions");
    jit->stop[0] = jit->stop[1] = jit->maker.disk.folder = -1;
    (void)pthread_mutex_init(&jit->mutex, NULL);
    (void)pthread_cond_init(&jit->work, NULL);
    (void)pthread_cond_init(&jit->idle, NULL);
    if (pipe2(jit->stop, O_CLOEXEC) < 0)
        return gf_error_set(err, GF_E_NO_MEMORY, "no pipe for kernels of expressions");
    jit->loader = options->loader;
    jit->all = options->all;
    jit->maker = (struct gf_jit_maker){
        .arch = options->arch,
        .loader = &jit->loader,
        .compiler = {.program = options->compiler ? options->compiler : "/proc/self/exe",
                     .stop = jit->stop[0],
                     .timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : GF_JIT_TIMEOUT_MS}};
    (void)gf_jit_disk_open(options->folder, &jit->maker.disk);
    *ret_jit = gf_steal_ptr(&jit);
    return GF_OK;
}

void gf_jit_free(struct gf_jit *jit)
{
    if (!jit)
        return;
    (void)pthread_mutex_lock(&jit->mutex);
    jit->over = true;
    (void)pthread_cond_signal(&jit->work);
    (void)pthread_mutex_unlock(&jit->mutex);
    if (jit->started) {
        ssize_t told = write(jit->stop[1], "", 1);
        (void)told;
        (void)pthread_join(jit->thread, NULL);
    }
    gf_jit_compiler_deinit(&jit->maker.compiler);
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        if (jit->entries[i].state == READY)
            jit->loader.unload(jit->loader.data, &jit->entries[i].module);
        clear(&jit->entries[i]);
    }
    gf_jit_disk_close(&jit->maker.disk);
    gf_closep(&jit->stop[0]);
    gf_closep(&jit->stop[1]);
    (void)pthread_cond_destroy(&jit->idle);
    (void)pthread_cond_destroy(&jit->work);
    (void)pthread_mutex_destroy(&jit->mutex);
    free(jit);
}

/* SPDX-License-Identifier: MIT */
/*
 * The table of kernels; see jit.h. An entry goes from SEEN to WAITING to MAKING, then to READY, FAILED, or back to
 * SEEN. Only the thread moves it out of WAITING and MAKING. A FAILED entry becomes SEEN after a while if the compiler
 * broke. The mutex guards all entries; nothing slow happens while it is held.
 */
#include "jit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"

#define BROKEN_MAX 4u /* consecutive times that the compiler may break before it is paused */
#define PAUSE_NS (GF_JIT_PAUSE_MS * GF_NS_PER_MS)
#define RETRY_NS (GF_JIT_RETRY_MS * GF_NS_PER_MS)

enum state { FREE, SEEN, WAITING, MAKING, READY, FAILED };

struct entry {
    enum state state;
    uint32_t pins; /* uses between gf_jit_find and gf_jit_done */
    uint64_t hash, uses, used;
    uint32_t key_size;
    uint8_t *key;             /* of gf_jit_key, owned */
    struct gf_jit_work *work; /* while WAITING and MAKING, owned */
    bool looked;              /* its file has been looked for */
    uint64_t again_ns;        /* of FAILED: when it becomes SEEN again; 0: never */
    struct gf_jit_layout layout;
    struct gf_jit_module module; /* of READY */
};

struct gf_jit {
    struct gf_jit_maker maker; /* used by the thread alone */
    struct gf_jit_loader loader;
    int stop[2]; /* a pipe; the thread must end once the pipe is readable */
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    pthread_t thread;
    bool started, over, busy, all;
    uint64_t (*now_ns)(void);
    uint64_t on_ns;  /* when the compiler is tried again; 0: it is in use */
    uint32_t broken; /* consecutive times that the compiler broke */
    uint32_t saved;  /* uses saved up, at most GF_JIT_SWAP_MAX */
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

/* The least recently used entry that is `loaded` and not in use, or that is SEEN or FAILED. NULL: none. */
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

/* Adds an entry for a program, replacing an old one if the table is full. NULL: no memory. */
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

/* The entry to make next: the one that has waited longest. */
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

/* Makes room for a kernel that was made. Returns whether it may stay. *ret_gone then is the module to unload, if it has
 * a library. */
static bool make_room(struct gf_jit *jit, struct gf_jit_module *ret_gone)
{
    if (jit->figures.loaded < GF_JIT_KERNELS)
        return true;
    struct entry *e = oldest(jit, true);
    if (!e)
        return false;
    *ret_gone = e->module;
    e->module = (struct gf_jit_module){.library = NULL};
    e->state = SEEN; /* no new job finds the kernel, and the jobs that used it have ended */
    e->looked = false;
    jit->figures.loaded--;
    jit->saved -= jit->saved < GF_JIT_SWAP_USES ? jit->saved : GF_JIT_SWAP_USES;
    return true;
}

/* Whether there is room for one kernel more than already wait: free room, or room for which enough uses are saved up.
 */
static bool has_room(const struct gf_jit *jit)
{
    uint32_t n = jit->figures.loaded + jit->figures.waiting + jit->busy + 1;
    return jit->all || n <= GF_JIT_KERNELS || (n - GF_JIT_KERNELS) * GF_JIT_SWAP_USES <= jit->saved;
}

static bool is_off(const struct gf_jit *jit)
{
    return jit->on_ns != 0 && jit->now_ns() < jit->on_ns;
}

/* Pauses the compiler if it broke too often, is missing, or cannot be started. After a pause, breaking once more is too
 * often again. */
static void rest(struct gf_jit *jit, enum gf_jit_made made)
{
    if (made == GF_JIT_MAKE_BROKEN)
        jit->broken++;
    else if (made == GF_JIT_MAKE_COMPILED || made == GF_JIT_MAKE_FAILED)
        jit->broken = 0;
    if (made == GF_JIT_MAKE_OFF || (made == GF_JIT_MAKE_BROKEN && jit->broken >= BROKEN_MAX))
        jit->on_ns = jit->now_ns() + PAUSE_NS;
    else if (made == GF_JIT_MAKE_LATER)
        jit->on_ns = jit->now_ns() + RETRY_NS;
}

/* Counts an outcome and returns the entry's new state. */
static enum state outcome_of(struct gf_jit *jit, enum gf_jit_made made)
{
    struct gf_jit_figures *f = &jit->figures;
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

/* Makes the kernel of an entry that is MAKING. Called and returns with the mutex held. */
static void make(struct gf_jit *jit, struct entry *e)
{
    struct gf_jit_module module = {.library = NULL}, gone = {.library = NULL};
    struct gf_jit_work *work = gf_steal_ptr(&e->work);
    const struct gf_jit_disk_key key = {e->key, e->key_size};
    bool off = is_off(jit);
    (void)pthread_mutex_unlock(&jit->mutex);
    enum gf_jit_made made = off ? GF_JIT_MAKE_NOTHING : gf_jit_make(&jit->maker, work, &key, &module);
    (void)pthread_mutex_lock(&jit->mutex);
    e->looked = true;
    e->layout = gf_jit_layout_of(&work->spec);
    rest(jit, made);
    e->again_ns = made == GF_JIT_MAKE_BROKEN ? jit->now_ns() + PAUSE_NS : 0;
    enum state outcome = outcome_of(jit, made);
    if (outcome == READY && make_room(jit, &gone)) { /* e is still MAKING, so make_room() cannot choose it */
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

/* Gives an entry to the thread if there is room, and starts the thread if it does not run yet. */
static void submit(struct gf_jit *jit, struct entry *e, const struct gf_jit_spec *spec, bool compile)
{
    if (jit->figures.waiting == GF_JIT_WAITING || !has_room(jit) || is_off(jit))
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
        jit->saved += jit->saved < GF_JIT_SWAP_MAX;
    }
    if (e && e->state == FAILED && e->again_ns != 0 && jit->now_ns() >= e->again_ns)
        e->state = SEEN;
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
    ret_figures->off = is_off(jit);
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
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot create a pipe for kernels of expressions");
    jit->loader = options->loader;
    jit->all = options->all;
    jit->now_ns = options->now_ns ? options->now_ns : gf_now_ns;
    jit->saved = GF_JIT_SWAP_MAX;
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

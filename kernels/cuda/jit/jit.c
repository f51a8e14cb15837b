/* SPDX-License-Identifier: MIT */
/*
 * The table of kernels; see jit.h. An entry goes from SEEN to WAITING to MAKING, then to READY, FAILED, or back to
 * SEEN. Only the thread moves it out of MAKING. A WAITING entry becomes SEEN again if another user takes its place in
 * the queue, a FAILED entry after a while if the compiler broke. The mutex guards all entries; nothing slow happens
 * while it is held.
 */
#include "jit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/wire/worker_msg.h"
#include "shares.h"

#define BROKEN_MAX 4u /* consecutive times that the compiler may break at a user's programs before it is paused */
#define PAUSE_NS (GF_JIT_PAUSE_MS * GF_NS_PER_MS)
#define RETRY_NS (GF_JIT_RETRY_MS * GF_NS_PER_MS)

enum state { FREE, SEEN, WAITING, MAKING, READY, FAILED };

struct entry {
    enum state state;
    uint32_t user; /* in whose share it is: who used it first, or asked for its kernel, until another could take it */
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
    bool started, over, all;
    const struct entry *making; /* by the thread at present; NULL: none */
    uint64_t (*now_ns)(void);
    uint64_t on_ns;      /* when a compiler that is missing or cannot be started is tried again; 0: it is in use */
    uint64_t clock;      /* counts uses */
    uint64_t virtual_ns; /* served_ns of the user who was served last */
    struct gf_jit_shares shares;
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

/* Counts what an entry takes as held, or no longer held (-1), by its user. */
static void hold(struct gf_jit *jit, const struct entry *e, int32_t n)
{
    if (e->state != FREE)
        gf_jit_shares_hold(&jit->shares, GF_JIT_POOL_TABLE, e->user, n);
    if (e->state == WAITING)
        gf_jit_shares_hold(&jit->shares, GF_JIT_POOL_QUEUE, e->user, n);
    if (e->state == READY)
        gf_jit_shares_hold(&jit->shares, GF_JIT_POOL_PLACES, e->user, n);
}

static void set_state(struct gf_jit *jit, struct entry *e, enum state state)
{
    hold(jit, e, -1);
    e->state = state;
    hold(jit, e, 1);
}

/* Puts an entry into another user's share. */
static void give(struct gf_jit *jit, struct entry *e, uint32_t user)
{
    hold(jit, e, -1);
    e->user = user;
    hold(jit, e, 1);
}

static void clear(struct gf_jit *jit, struct entry *e)
{
    set_state(jit, e, FREE);
    free(e->key);
    free(e->work);
    memset(e, 0, sizeof(*e));
}

/* The place of a user, who is here now. What the user had whose place is taken is nobody's. */
static uint32_t user_of(struct gf_jit *jit, uint64_t id)
{
    struct gf_jit_shares *s = &jit->shares;
    uint32_t user = gf_jit_shares_find(s, id);
    if (user == GF_JIT_NOBODY) {
        user = gf_jit_shares_place(s);
        for (uint32_t i = 0; s->users[user].known && i < GF_JIT_PROGRAMS; i++)
            if (jit->entries[i].user == user)
                give(jit, &jit->entries[i], GF_JIT_NOBODY);
        s->users[user] = (struct gf_jit_user){.id = id, .known = true, .saved = GF_JIT_SWAP_MAX};
    }
    s->users[user].here_ns = jit->now_ns();
    return user;
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

/* Whether an entry can go out of a pool now. */
static bool can_go(const struct entry *e, enum gf_jit_pool pool)
{
    switch (pool) {
    case GF_JIT_POOL_TABLE:
        return e->state == SEEN || e->state == FAILED;
    case GF_JIT_POOL_QUEUE:
        return e->state == WAITING;
    default:
        return e->state == READY && e->pins == 0;
    }
}

/* The entry that goes out of a full pool so that the user can have one more: the least recently used one of the user
 * who must give one up. NULL: none. */
static struct entry *loser(struct gf_jit *jit, enum gf_jit_pool pool, uint32_t user)
{
    struct entry *found = NULL;
    uint32_t highest = 0;
    uint64_t now = jit->now_ns();
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        struct entry *e = &jit->entries[i];
        uint32_t rank = can_go(e, pool) ? gf_jit_shares_rank(&jit->shares, pool, e->user, user, now) : 0;
        if (rank > highest || (rank > 0 && rank == highest && e->used < found->used)) {
            found = e;
            highest = rank;
        }
    }
    return found;
}

/* Adds an entry for a program, replacing an old one if the table is full. NULL: no memory. */
static struct entry *add(struct gf_jit *jit, const struct gf_jit_key *key, uint64_t hash, uint32_t user)
{
    struct entry *e = NULL;
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS && !e; i++)
        if (jit->entries[i].state == FREE)
            e = &jit->entries[i];
    if (!e)
        e = loser(jit, GF_JIT_POOL_TABLE, user);
    if (!e)
        return NULL;
    clear(jit, e);
    e->key = malloc(key->size);
    if (!e->key)
        return NULL;
    memcpy(e->key, key->bytes, key->size);
    e->key_size = key->size;
    e->hash = hash;
    e->user = user;
    set_state(jit, e, SEEN);
    return e;
}

/* Whether `a` is made before `b`: users who had less of the thread's time come first, a user's entries in order. */
static bool is_before(const struct gf_jit *jit, const struct entry *a, const struct entry *b)
{
    uint64_t had = jit->shares.users[a->user].served_ns, other = jit->shares.users[b->user].served_ns;
    return had < other || (had == other && a->work->turn < b->work->turn);
}

/* The entry to make next. */
static struct entry *next(struct gf_jit *jit)
{
    struct entry *found = NULL;
    for (uint32_t i = 0; i < GF_JIT_PROGRAMS; i++) {
        struct entry *e = &jit->entries[i];
        if (e->state == WAITING && (!found || is_before(jit, e, found)))
            found = e;
    }
    return found;
}

/* Makes room for a kernel that was made for a user, who pays only for replacing a kernel of their own. Returns whether
 * it may stay. *ret_gone then is the module to unload, if it has a library. */
static bool make_room(struct gf_jit *jit, uint32_t user, struct gf_jit_module *ret_gone)
{
    if (jit->shares.held[GF_JIT_POOL_PLACES] < GF_JIT_KERNELS)
        return true;
    struct entry *e = loser(jit, GF_JIT_POOL_PLACES, user);
    if (!e)
        return false;
    *ret_gone = e->module;
    e->module = (struct gf_jit_module){.library = NULL};
    set_state(jit, e, SEEN); /* no new job finds the kernel, and the jobs that used it have ended */
    e->looked = false;
    uint32_t *saved = &jit->shares.users[user].saved;
    if (e->user == user)
        *saved -= *saved < GF_JIT_SWAP_USES ? *saved : GF_JIT_SWAP_USES;
    return true;
}

/* How many kernels are to be made for a user. */
static uint32_t asked_by(const struct gf_jit *jit, uint32_t user)
{
    return jit->shares.users[user].held[GF_JIT_POOL_QUEUE] + (jit->making && jit->making->user == user);
}

/* Whether there is room for one kernel more of a user than are to be made: free room, room that others have to give up,
 * or the user's own, for which enough uses are saved up. */
static bool has_room(const struct gf_jit *jit, uint32_t user)
{
    const struct gf_jit_shares *s = &jit->shares;
    uint32_t n = s->held[GF_JIT_POOL_PLACES] + s->held[GF_JIT_POOL_QUEUE] + (jit->making != NULL) + 1;
    if (jit->all || n <= GF_JIT_KERNELS)
        return true;
    uint32_t asked = asked_by(jit, user) + 1, over = n - GF_JIT_KERNELS, need = over < asked ? over : asked;
    uint32_t spare = gf_jit_shares_spare(s, GF_JIT_POOL_PLACES, user, asked, jit->now_ns());
    return need <= spare || (need - spare) * GF_JIT_SWAP_USES <= s->users[user].saved;
}

static bool is_off_for_all(const struct gf_jit *jit)
{
    return jit->now_ns() < jit->on_ns;
}

/* Whether the compiler is paused: for all, or for this user. */
static bool is_off(const struct gf_jit *jit, uint32_t user)
{
    return is_off_for_all(jit) || jit->now_ns() < jit->shares.users[user].on_ns;
}

/* Pauses the compiler for all if it is missing or cannot be started, and notes why; and for a user at whose programs it
 * broke too often. After such a pause, breaking once more is too often again. */
static void rest(struct gf_jit *jit, uint32_t user, enum gf_jit_made made, const struct gf_error *why)
{
    struct gf_jit_user *u = &jit->shares.users[user];
    if (made == GF_JIT_MAKE_BROKEN && ++u->broken >= BROKEN_MAX)
        u->on_ns = jit->now_ns() + PAUSE_NS;
    else if (made == GF_JIT_MAKE_COMPILED || made == GF_JIT_MAKE_FAILED)
        u->broken = 0;
    else if (made == GF_JIT_MAKE_OFF)
        jit->on_ns = jit->now_ns() + PAUSE_NS;
    else if (made == GF_JIT_MAKE_LATER)
        jit->on_ns = jit->now_ns() + RETRY_NS;
    if (is_off_for_all(jit) && why->text[0])
        memcpy(jit->figures.why, why->text, sizeof(jit->figures.why));
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
    struct gf_error why = {.text = ""};
    struct gf_jit_work *work = gf_steal_ptr(&e->work);
    const struct gf_jit_disk_key key = {e->key, e->key_size};
    bool off = is_off(jit, e->user);
    uint64_t start = jit->now_ns();
    (void)pthread_mutex_unlock(&jit->mutex);
    enum gf_jit_made made = off ? GF_JIT_MAKE_NOTHING : gf_jit_make(&jit->maker, work, &key, &module, &why);
    (void)pthread_mutex_lock(&jit->mutex);
    uint64_t took = jit->now_ns() - start;
    jit->shares.users[e->user].served_ns += took;
    jit->shares.users[e->user].due_ns += took;
    e->looked = true;
    e->layout = gf_jit_layout_of(&work->spec);
    rest(jit, e->user, made, &why);
    e->again_ns = made == GF_JIT_MAKE_BROKEN ? jit->now_ns() + PAUSE_NS : 0;
    enum state outcome = outcome_of(jit, made);
    if (outcome == READY && make_room(jit, e->user, &gone)) { /* e is still MAKING, so make_room() cannot choose it */
        e->module = module;
    } else if (outcome == READY) {
        gone = module;
        outcome = SEEN;
    }
    set_state(jit, e, outcome);
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
            set_state(jit, e, MAKING);
            jit->virtual_ns = jit->shares.users[e->user].served_ns;
            jit->making = e;
            make(jit, e);
            jit->making = NULL;
        } else {
            (void)pthread_cond_broadcast(&jit->idle);
            (void)pthread_cond_wait(&jit->work, &jit->mutex);
        }
    }
    (void)pthread_cond_broadcast(&jit->idle);
    (void)pthread_mutex_unlock(&jit->mutex);
    return NULL;
}

/* Makes room in the queue for an entry of the user: a free place, or one that another user has to give up. */
static bool has_turn(struct gf_jit *jit, uint32_t user)
{
    if (jit->shares.held[GF_JIT_POOL_QUEUE] < GF_JIT_WAITING)
        return true;
    struct entry *e = loser(jit, GF_JIT_POOL_QUEUE, user);
    if (!e || e->user == user)
        return false;
    free(gf_steal_ptr(&e->work));
    set_state(jit, e, SEEN);
    return true;
}

/* Gives an entry to the thread for a user if there is room, and starts the thread if it does not run yet. A user for
 * whom nothing was to be made has saved up no time. */
static void submit(struct gf_jit *jit, struct entry *e, uint32_t user, const struct gf_jit_spec *spec, bool compile)
{
    uint64_t *served_ns = &jit->shares.users[user].served_ns;
    if (is_off(jit, user) || !has_room(jit, user))
        return;
    if (!jit->started && pthread_create(&jit->thread, NULL, run, jit) != 0)
        return;
    jit->started = true;
    if (!has_turn(jit, user))
        return;
    e->work = gf_jit_work_new(spec, jit->shares.users[user].id, compile, jit->clock);
    if (!e->work)
        return;
    if (asked_by(jit, user) == 0)
        *served_ns = gf_max_u64(*served_ns, jit->virtual_ns);
    give(jit, e, user);
    set_state(jit, e, WAITING);
    (void)pthread_cond_signal(&jit->work);
}

/* Puts an entry that the user uses into the user's share if this user could take it from its user now. */
static void take_over(struct gf_jit *jit, struct entry *e, uint32_t user)
{
    enum gf_jit_pool pool = e->state == READY ? GF_JIT_POOL_PLACES : GF_JIT_POOL_TABLE;
    uint32_t room = e->state == READY ? GF_JIT_KERNELS : GF_JIT_PROGRAMS;
    if (e->user != user && e->state != WAITING && e->state != MAKING && jit->shares.held[pool] == room &&
        gf_jit_shares_rank(&jit->shares, pool, e->user, user, jit->now_ns()) > 0)
        give(jit, e, user);
}

bool gf_jit_find(struct gf_jit *jit, const struct gf_jit_spec *spec, uint64_t user_id, uint64_t bytes,
                 struct gf_jit_use *ret_use)
{
    struct gf_jit_key key;
    gf_jit_key_of(spec, &key);
    uint64_t hash = hash_of(&key);
    (void)pthread_mutex_lock(&jit->mutex);
    uint32_t user = user_of(jit, user_id);
    struct entry *e = find(jit, &key, hash);
    if (!e)
        e = add(jit, &key, hash, user);
    if (e) {
        take_over(jit, e, user);
        e->uses++;
        e->used = ++jit->clock;
        jit->shares.users[user].saved += jit->shares.users[user].saved < GF_JIT_SWAP_MAX;
    }
    if (e && e->state == FAILED && e->again_ns != 0 && jit->now_ns() >= e->again_ns)
        set_state(jit, e, SEEN);
    if (e && e->state == SEEN) {
        bool compile = e->uses > 1 || bytes >= GF_JIT_LARGE || jit->all;
        if (compile || (!e->looked && jit->maker.disk.folder >= 0))
            submit(jit, e, user, spec, compile);
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
    ret_figures->loaded = jit->shares.held[GF_JIT_POOL_PLACES];
    ret_figures->waiting = jit->shares.held[GF_JIT_POOL_QUEUE];
    if (!is_off_for_all(jit))
        ret_figures->why[0] = '\0';
    ret_figures->off = false;
    for (uint32_t i = 0; i < GF_JIT_USERS && !ret_figures->off; i++)
        ret_figures->off = is_off(jit, i);
    (void)pthread_mutex_unlock(&jit->mutex);
}

void gf_jit_take_times(struct gf_jit *jit, struct gf_compile_times *ret_times)
{
    _Static_assert(GF_MAX_COMPILE_TIMES >= GF_JIT_USERS, "all users are told");
    ret_times->n = 0;
    (void)pthread_mutex_lock(&jit->mutex);
    for (uint32_t i = 0; i < GF_JIT_USERS; i++) {
        struct gf_jit_user *user = &jit->shares.users[i];
        if (user->due_ns > 0)
            ret_times->of[ret_times->n++] = (struct gf_compile_time){user->id, user->due_ns};
        user->due_ns = 0;
    }
    (void)pthread_mutex_unlock(&jit->mutex);
}

void gf_jit_settle(struct gf_jit *jit)
{
    (void)pthread_mutex_lock(&jit->mutex);
    while (jit->started && !jit->over && (jit->making || jit->shares.held[GF_JIT_POOL_QUEUE] > 0))
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
        clear(jit, &jit->entries[i]);
    }
    gf_jit_disk_close(&jit->maker.disk);
    gf_closep(&jit->stop[0]);
    gf_closep(&jit->stop[1]);
    (void)pthread_cond_destroy(&jit->idle);
    (void)pthread_cond_destroy(&jit->work);
    (void)pthread_mutex_destroy(&jit->mutex);
    free(jit);
}

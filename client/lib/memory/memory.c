/* SPDX-License-Identifier: MIT */
/* Arenas and the blocks in them, allocated best fit. Called by client.c and placement.c. */
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "protocol/base/limits.h"
#include "protocol/base/shared_memory.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE)) /* 4 KiB, on AArch64 up to 64 KiB, as FIRST_MIN */
#define MOST_BYTES (SIZE_MAX / 2 < GF_MAX_BYTES ? SIZE_MAX / 2 : GF_MAX_BYTES) /* half of 32 bits */
/* Size of a client's first arena; larger only where the daemon accepts few arenas. */
#define FIRST_MIN (64ull << 10)
#define FIRST_MAX (16ull << 20)
#define MAX_DOUBLINGS 32u
#define POISON 0xDB
#define GRAVES 8u  /* without `guards` */
#define LATELY 32u /* requests: what the latest 32 to 64 needed is kept */

/* Blocks do not overlap, so that the block which contains an address equals one of a byte there. */
static int by_address(const void *left, const void *right)
{
    const struct gf_block *a = left, *b = right;
    if ((uintptr_t)a->data + a->size <= (uintptr_t)b->data)
        return -1;
    return (uintptr_t)a->data >= (uintptr_t)b->data + b->size;
}

/* In order of size, then of address. */
static int by_size(const void *left, const void *right)
{
    const struct gf_block *a = left, *b = right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return ((uintptr_t)a->data > (uintptr_t)b->data) - ((uintptr_t)a->data < (uintptr_t)b->data);
}

/* A search for the smallest block of at least `size` bytes. */
struct fit {
    uint64_t size;
    struct gf_block *best;
};

static int narrow(const void *key, const void *block)
{
    struct fit *fit = (struct fit *)(uintptr_t)key;
    struct gf_block *b = (struct gf_block *)(uintptr_t)block;
    if (b->size < fit->size)
        return 1;
    fit->best = b;
    return -1;
}

static bool block_add(struct gf_memory *m, struct gf_block *b, uint64_t length)
{
    b->length = length;
    b->used = tsearch(b, &m->blocks, by_address) != NULL;
    return b->used;
}

void gf_memory_init(struct gf_memory *m)
{
    *m = (struct gf_memory){.next_id = 1, .max_arena_bytes = UINT64_MAX, .max_arenas = UINT64_MAX};
}

/* The arenas of all clients that share their memory with a daemon. */
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gf_arena *g_arenas;
static int g_unwatched; /* why forks are not followed; 0: they are */

static void before_fork(void)
{
    pthread_mutex_lock(&g_lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&g_lock);
}

/* What the child writes stays its own, as in ordinary memory. Without memory for that, it may only read. */
static void in_child(void)
{
    for (struct gf_arena *a = g_arenas; a != NULL; a = a->next_in_process) {
        const int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
        if (mmap(a->base, a->size, PROT_READ | PROT_WRITE, flags, a->fd, 0) == MAP_FAILED)
            mprotect(a->base, a->size, PROT_READ);
    }
    g_arenas = NULL; /* the child's own children get a copy of them in the usual way */
    pthread_mutex_unlock(&g_lock);
}

static void watch_forks(void)
{
    g_unwatched = pthread_atfork(before_fork, after_fork, in_child);
}

static void arena_add(struct gf_arena *a)
{
    pthread_mutex_lock(&g_lock);
    a->next_in_process = g_arenas;
    g_arenas = a;
    pthread_mutex_unlock(&g_lock);
}

/* Only unmapped afterwards: a child must not map it anew. */
static void arena_forget(const struct gf_arena *a)
{
    pthread_mutex_lock(&g_lock);
    struct gf_arena **at = &g_arenas;
    while (*at != NULL && *at != a)
        at = &(*at)->next_in_process;
    if (*at != NULL)
        *at = a->next_in_process;
    pthread_mutex_unlock(&g_lock);
}

/* Addresses of memory that was freed. Nothing else gets them, so that who still uses them is refused, or ended by a
 * signal. */
struct gf_grave {
    void *data;
    size_t size;
    struct gf_grave *next;
};

/* Gives up all graves but the first `kept`. */
static void graves_free(struct gf_memory *m, uint64_t kept)
{
    struct gf_grave **at = &m->graves;
    while (*at != NULL && kept-- > 0)
        at = &(*at)->next;
    while (*at != NULL) {
        struct gf_grave *grave = *at;
        *at = grave->next;
        munmap(grave->data, grave->size);
        free(grave);
    }
}

/* Where the addresses of a process are few (32 bits) or limited (ulimit -v), none are kept free. */
static bool has_addresses(void)
{
    struct rlimit limit;
    return sizeof(void *) > 4 && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

static void bury(struct gf_memory *m, void *data, size_t size)
{
    struct gf_grave *grave = m->guards || has_addresses() ? malloc(sizeof(*grave)) : NULL;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (grave == NULL || mmap(data, size, PROT_NONE, flags, -1, 0) == MAP_FAILED) {
        free(grave);
        munmap(data, size);
        return;
    }
    *grave = (struct gf_grave){.data = data, .size = size, .next = m->graves};
    m->graves = grave;
    if (!m->guards)
        graves_free(m, GRAVES);
}

static void arena_free(struct gf_memory *m, struct gf_arena *a)
{
    arena_forget(a);
    while (a->first != NULL) {
        struct gf_block *b = a->first;
        a->first = b->next;
        free(b);
    }
    bury(m, a->base, a->size);
    gf_closep(&a->fd);
    free(a);
}

static void plain_free(struct gf_memory *m, struct gf_block *b)
{
    if (b->guarded)
        bury(m, b->data, b->size);
    else
        free(b->data);
    free(b);
}

/* With all memory. Blocks of arenas are freed with their arena. */
static void plain_leave(void *block)
{
    struct gf_block *b = block;
    if (b->arena != NULL)
        return;
    if (b->guarded)
        munmap(b->data, b->size);
    else
        free(b->data);
    free(b);
}

static void leave(void *block)
{
    (void)block;
}

void gf_memory_deinit(struct gf_memory *m)
{
    tdestroy(m->blocks, plain_leave);
    tdestroy(m->spare, leave);
    while (m->arenas != NULL) {
        struct gf_arena *a = m->arenas;
        m->arenas = a->next;
        arena_free(m, a);
    }
    graves_free(m, 0);
    gf_memory_init(m);
}

/* Makes a block free. Without memory for that it is lost. */
static void spare_add(struct gf_memory *m, struct gf_block *b)
{
    b->lost = tsearch(b, &m->spare, by_size) == NULL;
    b->arena->n_lost += b->lost;
}

static bool is_free(const struct gf_block *b)
{
    return b != NULL && !b->used && !b->lost;
}

/* Joins a block with the one behind it, both outside the tree of free blocks. */
static void join(struct gf_block *b)
{
    struct gf_block *rest = b->next;
    b->size += rest->size;
    b->next = rest->next;
    if (b->next != NULL)
        b->next->prev = b;
    free(rest);
}

/* Makes a block free, joined with the free blocks beside it. */
static void spare_join(struct gf_memory *m, struct gf_block *b)
{
    if (is_free(b->next)) {
        tdelete(b->next, &m->spare, by_size);
        join(b);
    }
    if (is_free(b->prev)) {
        b = b->prev;
        tdelete(b, &m->spare, by_size);
        join(b);
    }
    spare_add(m, b);
}

/* Gives out the first `size` bytes of a free block; the rest becomes a block of its own. */
static bool block_take(struct gf_memory *m, struct gf_block *b, size_t size, uint64_t length)
{
    struct gf_block *rest = b->size > size ? malloc(sizeof(*rest)) : NULL;
    const size_t whole = b->size;
    if (rest == NULL && whole > size)
        return false;
    tdelete(b, &m->spare, by_size);
    b->size = size;
    if (!block_add(m, b, length)) {
        b->size = whole;
        free(rest);
        spare_add(m, b);
        return false;
    }
    b->arena->n_used++;
    if (rest == NULL)
        return true;
    *rest =
        (struct gf_block){.data = b->data + size, .size = whole - size, .arena = b->arena, .prev = b, .next = b->next};
    if (rest->next != NULL)
        rest->next->prev = rest;
    b->next = rest;
    spare_add(m, rest);
    return true;
}

/* The smallest free block of at least `size` bytes, or NULL. */
static struct gf_block *spare_find(const struct gf_memory *m, uint64_t size)
{
    struct fit fit = {.size = size};
    (void)tfind(&fit, &m->spare, narrow);
    return fit.best;
}

/* Size of the next arena, within the daemon's limits: what it is made for, and at least twice as much for each arena
 * that is there already, so that a client with little data has little memory, and the last arena that the daemon
 * accepts reaches the last of the bytes that it accepts. No more than that, because all of it is cleared at once. */
static enum gf_status next_size(const struct gf_memory *m, uint64_t size, uint64_t *ret, struct gf_error *err)
{
    const uint64_t left = (m->max_arena_bytes - gf_min_u64(m->arena_bytes, m->max_arena_bytes)) & ~(uint64_t)(PAGE - 1);
    const uint64_t share = m->max_arena_bytes >> gf_min_u64(m->max_arenas, 63);
    const uint64_t first = gf_max_u64(gf_min_u64(share, FIRST_MAX), FIRST_MIN);
    uint64_t want = gf_max_u64(size, first << gf_min_u64(m->n_arenas, MAX_DOUBLINGS));
    if (size > left || m->n_arenas >= m->max_arenas)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%" PRIu64 " bytes in addition to the %" PRIu64 " shared in %" PRIu32
                            " arenas exceed the daemon's limits of %" PRIu64 " bytes in %" PRIu64
                            " (arena-bytes, arenas)",
                            size, m->arena_bytes, m->n_arenas, m->max_arena_bytes, m->max_arenas);
    if (want > GF_HUGE_PAGE / 2)
        want = gf_round_up(want, GF_HUGE_PAGE);
    *ret = gf_min_u64(want, left);
    return GF_OK;
}

/* Makes shared memory and maps it. NULL: errno says why. */
static void *shared_pages(uint64_t bytes, int *ret_fd)
{
    gf_cleanup(gf_closep) int fd = gf_shared_memory_open("gpufilter-arena", bytes);
    void *base = fd >= 0 ? gf_shared_memory_map(fd, bytes, true) : NULL;
    if (base != NULL)
        *ret_fd = gf_steal_fd(&fd);
    return base;
}

static enum gf_status arena_new(struct gf_memory *m, uint64_t size, struct gf_error *err)
{
    uint64_t bytes = 0;
    enum gf_status status = next_size(m, size, &bytes, err);
    if (status != GF_OK)
        return status;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, watch_forks) != 0 || g_unwatched != 0)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    gf_cleanup(gf_freep) struct gf_arena *a = malloc(sizeof(*a));
    gf_cleanup(gf_freep) struct gf_block *b = malloc(sizeof(*b));
    if (a == NULL || b == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    int fd = -1;
    void *base = shared_pages(bytes, &fd);
    if (base == NULL && bytes > size) {
        bytes = size;
        base = shared_pages(bytes, &fd);
    }
    if (base == NULL)
        return gf_error_set(err, errno == EMFILE || errno == ENFILE ? GF_E_RESOURCE_FDS : GF_E_NO_MEMORY,
                            "cannot get %" PRIu64 " bytes of shared memory: %s%s", bytes, strerror(errno),
                            errno == EFBIG ? "; ulimit -f limits it" : "");
    *b = (struct gf_block){.data = base, .size = (size_t)bytes, .arena = a};
    *a = (struct gf_arena){.id = m->next_id++, .base = base, .size = b->size, .next = m->arenas};
    a->fd = fd;
    a->first = b;
    arena_add(a);
    spare_add(m, gf_steal_ptr(&b));
    m->arenas = gf_steal_ptr(&a);
    m->n_arenas++;
    m->arena_bytes += bytes;
    return GF_OK;
}

static enum gf_status check_size(uint64_t size, size_t *ret_pages, struct gf_error *err)
{
    uint64_t pages = 0;
    if (size == 0)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "0 bytes requested; must be at least 1");
    if (size > MOST_BYTES || !gf_align_u64(size, PAGE, &pages))
        return gf_error_set(err, GF_E_TOO_LARGE, "%" PRIu64 " bytes requested; allowed: up to %" PRIu64, size,
                            (uint64_t)MOST_BYTES);
    *ret_pages = (size_t)pages;
    return GF_OK;
}

/* Makes the last page of a block inaccessible, as far as the system has room for one more mapping. */
static void guard(struct gf_block *b)
{
    b->guarded = true;
    (void)mprotect(b->data + b->size - PAGE, PAGE, PROT_NONE);
}

static enum gf_status shared(struct gf_memory *m, bool guarded, uint64_t size, struct gf_block **ret_block,
                             struct gf_error *err)
{
    size_t pages = 0;
    enum gf_status status = check_size(size, &pages, err);
    pages += guarded ? PAGE : 0;
    struct gf_block *b = status == GF_OK ? spare_find(m, pages) : NULL;
    if (status == GF_OK && b == NULL) {
        status = arena_new(m, pages, err);
        b = m->arenas != NULL ? m->arenas->first : NULL;
    }
    if (status == GF_OK && (!is_free(b) || !block_take(m, b, pages, size)))
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (status == GF_OK && guarded)
        guard(b);
    if (status == GF_OK)
        *ret_block = b;
    return status;
}

/* Memory of whole pages; NULL: there is none. */
static void *plain_pages(size_t pages, bool guarded)
{
    void *data = NULL;
    if (guarded) {
        data = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return data != MAP_FAILED ? data : NULL;
    }
    bool large = pages >= GF_HUGE_PAGE;
    if (posix_memalign(&data, large ? GF_HUGE_PAGE : PAGE, pages) != 0)
        return NULL;
    if (large)
        (void)madvise(data, pages, MADV_HUGEPAGE); /* the first touch of a small page takes longer than copying it */
    return data;
}

static enum gf_status plain(struct gf_memory *m, bool guarded, uint64_t size, struct gf_block **ret_block,
                            struct gf_error *err)
{
    size_t pages = 0;
    enum gf_status status = check_size(size, &pages, err);
    if (status != GF_OK)
        return status;
    pages += guarded ? PAGE : 0;
    struct gf_block *b = malloc(sizeof(*b));
    void *data = b != NULL ? plain_pages(pages, guarded) : NULL;
    if (data == NULL) {
        free(b);
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot get %zu bytes of memory", pages);
    }
    *b = (struct gf_block){.data = data, .size = pages, .guarded = guarded};
    if (!block_add(m, b, size)) {
        plain_free(m, b);
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    if (guarded)
        guard(b);
    *ret_block = b;
    return GF_OK;
}

enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err)
{
    return shared(m, m->guards, size, ret_block, err);
}

enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err)
{
    return plain(m, m->guards, size, ret_block, err);
}

enum gf_status gf_memory_staging(struct gf_memory *m, bool in_arena, uint64_t size, struct gf_block **ret_block,
                                 struct gf_error *err)
{
    return in_arena ? shared(m, false, size, ret_block, err) : plain(m, false, size, ret_block, err);
}

static void arena_remove(struct gf_memory *m, struct gf_arena *a)
{
    struct gf_arena **at = &m->arenas;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    m->n_arenas--;
    m->arena_bytes -= a->size;
    for (struct gf_block *b = a->first; b != NULL; b = b->next)
        if (is_free(b))
            tdelete(b, &m->spare, by_size);
    if (m->removed != NULL)
        m->removed(m->user, a);
    arena_free(m, a);
}

/* Removes empty arenas, those first that no request has used for longest, until the rest is no more than what requests
 * have needed lately. */
static void trim(struct gf_memory *m)
{
    const uint64_t kept = gf_max_u64(m->needed[0], m->needed[1]);
    for (;;) {
        struct gf_arena *oldest = NULL;
        uint64_t empty = 0;
        for (struct gf_arena *a = m->arenas; a != NULL; a = a->next) {
            if (a->n_used > 0)
                continue;
            empty += a->size;
            if (oldest == NULL || a->needed < oldest->needed)
                oldest = a;
        }
        if (empty <= kept)
            return;
        arena_remove(m, oldest);
    }
}

static void block_free(struct gf_memory *m, struct gf_block *b)
{
    struct gf_arena *a = b->arena;
    tdelete(b, &m->blocks, by_address);
    if (a == NULL) {
        plain_free(m, b);
        return;
    }
    if (b->guarded) {
        memset(b->data, POISON, b->size - PAGE);
        (void)mprotect(b->data, b->size, PROT_NONE);
    }
    b->used = b->freed = false;
    b->lost = b->tainted || b->guarded;
    a->n_lost += b->lost;
    a->n_used--;
    if (!b->lost)
        spare_join(m, b);
    if (a->n_used > 0)
        return;
    if (a->n_lost > 0)
        arena_remove(m, a);
    else
        trim(m);
}

bool gf_memory_free(struct gf_memory *m, const void *data)
{
    struct gf_block *b = gf_memory_find(m, data);
    if (b == NULL || b->data != data || b->freed)
        return false;
    b->freed = true;
    if (b->users == 0)
        block_free(m, b);
    return true;
}

struct gf_block *gf_memory_hold(struct gf_memory *m, struct gf_block *b)
{
    b->users++;
    if (b->arena != NULL && b->arena->n_holds++ == 0) {
        m->busy += b->arena->size;
        m->needed[0] = gf_max_u64(m->needed[0], m->busy);
    }
    return b;
}

void gf_memory_release(struct gf_memory *m, struct gf_block *b)
{
    if (b == NULL)
        return;
    if (b->arena != NULL && --b->arena->n_holds == 0) {
        m->busy -= b->arena->size;
        b->arena->needed = ++m->n_needs;
    }
    if (--b->users == 0 && b->freed)
        block_free(m, b);
}

void gf_memory_ended(struct gf_memory *m)
{
    if (++m->n_ended < LATELY)
        return;
    m->n_ended = 0;
    m->needed[1] = m->needed[0];
    m->needed[0] = m->busy;
    trim(m);
}

void gf_memory_taint(struct gf_block *b)
{
    if (b != NULL)
        b->tainted = true;
}

struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id)
{
    struct gf_arena *a = m->arenas;
    while (a != NULL && a->id != id)
        a = a->next;
    return a;
}

struct gf_block *gf_memory_find(const struct gf_memory *m, const void *data)
{
    const struct gf_block at = {.data = (uint8_t *)(uintptr_t)data, .size = 1};
    struct gf_block *const *found = tfind(&at, &m->blocks, by_address);
    return found != NULL ? *found : NULL;
}

static bool touches(const void *base, uint64_t size, const void *data, uint64_t bytes)
{
    const uintptr_t b = (uintptr_t)base, at = (uintptr_t)data;
    return at < b + size && (at >= b || b - at < bytes);
}

bool gf_memory_touches(const struct gf_memory *m, const void *data, uint64_t bytes)
{
    for (const struct gf_arena *a = m->arenas; a != NULL; a = a->next)
        if (touches(a->base, a->size, data, bytes))
            return true;
    for (const struct gf_grave *grave = m->graves; grave != NULL; grave = grave->next)
        if (touches(grave->data, grave->size, data, bytes))
            return true;
    return false;
}

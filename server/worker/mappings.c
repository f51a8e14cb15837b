/* SPDX-License-Identifier: MIT */
/* Maps, counts and page-locks the shared memory that the front names by keys. Called by job_loop.c and job.c. */
#include "mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "holes.h"
#include "pins.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "protocol/base/shared_memory.h"
#include "say.h"

enum pin_state { UNPINNED, SETTLING, PINNED, REFUSED }; /* SETTLING: the driver is pinning or unpinning it */

struct gf_mapping {
    struct gf_hash_node node; /* by key, until it is removed */
    struct gf_node pinned;    /* among the pinned arenas */
    uint32_t users;           /* jobs that use it now */
    struct gf_pins pins;
    bool removed;
    bool staging;
    enum pin_state pin;
    enum gf_status status; /* why there is no memory */
    int error;             /* errno of a failed mmap; 0: holes were found */
    uint32_t watch;        /* for holes; GF_NO_WATCH: none */
    void *data;
    uint64_t size;
};

static struct gf_mapping *find(const struct gf_mappings *m, uint64_t key)
{
    struct gf_hash_node *node = gf_hash_find(&m->by_key, key);
    return node != NULL ? gf_container(node, struct gf_mapping, node) : NULL;
}

/* Ends the count of a pinned arena's bytes. The lock must be held. */
static void discount(struct gf_mappings *m, struct gf_mapping *p)
{
    if (p->pin != PINNED || p->staging)
        return;
    gf_list_remove(&p->pinned);
    m->pinned -= p->size;
}

/* The mapping if it is removed and unused, so that it must be passed to destroy(); otherwise NULL. The lock must be
 * held. */
static struct gf_mapping *take_out(struct gf_mappings *m, struct gf_mapping *p)
{
    if (!p->removed || p->users > 0)
        return NULL;
    discount(m, p);
    return p;
}

/* Called without the lock, because unpinning takes milliseconds. */
static void destroy(const struct gf_mappings *m, struct gf_mapping *p)
{
    if (p == NULL)
        return;
    if (p->pin == PINNED)
        m->backend->unpin(m->device, p->data);
    gf_holes_unwatch(p->watch);
    if (p->data != NULL)
        munmap(p->data, p->size);
    free(p);
}

/* Releases the memory of an unused arena with holes and remembers that it had some. The lock must be held. */
static void give_up(struct gf_mappings *m, struct gf_mapping *p)
{
    if (p->pin == PINNED)
        m->backend->unpin(m->device, p->data);
    discount(m, p);
    p->pin = REFUSED;
    gf_holes_unwatch(p->watch);
    p->watch = GF_NO_WATCH;
    munmap(p->data, p->size);
    p->data = NULL;
    p->status = GF_E_BAD_ARENA;
    p->error = 0;
}

/* The least recently used pinned arena that is idle, or NULL. It looks at no more arenas than jobs use now, and one.
 * The lock must be held. */
static struct gf_mapping *oldest_pinned(const struct gf_mappings *m)
{
    gf_list_each(it, after, &m->pinned_arenas)
    {
        struct gf_mapping *p = gf_container(it, struct gf_mapping, pinned);
        if (p->users == 0)
            return p;
    }
    return NULL;
}

/* Unpins idle arenas, least recently used first, until `size` more bytes fit. The lock must be held; it is released
 * while the driver works. During that time a use of its own keeps the arena mapped, and threads that need the arena
 * wait until it has settled. */
static bool make_room(struct gf_mappings *m, uint64_t size)
{
    if (size > m->pinned_max)
        return false;
    while (m->pinned > m->pinned_max - size) {
        struct gf_mapping *oldest = oldest_pinned(m);
        if (oldest == NULL)
            return false;
        gf_list_remove(&oldest->pinned);
        oldest->pin = SETTLING;
        oldest->users++;
        pthread_mutex_unlock(&m->lock);
        m->backend->unpin(m->device, oldest->data);
        pthread_mutex_lock(&m->lock);
        oldest->pin = UNPINNED;
        gf_pins_evicted(&oldest->pins, m->now_ns());
        m->pinned -= oldest->size;
        oldest->users--;
        pthread_cond_broadcast(&m->settled);
        destroy(m, take_out(m, oldest)); /* no longer pinned, so this is quick */
    }
    return true;
}

/* Pins one mapping. The lock must be held; it is released while the driver works, and the caller's use keeps the memory
 * mapped. */
static void pin_one(struct gf_mappings *m, struct gf_mapping *p)
{
    p->pin = SETTLING;
    if (!p->staging && !make_room(m, p->size)) {
        p->pin = UNPINNED;
        p->pins.uses = 0;
        pthread_cond_broadcast(&m->settled);
        return;
    }
    m->pinned += p->staging ? 0 : p->size;
    pthread_mutex_unlock(&m->lock);
    struct gf_error err = {0};
    enum gf_status status = m->backend->pin(m->device, p->data, p->size, &err);
    pthread_mutex_lock(&m->lock);
    if (status != GF_OK && !m->told) {
        m->told = true;
        gf_worker_log("%s; copies to and from it are slower", err.text);
    }
    p->pin = status == GF_OK ? PINNED : REFUSED;
    p->pins.locked_ns = m->now_ns();
    if (status == GF_OK && !p->staging)
        gf_list_push(&m->pinned_arenas, &p->pinned);
    else if (!p->staging)
        m->pinned -= p->size;
    pthread_cond_broadcast(&m->settled);
}

void gf_mappings_init(struct gf_mappings *m, const struct gf_backend *backend, struct gf_device *device,
                      uint64_t pinned_max)
{
    *m = (struct gf_mappings){.backend = backend, .device = device, .pinned_max = pinned_max, .now_ns = gf_now_ns};
    /* A GPU driver that copies touches memory inside the kernel, where a signal handler does not help. */
    m->watched = strcmp(backend->name, "cpu") == 0 && gf_holes_init();
    gf_node_init(&m->pinned_arenas);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->settled, NULL);
}

void gf_mappings_deinit(struct gf_mappings *m)
{
    struct gf_hash_node *node = gf_hash_drain(&m->by_key);
    while (node != NULL) {
        struct gf_mapping *p = gf_container(node, struct gf_mapping, node);
        node = node->next;
        destroy(m, p);
    }
    gf_hash_deinit(&m->by_key);
    pthread_cond_destroy(&m->settled);
    pthread_mutex_destroy(&m->lock);
}

/* Maps the memory, or records why that failed. */
static void map_memory(const struct gf_mappings *m, struct gf_mapping *p, int fd)
{
    if (fd < 0) {
        p->error = EMFILE;
        p->status = GF_E_RESOURCE_FDS;
        return;
    }
    void *data = gf_shared_memory_map(fd, p->size, false);
    if (data == NULL) {
        p->error = errno;
        p->status = errno == ENOMEM ? GF_E_NO_MEMORY : GF_E_BAD_ARENA;
    } else if (m->watched && !p->staging && !gf_holes_watch(data, p->size, &p->watch)) {
        munmap(data, p->size);
        p->error = ENOMEM;
        p->status = GF_E_NO_MEMORY;
    } else
        p->data = data;
}

enum gf_status gf_mappings_add(struct gf_mappings *m, const struct gf_worker_map *map, int fd, struct gf_error *err)
{
    struct gf_mapping *p = calloc(1, sizeof *p);
    if (p == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "worker: no memory to record a mapping");
    *p = (struct gf_mapping){
        .size = map->size, .staging = map->staging, .pin = map->unpinned ? REFUSED : UNPINNED, .watch = GF_NO_WATCH};
    gf_node_init(&p->pinned);
    map_memory(m, p, fd);
    enum gf_status status = GF_OK;
    if (map->staging && p->data == NULL)
        status = gf_error_set(err, p->status, "worker: cannot map %llu bytes of the front's memory: %s",
                              (unsigned long long)p->size, strerror(p->error));
    pthread_mutex_lock(&m->lock);
    if (status == GF_OK && find(m, map->key) != NULL)
        status =
            gf_error_set(err, GF_E_INTERNAL, "worker: shared memory with key %" PRIu64 " exists already", map->key);
    if (status == GF_OK)
        gf_hash_add(&m->by_key, map->key, &p->node);
    pthread_mutex_unlock(&m->lock);
    if (status != GF_OK)
        destroy(m, p);
    return status;
}

void gf_mappings_remove(struct gf_mappings *m, uint64_t key)
{
    pthread_mutex_lock(&m->lock);
    struct gf_mapping *p = find(m, key);
    if (p != NULL) {
        gf_hash_remove(&m->by_key, &p->node);
        p->removed = true;
        p = take_out(m, p);
    }
    pthread_mutex_unlock(&m->lock);
    destroy(m, p);
}

enum gf_status gf_mappings_use(struct gf_mappings *m, uint64_t key, uint64_t offset, uint64_t length,
                               struct gf_mapping **ret_mapping, void **ret_data, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    uint64_t end;
    pthread_mutex_lock(&m->lock);
    struct gf_mapping *p = find(m, key);
    if (p == NULL)
        status = gf_error_set(err, GF_E_NO_SUCH_ARENA, "worker: no shared memory with key %" PRIu64, key);
    else if (gf_mappings_holed(p) || (p->data == NULL && p->error == 0))
        status = gf_error_set(err, GF_E_BAD_ARENA, "%s", GF_HOLED);
    else if (p->data == NULL)
        status = gf_error_set(err, p->status, "worker: cannot map %llu bytes: %s", (unsigned long long)p->size,
                              strerror(p->error));
    else if (!gf_add_u64(offset, length, &end) || end > p->size)
        status = gf_error_set(err, GF_E_BAD_ARENA, "bytes %llu+%llu are outside the arena of %llu bytes",
                              (unsigned long long)offset, (unsigned long long)length, (unsigned long long)p->size);
    else {
        p->users++;
        p->pins.uses++;
        if (p->pin == PINNED && !p->staging) {
            gf_list_remove(&p->pinned);
            gf_list_push(&m->pinned_arenas, &p->pinned);
        }
        *ret_mapping = p;
        *ret_data = (char *)p->data + offset;
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

void gf_mappings_pin(struct gf_mappings *m, struct gf_mapping *mapping)
{
    pthread_mutex_lock(&m->lock);
    while (mapping->pin == SETTLING)
        pthread_cond_wait(&m->settled, &m->lock);
    if (mapping->pin == UNPINNED && (mapping->staging || gf_pins_earned(&mapping->pins, m->now_ns())))
        pin_one(m, mapping);
    pthread_mutex_unlock(&m->lock);
}

bool gf_mappings_is_staging(const struct gf_mapping *mapping)
{
    return mapping->staging;
}

bool gf_mappings_holed(const struct gf_mapping *mapping)
{
    return gf_holes_found(mapping->watch);
}

void gf_mappings_unuse(struct gf_mappings *m, struct gf_mapping *mapping)
{
    pthread_mutex_lock(&m->lock);
    mapping->users--;
    if (mapping->users == 0 && gf_mappings_holed(mapping))
        give_up(m, mapping);
    mapping = take_out(m, mapping);
    pthread_mutex_unlock(&m->lock);
    destroy(m, mapping);
}

/* SPDX-License-Identifier: MIT */
/* Arenas and the blocks in them, allocated first fit. Called by client.c and placement.c. */
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"
#include "protocol/base/shared_memory.h"

#define PAGE 4096ull
/* An arena has room for so many blocks like the one it is made for, or for fewer that take so many bytes. */
#define ROOM_BLOCKS 4u
#define ROOM_BYTES (16ull << 20)
#define MAX_GROWTH (1ull << 30)

enum block_state { BLOCK_FREE, BLOCK_USED, BLOCK_LOST };

/* A run of pages of an arena, or of ordinary memory. */
struct gf_block {
    uint8_t *data;
    uint64_t size;
    enum block_state state;
    bool tainted; /* becomes LOST when it is freed */
    struct gf_block *next;
};

void gf_memory_init(struct gf_memory *m)
{
    *m = (struct gf_memory){.next_id = 1, .max_arena_bytes = UINT64_MAX, .max_arenas = UINT64_MAX};
}

static struct gf_arena *arena_free(struct gf_arena *a)
{
    while (a->blocks != NULL) {
        struct gf_block *b = a->blocks;
        a->blocks = b->next;
        free(b);
    }
    munmap(a->base, a->size);
    gf_closep(&a->fd);
    free(a);
    return NULL;
}

void gf_memory_deinit(struct gf_memory *m)
{
    while (m->arenas != NULL) {
        struct gf_arena *a = m->arenas;
        m->arenas = a->next;
        arena_free(a);
    }
    while (m->plain != NULL) {
        struct gf_block *b = m->plain;
        m->plain = b->next;
        free(b->data);
        free(b);
    }
    gf_memory_init(m);
}

/* Takes the first `size` bytes of a free block; the rest becomes a separate block. */
static bool block_take(struct gf_block *b, uint64_t size)
{
    if (b->size > size) {
        struct gf_block *rest = malloc(sizeof(*rest));
        if (rest == NULL)
            return false;
        *rest = (struct gf_block){.data = b->data + size, .size = b->size - size, .next = b->next};
        b->next = rest;
        b->size = size;
    }
    b->state = BLOCK_USED;
    return true;
}

static void *arena_take(struct gf_arena *a, uint64_t size)
{
    for (struct gf_block *b = a->blocks; b != NULL; b = b->next)
        if (b->state == BLOCK_FREE && b->size >= size)
            return block_take(b, size) ? b->data : NULL;
    return NULL;
}

/* Size of the next arena, within the daemon's limit: room for a few blocks, or as much as the arenas so far have
 * together, so that there are few. No more than that, because all of it is cleared at once. */
static enum gf_status next_size(const struct gf_memory *m, uint64_t size, uint64_t *ret, struct gf_error *err)
{
    uint64_t left = m->max_arena_bytes > m->arena_bytes ? m->max_arena_bytes - m->arena_bytes : 0;
    const uint64_t blocks = gf_max_u64(gf_min_u64(ROOM_BYTES / size, ROOM_BLOCKS), 1);
    const uint64_t growth = gf_min_u64(m->arena_bytes, MAX_GROWTH);
    uint64_t want = gf_max_u64(blocks * size, growth), whole = 0;
    left &= ~(PAGE - 1);
    if (size > left || m->n_arenas >= m->max_arenas)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%" PRIu64 " bytes in addition to the %" PRIu64 " shared in %" PRIu32
                            " arenas exceed the daemon's limits of %" PRIu64 " bytes in %" PRIu64,
                            size, m->arena_bytes, m->n_arenas, m->max_arena_bytes, m->max_arenas);
    if (gf_align_u64(want, GF_HUGE_PAGE, &whole))
        want = whole;
    *ret = want < left ? want : left;
    return GF_OK;
}

static enum gf_status arena_new(struct gf_memory *m, uint64_t size, struct gf_error *err)
{
    uint64_t bytes = 0;
    enum gf_status status = next_size(m, size, &bytes, err);
    if (status != GF_OK)
        return status;
    gf_cleanup(gf_freep) struct gf_arena *a = malloc(sizeof(*a));
    gf_cleanup(gf_freep) struct gf_block *b = malloc(sizeof(*b));
    gf_cleanup(gf_closep) int fd = gf_shared_memory_open("gpufilter-arena", bytes);
    if (fd < 0 && bytes > size) {
        bytes = size;
        fd = gf_shared_memory_open("gpufilter-arena", bytes);
    }
    if (a == NULL || b == NULL || fd < 0)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot get %" PRIu64 " bytes of shared memory: %s%s", bytes,
                            strerror(errno), errno == EFBIG ? "; ulimit -f limits it" : "");
    void *base = gf_shared_memory_map(fd, bytes, true);
    if (base == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot map %" PRIu64 " bytes of shared memory: %s", bytes,
                            strerror(errno));
    *b = (struct gf_block){.data = base, .size = bytes};
    *a = (struct gf_arena){.id = m->next_id++, .base = base, .size = bytes, .next = m->arenas};
    a->fd = gf_steal_fd(&fd);
    a->blocks = gf_steal_ptr(&b);
    m->arenas = gf_steal_ptr(&a);
    m->n_arenas++;
    m->arena_bytes += bytes;
    return GF_OK;
}

static enum gf_status check_size(uint64_t size, uint64_t *ret_pages, struct gf_error *err)
{
    if (size == 0)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "0 bytes requested; must be at least 1");
    if (size > GF_MAX_BYTES || !gf_align_u64(size, PAGE, ret_pages))
        return gf_error_set(err, GF_E_TOO_LARGE, "%" PRIu64 " bytes requested; allowed: up to %" PRIu64, size,
                            (uint64_t)GF_MAX_BYTES);
    return GF_OK;
}

enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err)
{
    uint64_t pages = 0;
    void *data = NULL;
    enum gf_status status = check_size(size, &pages, err);
    for (struct gf_arena *a = m->arenas; status == GF_OK && a != NULL && data == NULL; a = a->next)
        data = arena_take(a, pages);
    if (status == GF_OK && data == NULL) {
        status = arena_new(m, pages, err);
        data = status == GF_OK ? arena_take(m->arenas, pages) : NULL;
    }
    if (status == GF_OK && data == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (status == GF_OK)
        *ret_data = data;
    return status;
}

enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err)
{
    uint64_t pages = 0;
    enum gf_status status = check_size(size, &pages, err);
    if (status != GF_OK)
        return status;
    gf_cleanup(gf_freep) struct gf_block *b = malloc(sizeof(*b));
    void *data = NULL;
    bool large = pages >= GF_HUGE_PAGE;
    if (b == NULL || posix_memalign(&data, large ? GF_HUGE_PAGE : PAGE, pages) != 0)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot get %" PRIu64 " bytes of memory", pages);
    if (large)
        (void)madvise(data, pages, MADV_HUGEPAGE); /* the first touch of a small page takes longer than copying it */
    *b = (struct gf_block){.data = data, .size = pages, .state = BLOCK_USED, .next = m->plain};
    m->plain = gf_steal_ptr(&b);
    *ret_data = data;
    return GF_OK;
}

/* Joins a free block with the free blocks after it. */
static void join(struct gf_block *b)
{
    while (b->state == BLOCK_FREE && b->next != NULL && b->next->state == BLOCK_FREE) {
        struct gf_block *rest = b->next;
        b->size += rest->size;
        b->next = rest->next;
        free(rest);
    }
}

/* Whether an arena has lost blocks and no used ones, so that it can be released. */
static bool spent(const struct gf_arena *a)
{
    bool lost = false;
    for (const struct gf_block *b = a->blocks; b != NULL; b = b->next) {
        if (b->state == BLOCK_USED)
            return false;
        lost = lost || b->state == BLOCK_LOST;
    }
    return lost;
}

static void arena_remove(struct gf_memory *m, struct gf_arena *a)
{
    struct gf_arena **at = &m->arenas;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    m->n_arenas--;
    m->arena_bytes -= a->size;
    arena_free(a);
}

static bool plain_free(struct gf_memory *m, const void *data)
{
    for (struct gf_block **at = &m->plain; *at != NULL; at = &(*at)->next) {
        struct gf_block *b = *at;
        if (b->data != data)
            continue;
        *at = b->next;
        free(b->data);
        free(b);
        return true;
    }
    return false;
}

void gf_memory_free(struct gf_memory *m, void *data)
{
    if (data == NULL || plain_free(m, data))
        return;
    for (struct gf_arena *a = m->arenas; a != NULL; a = a->next) {
        struct gf_block *before = NULL, *b = a->blocks;
        for (; b != NULL && (b->data != data || b->state != BLOCK_USED); b = b->next)
            before = b;
        if (b == NULL)
            continue;
        b->state = b->tainted ? BLOCK_LOST : BLOCK_FREE;
        join(b);
        if (before != NULL)
            join(before);
        if (spent(a))
            arena_remove(m, a);
        return;
    }
}

void gf_memory_taint(struct gf_memory *m, const void *data)
{
    const uintptr_t at = (uintptr_t)data;
    for (struct gf_arena *a = m->arenas; a != NULL; a = a->next)
        for (struct gf_block *b = a->blocks; b != NULL; b = b->next)
            if (b->state == BLOCK_USED && at >= (uintptr_t)b->data && at - (uintptr_t)b->data < b->size)
                b->tainted = true;
}

struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id)
{
    struct gf_arena *a = m->arenas;
    while (a != NULL && a->id != id)
        a = a->next;
    return a;
}

struct gf_arena *gf_memory_find(struct gf_memory *m, const void *data, const struct gf_view *view)
{
    const uintptr_t at = (uintptr_t)data;
    uint64_t bytes = gf_view_bytes(view);
    if (at % gf_dtype_size(view->dtype) != 0)
        return NULL;
    for (struct gf_arena *a = m->arenas; a != NULL; a = a->next) {
        const uintptr_t base = (uintptr_t)a->base;
        if (at < base || at - base >= a->size)
            continue;
        for (const struct gf_block *b = a->blocks; b != NULL; b = b->next) {
            uint64_t offset = at - (uintptr_t)b->data;
            if (at >= (uintptr_t)b->data && offset < b->size)
                return b->state == BLOCK_USED && bytes <= b->size - offset ? a : NULL;
        }
    }
    return NULL;
}

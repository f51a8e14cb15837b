/* SPDX-License-Identifier: MIT */
/* Admission and table of arenas; see arenas.h. */
#include "arenas.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x20
#endif

#ifndef SYS_cachestat /* missing in headers before Linux 6.5 */
#define SYS_cachestat 451
#endif

/* How far behind the end of a file its blocks are looked for, in about 0.1 ms if all are there. */
#define LOOK_BEHIND (16ull << 20)

#define SEALS_NEEDED (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

void gf_arenas_init(struct gf_arenas *arenas)
{
    *arenas = (struct gf_arenas){0};
    gf_node_init(&arenas->list);
    gf_node_init(&arenas->dropping);
}

void gf_arenas_deinit(struct gf_arenas *arenas)
{
    gf_list_each(it, after, &arenas->list) gf_arenas_remove(arenas, gf_container(it, struct gf_arena, node));
    gf_list_each(it, after, &arenas->dropping) gf_arenas_remove(arenas, gf_container(it, struct gf_arena, node));
    gf_hash_deinit(&arenas->by_id);
}

static enum gf_status check_access(int flags, struct gf_error *err)
{
    if (flags & O_PATH)
        return gf_error_set(err, GF_E_BAD_ARENA, "the descriptor is O_PATH; it must be open for reading and writing");
    if ((flags & O_ACCMODE) != O_RDWR)
        return gf_error_set(err, GF_E_BAD_ARENA, "the descriptor is open for %s only; it must be open for both",
                            (flags & O_ACCMODE) == O_WRONLY ? "writing" : "reading");
    if (flags & O_APPEND)
        return gf_error_set(err, GF_E_BAD_ARENA, "the descriptor is O_APPEND; it must be a plain memfd");
    return GF_OK;
}

enum gf_status gf_arenas_refuse(int flags, struct gf_error *err)
{
    enum gf_status status = check_access(flags, err);
    if (status == GF_OK)
        status = gf_error_set(err, GF_E_BAD_ARENA, "the descriptor must be a memfd with MFD_ALLOW_SEALING");
    return status;
}

static enum gf_status check_seals(int seals, struct gf_error *err)
{
    if ((seals & SEALS_NEEDED) != SEALS_NEEDED)
        return gf_error_set(
            err, GF_E_BAD_ARENA, "not sealed: %s%s%sthe seals must be F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL",
            seals & F_SEAL_SHRINK ? "" : "SHRINK is missing; ", seals & F_SEAL_GROW ? "" : "GROW is missing; ",
            seals & F_SEAL_SEAL ? "" : "SEAL is missing; ");
    if (seals & ~(SEALS_NEEDED | F_SEAL_EXEC))
        return gf_error_set(
            err, GF_E_BAD_ARENA,
            "sealed against writing (0x%x); the seals must be F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL only",
            (unsigned)seals);
    return GF_OK;
}

/* Allocated bytes of a file. Its st_blocks includes blocks behind the end, which fallocate makes with
 * FALLOC_FL_KEEP_SIZE; those near the end are subtracted. A client that hides blocks further away gains no more than by
 * punching holes later. Only cachestat(2) tells without the file's lock, which a client could hold for ever while this
 * loop waits: lseek(2) takes the lock, and regards allocated pages as a hole until they are written. Without cachestat,
 * before Linux 6.5, all blocks count. */
static uint64_t allocated_bytes(int fd, const struct stat *st)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), all = (uint64_t)st->st_blocks * 512;
    const struct {
        uint64_t offset, length;
    } behind = {((uint64_t)st->st_size + page - 1) / page * page, LOOK_BEHIND};
    struct {
        uint64_t cached, dirty, written_back, evicted, evicted_recently; /* pages */
    } found;
    if (syscall(SYS_cachestat, fd, &behind, &found, 0) < 0)
        return all;
    uint64_t there = (found.cached + found.evicted) * page;
    return there < all ? all - there : 0;
}

/* Whether a descriptor may become an arena of `size` bytes: open for reading and writing, a regular file on tmpfs,
 * sealed with exactly SHRINK, GROW and SEAL, long enough, every page allocated. BAD_ARENA says what is wrong and what
 * is required. */
static enum gf_status check_descriptor(int fd, uint64_t size, struct gf_error *err)
{
    /* These two calls must come first: the server of a file that is not memory may block any other
     * system call on it. */
    int seals = fcntl(fd, F_GET_SEALS), flags = fcntl(fd, F_GETFL);
    if (seals < 0)
        return gf_arenas_refuse(flags, err);
    enum gf_status status = check_access(flags, err);
    if (status != GF_OK)
        return status;
    struct stat st;
    struct statfs fs;
    if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
        return gf_error_set(err, GF_E_BAD_ARENA, "the descriptor cannot be examined: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return gf_error_set(err, GF_E_BAD_ARENA, "the descriptor is not a regular file; it must be a memfd");
    if (fs.f_type != TMPFS_MAGIC)
        return gf_error_set(err, GF_E_BAD_ARENA,
                            "the file is not on tmpfs (type 0x%llx); it must be a memfd without MFD_HUGETLB",
                            (unsigned long long)fs.f_type);
    status = check_seals(seals, err);
    if (status != GF_OK)
        return status;
    if (size == 0)
        return gf_error_set(err, GF_E_BAD_ARENA, "an arena of 0 bytes; it must have at least 1");
    if ((uint64_t)st.st_size < size)
        return gf_error_set(err, GF_E_BAD_ARENA, "the file has %llu bytes, fewer than the %llu of the arena",
                            (unsigned long long)st.st_size, (unsigned long long)size);
    /* The whole file must be allocated, because nothing says cheaply where its blocks lie. */
    uint64_t allocated = allocated_bytes(fd, &st);
    if (allocated < (uint64_t)st.st_size)
        return gf_error_set(err, GF_E_BAD_ARENA,
                            "only %llu of %llu bytes are allocated; call fallocate before sending the memfd",
                            (unsigned long long)allocated, (unsigned long long)st.st_size);
    return GF_OK;
}

static struct gf_arena *find(struct gf_arenas *arenas, uint32_t id)
{
    struct gf_hash_node *node = gf_hash_find(&arenas->by_id, id);
    return node ? gf_container(node, struct gf_arena, by_id) : NULL;
}

enum gf_status gf_arenas_add(struct gf_arenas *arenas, struct gf_memories *memories, struct gf_account *account,
                             uint32_t id, uint64_t size, int fd, struct gf_error *err)
{
    if (find(arenas, id))
        return gf_error_set(err, GF_E_EXISTS, "arena %u exists already; drop it first or choose another number", id);
    enum gf_status status = check_descriptor(fd, size, err);
    if (status != GF_OK)
        return status;
    gf_cleanup(gf_charge_deinit) struct gf_charge count_charge = GF_CHARGE_NULL;
    gf_cleanup(gf_charge_deinit) struct gf_charge charge = GF_CHARGE_NULL;
    gf_cleanup(gf_charge_deinit) struct gf_charge pin_charge = GF_CHARGE_NULL;
    status = gf_charge_init(&count_charge, account, GF_RES_ARENA_COUNT, 1, err);
    if (status == GF_OK)
        status = gf_charge_init(&charge, account, GF_RES_ARENAS, size, err);
    if (status != GF_OK)
        return status;
    gf_charge_init(&pin_charge, account, GF_RES_PINNED, size, NULL); /* without this charge devices copy more slowly */
    gf_cleanup(gf_freep) struct gf_arena *arena = calloc(1, sizeof(*arena));
    struct gf_memory *memory = arena ? gf_memory_new(memories, fd, size, &charge, &pin_charge) : NULL;
    if (!memory)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *arena = (struct gf_arena){.count_charge = count_charge, .memory = memory, .id = id};
    count_charge = GF_CHARGE_NULL;
    gf_list_push(&arenas->list, &arena->node);
    gf_hash_add(&arenas->by_id, id, &gf_steal_ptr(&arena)->by_id);
    return GF_OK;
}

enum gf_status gf_arenas_find(struct gf_arenas *arenas, uint32_t id, struct gf_arena **ret_arena, struct gf_error *err)
{
    struct gf_arena *arena = find(arenas, id);
    if (!arena || arena->dropping)
        return gf_error_set(err, GF_E_NO_SUCH_ARENA, "arena %u %s on this connection", id,
                            arena ? "is being dropped" : "was not declared");
    *ret_arena = arena;
    return GF_OK;
}

void gf_arenas_drop(struct gf_arenas *arenas, struct gf_arena *arena, uint64_t request)
{
    arena->dropping = true;
    arena->drop_request = request;
    gf_list_remove(&arena->node);
    gf_list_push(&arenas->dropping, &arena->node);
}

void gf_arenas_remove(struct gf_arenas *arenas, struct gf_arena *arena)
{
    gf_list_remove(&arena->node);
    gf_hash_remove(&arenas->by_id, &arena->by_id);
    gf_charge_deinit(&arena->count_charge);
    gf_memory_unref(arena->memory);
    free(arena);
}

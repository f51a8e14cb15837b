/* SPDX-License-Identifier: MIT */
/* Segments and slots of the front's own shared memory; see staging.h. */
#include "staging.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/base/clock.h"
#include "protocol/base/shared_memory.h"

#define IDLE_NS (10 * GF_NS_PER_S)

struct gf_segment {
    struct gf_node node;
    struct gf_staging *staging;
    struct gf_memory *memory; /* NULL: it is being made, or could not be made */
    uint8_t *map;
    struct gf_node slots; /* used and free, in order of offset */
    uint64_t size, n_used, idle_since;
};

/* Work for a thread: memory to make, clear or return. */
struct job {
    uv_work_t work;
    struct gf_node node; /* in staging->jobs, unless memory is returned */
    struct gf_staging *staging;
    struct gf_slot *slot; /* the slot that waits for the job; NULL: memory is returned */
    gf_user_id owner;
    uint8_t *map; /* memory to clear or return, or the new mapping */
    uint64_t size;
    int fd, error; /* of new memory; errno */
};

static void unmap(uv_work_t *work)
{
    struct job *job = work->data;
    munmap(job->map, job->size);
}

static void on_unmapped(uv_work_t *work, int status)
{
    (void)status;
    free(work->data);
}

static void job_begin(struct gf_staging *staging, struct job *job, uv_work_cb act, uv_after_work_cb after)
{
    job->work.data = job;
    uv_queue_work(staging->loop, &job->work, act, after);
}

/* Returns a segment. The last unmap of a large segment frees its pages, which takes time and goes to a thread. */
static void give_back(struct gf_staging *staging, uint8_t *map, uint64_t size)
{
    struct job *job = staging->loop && size > GF_STAGING_SMALL ? malloc(sizeof(*job)) : NULL;
    if (!job) {
        munmap(map, size);
        return;
    }
    *job = (struct job){.map = map, .size = size};
    job_begin(staging, job, unmap, on_unmapped);
}

static void segment_free(struct gf_segment *segment)
{
    gf_list_each(it, after, &segment->slots) free(gf_container(it, struct gf_slot, node));
    segment->staging->total -= segment->size;
    gf_list_remove(&segment->node);
    gf_memory_unref(segment->memory);
    if (segment->map)
        give_back(segment->staging, segment->map, segment->size);
    free(segment);
}

void gf_staging_init(struct gf_staging *staging, struct gf_memories *memories, uint64_t segment_size, uint64_t max)
{
    *staging =
        (struct gf_staging){.memories = memories, .segment_size = segment_size < max ? segment_size : max, .max = max};
    staging->next_size = staging->segment_size;
    gf_node_init(&staging->segments);
    gf_node_init(&staging->jobs);
}

void gf_staging_start(struct gf_staging *staging, uv_loop_t *loop)
{
    staging->loop = loop;
}

void gf_staging_deinit(struct gf_staging *staging)
{
    staging->loop = NULL;
    gf_list_each(it, after, &staging->segments) segment_free(gf_container(it, struct gf_segment, node));
}

/* Makes shared memory and maps it; returns 0 or errno. Also called by threads. */
static int memory_make(uint64_t size, int *ret_fd, uint8_t **ret_map)
{
    gf_cleanup(gf_closep) int fd = gf_shared_memory_open("gpufilterd-staging", size);
    if (fd < 0)
        return errno;
    *ret_map = gf_shared_memory_map(fd, size, false);
    if (!*ret_map)
        return errno;
    madvise(*ret_map, size, MADV_DONTFORK); /* processes that close descriptors must not keep it (close_process.h) */
    *ret_fd = gf_steal_fd(&fd);
    return 0;
}

/* A segment with one free slot and no memory yet. */
static struct gf_segment *segment_new(struct gf_staging *staging, uint64_t size)
{
    struct gf_segment *segment = calloc(1, sizeof(*segment));
    struct gf_slot *slot = calloc(1, sizeof(*slot));
    if (!segment || !slot) {
        free(segment);
        free(slot);
        return NULL;
    }
    *segment = (struct gf_segment){.staging = staging, .size = size, .idle_since = gf_now_ns()};
    gf_node_init(&segment->slots);
    *slot = (struct gf_slot){.segment = segment, .size = size};
    gf_list_push(&segment->slots, &slot->node);
    gf_list_push(&staging->segments, &segment->node);
    staging->total += size;
    return segment;
}

/* Takes the new memory, or `why` (errno) it could not be made. */
static enum gf_status segment_fill(struct gf_segment *segment, int why, int fd, uint8_t *map, struct gf_error *err)
{
    struct gf_staging *staging = segment->staging;
    if (why != 0)
        return gf_error_set(err, why == EMFILE || why == ENFILE ? GF_E_RESOURCE_FDS : GF_E_NO_MEMORY,
                            "cannot get %llu bytes of shared memory: %s", (unsigned long long)segment->size,
                            strerror(why));
    segment->memory = gf_memory_new(staging->memories, fd, segment->size, NULL, NULL);
    if (!segment->memory) {
        close(fd);
        munmap(map, segment->size);
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    segment->map = map;
    staging->next_size =
        staging->next_size < staging->segment_size / 2 ? 2 * staging->next_size : staging->segment_size;
    return GF_OK;
}

static enum gf_status segment_fill_now(struct gf_segment *segment, struct gf_error *err)
{
    int fd = -1;
    uint8_t *map = NULL;
    int why = memory_make(segment->size, &fd, &map);
    return segment_fill(segment, why, fd, map, err);
}

void gf_staging_warm(struct gf_staging *staging, uint64_t size)
{
    if (!gf_list_empty(&staging->segments))
        return;
    staging->next_size = size < staging->segment_size ? size : staging->segment_size;
    struct gf_segment *segment = segment_new(staging, staging->next_size);
    if (segment && segment_fill_now(segment, NULL) != GF_OK)
        segment_free(segment);
}

/* The first free slot of a segment with at least `size` bytes; NULL if there is none. */
static struct gf_slot *find_in(struct gf_segment *segment, uint64_t size)
{
    gf_list_each(it, after, &segment->slots)
    {
        struct gf_slot *slot = gf_container(it, struct gf_slot, node);
        if (!slot->used && slot->size >= size)
            return slot;
    }
    return NULL;
}

/* The same over all segments of at most `largest` bytes. */
static struct gf_slot *find_free(struct gf_staging *staging, uint64_t size, uint64_t largest)
{
    gf_list_each(it, after, &staging->segments)
    {
        struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        struct gf_slot *slot = segment->memory && segment->size <= largest ? find_in(segment, size) : NULL;
        if (slot)
            return slot;
    }
    return NULL;
}

/* Whether the slot contains data of another user. */
static bool is_foreign(const struct gf_slot *slot, gf_user_id owner)
{
    return slot->mixed || (slot->owned && slot->owner != owner);
}

/* The slot is ready: it has memory and no data of other users. */
static void slot_give(struct gf_slot *slot, gf_user_id owner)
{
    slot->owner = owner;
    slot->owned = true;
    slot->mixed = slot->pending = false;
}

/* Marks the slot as used and makes the rest of it a free slot after it. The owner does not change. */
static bool slot_take(struct gf_slot *slot, uint64_t size)
{
    if (slot->size > size) {
        struct gf_slot *rest = malloc(sizeof(*rest));
        if (!rest)
            return false;
        *rest = *slot;
        rest->offset += size;
        rest->size -= size;
        gf_list_insert(slot->node.next, &rest->node);
        slot->size = size;
    }
    slot->used = true;
    slot->segment->n_used++;
    slot->segment->staging->used += slot->size;
    return true;
}

/* Returns idle segments until the total is at most `keep` bytes. If `keep` is not 0, the first segment stays unless it
 * is larger than an ordinary one. */
static void trim(struct gf_staging *staging, uint64_t idle_before, uint64_t keep)
{
    gf_list_each(it, after, &staging->segments)
    {
        struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        if (segment->n_used == 0 && segment->idle_since <= idle_before && staging->total > keep &&
            !(keep > 0 && it == staging->segments.next && segment->size <= staging->segment_size))
            segment_free(segment);
    }
}

void gf_staging_trim(struct gf_staging *staging, uint64_t now_ns)
{
    trim(staging, now_ns < IDLE_NS ? 0 : now_ns - IDLE_NS, staging->segment_size);
}

/* Bytes of segments without a used slot. */
static uint64_t idle_bytes(const struct gf_staging *staging)
{
    uint64_t bytes = 0;
    gf_list_each(it, after, &staging->segments)
    {
        const struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        bytes += segment->n_used == 0 ? segment->size : 0;
    }
    return bytes;
}

static void make(uv_work_t *work)
{
    struct job *job = work->data;
    job->error = memory_make(job->size, &job->fd, &job->map);
}

static void clear(uv_work_t *work)
{
    struct job *job = work->data;
    memset(job->map, 0, job->size);
}

/* A job has ended: tells the waiter that the slot is ready or failed, or releases the slot if no waiter is left. */
static void job_end(struct job *job, const struct gf_error *error)
{
    struct gf_staging *staging = job->staging;
    struct gf_slot *slot = job->slot;
    gf_list_remove(&job->node);
    slot_give(slot, job->owner);
    if (slot->waiter)
        staging->prepared(staging->data, slot->waiter, error);
    else
        gf_staging_release(slot);
    free(job);
    staging->changed(staging->data);
}

static void on_made(uv_work_t *work, int status)
{
    struct job *job = work->data;
    struct gf_error error = {0};
    (void)status;
    bool made = segment_fill(job->slot->segment, job->error, job->fd, job->map, &error) == GF_OK;
    job_end(job, made ? NULL : &error);
}

static void on_cleared(uv_work_t *work, int status)
{
    (void)status;
    job_end(work->data, NULL);
}

/* Whether a job of this user is running. */
static bool has_job(const struct gf_staging *staging, gf_user_id owner)
{
    gf_list_each(it, after, &staging->jobs) if (gf_container(it, struct job, node)->owner == owner) return true;
    return false;
}

/* Gives a slot that was just taken to the user: makes its segment's memory if there is none, and clears another user's
 * data; now, or in a thread. */
static enum gf_status slot_prepare(struct gf_slot *slot, gf_user_id owner, void *waiter, struct gf_error *err)
{
    struct gf_segment *segment = slot->segment;
    struct gf_staging *staging = segment->staging;
    bool dirty = is_foreign(slot, owner);
    uint64_t bytes = segment->memory ? slot->size : segment->size;
    if ((!dirty && segment->memory) || !staging->loop || bytes <= GF_STAGING_SMALL) {
        enum gf_status status = segment->memory ? GF_OK : segment_fill_now(segment, err);
        if (status == GF_OK && dirty)
            memset(gf_slot_data(slot), 0, slot->size);
        if (status == GF_OK)
            slot_give(slot, owner);
        return status;
    }
    struct job *job = malloc(sizeof(*job));
    if (!job)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *job = (struct job){.staging = staging, .slot = slot, .owner = owner, .size = bytes, .fd = -1};
    job->map = segment->memory ? gf_slot_data(slot) : NULL;
    gf_list_push(&staging->jobs, &job->node);
    slot->pending = true;
    slot->waiter = waiter;
    job_begin(staging, job, segment->memory ? clear : make, segment->memory ? on_cleared : on_made);
    return GF_OK;
}

/* The slot to take, NULL if a segment must be made. An ordinary request does not use a segment that was made for a
 * large frame while there is room elsewhere; otherwise that segment would never become idle. */
static struct gf_slot *choose(struct gf_staging *staging, uint64_t need)
{
    bool any = need > staging->segment_size || need > staging->max - staging->total;
    return find_free(staging, need, any ? UINT64_MAX : staging->segment_size);
}

bool gf_staging_is_full(struct gf_staging *staging, uint64_t size)
{
    uint64_t need;
    if (!gf_align_u64(size > 0 ? size : 1, GF_STAGING_ALIGN, &need) || need > staging->max)
        return false; /* gf_staging_take refuses it with TOO_LARGE */
    return need > staging->max - staging->total + idle_bytes(staging) && !choose(staging, need);
}

/* Whether the user must wait for a running job of the same user, because this slot needs another job. */
static bool is_busy(const struct gf_staging *staging, const struct gf_slot *slot, uint64_t need, gf_user_id owner)
{
    bool job = staging->loop && (!slot || (need > GF_STAGING_SMALL && is_foreign(slot, owner)));
    return job && has_job(staging, owner);
}

bool gf_staging_fits(struct gf_staging *staging, uint64_t size, gf_user_id owner)
{
    uint64_t need;
    if (!gf_align_u64(size > 0 ? size : 1, GF_STAGING_ALIGN, &need))
        return true;
    return !gf_staging_is_full(staging, size) && !is_busy(staging, choose(staging, need), need, owner);
}

/* Takes the free slot of a new segment without memory. */
static enum gf_status add_segment(struct gf_staging *staging, uint64_t need, struct gf_slot **ret_slot,
                                  struct gf_error *err)
{
    if (need > staging->max - staging->total)
        trim(staging, UINT64_MAX, 0);
    uint64_t left = staging->max - staging->total;
    if (need > left)
        return gf_error_set(err, GF_E_BUSY, "staging is full");
    uint64_t want = need < staging->next_size ? staging->next_size : need;
    struct gf_segment *segment = segment_new(staging, want < left ? want : left);
    if (!segment)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *ret_slot = gf_container(segment->slots.next, struct gf_slot, node);
    return GF_OK;
}

enum gf_status gf_staging_take(struct gf_staging *staging, uint64_t size, gf_user_id owner, void *waiter,
                               struct gf_slot **ret_slot, struct gf_error *err)
{
    uint64_t need;
    if (!gf_align_u64(size > 0 ? size : 1, GF_STAGING_ALIGN, &need) || need > staging->max)
        return gf_error_set(err, GF_E_TOO_LARGE, "%llu bytes of inline data; the server's staging holds %llu",
                            (unsigned long long)size, (unsigned long long)staging->max);
    struct gf_slot *slot = choose(staging, need);
    if (is_busy(staging, slot, need, owner))
        return gf_error_set(err, GF_E_BUSY, "memory for another request of this user is being prepared");
    enum gf_status status = slot ? GF_OK : add_segment(staging, need, &slot, err);
    if (status != GF_OK)
        return status;
    struct gf_segment *segment = slot->segment;
    if (!slot_take(slot, need)) {
        if (!segment->memory)
            segment_free(segment);
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    status = slot_prepare(slot, owner, waiter, err);
    if (status == GF_OK)
        *ret_slot = slot;
    else
        gf_staging_release(slot);
    return status;
}

/* Joins a free slot with the free slot after it. */
static void slot_join(struct gf_slot *slot)
{
    if (slot->node.next == &slot->segment->slots)
        return;
    struct gf_slot *behind = gf_container(slot->node.next, struct gf_slot, node);
    if (behind->used)
        return;
    /* Memory that was never used takes the owner of its neighbour: only two different owners make a slot mixed. */
    slot->mixed |= behind->mixed || (slot->owned && behind->owned && slot->owner != behind->owner);
    if (!slot->owned)
        slot->owner = behind->owner;
    slot->owned |= behind->owned;
    slot->size += behind->size;
    gf_list_remove(&behind->node);
    free(behind);
}

void gf_staging_release(struct gf_slot *slot)
{
    if (!slot)
        return;
    struct gf_segment *segment = slot->segment;
    if (slot->pending) { /* job_end releases it */
        slot->waiter = NULL;
        return;
    }
    slot->used = false;
    segment->staging->used -= slot->size;
    if (--segment->n_used == 0)
        segment->idle_since = gf_now_ns();
    if (!segment->memory) { /* the memory could not be made, and no other slot of the segment is used */
        segment_free(segment);
        return;
    }
    slot_join(slot);
    if (slot->node.prev == &segment->slots)
        return;
    struct gf_slot *before = gf_container(slot->node.prev, struct gf_slot, node);
    if (!before->used)
        slot_join(before);
}

uint8_t *gf_slot_data(const struct gf_slot *slot)
{
    return slot->segment->map + slot->offset;
}

struct gf_memory *gf_slot_memory(const struct gf_slot *slot)
{
    return slot->segment->memory;
}

/* SPDX-License-Identifier: MIT */
/* Segments and slots of the front's own memory; see staging.h. */
#include "staging.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/clock.h"
#include "protocol/shared_memory.h"

#define IDLE_NS (10 * GF_NS_PER_S)

struct gf_segment {
    struct gf_node node;
    struct gf_staging *staging;
    struct gf_memory *memory;
    uint8_t *map;
    struct gf_node slots; /* used and free, side by side */
    uint64_t n_used, idle_since;
};

static void segment_free(struct gf_segment *segment)
{
    gf_list_each(it, after, &segment->slots) free(gf_container(it, struct gf_slot, node));
    munmap(segment->map, segment->memory->size);
    segment->staging->total -= segment->memory->size;
    gf_list_remove(&segment->node);
    gf_memory_unref(segment->memory);
    free(segment);
}

void gf_staging_init(struct gf_staging *staging, struct gf_memories *memories, uint64_t segment_size, uint64_t max)
{
    *staging =
        (struct gf_staging){.memories = memories, .segment_size = segment_size < max ? segment_size : max, .max = max};
    staging->next_size = staging->segment_size;
    gf_node_init(&staging->segments);
}

void gf_staging_deinit(struct gf_staging *staging)
{
    gf_list_each(it, after, &staging->segments) segment_free(gf_container(it, struct gf_segment, node));
}

static enum gf_status segment_new(struct gf_staging *staging, uint64_t size, struct gf_segment **ret_segment,
                                  struct gf_error *err)
{
    gf_cleanup(gf_closep) int fd = gf_shared_memory_open("gpufilterd-staging", size);
    if (fd < 0)
        return gf_error_set(err, errno == EMFILE || errno == ENFILE ? GF_E_RESOURCE_FDS : GF_E_NO_MEMORY,
                            "no %llu bytes of shared memory: %s", (unsigned long long)size, strerror(errno));
    void *map = gf_shared_memory_map(fd, size, false);
    if (!map)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot map %llu bytes: %s", (unsigned long long)size,
                            strerror(errno));
    struct gf_segment *segment = calloc(1, sizeof(*segment));
    struct gf_slot *slot = calloc(1, sizeof(*slot));
    struct gf_memory *memory = segment && slot ? gf_memory_new(staging->memories, fd, size, NULL, NULL) : NULL;
    if (!memory) {
        free(segment);
        free(slot);
        munmap(map, size);
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    gf_steal_fd(&fd);
    *segment = (struct gf_segment){.staging = staging, .memory = memory, .map = map, .idle_since = gf_now_ns()};
    gf_node_init(&segment->slots);
    *slot = (struct gf_slot){.segment = segment, .size = size};
    gf_list_push(&segment->slots, &slot->node);
    gf_list_push(&staging->segments, &segment->node);
    staging->total += size;
    staging->next_size =
        staging->next_size < staging->segment_size / 2 ? 2 * staging->next_size : staging->segment_size;
    *ret_segment = segment;
    return GF_OK;
}

void gf_staging_warm(struct gf_staging *staging, uint64_t size)
{
    struct gf_segment *segment;
    if (!gf_list_empty(&staging->segments))
        return;
    staging->next_size = size < staging->segment_size ? size : staging->segment_size;
    segment_new(staging, staging->next_size, &segment, NULL);
}

/* The first free slot of a segment with room for `size` bytes, NULL when there is none. */
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

/* The same of all segments that have at most `largest` bytes. */
static struct gf_slot *find_free(struct gf_staging *staging, uint64_t size, uint64_t largest)
{
    gf_list_each(it, after, &staging->segments)
    {
        struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        struct gf_slot *slot = segment->memory->size <= largest ? find_in(segment, size) : NULL;
        if (slot)
            return slot;
    }
    return NULL;
}

/* Makes the slot used, with what is left over as a free slot behind it. */
static bool slot_take(struct gf_slot *slot, uint64_t size, uid_t uid)
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
    if (slot->mixed || (slot->owned && slot->uid != uid))
        memset(gf_slot_data(slot), 0, slot->size);
    slot->uid = uid;
    slot->owned = slot->used = true;
    slot->mixed = false;
    slot->segment->n_used++;
    slot->segment->staging->used += slot->size;
    return true;
}

/* Gives back idle segments until there are no more than `keep` bytes; with `keep` the first one stays in any case,
 * unless it is larger than ordinary ones. */
static void trim(struct gf_staging *staging, uint64_t idle_before, uint64_t keep)
{
    gf_list_each(it, after, &staging->segments)
    {
        struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        if (segment->n_used == 0 && segment->idle_since <= idle_before && staging->total > keep &&
            !(keep > 0 && it == staging->segments.next && segment->memory->size <= staging->segment_size))
            segment_free(segment);
    }
}

void gf_staging_trim(struct gf_staging *staging, uint64_t now_ns)
{
    trim(staging, now_ns < IDLE_NS ? 0 : now_ns - IDLE_NS, staging->segment_size);
}

/* Bytes of segments that nothing is in. */
static uint64_t idle_bytes(const struct gf_staging *staging)
{
    uint64_t bytes = 0;
    gf_list_each(it, after, &staging->segments)
    {
        const struct gf_segment *segment = gf_container(it, struct gf_segment, node);
        bytes += segment->n_used == 0 ? segment->memory->size : 0;
    }
    return bytes;
}

bool gf_staging_is_full(struct gf_staging *staging, uint64_t size)
{
    uint64_t need;
    if (!gf_align_u64(size > 0 ? size : 1, GF_STAGING_ALIGN, &need) || need > staging->max)
        return false; /* it will be told so */
    return need > staging->max - staging->total + idle_bytes(staging) && !find_free(staging, need, UINT64_MAX);
}

bool gf_staging_fits(struct gf_staging *staging, uint64_t size, uid_t uid)
{
    (void)uid;
    return !gf_staging_is_full(staging, size);
}

enum gf_status gf_staging_take(struct gf_staging *staging, uint64_t size, uid_t uid, struct gf_slot **ret_slot,
                               struct gf_error *err)
{
    uint64_t need;
    if (!gf_align_u64(size > 0 ? size : 1, GF_STAGING_ALIGN, &need) || need > staging->max)
        return gf_error_set(err, GF_E_TOO_LARGE, "%llu bytes of inline data; the server's staging holds %llu",
                            (unsigned long long)size, (unsigned long long)staging->max);
    /* What a large frame left behind would never be idle if ordinary ones, for which there is room, went there. */
    bool any = need > staging->segment_size || need > staging->max - staging->total;
    struct gf_slot *slot = find_free(staging, need, any ? UINT64_MAX : staging->segment_size);
    if (!slot) {
        struct gf_segment *segment = NULL;
        if (need > staging->max - staging->total)
            trim(staging, UINT64_MAX, 0);
        uint64_t left = staging->max - staging->total;
        if (need > left)
            return gf_error_set(err, GF_E_BUSY, "staging is full");
        uint64_t want = need < staging->next_size ? staging->next_size : need;
        enum gf_status status = segment_new(staging, want < left ? want : left, &segment, err);
        if (status != GF_OK)
            return status;
        slot = find_in(segment, need);
    }
    if (!slot_take(slot, need, uid))
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *ret_slot = slot;
    return GF_OK;
}

/* Joins a free slot with the free slot behind it. */
static void slot_join(struct gf_slot *slot)
{
    if (slot->node.next == &slot->segment->slots)
        return;
    struct gf_slot *behind = gf_container(slot->node.next, struct gf_slot, node);
    if (behind->used)
        return;
    /* Memory never used yet takes the owner of its neighbour: only two owners make a mixture. */
    slot->mixed |= behind->mixed || (slot->owned && behind->owned && slot->uid != behind->uid);
    if (!slot->owned)
        slot->uid = behind->uid;
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
    slot->used = false;
    segment->staging->used -= slot->size;
    if (--segment->n_used == 0)
        segment->idle_since = gf_now_ns();
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

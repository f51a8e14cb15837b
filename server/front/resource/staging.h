/* SPDX-License-Identifier: MIT */
/*
 * The front's own memory for inline operands and results: memfds that grow in segments, cut into slots. Received into
 * and sent from by the kernel on the front's behalf, computed on by workers. A slot that last belonged to another user
 * is cleared completely before reuse, since an announced payload may never arrive, and its user could then read the
 * bytes that it would have covered. Slow work (making a segment, clearing a large slot, returning memory) is done by
 * threads of libuv's pool; a user has one such job at a time.
 */
#ifndef GF_FRONT_STAGING_H
#define GF_FRONT_STAGING_H

#include <uv.h>

#include "memory.h"

#define GF_STAGING_ALIGN 4096ull
#define GF_STAGING_SMALL (256u * 1024) /* bytes that are made or cleared in the loop, some 50 us */

struct gf_slot {
    struct gf_node node; /* in its segment, by offset */
    struct gf_segment *segment;
    uint64_t offset, size;
    gf_user_id owner; /* whose data is in it, where `owned` */
    bool used, owned, mixed;
    bool pending; /* used, but being made or cleared */
    void *waiter; /* who is told when it is not any more; NULL: nobody is left */
};

struct gf_staging {
    struct gf_memories *memories;
    struct gf_node segments;
    uint64_t segment_size; /* of an ordinary segment, at most */
    uint64_t next_size;    /* of the next one: doubles up to segment_size */
    uint64_t max, total;   /* bytes of all segments */
    uint64_t used;         /* bytes of all used slots */
    struct gf_node jobs;   /* of threads, that users wait for */
    uv_loop_t *loop;       /* NULL: everything is done at once */
    /* A slot is not pending any more. With an error it never will be of use: it is to be released. */
    void (*prepared)(void *data, void *waiter, const struct gf_error *error);
    /* A job has ended: what waited for room may have it. */
    void (*changed)(void *data);
    void *data;
};

/* Makes no segment yet. */
void gf_staging_init(struct gf_staging *staging, struct gf_memories *memories, uint64_t segment_size, uint64_t max);
/* From now on threads do what takes long. `prepared`, `changed` and `data` are set before. */
void gf_staging_start(struct gf_staging *staging, uv_loop_t *loop);
/* All slots are released before, and the loop has run out. */
void gf_staging_deinit(struct gf_staging *staging);

/* Makes the first segment, of `size` bytes where ordinary ones are not smaller, so that the first request need not wait
 * for it. Without memory there is none yet. */
void gf_staging_warm(struct gf_staging *staging, uint64_t size);

/* A slot of at least `size` bytes. It may be pending: then `prepared` is called with `waiter` later, unless it is
 * released before. TOO_LARGE when staging could never hold it, BUSY when it has to wait for others or for a job of the
 * same user, NO_MEMORY when the system has none. */
enum gf_status gf_staging_take(struct gf_staging *staging, uint64_t size, gf_user_id owner, void *waiter,
                               struct gf_slot **ret_slot, struct gf_error *err);
/* Whether there is room for so much now, or can be made; and whether there is not before others give some back. */
bool gf_staging_fits(struct gf_staging *staging, uint64_t size, gf_user_id owner);
bool gf_staging_is_full(struct gf_staging *staging, uint64_t size);
/* Takes NULL. */
void gf_staging_release(struct gf_slot *slot);

uint8_t *gf_slot_data(const struct gf_slot *slot);
struct gf_memory *gf_slot_memory(const struct gf_slot *slot);

/* Gives back segments in which no slot was used for ten seconds, where there is more than one ordinary segment has; not
 * the first, unless it is larger than that. Called about every second. */
void gf_staging_trim(struct gf_staging *staging, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The front's own memory for inline operands and results: memfds that grow in segments and are cut into slots. The
 * kernel receives into it and sends from it on the front's behalf; workers compute on it. Slow work (making a segment,
 * clearing a large slot, returning memory) runs in threads of libuv's pool; each user has one such job at a time.
 *
 * Whoever had a slot before, a client reads only what its own request wrote there:
 * - Clients cannot name the memory: a RUN with keys is refused (session_run.c), and handles are not in it.
 * - An upload that is cut off is dropped. A request is queued when its whole payload has arrived (session.c), so that
 *   its operands are its own.
 * - A RESULT alone sends bytes of a slot: those of the inline results, of which the first begins and the last ends the
 *   payload (program.c). An ERROR has none.
 * - A worker answers with RESULT when it has written every byte of them: the backends each sample, and job.c zeros
 *   between rows and results. tests/conformance runs every operation in memory filled with two patterns, attack.privacy
 *   looks at the answers. For parts of a request (cuda:all) all workers must have answered so.
 * - A slot is released with its task, after the answer was sent or the worker has answered or ended; a request that was
 *   cancelled, or whose client is gone, keeps its slot until then. A worker that cannot be ended is given up: what its
 *   device still stores, nothing here prevents.
 *
 * So people who share a uid or a certificate learn nothing of each other. A slot that last belonged to another uid or
 * name is cleared all the same, should a kernel ever leave a sample unwritten.
 */
#ifndef GF_FRONT_STAGING_H
#define GF_FRONT_STAGING_H

#include <uv.h>

#include "memory.h"

#define GF_STAGING_ALIGN 4096ull
#define GF_STAGING_SMALL (256u * 1024) /* bytes that the loop makes or clears itself, in some 50 us */

struct gf_slot {
    struct gf_node node; /* in its segment's list, by offset */
    struct gf_segment *segment;
    uint64_t offset, size;
    gf_user_id owner; /* if `owned`, the user whose data it contains */
    bool used, owned, mixed;
    bool pending; /* used, but being made or cleared */
    void *waiter; /* who is told when it is no longer pending; NULL: no waiter */
};

struct gf_staging {
    struct gf_memories *memories;
    struct gf_node segments;
    uint64_t segment_size; /* largest size of an ordinary segment */
    uint64_t next_size;    /* of the next segment; doubles up to segment_size */
    uint64_t max, total;   /* bytes of all segments */
    uint64_t used;         /* bytes of all used slots */
    struct gf_node jobs;   /* jobs of threads that users wait for */
    uv_loop_t *loop;       /* NULL: everything is done at once */
    /* A slot is no longer pending. With an error it is unusable and must be released. */
    void (*prepared)(void *data, void *waiter, const struct gf_error *error);
    /* A job has ended: a waiter may have its room. */
    void (*changed)(void *data);
    void *data;
};

/* Initialises without making a segment. */
void gf_staging_init(struct gf_staging *staging, struct gf_memories *memories, uint64_t segment_size, uint64_t max);
/* From now on slow work runs in threads. `prepared`, `changed` and `data` must be set before. */
void gf_staging_start(struct gf_staging *staging, uv_loop_t *loop);
/* All slots must have been released, and the loop must have run out. */
void gf_staging_deinit(struct gf_staging *staging);

/* Makes the first segment, of `size` bytes but not larger than an ordinary one, so that the first request need not wait
 * for it. Without memory no segment is made. */
void gf_staging_warm(struct gf_staging *staging, uint64_t size);

/* Takes a slot of at least `size` bytes. If the slot is pending, `prepared` is called with `waiter` later, unless the
 * slot is released first. TOO_LARGE if staging could never hold it, BUSY if the request must wait for other users or
 * for a job of the same user, NO_MEMORY if the system has none. */
enum gf_status gf_staging_take(struct gf_staging *staging, uint64_t size, gf_user_id owner, void *waiter,
                               struct gf_slot **ret_slot, struct gf_error *err);
/* Whether the size fits now, possibly in a new segment; and whether it does not fit until other
 * requests release slots. */
bool gf_staging_fits(struct gf_staging *staging, uint64_t size, gf_user_id owner);
bool gf_staging_is_full(struct gf_staging *staging, uint64_t size);
/* Releases a slot; accepts NULL. */
void gf_staging_release(struct gf_slot *slot);

uint8_t *gf_slot_data(const struct gf_slot *slot);
struct gf_memory *gf_slot_memory(const struct gf_slot *slot);

/* Returns segments that were idle for ten seconds while the total exceeds one ordinary segment. The first segment stays
 * unless it is larger than an ordinary one. Called about once a second. */
void gf_staging_trim(struct gf_staging *staging, uint64_t now_ns);

#endif

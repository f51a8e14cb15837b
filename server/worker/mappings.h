/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of one worker: staging segments and client arenas, mapped under the keys of the front, and
 * page-locked for the device by the first job that benefits from it. Used by job_loop.c and job.c; has its own lock,
 * every function may be called from any thread.
 */
#ifndef GF_WORKER_MAPPINGS_H
#define GF_WORKER_MAPPINGS_H

#include <pthread.h>

#include "kernels/backend.h"
#include "protocol/wire/worker_msg.h"

/* What is said of an arena with holes. */
#define GF_HOLED "pages of the arena were taken out of it (a hole was punched); declare one that keeps all its pages"

struct gf_mapping; /* one mapped memfd, counted */

struct gf_mappings {
    const struct gf_backend *backend;
    struct gf_device *device;
    uint64_t pinned_max, pinned; /* bytes of arenas; staging comes on top, the front bounds it */
    uint64_t clock;              /* counts uses, for the least recently used arena */
    struct gf_mapping *first;    /* newest first */
    pthread_mutex_t lock;
    pthread_cond_t settled; /* some memory was pinned, or was refused */
    bool watched;           /* holes in arenas are noticed, see holes.h */
};

/* The struct must not move afterwards. */
void gf_mappings_init(struct gf_mappings *m, const struct gf_backend *backend, struct gf_device *device,
                      uint64_t pinned_max);
/* Unpins and unmaps everything; no mapping may be in use. */
void gf_mappings_deinit(struct gf_mappings *m);

/* Maps the descriptor, shared, read and write. The descriptor stays the caller's. That an arena cannot be mapped, or
 * came without its descriptor (-1), is remembered under the key: whoever uses it gets the status and the sentence. The
 * same of staging memory, which all requests need, is an error; so is NO_MEMORY to remember anything. */
enum gf_status gf_mappings_add(struct gf_mappings *m, const struct gf_worker_map *map, int fd, struct gf_error *err);
/* Forgets the key; the memory goes when its last user does. Unknown keys are ignored. */
void gf_mappings_remove(struct gf_mappings *m, uint32_t key);

/* Takes a reference to the mapping of a key, of which [offset, offset + length) must be part, and its address.
 * NO_SUCH_ARENA, BAD_ARENA (range), or what gf_mappings_add met. */
enum gf_status gf_mappings_use(struct gf_mappings *m, uint32_t key, uint64_t offset, uint64_t length,
                               struct gf_mapping **ret_mapping, void **ret_data, struct gf_error *err);
/* Pins memory in use, if it may be pinned: staging memory at once, an arena at its second use. A job does so before it
 * copies: a thread of its own would have to wait for the driver's locks until no job copies any more. */
void gf_mappings_pin(struct gf_mappings *m, struct gf_mapping *mapping);
/* Whether memory in use is not the arena's any more, since its owner had taken pages out of it that were touched: what
 * was read and written is nothing. The arena is BAD_ARENA from then on. */
bool gf_mappings_holed(const struct gf_mapping *mapping);
void gf_mappings_unuse(struct gf_mappings *m, struct gf_mapping *mapping);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of one worker: staging segments and client arenas, mapped by the key the front gave them, pinned
 * for the device off the job path. Used by job_loop.c alone; has its own lock, every function may be called from any
 * thread.
 */
#ifndef GF_WORKER_MAPPINGS_H
#define GF_WORKER_MAPPINGS_H

#include <pthread.h>

#include "kernels/backend.h"
#include "protocol/worker_msg.h"

struct gf_mapping; /* one mapped memfd, counted */

struct gf_mappings {
    const struct gf_backend *backend;
    struct gf_device *device;
    uint64_t pinned_max, pinned; /* bytes of arenas; staging comes on top, the front bounds it */
    uint64_t clock;              /* counts uses, for the least recently used arena */
    struct gf_mapping *first;    /* newest first */
    bool stop;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t wanted; /* something to pin, or stop */
    pthread_t pinner;
};

/* Starts the thread that pins. INTERNAL when there is none to be had. The struct must not move afterwards. */
enum gf_status gf_mappings_init(struct gf_mappings *m, const struct gf_backend *backend, struct gf_device *device,
                                uint64_t pinned_max, struct gf_error *err);
/* Unpins and unmaps everything; no mapping may be in use. */
void gf_mappings_deinit(struct gf_mappings *m);

/* Maps the descriptor, shared, read and write. The descriptor stays the caller's. Staging memory is pinned at once,
 * other that may be at its second use. That an arena cannot be mapped, or came without its descriptor (-1), is
 * remembered under the key: whoever uses it gets the status and the sentence. The same of staging memory, which all
 * requests need, is an error; so is NO_MEMORY to remember anything. */
enum gf_status gf_mappings_add(struct gf_mappings *m, const struct gf_worker_map *map, int fd, struct gf_error *err);
/* Forgets the key; the memory goes when its last user does. Unknown keys are ignored. */
void gf_mappings_remove(struct gf_mappings *m, uint32_t key);

/* Takes a reference to the mapping of a key, of which [offset, offset + length) must be part, and its address.
 * NO_SUCH_ARENA, BAD_ARENA (range), or what gf_mappings_add met. */
enum gf_status gf_mappings_use(struct gf_mappings *m, uint32_t key, uint64_t offset, uint64_t length,
                               struct gf_mapping **ret_mapping, void **ret_data, struct gf_error *err);
void gf_mappings_unuse(struct gf_mappings *m, struct gf_mapping *mapping);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of one worker: staging segments and client arenas, mapped under the front's keys. The first job
 * that benefits page-locks it for the device. Used by job_loop.c and job.c. It has its own lock; every function may be
 * called from any thread.
 */
#ifndef GF_WORKER_MAPPINGS_H
#define GF_WORKER_MAPPINGS_H

#include <pthread.h>

#include "kernels/backend.h"
#include "protocol/base/hash.h"
#include "protocol/wire/worker_msg.h"

/* The error text for an arena with holes. */
#define GF_HOLED "a hole was punched into the arena; declare an arena that keeps all its pages"

struct gf_mapping; /* one mapped memfd with a reference count */

struct gf_mappings {
    const struct gf_backend *backend;
    struct gf_device *device;
    uint64_t pinned_max, pinned;  /* bytes of arenas; staging is extra and limited by the front */
    uint64_t (*now_ns)(void);     /* a clock; tests replace it */
    struct gf_hash by_key;        /* without those that are removed but still in use */
    struct gf_node pinned_arenas; /* least recently used first */
    pthread_mutex_t lock;
    pthread_cond_t settled; /* signalled when pinning has succeeded or failed */
    bool watched;           /* holes in arenas are detected, see holes.h */
    bool told;              /* the log has a reason why memory was not pinned */
};

/* The struct must not move after this call. */
void gf_mappings_init(struct gf_mappings *m, const struct gf_backend *backend, struct gf_device *device,
                      uint64_t pinned_max);
/* Unpins and unmaps everything; no mapping may be in use. */
void gf_mappings_deinit(struct gf_mappings *m);

/* Maps the descriptor, shared, for reading and writing; the caller keeps the descriptor. If an arena cannot be mapped
 * or came without its descriptor (-1), the failure is recorded under the key, and jobs that use the key get its status
 * and text. For staging memory, which all requests need, the same failure is an error. NO_MEMORY if nothing can be
 * recorded, INTERNAL if the key is in use. */
enum gf_status gf_mappings_add(struct gf_mappings *m, const struct gf_worker_map *map, int fd, struct gf_error *err);
/* Removes the key; the memory is unmapped after its last use. Unknown keys are ignored. */
void gf_mappings_remove(struct gf_mappings *m, uint64_t key);

/* Takes a reference to the mapping of a key and returns the address of [offset, offset + length). NO_SUCH_ARENA,
 * BAD_ARENA if the range is outside, or the recorded failure of gf_mappings_add. */
enum gf_status gf_mappings_use(struct gf_mappings *m, uint64_t key, uint64_t offset, uint64_t length,
                               struct gf_mapping **ret_mapping, void **ret_data, struct gf_error *err);
/* Pins memory in use, if it may be pinned: staging memory at once, an arena once it has earned it (pins.h). A job pins
 * before it copies; a separate thread would have to wait for the driver's locks until no job copies. */
void gf_mappings_pin(struct gf_mappings *m, struct gf_mapping *mapping);
/* Whether it is the front's memory, whose contents go to clients. */
bool gf_mappings_is_staging(const struct gf_mapping *mapping);
/* Whether a hole in the arena was touched, so that the mapped memory is no longer the arena's and the job's data is
 * invalid. From then on the arena is BAD_ARENA. */
bool gf_mappings_holed(const struct gf_mapping *mapping);
void gf_mappings_unuse(struct gf_mappings *m, struct gf_mapping *mapping);

#endif

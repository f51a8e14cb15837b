/* SPDX-License-Identifier: MIT */
/*
 * Handles: the client's numbers for resident buffers. The front knows each buffer's shape, its worker, and whether it
 * exists yet. A buffer is written once, by the task that makes it, so the only order between requests is "made, then
 * read". Each connection has its own table. Tasks hold references; the worker frees the memory after the last one.
 * Called by session.c and session_run.c; the dispatcher settles the handles that a task makes.
 */
#ifndef GF_FRONT_HANDLES_H
#define GF_FRONT_HANDLES_H

#include "protocol/base/hash.h"
#include "protocol/ops/program.h"
#include "protocol/wire/handle_entry.h"
#include "quota.h"

struct gf_worker;

struct gf_handles;

/* Tells a worker that the buffers with these keys are no longer needed; at most GF_WORKER_MAX_FREE. */
typedef void gf_free_buffers(struct gf_worker *worker, const uint64_t *keys, uint32_t n);

struct gf_handle {
    struct gf_handles *table;              /* NULL: the connection is gone */
    struct gf_node node;                   /* in the table's `list`, `freeing` or `freed` */
    struct gf_hash_node by_id;             /* until it is freed */
    struct gf_hash_node by_request;        /* from FREE to its answer; the key is the id of the FREE */
    struct gf_charge charge, count_charge; /* bytes, until the buffer is gone; one handle, until it is freed */
    struct gf_view view;                   /* without padding between rows */
    struct gf_worker *worker;
    gf_free_buffers *free_buffers;
    uint64_t key; /* the worker's */
    uint32_t id, refs;
    bool alive; /* counted in the table's n_alive */
    enum gf_handle_state state;
};

/* The handles of one connection. */
struct gf_handles {
    struct gf_node list;           /* oldest first */
    struct gf_node freeing, freed; /* by FREE: still used by tasks, and no longer used */
    struct gf_hash by_id, by_request;
    struct gf_worker *home; /* of the handles that exist or are being made */
    uint32_t n_alive;       /* their number */
    gf_free_buffers *free_buffers;
};

void gf_handles_init(struct gf_handles *handles, gf_free_buffers *free_buffers);
/* Drops all handles; tasks keep the buffers that they use. */
void gf_handles_deinit(struct gf_handles *handles);

/* Adds a handle whose buffer a task will make, with one reference for the table. EXISTS, QUOTA, NO_MEMORY. */
enum gf_status gf_handles_add(struct gf_handles *handles, struct gf_account *account, struct gf_worker *worker,
                              uint32_t id, uint64_t key, const struct gf_view *view, struct gf_handle **ret_handle,
                              struct gf_error *err);
/* Finds a handle that a task may read. NO_SUCH_HANDLE; DEPENDENCY if the request that makes it failed; HANDLE_LOST. */
enum gf_status gf_handles_find(struct gf_handles *handles, uint32_t id, struct gf_handle **ret_handle,
                               struct gf_error *err);
/* The worker of this connection's handles; NULL if no handle exists or is being made. */
struct gf_worker *gf_handles_worker(const struct gf_handles *handles);
/* Removes a handle whose task was not accepted after all. */
void gf_handles_undo(struct gf_handle *handle);
/* FREE: releases the number at once, and the buffer when no task uses it. NO_SUCH_HANDLE. */
enum gf_status gf_handles_free(struct gf_handles *handles, uint32_t id, uint64_t request, struct gf_error *err);
/* Whether a FREE with this id waits for its answer. */
bool gf_handles_frees(const struct gf_handles *handles, uint64_t request);
/* Takes a FREE that can be answered; false if there is none. */
bool gf_handles_freed(struct gf_handles *handles, uint64_t *ret_request);
/* A worker died: its handles are lost. */
void gf_handles_lose(struct gf_handles *handles, const struct gf_worker *worker);

struct gf_handle *gf_handle_ref(struct gf_handle *handle);
/* Dropping the last reference frees the buffer. */
void gf_handle_unref(struct gf_handle *handle);
/* The request that makes the handle ended with this status; the charge for the bytes ends if the
 * buffer does not exist. */
void gf_handle_settle(struct gf_handle *handle, enum gf_status status);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One accepted RUN on its way through the front: made by session_run.c, queued by the scheduler, run by the dispatcher,
 * freed when its answer is written. Owns everything that it is charged for.
 */
#ifndef GF_FRONT_TASK_H
#define GF_FRONT_TASK_H

#include "cost.h"
#include "handles.h"
#include "protocol/ops/footprint.h"
#include "protocol/wire/trace_context.h"
#include "staging.h"

struct gf_session;
struct gf_split;
struct gf_flow;
struct gf_worker;

/* Where a result goes, in the client's terms, and what it must be. */
struct gf_target {
    struct gf_view view; /* as inferred from the program */
    uint64_t offset;
};

#define GF_N_WAYS (GF_WAY_HANDLE + 1)

/* Bytes of operands and results, by enum gf_way. */
struct gf_traffic {
    uint64_t in[GF_N_WAYS], out[GF_N_WAYS];
};

enum gf_task_state {
    GF_TASK_UPLOADING,
    GF_TASK_QUEUED,
    GF_TASK_RUNNING,
    GF_TASK_SPLIT, /* its parts are queued or running */
    GF_TASK_ANSWERED
};

#define GF_ANY_DEVICE UINT32_MAX
#define GF_EVERY_GPU (UINT32_MAX - 1)
#define GF_ALL_GPUS "cuda:all" /* the device's name */

struct gf_task {
    struct gf_node node;        /* in its source's queue, or in its worker's list */
    struct gf_node mine;        /* in its session's list */
    struct gf_session *session; /* NULL if the connection is gone */
    struct gf_source *source;   /* NULL if the task runs and the connection is gone */
    struct gf_worker *worker;
    struct gf_task *whole;  /* the task that this one is a part of; NULL otherwise */
    struct gf_split *split; /* the parts of a whole task, gone at its end; NULL otherwise */
    struct gf_flow *flow;   /* the user's flow that is charged while the task runs */
    enum gf_task_state state;
    uint64_t number, request_id;
    uint8_t *frame; /* the RUN frame for the worker */
    size_t frame_size;
    struct gf_memory **memories; /* memory that the frame names */
    struct gf_work work;
    struct gf_target *targets;
    struct gf_handle **reads, **makes; /* resident buffers: operands, results */
    uint32_t n_memories, n_targets, n_reads, n_makes;
    struct gf_slot *slot;                         /* inline operands, then inline results; NULL without either */
    uint64_t payload_in, payload_out, out_offset; /* out_offset: where the results begin in the slot */
    struct gf_traffic traffic;
    uint64_t received_ns, started_ns, deadline_ns;
    uint64_t asked_ns; /* when the worker was asked for a sign of life; 0: not asked */
    uint64_t cost_ns;  /* estimate, while it runs */
    uint32_t device;   /* index of a worker, GF_ANY_DEVICE or GF_EVERY_GPU */
    uint32_t deaths;   /* of workers that ran it */
    uint32_t faults;   /* those that it may have caused */
    uint32_t died_on;  /* index of the worker of the first of these */
    uint64_t died_ns;  /* when that worker died */
    bool blamed;       /* found guilty of a worker's death */
    bool is_long;      /* while it runs: it is expected to be long, or has turned out to be */
    bool cancelled, trace;
    bool stop_sent;                  /* its worker was told that the task is cancelled */
    bool too_large;                  /* for the GPU that was chosen first */
    struct gf_trace_context context; /* of the client's span, for the log */
    char why[GF_MAX_WHY + 1];        /* why it runs on its device */
    struct gf_footprint footprint;   /* what it needs in a worker besides operands and results */
    struct gf_charge request_charge, staging_charge, scratch_charge;
};

/* Allocates a task for this program; NULL without memory. */
struct gf_task *gf_task_new(const struct gf_program *program);
/* Frees a task that is in no list any more, and everything it holds. Accepts NULL, returns NULL. */
struct gf_task *gf_task_free(struct gf_task *task);
void gf_task_freep(struct gf_task **task);

/* Whether a buffer that the task reads does not exist (yet, or ever). */
bool gf_task_blocked(const struct gf_task *task);
/* OK, or why a buffer that the task reads will never exist: DEPENDENCY, HANDLE_LOST. */
enum gf_status gf_task_check_reads(const struct gf_task *task, struct gf_error *err);
/* Drops the task's references to buffers, because the worker has finished with it. `status`, the status of its answer,
 * settles the buffers that it makes. */
void gf_task_settle(struct gf_task *task, enum gf_status status);

/* Writes the remaining time until the deadline into the frame; false if the deadline has passed. */
bool gf_task_stamp_deadline(struct gf_task *task, uint64_t now_ns);
/* Whether a worker's reply has the results that were inferred from the program. Clients, and this process, trust their
 * sizes; a worker may have been taken over. */
bool gf_task_is_answered_by(const struct gf_task *task, const struct gf_run_reply *reply);
/* Writes the body of the client's RESULT: the worker's reply, with the time in the front, why the task ran on its
 * device, and the client's offsets of the results. */
void gf_task_encode_reply(const struct gf_task *task, const struct gf_run_reply *from, struct gf_writer *w);

#endif

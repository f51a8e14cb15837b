/* SPDX-License-Identifier: MIT */
/*
 * One accepted RUN on its way through the front: made by session_run.c, queued by scheduler, run by dispatcher, freed
 * when its answer is written. Holds everything it is charged for.
 */
#ifndef GF_FRONT_TASK_H
#define GF_FRONT_TASK_H

#include "cost.h"
#include "handles.h"
#include "protocol/ops/footprint.h"
#include "staging.h"

struct gf_session;
struct gf_split;
struct gf_flow;
struct gf_worker;

/* Where a result goes, in the client's terms. */
struct gf_target {
    uint64_t offset, length;
    uint8_t way;
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
#define GF_ALL_GPUS "cuda:all" /* its name */

struct gf_task {
    struct gf_node node;        /* in its source's queue, or in its worker's list */
    struct gf_node mine;        /* in its session's list */
    struct gf_session *session; /* NULL when the connection is gone */
    struct gf_source *source;   /* NULL when it runs and the connection is gone */
    struct gf_worker *worker;
    struct gf_task *whole;  /* of a part; NULL otherwise */
    struct gf_split *split; /* parts of a whole, none left at its end; NULL otherwise */
    struct gf_flow *flow;   /* the user who is charged while it runs */
    enum gf_task_state state;
    uint64_t number, request_id;
    uint8_t *frame; /* the RUN for the worker */
    size_t frame_size;
    struct gf_memory **memories; /* what the frame names */
    struct gf_work work;
    struct gf_target *targets;
    struct gf_handle **reads, **makes; /* resident buffers: operands, results */
    uint32_t n_memories, n_targets, n_reads, n_makes;
    struct gf_slot *slot;                         /* inline operands, then inline results; NULL without either */
    uint64_t payload_in, payload_out, out_offset; /* out_offset: of the results in the slot */
    struct gf_traffic traffic;
    uint64_t received_ns, started_ns, deadline_ns;
    uint64_t asked_ns; /* for a sign of life while it runs; 0: none is missing */
    uint64_t cost_ns;  /* estimated, while it runs */
    uint32_t device;   /* index of a worker, GF_ANY_DEVICE or GF_EVERY_GPU */
    uint32_t deaths;   /* of workers that had it */
    uint32_t died_on;  /* index of the first of these */
    uint64_t died_ns;  /* when */
    bool convicted;    /* of the death of a worker */
    bool is_long;      /* while it runs: as expected, or as it turned out */
    bool cancelled, trace;
    bool stop_sent;                /* its worker was told that it was cancelled */
    bool too_large;                /* for the GPU that was chosen first */
    char why[GF_MAX_WHY + 1];      /* it runs where it runs */
    struct gf_footprint footprint; /* what it takes in a worker beside operands and results */
    struct gf_charge request_charge, staging_charge, scratch_charge;
};

/* Room for a task of this program; NULL without memory. */
struct gf_task *gf_task_new(const struct gf_program *program);
/* Lets go of everything; in no list any more. Takes NULL, returns NULL. */
struct gf_task *gf_task_free(struct gf_task *task);
void gf_task_freep(struct gf_task **task);

/* Whether a buffer that it reads is not there: not yet, or never. */
bool gf_task_blocked(const struct gf_task *task);
/* OK, or why a buffer that it reads will never be there: DEPENDENCY, HANDLE_LOST. */
enum gf_status gf_task_check_reads(const struct gf_task *task, struct gf_error *err);
/* Lets go of the buffers, since the worker is done with them; the status of its answer says what became of those that
 * it makes. */
void gf_task_settle(struct gf_task *task, enum gf_status status);

/* Writes what is left of the deadline into the frame; false when it has passed. */
bool gf_task_stamp_deadline(struct gf_task *task, uint64_t now_ns);

#endif

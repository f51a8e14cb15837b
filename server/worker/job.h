/* SPDX-License-Identifier: MIT */
/*
 * One job in a worker: a decoded program bound to mapped memory, with private copies of everything that is validated
 * (masks), run on an exec context, answered by a frame. Used by job_loop.c, one struct per job thread.
 */
#ifndef GF_WORKER_JOB_H
#define GF_WORKER_JOB_H

#include "buffers.h"
#include "kernels/slab/slab.h"
#include "mappings.h"
#include "protocol/fuse/fuse.h"
#include "protocol/wire/response.h"

/* Memory of this process that jobs may take beside operands and results: the front keeps to it, and where it did not
 * the job is refused. */
struct gf_worker_budget {
    uint64_t max, taken; /* bytes; taken: atomic */
    uint32_t threads;    /* of the device */
    bool cpu;            /* what steps leave for later ones is in it too */
};

struct gf_worker_job {
    uint64_t id;
    bool cancel; /* set by another thread through __atomic_store_n */
    bool alive;  /* it has looked at that since it was last asked for; atomic */
    struct gf_program program;
    struct gf_fused fused; /* what of it was fused, once it runs */
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS];
    char texts[GF_MAX_TEXTS];      /* of the program, whose frame is gone when it runs */
    void *copies[GF_MAX_OPERANDS]; /* private copies of masks and lists, by the first operand that names the memory */
    uint64_t taken;                /* of the room */
    struct gf_mapping *used[GF_MAX_OPERANDS + GF_MAX_RESULTS];
    struct gf_resident *made[GF_MAX_RESULTS]; /* resident buffers that are results */
    uint32_t n_used, n_made;
    uint64_t resident_operands, resident_sinks; /* as in gf_job */
    bool success;
    struct gf_slab slab;   /* where the program is one part of several */
    struct gf_spans spans; /* where the program asks for a trace */
    uint8_t span_records[GF_MAX_SPANS * GF_RECORD_SPAN];
    uint64_t deadline_ns;
};

/* Decodes the body of a RUN and takes the memory it names; nothing of that is read. Every success and every failure is
 * followed by gf_worker_job_release. */
enum gf_status gf_worker_job_bind(struct gf_worker_job *job, struct gf_mappings *mappings, struct gf_buffers *buffers,
                                  uint64_t id, const uint8_t *body, size_t size, struct gf_error *err);
/* Takes room for it, copies its masks and lists, and runs it, its memory pinned where that may be; fills the reply on
 * success. NO_MEMORY with the bytes where there is no room. */
enum gf_status gf_worker_job_run(struct gf_worker_job *job, struct gf_worker_budget *budget,
                                 struct gf_mappings *mappings, const struct gf_backend *backend, struct gf_exec *exec,
                                 struct gf_run_reply *ret_reply, struct gf_error *err);
/* OK, or BAD_ARENA when a job that was bound, and perhaps ran, touched a hole in an arena: then it came to nothing. */
enum gf_status gf_worker_job_check(struct gf_worker_job *job, struct gf_error *err);
/* Lets go of memory; before the answer is sent, so that resident buffers are there when the front knows of them. */
void gf_worker_job_release(struct gf_worker_job *job, struct gf_worker_budget *budget, struct gf_mappings *mappings,
                           struct gf_buffers *buffers);

#endif

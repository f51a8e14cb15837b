/* SPDX-License-Identifier: MIT */
/*
 * One job in a worker: a decoded program bound to mapped memory, with private copies of the operands that are validated
 * (masks), run on an exec context and answered by a frame. Used by job_loop.c, one struct per job thread.
 */
#ifndef GF_WORKER_JOB_H
#define GF_WORKER_JOB_H

#include "buffers.h"
#include "kernels/slab/slab.h"
#include "mappings.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/texts/parsed.h"
#include "protocol/wire/response.h"

/* The memory of this process that jobs may take besides operands and results. The front keeps to this limit; a job that
 * would exceed it is refused. */
struct gf_worker_budget {
    uint64_t max, taken; /* bytes; `taken` is atomic */
    uint32_t threads;    /* of the device */
    bool cpu;            /* a CPU: results kept for later steps count too */
};

struct gf_worker_job {
    uint64_t id;
    bool cancel; /* set by another thread through __atomic_store_n */
    bool alive;  /* the job has checked `cancel` since `alive` was last cleared; atomic */
    struct gf_program program;
    struct gf_fused fused; /* the fused steps, set when it runs */
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS];
    struct gf_parsed parsed;       /* the nodes of the program's texts */
    void *copies[GF_MAX_OPERANDS]; /* private copies of masks and lists, by the first operand that names the memory */
    uint64_t taken;                /* bytes charged to the budget */
    struct gf_mapping *used[GF_MAX_OPERANDS + GF_MAX_RESULTS];
    struct gf_resident *made[GF_MAX_RESULTS]; /* resident buffers that are results */
    uint32_t n_used, n_made;
    uint64_t resident_operands, resident_sinks; /* as in gf_job */
    uint64_t inline_sinks;                      /* those in staging memory, one bit each */
    bool success;
    struct gf_slab slab;   /* if the program is one part of several */
    struct gf_spans spans; /* if the program asks for a trace */
    uint8_t span_records[GF_MAX_SPANS * GF_RECORD_SPAN];
    uint64_t deadline_ns;
};

/* Makes the job known by its id, alive and not cancelled. */
void gf_worker_job_begin(struct gf_worker_job *job, uint64_t id);
/* Decodes the body of a RUN, which must outlive the job, and takes references to the memory it names, without reading
 * that memory. gf_worker_job_release must follow both success and failure. */
enum gf_status gf_worker_job_bind(struct gf_worker_job *job, struct gf_mappings *mappings, struct gf_buffers *buffers,
                                  const uint8_t *body, size_t size, struct gf_error *err);
/* Charges the budget, copies masks and lists, pins memory where allowed and runs the job; fills the reply on success,
 * and its times in any case, once the job has run. NO_MEMORY, with the bytes needed, if the budget is exhausted. */
enum gf_status gf_worker_job_run(struct gf_worker_job *job, struct gf_worker_budget *budget,
                                 struct gf_mappings *mappings, const struct gf_backend *backend, struct gf_exec *exec,
                                 struct gf_run_reply *ret_reply, struct gf_error *err);
/* OK, or BAD_ARENA if the job touched a hole in an arena, so that its result is invalid. */
enum gf_status gf_worker_job_check(struct gf_worker_job *job, struct gf_error *err);
/* Releases the job's memory. Called before the answer is sent, so that resident buffers exist when the front learns of
 * them. */
void gf_worker_job_release(struct gf_worker_job *job, struct gf_worker_budget *budget, struct gf_mappings *mappings,
                           struct gf_buffers *buffers);

#endif

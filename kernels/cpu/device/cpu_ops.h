/* SPDX-License-Identifier: MIT */
/* What the CPU backend can compute: one function per op, found by the op's position in the table. */
#ifndef GF_KERNELS_CPU_CPU_OPS_H
#define GF_KERNELS_CPU_CPU_OPS_H

#include "kernels/backend.h"
#include "kernels/cpu/simd/simd.h"
#include "pages.h"
#include "pool.h"

struct gf_cpu_pages;

/* Room that an exec context keeps between calls, so that its pages are there. */
struct gf_cpu_scratch {
    void *data; /* 64-byte aligned; owned by the exec context */
    size_t size;
};

/* One step to run: everything resolved to memory. */
struct gf_cpu_call {
    const struct gf_step *step;
    const struct gf_job *job;          /* for cancel and deadline */
    struct gf_buf in[GF_MAX_INPUTS];   /* without data where an optional input is left out */
    struct gf_buf out[GF_MAX_OUTPUTS]; /* data is NULL for a COUNTED output that nobody wants */
    struct gf_cpu_pool *pool;
    struct gf_cpu_scratch *scratch;
    struct gf_cpu_pages *pages; /* for what is too large to be kept, and pictures between passes */
    const struct gf_simd *simd;
};

/* Whether the tasks of a call go on. They share one of these. */
struct gf_cpu_stop {
    const struct gf_job *job;
    uint32_t reason; /* atomic: enum gf_status, OK while they go on; plain once the pool has run all tasks */
};

typedef enum gf_status gf_cpu_op_fn(const struct gf_cpu_call *call, struct gf_error *err);

struct gf_cpu_op_row {
    gf_cpu_op_fn *run;
    uint32_t dtypes[GF_MAX_INPUTS]; /* sets of GF_DT() it takes, per input */
};

/* Indexed by gf_op.index. */
extern const struct gf_cpu_op_row gf_cpu_ops[GF_N_OPS];

/* At least `size` bytes of scratch, 64-byte aligned, contents undefined but initialised. NO_MEMORY. */
enum gf_status gf_cpu_scratch_get(struct gf_cpu_scratch *scratch, uint64_t size, void **ret_data, struct gf_error *err);
/* Why a call has to stop, CANCELLED or DEADLINE; else OK. Any thread. */
enum gf_status gf_cpu_stop_reason(const struct gf_job *job);
/* Whether a task has to end: asks the job, and keeps its reason for the other tasks. Any thread. */
bool gf_cpu_stopped(struct gf_cpu_stop *stop);
/* After the last task: the reason why the call stopped, or OK. */
enum gf_status gf_cpu_stop_error(const struct gf_cpu_call *call, const struct gf_cpu_stop *stop, struct gf_error *err);

/* Bytes of a line of the cache. */
#define GF_CPU_LINE 64u

/* Asks for samples that are read later, where rows are too far apart for the processor to see what comes. */
static inline void gf_cpu_ask_for(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += GF_CPU_LINE)
        __builtin_prefetch((const char *)from + at);
}

/* What runs each op: a function of its own name, in a file of that name, or one that several ops share, such as
 * gf_cpu_filter_step, gf_cpu_reduce_step, gf_cpu_scan_step and gf_cpu_conv1d. BAD_PARAM for refused data, CANCELLED,
 * DEADLINE, NO_MEMORY. */
#define GF_RUN(op, cpu, cuda) gf_cpu_op_fn gf_cpu_##cpu;
#define GF_OUTLINE
#include "protocol/ops/ops.def"

#endif

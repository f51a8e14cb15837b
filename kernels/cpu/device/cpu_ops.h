/* SPDX-License-Identifier: MIT */
/* The CPU backend's ops: one function per op, indexed by the op's position in the table. */
#ifndef GF_KERNELS_CPU_CPU_OPS_H
#define GF_KERNELS_CPU_CPU_OPS_H

#include "kernels/backend.h"
#include "kernels/cpu/simd/simd.h"
#include "pages.h"
#include "pool.h"

struct gf_cpu_pages;

/* Scratch memory that an exec context keeps between calls, so that its pages stay mapped. */
struct gf_cpu_scratch {
    void *data; /* 64-byte aligned; owned by the exec context */
    size_t size;
};

/* One step to run, with all inputs and outputs resolved to memory. */
struct gf_cpu_call {
    const struct gf_step *step;
    const struct gf_job *job;          /* for cancellation and the deadline */
    struct gf_buf in[GF_MAX_INPUTS];   /* data is NULL for an optional input that is left out */
    struct gf_buf out[GF_MAX_OUTPUTS]; /* data is NULL for a COUNTED output without a reader */
    struct gf_cpu_pool *pool;
    struct gf_cpu_scratch *scratch;
    struct gf_cpu_pages *pages; /* for memory too large for the scratch, and for pictures between passes */
    const struct gf_simd *simd;
};

/* Whether the tasks of a call must stop; all tasks of the call share one. */
struct gf_cpu_stop {
    const struct gf_job *job;
    uint32_t reason; /* atomic: an enum gf_status, GF_OK while the tasks go on; a plain read is enough after the pool
                        has run all tasks */
};

typedef enum gf_status gf_cpu_op_fn(const struct gf_cpu_call *call, struct gf_error *err);

struct gf_cpu_op_row {
    gf_cpu_op_fn *run;
    uint32_t dtypes[GF_MAX_INPUTS]; /* the accepted dtypes as sets of GF_DT(), per input */
};

/* Indexed by gf_op.index. */
extern const struct gf_cpu_op_row gf_cpu_ops[GF_N_OPS];

/* Returns at least `size` bytes of scratch, 64-byte aligned, initialised but with unspecified contents. NO_MEMORY. */
enum gf_status gf_cpu_scratch_get(const struct gf_cpu_call *call, uint64_t size, void **ret_data, struct gf_error *err);
/* Whether a task must stop: asks the job, and records the reason for the other tasks. Any thread. */
bool gf_cpu_stopped(struct gf_cpu_stop *stop);
/* Call it after the last task: the reason why the call stopped, or OK. */
enum gf_status gf_cpu_stop_error(const struct gf_cpu_call *call, const struct gf_cpu_stop *stop, struct gf_error *err);

/* Bytes of a cache line. */
#define GF_CPU_LINE 64u

/* Prefetches samples for a later read, where rows are too far apart for the hardware prefetcher. */
static inline void gf_cpu_prefetch(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += GF_CPU_LINE)
        __builtin_prefetch((const char *)from + at);
}

/* The function that runs each op: a function with the op's own name, in a file of that name, or one that several ops
 * share, such as gf_cpu_filter_step, gf_cpu_reduce_step, gf_cpu_scan_step and gf_cpu_conv1d. Errors: BAD_PARAM for
 * refused data, CANCELLED, DEADLINE, NO_MEMORY. */
#define GF_RUN(op, cpu, cuda) gf_cpu_op_fn gf_cpu_##cpu;
#define GF_OUTLINE
#include "protocol/ops/ops.def"

#endif

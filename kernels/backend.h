/* SPDX-License-Identifier: MIT */
/*
 * The interface of a device: a small vtable. The worker includes this header and registry.h, and nothing else of
 * kernels/. Implemented by kernels/cpu and kernels/cuda.
 */
#ifndef GF_KERNELS_BACKEND_H
#define GF_KERNELS_BACKEND_H

#include <stdbool.h>

#include "protocol/ops/footprint.h"
#include "protocol/wire/span.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_device;             /* an opened device */
struct gf_expression_figures; /* protocol/wire/worker_msg.h */
struct gf_exec;               /* an execution context: a stream and scratch memory for one job at a time */

/* Memory with its shape. Host memory unless stated otherwise. */
struct gf_buf {
    void *data;
    struct gf_view view;
};

/* The destination of an output of a step. `buf.view` has the shape of the output and any pitch. */
struct gf_sink {
    uint16_t step;
    uint8_t output;
    struct gf_buf buf;
};

/* Nanoseconds, differences of CLOCK_MONOTONIC. 0 for a stage that did not run. */
struct gf_times {
    uint64_t copy_in, kernel, copy_out;
};

/* How a GPU computed the expressions of a job: by interpreting their instructions, or with a kernel compiled for
 * them. */
enum gf_expressions_ran { GF_EXPRESSIONS_INTERPRETED = 1, GF_EXPRESSIONS_COMPILED = 2 };

/*
 * A validated program on resident buffers and on host memory that stays mapped until run() returns. The owner of
 * operands and results (the arena of a client) may change their memory at any moment: no backend may use a sample as an
 * index without clamping the loaded value. COEFS operands are already private copies when run() sees them.
 */
struct gf_job {
    const struct gf_step *steps;
    const struct gf_buf *operands;
    const struct gf_sink *sinks;
    const uint64_t *skip; /* for slabs (slab.h), per sink: rows of the output before the rows that the sink stores */
    uint32_t n_steps, n_operands, n_sinks;
    const uint16_t *numbers; /* for fused steps (protocol/fuse): the program's number of each step, then its number of
                                steps; NULL: unchanged */
    uint64_t resident_operands; /* a bit per operand that is device memory: a buffer of buffer_new, or a part of one */
    uint64_t resident_sinks;    /* a bit per result that is device memory: whole buffers */
    uint64_t user;              /* who asked for the job: kernels compiled for it are in this user's share */
    const bool *cancel;         /* set by another thread with __atomic_store_n; checked between work units */
    uint64_t deadline_ns;       /* on CLOCK_MONOTONIC, 0: none; checked between work units */
    bool *alive;                /* set with __atomic_store_n at each check; NULL: not requested */
    struct gf_times times;      /* filled by run(), also when it fails: what the job took of the device */
    bool unfused;               /* each step must be computed separately */
    uint64_t *carried;     /* run() sets a bit for each step whose result a kernel passed on to the next step; NULL: not
                              requested */
    uint32_t *expressions; /* run() sets bits of enum gf_expressions_ran; NULL: not requested */
    struct gf_spans *spans; /* run() adds the times of its work; NULL: not requested */
};

/* Returns the program's number of step `i` of a job; for `i` = n_steps, the number of its steps. */
static inline uint32_t gf_job_step_number(const struct gf_job *job, uint32_t i)
{
    return job->numbers != NULL ? job->numbers[i] : i;
}

/* Finds all uses of a job's outputs and operands. */
static inline void gf_job_uses(const struct gf_job *job, struct gf_uses *ret_uses)
{
    gf_uses_find(job->steps, job->n_steps, ret_uses);
    for (uint32_t i = 0; i < job->n_sinks; i++)
        ret_uses->outputs[job->sinks[i].step][job->sinks[i].output].n_sinks++;
}

struct gf_device_info {
    char name[GF_MAX_DEVICE_NAME];   /* "cpu", "cuda:0" */
    char title[GF_MAX_DEVICE_NAME];  /* "NVIDIA H200", the processor's model name */
    char uuid[GF_MAX_DEVICE_NAME];   /* empty where there is none */
    uint64_t memory;                 /* total bytes */
    uint32_t units;                  /* threads or multiprocessors */
    char detail[GF_MAX_DEVICE_NAME]; /* "avx512", "sm_90" */
};

/* Which expressions a GPU compiles: expressions used again, while jobs go on; none; all, and jobs wait for the
 * compiler. */
enum gf_compile { GF_COMPILE_USED_AGAIN, GF_COMPILE_NONE, GF_COMPILE_ALL };

struct gf_device_options {
    const char *device;       /* "cpu", "cuda:1" or a UUID */
    uint32_t threads;         /* CPU threads, 0: all */
    const char *instructions; /* instruction set of the CPU's inner loops, a name of cpu/simd/simd.h; NULL: the fastest
                                 available. For tests */
    uint64_t device_memory; /* most bytes of GPU memory for jobs and resident buffers together; 0: no limit, or half of
                               the machine's memory for a GPU that shares it */
    uint64_t host_mapped_max; /* most bytes of host memory for images that do not fit GPU memory; 0: the share of one of
                                 the machine's GPUs (machine.h) */
    const char *kernel_cache; /* a private folder for compiled GPU kernels; NULL: none. Not used after opening */
    enum gf_compile compile;  /* for tests and benchmarks, other than the default */
    uint32_t blocks; /* most thread blocks in a grid-stride loop, 0: as many as help; tests make blocks take many units
                        of small data */
    bool cold; /* no warm-up, so the first run pays; for tests and benchmarks that run few ops under tools that make
                  each launch of the warm-up take seconds */
    /* Called while the device is opened, before its driver assembles all kernels: the build has no code for this
     * device. Opening then takes minutes unless the driver has kept the code from before. NULL: nobody asks. */
    void (*assembles)(void *data, const struct gf_device_info *info);
    void *data;
};

struct gf_backend {
    const char *name; /* "cpu", "cuda" */

    /* Opens the device and warms it up unless `cold`: afterwards no run() pays for a context, a module or a table.
     * Blocks, up to seconds, and for minutes after `assembles`. NO_DEVICE: there is none, or none that suits; BUSY: not
     * yet. Both with the reason. */
    enum gf_status (*open)(const struct gf_device_options *options, struct gf_device **ret_device,
                           struct gf_error *err);
    /* Frees everything. All execution contexts must be closed. NULL is allowed. */
    void (*close)(struct gf_device *device);
    void (*info)(const struct gf_device *device, struct gf_device_info *ret_info);
    /* Whether the op runs here with this dtype of input 0, according to the row that launches it. */
    bool (*supports)(const struct gf_device *device, const struct gf_op *op, uint32_t dtype);

    /* Makes host memory fast to copy (page-locks it for a GPU). May block for milliseconds; any thread may call it. It
     * affects speed only. unpin must get the address that pin got. */
    enum gf_status (*pin)(struct gf_device *device, void *data, size_t size, struct gf_error *err);
    void (*unpin)(struct gf_device *device, void *data);

    /* Allocates a resident buffer: a view of this shape, with a pitch that suits the device. The contents are
     * undefined. Any thread may call it, and all execution contexts may use the buffer. NO_MEMORY, NO_DEVICE_MEMORY.
     * buffer_free frees a buffer of buffer_new, which no job may use any more. */
    enum gf_status (*buffer_new)(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                 struct gf_error *err);
    void (*buffer_free)(struct gf_device *device, struct gf_buf *buf);

    /* One execution context per job thread. */
    enum gf_status (*exec_open)(struct gf_device *device, struct gf_exec **ret_exec, struct gf_error *err);
    void (*exec_close)(struct gf_exec *exec);

    /* Runs the whole program and returns when the results are in host memory. At most one thread may call it per
     * execution context at a time; different execution contexts run concurrently. BAD_PARAM for data that is refused (a
     * mask that is not finite), CANCELLED, DEADLINE, NO_MEMORY, NO_DEVICE_MEMORY, UNSUPPORTED; DEVICE_LOST means that
     * the process must end. Results are undefined after an error; operands are never written. */
    enum gf_status (*run)(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

    /* Returns what has become of the device's expressions, and compile times since the last call. Any thread may call
     * it; it does not block. NULL: the device compiles none. */
    void (*expressions)(struct gf_device *device, struct gf_expression_figures *ret_figures);

    /* gf_cuda_compiler of registry.h. NULL: the backend compiles nothing. */
    int (*compiler)(int argc, char **argv, enum gf_status (*confine)(struct gf_error *err));
};

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a device can do, behind one small vtable: the worker sees this header and registry.h, and nothing else of
 * kernels/. Implemented by kernels/cpu and kernels/cuda.
 */
#ifndef GF_KERNELS_BACKEND_H
#define GF_KERNELS_BACKEND_H

#include <stdbool.h>

#include "protocol/ops/program.h"
#include "protocol/wire/span.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_device;             /* one opened device */
struct gf_expression_figures; /* protocol/wire/worker_msg.h */
struct gf_exec;               /* room for one job at a time on a device: a stream and scratch memory */

/* Memory with its shape. Host memory unless something says otherwise. */
struct gf_buf {
    void *data;
    struct gf_view view;
};

/* Where an output of a step goes. `buf.view` has the shape of the output and any pitch. */
struct gf_sink {
    uint16_t step;
    uint8_t output;
    struct gf_buf buf;
};

/* Nanoseconds on CLOCK_MONOTONIC differences; what a stage does not have is 0. */
struct gf_times {
    uint64_t copy_in, kernel, copy_out;
};

/* How a GPU computed expressions of a job: by running their instructions, or by a kernel that was compiled for them. */
enum gf_expressions_ran { GF_EXPRESSIONS_INTERPRETED = 1, GF_EXPRESSIONS_COMPILED = 2 };

/*
 * One validated program on resident buffers and host memory that stays mapped until run() returns. The memory of
 * operands and results may be changed by its owner at any moment (a client's arena): no backend may turn a sample into
 * an index without clamping the loaded value, and COEFS operands already are private copies when run() sees them.
 */
struct gf_job {
    const struct gf_step *steps;
    const struct gf_buf *operands;
    const struct gf_sink *sinks;
    const uint64_t *skip; /* of slabs (slab.h): rows of an output before those that a sink stores, for each sink */
    uint32_t n_steps, n_operands, n_sinks;
    const uint16_t *numbers; /* of fused steps (protocol/fuse): what the program calls each step, then how many it has;
                                NULL: as here */
    uint64_t resident_operands; /* a bit for each that is the device's own memory: a buffer of buffer_new, or a part */
    uint64_t resident_sinks;    /* likewise, whole buffers */
    const bool *cancel;         /* set by another thread through __atomic_store_n; looked at between work units */
    uint64_t deadline_ns;       /* on CLOCK_MONOTONIC, 0: none; looked at likewise */
    bool *alive;                /* set at each such look through __atomic_store_n; NULL: nobody wants to know */
    struct gf_times times;      /* filled by run() */
    bool unfused;               /* each step is to be computed by itself */
    uint64_t *carried;          /* run() adds a bit for each step whose result went on to the next one inside a kernel;
                                   NULL: nobody wants to know */
    uint32_t *expressions;      /* run() adds bits of enum gf_expressions_ran; NULL: nobody wants to know */
    struct gf_spans *spans;     /* run() adds when it did what; NULL: nobody wants to know */
};

/* What the program calls step `i` of a job; for `i` = n_steps, how many it has. */
static inline uint32_t gf_job_step_number(const struct gf_job *job, uint32_t i)
{
    return job->numbers != NULL ? job->numbers[i] : i;
}

struct gf_device_info {
    char name[GF_MAX_DEVICE_NAME];   /* "cpu", "cuda:0" */
    char title[GF_MAX_DEVICE_NAME];  /* "NVIDIA H200", the processor's model name */
    char uuid[GF_MAX_DEVICE_NAME];   /* empty where there is none */
    uint64_t memory;                 /* bytes, in all */
    uint32_t units;                  /* threads or multiprocessors */
    char detail[GF_MAX_DEVICE_NAME]; /* "avx512", "sm_90" */
};

/* When a GPU compiles expressions: those that are used again, while jobs go on; none; all, and jobs wait for it. */
enum gf_compile { GF_COMPILE_USED_AGAIN, GF_COMPILE_NONE, GF_COMPILE_ALL };

struct gf_device_options {
    const char *device;       /* "cpu", "cuda:1" or a UUID */
    uint32_t threads;         /* CPU threads, 0: all */
    const char *instructions; /* of the CPU's inner loops, a name of cpu/simd/simd.h; NULL: the fastest that it has. For
                                 tests */
    uint64_t device_memory;   /* bytes of a GPU's memory that jobs and resident buffers may have at once, 0: all */
    const char *kernel_cache; /* a folder of the user's alone for kernels that a GPU compiled; NULL: none. Not needed
                                 after opening. */
    enum gf_compile compile;  /* for tests and benchmarks, other than by default */
    uint32_t blocks;          /* at most so many blocks of threads loop over a kernel's work, 0: as many as help; tests
                                 let blocks take many units of small data with it */
    bool cold;                /* not warmed up: what runs first pays; for tests and benchmarks, which run few ops, under
                                 tools that make each of the warm-up's launches take seconds */
};

struct gf_backend {
    const char *name; /* "cpu", "cuda" */

    /* Opens the device and warms it up, unless `cold`: after success a run() pays for no context, module or table.
     * Blocks, up to seconds. NO_DEVICE when it is not there, with the reason. */
    enum gf_status (*open)(const struct gf_device_options *options, struct gf_device **ret_device,
                           struct gf_error *err);
    /* Frees everything; all exec contexts are closed before. NULL is allowed. */
    void (*close)(struct gf_device *device);
    void (*info)(const struct gf_device *device, struct gf_device_info *ret_info);
    /* Whether the op runs here on this dtype of input 0; answered from the row that launches it. */
    bool (*supports)(const struct gf_device *device, const struct gf_op *op, uint32_t dtype);

    /* Makes host memory fast to copy from and to (page-locks it for a GPU). May block for milliseconds; any thread.
     * Only speed depends on it. unpin takes what pin took. */
    enum gf_status (*pin)(struct gf_device *device, void *data, size_t size, struct gf_error *err);
    void (*unpin)(struct gf_device *device, void *data);

    /* Memory of a resident buffer: a view of this shape, with a pitch that suits the device. Contents are undefined.
     * Any thread; ready for all exec contexts. NO_MEMORY, NO_DEVICE_MEMORY. buffer_free takes what buffer_new gave,
     * once no job uses it any more. */
    enum gf_status (*buffer_new)(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                 struct gf_error *err);
    void (*buffer_free)(struct gf_device *device, struct gf_buf *buf);

    /* One exec context per job thread. */
    enum gf_status (*exec_open)(struct gf_device *device, struct gf_exec **ret_exec, struct gf_error *err);
    void (*exec_close)(struct gf_exec *exec);

    /* Runs the whole program and returns when the results are in host memory. Called by one thread per exec context at
     * a time; different exec contexts at once. BAD_PARAM for data that is refused (a mask that is not finite),
     * CANCELLED, DEADLINE, NO_MEMORY, NO_DEVICE_MEMORY, UNSUPPORTED; DEVICE_LOST means that the process must end.
     * Results are undefined after an error; operands are never written. */
    enum gf_status (*run)(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

    /* What has become of expressions there; any thread, blocks for nothing. NULL: the device compiles none. */
    void (*expressions)(struct gf_device *device, struct gf_expression_figures *ret_figures);

    /* gf_cuda_compiler of registry.h. NULL: the backend compiles nothing. */
    int (*compiler)(int argc, char **argv);
};

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* The device and the execution context, private to kernels/cuda. A process has one device, CUDA's device 0 in that
 * process. */
#ifndef GF_CUDA_DEVICE_H
#define GF_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "cuda_clock.h"
#include "cuda_launch.h"
#include "kernels/admission.h"
#include "kernels/slab/slab.h"

/* Image rows on the device start at multiples of this many bytes, so that four samples from a multiple of four can be
 * moved at once. */
#define GF_CUDA_ALIGN 16u

struct gf_jit; /* kernels/cuda/jit/jit.h */

/* Page-locked host memory. */
struct gf_cuda_pin {
    char *data;
    size_t size;
};

/* The light tables on the device. */
struct gf_cuda_light {
    float *decode, *encode;
};

struct gf_cuda_block {
    void *data;
    size_t size;
};

#define GF_CUDA_KEPT 32u

/* Blocks of freed resident buffers, kept for the next buffers. */
struct gf_cuda_buffers {
    cudaStream_t stream;                     /* in which blocks are allocated and freed */
    pthread_mutex_t mutex;                   /* guards the remaining fields */
    struct gf_cuda_block kept[GF_CUDA_KEPT]; /* oldest first */
    uint32_t n_kept;
    uint64_t bytes; /* of the kept blocks */
};

struct gf_device {
    struct gf_device_info info;
    struct gf_cuda_shared_memory shared_memory;
    cudaMemPool_t pool;
    uint64_t budget;          /* most bytes of jobs and resident buffers together; 0: no limit */
    uint64_t held;            /* bytes of jobs and resident buffers; atomic */
    bool maps_pinned;         /* kernels can access page-locked memory by its host address */
    bool inexact_roots;       /* root_by_step of filter/gradient.cuh gives a wrong root on this device */
    uint64_t host_mapped;     /* bytes of images in host memory for lack of device memory; atomic */
    uint64_t host_mapped_max; /* most bytes of host-mapped images */
    uint32_t running;         /* jobs whose copies overlap with kernels; atomic */
    struct gf_admission jobs; /* shared by running jobs; a job that needs all memory runs alone */
    struct gf_cuda_buffers buffers;
    struct gf_cuda_light light_u8, light_u16;
    struct gf_jit *jit;    /* kernels compiled at run time; NULL: this CUDA has no compiler */
    pthread_mutex_t mutex; /* guards the pins and the list of execution contexts */
    struct gf_exec *execs;
    struct gf_cuda_pin *pins;
    size_t n_pins, pins_capacity;
};

/* Returns the status of a step whose data is refused at this index, and sets the error text. */
typedef enum gf_status gf_cuda_fault_fn(const struct gf_step *step, uint64_t index, struct gf_error *err);

/* An image on the device, with a pitch that is a multiple of 16. */
struct gf_cuda_image {
    void *data;
    struct gf_view view;
    const struct gf_buf *host; /* the operand that it is copied from; NULL for the output of a step */
    uint64_t rows;             /* rows uploaded, or finished by the kernels */
    bool borrowed;             /* `data` is a resident buffer, or host memory of an operand or a result */
    bool host_mapped;          /* `data` is page-locked host memory */
};

/* Refused data, found by kernels and reported once the job has finished. Each step has a word with the least refused
 * index or UINT64_MAX, on the device and as a copy in page-locked memory, and a function that explains it. */
struct gf_cuda_faults {
    uint64_t *device, *host;
    gf_cuda_fault_fn *explain[GF_MAX_STEPS];
    bool used; /* by the current job */
};

/* The images of a program, and scratch memory of ops. */
#define GF_CUDA_TAKEN (GF_MAX_OPERANDS + GF_MAX_STEPS * GF_MAX_OUTPUTS + 64u)

#define GF_CUDA_SPARE 32u

/* Tables that an op made for a job and that stay on the device for later jobs of the execution context: a key that
 * identifies their origin, and a note that describes the block. */
#define GF_CUDA_TABLES 4u
#define GF_CUDA_TABLES_KEY 112u
#define GF_CUDA_TABLES_NOTE 96u
struct gf_cuda_tables {
    unsigned char key[GF_CUDA_TABLES_KEY], note[GF_CUDA_TABLES_NOTE];
    struct gf_cuda_block block;
};

/* Counters in which the blocks of a launch add their counts; all zero between launches. Used by count_bytes.cu and
 * reduction.c. */
struct gf_cuda_count_values {
    uint64_t counts[GF_MAX_CHANNELS * 256];
    uint32_t arrived; /* blocks that have finished */
};

/* Page-locked memory for tables on their way to the device: memory/cuda_upload.c. */
struct gf_cuda_uploads {
    char *data;
    cudaEvent_t ends[2]; /* behind the last copy from each half */
    bool half;           /* index of the half in use */
    size_t used;         /* bytes of this half */
};

struct gf_exec {
    struct gf_device *device;
    cudaStream_t in, main, out; /* in and out only where copies overlap with kernels */
    cudaStream_t quick, steady; /* main is one of the two: quick jobs run before other jobs */
    cudaStream_t last;          /* main or out: the stream in which the job ends */
    cudaEvent_t order;          /* makes one stream wait for another */
    struct gf_cuda_clock clock;
    struct gf_cuda_faults faults;
    struct gf_cuda_uploads uploads;
    cudaEvent_t unit_ends[2];                     /* ends of the last two work units, alternating */
    bool last_unit;                               /* index of the one to record next */
    uint64_t pending;                             /* bytes of images since then */
    struct gf_cuda_block taken[GF_CUDA_TAKEN];    /* memory of the job */
    struct gf_cuda_block spare[GF_CUDA_SPARE];    /* returned memory, in the order of the main stream, oldest first */
    struct gf_cuda_tables tables[GF_CUDA_TABLES]; /* least recently used first */
    uint32_t n_taken, n_spare, n_tables;
    uint64_t held, spared;          /* bytes of taken and of spare blocks */
    uint32_t kernels[GF_MAX_STEPS]; /* kernels compiled at run time that the job uses: cuda_jit.h */
    uint32_t n_kernels;
    struct gf_exec *next;               /* in the device's list of execution contexts */
    struct gf_slab slab;                /* the current slab of a job that is cut into slabs */
    struct gf_cuda_count_values *tally; /* on the device */
    /* The images of the current program and their users, so that a job allocates no host memory. */
    struct gf_cuda_image operands[GF_MAX_OPERANDS], outputs[GF_MAX_STEPS * GF_MAX_OUTPUTS];
    struct gf_uses uses;
};

#endif

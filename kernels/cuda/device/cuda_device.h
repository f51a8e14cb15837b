/* SPDX-License-Identifier: MIT */
/* The device and the exec context, inside kernels/cuda. One device per process, CUDA's device 0 there. */
#ifndef GF_CUDA_DEVICE_H
#define GF_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "cuda_clock.h"
#include "cuda_launch.h"
#include "kernels/admission.h"
#include "kernels/slab/slab.h"

/* Rows of images on the device start at multiples of this, so that four samples from a multiple of four can be moved at
 * once. */
#define GF_CUDA_ALIGN 16u

struct gf_jit; /* kernels/cuda/jit/jit.h */

/* Page-locked host memory. */
struct gf_cuda_pin {
    char *data;
    size_t size;
};

/* The tables of linear light on the device. */
struct gf_cuda_light {
    float *decode, *encode;
};

/* Memory of the device. */
struct gf_cuda_block {
    void *data;
    size_t size;
};

#define GF_CUDA_KEPT 32u

/* What comes back of resident buffers, kept for the next ones. */
struct gf_cuda_buffers {
    cudaStream_t stream;                     /* where their memory is taken and given back */
    pthread_mutex_t mutex;                   /* guards the rest */
    struct gf_cuda_block kept[GF_CUDA_KEPT]; /* oldest first */
    uint32_t n_kept;
    uint64_t bytes; /* of those */
};

struct gf_device {
    struct gf_device_info info;
    struct gf_cuda_shared_memory shared_memory;
    cudaMemPool_t pool;
    uint64_t budget;          /* bytes that jobs and resident buffers may have at once, 0: all there are */
    uint64_t held;            /* bytes that they have; atomic */
    bool maps_pinned;         /* kernels may use page-locked memory by its host address */
    uint64_t host_mapped;     /* bytes of images that lie in the host's memory for want of the device's; atomic */
    uint64_t host_mapped_max; /* bytes that they may have */
    uint32_t running;         /* jobs whose copies overlap with kernels; atomic */
    struct gf_admission jobs; /* shared by jobs that run; one that needs all memory has it alone */
    struct gf_cuda_buffers buffers;
    struct gf_cuda_light light_u8, light_u16;
    struct gf_jit *jit;    /* kernels made at run time; NULL: this CUDA has none */
    pthread_mutex_t mutex; /* guards pins and exec contexts */
    struct gf_exec *execs;
    struct gf_cuda_pin *pins;
    size_t n_pins, pins_capacity;
};

/* The status of a step whose data are at fault at this index, with its sentence. */
typedef enum gf_status gf_cuda_fault_fn(const struct gf_step *step, uint64_t index, struct gf_error *err);

/* An image on the device, pitch a multiple of 16. */
struct gf_cuda_image {
    void *data;
    struct gf_view view;
    const struct gf_buf *host; /* an operand: where it comes from; NULL for the output of a step */
    uint32_t uses;             /* steps and results that still need it */
    uint64_t rows;             /* rows uploaded, or finished by the kernels */
    bool borrowed;             /* `data` is a resident buffer, or host memory of an operand or a result */
    bool host_mapped;          /* `data` is page-locked memory of the host */
};

/* What kernels find wrong with the data, known once the job is done: a word per step, the least index at fault or
 * UINT64_MAX, on the device and a copy in page-locked memory, and how a step says it. */
struct gf_cuda_faults {
    uint64_t *device, *host;
    gf_cuda_fault_fn *explain[GF_MAX_STEPS];
    bool used; /* by the job that runs */
};

/* Images of a program, and what ops need besides. */
#define GF_CUDA_TAKEN (GF_MAX_OPERANDS + GF_MAX_STEPS * GF_MAX_OUTPUTS + 64u)

#define GF_CUDA_SPARE 32u

/* Tables that an op made for a job and that stay on the device for the next jobs of the exec context: a key of what
 * they are made from, and a note of what is in the block. */
#define GF_CUDA_TABLES 4u
#define GF_CUDA_TABLES_KEY 112u
#define GF_CUDA_TABLES_NOTE 96u
struct gf_cuda_tables {
    unsigned char key[GF_CUDA_TABLES_KEY], note[GF_CUDA_TABLES_NOTE];
    struct gf_cuda_block block;
};

/* Where the blocks of a launch add up what they counted; all zero between launches. count_bytes.cu, reduction.c. */
struct gf_cuda_tally {
    uint64_t counts[GF_MAX_CHANNELS * 256];
    uint32_t arrived; /* blocks that are done */
};

struct gf_exec {
    struct gf_device *device;
    cudaStream_t in, main, out; /* in and out only where copies overlap with kernels */
    cudaStream_t quick, steady; /* main is one of them: jobs that are soon done go before others */
    cudaStream_t last;          /* main or out: in which the job ends */
    cudaEvent_t order;          /* makes one stream wait for another */
    struct gf_cuda_clock clock;
    struct gf_cuda_faults faults;
    cudaEvent_t unit_ends[2];                  /* ends of the last two work units, in turn */
    bool last_unit;                            /* the later one */
    uint64_t pending;                          /* bytes of images behind it */
    struct gf_cuda_block taken[GF_CUDA_TAKEN]; /* the memory that the job has */
    struct gf_cuda_block spare[GF_CUDA_SPARE]; /* what was given back, in the order of the main stream, oldest first */
    struct gf_cuda_tables tables[GF_CUDA_TABLES]; /* the one used longest ago first */
    uint32_t n_taken, n_spare, n_tables;
    uint64_t held, spared;          /* bytes of each */
    uint32_t kernels[GF_MAX_STEPS]; /* made at run time that the job uses: cuda_jit.h */
    uint32_t n_kernels;
    struct gf_exec *next;        /* of the device's exec contexts */
    struct gf_slab slab;         /* that runs, of a job that is cut */
    struct gf_cuda_tally *tally; /* on the device */
    /* The images of the program that runs: a job needs no memory of its own. */
    struct gf_cuda_image operands[GF_MAX_OPERANDS], outputs[GF_MAX_STEPS * GF_MAX_OUTPUTS];
};

#endif

/* SPDX-License-Identifier: MIT */
/* What was measured on an architecture rather than read from the device: the rates of its link and multiprocessors, as
 * the sizes from which one way of running a job beats another. A wrong policy costs time, never a bit. Read by the
 * files that plan copies and launches: cuda_run.c, cuda_schedule.c, row_chunks.c. */
#ifndef GF_CUDA_POLICY_H
#define GF_CUDA_POLICY_H

#include <stdint.h>

struct gf_cuda_policy {
    uint64_t direct_bytes;  /* kernels write results up to this size into page-locked memory themselves */
    uint64_t overlap_bytes; /* copies from this size on overlap with kernels; below, a second stream costs more */
    uint64_t quick_bytes;   /* a quick job moves no more than this, */
    uint64_t quick_work;    /* and no more than this times its steps and coefficients */
    uint64_t slab_bytes;    /* of one slab of a program of several steps */
    uint64_t chunk_bytes;   /* of one row chunk at least: large enough for the link */
    double light_chunk;     /* a row chunk has the root of this times all bytes; see row_chunks.c */
    double heavy_chunk;     /* the same for kernels that need many rows to fill the device */
    double heavy_cost;      /* multiplications per sample from which a kernel is such a one */
    double unit_work;       /* multiplications of a work unit per multiprocessor: 3 to 4 ms */
    uint32_t unit_samples;  /* samples per multiprocessor with which two work units keep it busy */
};

/* Of the process's device. */
extern const struct gf_cuda_policy gf_policy;

#endif

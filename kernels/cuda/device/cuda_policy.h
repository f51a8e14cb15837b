/* SPDX-License-Identifier: MIT */
/* Figures that were measured on an architecture rather than read from the device: the rates of its link and
 * multiprocessors, expressed as the sizes from which one way of running a job beats another. A wrong policy costs time
 * but never changes a bit. Read by the files that plan copies and launches: cuda_run.c, cuda_schedule.c,
 * row_chunks.c. */
#ifndef GF_CUDA_POLICY_H
#define GF_CUDA_POLICY_H

#include <stdint.h>

struct gf_cuda_policy {
    uint64_t direct_bytes;  /* kernels write results up to this size straight to page-locked memory */
    uint64_t overlap_bytes; /* larger copies overlap with kernels; otherwise a second stream costs more */
    uint64_t quick_bytes;   /* a quick job moves at most this many bytes */
    uint64_t quick_work;    /* and at most this divided by its steps and coefficients */
    uint64_t slab_bytes;    /* of a slab of a program of several steps */
    uint64_t chunk_bytes;   /* of a row chunk, at least: large enough for the link */
    double light_chunk;     /* a row chunk has sqrt(this * all bytes) bytes; see row_chunks.c */
    double heavy_chunk;     /* in its place for heavy kernels, which need many rows to fill the device */
    double heavy_cost;      /* multiplications per sample from which a kernel is heavy */
    double unit_work;       /* multiplications of a work unit per multiprocessor: 3 to 4 ms */
    uint32_t unit_samples;  /* samples per multiprocessor with which two work units keep it busy */
};

/* The policy of the process's device. */
extern const struct gf_cuda_policy gf_policy;

#endif

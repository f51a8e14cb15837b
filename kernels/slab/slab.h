/* SPDX-License-Identifier: MIT */
/*
 * How a job is cut into slabs of rows, which are jobs of their own, for a device without memory for the whole job. Each
 * slab takes the rows that it stores and a halo above and below, as high as the sum of the rows that its steps read
 * around their own. Border effects at a cut therefore never reach a stored row. A single row is cut into spans of
 * pixels if no step reads around its own pixel. The results are bit-identical to the whole job's. Called by
 * kernels/cuda/cuda_schedule.c.
 */
#ifndef GF_KERNELS_SLAB_H
#define GF_KERNELS_SLAB_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_slabs {
    const struct gf_job *job;
    uint64_t cut;    /* a bit per operand that is cut; the remaining operands are whole in every slab */
    uint64_t length; /* rows of the cut operands, or pixels of their single row */
    uint64_t halo;   /* rows above and below */
    uint64_t max;    /* the most slabs */
    bool columns;    /* the pixels of a single row are cut */
};

/* One slab. Too large for a stack. */
struct gf_slab {
    struct gf_job job; /* points into the remaining fields */
    struct gf_step steps[GF_MAX_STEPS];
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS]; /* views of the rows to store, at their place in the whole result */
    uint64_t skip[GF_MAX_RESULTS];        /* rows that the slab computes before the stored ones; 0 for pixels */
};

/* Finds out how a job can be cut. The slabs point to the job. NO_DEVICE_MEMORY names the step or the shape that
 * prevents it; NO_MEMORY and BAD_PARAM are as for the job itself. */
enum gf_status gf_slabs_init(const struct gf_job *job, struct gf_slabs *ret_slabs, struct gf_error *err);
/* Makes slab `i` of `n`, where n is from 1 to slabs->max. */
enum gf_status gf_slabs_cut(const struct gf_slabs *slabs, uint64_t i, uint64_t n, struct gf_slab *ret_slab,
                            struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

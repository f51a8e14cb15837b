/* SPDX-License-Identifier: MIT */
/*
 * How a job is cut into slabs of rows that are jobs of their own, for a device that has no memory for the whole: each
 * takes the rows it stores and, above and below, as many more as all its steps look around together, so that what a
 * border does at the cut never gets into a row that is stored. A single row is cut into spans of pixels where no
 * step looks around. The bits are those of the whole job. Called by kernels/cuda/cuda_schedule.c.
 */
#ifndef GF_KERNELS_SLAB_H
#define GF_KERNELS_SLAB_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_slabs {
    const struct gf_job *job;
    uint64_t cut;    /* operands that are cut, a bit for each; the others are whole in every slab */
    uint64_t length; /* rows of those, or pixels of their row */
    uint64_t halo;   /* rows */
    uint64_t max;    /* slabs */
    bool columns;    /* pixels of a row are cut */
};

/* One slab. Big, so never on a stack. */
struct gf_slab {
    struct gf_job job; /* points into the rest */
    struct gf_step steps[GF_MAX_STEPS];
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS]; /* views of the rows to store, which have a place in the whole result */
    uint64_t skip[GF_MAX_RESULTS];        /* rows that the slab makes before those; of pixels none */
};

/* Finds out how a job can be cut; the slabs point to it. NO_DEVICE_MEMORY says which step or shape is against it;
 * NO_MEMORY, BAD_PARAM as the job itself would. */
enum gf_status gf_slabs_init(const struct gf_job *job, struct gf_slabs *ret_slabs, struct gf_error *err);
/* Slab `i` of `n`, which is 1 to slabs->max. */
enum gf_status gf_slabs_cut(const struct gf_slabs *slabs, uint64_t i, uint64_t n, struct gf_slab *ret_slab,
                            struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

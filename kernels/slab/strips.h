/* SPDX-License-Identifier: MIT */
/*
 * How a job is cut into strips of rows that are jobs of their own, for a device that has no memory for the whole: each
 * takes the rows it stores and, above and below, as many more as all its steps look around together, so that what a
 * border does at the cut never gets into a row that is stored. A single row is cut into stretches of pixels where no
 * step looks around. The bits are those of the whole job. Called by kernels/cuda/cuda_strips.c.
 */
#ifndef GF_KERNELS_STRIPS_H
#define GF_KERNELS_STRIPS_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_strips {
    const struct gf_job *job;
    uint64_t cut;    /* operands that are cut, a bit for each; the others are whole in every strip */
    uint64_t length; /* rows of those, or pixels of their row */
    uint64_t halo;   /* rows */
    uint64_t most;   /* strips */
    bool columns;    /* pixels of a row are cut */
};

/* One strip. Big, so never on a stack. */
struct gf_strip {
    struct gf_job job; /* points into the rest */
    struct gf_step steps[GF_MAX_STEPS];
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS]; /* views of the rows to store, which have a place in the whole result */
    uint64_t skip[GF_MAX_RESULTS];        /* rows that the strip makes before those; of pixels none */
};

/* Finds out how a job can be cut; the strips point to it. NO_DEVICE_MEMORY says which step or shape is against it;
 * NO_MEMORY, BAD_PARAM as the job itself would. */
enum gf_status gf_strips_init(const struct gf_job *job, struct gf_strips *ret_strips, struct gf_error *err);
/* Strip `i` of `n`, which is 1 to strips->most. */
enum gf_status gf_strips_cut(const struct gf_strips *strips, uint64_t i, uint64_t n, struct gf_strip *ret_strip,
                             struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

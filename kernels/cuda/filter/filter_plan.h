/* SPDX-License-Identifier: MIT */
/*
 * A linear filter planned, all at once and before anything is started: which kernels over which images, the row chunks
 * and streams, the temp storage. No call of CUDA, so that tests look at plans without a device. Called by
 * linear_filter.c.
 */
#ifndef GF_CUDA_FILTER_PLAN_H
#define GF_CUDA_FILTER_PLAN_H

#include "filter_group.h"
#include "filter_pass.h"
#include "kernels/cuda/step/row_chunks.h"

/* Rows and columns, of two filters that are added. */
#define GF_CUDA_MAX_PASSES 4u
/* Taps twice and sums between the passes, for two filters, and the sums of the first. */
#define GF_CUDA_MAX_TEMPS 7u

/* Temp storage and what it is for, in `pass` of the plan. */
struct gf_cuda_filter_temp {
    enum gf_cuda_filter_use {
        GF_CUDA_TEMP_COEFS,      /* of a mask that does not travel in the launch */
        GF_CUDA_TEMP_TAPS,       /* of the pass */
        GF_CUDA_TEMP_DISC,       /* its taps */
        GF_CUDA_TEMP_SUMS,       /* of rows: from the pass to the next one */
        GF_CUDA_TEMP_SUM,        /* what the pass before makes; the last pass adds it */
        GF_CUDA_TEMP_PLANES,     /* of a box */
        GF_CUDA_TEMP_TRANSPOSED, /* of a box */
    } use;
    uint32_t pass;
    size_t bytes;
    const void *values; /* on the host, copied there; NULL: none */
    void *data;         /* set by linear_filter.c */
};

struct gf_cuda_filter_plan {
    uint32_t n_passes, n_temps;
    struct gf_cuda_filter_pass pass[GF_CUDA_MAX_PASSES];
    struct gf_cuda_filter_temp temp[GF_CUDA_MAX_TEMPS];
    struct gf_cuda_row_chunks row_chunks;
    double row_cost; /* of a row of the target, in multiplications */
    uint64_t lead;   /* rows of the source that are read below those of a row chunk, at most */
    /* All row chunks of a pass, in two streams, before the next pass; else all passes of a row chunk before the next
     * one. */
    bool by_pass;
};

/* Works out the plan of a step, and of those that go with it; the group has to live as long. */
void gf_cuda_filter_plan(const struct gf_cuda_call *call, const struct gf_cuda_filter_group *group,
                         struct gf_cuda_filter_plan *ret_plan);
/* Whether this filter has a kernel that computes steps in front of it, or goes on with a second filter once it has its
 * results: by its kind, and by the memory of a block. The image of the call is what is read. */
bool gf_cuda_filter_has_front(const struct gf_cuda_call *call, const struct gf_filter *f);
bool gf_cuda_filter_goes_on(const struct gf_cuda_call *call, const struct gf_filter *f);
/* Tells the passes where their temp storage is. */
void gf_cuda_filter_bind(struct gf_cuda_filter_plan *plan);

/* The row chunk that begins at row `first`. */
struct gf_cuda_row_chunk gf_cuda_filter_chunk(const struct gf_cuda_filter_plan *plan, int32_t first);
/* The source rows from the top that the target rows before `end` need. A border reflected at the top reads no further
 * in than the window itself. */
uint64_t gf_cuda_filter_reach(const struct gf_cuda_filter_plan *plan, int32_t end);
/* The rows that a pass has in a row chunk: its own, or of the source those that no chunk above it had. */
struct gf_cuda_row_chunk gf_cuda_filter_rows(const struct gf_cuda_filter_plan *plan,
                                             const struct gf_cuda_filter_pass *pass,
                                             struct gf_cuda_row_chunk row_chunk);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The plan of a linear filter, complete before anything is launched: which kernels run over which images, the row
 * chunks, the streams and the temp storage. Planning makes no CUDA call, so that tests inspect plans without a device.
 * Called by linear_filter.c.
 */
#ifndef GF_CUDA_FILTER_PLAN_H
#define GF_CUDA_FILTER_PLAN_H

#include "filter_group.h"
#include "filter_pass.h"
#include "kernels/cuda/step/row_chunks.h"

/* Rows and columns, for each of two filters that are added. */
#define GF_CUDA_MAX_PASSES 4u
/* For each of two filters, two sets of taps and the sums between the passes; and the result of the first filter. */
#define GF_CUDA_MAX_TEMPS 7u

/* Temp storage and its use by `pass` of the plan. */
struct gf_cuda_filter_temp {
    enum gf_cuda_filter_use {
        GF_CUDA_TEMP_COEFS,      /* of a mask too large for a kernel argument */
        GF_CUDA_TEMP_TAPS,       /* taps of the pass */
        GF_CUDA_TEMP_DISC,       /* taps of the disc */
        GF_CUDA_TEMP_SUMS,       /* row sums, from the pass to the next pass */
        GF_CUDA_TEMP_SUM,        /* result of the pass before, added by the last pass */
        GF_CUDA_TEMP_PLANES,     /* planes of a box */
        GF_CUDA_TEMP_TRANSPOSED, /* transposed planes of a box */
    } use;
    uint32_t pass;
    size_t bytes;
    const void *values; /* on the host, to be copied; NULL: none */
    void *data;         /* set by linear_filter.c */
};

struct gf_cuda_filter_plan {
    uint32_t n_passes, n_temps;
    struct gf_cuda_filter_pass pass[GF_CUDA_MAX_PASSES];
    struct gf_cuda_filter_temp temp[GF_CUDA_MAX_TEMPS];
    struct gf_cuda_row_chunks row_chunks;
    uint64_t lead; /* most source rows read below the rows of a row chunk */
    /* True: all row chunks of a pass run, in two streams, before the next pass. False: all passes of a row chunk run
     * before the next row chunk. */
    bool by_pass;
};

/* Plans a group of steps. The group must outlive the plan. */
void gf_cuda_filter_plan(const struct gf_cuda_call *call, const struct gf_cuda_filter_group *group,
                         struct gf_cuda_filter_plan *ret_plan);
/* Whether the filter has a kernel that also computes the steps in front of it, or a second filter behind it. That
 * depends on its kind and on the shared memory of a block. The call's image is the filter's input. */
bool gf_cuda_filter_fuses_previous(const struct gf_cuda_call *call, const struct gf_filter *f);
bool gf_cuda_filter_fuses_next(const struct gf_cuda_call *call, const struct gf_filter *f);
/* Stores the addresses of the temp storage in the passes. */
void gf_cuda_filter_bind(struct gf_cuda_filter_plan *plan);

/* Returns how many source rows, from the top, the target rows before `end` need. A border reflected at the top reads no
 * deeper than the window itself. */
uint64_t gf_cuda_filter_reach(const struct gf_cuda_filter_plan *plan, int32_t end);
/* Returns the rows that a pass computes for a row chunk: the chunk's own rows; or, where the pass is of_source, the
 * source rows that no earlier chunk has covered. */
struct gf_cuda_row_chunk gf_cuda_filter_rows(const struct gf_cuda_filter_plan *plan,
                                             const struct gf_cuda_filter_pass *pass,
                                             struct gf_cuda_row_chunk row_chunk);

#endif

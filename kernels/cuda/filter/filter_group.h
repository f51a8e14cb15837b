/* SPDX-License-Identifier: MIT */
/*
 * A linear filter and the steps of a program around it that its kernel computes as well, so that what one gives the
 * next is never stored: steps in front of it and behind it that change samples, and a second filter of 3 x 3 masks
 * where there is a kernel for both. The bits are those of each step by itself. Made by cuda_run.c before it finds
 * memory for the result, planned by filter_plan.c.
 */
#ifndef GF_CUDA_FILTER_GROUP_H
#define GF_CUDA_FILTER_GROUP_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/filter.h"
#include "pointwise.h"

struct gf_cuda_filter_group {
    bool there;        /* the step is a filter, or one goes on with it; else nothing here means anything */
    uint32_t at, last; /* steps of the job: the filter, and the last one that goes with it */
    struct gf_filter filter;
    struct gf_filter second; /* where has_second */
    bool has_second;
    struct gf_cuda_pointwise prologue; /* of steps in front of the filter, with their stores */
    struct gf_cuda_pointwise between;  /* of steps in front of the second, with the filter's store */
    struct gf_cuda_pointwise epilogue;
};

#define GF_CUDA_FILTER_GROUP_NULL ((struct gf_cuda_filter_group){0})

/* Of step call->index, whose inputs the call has. Fails as gf_filter_init of that step does. On success the caller
 * calls gf_cuda_filter_group_deinit. */
enum gf_status gf_cuda_filter_group_init(const struct gf_cuda_call *call, struct gf_cuda_filter_group *ret_group,
                                         struct gf_error *err);
void gf_cuda_filter_group_deinit(struct gf_cuda_filter_group *group);

#endif

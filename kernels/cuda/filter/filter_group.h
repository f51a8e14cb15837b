/* SPDX-License-Identifier: MIT */
/*
 * A linear filter and the neighbouring steps of a program that its kernel computes too, so that intermediate images are
 * never stored: point steps before and after the filter, and a second filter of 3 x 3 masks where a kernel exists for
 * both. The results have the same bits as the separate steps. cuda_run.c makes the group before it allocates the
 * result; filter_plan.c plans it.
 */
#ifndef GF_CUDA_FILTER_GROUP_H
#define GF_CUDA_FILTER_GROUP_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/filter.h"
#include "pointwise.h"

struct gf_cuda_filter_group {
    bool there;        /* the step is a filter, or a filter continues it; otherwise no other field is meaningful */
    uint32_t at, last; /* indices of steps of the job: the filter, and the last step of the group */
    struct gf_filter filter;
    struct gf_filter second; /* valid where has_second */
    bool has_second;
    struct gf_cuda_pointwise prologue; /* steps before the filter, with their stores */
    struct gf_cuda_pointwise between;  /* steps before the second filter, with the first filter's store */
    struct gf_cuda_pointwise epilogue;
};

#define GF_CUDA_FILTER_GROUP_NULL ((struct gf_cuda_filter_group){0})

/* Makes the group of step call->index, whose inputs the call already holds. Fails as gf_filter_init fails for that
 * step. On success the caller must call gf_cuda_filter_group_deinit. */
enum gf_status gf_cuda_filter_group_init(const struct gf_cuda_call *call, struct gf_cuda_filter_group *ret_group,
                                         struct gf_error *err);
void gf_cuda_filter_group_deinit(struct gf_cuda_filter_group *group);

#endif

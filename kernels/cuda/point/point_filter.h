/* SPDX-License-Identifier: MIT */
/* What map and combine share on CUDA. In point_filter.c. */
#ifndef GF_CUDA_POINT_FILTER_H
#define GF_CUDA_POINT_FILTER_H

#include "kernels/cuda/filter/filter_args.h"
#include "kernels/cuda/step/cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* map and combine, called by the file of each op. */
enum gf_status gf_cuda_point_map(struct gf_cuda_call *call, struct gf_error *err);
enum gf_status gf_cuda_point_combine(struct gf_cuda_call *call, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* Host functions that map and combine share on CUDA. In map_combine.c. */
#ifndef GF_CUDA_MAP_COMBINE_H
#define GF_CUDA_MAP_COMBINE_H

#include "kernels/cuda/filter/filter_args.h"
#include "kernels/cuda/step/cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Run map and combine; called from the file of each op. */
enum gf_status gf_cuda_point_map(struct gf_cuda_call *call, struct gf_error *err);
enum gf_status gf_cuda_point_combine(struct gf_cuda_call *call, struct gf_error *err);

/* Apply the formula to an image, or combine two images of the same shape by a mode GF_COMBINE_*. Source and target have
 * the same shape. Asynchronous; allocate nothing; return the launch error. */
cudaError_t gf_cuda_map_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                               const struct gf_cuda_formula *formula, cudaStream_t stream);
cudaError_t gf_cuda_combine_launch(const struct gf_cuda_source *a, const struct gf_cuda_source *b,
                                   const struct gf_cuda_target *dst, uint32_t mode, const float factors[3],
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif

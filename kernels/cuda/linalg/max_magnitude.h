/* SPDX-License-Identifier: MIT */
/* Refuses integers whose sums of products may overflow. In max_magnitude.cu. */
#ifndef GF_CUDA_MAX_MAGNITUDE_H
#define GF_CUDA_MAX_MAGNITUDE_H

#include "kernels/cuda/step/cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts a check into the main stream of the execution context. The greatest magnitude of input 0, but at least
 * `min_magnitude`, times the greatest magnitude of input 1 must not exceed the limit; otherwise `explain` makes the
 * request fail, given the product. Both inputs must be integers of at most 32 bits. */
enum gf_status gf_cuda_refuse_products(struct gf_cuda_call *call, uint64_t min_magnitude, uint64_t limit,
                                       gf_cuda_fault_fn *explain, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

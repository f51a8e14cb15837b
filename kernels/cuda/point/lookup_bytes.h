/* SPDX-License-Identifier: MIT */
/* A table for each plane of bytes. In lookup_bytes.cu. */
#ifndef GF_CUDA_LOOKUP_BYTES_H
#define GF_CUDA_LOOKUP_BYTES_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes to the call's output 0 what `tables`, 256 bytes per plane, have for each byte; other channels are copied. The
 * last bytes of the picture, which the caches still have from counting, come first. */
cudaError_t gf_cuda_lookup_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const uint8_t *tables);

#ifdef __cplusplus
}
#endif
#endif

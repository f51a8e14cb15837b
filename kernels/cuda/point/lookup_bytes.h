/* SPDX-License-Identifier: MIT */
/* Maps bytes by one table per plane. In lookup_bytes.cu. */
#ifndef GF_CUDA_LOOKUP_BYTES_H
#define GF_CUDA_LOOKUP_BYTES_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maps every byte by the table of its plane, 256 bytes each, into output 0 of the call; channels without a table are
 * copied. The kernel begins with the picture's last bytes, which the caches still hold from counting. */
cudaError_t gf_cuda_lookup_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const uint8_t *tables);

#ifdef __cplusplus
}
#endif
#endif

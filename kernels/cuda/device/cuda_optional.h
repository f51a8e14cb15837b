/* SPDX-License-Identifier: MIT */
/* Calls to CUDA that a job can do without, such as page-locking, freeing and timing. */
#ifndef GF_CUDA_OPTIONAL_H
#define GF_CUDA_OPTIONAL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Returns whether an optional call succeeded. CUDA keeps the error of a failed call, and the thread's next launch would
 * appear to have failed, so the error is cleared. If the device is lost, the next launch fails all the same. */
bool gf_cuda_optional(cudaError_t error);

/* Called when the device is opened. */
cudaError_t gf_cuda_optional_init(void);

#endif

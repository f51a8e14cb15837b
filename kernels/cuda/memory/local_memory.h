/* SPDX-License-Identifier: MIT */
/*
 * Local memory of kernels. The driver keeps as much of it as the kernel that needed most, for every thread that the
 * device can run at a time: with GF_CUDA_LOCAL_BYTES per thread 330 MiB on an H100. To enlarge it the driver waits
 * until no kernel runs.
 */
#ifndef GF_CUDA_LOCAL_MEMORY_H
#define GF_CUDA_LOCAL_MEMORY_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most that a kernel compiled at run time may use per thread. The kernels of the build use less, the interpreter of
 * scans most (1264 bytes for sm_90). */
#define GF_CUDA_LOCAL_BYTES 1280u

/* Makes the driver take all of it now: then it is not among the free memory that jobs count on, and no later launch
 * waits. */
cudaError_t gf_cuda_reserve_local_memory(void);

#ifdef __cplusplus
}
#endif
#endif

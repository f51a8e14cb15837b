/* SPDX-License-Identifier: MIT */
/*
 * How large launches may be: what all files of kernels ask of the device. A process has one device (cuda_backend.c),
 * which sets this when it is opened; from then on any thread may ask.
 */
#ifndef GF_CUDA_LAUNCH_H
#define GF_CUDA_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A multiprocessor's shared memory, and what of it the driver has of each block. */
struct gf_cuda_shared_memory {
    size_t all, reserved;
};

/* Reads what the device has. `blocks` as in gf_device_options. */
cudaError_t gf_cuda_launch_init(uint32_t blocks);

/* Blocks of threads for a kernel whose blocks loop over `wanted` work units: one for each, as far as there
 * may be so many. */
unsigned gf_cuda_grid(uint64_t wanted);

/* Multiprocessors. */
uint32_t gf_cuda_units(void);

/* Bytes of shared memory that a block may have, with what its kernel declares. */
size_t gf_cuda_shared_memory_max(void);

#ifdef __cplusplus
}
#endif
#endif

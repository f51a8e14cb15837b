/* SPDX-License-Identifier: MIT */
/*
 * The limits of launches, for all files of kernels. A process has one device; cuda_backend.c sets the limits when it
 * opens the device. From then on any thread may read them.
 */
#ifndef GF_CUDA_LAUNCH_H
#define GF_CUDA_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared memory of a multiprocessor, and the bytes that the driver reserves per block. */
struct gf_cuda_shared_memory {
    size_t all, reserved;
};

/* Reads the limits of the device. `blocks` as in gf_device_options. */
cudaError_t gf_cuda_launch_init(uint32_t blocks);

/* Returns the number of blocks for a grid-stride loop over `wanted` work units: one block per unit, up to a limit. */
unsigned gf_cuda_grid(uint64_t wanted);

/* Returns how many short sequences a warp takes at a time: 32, or a smaller power of two where 32 would leave
 * multiprocessors idle. */
uint32_t gf_cuda_sequences_per_warp(uint64_t sequences);

/* Returns the number of multiprocessors. */
uint32_t gf_cuda_units(void);

/* Returns the most bytes of shared memory, static and dynamic, that a block may use. */
size_t gf_cuda_shared_memory_max(void);

#ifdef __cplusplus
}
#endif
#endif

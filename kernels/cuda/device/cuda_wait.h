/* SPDX-License-Identifier: MIT */
/*
 * How the host waits for the device: it asks now and then. Waiting inside the driver holds its locks most of the time,
 * which other threads need to start work. Called by cuda_run.c and cuda_copies.c.
 */
#ifndef GF_CUDA_WAIT_H
#define GF_CUDA_WAIT_H

#include <cuda_runtime_api.h>

/* Waits until what the event stands behind is done, or the device has failed. */
cudaError_t gf_cuda_wait(cudaEvent_t event);

#endif

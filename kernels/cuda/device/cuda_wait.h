/* SPDX-License-Identifier: MIT */
/*
 * How the host waits for the device: it polls. Waiting inside the driver holds the driver's locks most of the time, and
 * other threads need them to start work. Called by cuda_run.c, cuda_copies.c and cuda_upload.c.
 */
#ifndef GF_CUDA_WAIT_H
#define GF_CUDA_WAIT_H

#include <cuda_runtime_api.h>

/* Waits until the event has completed or the device has failed. */
cudaError_t gf_cuda_wait(cudaEvent_t event);

#endif

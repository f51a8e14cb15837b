/* SPDX-License-Identifier: MIT */
/* Why CUDA does not start, and whether that can change. Called by cuda_backend.c when it opens the device. */
#ifndef GF_CUDA_START_H
#define GF_CUDA_START_H

#include <cuda_runtime_api.h>

#include "protocol/base/error.h"

/* Stores and returns the status of an error of the first calls to CUDA. BUSY: the system is not ready for the device,
 * and another process may find it ready. NO_DEVICE: driver, device and this build do not fit together, so no process
 * succeeds until the administrator has changed one of them; the text says which. Otherwise as gf_cuda_status. */
enum gf_status gf_cuda_start_error(cudaError_t error, const char *device, struct gf_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* Translates a CUDA error to a status: the one place that decides whether the process may go on. */
#ifndef GF_CUDA_STATUS_H
#define GF_CUDA_STATUS_H

#include <cuda_runtime_api.h>

#include "protocol/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns GF_OK for cudaSuccess. Otherwise stores and returns the status of the error; `what` names the attempted
 * action. A recoverable error is cleared. DEVICE_LOST means that the context is gone or cannot be trusted, so the
 * process must end. */
enum gf_status gf_cuda_status(cudaError_t error, const char *what, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

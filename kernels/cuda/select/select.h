/* SPDX-License-Identifier: MIT */
/* What the backend prepares for select. In select.cu. */
#ifndef GF_CUDA_SELECT_H
#define GF_CUDA_SELECT_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raises the shared-memory limits of select; once per device. */
cudaError_t gf_cuda_select_prepare(void);

#ifdef __cplusplus
}
#endif
#endif

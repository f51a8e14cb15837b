/* SPDX-License-Identifier: MIT */
/* Preparation of the select kernels, for the backend. In select.cu. */
#ifndef GF_CUDA_SELECT_H
#define GF_CUDA_SELECT_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raises the limits of dynamic shared memory of select. Must be called once per device. */
cudaError_t gf_cuda_select_prepare(void);

#ifdef __cplusplus
}
#endif
#endif

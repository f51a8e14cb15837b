/* SPDX-License-Identifier: MIT */
/* Device memory in stream order: taking and giving back costs about a microsecond and never waits. */
#ifndef GF_CUDA_POOL_H
#define GF_CUDA_POOL_H

#include "cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the device's pool and makes it keep what was given back. */
enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err);

/* At least `size` bytes, not cleared, for use in the lane's main stream; aligned for any access. NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_take(struct gf_lane *lane, size_t size, void **ret_data, struct gf_error *err);
/* Gives memory back once the main stream has come this far. NULL is allowed. */
void gf_cuda_give(struct gf_lane *lane, void *data);

#ifdef __cplusplus
}
#endif

#endif

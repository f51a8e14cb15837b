/* SPDX-License-Identifier: MIT */
/* Device memory in stream order: taking and giving back costs about a microsecond and never waits; and resident
 * buffers, which are there for all streams. */
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

/* A view with rows at multiples of GF_CUDA_ALIGN, and its size in bytes; TOO_LARGE. */
enum gf_status gf_cuda_align_view(const struct gf_view *view, struct gf_view *ret_view, uint64_t *ret_bytes,
                                  struct gf_error *err);

/* gf_backend.buffer_new and buffer_free. */
enum gf_status gf_cuda_buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                  struct gf_error *err);
void gf_cuda_buffer_free(struct gf_device *device, struct gf_buf *buf);

#ifdef __cplusplus
}
#endif
#endif

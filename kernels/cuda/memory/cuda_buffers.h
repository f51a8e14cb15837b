/* SPDX-License-Identifier: MIT */
/* Resident buffers, usable in all streams: gf_backend.buffer_new and buffer_free. */
#ifndef GF_CUDA_BUFFERS_H
#define GF_CUDA_BUFFERS_H

#include "kernels/cuda/device/cuda_device.h"

/* gf_cuda_buffers_init sets up the state for both; gf_cuda_buffers_deinit also frees the kept blocks. */
enum gf_status gf_cuda_buffers_init(struct gf_device *device, struct gf_error *err);
void gf_cuda_buffers_deinit(struct gf_device *device);

enum gf_status gf_cuda_buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                  struct gf_error *err);
void gf_cuda_buffer_free(struct gf_device *device, struct gf_buf *buf);

/* Returns all memory that is kept for later buffers to the device's pool. Any thread may call it. */
void gf_cuda_buffers_trim(struct gf_device *device);

#endif

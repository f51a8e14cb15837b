/* SPDX-License-Identifier: MIT */
/*
 * Tables that the host computes for kernels, on their way to the device. They pass through page-locked memory of the
 * execution context, since a copy from pageable memory may read its source at any time until the stream has come to it.
 * Called by the ops.
 */
#ifndef GF_CUDA_UPLOAD_H
#define GF_CUDA_UPLOAD_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates the memory and makes the events. On failure the caller must still call gf_cuda_uploads_deinit. */
enum gf_status gf_cuda_uploads_init(struct gf_cuda_uploads *uploads, struct gf_error *err);
/* The execution context must be idle. */
void gf_cuda_uploads_deinit(struct gf_cuda_uploads *uploads);

/* Copies a table to the device in the main stream. The table has been read when this returns. Large tables, and many in
 * one job, wait for the stream. */
enum gf_status gf_cuda_upload(struct gf_exec *exec, void *to, const void *from, size_t size, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

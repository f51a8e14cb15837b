/* SPDX-License-Identifier: MIT */
/*
 * Tables that the host computes for kernels, on their way to the device. They pass through page-locked memory of the
 * execution context, since a copy from pageable memory may read its source at any time until the stream has come to it.
 * Called by the ops, in the thread that runs the job.
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

/* A table can also be written where it is copied from, piece by piece, so that the host writes a piece while the
 * previous one is copied. gf_cuda_upload_room returns the place of the next piece, a multiple of 64 bytes or `wanted`
 * bytes if these are fewer; it may wait for the stream. gf_cuda_upload_commit copies the first `size` bytes of the
 * place to the device; the place must not be written any more. A place that is not committed is given again. */
enum gf_status gf_cuda_upload_room(struct gf_exec *exec, size_t wanted, void **ret_room, size_t *ret_size,
                                   struct gf_error *err);
enum gf_status gf_cuda_upload_commit(struct gf_exec *exec, void *to, size_t size, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

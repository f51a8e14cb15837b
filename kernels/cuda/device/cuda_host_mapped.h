/* SPDX-License-Identifier: MIT */
/*
 * Images that the device's memory is too small for: they lie in page-locked memory of the host, and kernels read and
 * write them over the link. Every op runs on them as on others. Called by cuda_run.c for jobs that found no memory on
 * the device alone nor in slabs. Also the memory that the backend has page-locked.
 */
#ifndef GF_CUDA_HOST_MAPPED_H
#define GF_CUDA_HOST_MAPPED_H

#include "cuda_device.h"

/* When the device opens: such images have at most a part of the memory that the machine grants this process. */
void gf_cuda_host_mapped_init(struct gf_device *device);
/* Images of more bytes than this are host-mapped, so that what ops need besides has room on the device. */
uint64_t gf_cuda_host_mapped_bytes(struct gf_device *device);
/* Memory for such an image. NO_DEVICE_MEMORY where the host has too little. */
enum gf_status gf_cuda_host_mapped_take(struct gf_device *device, struct gf_cuda_image *image, uint64_t bytes,
                                        struct gf_error *err);
/* Once no work uses it. */
void gf_cuda_host_mapped_give(struct gf_device *device, struct gf_cuda_image *image);

/* gf_backend.pin and gf_backend.unpin. */
enum gf_status gf_cuda_pin(struct gf_device *device, void *data, size_t size, struct gf_error *err);
void gf_cuda_unpin(struct gf_device *device, void *data);

/* True where the whole range lies in memory that gf_cuda_pin has page-locked. Any thread. */
bool gf_cuda_is_pinned(struct gf_device *device, const void *data, size_t size);

/* True where kernels may also work on it as it is: registered memory has its host address on the device, too. Not all
 * devices can do that. Any thread. */
bool gf_cuda_is_mapped(struct gf_device *device, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Images that do not fit device memory: they lie in page-locked host memory, and kernels access them over the link.
 * Every op supports them. cuda_run.c uses them for jobs that find no device memory, neither alone nor in slabs. This
 * file also keeps the table of memory that the backend has page-locked.
 */
#ifndef GF_CUDA_HOST_MAPPED_H
#define GF_CUDA_HOST_MAPPED_H

#include "kernels/cuda/device/cuda_device.h"

/* Called when the device is opened. Limits host-mapped images to gf_device_options.host_mapped_max. */
void gf_cuda_host_mapped_init(struct gf_device *device, uint64_t max);
/* Returns the size above which images are host-mapped, so that scratch memory of ops has room on the device. */
uint64_t gf_cuda_host_mapped_bytes(struct gf_device *device);
/* Allocates a host-mapped image. NO_DEVICE_MEMORY where the host has too little memory. */
enum gf_status gf_cuda_host_mapped_take(struct gf_device *device, struct gf_cuda_image *image, uint64_t bytes,
                                        struct gf_error *err);
/* Frees a host-mapped image. The device must have finished with it. */
void gf_cuda_host_mapped_give(struct gf_device *device, struct gf_cuda_image *image);

/* gf_backend.pin and gf_backend.unpin. */
enum gf_status gf_cuda_pin(struct gf_device *device, void *data, size_t size, struct gf_error *err);
void gf_cuda_unpin(struct gf_device *device, void *data);

/* Whether the whole range lies in memory that gf_cuda_pin has page-locked. Any thread may call it. */
bool gf_cuda_is_pinned(struct gf_device *device, const void *data, size_t size);

/* Whether kernels can also access the range by its host address. Not all devices can do that with registered memory.
 * Any thread may call it. */
bool gf_cuda_is_mapped(struct gf_device *device, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Page-locked memory of the host in place of the device's; see cuda_host_mapped.h. */
#include "cuda_host_mapped.h"

#include <inttypes.h>

#include "cuda_pool.h"
#include "cuda_status.h"
#include "protocol/base/machine.h"

/* Such images have at most this part of the host's memory. */
#define HOST_FRACTION 4u
/* Images larger than this part of the memory that is free on the device are host-mapped. */
#define DEVICE_FRACTION 16u

void gf_cuda_host_mapped_init(struct gf_device *device)
{
    device->host_mapped_max = gf_machine_memory("") / HOST_FRACTION;
}

uint64_t gf_cuda_host_mapped_bytes(struct gf_device *device)
{
    return gf_cuda_pool_free(device) / DEVICE_FRACTION;
}

static uint64_t bytes_of(const struct gf_cuda_image *image)
{
    return image->view.pitch * image->view.height;
}

static enum gf_status refuse(const struct gf_device *device, uint64_t bytes, struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "%s: %" PRIu64 " bytes fit neither the device nor the host",
                        device->info.name, bytes);
}

enum gf_status gf_cuda_host_mapped_take(struct gf_device *device, struct gf_cuda_image *image, uint64_t bytes,
                                        struct gf_error *err)
{
    void *data = NULL;
    cudaError_t error = cudaErrorMemoryAllocation;
    if (__atomic_add_fetch(&device->host_mapped, bytes, __ATOMIC_RELAXED) <= device->host_mapped_max)
        error = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
    if (error == cudaSuccess) {
        image->data = data;
        image->host_mapped = true;
        return GF_OK;
    }
    (void)__atomic_sub_fetch(&device->host_mapped, bytes, __ATOMIC_RELAXED);
    if (error != cudaErrorMemoryAllocation)
        return gf_cuda_status(error, "allocating page-locked memory", err);
    (void)cudaGetLastError();
    return refuse(device, bytes, err);
}

void gf_cuda_host_mapped_give(struct gf_device *device, struct gf_cuda_image *image)
{
    (void)__atomic_sub_fetch(&device->host_mapped, bytes_of(image), __ATOMIC_RELAXED);
    (void)cudaFreeHost(image->data);
    image->data = NULL;
    image->host_mapped = false;
}

/* SPDX-License-Identifier: MIT */
/* Page-locked host memory; see cuda_host_mapped.h. */
#include "cuda_host_mapped.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cuda_pool.h"
#include "kernels/cuda/device/cuda_optional.h"
#include "protocol/base/machine.h"

/* Images larger than this fraction of the free device memory are host-mapped. */
#define DEVICE_FRACTION 16u

void gf_cuda_host_mapped_init(struct gf_device *device, uint64_t max)
{
    device->host_mapped_max = max > 0 ? max : gf_machine_host_mapped("", gf_machine_gpus(""));
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
    return gf_error_set(err, GF_E_NO_DEVICE_MEMORY,
                        "an image of %" PRIu64 " bytes does not fit the host memory for %s, at most %" PRIu64 " bytes",
                        bytes, device->info.name, device->host_mapped_max);
}

enum gf_status gf_cuda_host_mapped_take(struct gf_device *device, struct gf_cuda_image *image, uint64_t bytes,
                                        struct gf_error *err)
{
    void *data = NULL;
    if (__atomic_add_fetch(&device->host_mapped, bytes, __ATOMIC_RELAXED) <= device->host_mapped_max &&
        gf_cuda_optional(cudaHostAlloc(&data, bytes, cudaHostAllocPortable))) {
        image->data = data;
        image->host_mapped = true;
        return GF_OK;
    }
    (void)__atomic_sub_fetch(&device->host_mapped, bytes, __ATOMIC_RELAXED);
    return refuse(device, bytes, err);
}

void gf_cuda_host_mapped_give(struct gf_device *device, struct gf_cuda_image *image)
{
    (void)__atomic_sub_fetch(&device->host_mapped, bytes_of(image), __ATOMIC_RELAXED);
    (void)gf_cuda_optional(cudaFreeHost(image->data));
    image->data = NULL;
    image->host_mapped = false;
}

/* Makes room for one more pin. The caller must hold the mutex. */
static bool reserve_pin(struct gf_device *device)
{
    if (device->n_pins < device->pins_capacity)
        return true;
    size_t capacity = device->pins_capacity == 0 ? 16 : 2 * device->pins_capacity;
    struct gf_cuda_pin *pins = realloc(device->pins, capacity * sizeof(*pins));
    if (!pins)
        return false;
    device->pins = pins;
    device->pins_capacity = capacity;
    return true;
}

enum gf_status gf_cuda_pin(struct gf_device *device, void *data, size_t size, struct gf_error *err)
{
    cudaError_t error = cudaHostRegister(data, size, cudaHostRegisterPortable);
    if (!gf_cuda_optional(error))
        return gf_error_set(err, GF_E_UNSUPPORTED, "page-locking %zu bytes: %s (CUDA error %d)", size,
                            cudaGetErrorString(error), (int)error);
    (void)pthread_mutex_lock(&device->mutex);
    bool noted = reserve_pin(device);
    if (noted)
        device->pins[device->n_pins++] = (struct gf_cuda_pin){data, size};
    (void)pthread_mutex_unlock(&device->mutex);
    if (noted)
        return GF_OK;
    (void)gf_cuda_optional(cudaHostUnregister(data));
    return gf_error_set(err, GF_E_NO_MEMORY, "no memory to record %zu page-locked bytes", size);
}

void gf_cuda_unpin(struct gf_device *device, void *data)
{
    (void)pthread_mutex_lock(&device->mutex);
    for (size_t i = 0; i < device->n_pins; i++)
        if (device->pins[i].data == data) {
            device->pins[i] = device->pins[--device->n_pins];
            break;
        }
    (void)pthread_mutex_unlock(&device->mutex);
    (void)gf_cuda_optional(cudaHostUnregister(data));
}

bool gf_cuda_is_pinned(struct gf_device *device, const void *data, size_t size)
{
    const char *first = data;
    bool found = false;
    (void)pthread_mutex_lock(&device->mutex);
    for (size_t i = 0; i < device->n_pins && !found; i++) {
        const struct gf_cuda_pin *pin = &device->pins[i];
        found = first >= pin->data && size <= pin->size && (size_t)(first - pin->data) <= pin->size - size;
    }
    (void)pthread_mutex_unlock(&device->mutex);
    return found;
}

bool gf_cuda_is_mapped(struct gf_device *device, const void *data, size_t size)
{
    return device->maps_pinned && gf_cuda_is_pinned(device, data, size);
}

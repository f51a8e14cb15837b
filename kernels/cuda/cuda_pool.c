/* SPDX-License-Identifier: MIT */
/*
 * Device memory from CUDA's stream-ordered pool, kept by the process until somebody needs it more. Used by cuda_run.c
 * for images and by the ops for scratch.
 */
#include "cuda_pool.h"

#include <inttypes.h>

#include "cuda_buffers.h"
#include "cuda_status.h"
#include "filter_args.h"

enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err)
{
    cudaError_t error = cudaDeviceGetDefaultMemPool(&device->pool, 0);
    uint64_t keep = UINT64_MAX;
    if (error == cudaSuccess)
        error = cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    return gf_cuda_status(error, "setting up the memory pool", err);
}

uint64_t gf_cuda_pool_free(struct gf_device *device)
{
    uint64_t held = __atomic_load_n(&device->held, __ATOMIC_RELAXED), reserved = 0, used = 0;
    size_t free = 0, all = 0;
    if (device->budget)
        return device->budget > held ? device->budget - held : 0;
    if (cudaMemGetInfo(&free, &all) != cudaSuccess ||
        cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess ||
        cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
        return 0;
    return free + (reserved - used);
}

static enum gf_status refuse(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err)
{
    enum gf_status status = gf_error_set(err, GF_E_NO_DEVICE_MEMORY,
                                         "%s: %" PRIu64 " bytes of device memory are needed, %" PRIu64 " are free",
                                         device->info.name, own + size, own + gf_cuda_pool_free(device));
    if (err)
        err->needed = own + size;
    return status;
}

enum gf_status gf_cuda_pool_hold(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err)
{
    uint64_t held = __atomic_add_fetch(&device->held, size, __ATOMIC_RELAXED);
    if (device->budget == 0 || held <= device->budget)
        return GF_OK;
    gf_cuda_pool_let_go(device, size);
    return refuse(device, size, own, err);
}

void gf_cuda_pool_let_go(struct gf_device *device, uint64_t size)
{
    (void)__atomic_sub_fetch(&device->held, size, __ATOMIC_RELAXED);
}

void gf_cuda_pool_trim(struct gf_device *device)
{
    gf_cuda_buffers_trim(device);
    (void)cudaMemPoolTrimTo(device->pool, 0);
}

enum gf_status gf_cuda_pool_take(struct gf_device *device, cudaStream_t stream, size_t size, uint64_t own,
                                 void **ret_data, struct gf_error *err)
{
    void *data = NULL;
    cudaError_t error = cudaMallocAsync(&data, size, stream);
    if (error == cudaErrorMemoryAllocation) {
        /* What is kept may be in pieces, or somebody else's need came first: try once from scratch. */
        (void)cudaGetLastError();
        gf_cuda_pool_trim(device);
        error = cudaMallocAsync(&data, size, stream);
    }
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return refuse(device, size, own, err);
    }
    if (error == cudaSuccess)
        *ret_data = data;
    return gf_cuda_status(error, "allocating device memory", err);
}

enum gf_status gf_cuda_take(struct gf_lane *lane, size_t size, void **ret_data, struct gf_error *err)
{
    if (lane->n_taken == GF_CUDA_TAKEN)
        return gf_error_set(err, GF_E_INTERNAL, "more than %u pieces of device memory", GF_CUDA_TAKEN);
    enum gf_status status = gf_cuda_pool_hold(lane->device, size, lane->held, err);
    if (status != GF_OK)
        return status;
    status = gf_cuda_pool_take(lane->device, lane->main, size, lane->held, ret_data, err);
    if (status != GF_OK) {
        gf_cuda_pool_let_go(lane->device, size);
        return status;
    }
    lane->taken[lane->n_taken++] = (struct gf_cuda_block){*ret_data, size};
    lane->held += size;
    return GF_OK;
}

void gf_cuda_give(struct gf_lane *lane, void *data)
{
    if (!data)
        return;
    uint32_t i = lane->n_taken;
    while (i > 0 && lane->taken[i - 1].data != data)
        i--;
    if (i > 0) {
        lane->held -= lane->taken[i - 1].size;
        gf_cuda_pool_let_go(lane->device, lane->taken[i - 1].size);
        lane->taken[i - 1] = lane->taken[--lane->n_taken];
    }
    (void)cudaFreeAsync(data, lane->main);
}

enum gf_status gf_cuda_align_view(const struct gf_view *view, struct gf_view *ret_view, uint64_t *ret_bytes,
                                  struct gf_error *err)
{
    uint64_t pitch;
    if (!gf_align_u64(gf_view_row_bytes(view), GF_CUDA_ALIGN, &pitch) || !gf_mul_u64(pitch, view->height, ret_bytes))
        return gf_error_set(err, GF_E_TOO_LARGE, "an image does not fit the address space");
    *ret_view = *view;
    ret_view->pitch = pitch;
    return GF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Device memory from CUDA's stream-ordered pool, kept by the process until somebody needs it more. Used by cuda_run.c
 * for images and by the ops for scratch.
 */
#include "cuda_pool.h"

#include "cuda_status.h"

enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err)
{
    cudaError_t error = cudaDeviceGetDefaultMemPool(&device->pool, 0);
    uint64_t keep = UINT64_MAX;
    if (error == cudaSuccess)
        error = cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    return gf_cuda_status(error, "setting up the memory pool", err);
}

enum gf_status gf_cuda_take(struct gf_lane *lane, size_t size, void **ret_data, struct gf_error *err)
{
    void *data = NULL;
    cudaError_t error = cudaMallocAsync(&data, size, lane->main);
    if (error == cudaErrorMemoryAllocation) {
        /* What the pool keeps may be in pieces, or somebody else's need came first: try once from scratch. */
        (void)cudaGetLastError();
        error = cudaMemPoolTrimTo(lane->device->pool, 0);
        if (error == cudaSuccess)
            error = cudaMallocAsync(&data, size, lane->main);
    }
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        enum gf_status status = gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "no %zu bytes of memory left on %s", size,
                                             lane->device->info.name);
        if (err)
            err->needed = size;
        return status;
    }
    if (error == cudaSuccess)
        *ret_data = data;
    return gf_cuda_status(error, "allocating device memory", err);
}

void gf_cuda_give(struct gf_lane *lane, void *data)
{
    if (data)
        (void)cudaFreeAsync(data, lane->main);
}

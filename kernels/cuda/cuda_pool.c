/* SPDX-License-Identifier: MIT */
/*
 * Device memory from CUDA's stream-ordered pool, kept by the process until somebody needs it more. Used by cuda_run.c
 * for images and by the ops for scratch.
 */
#include "cuda_pool.h"

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

/* Takes memory in the order of a stream. */
static enum gf_status take(struct gf_device *device, cudaStream_t stream, size_t size, void **ret_data,
                           struct gf_error *err)
{
    void *data = NULL;
    cudaError_t error = cudaMallocAsync(&data, size, stream);
    if (error == cudaErrorMemoryAllocation) {
        /* What the pool keeps may be in pieces, or somebody else's need came first: try once from scratch. */
        (void)cudaGetLastError();
        error = cudaMemPoolTrimTo(device->pool, 0);
        if (error == cudaSuccess)
            error = cudaMallocAsync(&data, size, stream);
    }
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        enum gf_status status =
            gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "no %zu bytes of memory left on %s", size, device->info.name);
        if (err)
            err->needed = size;
        return status;
    }
    if (error == cudaSuccess)
        *ret_data = data;
    return gf_cuda_status(error, "allocating device memory", err);
}

enum gf_status gf_cuda_take(struct gf_lane *lane, size_t size, void **ret_data, struct gf_error *err)
{
    return take(lane->device, lane->main, size, ret_data, err);
}

void gf_cuda_give(struct gf_lane *lane, void *data)
{
    if (data)
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

enum gf_status gf_cuda_buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                  struct gf_error *err)
{
    struct gf_buf buf = {.data = NULL};
    uint64_t bytes = 0;
    enum gf_status status = gf_cuda_align_view(view, &buf.view, &bytes, err);
    if (status == GF_OK)
        status = take(device, device->buffers, bytes, &buf.data, err);
    if (status != GF_OK)
        return status;
    status = gf_cuda_status(cudaStreamSynchronize(device->buffers), "waiting for a resident buffer", err);
    if (status == GF_OK)
        *ret_buf = buf;
    return status;
}

void gf_cuda_buffer_free(struct gf_device *device, struct gf_buf *buf)
{
    (void)cudaFreeAsync(buf->data, device->buffers);
    *buf = (struct gf_buf){.data = NULL};
}

/* SPDX-License-Identifier: MIT */
/*
 * The two halves of the page-locked memory take turns. No byte of a half is overwritten before the copies of all bytes
 * are complete: copies of earlier jobs, because a job ends when its execution context is idle; copies of the same job,
 * because all are in its main stream and a half is used again only after the event behind its last copy. See
 * cuda_upload.h.
 */
#include "cuda_upload.h"

#include <string.h>

#include "kernels/cuda/device/cuda_optional.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/cuda_wait.h"

#define HALF_BYTES ((size_t)512 << 10)
#define PIECE_ALIGN 64u

enum gf_status gf_cuda_uploads_init(struct gf_cuda_uploads *uploads, struct gf_error *err)
{
    cudaError_t error = cudaHostAlloc((void **)&uploads->data, 2 * HALF_BYTES, cudaHostAllocDefault);
    for (uint32_t i = 0; i < 2 && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&uploads->ends[i], cudaEventDisableTiming);
    return gf_cuda_status(error, "allocating page-locked memory", err);
}

void gf_cuda_uploads_deinit(struct gf_cuda_uploads *uploads)
{
    (void)gf_cuda_optional(cudaFreeHost(uploads->data));
    for (uint32_t i = 0; i < 2; i++)
        if (uploads->ends[i])
            (void)gf_cuda_optional(cudaEventDestroy(uploads->ends[i]));
}

static cudaError_t next_half(struct gf_cuda_uploads *uploads, cudaStream_t stream)
{
    cudaError_t error = cudaEventRecord(uploads->ends[uploads->half], stream);
    if (error != cudaSuccess)
        return error;
    uploads->half = !uploads->half;
    uploads->used = 0;
    return gf_cuda_wait(uploads->ends[uploads->half]);
}

static char *place(const struct gf_cuda_uploads *uploads)
{
    return uploads->data + (uploads->half ? HALF_BYTES : 0) + uploads->used;
}

enum gf_status gf_cuda_upload_room(struct gf_exec *exec, size_t wanted, void **ret_room, size_t *ret_size,
                                   struct gf_error *err)
{
    struct gf_cuda_uploads *uploads = &exec->uploads;
    if (uploads->used == HALF_BYTES) {
        enum gf_status status = gf_cuda_status(next_half(uploads, exec->main), "waiting for copies of tables", err);
        if (status != GF_OK)
            return status;
    }
    *ret_room = place(uploads);
    *ret_size = wanted < HALF_BYTES - uploads->used ? wanted : HALF_BYTES - uploads->used;
    return GF_OK;
}

enum gf_status gf_cuda_upload_commit(struct gf_exec *exec, void *to, size_t size, struct gf_error *err)
{
    struct gf_cuda_uploads *uploads = &exec->uploads;
    cudaError_t error = cudaMemcpyAsync(to, place(uploads), size, cudaMemcpyHostToDevice, exec->main);
    uploads->used += gf_round_up(size, PIECE_ALIGN);
    return gf_cuda_status(error, "copying a table", err);
}

enum gf_status gf_cuda_upload(struct gf_exec *exec, void *to, const void *from, size_t size, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (size_t at = 0, n; at < size && status == GF_OK; at += n) {
        void *room = NULL;
        status = gf_cuda_upload_room(exec, size - at, &room, &n, err);
        if (status != GF_OK)
            return status;
        memcpy(room, (const char *)from + at, n);
        status = gf_cuda_upload_commit(exec, (char *)to + at, n, err);
    }
    return status;
}

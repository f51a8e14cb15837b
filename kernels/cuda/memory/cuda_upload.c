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

enum gf_status gf_cuda_upload(struct gf_exec *exec, void *to, const void *from, size_t size, struct gf_error *err)
{
    struct gf_cuda_uploads *uploads = &exec->uploads;
    cudaError_t error = cudaSuccess;
    for (size_t at = 0; at < size && error == cudaSuccess;) {
        if (uploads->used == HALF_BYTES) {
            error = next_half(uploads, exec->main);
            continue;
        }
        size_t room = HALF_BYTES - uploads->used, n = size - at < room ? size - at : room;
        char *piece = uploads->data + (uploads->half ? HALF_BYTES : 0) + uploads->used;
        memcpy(piece, (const char *)from + at, n);
        error = cudaMemcpyAsync((char *)to + at, piece, n, cudaMemcpyHostToDevice, exec->main);
        uploads->used += gf_round_up(n, PIECE_ALIGN);
        at += n;
    }
    return gf_cuda_status(error, "copying a table", err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Resident buffers. The front frees a buffer only when no job names it any more, and a job ends only when the device
 * has finished it, so a returned block is idle in every stream. The block is kept as it is, and the next buffer of its
 * size reuses it without a call to CUDA. Blocks are not cleared: a buffer is the result of a job, which writes all
 * samples before any client can name the buffer. Called through gf_backend and by cuda_pool.c.
 */
#include "cuda_buffers.h"

#include "cuda_pool.h"
#include "kernels/cuda/device/cuda_optional.h"
#include "kernels/cuda/device/cuda_status.h"

/* Block sizes are multiples of BLOCK_UNIT, small ones of SMALL_UNIT, so that many sizes find a kept block. */
#define BLOCK_UNIT (2u * 1024u * 1024u)
#define SMALL_UNIT 4096u
/* At most this fraction of the device's memory, or of the budget, is kept. */
#define KEPT_FRACTION 8u

enum gf_status gf_cuda_buffers_init(struct gf_device *device, struct gf_error *err)
{
    struct gf_cuda_buffers *b = &device->buffers;
    (void)pthread_mutex_init(&b->mutex, NULL);
    return gf_cuda_status(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking), "creating a stream", err);
}

/* Removes block `i` from the kept blocks. The caller must hold the mutex. */
static struct gf_cuda_block take_out(struct gf_cuda_buffers *b, uint32_t i)
{
    struct gf_cuda_block block = b->kept[i];
    b->n_kept--;
    b->bytes -= block.size;
    for (; i < b->n_kept; i++)
        b->kept[i] = b->kept[i + 1];
    return block;
}

void gf_cuda_buffers_trim(struct gf_device *device)
{
    struct gf_cuda_buffers *b = &device->buffers;
    (void)pthread_mutex_lock(&b->mutex);
    while (b->n_kept > 0)
        (void)gf_cuda_optional(cudaFreeAsync(take_out(b, b->n_kept - 1).data, b->stream));
    (void)pthread_mutex_unlock(&b->mutex);
    (void)gf_cuda_optional(cudaStreamSynchronize(b->stream));
}

void gf_cuda_buffers_deinit(struct gf_device *device)
{
    if (!device->buffers.stream)
        return;
    gf_cuda_buffers_trim(device);
    (void)gf_cuda_optional(cudaStreamDestroy(device->buffers.stream));
    (void)pthread_mutex_destroy(&device->buffers.mutex);
}

/* Returns the latest kept block of this size, or NULL. */
static void *find_kept(struct gf_cuda_buffers *b, size_t size)
{
    void *data = NULL;
    (void)pthread_mutex_lock(&b->mutex);
    for (uint32_t i = b->n_kept; i-- > 0 && !data;)
        if (b->kept[i].size == size)
            data = take_out(b, i).data;
    (void)pthread_mutex_unlock(&b->mutex);
    return data;
}

static size_t block_size(size_t size)
{
    return gf_round_up(size, size < BLOCK_UNIT ? SMALL_UNIT : BLOCK_UNIT);
}

enum gf_status gf_cuda_buffer_new(struct gf_device *device, const struct gf_view *view, struct gf_buf *ret_buf,
                                  struct gf_error *err)
{
    struct gf_cuda_buffers *b = &device->buffers;
    struct gf_buf buf = {.data = NULL};
    uint64_t bytes = 0;
    enum gf_status status = gf_cuda_align_view(view, &buf.view, &bytes, err);
    size_t size = block_size(bytes);
    if (status == GF_OK)
        status = gf_cuda_pool_reserve(device, size, 0, err);
    if (status != GF_OK)
        return status;
    buf.data = find_kept(b, size);
    if (!buf.data) {
        status = gf_cuda_pool_alloc(device, b->stream, size, 0, &buf.data, err);
        if (status == GF_OK)
            status = gf_cuda_status(cudaStreamSynchronize(b->stream), "waiting for a resident buffer", err);
        if (status != GF_OK && buf.data)
            (void)gf_cuda_optional(cudaFreeAsync(buf.data, b->stream));
    }
    if (status == GF_OK)
        *ret_buf = buf;
    else
        gf_cuda_pool_unreserve(device, size);
    return status;
}

void gf_cuda_buffer_free(struct gf_device *device, struct gf_buf *buf)
{
    struct gf_cuda_buffers *b = &device->buffers;
    struct gf_cuda_block block = {buf->data, block_size(buf->view.pitch * buf->view.height)}, extra[GF_CUDA_KEPT];
    uint32_t n_extra = 0;
    gf_cuda_pool_unreserve(device, block.size);
    (void)pthread_mutex_lock(&b->mutex);
    uint64_t limit = (device->budget ? device->budget : device->info.memory) / KEPT_FRACTION;
    bool keeps = block.size <= limit;
    while (keeps && b->n_kept > 0 && (b->n_kept == GF_CUDA_KEPT || b->bytes > limit - block.size))
        extra[n_extra++] = take_out(b, 0);
    if (keeps) {
        b->kept[b->n_kept++] = block;
        b->bytes += block.size;
    }
    (void)pthread_mutex_unlock(&b->mutex);
    for (uint32_t i = 0; i < n_extra; i++)
        (void)gf_cuda_optional(cudaFreeAsync(extra[i].data, b->stream));
    if (!keeps)
        (void)gf_cuda_optional(cudaFreeAsync(block.data, b->stream));
    *buf = (struct gf_buf){.data = NULL};
}

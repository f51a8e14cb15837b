/* SPDX-License-Identifier: MIT */
/*
 * The resident buffers of one worker: device memory under keys that the front assigns, kept between requests. A buffer
 * is allocated when a RUN names it as a result, and other RUNs may read it once that RUN has succeeded. The front
 * orders the RUNs that use a buffer and frees it after the last one. Used by job.c and job_loop.c. It has its own lock;
 * every function may be called from any thread.
 */
#ifndef GF_WORKER_BUFFERS_H
#define GF_WORKER_BUFFERS_H

#include <pthread.h>

#include "kernels/backend.h"
#include "protocol/base/hash.h"

struct gf_resident; /* one buffer */

struct gf_buffers {
    const struct gf_backend *backend;
    struct gf_device *device;
    struct gf_hash by_key;
    pthread_mutex_t lock;
};

void gf_buffers_init(struct gf_buffers *buffers, const struct gf_backend *backend, struct gf_device *device);
/* Frees all buffers; no job may be running. */
void gf_buffers_deinit(struct gf_buffers *buffers);

/* Allocates memory for a result and takes the key, under which the buffer is not visible yet. NO_MEMORY,
 * NO_DEVICE_MEMORY, INTERNAL if the key is in use. */
enum gf_status gf_buffers_make(struct gf_buffers *buffers, uint64_t key, const struct gf_view *view,
                               struct gf_resident **ret_resident, struct gf_buf *ret_buf, struct gf_error *err);
/* The RUN has ended: on success the buffer becomes visible under its key, otherwise it is freed and its key released.
 */
void gf_buffers_made(struct gf_buffers *buffers, struct gf_resident *resident, bool success);

/* The part of a buffer that an operand names; its id is the key. NO_SUCH_HANDLE, BAD_VIEW, BAD_DTYPE. */
enum gf_status gf_buffers_find(struct gf_buffers *buffers, const struct gf_operand *operand, struct gf_buf *ret_buf,
                               struct gf_error *err);
/* Frees a buffer; unknown keys are ignored. */
void gf_buffers_free(struct gf_buffers *buffers, uint64_t key);

#endif

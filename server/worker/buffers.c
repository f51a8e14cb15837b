/* SPDX-License-Identifier: MIT */
/* The resident buffers of one worker; see buffers.h. */
#include "buffers.h"

#include <inttypes.h>

struct gf_resident {
    struct gf_resident *next;
    struct gf_buf buf;
    uint32_t key;
};

void gf_buffers_init(struct gf_buffers *buffers, const struct gf_backend *backend, struct gf_device *device)
{
    *buffers = (struct gf_buffers){.backend = backend, .device = device};
    pthread_mutex_init(&buffers->lock, NULL);
}

static void destroy(struct gf_buffers *buffers, struct gf_resident *resident)
{
    buffers->backend->buffer_free(buffers->device, &resident->buf);
    free(resident);
}

void gf_buffers_deinit(struct gf_buffers *buffers)
{
    while (buffers->first) {
        struct gf_resident *resident = buffers->first;
        buffers->first = resident->next;
        destroy(buffers, resident);
    }
    pthread_mutex_destroy(&buffers->lock);
}

/* The link to the buffer with this key, or to the end of the list. The lock must be held. */
static struct gf_resident **find(struct gf_buffers *buffers, uint32_t key)
{
    struct gf_resident **at = &buffers->first;
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

enum gf_status gf_buffers_make(struct gf_buffers *buffers, uint32_t key, const struct gf_view *view,
                               struct gf_resident **ret_resident, struct gf_buf *ret_buf, struct gf_error *err)
{
    pthread_mutex_lock(&buffers->lock);
    bool taken = *find(buffers, key) != NULL;
    pthread_mutex_unlock(&buffers->lock);
    if (taken)
        return gf_error_set(err, GF_E_INTERNAL, "worker: a buffer with key %" PRIu32 " exists already", key);
    gf_cleanup(gf_freep) struct gf_resident *resident = calloc(1, sizeof *resident);
    if (resident == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory to record a resident buffer");
    enum gf_status status = buffers->backend->buffer_new(buffers->device, view, &resident->buf, err);
    if (status != GF_OK)
        return status;
    resident->key = key;
    *ret_buf = resident->buf;
    *ret_resident = gf_steal_ptr(&resident);
    return GF_OK;
}

void gf_buffers_made(struct gf_buffers *buffers, struct gf_resident *resident, bool success)
{
    if (!success) {
        destroy(buffers, resident);
        return;
    }
    pthread_mutex_lock(&buffers->lock);
    resident->next = buffers->first;
    buffers->first = resident;
    pthread_mutex_unlock(&buffers->lock);
}

enum gf_status gf_buffers_find(struct gf_buffers *buffers, const struct gf_operand *operand, struct gf_buf *ret_buf,
                               struct gf_error *err)
{
    uint64_t x, y;
    pthread_mutex_lock(&buffers->lock);
    struct gf_resident *resident = *find(buffers, operand->id);
    struct gf_buf buf = resident != NULL ? resident->buf : (struct gf_buf){.data = NULL};
    pthread_mutex_unlock(&buffers->lock);
    if (resident == NULL)
        return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "worker: no buffer with key %" PRIu32, operand->id);
    enum gf_status status = gf_operand_place(operand, &buf.view, &x, &y, err);
    if (status != GF_OK)
        return status;
    uint64_t pixel = gf_dtype_size(buf.view.dtype) * buf.view.channels;
    buf.data = (char *)buf.data + y * buf.view.pitch + x * pixel;
    buf.view.width = operand->view.width;
    buf.view.height = operand->view.height;
    *ret_buf = buf;
    return GF_OK;
}

void gf_buffers_free(struct gf_buffers *buffers, uint32_t key)
{
    pthread_mutex_lock(&buffers->lock);
    struct gf_resident **at = find(buffers, key), *resident = *at;
    if (resident != NULL)
        *at = resident->next;
    pthread_mutex_unlock(&buffers->lock);
    if (resident != NULL)
        destroy(buffers, resident);
}

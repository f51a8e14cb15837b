/* SPDX-License-Identifier: MIT */
/* The resident buffers of one worker; see buffers.h. */
#include "buffers.h"

#include <inttypes.h>

struct gf_resident {
    struct gf_hash_node node; /* by key */
    struct gf_buf buf;
    bool made; /* visible under its key */
};

void gf_buffers_init(struct gf_buffers *buffers, const struct gf_backend *backend, struct gf_device *device)
{
    *buffers = (struct gf_buffers){.backend = backend, .device = device};
    pthread_mutex_init(&buffers->lock, NULL);
}

static struct gf_resident *resident_of(struct gf_hash_node *node)
{
    return node != NULL ? gf_container(node, struct gf_resident, node) : NULL;
}

static void destroy(struct gf_buffers *buffers, struct gf_resident *resident)
{
    buffers->backend->buffer_free(buffers->device, &resident->buf);
    free(resident);
}

void gf_buffers_deinit(struct gf_buffers *buffers)
{
    struct gf_hash_node *node = gf_hash_drain(&buffers->by_key);
    while (node != NULL) {
        struct gf_resident *resident = resident_of(node);
        node = node->next;
        destroy(buffers, resident);
    }
    gf_hash_deinit(&buffers->by_key);
    pthread_mutex_destroy(&buffers->lock);
}

/* Takes a key; false if it is in use. */
static bool take_key(struct gf_buffers *buffers, uint64_t key, struct gf_resident *resident)
{
    pthread_mutex_lock(&buffers->lock);
    bool in_use = gf_hash_find(&buffers->by_key, key) != NULL;
    if (!in_use)
        gf_hash_add(&buffers->by_key, key, &resident->node);
    pthread_mutex_unlock(&buffers->lock);
    return !in_use;
}

enum gf_status gf_buffers_make(struct gf_buffers *buffers, uint64_t key, const struct gf_view *view,
                               struct gf_resident **ret_resident, struct gf_buf *ret_buf, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_resident *resident = calloc(1, sizeof *resident);
    if (resident == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory to record a resident buffer");
    enum gf_status status = buffers->backend->buffer_new(buffers->device, view, &resident->buf, err);
    if (status != GF_OK)
        return status;
    if (!take_key(buffers, key, resident)) {
        buffers->backend->buffer_free(buffers->device, &resident->buf);
        return gf_error_set(err, GF_E_INTERNAL, "worker: a buffer with key %" PRIu64 " exists already", key);
    }
    *ret_buf = resident->buf;
    *ret_resident = gf_steal_ptr(&resident);
    return GF_OK;
}

void gf_buffers_made(struct gf_buffers *buffers, struct gf_resident *resident, bool success)
{
    pthread_mutex_lock(&buffers->lock);
    resident->made = success;
    if (!success)
        gf_hash_remove(&buffers->by_key, &resident->node);
    pthread_mutex_unlock(&buffers->lock);
    if (!success)
        destroy(buffers, resident);
}

enum gf_status gf_buffers_find(struct gf_buffers *buffers, const struct gf_operand *operand, struct gf_buf *ret_buf,
                               struct gf_error *err)
{
    uint64_t x, y;
    pthread_mutex_lock(&buffers->lock);
    const struct gf_resident *resident = resident_of(gf_hash_find(&buffers->by_key, operand->id));
    bool made = resident != NULL && resident->made;
    struct gf_buf buf = made ? resident->buf : (struct gf_buf){.data = NULL};
    pthread_mutex_unlock(&buffers->lock);
    if (!made)
        return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "worker: no buffer with key %" PRIu64, operand->id);
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

void gf_buffers_free(struct gf_buffers *buffers, uint64_t key)
{
    pthread_mutex_lock(&buffers->lock);
    struct gf_resident *resident = resident_of(gf_hash_find(&buffers->by_key, key));
    if (resident != NULL && resident->made)
        gf_hash_remove(&buffers->by_key, &resident->node);
    else
        resident = NULL;
    pthread_mutex_unlock(&buffers->lock);
    if (resident != NULL)
        destroy(buffers, resident);
}

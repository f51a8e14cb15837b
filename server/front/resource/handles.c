/* SPDX-License-Identifier: MIT */
/* The handles of a connection and their buffers; see handles.h. */
#include "handles.h"

#include <inttypes.h>

#include "protocol/wire/worker_msg.h"

void gf_handles_init(struct gf_handles *handles, gf_free_buffers *free_buffers)
{
    *handles = (struct gf_handles){.free_buffers = free_buffers};
    gf_node_init(&handles->list);
    gf_node_init(&handles->freeing);
    gf_node_init(&handles->freed);
}

/* The handle no longer decides where the connection's further handles are made. */
static void uncount(struct gf_handle *handle)
{
    if (handle->alive && handle->table)
        handle->table->n_alive--;
    handle->alive = false;
}

/* Releases a handle that nobody refers to; the caller frees its buffer. */
static void destroy(struct gf_handle *handle)
{
    gf_charge_deinit(&handle->count_charge);
    gf_charge_deinit(&handle->charge);
    free(handle);
}

/* Drops the table's references. Buffers that no task uses are freed with few messages. */
static void forget_all(struct gf_handles *handles, struct gf_node *list)
{
    uint64_t keys[GF_WORKER_MAX_FREE];
    struct gf_worker *worker = NULL;
    uint32_t n = 0;
    gf_list_each(it, after, list)
    {
        struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        bool free_it = handle->refs == 1 && handle->state == GF_HANDLE_READY;
        gf_list_remove(&handle->node);
        handle->table = NULL;
        if (n > 0 && free_it && (handle->worker != worker || n == GF_WORKER_MAX_FREE)) {
            handles->free_buffers(worker, keys, n);
            n = 0;
        }
        if (!free_it) {
            gf_handle_unref(handle);
            continue;
        }
        worker = handle->worker;
        keys[n++] = handle->key;
        destroy(handle);
    }
    if (n > 0)
        handles->free_buffers(worker, keys, n);
}

void gf_handles_deinit(struct gf_handles *handles)
{
    forget_all(handles, &handles->list);
    forget_all(handles, &handles->freeing);
    forget_all(handles, &handles->freed);
    gf_hash_deinit(&handles->by_id);
    gf_hash_deinit(&handles->by_request);
}

static struct gf_handle *find(const struct gf_handles *handles, uint32_t id)
{
    struct gf_hash_node *node = gf_hash_find(&handles->by_id, id);
    return node ? gf_container(node, struct gf_handle, by_id) : NULL;
}

enum gf_status gf_handles_add(struct gf_handles *handles, struct gf_account *account, struct gf_worker *worker,
                              uint32_t id, uint64_t key, const struct gf_view *view, struct gf_handle **ret_handle,
                              struct gf_error *err)
{
    if (find(handles, id))
        return gf_error_set(err, GF_E_EXISTS,
                            "handle %" PRIu32 " exists already; free it first or choose another number", id);
    gf_cleanup(gf_charge_deinit) struct gf_charge charge = GF_CHARGE_NULL;
    gf_cleanup(gf_charge_deinit) struct gf_charge count_charge = GF_CHARGE_NULL;
    enum gf_status status = gf_charge_init(&count_charge, account, GF_RES_HANDLES, 1, err);
    if (status == GF_OK)
        status = gf_charge_init(&charge, account, GF_RES_RESIDENT, gf_view_bytes(view), err);
    if (status != GF_OK)
        return status;
    struct gf_handle *handle = calloc(1, sizeof(*handle));
    if (!handle)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *handle = (struct gf_handle){.charge = charge,
                                 .count_charge = count_charge,
                                 .view = *view,
                                 .worker = worker,
                                 .table = handles,
                                 .free_buffers = handles->free_buffers,
                                 .id = id,
                                 .key = key,
                                 .alive = true,
                                 .state = GF_HANDLE_MAKING,
                                 .refs = 1};
    charge = count_charge = GF_CHARGE_NULL;
    gf_list_push(&handles->list, &handle->node);
    gf_hash_add(&handles->by_id, id, &handle->by_id);
    handles->home = worker;
    handles->n_alive++;
    *ret_handle = handle;
    return GF_OK;
}

enum gf_status gf_handles_find(struct gf_handles *handles, uint32_t id, struct gf_handle **ret_handle,
                               struct gf_error *err)
{
    struct gf_handle *handle = find(handles, id);
    if (!handle)
        return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "handle %" PRIu32 " does not exist on this connection", id);
    if (handle->state == GF_HANDLE_LOST)
        return gf_error_set(err, GF_E_HANDLE_LOST, "the worker that had handle %" PRIu32 " died; free it", id);
    if (handle->state == GF_HANDLE_FAILED)
        return gf_error_set(err, GF_E_DEPENDENCY,
                            "the request that should have made handle %" PRIu32 " failed; free it", id);
    *ret_handle = handle;
    return GF_OK;
}

struct gf_worker *gf_handles_worker(const struct gf_handles *handles)
{
    return handles->n_alive > 0 ? handles->home : NULL;
}

/* Takes a handle out of the table's numbers. */
static void release_id(struct gf_handle *handle)
{
    uncount(handle);
    gf_list_remove(&handle->node);
    gf_hash_remove(&handle->table->by_id, &handle->by_id);
    gf_charge_deinit(&handle->count_charge); /* now, because tasks that hold the handle end later */
}

void gf_handles_undo(struct gf_handle *handle)
{
    release_id(handle);
    handle->table = NULL;
    gf_handle_unref(handle);
}

enum gf_status gf_handles_free(struct gf_handles *handles, uint32_t id, uint64_t request, struct gf_error *err)
{
    struct gf_handle *handle = find(handles, id);
    if (!handle)
        return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "handle %" PRIu32 " does not exist on this connection", id);
    release_id(handle);
    gf_list_push(handle->refs == 1 ? &handles->freed : &handles->freeing, &handle->node);
    gf_hash_add(&handles->by_request, request, &handle->by_request);
    return GF_OK;
}

bool gf_handles_frees(const struct gf_handles *handles, uint64_t request)
{
    return gf_hash_find(&handles->by_request, request) != NULL;
}

bool gf_handles_freed(struct gf_handles *handles, uint64_t *ret_request)
{
    if (gf_list_empty(&handles->freed))
        return false;
    struct gf_handle *handle = gf_container(handles->freed.next, struct gf_handle, node);
    *ret_request = handle->by_request.key;
    gf_list_remove(&handle->node);
    gf_hash_remove(&handles->by_request, &handle->by_request);
    handle->table = NULL;
    gf_handle_unref(handle);
    return true;
}

static void set_gone(struct gf_handle *handle, enum gf_handle_state state)
{
    uncount(handle);
    handle->state = state;
    gf_charge_deinit(&handle->charge);
}

static void lose(struct gf_node *list, const struct gf_worker *worker)
{
    gf_list_each(it, after, list)
    {
        struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        if (handle->worker == worker && handle->state == GF_HANDLE_READY)
            set_gone(handle, GF_HANDLE_LOST);
    }
}

void gf_handles_lose(struct gf_handles *handles, const struct gf_worker *worker)
{
    lose(&handles->list, worker);
    lose(&handles->freeing, worker);
    lose(&handles->freed, worker);
}

struct gf_handle *gf_handle_ref(struct gf_handle *handle)
{
    handle->refs++;
    return handle;
}

void gf_handle_unref(struct gf_handle *handle)
{
    bool freeing = handle->table && handle->by_request.key != 0;
    if (--handle->refs == 1 && freeing) {
        gf_list_remove(&handle->node);
        gf_list_push(&handle->table->freed, &handle->node);
    }
    if (handle->refs > 0)
        return;
    if (handle->state == GF_HANDLE_READY)
        handle->free_buffers(handle->worker, &handle->key, 1);
    destroy(handle);
}

void gf_handle_settle(struct gf_handle *handle, enum gf_status status)
{
    if (status == GF_OK)
        handle->state = GF_HANDLE_READY;
    else
        set_gone(handle, status == GF_E_HANDLE_LOST ? GF_HANDLE_LOST : GF_HANDLE_FAILED);
}

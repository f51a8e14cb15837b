/* SPDX-License-Identifier: MIT */
/* The handles of a connection and their buffers; see handles.h. */
#include "handles.h"

#include <inttypes.h>

void gf_handles_init(struct gf_handles *handles, gf_free_buffer *free_buffer)
{
    *handles = (struct gf_handles){.free_buffer = free_buffer};
    gf_node_init(&handles->list);
    gf_node_init(&handles->freeing);
}

static void forget_all(struct gf_node *list)
{
    gf_list_each(it, after, list)
    {
        struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        gf_list_remove(&handle->node);
        gf_handle_unref(handle);
    }
}

void gf_handles_deinit(struct gf_handles *handles)
{
    forget_all(&handles->list);
    forget_all(&handles->freeing);
}

static struct gf_handle *find(const struct gf_handles *handles, uint32_t id)
{
    gf_list_each(it, after, &handles->list)
    {
        struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        if (handle->id == id)
            return handle;
    }
    return NULL;
}

enum gf_status gf_handles_add(struct gf_handles *handles, struct gf_account *account, struct gf_worker *worker,
                              uint32_t id, uint32_t key, const struct gf_view *view, struct gf_handle **ret_handle,
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
                                 .free_buffer = handles->free_buffer,
                                 .id = id,
                                 .key = key,
                                 .state = GF_HANDLE_MAKING,
                                 .refs = 1};
    charge = count_charge = GF_CHARGE_NULL;
    gf_list_push(&handles->list, &handle->node);
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
    gf_list_each(it, after, &handles->list)
    {
        const struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        if (handle->state == GF_HANDLE_MAKING || handle->state == GF_HANDLE_READY)
            return handle->worker;
    }
    return NULL;
}

void gf_handles_undo(struct gf_handle *handle)
{
    gf_list_remove(&handle->node);
    gf_charge_deinit(&handle->count_charge); /* now, because the task that holds the handle is freed later */
    gf_handle_unref(handle);
}

enum gf_status gf_handles_free(struct gf_handles *handles, uint32_t id, uint64_t request, struct gf_error *err)
{
    struct gf_handle *handle = find(handles, id);
    if (!handle)
        return gf_error_set(err, GF_E_NO_SUCH_HANDLE, "handle %" PRIu32 " does not exist on this connection", id);
    gf_list_remove(&handle->node);
    gf_charge_deinit(&handle->count_charge);
    gf_list_push(&handles->freeing, &handle->node);
    handle->free_request = request;
    return GF_OK;
}

bool gf_handles_frees(const struct gf_handles *handles, uint64_t request)
{
    gf_list_each(it, after,
                 &handles->freeing) if (gf_container(it, struct gf_handle, node)->free_request == request) return true;
    return false;
}

bool gf_handles_freed(struct gf_handles *handles, uint64_t *ret_request)
{
    gf_list_each(it, after, &handles->freeing)
    {
        struct gf_handle *handle = gf_container(it, struct gf_handle, node);
        if (handle->refs > 1)
            continue;
        *ret_request = handle->free_request;
        gf_list_remove(&handle->node);
        gf_handle_unref(handle);
        return true;
    }
    return false;
}

static void set_gone(struct gf_handle *handle, enum gf_handle_state state)
{
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
}

struct gf_handle *gf_handle_ref(struct gf_handle *handle)
{
    handle->refs++;
    return handle;
}

void gf_handle_unref(struct gf_handle *handle)
{
    if (--handle->refs > 0)
        return;
    if (handle->state == GF_HANDLE_READY)
        handle->free_buffer(handle->worker, handle->key);
    gf_charge_deinit(&handle->count_charge);
    gf_charge_deinit(&handle->charge);
    free(handle);
}

void gf_handle_settle(struct gf_handle *handle, enum gf_status status)
{
    if (status == GF_OK)
        handle->state = GF_HANDLE_READY;
    else
        set_gone(handle, status == GF_E_HANDLE_LOST ? GF_HANDLE_LOST : GF_HANDLE_FAILED);
}

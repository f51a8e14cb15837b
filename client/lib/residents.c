/* SPDX-License-Identifier: MIT */
/* Resident buffers and the handles of their contents; see residents.h. */
#include "residents.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "client.h"
#include "protocol/base/base.h"
#include "protocol/wire/request.h"

#define PAGE 4096ull

struct gf_handle *gf_handle_new(gpufilter_client *client, struct gf_handle *before)
{
    struct gf_handle *h = calloc(1, sizeof(*h));
    if (h == NULL)
        return NULL;
    h->refs = 1;
    h->number = ++client->last_handle;
    h->before = before;
    h->client = client;
    return h;
}

struct gf_handle *gf_handle_ref(struct gf_handle *h)
{
    h->refs++;
    return h;
}

static enum gf_prepared write_free(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                   struct gf_error *err)
{
    const struct gf_handle *h = x->context;
    (void)payload;
    if (h->connection != h->client->connection) {
        gf_error_set(err, GF_E_CONNECTION_LOST, "it was lost with its connection");
        return GF_PREPARED_NEVER;
    }
    gf_free_request_encode(head, h->number);
    return GF_PREPARED;
}

/* The handle was freed, did not exist, or went with the connection. */
static void freed(struct gf_exchange *x)
{
    struct gf_handle *h = x->context;
    h->client->n_releases--;
    free(h);
}

struct gf_handle *gf_handle_unref(struct gf_handle *h)
{
    while (h != NULL && --h->refs == 0) {
        struct gf_handle *before = h->before;
        gpufilter_client *client = h->client;
        h->before = NULL;
        if (h->connection != 0 && h->connection == client->connection && client->channel.open) {
            h->release = (struct gf_exchange){.kind = GF_FRAME_FREE,
                                              .answer_kind = GF_FRAME_DONE,
                                              .fd = -1,
                                              .deadline = INT64_MAX,
                                              .context = h,
                                              .prepare = write_free,
                                              .done = freed};
            client->n_releases++;
            gf_channel_add_first(&client->channel, &h->release);
        } else {
            free(h);
        }
        h = before;
    }
    return NULL;
}

void gf_handle_settle(struct gf_handle *h, bool made)
{
    h->state = made ? GF_CONTENTS_MADE : GF_CONTENTS_FAILED;
    if (made)
        h->before = gf_handle_unref(h->before);
}

void gf_residents_deinit(struct gf_residents *residents)
{
    while (residents->first != NULL)
        gf_residents_remove(residents, residents->first);
}

enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_resident *r = calloc(1, sizeof(*r));
    uint64_t size = 0;
    if (r == NULL || !gf_align_u64(gf_view_bytes(view), PAGE, &size))
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return gf_error_set(err, GF_E_NO_MEMORY, "cannot reserve %" PRIu64 " addresses for a resident buffer: %s", size,
                            strerror(errno));
    *r = (struct gf_resident){.next = residents->first, .base = base, .size = size, .view = *view};
    residents->first = r;
    *ret_resident = gf_steal_ptr(&r);
    return GF_OK;
}

struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data)
{
    const uintptr_t at = (uintptr_t)data;
    for (struct gf_resident *r = residents->first; r != NULL; r = r->next)
        if (at >= (uintptr_t)r->base && at - (uintptr_t)r->base < r->size)
            return r;
    return NULL;
}

void gf_residents_restore(struct gf_residents *residents)
{
    for (struct gf_resident *r = residents->first; r != NULL; r = r->next)
        while (r->newest != NULL && r->newest->state == GF_CONTENTS_FAILED) {
            struct gf_handle *h = r->newest;
            r->newest = h->before != NULL ? gf_handle_ref(h->before) : NULL;
            gf_handle_unref(h);
        }
}

void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident)
{
    struct gf_resident **at = &residents->first;
    while (*at != resident)
        at = &(*at)->next;
    *at = resident->next;
    gf_handle_unref(resident->newest);
    munmap(resident->base, resident->size);
    free(resident);
}

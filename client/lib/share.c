/* SPDX-License-Identifier: MIT */
/* Sends ARENA frames and handles their answers. Called by placement.c. */
#include "share.h"

#include "protocol/wire/request.h"

#define TIMEOUT_MS 30000

/* An ARENA frame in flight. The arena may be gone before its answer arrives. */
struct declaration {
    struct gf_exchange x;
    gpufilter_client *client;
    uint64_t connection;
    uint32_t id;
};

static enum gf_prepared write_arena(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                    struct gf_error *err)
{
    const struct declaration *d = x->context;
    const struct gf_arena *a = gf_memory_arena(&d->client->memory, d->id);
    (void)payload;
    if (a == NULL || d->connection != d->client->connection) {
        gf_error_set(err, GF_E_CONNECTION_LOST, "it is empty");
        return GF_PREPARED_NEVER;
    }
    x->fd = a->fd;
    gf_arena_request_encode(head, &(struct gf_arena_request){.arena = a->id, .size = a->size});
    return GF_PREPARED;
}

static void answered(struct gf_exchange *x)
{
    struct declaration *d = x->context;
    struct gf_arena *a = gf_memory_arena(&d->client->memory, d->id);
    bool here = d->connection == d->client->connection;
    if (a != NULL && x->error.status == GF_OK)
        a->declared = d->connection;
    else if (here && x->error.status < GF_STATUS_FATAL)
        d->client->shares = false;
    free(d);
}

static enum gf_status declare(gpufilter_client *client, struct gf_arena *a, struct gf_error *err)
{
    struct declaration *d = calloc(1, sizeof(*d));
    if (d == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *d = (struct declaration){.x = {.kind = GF_FRAME_ARENA,
                                    .answer_kind = GF_FRAME_DONE,
                                    .fd = -1,
                                    .deadline = gf_after_ms(TIMEOUT_MS),
                                    .context = d,
                                    .prepare = write_arena,
                                    .done = answered},
                              .client = client,
                              .connection = client->connection,
                              .id = a->id};
    a->asked = client->connection;
    gf_channel_add_first(&client->channel, &d->x);
    return GF_OK;
}

enum gf_status gf_share(gpufilter_client *client, const void *data, const struct gf_view *view,
                        struct gf_arena **ret_arena, bool *ret_later, struct gf_error *err)
{
    struct gf_arena *a = client->shares ? gf_memory_find(&client->memory, data, view) : NULL;
    enum gf_status status = GF_OK;
    if (a != NULL && a->asked != client->connection)
        status = declare(client, a, err);
    if (a != NULL && a->declared != client->connection)
        *ret_later = true;
    *ret_arena = a;
    return status;
}

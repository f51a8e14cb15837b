/* SPDX-License-Identifier: MIT */
/* Declares arenas to the daemon and drops them; see arenas.h. */
#include "arenas.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "protocol/base/shared_memory.h"
#include "protocol/wire/request.h"

#define DECLARATION_MS 30000 /* limit of the daemon's answer to an arena */

/* An ARENA or ARENA_DROP frame in flight. The arena may be gone before its answer arrives. */
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
    struct gf_arena *a = gf_memory_arena(&d->client->memory, d->id);
    (void)payload;
    if (a == NULL || d->connection != d->client->connection) {
        gf_error_set(err, GF_E_CONNECTION_LOST, "it is empty");
        return GF_PREPARED_NEVER;
    }
    x->fd = fcntl(a->fd, F_DUPFD_CLOEXEC, GF_FIRST_FD); /* the arena may be removed before the frame is sent */
    if (x->fd < 0) {
        gf_error_set(err, GF_E_RESOURCE_FDS, "cannot make a descriptor: %s", strerror(errno));
        return GF_PREPARED_NEVER;
    }
    a->sent = d->connection;
    gf_arena_request_encode(head, &(struct gf_arena_request){.arena = a->id, .size = a->size});
    return GF_PREPARED;
}

static void answered(struct gf_exchange *x)
{
    struct declaration *d = x->context;
    struct gf_arena *a = gf_memory_arena(&d->client->memory, d->id);
    bool here = d->connection == d->client->connection;
    if (x->error.status == GF_OK && a != NULL) /* otherwise it has been removed meanwhile */
        a->declared = d->connection;
    else if (x->error.status != GF_OK && here && x->error.status < GF_STATUS_FATAL)
        d->client->shares = false;
    gf_closep(&x->fd);
    free(d);
}

static struct declaration *declaration_new(gpufilter_client *client, const struct gf_arena *a)
{
    struct declaration *d = calloc(1, sizeof(*d));
    if (d == NULL)
        return NULL;
    d->x = (struct gf_exchange){.answer_kind = GF_FRAME_DONE, .fd = -1, .context = d};
    d->client = client;
    d->connection = client->connection;
    d->id = a->id;
    return d;
}

enum gf_status gf_arena_declare(gpufilter_client *client, struct gf_arena *a, struct gf_error *err)
{
    struct declaration *d = declaration_new(client, a);
    if (d == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    d->x.kind = GF_FRAME_ARENA;
    d->x.deadline = gf_after_ms(DECLARATION_MS);
    d->x.prepare = write_arena;
    d->x.done = answered;
    a->asked = client->connection;
    gf_channel_add_first(&client->channel, &d->x);
    return GF_OK;
}

static enum gf_prepared write_drop(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                   struct gf_error *err)
{
    const struct declaration *d = x->context;
    (void)payload;
    if (d->connection != d->client->connection) {
        gf_error_set(err, GF_E_CONNECTION_LOST, "it was lost with its connection");
        return GF_PREPARED_NEVER;
    }
    gf_arena_request_encode(head, &(struct gf_arena_request){.arena = d->id});
    return GF_PREPARED;
}

static void dropped(struct gf_exchange *x)
{
    struct declaration *d = x->context;
    d->client->n_releases--;
    free(d);
}

void gf_arena_drop(void *user, const struct gf_arena *a)
{
    gpufilter_client *client = user;
    struct declaration *d = a->sent == client->connection && client->channel.open ? declaration_new(client, a) : NULL;
    if (d == NULL)
        return;
    d->x.kind = GF_FRAME_ARENA_DROP;
    d->x.deadline = INT64_MAX;
    d->x.prepare = write_drop;
    d->x.done = dropped;
    client->n_releases++;
    gf_channel_add_first(&client->channel, &d->x);
}

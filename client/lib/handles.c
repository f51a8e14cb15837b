/* SPDX-License-Identifier: MIT */
/*
 * Counts the references to a handle and makes the daemon free it after the last one. Called by residents.c, placement.c
 * and client.c.
 */
#include "handles.h"

#include "client.h"
#include "protocol/wire/request.h"

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

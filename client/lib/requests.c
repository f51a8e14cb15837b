/* SPDX-License-Identifier: MIT */
/*
 * Encodes a program for the wire and stores its answer in the caller's memory. Called by run.c and channel.c.
 */
#include "requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/wire/request.h"

struct gf_request *gf_request_new(gpufilter_client *client)
{
    struct gf_request *r = malloc(sizeof(*r));
    if (r == NULL)
        return NULL;
    r->client = client;
    r->context = NULL;
    r->recording = NULL;
    gf_call_init(&r->call);
    return r;
}

struct gf_request *gf_request_free(struct gf_request *r)
{
    if (r != NULL) {
        gf_call_deinit(&r->call);
        free(r->recording);
    }
    free(r);
    return NULL;
}

static enum gf_status check_inline_size(const gpufilter_client *client, uint64_t bytes, const char *what,
                                        struct gf_error *err)
{
    if (bytes <= client->max_inline)
        return GF_OK;
    gf_error_set(err, GF_E_TOO_LARGE,
                 "%s of %" PRIu64 " bytes exceed the %" PRIu64 " that the daemon takes inline (max-inline)", what,
                 bytes, client->max_inline);
    err->needed = bytes;
    return GF_E_TOO_LARGE;
}

/* Writes the remaining time until the deadline into the program. */
static enum gf_status set_deadline(struct gf_request *r, struct gf_error *err)
{
    if (r->x.deadline == INT64_MAX)
        return GF_OK;
    int64_t left = r->x.deadline - gf_now();
    if (left <= 0)
        return gf_error_set(err, GF_E_DEADLINE, "its deadline has passed");
    r->call.program.deadline_ms = (uint32_t)(((uint64_t)left + GF_NS_PER_MS - 1) / GF_NS_PER_MS);
    return GF_OK;
}

static void set_name(struct gf_request *r)
{
    const gpufilter_client *client = r->client;
    r->name[0] = '\0';
    if (client->node[0] != '\0' && client->served_as != 0)
        snprintf(r->name, sizeof(r->name), "%s/%" PRIu64 "/%" PRIu64, client->node, client->served_as, r->x.id);
}

/* Writes the request for the current connection. */
static enum gf_prepared prepare(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                struct gf_error *err)
{
    struct gf_request *r = x->context;
    struct gf_program *p = &r->call.program;
    bool later = false;
    enum gf_status status = gf_placement_ways(&r->place, r->client, p, &later, err);
    if (status == GF_OK && later)
        return GF_PREPARED_LATER;
    if (status == GF_OK)
        status = gf_program_place(p, err);
    if (status == GF_OK)
        status = check_inline_size(r->client, p->payload_in, "operands", err);
    if (status == GF_OK)
        status = check_inline_size(r->client, p->payload_out, "results", err);
    if (status == GF_OK)
        status = set_deadline(r, err);
    if (status != GF_OK)
        return GF_PREPARED_NEVER;
    gf_placement_payload(&r->place, p, payload);
    p->trace = r->recording != NULL;
    gf_trace_context_encode(head, &r->call.context);
    gf_program_encode(head, p);
    x->answer_len = p->payload_out;
    if (r->last_sent != 0)
        gf_client_say(r->client, "request %" PRIu64 " is sent again on connection %" PRIu64 " (attempt %" PRIu32 ")",
                      x->id, r->client->connection, GF_RESENDS - x->again + 1);
    r->last_sent = r->client->connection;
    set_name(r);
    r->first_sent = r->first_sent != 0 ? r->first_sent : r->last_sent;
    for (uint32_t i = 0; i < p->n_results; i++)
        if (r->place.results[i].handle != NULL)
            r->place.results[i].handle->connection = r->last_sent;
    if (r->recording != NULL)
        r->recording->moments.ready = gf_now_ns();
    return GF_PREPARED;
}

/* Whether output i of the answer matches the request. */
static enum gf_status check_output(const struct gf_output *o, const struct gf_result *w, uint32_t i,
                                   struct gf_error *err)
{
    char is[64], wanted[64];
    if (gf_view_same_shape(&o->view, &w->view) && o->view.pitch == w->view.pitch && o->offset == w->offset &&
        o->length == gf_view_bytes(&w->view))
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REPLY,
                        "the daemon sent result %" PRIu32 " as %s, pitch %" PRIu64 ", at %" PRIu64
                        "; requested: %s, pitch %" PRIu64 ", at %" PRIu64,
                        i, gf_view_text(&o->view, is, sizeof(is)), o->view.pitch, o->offset,
                        gf_view_text(&w->view, wanted, sizeof(wanted)), w->view.pitch, w->offset);
}

static void keep_times(struct gf_request *r, const struct gf_run_reply *reply)
{
    const struct gf_stage_times *t = &reply->times;
    r->times = (gpufilter_times){.struct_size = sizeof(r->times),
                                 .n_copied = r->place.n_copied,
                                 .queue_ns = t->queue,
                                 .copy_in_ns = t->copy_in,
                                 .kernel_ns = t->kernel,
                                 .copy_out_ns = t->copy_out,
                                 .total_ns = t->total,
                                 .attempts = GF_RESENDS - r->x.again + 1};
    memcpy(r->times.device, reply->device, sizeof(reply->device));
    memcpy(r->times.why, reply->why, sizeof(reply->why));
}

/* Checks that the answer matches the request, and says where its payload goes. */
static enum gf_status check_reply(struct gf_exchange *x, const uint8_t *body, size_t size, struct gf_stream *payload,
                                  struct gf_error *err)
{
    struct gf_request *r = x->context;
    const struct gf_program *p = &r->call.program;
    struct gf_run_reply reply;
    struct gf_error why;
    if (gf_run_reply_decode(body, size, &reply, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's answer is malformed: %s", why.text);
    if (reply.n_outputs != p->n_results)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent %" PRIu32 " results; requested: %" PRIu32,
                            reply.n_outputs, p->n_results);
    for (uint32_t i = 0; i < p->n_results; i++)
        if (check_output(&reply.outputs[i], &p->results[i], i, err) != GF_OK)
            return GF_E_BAD_REPLY;
    keep_times(r, &reply);
    gf_recording_answer(r->recording, &reply);
    gf_placement_answer(&r->place, p, payload);
    return GF_OK;
}

/* Called with the request's one answer. */
static void done(struct gf_exchange *x)
{
    struct gf_request *r = x->context;
    gpufilter_client *client = r->client;
    bool made = x->error.status == GF_OK;
    /* The daemon may still write to the results of a request that it did not answer, or not on each connection. */
    bool late = r->first_sent != 0 && (x->error.status >= GF_STATUS_FATAL || r->first_sent != client->connection ||
                                       (!made && x->again < GF_RESENDS));
    if (x->error.status == GF_E_NO_SUCH_HANDLE && gf_placement_starved(&r->place))
        gf_error_set(&x->error, GF_E_DEPENDENCY, "the request that should have filled a resident operand failed");
    uint64_t received = gf_now_ns();
    gf_placement_deinit(&r->place, client, made, late);
    if (r->recording != NULL) {
        r->recording->moments.sent = (uint64_t)x->sent;
        r->recording->moments.received = received;
        r->recording->moments.delivered = gf_now_ns();
    }
    gf_call_deinit(&r->call);
    r->times.round_trip_ns = (uint64_t)(gf_now() - r->since);
    r->next = NULL;
    if (client->answered.last != NULL)
        client->answered.last->next = r;
    else
        client->answered.first = r;
    client->answered.last = r;
    client->n_pending--;
}

enum gf_status gf_request_start(struct gf_request *r, gpufilter_result *results, struct gf_error *err)
{
    gpufilter_client *client = r->client;
    uint32_t ms = r->call.program.deadline_ms;
    uint64_t begun = gf_now_ns();
    enum gf_status status = gf_placement_init(&r->place, client, &r->call, results, err);
    if (status != GF_OK)
        return status;
    r->since = gf_now();
    r->first_sent = r->last_sent = 0;
    r->name[0] = '\0';
    r->x = (struct gf_exchange){.kind = GF_FRAME_RUN,
                                .answer_kind = GF_FRAME_RESULT,
                                .fd = -1,
                                .again = GF_RESENDS,
                                .deadline = ms != 0 ? r->since + (int64_t)(ms * GF_NS_PER_MS) : INT64_MAX,
                                .grace = GF_GRACE_NS,
                                .context = r,
                                .prepare = prepare,
                                .check = check_reply,
                                .done = done};
    if (!gf_trace_context_valid(&r->call.context))
        r->call.context = client->context;
    r->call.program.unfused = (r->call.flags & GPUFILTER_CALL_UNFUSED) != 0;
    bool traced = (r->call.flags & GPUFILTER_CALL_TRACE) != 0;
    r->recording = traced ? calloc(1, sizeof(*r->recording)) : NULL; /* without memory there is no trace */
    if (r->recording != NULL)
        r->recording->moments.begun = begun;
    client->n_pending++;
    gf_channel_add(&client->channel, &r->x);
    return GF_OK;
}

struct gf_request *gf_request_take(gpufilter_client *client, uint64_t id)
{
    struct gf_request *before = NULL, *r = client->answered.first;
    for (; r != NULL && id != 0 && r->x.id != id; r = r->next)
        before = r;
    if (r == NULL)
        return NULL;
    if (before != NULL)
        before->next = r->next;
    else
        client->answered.first = r->next;
    if (client->answered.last == r)
        client->answered.last = before;
    memcpy(client->request, r->name, sizeof(client->request));
    if (r->x.error.status == GF_OK) {
        client->times = r->times;
        free(client->recording);
        client->recording = gf_steal_ptr(&r->recording);
        client->has_run = true;
    }
    return r;
}

bool gf_request_pending(const gpufilter_client *client, uint64_t id)
{
    const struct gf_exchange *x = gf_channel_find(&client->channel, id);
    return x != NULL && x->kind == GF_FRAME_RUN;
}

bool gf_request_answered(const gpufilter_client *client, uint64_t id)
{
    const struct gf_request *r = client->answered.first;
    while (r != NULL && r->x.id != id)
        r = r->next;
    return r != NULL;
}

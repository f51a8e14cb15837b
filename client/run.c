/* SPDX-License-Identifier: MIT */
/* The calls that do work: what each argument becomes on the wire, and its result in the caller's memory. */
#include <inttypes.h>
#include <string.h>

#include "client.h"
#include "placement.h"
#include "program_text.h"
#include "protocol/clock.h"
#include "protocol/request.h"

#define EXPORT __attribute__((visibility("default")))
#define GRACE_MS 2000 /* what an answer may be late after its deadline before the connection is given up */

/* One run under way. */
struct run {
    gpufilter_client *client;
    struct gf_placement place;
    struct gf_stream in, out;
    struct gf_run_reply reply;
    struct gf_moments moments;
};

/* Puts the inline operands and results into streams over the memory they lie in. */
static void lay_streams(struct run *r)
{
    const struct gf_program *p = &r->client->call.program;
    gf_stream_init(&r->in);
    gf_stream_init(&r->out);
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (p->operands[i].way == GF_WAY_INLINE)
            gf_stream_add(&r->in, p->operands[i].offset, r->place.operands[i].data, &r->place.operands[i].view);
    for (uint32_t i = 0; i < p->n_results; i++)
        if (p->results[i].way == GF_WAY_INLINE)
            gf_stream_add(&r->out, p->results[i].offset, r->place.results[i].data, &r->place.results[i].view);
    gf_stream_end(&r->in, p->payload_in);
    gf_stream_end(&r->out, p->payload_out);
}

static enum gf_status check_inline_size(const gpufilter_client *client, uint64_t bytes, const char *what,
                                        struct gf_error *err)
{
    if (bytes <= client->max_inline)
        return GF_OK;
    gf_error_set(err, GF_E_TOO_LARGE,
                 "%s of %" PRIu64 " bytes exceed the %" PRIu64 " the daemon takes on this connection", what, bytes,
                 client->max_inline);
    if (err != NULL)
        err->needed = bytes;
    return GF_E_TOO_LARGE;
}

/* Writes the question for the connection there is now. */
static enum gf_status prepare(gpufilter_client *client, struct gf_exchange *x, struct gf_writer *head, void *context,
                              struct gf_error *err)
{
    struct run *r = context;
    struct gf_program *p = &client->call.program;
    enum gf_status status = gf_placement_ways(&r->place, client, p, err);
    if (status == GF_OK)
        status = gf_program_check(p, true, err);
    if (status == GF_OK)
        status = check_inline_size(client, p->payload_in, "operands", err);
    if (status == GF_OK)
        status = check_inline_size(client, p->payload_out, "results", err);
    if (status != GF_OK)
        return status;
    lay_streams(r);
    p->trace = client->trace.on;
    gf_program_encode(head, p);
    r->moments.ready = gf_now_ns();
    x->payload = r->in.n > 0 ? &r->in : NULL;
    x->answer = &r->out;
    return GF_OK;
}

/* Whether the answer is one to what was asked. */
static enum gf_status check_reply(void *context, const uint8_t *body, size_t size, struct gf_error *err)
{
    struct run *r = context;
    const struct gf_program *p = &r->client->call.program;
    struct gf_error why;
    r->moments.headed = gf_now_ns();
    if (gf_run_reply_decode(body, size, &r->reply, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's answer cannot be understood: %s", why.text);
    if (r->reply.n_outputs != p->n_results)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent %" PRIu32 " results, %" PRIu32 " were asked",
                            r->reply.n_outputs, p->n_results);
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_output *o = &r->reply.outputs[i];
        const struct gf_result *w = &p->results[i];
        char is[64], wanted[64];
        if (!gf_view_same_shape(&o->view, &w->view) || o->view.pitch != w->view.pitch || o->offset != w->offset ||
            o->length != gf_view_bytes(&w->view))
            return gf_error_set(err, GF_E_BAD_REPLY,
                                "the daemon sent result %" PRIu32 " as %s, pitch %" PRIu64 ", at %" PRIu64
                                "; asked was %s, pitch %" PRIu64 ", at %" PRIu64,
                                i, gf_view_text(&o->view, is, sizeof(is)), o->view.pitch, o->offset,
                                gf_view_text(&w->view, wanted, sizeof(wanted)), w->view.pitch, w->offset);
    }
    return GF_OK;
}

static void keep_times(gpufilter_client *client, const struct run *r, int64_t since)
{
    const struct gf_stage_times *t = &r->reply.times;
    client->times = (gpufilter_times){.struct_size = sizeof(client->times),
                                      .n_copied = r->place.n_copied,
                                      .queue_ns = t->queue,
                                      .copy_in_ns = t->copy_in,
                                      .kernel_ns = t->kernel,
                                      .copy_out_ns = t->copy_out,
                                      .total_ns = t->total,
                                      .round_trip_ns = (uint64_t)(gf_now() - since)};
    memcpy(client->times.device, r->reply.device, sizeof(r->reply.device));
    memcpy(client->times.why, r->reply.why, sizeof(r->reply.why));
    client->has_run = true;
}

/* Runs the client's call, which is complete and checked. */
static enum gf_status run_call(gpufilter_client *client, gpufilter_result *results, struct gf_error *err)
{
    int64_t since = gf_now();
    enum gf_status status = gf_client_connect(client, err);
    if (status != GF_OK)
        return status;
    gf_cleanup(gf_freep) struct run *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    r->client = client;
    status = gf_placement_init(&r->place, client, results, err);
    uint32_t ms = client->call.program.deadline_ms;
    struct gf_exchange x = {.kind = GF_FRAME_RUN,
                            .answer_kind = GF_FRAME_RESULT,
                            .fd = -1,
                            .deadline = ms != 0 ? gf_after_ms((uint64_t)ms + GRACE_MS) : INT64_MAX,
                            .check = check_reply,
                            .context = r};
    uint64_t connection = client->connection;
    if (status == GF_OK)
        status = gf_client_ask(client, &x, prepare, r, err);
    if (status == GF_OK) {
        r->moments.received = gf_now_ns();
        gf_placement_deliver(&r->place, client, results);
        keep_times(client, r, since);
        r->moments.begun = (uint64_t)since;
        r->moments.sent = (uint64_t)x.sent;
        r->moments.delivered = gf_now_ns();
        if (client->trace.on)
            gf_trace_keep(&client->trace, &r->moments, &r->reply);
    }
    /* A request without an answer may still be written to its results. */
    bool late = status >= GF_STATUS_FATAL || client->connection != connection;
    gf_placement_deinit(&r->place, client, late, status != GF_OK);
    return status;
}

/* Builds the call from structs. `text` NULL: from the program. */
static enum gf_status build(struct gf_call *call, const gpufilter_program *program, const char *text,
                            const gpufilter_view *operands, uint32_t n_operands, const gpufilter_result *results,
                            uint32_t n_results, const char *device, uint32_t deadline_ms, struct gf_error *err)
{
    gpufilter_program p = GPUFILTER_PROGRAM_INIT;
    enum gf_status status = GF_OK;
    gf_call_init(call);
    if (program == NULL && text == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "no program was given");
    if (program != NULL)
        status = gf_struct_in(&p, sizeof(p), program, "gpufilter_program", err);
    if (status == GF_OK && operands == NULL && n_operands > 0)
        status = gf_error_set(err, GF_E_BAD_ARGUMENT, "operands is NULL, n_operands=%" PRIu32, n_operands);
    for (uint32_t i = 0; i < n_operands && status == GF_OK; i++)
        status = gf_call_add_operand(call, &operands[i], err);
    if (status == GF_OK)
        status = gf_call_set(call, p.device, p.deadline_ms, device, deadline_ms, err);
    if (status == GF_OK)
        status = text != NULL ? gf_call_add_text(call, text, err) : gf_call_add_steps(call, p.steps, p.n_steps, err);
    return status == GF_OK ? gf_call_finish(call, results, n_results, err) : status;
}

static int run(gpufilter_client *client, const gpufilter_program *program, const char *text,
               const gpufilter_view *operands, uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
               gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    status = build(&client->call, program, text, operands, n_operands, results, n_results, client->device,
                   client->deadline_ms, &error);
    if (status == GF_OK)
        status = run_call(client, results, &error);
    gf_call_deinit(&client->call);
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_run(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                         uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    return run(client, program, NULL, operands, n_operands, results, n_results, err);
}

EXPORT int gpufilter_run_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                              uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    return run(client, NULL, text, operands, n_operands, results, n_results, err);
}

static int infer(const gpufilter_program *program, const char *text, const gpufilter_view *operands,
                 uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    struct gf_error error;
    gf_cleanup(gf_freep) struct gf_call *call = malloc(sizeof(*call));
    if (call == NULL)
        return gf_client_leave(NULL, gf_error_set(&error, GF_E_NO_MEMORY, "out of memory"), &error, err);
    enum gf_status status = build(call, program, text, operands, n_operands, results, n_results, "auto", 0, &error);
    for (uint32_t i = 0; i < n_results && status == GF_OK; i++)
        gf_view_out(&call->program.results[i].view, &results[i].view);
    gf_call_deinit(call);
    return gf_client_leave(NULL, status, &error, err);
}

EXPORT int gpufilter_infer(const gpufilter_program *program, const gpufilter_view *operands, uint32_t n_operands,
                           gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    return infer(program, NULL, operands, n_operands, results, n_results, err);
}

EXPORT int gpufilter_infer_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                                gpufilter_result *results, uint32_t n_results, gpufilter_error *err)
{
    return infer(NULL, text, operands, n_operands, results, n_results, err);
}

EXPORT int gpufilter_last_times(const gpufilter_client *client, gpufilter_times *times, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = GF_OK;
    if (client == NULL || times == NULL || !client->has_run)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT,
                              client != NULL && times != NULL ? "nothing has run on this client yet"
                                                              : "client or times is NULL");
    else
        status = gf_struct_out(times, &client->times, sizeof(client->times), "gpufilter_times", &error);
    return gf_client_leave(NULL, status, &error, err);
}

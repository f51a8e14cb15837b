/* SPDX-License-Identifier: MIT */
/* Puts the daemon's times and those of this process into one row. Called by requests.c, and by whoever wants the spans.
 */
#include "trace.h"

#include <inttypes.h>
#include <string.h>

#include "client.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(GPUFILTER_STAGE_QUEUE == (int)GF_STAGE_QUEUE && GPUFILTER_STAGE_COPY_OUT == (int)GF_STAGE_COPY_OUT,
               "stages of the daemon are those of the wire");

void gf_trace_reply(struct gf_trace *trace, const struct gf_run_reply *reply)
{
    trace->n = GF_TRACE_OWN;
    trace->total = reply->times.total;
    for (uint32_t i = 0; i < reply->n_spans; i++) {
        struct gf_span span = gf_run_reply_span(reply, i);
        if (span.stage >= GF_STAGE_QUEUE && span.stage <= GF_STAGE_COPY_OUT)
            trace->spans[trace->n++] = (gpufilter_span){.stage = span.stage,
                                                        .step = span.step == GF_NO_STEP ? GPUFILTER_NO_STEP : span.step,
                                                        .begin_ns = span.begin,
                                                        .length_ns = span.length};
    }
}

/* How far the daemon's clock must be moved so that its part lies inside the wait: not at all on one machine. */
static uint64_t shift(const struct gf_trace *trace)
{
    const struct gf_moments *m = &trace->moments;
    uint64_t begin = trace->spans[GF_TRACE_OWN].begin_ns, wait = m->received - m->ready, total = trace->total;
    if (begin >= m->ready && begin + total >= begin && begin + total <= m->received)
        return 0;
    return m->ready + (total < wait ? (wait - total) / 2 : 0) - begin;
}

/* What happened between two moments; nothing where there is no first one. Returns the second one, or the first where
 * that is later: an answer may begin before the question has left. */
static uint64_t set_own(gpufilter_span *span, uint32_t stage, uint64_t begin, uint64_t end)
{
    if (end < begin)
        end = begin;
    *span = (gpufilter_span){.stage = stage, .step = GPUFILTER_NO_STEP, .begin_ns = begin, .length_ns = end - begin};
    return end;
}

void gf_trace_finish(struct gf_trace *trace)
{
    const struct gf_moments *m = &trace->moments;
    uint64_t at = set_own(&trace->spans[0], GPUFILTER_STAGE_PREPARE, m->begun, m->ready);
    at = set_own(&trace->spans[1], GPUFILTER_STAGE_SEND, at, m->sent);
    at = set_own(&trace->spans[2], GPUFILTER_STAGE_WAIT, at, m->headed);
    at = set_own(&trace->spans[3], GPUFILTER_STAGE_RECEIVE, at, m->received);
    set_own(&trace->spans[4], GPUFILTER_STAGE_DELIVER, at, m->delivered);
    uint64_t moved = trace->n > GF_TRACE_OWN ? shift(trace) : 0;
    for (uint32_t i = GF_TRACE_OWN; i < trace->n; i++)
        trace->spans[i].begin_ns += moved;
}

EXPORT int gpufilter_trace(gpufilter_client *client, int on, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status == GF_OK && on != 0 && on != 1)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "on=%d, allowed are 0 and 1", on);
    if (status == GF_OK) {
        client->tracing = on == 1;
        client->trace.n = 0;
    }
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_last_spans(const gpufilter_client *client, gpufilter_span *spans, size_t span_size, uint32_t room,
                                uint32_t *ret_n, gpufilter_error *err)
{
    struct gf_error error;
    if (client == NULL || (spans == NULL && room > 0) || ret_n == NULL)
        return gf_client_leave(NULL, gf_error_set(&error, GF_E_BAD_ARGUMENT, "client, spans or ret_n is NULL"), &error,
                               err);
    for (uint32_t i = 0; i < client->trace.n && i < room; i++) {
        const gpufilter_span *from = &client->trace.spans[i];
        unsigned char *to = (unsigned char *)spans + i * span_size;
        memset(to, 0, span_size);
        memcpy(to, from, span_size < sizeof(*from) ? span_size : sizeof(*from));
    }
    *ret_n = client->trace.n;
    return GPUFILTER_OK;
}

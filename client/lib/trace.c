/* SPDX-License-Identifier: MIT */
/*
 * Joins the daemon's times and this process's times into one list of spans. Called by requests.c and by
 * gpufilter_last_spans.
 */
#include "trace.h"

#include <inttypes.h>
#include <string.h>

#include "client.h"
#include "protocol/base/clock.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(GPUFILTER_STAGE_QUEUE == (int)GF_STAGE_QUEUE && GPUFILTER_STAGE_COPY_OUT == (int)GF_STAGE_COPY_OUT,
               "daemon stages must have their wire numbers");

#define OWN 5u /* spans of this process */

struct spans {
    uint32_t n;
    gpufilter_span rows[OWN + GF_MAX_SPANS];
};

static void add(struct spans *list, uint32_t stage, uint32_t step, uint64_t begin, uint64_t length)
{
    list->rows[list->n++] = (gpufilter_span){.stage = stage, .step = step, .begin_ns = begin, .length_ns = length};
}

/* Adds the span between two moments and returns its end. The end is not before the begin: an answer may begin before
 * the request is completely sent. */
static uint64_t add_own(struct spans *list, uint32_t stage, uint64_t begin, uint64_t end)
{
    if (end < begin)
        end = begin;
    add(list, stage, 0, begin, end - begin);
    return end;
}

/* The offset of the daemon's clock that puts its spans inside the wait; 0 on the same machine. */
static uint64_t shift(const struct gf_recording *r)
{
    const struct gf_moments *m = &r->moments;
    uint64_t begin = r->spans[0].begin, wait = m->received - m->ready, total = r->total_ns;
    if (begin >= m->ready && begin + total >= begin && begin + total <= m->received)
        return 0;
    return m->ready + (total < wait ? (wait - total) / 2 : 0) - begin;
}

void gf_recording_answer(struct gf_recording *r, const struct gf_run_reply *reply)
{
    if (r == NULL)
        return;
    r->moments.headed = gf_now_ns();
    r->total_ns = reply->times.total;
    r->n = reply->n_spans;
    for (uint32_t i = 0; i < reply->n_spans; i++)
        r->spans[i] = gf_run_reply_span(reply, i);
}

/* Makes the list of a recording; `list` is empty. */
static void join(struct spans *list, const struct gf_recording *r)
{
    const struct gf_moments *m = &r->moments;
    uint64_t at = add_own(list, GPUFILTER_STAGE_PREPARE, m->begun, m->ready);
    at = add_own(list, GPUFILTER_STAGE_SEND, at, m->sent);
    at = add_own(list, GPUFILTER_STAGE_WAIT, at, m->headed);
    at = add_own(list, GPUFILTER_STAGE_RECEIVE, at, m->received);
    add_own(list, GPUFILTER_STAGE_DELIVER, at, m->delivered);
    uint64_t moved = r->n > 0 ? shift(r) : 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct gf_span *span = &r->spans[i];
        if (span->stage >= GF_STAGE_QUEUE && span->stage <= GF_STAGE_COPY_OUT)
            add(list, span->stage, span->step == GF_NO_STEP ? 0 : span->step + 1, span->begin + moved, span->length);
    }
}

EXPORT int gpufilter_last_spans(gpufilter_client *client, gpufilter_span *spans, size_t span_size, uint32_t room,
                                uint32_t *ret_n, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if ((spans == NULL && room > 0) || ret_n == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "spans or ret_n is NULL");
    if (status == GF_OK)
        status = gf_row_size_check(span_size, room, "span", &error);
    struct spans list = {.n = 0};
    if (status == GF_OK && client->recording != NULL)
        join(&list, client->recording);
    for (uint32_t i = 0; i < list.n && i < room && status == GF_OK; i++) {
        const gpufilter_span *from = &list.rows[i];
        unsigned char *to = (unsigned char *)spans + i * span_size;
        memset(to, 0, span_size);
        memcpy(to, from, span_size < sizeof(*from) ? span_size : sizeof(*from));
    }
    if (status == GF_OK)
        *ret_n = list.n;
    return gf_client_leave(client, status, &error, err);
}

/* SPDX-License-Identifier: MIT */
/* Lines about requests; see request_log.h. */
#include "request_log.h"

#include <inttypes.h>

#include "protocol/base/clock.h"
#include "protocol/base/status.h"
#include "server/front/base/log.h"

#define SLOW_NS GF_NS_PER_S

/* "request=523/17 uid=1000 pid=4711": the connection's number, the request's id, the client. */
#define WHO_TEXT (GF_USER_TEXT + 80u)

static const char *who(const struct gf_session *s, uint64_t id, char text[WHO_TEXT])
{
    char uid[GF_USER_TEXT], number[24] = "large"; /* the client chose it; no honest one comes that far */
    if (id <= UINT32_MAX)
        snprintf(number, sizeof(number), "%" PRIu64, id);
    snprintf(text, WHO_TEXT, "request=%" PRIu64 "/%s uid=%s pid=%d", s->number, number,
             gf_user_text(s->all->names, s->account->id, uid), (int)s->pid);
    return text;
}

/* " trace=4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7"; "" without a context. */
#define SPAN_TEXT (GF_TRACE_TEXT + GF_SPAN_TEXT + 16u)

static const char *span(const struct gf_trace_context *c, char text[SPAN_TEXT])
{
    char trace_id[GF_TRACE_TEXT], span_id[GF_SPAN_TEXT];
    text[0] = '\0';
    if (c && gf_trace_context_valid(c))
        snprintf(text, SPAN_TEXT, " trace=%s span=%s", gf_hex_text(c->trace, GF_TRACE_ID, trace_id),
                 gf_hex_text(c->span, GF_SPAN_ID, span_id));
    return text;
}

/* The texts of these name limits and options alone; others repeat what the client sent. */
static bool text_is_ours(enum gf_status status)
{
    return status == GF_E_QUOTA || status == GF_E_BUSY || status == GF_E_RESOURCE_FDS;
}

void gf_request_log_refused(const struct gf_session *s, uint64_t id, const struct gf_trace_context *context,
                            const struct gf_error *error)
{
    char text[WHO_TEXT], traced[SPAN_TEXT];
    if (s->all->options->log_requests < GF_LOG_REFUSED)
        return;
    if (text_is_ours(error->status))
        gf_log(GF_LOG_INFO, "request refused: %s status=%s %s%s", error->text, gf_status_name(error->status),
               who(s, id, text), span(context, traced));
    else
        gf_log(GF_LOG_INFO, "request refused: status=%s %s%s", gf_status_name(error->status), who(s, id, text),
               span(context, traced));
}

/* Whether log-requests selects the answer. */
static bool selects(uint64_t logged, enum gf_status status, uint64_t ns)
{
    bool wanted_so = status == GF_OK || status == GF_E_CANCELLED || status == GF_E_DEADLINE;
    return logged >= GF_LOG_ALL || (logged >= GF_LOG_SLOW && ns >= SLOW_NS) || (logged >= GF_LOG_REFUSED && !wanted_so);
}

void gf_request_log_answered(const struct gf_sessions *all, const struct gf_task *task,
                             const struct gf_run_reply *reply, const struct gf_error *error, uint64_t now_ns)
{
    static const struct gf_stage_times no_times;
    const struct gf_stage_times *times = reply ? &reply->times : &no_times;
    const enum gf_status status = error ? (enum gf_status)error->status : GF_OK;
    const uint64_t ns = now_ns - task->received_ns;
    const uint64_t queue_ns = (task->started_ns > 0 ? task->started_ns : now_ns) - task->received_ns;
    char text[WHO_TEXT], uid[GF_USER_TEXT], traced[SPAN_TEXT];
    if (!selects(all->options->log_requests, status, ns))
        return;
    if (task->session)
        who(task->session, task->request_id, text);
    else
        snprintf(text, sizeof(text), "uid=%s", gf_user_text(all->names, task->work.user, uid));
    gf_log(GF_LOG_INFO,
           "request answered: status=%s op=%s steps=%u device=%s queue_us=%" PRIu64 " device_us=%" PRIu64
           " total_us=%" PRIu64 " inline_in=%" PRIu64 " inline_out=%" PRIu64 " %s%s",
           gf_status_name(status), task->work.n_needs > 0 ? gf_ops[task->work.needs[0].index].name : "none",
           task->work.n_needs, reply ? reply->device : "none", queue_ns / UINT64_C(1000),
           (times->copy_in + times->kernel + times->copy_out) / UINT64_C(1000), ns / UINT64_C(1000), task->payload_in,
           task->payload_out, text, span(&task->context, traced));
}

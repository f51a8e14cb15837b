/* SPDX-License-Identifier: MIT */
/* Answers to INFO: devices, health, metrics, and the session's own resident buffers. */
#include "protocol/base/clock.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/request.h"
#include "session.h"

/* Writes the name of each device, followed by its buffers. */
static void put_handles(const struct gf_session *s, struct gf_writer *w)
{
    const struct gf_workers *ws = s->all->workers;
    for (uint32_t i = 0; i < ws->n; i++) {
        bool named = false;
        gf_list_each(it, after, &s->handles.list)
        {
            const struct gf_handle *handle = gf_container(it, struct gf_handle, node);
            if (handle->worker != ws->list[i])
                continue;
            if (!named)
                gf_put_string(w, GF_ATTR_DEVICE, ws->list[i]->hello.device.name);
            named = true;
            gf_handle_entry_encode(
                w, &(struct gf_handle_entry){
                       .id = handle->id, .state = handle->state, .bytes = handle->charge.amount, .view = handle->view});
        }
    }
}

/* Charges an answer, for which there is room, with the answers that the client has not read. */
static void charge(struct gf_session *s, uint64_t bytes)
{
    uint64_t sum = s->replies.amount + bytes;
    gf_charge_deinit(&s->replies);
    gf_charge_init(&s->replies, s->account, GF_RES_REPLIES, sum, NULL);
    s->all->untrimmed |= s->all->quota->used[GF_RES_REPLIES] >= GF_TRIM_BYTES;
}

enum gf_status gf_session_info(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err)
{
    struct gf_info_reply reply = {0};
    struct gf_info_request request;
    enum gf_status status = gf_info_request_decode(frame->body, frame->header.body_len, &request, err);
    if (status != GF_OK)
        return status;
    reply.topic = request.topic;
    if (reply.topic == GF_TOPIC_DEVICES || reply.topic == GF_TOPIC_HEALTH)
        reply.health =
            gf_workers_describe(s->all->workers, reply.devices, &reply.n_devices, reply.text, sizeof(reply.text));
    if (reply.topic == GF_TOPIC_HEALTH)
        gf_session_tell_bans(s, reply.text, sizeof(reply.text));
    const uint64_t need[GF_N_RES] = {[GF_RES_REPLIES] = GF_MAX_FRAME_HEAD};
    if (!gf_session_request(s, need))
        return GF_E_BUSY;
    struct gf_writer w;
    gf_writer_init(&w, s->all->frame, sizeof(s->all->frame));
    gf_info_reply_encode(&w, &reply);
    if (reply.topic == GF_TOPIC_STATS)
        gf_metrics_report(s->all, s->account, request.next, &w);
    if (reply.topic == GF_TOPIC_HANDLES)
        put_handles(s, &w);
    gf_writer_finish(&w, GF_FRAME_INFO_REPLY, frame->header.id, 0, 0);
    charge(s, w.size);
    gf_connection_send(&s->connection, w.data, w.size, NULL, 0, NULL);
    return GF_OK;
}

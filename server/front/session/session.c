/* SPDX-License-Identifier: MIT */
/* Handles a client's frames and sends its answers; RUN is in session_run.c. */
#include "session.h"

#include <string.h>

#include "places.h"
#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "proxied.h"
#include "request_log.h"
#include "server/front/base/log.h"

#define SOFTWARE "gpufilterd " GF_SOFTWARE_VERSION

/* Sends the frame that was written into all->frame. */
static void send_frame(struct gf_session *s, struct gf_writer *w, const uint8_t *payload, uint64_t payload_size,
                       struct gf_task *owner)
{
    gf_connection_send(&s->connection, w->data, w->size, payload, payload_size, owner);
}

void gf_session_send_error(struct gf_session *s, uint64_t id, const struct gf_error *error)
{
    struct gf_writer w;
    gf_writer_init(&w, s->all->frame, sizeof(s->all->frame));
    gf_error_encode(&w, error, error->status == GF_E_BUSY || error->status == GF_E_SHUTDOWN ? GF_RETRY_MS : 0);
    gf_writer_finish(&w, GF_FRAME_ERROR, id, 0, 0);
    send_frame(s, &w, NULL, 0, NULL);
}

void gf_session_refuse(struct gf_session *s, uint64_t id, const struct gf_trace_context *context,
                       const struct gf_error *error)
{
    gf_metrics_refused(s->all->dispatcher->metrics, s->account->id, error->status);
    gf_request_log_refused(s, id, context, error);
    gf_session_send_error(s, id, error);
}

void gf_session_send_empty(struct gf_session *s, uint16_t kind, uint64_t id)
{
    struct gf_writer w;
    gf_writer_init(&w, s->all->frame, sizeof(s->all->frame));
    gf_writer_finish(&w, kind, id, 0, 0);
    send_frame(s, &w, NULL, 0, NULL);
}

bool gf_session_request(struct gf_session *s, const uint64_t need[GF_N_RES])
{
    memcpy(s->waiter.need, need, sizeof(s->waiter.need));
    return gf_wait_queue_may_go(&s->all->wait_queue, &s->waiter);
}

void gf_session_resume(struct gf_session *s)
{
    bool called = s->waiter.called;
    gf_wait_queue_remove(&s->all->wait_queue, &s->waiter);
    if (called)
        gf_sessions_kick(s->all); /* the next waiter may fit too */
}

/* Sends one last answer with id 0 and ends the stream. The text may repeat what the client sent, so only the client
 * gets it, not the log that another user may read. */
static void refuse(struct gf_session *s, const struct gf_error *error)
{
    gf_log(GF_LOG_INFO, "connection closed: %s uid=%s pid=%d",
           s->connection.proxy_header ? error->text : gf_status_text(error->status),
           gf_user_text(s->all->names, s->account->owner, (char[GF_USER_TEXT]){0}), (int)s->pid);
    gf_session_send_error(s, 0, error);
    gf_connection_finish(&s->connection);
}

/* Answers the ARENA_DROPs whose arena is no longer used. */
static void finish_drops(struct gf_session *s)
{
    gf_list_each(it, after, &s->arenas.dropping)
    {
        struct gf_arena *arena = gf_container(it, struct gf_arena, node);
        if (arena->memory->refs > 1)
            continue;
        uint64_t id = arena->drop_request;
        gf_arenas_remove(&s->arenas, arena);
        gf_session_send_empty(s, GF_FRAME_DONE, id);
    }
}

/* Answers the FREEs whose buffer is no longer used. */
static void finish_frees(struct gf_session *s)
{
    uint64_t id;
    while (!s->connection.closing && gf_handles_freed(&s->handles, &id))
        gf_session_send_empty(s, GF_FRAME_DONE, id);
}

/* Frees an answered task, which may make room for waiting requests. */
static void release(struct gf_session *s, struct gf_task *task)
{
    gf_task_free(task);
    gf_sessions_kick(s->all);
    if (s->connection.closing)
        return;
    finish_drops(s);
}

/* Resumes reading, pauses it or closes the connection, depending on what is in flight. */
static void regulate(struct gf_session *s)
{
    struct gf_connection *c = &s->connection;
    if (c->closing)
        return;
    if (s->ended && s->n_tasks == 0 && c->n_out == 0) {
        gf_connection_close(c);
        return;
    }
    bool held = s->n_tasks + c->n_out >= s->all->options->in_flight;
    if (held == s->held)
        return;
    s->held = held;
    if (held)
        gf_connection_pause(c);
    else
        gf_connection_resume(c);
}

void gf_session_answer(void *data, struct gf_task *task, const struct gf_run_reply *reply, const struct gf_error *error)
{
    struct gf_sessions *all = data;
    struct gf_session *s = task->session;
    const uint64_t begin = gf_now_ns();
    gf_request_log_answered(all, task, reply, error, begin);
    if (!s || s->connection.closing) {
        if (s)
            s->n_tasks--;
        gf_task_free(task);
        gf_sessions_kick(all);
        return;
    }
    gf_list_remove(&task->mine);
    if (error) {
        gf_session_send_error(s, task->request_id, error);
        release(s, task);
    } else {
        struct gf_writer w;
        gf_writer_init(&w, all->frame, sizeof(all->frame));
        gf_task_encode_reply(task, reply, &w);
        gf_writer_finish(&w, GF_FRAME_RESULT, task->request_id, task->payload_out, 0);
        const uint8_t *payload = task->payload_out > 0 ? gf_slot_data(task->slot) + task->out_offset : NULL;
        send_frame(s, &w, payload, task->payload_out, task);
    }
    finish_frees(s);
    s->n_tasks--; /* only now, because the last answer may end the session */
    regulate(s);
    gf_loop_queue_charge(&all->loop_queue, s->user, gf_now_ns() - begin);
}

static bool id_in_use(const struct gf_session *s, uint64_t id)
{
    gf_list_each(it, after, &s->tasks) if (gf_container(it, struct gf_task, mine)->request_id == id) return true;
    gf_list_each(it, after,
                 &s->arenas.dropping) if (gf_container(it, struct gf_arena, node)->drop_request == id) return true;
    return gf_handles_frees(&s->handles, id);
}

static enum gf_status on_hello(struct gf_session *s, struct gf_frame *frame, struct gf_error *err)
{
    const struct gf_options *o = s->all->options;
    struct gf_hello hello;
    if (s->greeted)
        return gf_error_set(err, GF_E_BAD_REQUEST, "HELLO was sent already");
    enum gf_status status = gf_hello_decode(frame->body, frame->header.body_len, &hello, err);
    if (status != GF_OK)
        return status;
    if (hello.version_min > GF_VERSION || hello.version_max < GF_VERSION_MIN)
        return gf_error_set(err, GF_E_BAD_VERSION, "protocol versions %u to %u; this server speaks %u to %u",
                            hello.version_min, hello.version_max, GF_VERSION_MIN, GF_VERSION);
    if (gf_user_is_named(s->account->owner)) /* other clients are told by the answer to RUN */
        status = gf_session_check_service(s, err);
    if (status != GF_OK)
        return status;
    s->greeted = true;
    memcpy(s->device, hello.device, sizeof(s->device));
    s->fd_passing = frame->fd >= 0 || frame->fd_flags >= 0;
    struct gf_hello_reply reply = {
        .version = hello.version_max < GF_VERSION ? hello.version_max : GF_VERSION,
        .software = SOFTWARE,
        .connection = s->number,
        .fd_passing = s->fd_passing,
        .limits = {[GF_LIMIT_MAX_INLINE] = o->max_inline,
                   [GF_LIMIT_IN_FLIGHT] = o->in_flight,
                   [GF_LIMIT_ARENAS] = o->arenas,
                   [GF_LIMIT_ARENA_BYTES] = o->arena_bytes,
                   [GF_LIMIT_HANDLES] = o->handles},
    };
    memcpy(reply.node, s->all->node, sizeof(reply.node));
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        reply.revisions[i] = gf_ops[i].revision;
    char text[GF_ERROR_TEXT];
    gf_workers_describe(s->all->workers, reply.devices, &reply.n_devices, text, sizeof(text));
    struct gf_writer w;
    gf_writer_init(&w, s->all->frame, sizeof(s->all->frame));
    gf_hello_reply_encode(&w, &reply);
    gf_writer_finish(&w, GF_FRAME_HELLO_REPLY, frame->header.id, 0, 0);
    send_frame(s, &w, NULL, 0, NULL);
    return GF_OK;
}

static enum gf_status on_arena(struct gf_session *s, struct gf_frame *frame, struct gf_error *err)
{
    struct gf_arena_request request;
    enum gf_status status = gf_arena_request_decode(frame->body, frame->header.body_len, false, &request, err);
    if (status != GF_OK)
        return status;
    if (gf_fd_closer_is_lost(s->all->closer))
        return gf_error_set(err, GF_E_RESOURCE_FDS, "the server takes no arena until it can close descriptors again");
    if (frame->fd < 0 && frame->fd_lost)
        return gf_error_set(err, GF_E_RESOURCE_FDS, "the server has no descriptor left for the arena; try again later");
    if (frame->fd < 0 && frame->fd_flags >= 0)
        return gf_arenas_refuse(frame->fd_flags, err);
    if (frame->fd < 0)
        return gf_error_set(err, GF_E_NO_FD_PASSING, "no descriptor came with ARENA; send the data inline");
    status = gf_arenas_add(&s->arenas, s->all->memories, s->account, request.arena, request.size, frame->fd, err);
    if (status != GF_OK)
        return status;
    gf_steal_fd(&frame->fd);
    gf_session_send_empty(s, GF_FRAME_DONE, frame->header.id);
    return GF_OK;
}

static enum gf_status on_arena_drop(struct gf_session *s, struct gf_frame *frame, struct gf_error *err)
{
    struct gf_arena_request request;
    struct gf_arena *arena;
    enum gf_status status = gf_arena_request_decode(frame->body, frame->header.body_len, true, &request, err);
    if (status == GF_OK)
        status = gf_arenas_find(&s->arenas, request.arena, &arena, err);
    if (status != GF_OK)
        return status;
    gf_arenas_drop(&s->arenas, arena, frame->header.id);
    finish_drops(s);
    return GF_OK;
}

static enum gf_status on_free(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err)
{
    uint32_t handle;
    if (s->all->options->handles == 0)
        return gf_error_set(err, GF_E_UNSUPPORTED, "this server does not offer resident buffers (handles=0)");
    enum gf_status status = gf_free_request_decode(frame->body, frame->header.body_len, &handle, err);
    if (status != GF_OK)
        return status;
    status = gf_handles_free(&s->handles, handle, frame->header.id, err);
    if (status == GF_OK)
        finish_frees(s);
    return status;
}

static void on_cancel(struct gf_session *s, uint64_t id)
{
    gf_list_each(it, after, &s->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, mine);
        if (task->request_id == id) {
            gf_dispatcher_cancel(s->all->dispatcher, task);
            return;
        }
    }
}

/* Handles every frame except RUN; an error is the frame's answer. */
static enum gf_status on_other(struct gf_session *s, struct gf_frame *frame, struct gf_error *err)
{
    const struct gf_header *h = &frame->header;
    if (h->payload_len > 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s has no payload", gf_frame_kind_name(h->kind));
    if (h->nfds > 0 && h->kind != GF_FRAME_HELLO && h->kind != GF_FRAME_ARENA)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s carries no descriptor", gf_frame_kind_name(h->kind));
    switch (h->kind) {
    case GF_FRAME_HELLO:
        return on_hello(s, frame, err);
    case GF_FRAME_CANCEL:
        on_cancel(s, h->id);
        return GF_OK;
    case GF_FRAME_PING:
        gf_session_send_empty(s, GF_FRAME_PONG, h->id);
        return GF_OK;
    case GF_FRAME_ARENA:
        return on_arena(s, frame, err);
    case GF_FRAME_ARENA_DROP:
        return on_arena_drop(s, frame, err);
    case GF_FRAME_FREE:
        return on_free(s, frame, err);
    case GF_FRAME_INFO:
        return gf_session_info(s, frame, err);
    case GF_FRAME_ADMIN:
        return gf_session_admin(s, frame, err);
    default:
        return gf_error_set(err, GF_E_BAD_REQUEST, "a client must not send frames of kind %u (%s)", h->kind,
                            gf_frame_kind_name(h->kind));
    }
}

/* Detects faults after which answers would be ambiguous or the stream could not be parsed. */
static enum gf_status check_stream(const struct gf_session *s, const struct gf_header *h, struct gf_error *err)
{
    if (!s->greeted && h->kind != GF_FRAME_HELLO)
        return gf_error_set(err, GF_E_BAD_FRAME, "the first frame is %s; it must be HELLO",
                            gf_frame_kind_name(h->kind));
    if (h->kind == GF_FRAME_PING || h->kind == GF_FRAME_CANCEL) {
        /* Their ids may be those of requests, so an ERROR could be mistaken for the request's answer. */
        if (h->body_len == 0 && h->payload_len == 0 && h->nfds == 0)
            return GF_OK;
        return gf_error_set(err, GF_E_BAD_FRAME, "%s must be a header alone", gf_frame_kind_name(h->kind));
    }
    if (h->id == 0)
        return gf_error_set(err, GF_E_BAD_FRAME, "request id 0 is reserved; choose another");
    if (id_in_use(s, h->id))
        return gf_error_set(err, GF_E_DUPLICATE_ID, "request id %llu is in flight already", (unsigned long long)h->id);
    return GF_OK;
}

void gf_session_send_away(struct gf_session *s, const struct gf_error *error)
{
    gf_session_send_error(s, 0, error);
    gf_connection_finish(&s->connection);
}

/* Handles every frame except RUN and answers errors; BUSY makes the frame wait instead. */
static enum gf_frame_outcome take_other(struct gf_session *s, struct gf_frame *frame)
{
    struct gf_error error = {0};
    enum gf_status status = on_other(s, frame, &error);
    if (status == GF_E_BUSY) {
        gf_wait_queue_add(&s->all->wait_queue, &s->waiter);
        return GF_TAKE_LATER;
    }
    gf_session_resume(s);
    if (status == GF_E_BAD_VERSION)
        refuse(s, &error);
    else if (status == GF_E_SHUTDOWN)
        gf_session_send_away(s, &error);
    else if (status != GF_OK)
        gf_session_refuse(s, frame->header.id, NULL, &error);
    return GF_TAKEN;
}

static enum gf_frame_outcome on_frame(void *data, struct gf_frame *frame, uint8_t **ret_payload)
{
    struct gf_session *s = data;
    const struct gf_header *h = &frame->header;
    struct gf_error error = {0};
    gf_metrics_frame(s->all->dispatcher->metrics, s->account->id);
    if (check_stream(s, h, &error) != GF_OK) {
        refuse(s, &error);
        return GF_TAKEN;
    }
    if (!s->charge.account && !gf_place_claim(s, h))
        return GF_TAKEN;
    if (h->payload_len > s->all->options->max_inline) {
        gf_error_set(&error, GF_E_TOO_LARGE, "a payload of %llu bytes; the limit is %llu (max-inline)",
                     (unsigned long long)h->payload_len, (unsigned long long)s->all->options->max_inline);
        error.needed = h->payload_len;
        gf_session_refuse(s, h->id, NULL, &error);
        gf_connection_finish(&s->connection);
        return GF_TAKEN;
    }
    enum gf_frame_outcome taken = GF_TAKEN;
    if (h->kind == GF_FRAME_RUN)
        taken = gf_session_run(s, frame, ret_payload);
    else
        taken = take_other(s, frame);
    regulate(s);
    return taken;
}

static void on_payload(void *data)
{
    struct gf_session *s = data;
    struct gf_task *task = gf_steal_ptr(&s->uploading);
    gf_dispatcher_submit(s->all->dispatcher, &s->source, task);
}

static void on_broken(void *data, const struct gf_error *error)
{
    struct gf_session *s = data;
    struct gf_error unexpected = {0};
    if (s->connection.proxy_header)
        gf_proxied_unexpected(s->all, s->account->owner, &unexpected);
    refuse(s, s->connection.proxy_header ? &unexpected : error);
}

static void on_sent(void *data, void *owner)
{
    struct gf_session *s = data;
    if (owner)
        release(s, owner);
    if (s->connection.n_out == 0 && s->replies.account) {
        gf_charge_deinit(&s->replies);
        gf_sessions_kick(s->all);
    }
    regulate(s);
}

/* Drops a request whose payload will never be complete; it was not accepted. */
static void drop_upload(struct gf_session *s)
{
    if (!s->uploading)
        return;
    gf_task_settle(s->uploading, GF_E_CANCELLED);
    gf_task_free(gf_steal_ptr(&s->uploading));
    s->n_tasks--;
    gf_sessions_kick(s->all);
}

static void on_ended(void *data)
{
    struct gf_session *s = data;
    drop_upload(s);
    s->ended = true;
    regulate(s);
}

static void on_closing(void *data)
{
    struct gf_session *s = data;
    gf_wait_queue_remove(&s->all->wait_queue, &s->waiter);
    gf_place_leave(s);
    gf_sessions_kick(s->all);
}

/* No other code runs now, so tasks can be taken out of queues. */
static void on_closed(void *data)
{
    struct gf_session *s = data;
    struct gf_sessions *all = s->all;
    uint64_t begin = gf_now_ns();
    gf_reservation_deinit(&s->reservation);
    free(s->waiting);
    drop_upload(s);
    gf_list_each(it, after, &s->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, mine);
        gf_list_remove(&task->mine);
        task->session = NULL;
        if (task->state == GF_TASK_RUNNING)
            task->source = NULL;
        gf_dispatcher_cancel(all->dispatcher, task);
    }
    gf_arenas_deinit(&s->arenas);
    gf_handles_deinit(&s->handles);
    gf_source_deinit(&s->source);
    gf_charge_deinit(&s->replies);
    gf_charge_deinit(&s->charge);
    gf_user_unref(all->names, s->account->owner);
    gf_account_unref(s->account);
    gf_list_remove(&s->node);
    all->n--;
    gf_loop_queue_charge(&all->loop_queue, s->user, gf_now_ns() - begin);
    gf_loop_queue_user_put(&all->loop_queue, s->user);
    free(s);
    gf_sessions_kick(all);
    all->ended(all->data);
}

static const struct gf_connection_ops g_ops = {
    .frame = on_frame,
    .payload = on_payload,
    .broken = on_broken,
    .sent = on_sent,
    .ended = on_ended,
    .closing = on_closing,
    .closed = on_closed,
};

enum gf_status gf_session_open(struct gf_sessions *all, int fd, const struct gf_peer *peer, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_session *s = calloc(1, sizeof(*s));
    if (!s)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    s->all = all;
    s->pid = peer->pid;
    s->number = ++all->last_number;
    gf_node_init(&s->tasks);
    gf_node_init(&s->onlooker);
    gf_arenas_init(&s->arenas);
    gf_handles_init(&s->handles, gf_worker_free_buffers);
    s->account = gf_account_new(all->quota, peer->id);
    if (s->account)
        s->account->owner = peer->owner;
    gf_waiter_init(&s->waiter, s->account);
    s->user = gf_loop_queue_user_get(&all->loop_queue, peer->id);
    enum gf_status status =
        s->account && s->user ? gf_place_take(s, err) : gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (status == GF_OK)
        status = gf_source_init(&s->source, &all->dispatcher->scheduler, peer->id, err);
    if (status == GF_OK)
        status =
            gf_connection_init(&s->connection, all->loop, fd, &g_ops, s, &all->limits, &all->loop_queue, s->user, err);
    if (status != GF_OK) {
        gf_source_deinit(&s->source);
        gf_place_leave(s);
        gf_charge_deinit(&s->charge);
        gf_account_unref(s->account);
        gf_loop_queue_user_put(&all->loop_queue, s->user);
        return status;
    }
    s->connection.closer = all->closer;
    s->connection.account = s->account;
    gf_list_push(&all->list, &s->node);
    all->n++;
    gf_connection_resume(&gf_steal_ptr(&s)->connection);
    return GF_OK;
}

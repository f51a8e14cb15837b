/* SPDX-License-Identifier: MIT */
/* All sessions of a server: admission, waiting, draining; see sessions.h. */
#include "sessions.h"

#include <malloc.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/base/clock.h"
#include "proxied.h"
#include "server/front/base/log.h"
#include "server/front/schedule/split.h"
#include "session.h"

/* Limits for bytes of answers to INFO that clients have not read. A report of every user's metrics takes up to
 * GF_MAX_FRAME_HEAD. */
#define CONNECTION_REPLIES (2ull * GF_MAX_FRAME_HEAD)
#define USER_REPLIES (16ull * GF_MAX_FRAME_HEAD)
#define TOTAL_REPLIES (256ull * GF_MAX_FRAME_HEAD)

static struct gf_session *session_of(struct gf_node *node)
{
    return gf_container(node, struct gf_session, node);
}

static void on_died(void *data, const struct gf_worker *worker)
{
    struct gf_sessions *all = data;
    gf_list_each(it, after, &all->list) gf_handles_lose(&session_of(it)->handles, worker);
}

/* Whether the task is in this worker, or waits for it alone: `alone`, no other device serves. */
static bool depends_on(const struct gf_task *task, const struct gf_worker *worker, bool alone)
{
    if (task->state == GF_TASK_RUNNING)
        return task->worker == worker;
    return task->state == GF_TASK_QUEUED && (alone || task->device == worker->index);
}

/* The same for any task of the session and its parts. */
static bool waits_for(struct gf_session *s, const struct gf_worker *worker, bool alone)
{
    gf_list_each(it, after, &s->tasks)
    {
        const struct gf_task *task = gf_container(it, struct gf_task, mine);
        if (depends_on(task, worker, alone))
            return true;
        if (task->state != GF_TASK_SPLIT)
            continue;
        gf_list_each(part, after_part, &task->split->parts)
        {
            if (depends_on(gf_container(part, struct gf_task, mine), worker, alone))
                return true;
        }
    }
    return false;
}

/* Sends clients of a proxy away whose requests depend on the worker: another server may answer them at once. Other
 * clients wait until the worker goes on or is replaced. */
static void on_stalled(void *data, const struct gf_worker *worker)
{
    struct gf_sessions *all = data;
    struct gf_error error = {0};
    bool alone = !gf_workers_serve(all->workers);
    gf_error_set(&error, GF_E_SHUTDOWN, "%s makes no progress", worker->hello.device.name);
    gf_list_each(it, after, &all->list)
    {
        struct gf_session *s = session_of(it);
        if (gf_user_is_named(s->account->owner) && waits_for(s, worker, alone))
            gf_session_send_away(s, &error);
    }
}

static void on_changed(void *data)
{
    struct gf_sessions *all = data;
    gf_sessions_kick(all);
    if (all->changed)
        all->changed(all->data);
}

const struct gf_dispatcher_ops gf_sessions_dispatcher_ops = {
    .done = gf_session_answer, .died = on_died, .stalled = on_stalled, .changed = on_changed};

void gf_sessions_configure(struct gf_sessions *all)
{
    const struct gf_options *o = all->options;
    all->limits = (struct gf_connection_limits){.frame_ns = o->frame_timeout_ms * GF_NS_PER_MS,
                                                .reply_ns = o->reply_timeout_ms * GF_NS_PER_MS};
    const uint64_t user[GF_N_RES] = {
        [GF_RES_CONNECTIONS] = o->user_connections, [GF_RES_REQUESTS] = o->user_requests,
        [GF_RES_STAGING] = o->user_staging,         [GF_RES_ARENAS] = o->user_arena_bytes,
        [GF_RES_PINNED] = o->user_pinned_bytes,     [GF_RES_HANDLES] = o->user_handles,
        [GF_RES_RESIDENT] = o->user_resident_bytes, [GF_RES_REPLIES] = USER_REPLIES,
        [GF_RES_CLOSING] = GF_USER_CLOSING,         [GF_RES_SCRATCH] = gf_options_user_scratch(o),
        [GF_RES_ARENA_COUNT] = o->user_arenas};
    const uint64_t connection[GF_N_RES] = {[GF_RES_CONNECTIONS] = 1,
                                           [GF_RES_REQUESTS] = o->in_flight,
                                           [GF_RES_STAGING] = o->staging,
                                           [GF_RES_ARENA_COUNT] = o->arenas,
                                           [GF_RES_ARENAS] = o->arena_bytes,
                                           [GF_RES_PINNED] = o->pinned_bytes,
                                           [GF_RES_HANDLES] = o->handles,
                                           [GF_RES_RESIDENT] = o->resident_bytes,
                                           [GF_RES_REPLIES] = CONNECTION_REPLIES,
                                           [GF_RES_CLOSING] = GF_USER_CLOSING,
                                           [GF_RES_SCRATCH] = user[GF_RES_SCRATCH]};
    /* Totals that are derived from the machine's memory if the option is 0. Arenas are the clients' own memory and may
     * be swapped. */
    const uint64_t machine[GF_N_RES] = {
        [GF_RES_ARENAS] = 2 * all->memory, [GF_RES_PINNED] = all->memory / 2, [GF_RES_RESIDENT] = all->memory};
    const uint64_t total[GF_N_RES] = {[GF_RES_CONNECTIONS] = o->max_connections, [GF_RES_REQUESTS] = o->request_total,
                                      [GF_RES_STAGING] = o->staging_max,         [GF_RES_ARENAS] = o->arena_total,
                                      [GF_RES_PINNED] = o->pinned_total,         [GF_RES_HANDLES] = o->handle_total,
                                      [GF_RES_RESIDENT] = o->resident_total,     [GF_RES_REPLIES] = TOTAL_REPLIES};
    for (uint32_t i = 0; i < GF_N_RES; i++) {
        all->quota->total[i] = total[i] > 0 ? total[i] : machine[i];
        all->quota->alone[i] = total[i] > 0 ? total[i] : machine[i] / 2;
    }
    if (all->fd_budget > 0 && all->fd_budget < o->max_connections)
        all->quota->total[GF_RES_CONNECTIONS] = all->quota->alone[GF_RES_CONNECTIONS] = all->fd_budget;
    memcpy(all->quota->per_user, user, sizeof(user));
    memcpy(all->quota->per_connection, connection, sizeof(connection));
}

static void on_used(void *data, gf_user_id id, uint64_t ns)
{
    struct gf_sessions *all = data;
    if (id != GF_LOOP_NOBODY)
        gf_metrics_used(all->dispatcher->metrics, id, ns);
}

/* A thread has made or cleared the slot of a session's next request. */
static void on_prepared(void *data, void *waiter, const struct gf_error *error)
{
    struct gf_session *s = waiter;
    (void)data;
    if (error)
        s->reservation.error = *error;
    gf_connection_retry(&s->connection);
}

static void on_staging_changed(void *data)
{
    gf_sessions_kick(data);
}

static void on_called(struct gf_waiter *waiter)
{
    gf_connection_retry(&gf_container(waiter, struct gf_session, waiter)->connection);
}

void gf_sessions_init(struct gf_sessions *all)
{
    gf_node_init(&all->list);
    gf_node_init(&all->proxied);
    gf_node_init(&all->onlookers);
    gf_wait_queue_init(&all->wait_queue, all->staging, on_called);
    all->staging->prepared = on_prepared;
    all->staging->changed = on_staging_changed;
    all->staging->data = all;
    gf_staging_start(all->staging, all->loop);
    gf_loop_queue_init(&all->loop_queue, gf_now_ns);
    all->loop_queue.used = on_used;
    all->loop_queue.data = all;
    gf_loop_queue_start(&all->loop_queue, all->loop);
    gf_sessions_configure(all);
}

void gf_sessions_close(struct gf_sessions *all)
{
    gf_loop_queue_close(&all->loop_queue);
    gf_loop_queue_deinit(&all->loop_queue);
}

void gf_sessions_kick(struct gf_sessions *all)
{
    if (all->wait_queue.n > 0)
        gf_wait_queue_look(&all->wait_queue);
}

void gf_sessions_refused(struct gf_sessions *all, const struct gf_peer *peer, const struct gf_error *error)
{
    gf_metrics_connected(all->dispatcher->metrics, peer->id, error->status);
    gf_log(GF_LOG_WARNING, "connection refused: %s uid=%s pid=%d", error->text,
           gf_user_text(all->names, peer->owner, (char[GF_USER_TEXT]){0}), (int)peer->pid);
}

void gf_sessions_reject(struct gf_sessions *all, int fd, const struct gf_peer *peer, const struct gf_error *error)
{
    struct gf_writer w;
    gf_sessions_refused(all, peer, error);
    gf_writer_init(&w, all->frame, sizeof(all->frame));
    bool later = error->status == GF_E_QUOTA || error->status == GF_E_BUSY || error->status == GF_E_SHUTDOWN;
    gf_error_encode(&w, error, later ? GF_RETRY_MS : 0);
    gf_writer_finish(&w, GF_FRAME_ERROR, 0, 0, 0);
    send(fd, w.data, w.size, MSG_DONTWAIT | MSG_NOSIGNAL); /* bytes that the socket does not accept at once are lost */
    struct gf_account *account = gf_account_new(all->quota, peer->id);
    gf_fd_closer_socket(all->closer, account, fd);
    gf_account_unref(account);
}

void gf_sessions_admit(struct gf_sessions *all, int fd, const struct gf_peer *peer, uint64_t begin_ns)
{
    struct gf_error error = {0};
    struct gf_loop_queue_user *user = gf_loop_queue_user_get(&all->loop_queue, peer->id);
    if (gf_session_open(all, fd, peer, &error) == GF_OK)
        gf_metrics_connected(all->dispatcher->metrics, peer->id, GF_OK);
    else {
        gf_sessions_reject(all, fd, peer, &error);
        gf_user_unref(all->names, peer->owner);
    }
    gf_loop_queue_charge(&all->loop_queue, user, gf_now_ns() - begin_ns);
    gf_loop_queue_user_put(&all->loop_queue, user);
}

void gf_sessions_freed(struct gf_sessions *all)
{
    gf_list_each(it, after, &all->list) gf_connection_freed(&session_of(it)->connection);
}

void gf_sessions_accept(struct gf_sessions *all, int fd, uid_t uid, pid_t pid)
{
    uint64_t begin = gf_now_ns();
    struct gf_peer peer = {
        .id = all->identities ? gf_identity_of(all->identities, fd, uid, pid) : uid, .owner = uid, .pid = pid};
    if (all->proxies && gf_uids_have(all->proxies, uid))
        gf_proxied_accept(all, fd, &peer);
    else
        gf_sessions_admit(all, fd, &peer, begin);
}

/* Whether everything that the client sent before the drain is answered. */
static bool drained(const struct gf_session *s)
{
    const struct gf_connection *c = &s->connection;
    bool read = c->received >= s->drain_position && (!gf_connection_in_frame(c) || c->frame_at >= s->drain_position);
    return read && s->n_tasks == 0 && c->n_out == 0;
}

void gf_sessions_extend(struct gf_sessions *all, uint64_t ns, uint64_t now_ns)
{
    gf_proxied_extend(all, ns, now_ns);
    gf_list_each(it, after, &all->list) gf_connection_extend(&session_of(it)->connection, ns, now_ns);
}

void gf_sessions_check(struct gf_sessions *all, uint64_t now_ns)
{
    gf_proxied_check(all, now_ns);
    gf_list_each(it, after, &all->list)
    {
        struct gf_session *s = session_of(it);
        gf_connection_check(&s->connection, now_ns);
        if (all->draining && !s->connection.closing && drained(s))
            gf_connection_finish(&s->connection);
    }
    if (all->untrimmed && all->quota->used[GF_RES_REPLIES] == 0) {
        malloc_trim(0);
        all->untrimmed = false;
    }
}

void gf_sessions_drain(struct gf_sessions *all)
{
    all->draining = true;
    gf_proxied_drain(all);
    gf_list_each(it, after, &all->list)
    {
        struct gf_session *s = session_of(it);
        s->drain_position = gf_connection_sent_so_far(&s->connection);
        gf_session_send_empty(s, GF_FRAME_GOAWAY, 0);
    }
}

void gf_sessions_shut(struct gf_sessions *all)
{
    struct gf_error error = {0};
    gf_error_set(&error, GF_E_SHUTDOWN, "the server is shutting down");
    gf_list_each(it, after, &all->list)
    {
        struct gf_session *s = session_of(it);
        gf_list_each(t, after_task, &s->tasks)
        {
            struct gf_task *task = gf_container(t, struct gf_task, mine);
            gf_session_send_error(s, task->request_id, &error);
        }
        gf_connection_close(&s->connection);
    }
}

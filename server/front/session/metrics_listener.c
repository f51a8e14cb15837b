/* SPDX-License-Identifier: MIT */
/* Starts and replaces the process that serves metrics over HTTP, and answers it; see metrics_listener.h. */
#include "metrics_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "server/front/base/backoff.h"
#include "server/front/base/log.h"

#define BACKLOG 64

enum gf_status gf_metrics_listener_prepare(struct gf_metrics_listener *l, const char *address, struct gf_error *err)
{
    struct gf_error error = {0};
    l->address = address;
    if (address[0] == '\0')
        return GF_OK;
    enum gf_status status = gf_endpoint_parse(address, &l->endpoint, &error);
    if (status == GF_OK && !l->endpoint.path)
        status = gf_endpoint_socket(&l->endpoint, &l->socket.fd, &error);
    return status == GF_OK ? GF_OK : gf_error_set(err, status, "metrics-listen=%s: %s", address, error.text);
}

enum gf_status gf_metrics_listener_bind(struct gf_metrics_listener *l, struct gf_error *err)
{
    struct gf_error error = {0};
    enum gf_status status = GF_OK;
    if (l->endpoint.path) /* the figures are of all users, so this socket is for the daemon's own user */
        status = gf_listener_bind(&l->socket, l->endpoint.path, SOCK_STREAM, 0600, &error);
    else if (l->socket.fd >= 0 && l->address[0])
        status = gf_endpoint_listen(&l->endpoint, l->socket.fd, BACKLOG, &error);
    return status == GF_OK ? GF_OK : gf_error_set(err, status, "metrics-listen=%s: %s", l->address, error.text);
}

static int socket_option(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

enum gf_status gf_metrics_listener_adopt(struct gf_metrics_listener *l, int fd, struct gf_error *err)
{
    if (l->address[0])
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "metrics-listen=%s: a socket for metrics was passed as well; one of both must go",
                            l->address);
    if (socket_option(fd, SO_TYPE) != SOCK_STREAM || socket_option(fd, SO_ACCEPTCONN) != 1)
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "descriptor %d, passed as \"metrics\", must be a listening stream socket", fd);
    int flags = fcntl(fd, F_GETFL); /* a client may be gone again before it is accepted */
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "descriptor %d, passed as \"metrics\": %s", fd, strerror(errno));
    l->socket.fd = fd;
    return GF_OK;
}

static void on_timer(uv_timer_t *timer);

static void start_later(struct gf_metrics_listener *l, const char *why)
{
    if (gf_now_ns() - l->started_ns > GF_BACKOFF_HEALTHY_NS)
        l->backoff = 0;
    uint32_t ms = gf_backoff_ms(&l->backoff);
    gf_log(GF_LOG_WARNING, "metrics are not served: %s; restart_ms=%u", why, ms);
    uv_timer_start(&l->timer, on_timer, ms, 0);
}

static void hang_up(struct gf_metrics_listener *l)
{
    gf_loop_queue_remove(&l->entry);
    l->topic = 0;
    l->link = gf_worker_link_free(l->link);
}

static void on_exited(void *data, int code, const char *how)
{
    struct gf_metrics_listener *l = data;
    char why[128];
    (void)code;
    hang_up(l);
    l->process = gf_worker_process_free(l->process);
    snprintf(why, sizeof(why), "their process died: %s", how);
    start_later(l, why);
}

/* The process is replaced once it has ended. */
static void on_lost(void *data, const char *why)
{
    struct gf_metrics_listener *l = data;
    gf_log(GF_LOG_DEBUG, "the process that serves metrics %s", why);
    gf_worker_process_kill(l->process);
}

/* A question: one of two, and one at a time. */
static void on_message(void *data, const struct gf_header *header, const uint8_t *body)
{
    struct gf_metrics_listener *l = data;
    struct gf_info_request request;
    if (header->kind == GF_FRAME_INFO && l->topic == 0 &&
        gf_info_request_decode(body, header->body_len, &request, NULL) == GF_OK &&
        (request.topic == GF_TOPIC_STATS || request.topic == GF_TOPIC_HEALTH)) {
        l->topic = request.topic;
        l->next = request.next;
        l->id = header->id;
        gf_loop_queue_add(&l->entry);
        return;
    }
    gf_log(GF_LOG_WARNING, "the process that serves metrics asked for what it may not have");
    gf_worker_process_kill(l->process);
}

static void answer(struct gf_loop_queue_entry *entry)
{
    struct gf_metrics_listener *l = gf_container(entry, struct gf_metrics_listener, entry);
    struct gf_info_reply reply = {.topic = l->topic};
    struct gf_writer w;
    if (l->topic == GF_TOPIC_HEALTH)
        reply.health =
            gf_workers_describe(l->sessions->workers, reply.devices, &reply.n_devices, reply.text, sizeof(reply.text));
    gf_writer_init(&w, l->sessions->frame, sizeof(l->sessions->frame));
    gf_info_reply_encode(&w, &reply);
    if (l->topic == GF_TOPIC_STATS)
        gf_metrics_report(l->sessions, NULL, l->next, &w);
    gf_writer_finish(&w, GF_FRAME_INFO_REPLY, l->id, 0, 0);
    l->topic = 0;
    if (!gf_worker_link_send(l->link, w.data, w.size, -1) || gf_worker_link_full(l->link))
        gf_worker_process_kill(l->process); /* it does not read its answers, or is gone */
}

static bool no_more(void *data)
{
    (void)data;
    return false;
}

static const struct gf_worker_link_ops g_ops = {.message = on_message, .more = no_more, .lost = on_lost};

static void launch(struct gf_metrics_listener *l)
{
    const struct gf_spawner_request request = {.program = GF_SPAWNER_METRICS};
    struct gf_error error = {0};
    gf_cleanup(gf_closep) int fd = -1;
    l->started_ns = gf_now_ns();
    if (gf_worker_process_start_with(l->loop, l->spawner, &request, l->socket.fd, on_exited, l, &l->process, &fd,
                                     &error) != GF_OK) {
        start_later(l, error.text);
        return;
    }
    l->link = gf_worker_link_new(l->loop, fd, &g_ops, l);
    if (l->link)
        gf_steal_fd(&fd);
    else
        gf_worker_process_kill(l->process);
}

static void on_timer(uv_timer_t *timer)
{
    launch(timer->data);
}

enum gf_status gf_metrics_listener_start(struct gf_metrics_listener *l, struct gf_error *err)
{
    struct gf_loop_queue *queue = &l->sessions->loop_queue;
    struct gf_loop_queue_user *nobody = gf_loop_queue_user_get(queue, GF_LOOP_NOBODY);
    if (!nobody)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    gf_loop_queue_entry_init(&l->entry, queue, nobody, answer);
    uv_timer_init(l->loop, &l->timer);
    l->timer.data = l;
    l->started = true;
    launch(l);
    return GF_OK;
}

void gf_metrics_listener_stop(struct gf_metrics_listener *l)
{
    if (l->started) {
        hang_up(l);
        if (l->process)
            gf_worker_process_kill(l->process);
        l->process = gf_worker_process_free(l->process);
        gf_loop_queue_user_put(l->entry.queue, l->entry.user);
        uv_close((uv_handle_t *)&l->timer, NULL);
        l->started = false;
    }
    gf_listener_stop(&l->socket);
}

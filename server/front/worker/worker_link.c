/* SPDX-License-Identifier: MIT */
/* The socket to a worker; see worker_link.h. */
#include "worker_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/base/list.h"
#include "protocol/wire/response.h"
#include "server/front/base/recv_fds.h"

#define MESSAGES_PER_TURN 32u
#define SEND_BUFFER (1 << 20) /* the size asked for; the system may grant less */

struct message {
    struct gf_node node;
    int fd;
    size_t size;
    uint8_t data[];
};

struct gf_worker_link {
    uv_poll_t poll;
    const struct gf_worker_link_ops *ops;
    void *data;
    struct gf_node out;
    size_t queued; /* bytes of memory in `out` */
    int fd;
    bool lost, freed;
    bool parted; /* the worker receives nothing more */
    bool reset;  /* the worker ended with unread messages; its own are still there */
    uint8_t in[GF_MAX_FRAME_HEAD + 1];
};

static void message_free(struct gf_worker_link *link, struct message *m)
{
    link->queued -= sizeof(*m) + m->size;
    gf_list_remove(&m->node);
    gf_closep(&m->fd);
    free(m);
}

static void lost(struct gf_worker_link *link, const char *why)
{
    uv_poll_stop(&link->poll);
    link->lost = true;
    link->ops->lost(link->data, why);
}

static ssize_t send_now(int to, const uint8_t *data, size_t size, int fd)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        memset(&control, 0, sizeof(control));
        msg.msg_control = control.bytes;
        msg.msg_controllen = sizeof(control.bytes);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(int));
    }
    ssize_t n;
    do
        n = sendmsg(to, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ETOOMANYREFS;
}

/* Receives all pending messages, or with !all only while more are expected; false if the link was lost. */
static bool receive(struct gf_worker_link *link, bool all)
{
    for (uint32_t i = 0; i < MESSAGES_PER_TURN && !link->freed; i++) {
        struct gf_received got;
        ssize_t n = gf_recv_fds(link->fd, link->in, sizeof(link->in), 0, &got);
        for (uint32_t k = 0; n > 0 && k < got.n_fds; k++)
            close(got.fds[k]);
        if (n < 0 && would_block())
            return true;
        if (n < 0 && errno == ECONNRESET && !link->reset) { /* said once, before the messages that came earlier */
            link->reset = true;
            continue;
        }
        struct gf_header h;
        const char *why = NULL;
        if (n <= 0)
            why = n == 0 ? "closed its socket" : strerror(errno);
        else if ((size_t)n < GF_HEADER_SIZE || gf_header_decode(link->in, &h, NULL) != GF_OK ||
                 GF_HEADER_SIZE + (size_t)h.body_len != (size_t)n)
            why = "sent a malformed frame";
        if (why) {
            lost(link, why);
            return false;
        }
        link->ops->message(link->data, &h, link->in + GF_HEADER_SIZE);
        if (!all && !link->freed && link->ops->more && !link->ops->more(link->data))
            return true;
    }
    return !link->freed;
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void flush(struct gf_worker_link *link)
{
    gf_list_each(it, after, &link->out)
    {
        struct message *m = gf_container(it, struct message, node);
        if (send_now(link->fd, m->data, m->size, m->fd) < 0 && would_block())
            break;
        message_free(link, m); /* a lost link is noticed when reading */
    }
    bool full = gf_worker_link_full(link);
    uv_poll_start(&link->poll, full ? UV_READABLE | UV_WRITABLE : UV_READABLE, on_poll);
    if (!full && link->ops->drained)
        link->ops->drained(link->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_worker_link *link = poll->data;
    if (status < 0) { /* polling has ended; what the worker said before is still there */
        if (receive(link, true))
            lost(link, uv_strerror(status));
        return;
    }
    if (events & UV_READABLE && !receive(link, false))
        return;
    if (events & UV_WRITABLE)
        flush(link);
}

struct gf_worker_link *gf_worker_link_new(uv_loop_t *loop, int fd, const struct gf_worker_link_ops *ops, void *data)
{
    gf_cleanup(gf_freep) struct gf_worker_link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    *link = (struct gf_worker_link){.ops = ops, .data = data, .fd = fd};
    gf_node_init(&link->out);
    int size = SEND_BUFFER;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    gf_refuse_fds(fd);
    if (uv_poll_init(loop, &link->poll, fd) < 0)
        return NULL;
    link->poll.data = link;
    uv_poll_start(&link->poll, UV_READABLE, on_poll);
    return gf_steal_ptr(&link);
}

void gf_worker_link_redirect(struct gf_worker_link *link, const struct gf_worker_link_ops *ops, void *data)
{
    link->ops = ops;
    link->data = data;
}

void gf_worker_link_drain(struct gf_worker_link *link)
{
    for (struct pollfd p = {.fd = link->fd, .events = POLLIN}; !link->lost && poll(&p, 1, 0) == 1;)
        if (!receive(link, true))
            return;
}

static void on_closed(uv_handle_t *handle)
{
    struct gf_worker_link *link = handle->data;
    close(link->fd);
    free(link);
}

struct gf_worker_link *gf_worker_link_free(struct gf_worker_link *link)
{
    if (!link)
        return NULL;
    link->freed = true;
    gf_list_each(it, after, &link->out) message_free(link, gf_container(it, struct message, node));
    uv_poll_stop(&link->poll);
    /* The worker sees the end of the socket now, before the loop runs the close callback. */
    shutdown(link->fd, SHUT_RDWR);
    uv_close((uv_handle_t *)&link->poll, on_closed);
    return NULL;
}

void gf_worker_link_tell_refused(struct gf_worker_link *link, const char *why)
{
    uint8_t frame[GF_HEADER_SIZE + GF_ERROR_TEXT + 64];
    struct gf_error error = {0};
    struct gf_writer w;
    gf_error_set(&error, GF_E_BAD_REQUEST, "%s", why);
    gf_writer_init(&w, frame, sizeof(frame));
    gf_error_encode(&w, &error, 0);
    gf_writer_finish(&w, GF_FRAME_ERROR, 0, 0, 0);
    gf_worker_link_send(link, w.data, w.size, -1);
}

bool gf_worker_link_parted(const struct gf_worker_link *link)
{
    return link->lost || link->parted;
}

bool gf_worker_link_full(const struct gf_worker_link *link)
{
    return !gf_list_empty(&link->out);
}

size_t gf_worker_link_queued(const struct gf_worker_link *link)
{
    return link->queued;
}

bool gf_worker_link_send(struct gf_worker_link *link, const uint8_t *frame, size_t size, int fd)
{
    if (link->lost)
        return false;
    if (gf_list_empty(&link->out)) {
        if (send_now(link->fd, frame, size, fd) >= 0)
            return true;
        if (!would_block()) {
            link->parted = errno == EPIPE || errno == ECONNRESET;
            return false;
        }
    }
    size_t capacity = sizeof(struct message) + size;
    struct message *m = capacity <= GF_WORKER_LINK_MAX - link->queued ? malloc(capacity) : NULL;
    if (!m)
        return false;
    m->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd >= 0 && m->fd < 0) {
        free(m);
        return false;
    }
    m->size = size;
    memcpy(m->data, frame, size);
    gf_list_push(&link->out, &m->node);
    link->queued += capacity;
    uv_poll_start(&link->poll, UV_READABLE | UV_WRITABLE, on_poll);
    return true;
}

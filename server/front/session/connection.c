/* SPDX-License-Identifier: MIT */
/*
 * A client's socket: polling, writing, closing; see connection.h. Reading is in connection_read.c. A poll without
 * events is stopped. The disconnect event is never armed, because it fires endlessly for a client that only shut down
 * its sending half; gf_connection_check detects dead clients instead.
 */
#include "connection.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "connection_read.h"
#include "protocol/base/clock.h"

#define IOV_PER_SEND 16u
#define BYTES_PER_SEND (256u * 1024) /* a call takes as long as the client makes room; some 50 us for this much */

/* An answer that is being sent. */
struct out {
    struct gf_node node;
    void *owner;
    const uint8_t *payload;
    uint64_t payload_size, written; /* written: of head and payload together */
    size_t head_size;
    uint8_t head[];
};

static void on_poll(uv_poll_t *poll, int status, int events);

/* Polls for the events on which the connection can make progress. */
static void update(struct gf_connection *c)
{
    if (c->closing)
        return;
    bool read = !c->eof && !c->finishing && !c->waiting && !c->full && !(c->paused && c->state == GF_READ_HEAD);
    int events = (read ? UV_READABLE : 0) | (gf_list_empty(&c->out) ? 0 : UV_WRITABLE);
    if (events == c->events)
        return;
    c->events = events;
    if (events == 0)
        uv_poll_stop(&c->poll);
    else if (uv_poll_start(&c->poll, events, on_poll) < 0)
        gf_connection_close(c);
}

static void out_done(struct gf_connection *c, struct out *out)
{
    gf_list_remove(&out->node);
    c->n_out--;
    void *owner = out->owner;
    free(out);
    c->ops->sent(c->data, owner);
}

/* Collects head and payload of as many answers as fit into one call; returns the number of pieces. */
static int gather(struct gf_connection *c, struct iovec *iov, uint64_t *ret_bytes)
{
    int n = 0;
    uint64_t left = BYTES_PER_SEND;
    gf_list_each(it, after, &c->out)
    {
        struct out *out = gf_container(it, struct out, node);
        if (n + 2 > (int)IOV_PER_SEND || left == 0)
            break;
        uint64_t at = out->written;
        if (at < out->head_size) { /* at most GF_MAX_FRAME_HEAD, even if `left` is smaller */
            iov[n++] = (struct iovec){.iov_base = out->head + at, .iov_len = out->head_size - at};
            left -= left < out->head_size - at ? left : out->head_size - at;
        }
        at = at < out->head_size ? 0 : at - out->head_size;
        uint64_t size = out->payload_size - at < left ? out->payload_size - at : left;
        if (size > 0)
            iov[n++] = (struct iovec){.iov_base = (void *)(uintptr_t)(out->payload + at), .iov_len = (size_t)size};
        left -= size;
    }
    *ret_bytes = 0;
    for (int i = 0; i < n; i++)
        *ret_bytes += iov[i].iov_len;
    return n;
}

static void account_written(struct gf_connection *c, uint64_t n)
{
    while (n > 0 && !gf_list_empty(&c->out)) {
        struct out *out = gf_container(c->out.next, struct out, node);
        uint64_t left = out->head_size + out->payload_size - out->written;
        if (n < left) {
            out->written += n;
            return;
        }
        n -= left;
        out_done(c, out);
    }
}

/* Extends the deadline by the time that `bytes` earn. The deadline never moves further ahead than at the start;
 * otherwise a client that once read much could afterwards hold the memory of its other answers for as long. */
static void extend(struct gf_connection *c, uint64_t bytes)
{
    uint64_t latest_ns = gf_now_ns() + c->limits->reply_ns, earned = bytes * GF_NS_PER_S / GF_PAYLOAD_RATE;
    c->read_by_ns = c->read_by_ns + earned < latest_ns ? c->read_by_ns + earned : latest_ns;
}

/* Writes until the socket is full or the turn is over, but at least once. */
static void flush(struct gf_connection *c)
{
    bool more = true;
    while (!c->closing && !gf_list_empty(&c->out) && more) {
        struct iovec iov[IOV_PER_SEND];
        uint64_t bytes;
        struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)gather(c, iov, &bytes)};
        ssize_t n = sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0) {
            gf_connection_close(c);
            return;
        }
        extend(c, (uint64_t)n);
        account_written(c, (uint64_t)n);
        more = (uint64_t)n == bytes; /* otherwise poll tells when there is room again */
        if (more && !c->closing && !gf_list_empty(&c->out) && gf_loop_queue_spent(c->entry.queue)) {
            c->ready |= UV_WRITABLE;
            gf_loop_queue_add(&c->entry);
            more = false;
        }
    }
    if (c->finishing && gf_list_empty(&c->out))
        gf_connection_close(c);
    update(c);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_connection *c = poll->data;
    if (status < 0) {
        gf_connection_close(c);
        return;
    }
    c->ready |= events;
    gf_loop_queue_add(&c->entry);
}

/* A turn: handles the events of the poll and what the last turn left over. */
static void go(struct gf_loop_queue_entry *entry)
{
    struct gf_connection *c = gf_container(entry, struct gf_connection, entry);
    int events = c->ready;
    c->ready = 0;
    if (events & UV_WRITABLE)
        flush(c);
    if (events & UV_READABLE)
        gf_connection_read(c);
    else
        gf_connection_parse(c);
    update(c);
}

enum gf_status gf_connection_init(struct gf_connection *c, uv_loop_t *loop, int fd, const struct gf_connection_ops *ops,
                                  void *data, const struct gf_connection_limits *limits, struct gf_loop_queue *ready,
                                  struct gf_loop_queue_user *user, struct gf_error *err)
{
    *c = (struct gf_connection){.ops = ops, .data = data, .limits = limits, .fd = fd, .paused = true};
    gf_node_init(&c->out);
    int rc = uv_poll_init(loop, &c->poll, fd);
    if (rc < 0)
        return gf_error_set(err, GF_E_INTERNAL, "cannot poll a connection: %s", uv_strerror(rc));
    c->poll.data = c;
    gf_loop_queue_entry_init(&c->entry, ready, user, go);
    /* Without this option, recvmsg discards an out-of-band byte and closes the descriptors that came with it. */
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
    return GF_OK;
}

void gf_connection_pause(struct gf_connection *c)
{
    c->paused = true;
    update(c);
}

void gf_connection_freed(struct gf_connection *c)
{
    if (!c->full || c->closing || gf_fd_closer_full(c->closer, c->account))
        return;
    c->full = false;
    uint64_t now = gf_now_ns(); /* the daemon did not read, so the time does not count against the client */
    c->frame_ns = c->frame_ns != 0 ? now : 0;
    c->payload_ns = c->payload_since_ns = now;
    update(c);
}

void gf_connection_resume(struct gf_connection *c)
{
    if (c->closing)
        return;
    c->paused = false;
    if (gf_connection_in_frame(c) || c->eof)
        gf_loop_queue_add(&c->entry);
    update(c);
}

void gf_connection_retry(struct gf_connection *c)
{
    if (c->closing)
        return;
    c->waiting = false;
    gf_loop_queue_add(&c->entry);
}

void gf_connection_send(struct gf_connection *c, const uint8_t *head, size_t head_size, const uint8_t *payload,
                        uint64_t payload_size, void *owner)
{
    if (c->finishing) { /* the last answer is already queued */
        c->ops->sent(c->data, owner);
        return;
    }
    struct out *out = c->closing ? NULL : malloc(sizeof(*out) + head_size);
    if (!out) {
        gf_connection_close(c);
        c->ops->sent(c->data, owner);
        return;
    }
    *out = (struct out){.owner = owner, .payload = payload, .payload_size = payload_size, .head_size = head_size};
    memcpy(out->head, head, head_size);
    bool first = gf_list_empty(&c->out);
    if (first)
        c->read_by_ns = gf_now_ns() + c->limits->reply_ns;
    gf_list_push(&c->out, &out->node);
    c->n_out++;
    if (first)
        flush(c);
}

void gf_connection_finish(struct gf_connection *c)
{
    c->finishing = true;
    if (gf_list_empty(&c->out))
        gf_connection_close(c);
    else
        update(c);
}

static void on_closed(uv_handle_t *handle)
{
    struct gf_connection *c = handle->data;
    gf_fd_closer_socket(c->closer, c->account, c->fd);
    gf_connection_read_deinit(c);
    c->ops->closed(c->data);
}

void gf_connection_close(struct gf_connection *c)
{
    if (c->closing)
        return;
    c->closing = true;
    gf_loop_queue_remove(&c->entry);
    uv_poll_stop(&c->poll);
    c->ops->closing(c->data);
    gf_list_each(it, after, &c->out) out_done(c, gf_container(it, struct out, node));
    uv_close((uv_handle_t *)&c->poll, on_closed);
}

/* Whether no byte arrived for a while, or too few on average. */
static bool payload_is_slow(const struct gf_connection *c, uint64_t now_ns)
{
    uint64_t got = c->header.payload_len - c->payload_left;
    uint64_t allowed = c->limits->frame_ns + got / GF_PAYLOAD_RATE * GF_NS_PER_S;
    return now_ns > c->payload_ns + c->limits->frame_ns || now_ns > c->payload_since_ns + allowed;
}

/* Moves a time forward by `ns`, at most to now. */
static void put_off(uint64_t *moment, uint64_t ns, uint64_t now_ns)
{
    if (*moment != 0)
        *moment = *moment + ns < now_ns ? *moment + ns : now_ns;
}

void gf_connection_extend(struct gf_connection *c, uint64_t ns, uint64_t now_ns)
{
    put_off(&c->frame_ns, ns, now_ns);
    put_off(&c->payload_ns, ns, now_ns);
    put_off(&c->payload_since_ns, ns, now_ns);
    if (c->read_by_ns != 0)
        c->read_by_ns =
            c->read_by_ns + ns < now_ns + c->limits->reply_ns ? c->read_by_ns + ns : now_ns + c->limits->reply_ns;
}

void gf_connection_check(struct gf_connection *c, uint64_t now_ns)
{
    if (c->closing)
        return;
    if (!gf_list_empty(&c->out) && now_ns > c->read_by_ns) {
        gf_connection_close(c);
        return;
    }
    /* POLLHUP means that both halves are down, so the client is gone; a client that shut down its sending half can
     * still read. */
    struct pollfd p = {.fd = c->fd};
    if ((c->eof || c->waiting || c->paused || c->full) && poll(&p, 1, 0) == 1 &&
        p.revents & (POLLHUP | POLLERR | POLLNVAL)) {
        gf_connection_close(c);
        return;
    }
    if (c->waiting || c->full || c->finishing || c->eof || (c->paused && c->state == GF_READ_HEAD) ||
        gf_loop_queue_waits(&c->entry))
        return; /* in the last case this process is late, not the client */
    bool slow = c->state == GF_READ_PAYLOAD ? payload_is_slow(c, now_ns)
                                            : c->frame_ns != 0 && now_ns > c->frame_ns + c->limits->frame_ns;
    if (!slow)
        return;
    struct gf_error error = {0};
    gf_error_set(&error, GF_E_SLOW, "a frame took longer than %llu ms, or its payload arrived at less than %u bytes/s",
                 (unsigned long long)(c->limits->frame_ns / GF_NS_PER_MS), GF_PAYLOAD_RATE);
    c->ops->broken(c->data, &error);
}

uint64_t gf_connection_sent_so_far(const struct gf_connection *c)
{
    int waiting = 0;
    if (ioctl(c->fd, SIOCINQ, &waiting) < 0 || waiting < 0)
        waiting = 0;
    return c->received + (uint64_t)waiting;
}

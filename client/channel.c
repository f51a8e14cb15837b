/* SPDX-License-Identifier: MIT */
/* Questions and answers over one socket: sending, waiting, the rules of an exchange. Called by client.c and run.c. */
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "incoming.h"
#include "protocol/clock.h"

#define PARTS 64 /* of one sendmsg */

int64_t gf_now(void)
{
    return (int64_t)gf_now_ns();
}

int64_t gf_after_ms(uint64_t ms)
{
    return gf_now() + (int64_t)(ms * GF_NS_PER_MS);
}

void gf_channel_init(struct gf_channel *ch, int fd)
{
    ch->fd = fd;
    ch->next_id = 1;
    ch->going = false;
    ch->retry_ms = 0;
    ch->n_pongs = 0;
    gf_incoming_next(ch);
}

void gf_channel_close(struct gf_channel *ch)
{
    gf_closep(&ch->fd);
    gf_channel_init(ch, -1);
}

/* Sends owed PONGs, each whole or not at all. False when the connection is gone. */
static bool send_pongs(struct gf_channel *ch)
{
    while (ch->n_pongs > 0) {
        uint8_t bytes[GF_HEADER_SIZE];
        gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_PONG, .id = ch->pongs[0]}, bytes);
        ssize_t n = send(ch->fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (n != (ssize_t)sizeof(bytes))
            return false;
        memmove(ch->pongs, ch->pongs + 1, --ch->n_pongs * sizeof(ch->pongs[0]));
    }
    return true;
}

/* How much of a question is on its way. */
struct outgoing {
    size_t head_at; /* bytes of the head that are sent */
    bool sent;      /* nothing is left to send, or the server reads no more */
};

/* One sendmsg of what is left of head and payload, the descriptor with the first byte. */
static ssize_t send_parts(struct gf_channel *ch, struct gf_exchange *x, size_t head_at)
{
    struct iovec parts[PARTS];
    int n = 0;
    if (head_at < x->head->size)
        parts[n++] = (struct iovec){x->head->data + head_at, x->head->size - head_at};
    if (x->payload != NULL)
        n += gf_stream_parts(x->payload, parts + n, PARTS - n);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
    if (head_at == 0 && x->fd >= 0) {
        memcpy(CMSG_DATA(&control.header), &x->fd, sizeof(int));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
    }
    return sendmsg(ch->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* What a failed sendmsg means. A server that reads no more may have answered all the same, so the reading goes on. */
static enum gf_status send_failed(struct outgoing *out, struct gf_error *err)
{
    switch (errno) {
    case EAGAIN:
    case EINTR:
        return GF_OK;
    case EPIPE:
    case ECONNRESET:
        out->sent = true;
        return GF_OK;
    case ETOOMANYREFS: /* only with a descriptor, so nothing of the frame is out */
        return gf_error_set(err, GF_E_RESOURCE_FDS, "this user has too many descriptors on their way to daemons");
    default:
        return gf_error_set(err, GF_E_CONNECTION_LOST, "sending to the daemon failed: %s", strerror(errno));
    }
}

/* Sends what the socket takes. A frame is never interrupted by another. RESOURCE_FDS, CONNECTION_LOST. */
static enum gf_status send_some(struct gf_channel *ch, struct gf_exchange *x, struct outgoing *out,
                                struct gf_error *err)
{
    if (out->sent) {
        send_pongs(ch); /* a failure shows when reading */
        return GF_OK;
    }
    ssize_t n = send_parts(ch, x, out->head_at);
    if (n < 0)
        return send_failed(out, err);
    size_t head = x->head->size - out->head_at;
    if (head > (size_t)n)
        head = (size_t)n;
    out->head_at += head;
    if (x->payload != NULL)
        gf_stream_advance(x->payload, (uint64_t)n - head);
    out->sent = out->head_at == x->head->size && (x->payload == NULL || x->payload->piece == x->payload->n);
    if (out->sent)
        x->sent = gf_now();
    return GF_OK;
}

/* Waits until the socket is ready for one of the events. TIMEOUT. */
static enum gf_status wait_ready(struct gf_channel *ch, short events, int64_t deadline, struct gf_error *err)
{
    struct timespec left, *limit = NULL;
    if (deadline != INT64_MAX) {
        int64_t ns = deadline - gf_now();
        if (ns <= 0)
            return gf_error_set(err, GF_E_TIMEOUT, "no answer from the daemon in time");
        left = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
        limit = &left;
    }
    struct pollfd p = {.fd = ch->fd, .events = events};
    if (ppoll(&p, 1, limit, NULL) < 0 && errno != EINTR)
        return gf_error_set(err, GF_E_CONNECTION_LOST, "waiting for the daemon failed: %s", strerror(errno));
    return GF_OK;
}

/* Sends and receives until the answer is in and the question is out. */
static enum gf_status exchange(struct gf_channel *ch, struct gf_exchange *x, uint64_t id, struct gf_error *err)
{
    struct outgoing out = {.head_at = 0};
    enum gf_incoming in = GF_INCOMING_WAIT;
    enum gf_status answer = GF_OK;
    for (;;) {
        enum gf_status status = !out.sent || ch->n_pongs > 0 ? send_some(ch, x, &out, err) : GF_OK;
        if (status != GF_OK)
            return status;
        if (in == GF_INCOMING_WAIT)
            in = gf_incoming_read(ch, x, id, &answer, err);
        if (in == GF_INCOMING_END || (in == GF_INCOMING_ANSWER && out.sent))
            return answer;
        short events = (short)((in == GF_INCOMING_WAIT ? POLLIN : 0) | (!out.sent || ch->n_pongs > 0 ? POLLOUT : 0));
        status = wait_ready(ch, events, x->deadline, err);
        if (status != GF_OK)
            return status;
    }
}

enum gf_status gf_channel_ask(struct gf_channel *ch, struct gf_exchange *x, struct gf_error *err)
{
    uint64_t id = ch->next_id++;
    ch->retry_ms = 0;
    x->body_len = 0;
    if (!gf_writer_finish(x->head, x->kind, id, x->payload == NULL ? 0 : x->payload->total, x->fd >= 0))
        return gf_error_set(err, GF_E_BAD_REQUEST, "the program does not fit into the %u bytes of a request",
                            GF_MAX_BODY);
    enum gf_status status = exchange(ch, x, id, err);
    if (status >= GF_STATUS_FATAL || ch->header.id == 0)
        gf_channel_close(ch);
    return status;
}

bool gf_channel_usable(struct gf_channel *ch)
{
    if (ch->fd < 0)
        return false;
    enum gf_status status;
    return gf_incoming_read(ch, NULL, 0, &status, NULL) == GF_INCOMING_WAIT && !ch->going && send_pongs(ch);
}

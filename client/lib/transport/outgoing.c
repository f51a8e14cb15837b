/* SPDX-License-Identifier: MIT */
/* Sends requests and owed replies (PONG), never one frame inside another. Called by channel.c. */
#include "frames.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define PARTS 64 /* of one sendmsg */

/* Sends a frame without a body, completely or not at all. 1: sent; 0: no room; -1: the connection is gone. */
static int send_word(struct gf_channel *ch, uint16_t kind, uint64_t id)
{
    uint8_t bytes[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = kind, .id = id}, bytes);
    ssize_t n = send(ch->fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return n == (ssize_t)sizeof(bytes) ? 1 : -1;
}

/* Sends owed PONGs and CANCELs. Returns what send_word returns. */
static int send_words(struct gf_channel *ch)
{
    int sent = 1;
    while (ch->n_pongs > 0 && (sent = send_word(ch, GF_FRAME_PONG, ch->pongs[0])) > 0)
        memmove(ch->pongs, ch->pongs + 1, --ch->n_pongs * sizeof(ch->pongs[0]));
    for (struct gf_exchange *x = ch->sent.first; x != NULL && ch->n_cancels > 0 && sent > 0; x = x->next) {
        if (!x->cancel || (sent = send_word(ch, GF_FRAME_CANCEL, x->id)) <= 0)
            continue;
        x->cancel = false;
        x->cancelled = true;
        ch->n_cancels--;
    }
    return sent;
}

/* Writes the head of an exchange and makes it the current one. False: another exchange must be sent first. */
static bool begin(struct gf_channel *ch, struct gf_exchange *x)
{
    struct gf_error why;
    gf_writer_init(&ch->head, ch->head_bytes, sizeof(ch->head_bytes));
    gf_stream_init(&ch->payload);
    ch->head_at = 0;
    x->retry_ms = 0;
    enum gf_prepared prepared = x->prepare != NULL ? x->prepare(x, &ch->head, &ch->payload, &why) : GF_PREPARED;
    if (prepared == GF_PREPARED_LATER)
        return ch->queue.first != x; /* that exchange may now be in the queue */
    if (prepared == GF_PREPARED && !gf_writer_finish(&ch->head, x->kind, x->id, ch->payload.total, x->fd >= 0)) {
        gf_error_set(&why, GF_E_BAD_REQUEST, "the program does not fit into the %u bytes of a request", GF_MAX_BODY);
        prepared = GF_PREPARED_NEVER;
    }
    if (prepared == GF_PREPARED)
        gf_channel_begin(ch, x);
    else
        gf_channel_end(ch, x, &why);
    return true;
}

/* Chooses the next exchange to send. False: nothing can be sent now. */
static bool next(struct gf_channel *ch)
{
    struct gf_exchange *x = ch->queue.first;
    if (x == NULL || ch->going || (!ch->open && x->kind != GF_FRAME_HELLO) ||
        (x->kind == GF_FRAME_RUN && ch->n_running >= ch->window))
        return false;
    return begin(ch, x);
}

/* Sends the rest of head and payload with one sendmsg, the descriptor with the first byte. */
static ssize_t send_parts(struct gf_channel *ch)
{
    struct iovec parts[PARTS];
    int n = 0;
    if (ch->head_at < ch->head.size)
        parts[n++] = (struct iovec){ch->head.data + ch->head_at, ch->head.size - ch->head_at};
    n += gf_stream_parts(&ch->payload, parts + n, PARTS - n);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
    if (ch->head_at == 0 && ch->sending->fd >= 0) {
        memcpy(CMSG_DATA(&control.header), &ch->sending->fd, sizeof(int));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
    }
    return sendmsg(ch->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The frame of ch->sending is sent, or never will be. */
static void finish(struct gf_channel *ch)
{
    struct gf_exchange *x = ch->sending;
    ch->sending = NULL;
    if (x->state == GF_EXCHANGE_ANSWERED)
        gf_channel_settle(ch, x);
}

/* Handles a failed sendmsg. A server that no longer reads may still have answered, so reading continues. */
static enum gf_status send_failed(struct gf_channel *ch, struct gf_error *err)
{
    struct gf_error why;
    struct gf_exchange *x = ch->sending;
    switch (errno) {
    case EAGAIN:
    case EINTR:
        ch->full = true;
        return GF_OK;
    case EPIPE:
    case ECONNRESET:
        ch->deaf = true;
        finish(ch);
        return GF_OK;
    case ETOOMANYREFS: /* only occurs with a descriptor, so nothing of the frame is sent */
        ch->sending = NULL;
        gf_error_set(&why, GF_E_RESOURCE_FDS, "this user has too many descriptors in flight to daemons");
        gf_channel_end(ch, x, &why);
        return GF_OK;
    case EFAULT: /* the connection stays if nothing of the frame is sent */
        ch->sending = NULL;
        gf_error_set(&why, GF_E_BAD_ARGUMENT, "the memory of an operand cannot be read");
        gf_channel_end(ch, x, &why);
        return ch->head_at == 0 ? GF_OK : gf_error_set(err, GF_E_CONNECTION_LOST, "%s", why.text);
    default:
        return gf_error_set(err, GF_E_CONNECTION_LOST, "sending to the daemon failed: %s", strerror(errno));
    }
}

/* Sends a piece of the current frame. */
static enum gf_status send_some(struct gf_channel *ch, struct gf_error *err)
{
    ssize_t n = send_parts(ch);
    if (n < 0)
        return send_failed(ch, err);
    size_t head = ch->head.size - ch->head_at;
    if (head > (size_t)n)
        head = (size_t)n;
    ch->moved = gf_now();
    ch->head_at += head;
    gf_stream_advance(&ch->payload, (uint64_t)n - head);
    if (ch->head_at == ch->head.size && ch->payload.piece == ch->payload.n) {
        ch->sending->sent = ch->moved;
        finish(ch);
    }
    return GF_OK;
}

enum gf_status gf_outgoing_write(struct gf_channel *ch, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    ch->full = false;
    while (status == GF_OK && !ch->full && !ch->deaf) {
        if (ch->sending == NULL) {
            int sent = send_words(ch);
            ch->full = sent == 0;
            ch->deaf = sent < 0; /* detected when reading */
            if (sent <= 0 || !next(ch))
                break;
        }
        if (ch->sending != NULL)
            status = send_some(ch, err);
    }
    return status;
}

/* SPDX-License-Identifier: MIT */
/* Reads the frames of a server as if it were hostile. Called by channel.c. */
#include "frames.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/wire/response.h"

#define PARTS 64 /* of one recvmsg */

void gf_incoming_next(struct gf_channel *ch)
{
    ch->header_at = 0;
    ch->body_at = 0;
    ch->looked = false;
    ch->answering = NULL;
}

/* Returns the bytes read, 0 if none are available, -1 if the connection has ended. */
static ssize_t receive(struct gf_channel *ch, struct iovec *parts, int n)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
    ssize_t got = recvmsg(ch->fd, &message, MSG_DONTWAIT);
    if (got > 0) {
        ch->moved = gf_now();
        return got;
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static enum gf_status bad_reply(const struct gf_error *why, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's answer is malformed: %s", why->text);
}

/* Checks whether a frame with this header may arrive now, and finds the exchange that it answers. */
static enum gf_status check_header(struct gf_channel *ch, struct gf_error *err)
{
    const struct gf_header *h = &ch->header;
    const char *name = gf_frame_kind_name(h->kind);
    if (h->nfds != 0)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon announced %u descriptors with %s", h->nfds, name);
    bool ping = h->kind == GF_FRAME_PING;
    struct gf_exchange *x = h->id != 0 && !ping ? gf_channel_find_sent(ch, h->id) : NULL;
    bool answer = x != NULL && h->kind == x->answer_kind;
    bool unasked = ping || (h->id == 0 && h->kind == GF_FRAME_GOAWAY);
    if (!answer && !unasked && !(h->kind == GF_FRAME_ERROR && (x != NULL || h->id == 0)))
        return gf_error_set(err, GF_E_BAD_REPLY,
                            "the daemon sent %s (%u) for request %" PRIu64 ", which is not pending", name, h->kind,
                            h->id);
    uint64_t payload = answer ? x->answer_len : 0;
    if (h->payload_len != payload)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent %s with %" PRIu64 " bytes; requested: %" PRIu64, name,
                            h->payload_len, payload);
    ch->answering = x;
    return GF_OK;
}

/* Decodes an ERROR frame. BAD_REPLY. */
static enum gf_status read_error(struct gf_channel *ch, struct gf_error *ret, uint32_t *ret_retry_ms,
                                 struct gf_error *err)
{
    struct gf_error why;
    if (gf_error_decode(ch->body, ch->header.body_len, ret, ret_retry_ms, &why) != GF_OK)
        return bad_reply(&why, err);
    if (ret->status == GF_OK || ret->status >= GF_STATUS_LOCAL)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent an error with status %u", ret->status);
    return GF_OK;
}

/* Handles an ERROR. OK: it answers an exchange and the connection stays open. */
static enum gf_status look_at_error(struct gf_channel *ch, struct gf_error *err)
{
    struct gf_error error;
    uint32_t retry_ms = 0;
    enum gf_status status = read_error(ch, &error, &retry_ms, err);
    if (status != GF_OK)
        return status;
    ch->retry_ms = retry_ms;
    if (ch->answering != NULL) {
        ch->answering->error = error;
        ch->answering->retry_ms = retry_ms;
    }
    if (ch->answering != NULL && error.status < GF_STATUS_FATAL)
        return GF_OK;
    *err = error; /* the last frame of the connection */
    return error.status;
}

/* Handles a complete header and body. A status other than OK ends the connection. */
static enum gf_status look(struct gf_channel *ch, struct gf_error *err)
{
    struct gf_exchange *x = ch->answering;
    ch->looked = true;
    gf_stream_init(&ch->answer);
    switch (ch->header.kind) {
    case GF_FRAME_GOAWAY:
        if (ch->said_goaway) /* endless GOAWAYs would keep the caller from checking its deadline */
            return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent GOAWAY twice");
        ch->said_goaway = ch->going = true;
        return GF_OK;
    case GF_FRAME_PING:
        if (ch->n_pongs == GF_MAX_PONGS)
            return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent more than %u PINGs at once", GF_MAX_PONGS);
        ch->pongs[ch->n_pongs++] = ch->header.id;
        return GF_OK;
    case GF_FRAME_ERROR:
        return look_at_error(ch, err);
    default:
        x->error.status = GF_OK;
        return x->check == NULL ? GF_OK : x->check(x, ch->body, ch->header.body_len, &ch->answer, err);
    }
}

/* Reads as much of header and body as is available. ANSWER: they are complete. */
static enum gf_incoming read_head(struct gf_channel *ch, struct gf_error *err)
{
    while (ch->header_at < GF_HEADER_SIZE || ch->body_at < ch->header.body_len) {
        bool header = ch->header_at < GF_HEADER_SIZE;
        struct iovec part = {ch->body + ch->body_at, header ? 0 : ch->header.body_len - ch->body_at};
        if (header)
            part = (struct iovec){ch->header_bytes + ch->header_at, GF_HEADER_SIZE - ch->header_at};
        ssize_t n = receive(ch, &part, 1);
        if (n == 0)
            return GF_INCOMING_WAIT;
        if (n < 0) {
            gf_error_set(err, GF_E_CONNECTION_LOST, "the daemon ended the connection without an answer");
            return GF_INCOMING_END;
        }
        if (!header) {
            ch->body_at += (size_t)n;
            continue;
        }
        ch->header_at += (size_t)n;
        if (ch->header_at < GF_HEADER_SIZE)
            continue;
        struct gf_error why;
        enum gf_status status = gf_header_decode(ch->header_bytes, &ch->header, &why);
        if ((status != GF_OK ? bad_reply(&why, err) : check_header(ch, err)) != GF_OK)
            return GF_INCOMING_END;
    }
    return GF_INCOMING_ANSWER;
}

/* Ends the exchange whose answer arrives; the connection ends, too, because the rest of the answer has no place. */
static void end_answering(struct gf_channel *ch, enum gf_status status, const char *text)
{
    struct gf_error why;
    struct gf_exchange *x = ch->answering;
    if (x == ch->sending)
        ch->sending = NULL;
    gf_error_set(&why, status, "%s", text);
    gf_channel_end(ch, x, &why);
}

/* Reads the answer's payload to its destination. ANSWER: it is complete. */
static enum gf_incoming read_payload(struct gf_channel *ch, struct gf_error *err)
{
    struct gf_stream *s = &ch->answer;
    while (s->piece < s->n) {
        struct iovec parts[PARTS];
        ssize_t n = receive(ch, parts, gf_stream_parts(s, parts, PARTS));
        if (n == 0)
            return GF_INCOMING_WAIT;
        if (n < 0) {
            const char *text = errno == EFAULT ? "the memory of a result cannot be written"
                                               : "the daemon ended the connection within its answer";
            if (errno == EFAULT)
                end_answering(ch, GF_E_BAD_ARGUMENT, text);
            gf_error_set(err, GF_E_CONNECTION_LOST, "%s", text);
            return GF_INCOMING_END;
        }
        gf_stream_advance(s, (uint64_t)n);
    }
    return GF_INCOMING_ANSWER;
}

enum gf_incoming gf_incoming_read(struct gf_channel *ch, struct gf_exchange **ret_x, struct gf_error *err)
{
    for (;;) {
        enum gf_incoming in = ch->looked ? GF_INCOMING_ANSWER : read_head(ch, err);
        if (in == GF_INCOMING_ANSWER && !ch->looked && look(ch, err) != GF_OK)
            return GF_INCOMING_END;
        if (in == GF_INCOMING_ANSWER)
            in = read_payload(ch, err);
        if (in != GF_INCOMING_ANSWER)
            return in;
        *ret_x = ch->answering;
        gf_incoming_next(ch);
        if (*ret_x != NULL)
            return GF_INCOMING_ANSWER;
    }
}

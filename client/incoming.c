/* SPDX-License-Identifier: MIT */
/* Reads the frames of a server as if it were hostile. Called by channel.c. */
#include "incoming.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/response.h"

#define PARTS 64 /* of one recvmsg */

/* The question that is out; x NULL: none. */
struct asked {
    struct gf_exchange *x;
    uint64_t id;
};

void gf_incoming_next(struct gf_channel *ch)
{
    ch->header_at = 0;
    ch->body_at = 0;
    ch->looked = false;
}

/* Bytes read, 0 when none are there now, -1 when the connection has ended. */
static ssize_t receive(struct gf_channel *ch, struct iovec *parts, int n)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
    ssize_t got = recvmsg(ch->fd, &message, MSG_DONTWAIT);
    if (got > 0)
        return got;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static enum gf_status bad_reply(const struct gf_error *why, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's answer cannot be understood: %s", why->text);
}

/* Whether a frame with this header may come now. */
static enum gf_status check_header(const struct gf_channel *ch, const struct asked *q, struct gf_error *err)
{
    const struct gf_header *h = &ch->header;
    const char *name = gf_frame_kind_name(h->kind);
    if (h->nfds != 0)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon announced %u descriptors with %s", h->nfds, name);
    bool mine = q->x != NULL && h->id == q->id;
    bool answer = mine && h->kind == q->x->answer_kind;
    bool unasked = h->kind == GF_FRAME_PING || (h->id == 0 && h->kind == GF_FRAME_GOAWAY);
    if (!answer && !unasked && !(h->kind == GF_FRAME_ERROR && (mine || h->id == 0)))
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent %s (%u) for request %" PRIu64 ", which was not asked",
                            name, h->kind, h->id);
    uint64_t payload = answer && q->x->answer != NULL ? q->x->answer->total : 0;
    if (h->payload_len != payload)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent %s with %" PRIu64 " bytes, %" PRIu64 " were asked",
                            name, h->payload_len, payload);
    return GF_OK;
}

/* The status an ERROR frame carries. */
static enum gf_status error_status(struct gf_channel *ch, struct gf_error *err)
{
    struct gf_error error, why;
    uint32_t retry_ms = 0;
    if (gf_error_decode(ch->body, ch->header.body_len, &error, &retry_ms, &why) != GF_OK)
        return bad_reply(&why, err);
    if (error.status == GF_OK || error.status >= GF_STATUS_LOCAL)
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent an error with status %u", error.status);
    ch->retry_ms = retry_ms;
    if (err != NULL)
        *err = error;
    return error.status;
}

/* Looks at a whole header and body. OK and *ret_done false: read on. */
static enum gf_status look(struct gf_channel *ch, const struct asked *q, bool *ret_done, struct gf_error *err)
{
    ch->looked = true;
    *ret_done = false;
    switch (ch->header.kind) {
    case GF_FRAME_GOAWAY:
        if (ch->going) /* a stream of them would keep the caller from looking at its deadline */
            return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent GOAWAY twice");
        ch->going = true;
        return GF_OK;
    case GF_FRAME_PING:
        if (ch->n_pongs == GF_MAX_PONGS)
            return gf_error_set(err, GF_E_BAD_REPLY, "the daemon sent more than %u PINGs at once", GF_MAX_PONGS);
        ch->pongs[ch->n_pongs++] = ch->header.id;
        return GF_OK;
    case GF_FRAME_ERROR:
        *ret_done = true;
        return error_status(ch, err);
    default:
        q->x->body_len = ch->header.body_len;
        return q->x->check == NULL ? GF_OK : q->x->check(q->x->context, ch->body, q->x->body_len, err);
    }
}

/* Reads header and body as far as they are here. 1: they are whole; 0: wait; -1: ended. */
static int read_head(struct gf_channel *ch, const struct asked *q, enum gf_status *ret_status, struct gf_error *err)
{
    while (ch->header_at < GF_HEADER_SIZE || ch->body_at < ch->header.body_len) {
        bool header = ch->header_at < GF_HEADER_SIZE;
        struct iovec part = {ch->body + ch->body_at, header ? 0 : ch->header.body_len - ch->body_at};
        if (header)
            part = (struct iovec){ch->header_bytes + ch->header_at, GF_HEADER_SIZE - ch->header_at};
        ssize_t n = receive(ch, &part, 1);
        if (n == 0)
            return 0;
        if (n < 0) {
            *ret_status = gf_error_set(err, GF_E_CONNECTION_LOST, "the daemon ended the connection without an answer");
            return -1;
        }
        if (!header) {
            ch->body_at += (size_t)n;
            continue;
        }
        ch->header_at += (size_t)n;
        if (ch->header_at < GF_HEADER_SIZE)
            continue;
        struct gf_error why;
        *ret_status = GF_OK;
        if (gf_header_decode(ch->header_bytes, &ch->header, &why) != GF_OK)
            *ret_status = bad_reply(&why, err);
        else
            *ret_status = check_header(ch, q, err);
        if (*ret_status != GF_OK)
            return -1;
    }
    return 1;
}

/* Reads the answer's payload to where it belongs. 1: it is whole; 0: wait; -1: ended. */
static int read_payload(struct gf_channel *ch, struct gf_stream *s, enum gf_status *ret_status, struct gf_error *err)
{
    while (s != NULL && s->piece < s->n) {
        struct iovec parts[PARTS];
        ssize_t n = receive(ch, parts, gf_stream_parts(s, parts, PARTS));
        if (n == 0)
            return 0;
        if (n < 0) {
            *ret_status = gf_error_set(err, GF_E_CONNECTION_LOST, "the daemon ended the connection within its answer");
            return -1;
        }
        gf_stream_advance(s, (uint64_t)n);
    }
    return 1;
}

enum gf_incoming gf_incoming_read(struct gf_channel *ch, struct gf_exchange *x, uint64_t id, enum gf_status *ret_status,
                                  struct gf_error *err)
{
    const struct asked q = {.x = x, .id = id};
    for (;;) {
        bool done = false;
        int head = ch->looked ? 1 : read_head(ch, &q, ret_status, err);
        if (head == 0)
            return GF_INCOMING_WAIT;
        if (head < 0)
            return GF_INCOMING_END;
        if (!ch->looked &&
            ((*ret_status = look(ch, &q, &done, err)) >= GF_STATUS_FATAL || (done && ch->header.id == 0)))
            return GF_INCOMING_END;
        if (!done && x != NULL && ch->header.id == id && ch->header.kind == x->answer_kind) {
            int payload = read_payload(ch, x->answer, ret_status, err);
            if (payload <= 0)
                return payload == 0 ? GF_INCOMING_WAIT : GF_INCOMING_END;
            done = true;
        }
        gf_incoming_next(ch);
        if (done)
            return GF_INCOMING_ANSWER;
    }
}

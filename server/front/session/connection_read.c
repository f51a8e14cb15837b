/* SPDX-License-Identifier: MIT */
/*
 * Parses bytes into frames. A descriptor arrives with the first byte of its frame, but one recvmsg may return bytes of
 * several frames; descriptors therefore wait in a queue, and each frame takes as many as its header announces.
 */
#include "connection_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/base/clock.h"
#include "server/front/base/proxy_header.h"
#include "server/front/base/recv_fds.h"

#define FIRST_CAPACITY (16u * 1024)
#define PAYLOAD_PER_CALL (256u * 1024) /* a call lasts while the client sends; some 50 us for this much */
#define DISCARD_SIZE (64u * 1024)
#define FDS_AT_ONCE 4u /* most descriptors of one message; a frame has at most one */

/* A buffer of FIRST_CAPACITY bytes that no connection uses; the next connection that receives takes it. */
static uint8_t *g_spare;

static void broken(struct gf_connection *c, enum gf_status status, const char *text)
{
    struct gf_error error = {0};
    gf_error_set(&error, status, "%s", text);
    c->ops->broken(c->data, &error);
}

static void fds_deinit(struct gf_connection *c)
{
    for (uint32_t i = 0; i < c->n_fds; i++)
        if (c->fds[i].fd >= 0)
            gf_fd_closer_memory(c->closer, c->account, c->fds[i].fd);
    c->n_fds = 0;
}

void gf_connection_read_deinit(struct gf_connection *c)
{
    fds_deinit(c);
    free(c->in);
    c->in = NULL;
}

/* Keeps a descriptor of memory. Of any other descriptor it keeps only the F_GETFL flags, a query that calls no file
 * system. */
static void take_fd(struct gf_connection *c, int fd)
{
    bool memory = gf_is_memory(fd), keep = !gf_fd_closer_is_short_of_fds(c->closer, fd) && c->n_fds < GF_CONNECTION_FDS;
    if (keep)
        c->fds[c->n_fds++] = (struct gf_received_fd){.fd = memory ? fd : -1, .flags = memory ? -1 : fcntl(fd, F_GETFL)};
    if (!memory)
        gf_fd_closer_foreign(c->closer, c->account, fd);
    else if (!keep)
        gf_fd_closer_memory(c->closer, c->account, fd);
}

/* False if the connection broke. */
static bool take_fds(struct gf_connection *c, const struct gf_received *got)
{
    uint32_t had = c->n_fds;
    for (uint32_t i = 0; i < got->n_fds; i++)
        take_fd(c, got->fds[i]);
    c->fds_lost |= got->fds_cut || c->n_fds - had < got->n_fds;
    if (got->n_fds <= FDS_AT_ONCE && had + got->n_fds <= GF_CONNECTION_FDS)
        return true;
    broken(c, GF_E_BAD_FRAME, "more descriptors than a frame may carry");
    return false;
}

/* Gives the frame the oldest descriptor in the queue. */
static void attach_fd(struct gf_connection *c, struct gf_frame *frame)
{
    frame->fd = frame->fd_flags = -1;
    if (frame->header.nfds == 0)
        return;
    if (c->n_fds > 0) {
        frame->fd = c->fds[0].fd;
        frame->fd_flags = c->fds[0].flags;
        memmove(c->fds, c->fds + 1, --c->n_fds * sizeof(c->fds[0]));
        return;
    }
    frame->fd_lost = c->fds_lost;
    c->fds_lost = false;
}

/* Puts an unused descriptor back at the front of the queue. */
static void detach_fd(struct gf_connection *c, struct gf_frame *frame)
{
    if (frame->fd < 0 && frame->fd_flags < 0)
        return;
    memmove(c->fds + 1, c->fds, c->n_fds++ * sizeof(c->fds[0]));
    c->fds[0] = (struct gf_received_fd){.fd = frame->fd, .flags = frame->fd_flags};
}

static size_t buffered(const struct gf_connection *c)
{
    return c->in_end - c->in_at;
}

/* Frees the receive buffer when all bytes are consumed, so that an idle connection has none. */
static void drop_buffer(struct gf_connection *c)
{
    if (buffered(c) > 0)
        return;
    if (!g_spare && c->in_capacity == FIRST_CAPACITY)
        g_spare = gf_steal_ptr(&c->in);
    free(c->in);
    c->in = NULL;
    c->in_capacity = c->in_at = c->in_end = 0;
}

/* Makes room for `want` unread bytes in one piece. */
static bool reserve(struct gf_connection *c, size_t want)
{
    if (c->in_at > 0) {
        memmove(c->in, c->in + c->in_at, buffered(c));
        c->in_end -= c->in_at;
        c->in_at = 0;
    }
    if (want <= c->in_capacity)
        return true;
    size_t capacity = want < FIRST_CAPACITY ? FIRST_CAPACITY : want;
    if (!c->in && g_spare) {
        c->in = gf_steal_ptr(&g_spare);
        c->in_capacity = FIRST_CAPACITY;
    }
    uint8_t *in = capacity > c->in_capacity ? realloc(c->in, capacity) : c->in;
    if (!in)
        return false;
    c->in = in;
    c->in_capacity = capacity;
    return true;
}

/* Whether everything received on this connection so far is the beginning of a PROXY protocol header. */
static bool is_proxy_header(const struct gf_connection *c)
{
    size_t n = buffered(c); /* without bytes there is no buffer either */
    return n >= GF_PROXY_SIGNATURE_SIZE && c->received == n && gf_proxy_header_begins(c->in + c->in_at, n);
}

/* Returns 1 to continue, 0 if more bytes are needed or reading has stopped. */
static int parse_head(struct gf_connection *c)
{
    if (c->paused)
        return 0;
    if (buffered(c) == 0 && c->n_fds > 0)
        broken(c, GF_E_BAD_FRAME, "a descriptor came with a frame whose header announces none");
    if (c->finishing)
        return 0;
    if (buffered(c) < GF_HEADER_SIZE) {
        if (is_proxy_header(c)) {
            c->proxy_header = true;
            broken(c, GF_E_BAD_FRAME, "an unexpected PROXY protocol header");
        }
        return 0;
    }
    struct gf_error error = {0};
    if (gf_header_decode(c->in + c->in_at, &c->header, &error) != GF_OK) {
        c->proxy_header = is_proxy_header(c);
        c->ops->broken(c->data, &error);
        return 0;
    }
    c->frame_at = c->received - buffered(c);
    c->in_at += GF_HEADER_SIZE;
    c->body_ns = 0;
    c->state = GF_READ_BODY;
    return 1;
}

static int parse_body(struct gf_connection *c)
{
    if (c->waiting || c->finishing || buffered(c) < c->header.body_len)
        return 0;
    if (c->body_ns == 0)
        c->body_ns = gf_now_ns();
    struct gf_frame frame = {
        .header = c->header, .body = c->in + c->in_at, .received_ns = c->body_ns, .position = c->frame_at};
    attach_fd(c, &frame);
    c->payload = NULL;
    c->payload_left = c->header.payload_len;
    if (c->ops->frame(c->data, &frame, &c->payload) == GF_TAKE_LATER) {
        detach_fd(c, &frame);
        c->waiting = true;
        return 0;
    }
    if (frame.fd >= 0)
        gf_fd_closer_memory(c->closer, c->account, frame.fd);
    c->in_at += c->header.body_len;
    c->frame_ns = 0;
    c->payload_since_ns = c->payload_ns = gf_now_ns();
    c->state = c->payload_left > 0 ? GF_READ_PAYLOAD : GF_READ_HEAD;
    return !c->closing;
}

static int parse_payload(struct gf_connection *c)
{
    size_t n = buffered(c) < c->payload_left ? buffered(c) : (size_t)c->payload_left;
    if (c->payload && n > 0) {
        memcpy(c->payload, c->in + c->in_at, n);
        c->payload += n;
    }
    c->in_at += n;
    c->payload_left -= n;
    if (c->payload_left > 0)
        return 0;
    c->state = GF_READ_HEAD;
    if (c->payload)
        c->ops->payload(c->data);
    return !c->closing;
}

/* Whether another frame is (partly) received, but the turn is over. */
static bool is_over(const struct gf_connection *c)
{
    return c->state == GF_READ_HEAD && buffered(c) >= GF_HEADER_SIZE && !c->paused && !c->finishing &&
           gf_loop_queue_spent(c->entry.queue);
}

bool gf_connection_parse(struct gf_connection *c)
{
    int go_on = 1;
    while (go_on && !c->closing) {
        go_on = c->state == GF_READ_HEAD ? parse_head(c) : c->state == GF_READ_BODY ? parse_body(c) : parse_payload(c);
        if (go_on && !c->closing && is_over(c)) {
            gf_loop_queue_add(&c->entry);
            return false;
        }
    }
    drop_buffer(c);
    if (c->closing || c->finishing)
        return true;
    if (c->frame_ns == 0 && (c->state == GF_READ_BODY || (c->state == GF_READ_HEAD && buffered(c) > 0)))
        c->frame_ns = gf_now_ns();
    if (c->eof && !go_on && !c->waiting && !c->paused)
        c->ops->ended(c->data);
    return true;
}

/* Receives once, directly to where the bytes belong. Returns the result of recvmsg and the size asked for. */
static ssize_t receive(struct gf_connection *c, size_t *ret_asked, struct gf_received *got)
{
    bool direct = c->state == GF_READ_PAYLOAD && buffered(c) == 0;
    uint8_t discard[DISCARD_SIZE];
    uint8_t *to = discard;
    size_t asked = sizeof(discard);
    if (direct && c->payload) {
        to = c->payload;
        asked = PAYLOAD_PER_CALL;
    }
    if (direct)
        asked = c->payload_left < asked ? (size_t)c->payload_left : asked;
    else {
        size_t want = c->state == GF_READ_BODY ? c->header.body_len : GF_HEADER_SIZE;
        if (!reserve(c, want < FIRST_CAPACITY ? FIRST_CAPACITY : want)) {
            errno = ENOMEM;
            return -1;
        }
        to = c->in + c->in_end;
        asked = c->in_capacity - c->in_end;
    }
    *ret_asked = asked;
    ssize_t n = gf_recv_fds(c->fd, to, asked, 0, got);
    if (n <= 0)
        return n;
    c->received += (uint64_t)n;
    if (!direct)
        c->in_end += (size_t)n;
    else {
        c->payload_ns = gf_now_ns();
        c->payload_left -= (uint64_t)n;
        if (c->payload)
            c->payload += n;
    }
    return n;
}

void gf_connection_read(struct gf_connection *c)
{
    if (buffered(c) > 0 && !gf_connection_parse(c))
        return;
    do {
        if (c->closing || c->finishing || c->eof || c->waiting || (c->paused && c->state == GF_READ_HEAD))
            return;
        c->full = gf_fd_closer_full(c->closer, c->account);
        if (c->full)
            return; /* gf_connection_freed continues */
        size_t asked = 0;
        struct gf_received got;
        ssize_t n = receive(c, &asked, &got);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            drop_buffer(c);
            return;
        }
        if (n < 0) {
            gf_connection_close(c);
            return;
        }
        bool alive = take_fds(c, &got);
        c->eof = n == 0;
        if (alive && !gf_connection_parse(c))
            return;
        if ((size_t)n < asked)
            return; /* most likely nothing is left; otherwise poll says so */
    } while (!gf_loop_queue_spent(c->entry.queue));
}

bool gf_connection_in_frame(const struct gf_connection *c)
{
    return c->state != GF_READ_HEAD || buffered(c) > 0;
}

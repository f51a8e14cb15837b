/* SPDX-License-Identifier: MIT */
/*
 * One client's socket: bytes and descriptors in, frames out of them, answers back. Header and body are read into
 * private memory, payload directly into memory that the session chooses. Knows frames, not their meaning. An error
 * affects this connection alone. Events of the loop's poll are only queued; all work is done in slices of the client's
 * user (loop_queue.h). Owned by a session, which frees it when `closed` is called.
 */
#ifndef GF_FRONT_CONNECTION_H
#define GF_FRONT_CONNECTION_H

#include <uv.h>

#include "protocol/wire/frame.h"
#include "server/front/resource/fd_closer.h"
#include "server/front/schedule/loop_queue.h"

#define GF_CONNECTION_FDS 8u

struct gf_frame {
    struct gf_header header;
    const uint8_t *body;
    uint64_t received_ns; /* when the body was complete */
    uint64_t position;    /* of its first byte on this connection */
    int fd;               /* of memory; the receiver takes it by gf_steal_fd; -1: none arrived */
    int fd_flags;         /* of one that was not memory and is closed by now, as F_GETFL tells them; -1: none was */
    bool fd_lost;         /* one was sent, but this process was out of descriptors */
};

/* A descriptor that arrived: of memory, or -1 and what F_GETFL told of another. */
struct gf_arrived {
    int fd, flags;
};

enum gf_taken {
    GF_TAKEN,
    GF_TAKE_LATER, /* the same frame again after gf_connection_retry */
};

struct gf_connection_ops {
    /* A frame is there up to its body. Its payload goes to *ret_payload, or is thrown away where that stays NULL. */
    enum gf_taken (*frame)(void *data, struct gf_frame *frame, uint8_t **ret_payload);
    /* All of the payload is where it should be. */
    void (*payload)(void *data);
    /* The bytes are no frames, or come too slowly: one last answer, then gf_connection_finish. */
    void (*broken)(void *data, const struct gf_error *error);
    /* An answer was written, or never will be. */
    void (*sent)(void *data, void *owner);
    /* The client sends no more; it may still read. */
    void (*ended)(void *data);
    /* The connection is going; nothing more is read or written. */
    void (*closing)(void *data);
    /* The memory is free to go. */
    void (*closed)(void *data);
};

/* Bytes a second a payload arrives with at least, and answers are read with, on average: memory is kept for them
 * meanwhile. */
#define GF_PAYLOAD_RATE (256u * 1024u)

/* Times in nanoseconds; looked at by gf_connection_check. */
struct gf_connection_limits {
    uint64_t frame_ns; /* header and body from the first byte, between bytes of the payload, and head start of the
                          payload over GF_PAYLOAD_RATE */
    uint64_t reply_ns; /* head start of the client's reading over GF_PAYLOAD_RATE, and the most it is ever ahead */
};

struct gf_connection {
    uv_poll_t poll;
    const struct gf_connection_ops *ops;
    void *data;
    const struct gf_connection_limits *limits;
    struct gf_loop_queue_entry entry;
    int fd, events;
    int ready;   /* events of the poll that were not looked at yet */
    uint8_t *in; /* bytes received and not yet used: in_at..in_end */
    size_t in_capacity, in_at, in_end;
    enum { GF_READ_HEAD, GF_READ_BODY, GF_READ_PAYLOAD } state;
    struct gf_header header;
    uint8_t *payload;
    uint64_t payload_left, received, frame_at;
    uint64_t frame_ns, body_ns, payload_since_ns, payload_ns;
    uint64_t read_by_ns;         /* while answers wait: when the client has to have read more of them */
    struct gf_fd_closer *closer; /* set by the owner, or NULL */
    struct gf_account *account;
    struct gf_arrived fds[GF_CONNECTION_FDS];
    uint32_t n_fds, n_out;
    bool fds_lost, waiting, paused, eof, finishing, closing;
    bool proxy_header; /* it began with one of the PROXY protocol instead of a frame */
    bool full;         /* its user has too much that is not closed yet */
    struct gf_node out;
};

/* Takes the descriptor on success. It takes the turns of this user, a reference that the
 * caller keeps until `closed`. The session calls gf_connection_resume to begin. */
enum gf_status gf_connection_init(struct gf_connection *c, uv_loop_t *loop, int fd, const struct gf_connection_ops *ops,
                                  void *data, const struct gf_connection_limits *limits, struct gf_loop_queue *ready,
                                  struct gf_loop_queue_user *user, struct gf_error *err);

/* Reads no more frames until resumed; the one being read is read to its end. */
void gf_connection_pause(struct gf_connection *c);
/* Reads again where the user of a connection has less that is not closed yet. */
void gf_connection_freed(struct gf_connection *c);
/* Goes on with what was received and with reading, when it is the user's turn. */
void gf_connection_resume(struct gf_connection *c);
/* The same for a frame that was to be taken later. */
void gf_connection_retry(struct gf_connection *c);

/* Queues header and body (copied) and a payload (not copied: it stays until `sent` is called with `owner`) and writes
 * what the socket takes. NO_MEMORY closes the connection; `sent` is called in any case. */
void gf_connection_send(struct gf_connection *c, const uint8_t *head, size_t head_size, const uint8_t *payload,
                        uint64_t payload_size, void *owner);

/* Closes when everything queued is written; reads no more. */
void gf_connection_finish(struct gf_connection *c);
/* Closes now. */
void gf_connection_close(struct gf_connection *c);

/* Once in a second: too slow a peer, and a peer that went away while nothing was read from it. */
void gf_connection_check(struct gf_connection *c, uint64_t now_ns);
/* So many nanoseconds do not count: the daemon stood still. */
void gf_connection_forgive(struct gf_connection *c, uint64_t ns, uint64_t now_ns);

/* Bytes that the client has sent so far, those included that wait in the socket. */
uint64_t gf_connection_sent_so_far(const struct gf_connection *c);

/* Whether a frame is half received. */
bool gf_connection_in_frame(const struct gf_connection *c);

#endif

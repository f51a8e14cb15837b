/* SPDX-License-Identifier: MIT */
/*
 * One client's socket: parses received bytes and descriptors into frames and sends answers. Header and body are read
 * into private memory, the payload directly into memory that the session chooses. It knows frames, but not their
 * meaning. An error affects this connection alone. Poll events only queue the connection; all work is done in time
 * slices of the client's user (loop_queue.h). Owned by a session, which frees it when `closed` is called.
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
    uint64_t position;    /* of the frame's first byte in this connection's stream */
    int fd;               /* a descriptor of memory, which the receiver takes by gf_steal_fd; -1: none arrived */
    int fd_flags;         /* F_GETFL flags of a descriptor that was not memory and is closed by now; -1: none arrived */
    bool fd_lost;         /* a descriptor was sent, but this process had no free number for it */
};

/* A descriptor that arrived: memory, or -1 and the F_GETFL flags of one that was not memory. */
struct gf_received_fd {
    int fd, flags;
};

enum gf_frame_outcome {
    GF_TAKEN,
    GF_TAKE_LATER, /* hand over the same frame again after gf_connection_retry */
};

struct gf_connection_ops {
    /* A frame has arrived up to its body. Its payload goes to *ret_payload, or is discarded if that stays NULL. */
    enum gf_frame_outcome (*frame)(void *data, struct gf_frame *frame, uint8_t **ret_payload);
    /* The whole payload has been received. */
    void (*payload)(void *data);
    /* The bytes are not valid frames or arrive too slowly: send one last answer, then call gf_connection_finish. */
    void (*broken)(void *data, const struct gf_error *error);
    /* An answer was written, or never will be. */
    void (*sent)(void *data, void *owner);
    /* The client sends no more; it may still read. */
    void (*ended)(void *data);
    /* The connection is closing; nothing more is read or written. */
    void (*closing)(void *data);
    /* The connection's memory may be freed. */
    void (*closed)(void *data);
};

/* The minimum rate in bytes per second of an arriving payload, and on average of a client that reads answers, because
 * both hold the server's memory. */
#define GF_PAYLOAD_RATE (256u * 1024u)

/* Times in nanoseconds, enforced by gf_connection_check. */
struct gf_connection_limits {
    uint64_t frame_ns; /* for header and body from the first byte, between bytes of the payload, and the payload's head
                        * start over GF_PAYLOAD_RATE */
    uint64_t reply_ns; /* the client's head start over GF_PAYLOAD_RATE when it reads, and the most it can be ahead */
};

struct gf_connection {
    uv_poll_t poll;
    const struct gf_connection_ops *ops;
    void *data;
    const struct gf_connection_limits *limits;
    struct gf_loop_queue_entry entry;
    int fd, events;
    int ready;   /* poll events that are not handled yet */
    uint8_t *in; /* received bytes that are not consumed yet: in_at..in_end */
    size_t in_capacity, in_at, in_end;
    enum { GF_READ_HEAD, GF_READ_BODY, GF_READ_PAYLOAD } state;
    struct gf_header header;
    uint8_t *payload;
    uint64_t payload_left, received, frame_at;
    uint64_t frame_ns, body_ns, payload_since_ns, payload_ns;
    uint64_t read_by_ns;         /* while answers wait: when the client must have read more of them */
    struct gf_fd_closer *closer; /* set by the owner; may be NULL */
    struct gf_account *account;
    struct gf_received_fd fds[GF_CONNECTION_FDS];
    uint32_t n_fds, n_out;
    bool fds_lost, waiting, paused, eof, finishing, closing;
    bool proxy_header; /* the connection began with a PROXY protocol header instead of a frame */
    bool full;         /* its user has too many descriptors that are not closed yet */
    struct gf_node out;
};

/* Takes the descriptor on success. Uses the turns of `user`; the caller keeps that reference until `closed`. Reading
 * begins with gf_connection_resume. */
enum gf_status gf_connection_init(struct gf_connection *c, uv_loop_t *loop, int fd, const struct gf_connection_ops *ops,
                                  void *data, const struct gf_connection_limits *limits, struct gf_loop_queue *ready,
                                  struct gf_loop_queue_user *user, struct gf_error *err);

/* Stops reading frames until resumed; a frame that has begun is read to its end. */
void gf_connection_pause(struct gf_connection *c);
/* Reads again, because the user has fewer descriptors to close. */
void gf_connection_freed(struct gf_connection *c);
/* Continues with the bytes already received and with reading, in the user's next turn. */
void gf_connection_resume(struct gf_connection *c);
/* Like gf_connection_resume, for a frame that was to be taken later. */
void gf_connection_retry(struct gf_connection *c);

/* Queues header and body (copied) and a payload (not copied: it must stay until `sent` is called with `owner`), then
 * writes what the socket accepts. Closes the connection without memory; `sent` is called in any case. */
void gf_connection_send(struct gf_connection *c, const uint8_t *head, size_t head_size, const uint8_t *payload,
                        uint64_t payload_size, void *owner);

/* Stops reading and closes when everything queued is written. */
void gf_connection_finish(struct gf_connection *c);
/* Closes now. */
void gf_connection_close(struct gf_connection *c);

/* Called once a second: closes the connection of a client that is too slow, or that is gone while nothing is read from
 * it. */
void gf_connection_check(struct gf_connection *c, uint64_t now_ns);
/* Excludes `ns` from all time limits, because the daemon did not run. */
void gf_connection_extend(struct gf_connection *c, uint64_t ns, uint64_t now_ns);

/* Bytes that the client has sent so far, including bytes still in the socket's receive buffer. */
uint64_t gf_connection_sent_so_far(const struct gf_connection *c);

/* Whether a frame is partly received. */
bool gf_connection_in_frame(const struct gf_connection *c);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One connected socket, the exchanges queued for it, and the exchanges that wait for their answers. It never blocks:
 * gf_channel_work() sends and receives as much as the socket allows, so that neither side can stall the other. Checks
 * that incoming frames answer an exchange; knows nothing of programs. channel.c has the exchanges, outgoing.c sends,
 * incoming.c receives. Owned by the client object.
 */
#ifndef GF_CLIENT_CHANNEL_H
#define GF_CLIENT_CHANNEL_H

#include "protocol/base/clock.h"
#include "protocol/wire/frame.h"
#include "stream.h"

#define GF_MAX_PONGS 4u /* unanswered PINGs of the server */
#define GF_RESENDS 4u   /* of a request that may safely be repeated */

enum gf_exchange_state {
    GF_EXCHANGE_QUEUED,   /* nothing of it is sent */
    GF_EXCHANGE_SENT,     /* its first byte is sent */
    GF_EXCHANGE_ANSWERED, /* its answer arrived before its last byte was sent */
    GF_EXCHANGE_OVER      /* the outcome is in `error` */
};

enum gf_prepared {
    GF_PREPARED,
    GF_PREPARED_LATER, /* another exchange, now queued ahead of it, must be answered first */
    GF_PREPARED_NEVER  /* err says why */
};

struct gf_channel;

/* A request and what is expected of its answer. */
struct gf_exchange {
    uint16_t kind, answer_kind; /* e.g. RUN and RESULT */
    int fd;                     /* descriptor to send, -1: none */
    uint32_t again;             /* how often it may be sent again if the connection ends before an answer, or the server
                                 * answers SHUTDOWN without having done anything */
    int64_t deadline;           /* of gf_now(), INT64_MAX: none */
    int64_t grace;              /* how long the server may be silent beyond the deadline once it is sent */
    uint64_t answer_len;        /* bytes of the answer's payload */
    void *context;
    /* Writes attributes and payload for the current connection; NULL: an empty body. */
    enum gf_prepared (*prepare)(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                struct gf_error *err);
    /* Checks the answer's body and says where its payload of answer_len bytes goes; NULL: nothing to check. */
    enum gf_status (*check)(struct gf_exchange *x, const uint8_t *body, size_t size, struct gf_stream *payload,
                            struct gf_error *err);
    /* Called when it is over and no longer used by the channel; may be NULL. */
    void (*done)(struct gf_exchange *x);
    /* The outcome. */
    enum gf_exchange_state state;
    struct gf_error error; /* status OK: answered */
    uint32_t retry_ms;     /* of an ERROR */
    int64_t sent;          /* when its last byte was sent, of gf_now(); 0: not sent */
    /* Private to the channel. */
    uint64_t id;
    bool cancel, cancelled; /* CANCEL must be sent, was sent */
    struct gf_exchange *next;
};

struct gf_exchanges {
    struct gf_exchange *first, *last;
};

struct gf_channel {
    int fd;                /* -1: not connected */
    uint64_t next_id;      /* of exchanges, never reused */
    int watch;             /* epoll instance that has the socket; -1: none */
    bool watched_out;      /* the epoll instance also waits for writability */
    bool open;             /* greeted; before that only HELLO is sent */
    bool useful;           /* the connection has answered something besides HELLO */
    bool said_goaway;      /* GOAWAY arrived */
    bool going;            /* GOAWAY or SHUTDOWN arrived: the server answers pending requests and accepts no new ones */
    uint32_t window;       /* most RUNs sent and not answered */
    uint32_t n_running;    /* RUNs sent and not answered */
    uint32_t n_over;       /* exchanges of the caller that have ended so far */
    uint32_t retry_ms;     /* of the latest ERROR */
    int64_t moved;         /* when a byte was last sent or received */
    int64_t next_deadline; /* nothing is due before this time */
    struct gf_exchanges queue, sent;
    struct gf_error ended; /* why the latest connection, or attempt to make one, ended; OK: none has */
    /* Outgoing. */
    struct gf_exchange *sending; /* in `sent`; its frame is partly sent; may be NULL */
    struct gf_writer head;
    struct gf_stream payload;
    size_t head_at;     /* bytes of the head that are sent */
    bool full;          /* the socket's send buffer is full */
    bool deaf;          /* the server no longer reads; it may still have answered */
    uint32_t n_cancels; /* CANCELs to send */
    uint32_t n_pongs;   /* PONGs to send */
    uint64_t pongs[GF_MAX_PONGS];
    /* Incoming. */
    size_t header_at, body_at;     /* received bytes of the incoming frame */
    bool looked;                   /* its header and body were checked; its payload follows */
    struct gf_exchange *answering; /* the exchange that it answers; may be NULL */
    struct gf_stream answer;
    struct gf_header header;
    uint8_t header_bytes[GF_HEADER_SIZE];
    /* Never cleared, so that pages which no frame needs take no memory. */
    uint8_t body[GF_MAX_BODY];
    uint8_t head_bytes[GF_MAX_FRAME_HEAD];
};

/* Initialises without connection and exchanges. */
void gf_channel_init(struct gf_channel *ch);
/* Takes a connected socket. Only HELLO is sent until gf_channel_open. */
void gf_channel_attach(struct gf_channel *ch, int fd);
/* The server has greeted; `window` is the number of RUNs that may be in flight. */
void gf_channel_open(struct gf_channel *ch, uint32_t window);

/* Append an exchange to the queue, or put it before all that have not begun; it must stay in place until it is over. */
void gf_channel_add(struct gf_channel *ch, struct gf_exchange *x);
void gf_channel_add_first(struct gf_channel *ch, struct gf_exchange *x);
/* The exchange with this id that is not over, or NULL. */
struct gf_exchange *gf_channel_find(const struct gf_channel *ch, uint64_t id);
/* Ends an unsent exchange as CANCELLED; otherwise asks the server to cancel it, and its answer is still to come. */
void gf_channel_cancel(struct gf_channel *ch, struct gf_exchange *x);

/* Ends an unsent exchange, and a RUN that is sent by cancelling it; gives the connection up if the server is silent for
 * `grace`, in nanoseconds, from now on. */
void gf_channel_give_up(struct gf_channel *ch, struct gf_exchange *x, int64_t grace);

/* Reads up to the answer to an exchange of the caller and sends what it can. False if the connection ended: the sent
 * exchanges are then over, or back in the queue if they may be sent again and the status is CONNECTION_LOST or
 * SHUTDOWN. RUNs are sent in the order of their ids, on every connection. */
bool gf_channel_work(struct gf_channel *ch);
/* Closes the connection and ends or requeues the sent exchanges in the same way. */
void gf_channel_lose(struct gf_channel *ch, const struct gf_error *why);
/* Ends every exchange in the queue. */
void gf_channel_fail(struct gf_channel *ch, const struct gf_error *why, uint32_t retry_ms);
/* Ends the queued exchanges whose deadline has passed; returns when the next one is due. */
int64_t gf_channel_expire(struct gf_channel *ch);

/* Whether to wait for the socket to become writable. */
bool gf_channel_wants_out(const struct gf_channel *ch);
/* Adds the current socket to an epoll instance; it is removed when the socket is closed. */
void gf_channel_watch(struct gf_channel *ch, int epoll);

/* gf_now_ns() as a signed number, because the remaining time of a deadline may be negative. */
int64_t gf_now(void);
/* gf_now() plus ms milliseconds. */
int64_t gf_after_ms(uint64_t ms);

#endif

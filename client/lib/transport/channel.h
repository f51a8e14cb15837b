/* SPDX-License-Identifier: MIT */
/*
 * One connected socket, the exchanges queued for it, and those that wait for their answers. Never blocks:
 * gf_channel_work() sends and receives as much as the socket allows, so that neither side can hold up the other. Checks
 * that incoming frames answer an exchange; knows nothing of programs. channel.c has the exchanges, outgoing.c sends,
 * incoming.c receives. Owned by the client object.
 */
#ifndef GF_CLIENT_CHANNEL_H
#define GF_CLIENT_CHANNEL_H

#include "protocol/base/clock.h"
#include "protocol/wire/frame.h"
#include "stream.h"

#define GF_MAX_PONGS 4u /* unanswered PINGs of the server */
#define GF_RESENDS 4u   /* of a question whose answer depends on nothing but the question */

enum gf_exchange_state {
    GF_EXCHANGE_QUEUED,   /* nothing of it is sent */
    GF_EXCHANGE_SENT,     /* its first byte is */
    GF_EXCHANGE_ANSWERED, /* its answer came before its last byte went */
    GF_EXCHANGE_OVER      /* the answer is in `error` */
};

enum gf_prepared {
    GF_PREPARED,
    GF_PREPARED_LATER, /* something that was put before it has to be answered first */
    GF_PREPARED_NEVER  /* err says why */
};

struct gf_channel;

/* A question, and what is expected of its answer. */
struct gf_exchange {
    uint16_t kind, answer_kind; /* e.g. RUN and RESULT */
    int fd;                     /* to send, -1: none */
    uint32_t again;             /* how often it may be sent again where the connection ends before an answer, or the
                                 * server goes and has done nothing: SHUTDOWN */
    int64_t deadline;           /* of gf_now(), INT64_MAX: none */
    int64_t grace;              /* what the server may keep silent beyond it, once sent */
    uint64_t answer_len;        /* bytes of the answer's payload */
    void *context;
    /* Writes attributes and payload for the connection there is; NULL: an empty body. */
    enum gf_prepared (*prepare)(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                struct gf_error *err);
    /* Checks the answer's body and says where its payload goes, of answer_len bytes; NULL: nothing to check. */
    enum gf_status (*check)(struct gf_exchange *x, const uint8_t *body, size_t size, struct gf_stream *payload,
                            struct gf_error *err);
    /* Called when it is over, and not used by the channel any more; NULL: nothing to do. */
    void (*done)(struct gf_exchange *x);
    /* How it ended. */
    enum gf_exchange_state state;
    struct gf_error error; /* status OK: by its answer */
    uint32_t retry_ms;     /* of an ERROR */
    int64_t sent;          /* when its last byte went, of gf_now(); 0: it did not */
    /* The channel's own. */
    uint64_t id;
    bool cancel, cancelled; /* CANCEL is to be sent, was sent */
    struct gf_exchange *next;
};

struct gf_exchanges {
    struct gf_exchange *first, *last;
};

struct gf_channel {
    int fd;                /* -1: not connected */
    uint64_t next_id;      /* of questions, never used twice */
    int watch;             /* epoll instance that has the socket; -1: none */
    bool watched_out;      /* also until it can be written to */
    bool open;             /* greeted; before that only HELLO is sent */
    bool useful;           /* something but HELLO was answered on this connection */
    bool said_goaway;      /* GOAWAY came */
    bool going;            /* so, or it said SHUTDOWN: answers what it has, takes nothing new */
    uint32_t window;       /* RUNs sent and not answered, at most */
    uint32_t n_running;    /* how many there are */
    uint32_t n_over;       /* questions of the caller that ended so far */
    uint32_t retry_ms;     /* of the last ERROR */
    int64_t moved;         /* when a byte went or came last */
    int64_t next_deadline; /* nothing is due before */
    struct gf_exchanges queue, sent;
    /* Outgoing. */
    struct gf_exchange *sending; /* its frame is not out whole; in `sent`; NULL: none */
    struct gf_writer head;
    struct gf_stream payload;
    size_t head_at;     /* bytes of the head that are out */
    bool full;          /* the socket took not all there was */
    bool deaf;          /* the server reads no more; it may have answered all the same */
    uint32_t n_cancels; /* CANCELs owed */
    uint32_t n_pongs;   /* PONGs owed */
    uint64_t pongs[GF_MAX_PONGS];
    /* Incoming. */
    size_t header_at, body_at;     /* bytes of the incoming frame that are here */
    bool looked;                   /* its header and body were looked at, its payload follows */
    struct gf_exchange *answering; /* whose answer it is; NULL: nobody's */
    struct gf_stream answer;
    struct gf_header header;
    uint8_t header_bytes[GF_HEADER_SIZE];
    uint8_t body[GF_MAX_BODY];
    uint8_t head_bytes[GF_MAX_FRAME_HEAD];
};

/* Not connected, nothing asked. */
void gf_channel_init(struct gf_channel *ch);
/* Takes a connected socket. Only HELLO is sent until gf_channel_open. */
void gf_channel_attach(struct gf_channel *ch, int fd);
/* Says that the server has greeted, and how many RUNs may be on their way at once. */
void gf_channel_open(struct gf_channel *ch, uint32_t window);

/* Puts a question at the end of the queue, or before all that was not begun; it stays in place until it is over. */
void gf_channel_add(struct gf_channel *ch, struct gf_exchange *x);
void gf_channel_add_first(struct gf_channel *ch, struct gf_exchange *x);
/* The question of this id that is not over; NULL. */
struct gf_exchange *gf_channel_find(const struct gf_channel *ch, uint64_t id);
/* Ends a question that was not sent, CANCELLED; else has the server cancel it, its answer is still to come. */
void gf_channel_cancel(struct gf_channel *ch, struct gf_exchange *x);

/* Reads up to the answer to a question of the caller and sends what it can. False when the connection ended: the
 * questions that were sent are over then, or back in the queue where they may be sent again and the status is
 * CONNECTION_LOST or SHUTDOWN. RUNs are sent in the order of their ids, on every connection. */
bool gf_channel_work(struct gf_channel *ch);
/* Closes the connection and does this with the questions that were sent. */
void gf_channel_lose(struct gf_channel *ch, const struct gf_error *why);
/* Ends every question that waits in the queue. */
void gf_channel_fail(struct gf_channel *ch, const struct gf_error *why, uint32_t retry_ms);
/* Ends the questions in the queue whose deadline has passed; returns when the next thing is due. */
int64_t gf_channel_expire(struct gf_channel *ch);

/* Whether the socket should be waited for until it can be written to. */
bool gf_channel_wants_out(const struct gf_channel *ch);
/* Has an epoll instance wait for the socket there is; it is taken out when the socket is closed. */
void gf_channel_watch(struct gf_channel *ch, int epoll);

/* gf_now_ns() as a signed number, since what is left of a deadline may be negative. */
int64_t gf_now(void);
/* gf_now() and ms milliseconds. */
int64_t gf_after_ms(uint64_t ms);

#endif

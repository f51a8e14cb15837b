/* SPDX-License-Identifier: MIT */
/*
 * One connected socket, and one question and answer at a time over it. Reads while it writes, so that neither side can
 * block the other. Checks that what comes in are frames that answer what was asked; knows nothing of programs. Owned by
 * the client object; used by everything that asks.
 */
#ifndef GF_CLIENT_CHANNEL_H
#define GF_CLIENT_CHANNEL_H

#include "protocol/frame.h"
#include "stream.h"

#define GF_MAX_PONGS 4u /* unanswered PINGs of the server */

struct gf_channel {
    int fd;            /* -1: not connected */
    uint64_t next_id;  /* of requests */
    bool going;        /* GOAWAY came: answers what it has, takes nothing new */
    uint32_t retry_ms; /* of the last ERROR */
    uint32_t n_pongs;  /* PONGs owed */
    uint64_t pongs[GF_MAX_PONGS];
    size_t header_at, body_at; /* bytes of the incoming frame that are here */
    bool looked;               /* its header and body were looked at, its payload follows */
    struct gf_header header;
    uint8_t header_bytes[GF_HEADER_SIZE];
    uint8_t body[GF_MAX_BODY]; /* of the last answer */
};

/* Takes a connected socket, or -1 for none yet. */
void gf_channel_init(struct gf_channel *ch, int fd);
/* Closes the socket, if any. */
void gf_channel_close(struct gf_channel *ch);
/* Takes in what the server sent unasked. False when the connection has ended or takes nothing new. */
bool gf_channel_usable(struct gf_channel *ch);

/* A question, and what is expected of its answer. */
struct gf_exchange {
    struct gf_writer *head;     /* attributes already written; the channel finishes the frame */
    uint16_t kind, answer_kind; /* e.g. RUN and RESULT */
    struct gf_stream *payload;  /* to send, NULL: none */
    int fd;                     /* to send, -1: none */
    int64_t deadline;           /* of gf_now(), INT64_MAX: none */
    struct gf_stream *answer;   /* where the answer's payload goes, exactly this long; NULL: none */
    /* Checks the answer's body before its payload is read; NULL: nothing to check. */
    enum gf_status (*check)(void *context, const uint8_t *body, size_t size, struct gf_error *err);
    void *context;
    size_t body_len; /* returned: of the answer, in channel.body */
    int64_t sent;    /* returned: when all of it was, of gf_now() */
};

/* Sends and waits for the final answer. Returns the status of an ERROR answer (below 96), else what was found here:
 * CONNECTION_LOST (no answer came), TIMEOUT, BAD_REPLY; and, with nothing sent, BAD_REQUEST (a body over 64 KiB) and
 * RESOURCE_FDS. The channel is closed after the first three and after a status that ends the connection. */
enum gf_status gf_channel_ask(struct gf_channel *ch, struct gf_exchange *x, struct gf_error *err);

/* gf_now_ns() as a signed number, since what is left of a deadline may be negative. */
int64_t gf_now(void);
/* gf_now() and ms milliseconds. */
int64_t gf_after_ms(uint64_t ms);

#endif

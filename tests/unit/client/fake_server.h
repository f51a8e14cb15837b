/* SPDX-License-Identifier: MIT */
/*
 * A minimal daemon for tests of the client library. It listens in a temporary directory, serves in a thread, adds 1 to
 * every byte of operand 0, keeps resident buffers, and misbehaves on request.
 */
#ifndef GF_TESTS_FAKE_SERVER_H
#define GF_TESTS_FAKE_SERVER_H

#include <pthread.h>

#include "protocol/wire/request.h"
#include "protocol/wire/response.h"

struct fake_server;
struct fake_held;

/* Handles a request of the kind for which it is set. *ret_close = true ends the connection. */
typedef void fake_answer(struct fake_server *s, const struct gf_header *h, bool *ret_close);

struct fake_server {
    char *dir;
    char path[100];
    int listener, fd; /* fd: the connection being served */
    pthread_t thread;
    /* Set before fake_server_start. */
    bool no_fds;         /* says that the descriptor of HELLO did not arrive */
    bool bad_metrics;    /* the last of them cannot be believed */
    uint32_t next_page;  /* of metrics, after the first page; 0: none */
    uint32_t page_after; /* the same after any other page */
    uint64_t max_inline; /* 0: not stated */
    const char *node;    /* the name that it states, with the number of the connection; NULL: neither */
    int64_t clock_ns;    /* how far its clock is from that of this machine */
    /* Set before the start, or between an answer and the next request. These members and the counters are atomic for
     * the thread sanitizer, which does not know that an answer comes after its request. */
    fake_answer *_Atomic hello;  /* NULL: greets */
    fake_answer *_Atomic run;    /* NULL: runs */
    fake_answer *_Atomic arena;  /* NULL: accepts */
    fake_answer *_Atomic cancel; /* NULL: too late */
    fake_answer *_Atomic before; /* what it does before it answers PING and INFO; NULL: nothing */
    _Atomic unsigned misbehave;  /* for the answers: how many times, 0: always */
    /* Counters of events; read after fake_server_stop or after an answer. */
    _Atomic unsigned n_connections, n_hellos, n_runs, n_arenas, n_drops, n_frees, n_cancels;
    unsigned inline_operands, arena_operands, inline_results, arena_results; /* of the last RUN */
    unsigned handle_operands, handle_results;                                /* counters */
    _Atomic unsigned n_kept;                                                 /* resident buffers */
    uint32_t deadline_ms;
    char device[GF_MAX_DEVICE_NAME + 1];
    /* The request being answered. */
    struct gf_program program;
    uint8_t *payload;
    uint8_t body[GF_MAX_BODY];
    struct {
        uint8_t *base;
        uint64_t size;
    } arenas[8]; /* by id, of this connection */
    struct {
        uint8_t *data; /* NULL: none */
        struct gf_view view;
    } kept[16]; /* by handle, of this connection */
    struct fake_held *held[64];
    unsigned n_held; /* of this connection */
};

/* A server that is not running yet; freed by fake_server_stop. */
struct fake_server *fake_server_new(void);
void fake_server_start(struct fake_server *s);
/* Ends the thread. The counters remain readable until fake_server_free. */
void fake_server_stop(struct fake_server *s);
void fake_server_free(struct fake_server *s);

/* Sends a frame; `w` may be NULL for no body. */
void fake_send(struct fake_server *s, uint16_t kind, uint64_t id, struct gf_writer *w, const void *payload,
               uint64_t payload_len);
/* Sends bytes as they are. */
void fake_send_bytes(struct fake_server *s, const void *bytes, size_t size);
/* Sends ERROR. */
void fake_send_error(struct fake_server *s, uint64_t id, enum gf_status status, const char *text, uint64_t needed,
                     uint32_t retry_ms);
/* Answers the current RUN correctly. `change`, if any, modifies the reply before it is encoded. */
void fake_run(struct fake_server *s, const struct gf_header *h, void (*change)(struct gf_run_reply *reply));
/* Keeps the RUN at hand, to be answered later. */
void fake_hold(struct fake_server *s, const struct gf_header *h);
/* The id of a kept RUN. */
uint64_t fake_held_id(const struct fake_server *s, unsigned i);
/* Answers kept RUN i correctly, or with a status. The kept RUNs after it move up by one. */
void fake_answer_held(struct fake_server *s, unsigned i, enum gf_status status);

#endif

/* SPDX-License-Identifier: MIT */
/* The client object and the state that its parts share. Included by every part of the library that serves a client. */
#ifndef GF_CLIENT_CLIENT_H
#define GF_CLIENT_CLIENT_H

#include <stdatomic.h>
#include <sys/types.h>

#include "call.h"
#include "client/lib/discovery/address.h"
#include "client/lib/discovery/retry.h"
#include "client/lib/transport/channel.h"
#include "memory/memory.h"
#include "protocol/wire/response.h"
#include "residents.h"
#include "trace.h"
#include "watch.h"

/* How long a daemon may be silent after a deadline or an interruption before the connection is given up. */
#define GF_GRACE_NS INT64_C(2000000000)
/* Room for the name of a request: node, number of the connection, number of the request. */
#define GF_REQUEST_TEXT (GF_MAX_DEVICE_NAME + 2 * 21 + 1)

struct gf_request;

struct gpufilter_client {
    pid_t pid;         /* of the process that opened it */
    int interrupts;    /* an eventfd; readable: gpufilter_interrupt was called; -1: not made yet */
    _Atomic bool busy; /* a call is using it */
    /* Options, with defaults filled in. */
    char *socket, *daemon; /* may be NULL: not given */
    bool autostart, only_private;
    bool waits_for_daemon; /* instead of starting one */
    bool debug;            /* lines on stderr say why connections end and what is sent again */
    int64_t server_uid;
    uint32_t connect_timeout_ms, wait_ms, deadline_ms;
    char device[GF_MAX_DEVICE_NAME + 1];
    /* The connection. */
    struct gf_exchange hello;
    int probe;           /* the descriptor that HELLO carries; -1: none */
    uint64_t connection; /* number of the current one; 0: never connected */
    struct gf_retry retry;
    uint32_t n_attempts;             /* to connect since the latest greeting */
    bool waits;                      /* the caller blocks, so connecting may take time */
    int64_t sleep_ns;                /* expected duration of the next gf_client_sleep */
    struct gf_trace_context context; /* of calls that name none */
    char path[GF_SOCKET_PATH];
    char software[GF_MAX_DEVICE_NAME + 1];
    char node[GF_MAX_DEVICE_NAME + 1]; /* the daemon's machine; "": it does not say */
    uint64_t served_as;                /* number of the connection in the daemon; 0: it does not say */
    uint32_t revisions[GF_N_OPS];      /* of the daemon's operations, by their index */
    uint64_t max_inline;
    uint32_t window; /* most requests in flight such that the daemon still reads CANCELs */
    bool shares;     /* descriptors are passed and arenas are accepted */
    /* Work. */
    struct gf_memory memory;
    struct gf_residents residents;
    uint32_t last_handle; /* a client never reuses a number */
    uint32_t n_releases;  /* handles being freed, and arenas being dropped */
    struct {
        struct gf_request *first, *last;
    } answered;         /* answered requests whose answers were not taken, in the order of the answers */
    uint32_t n_pending; /* requests without an answer yet */
    uint32_t n_kept;    /* requests of gpufilter_submit whose answers were not taken */
    uint32_t n_large;   /* runs so far with a large amount of copied data */
    uint32_t retry_ms;  /* of the current call */
    bool has_run;
    gpufilter_times times;          /* of the latest answer that was taken */
    struct gf_recording *recording; /* of that answer; owned; NULL: no trace */
    char request[GF_REQUEST_TEXT];  /* name of the latest request whose answer was taken */
    struct gf_watch watch;
    struct gf_channel channel; /* last: its buffers are used as far as frames need them, and never cleared */
};

/* Begins a public call, which gf_client_leave ends: BAD_ARGUMENT for NULL or while another thread is in a call, FORKED.
 */
enum gf_status gf_client_enter(gpufilter_client *client, struct gf_error *err);
/* Ends a public call: passes on the error, if any, and returns the status. `client` is NULL if the call did not begin.
 */
int gf_client_leave(gpufilter_client *client, enum gf_status status, const struct gf_error *error,
                    gpufilter_error *err);
/* Converts an error to the caller's form. In client.c, like the next function. */
void gf_error_out(const struct gf_error *error, uint32_t retry_ms, gpufilter_error *ret);
/* With GPUFILTER_DEBUG: prints a line on stderr. In client.c. */
void gf_client_say(const gpufilter_client *client, const char *fmt, ...) gf_printf(2, 3);
/* gpufilter_free without telling the daemon yet. False: the address is none to be freed. */
bool gf_client_free(gpufilter_client *client, void *data);

/* Does everything possible without waiting, up to the next answer: connects if something must be sent, sends, reads,
 * ends overdue requests. In connect.c. */
void gf_client_work(gpufilter_client *client);
/* When gf_client_work is due even without socket events; INT64_MAX for never. In connect.c. */
int64_t gf_client_due(const gpufilter_client *client);
/* Waits until there is work, at most until a time of gf_now(). True: gpufilter_interrupt ended the wait. In connect.c.
 */
bool gf_client_sleep(gpufilter_client *client, int64_t until);
/* Waits until an exchange is over and returns its status; an interruption gives it up. In connect.c. */
enum gf_status gf_client_await(gpufilter_client *client, struct gf_exchange *x, struct gf_error *err);
/* Sets INTERRUPTED. In connect.c. */
enum gf_status gf_client_interrupted(struct gf_error *err);
/* Sends a request and waits for the answer, which is also in x->error. In connect.c. */
enum gf_status gf_client_ask(gpufilter_client *client, struct gf_exchange *x, struct gf_error *err);
/* Waits for a connection. In connect.c. Errors as for gpufilter_open. */
enum gf_status gf_client_connect(gpufilter_client *client, struct gf_error *err);
/* Tells the daemon what to free, without waiting for its answer: the daemon frees before it handles later frames. In
 * connect.c. */
void gf_client_settle(gpufilter_client *client);

#endif

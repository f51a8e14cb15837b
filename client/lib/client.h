/* SPDX-License-Identifier: MIT */
/* The client object and the state that its parts share. Included by every part of the library that serves a client. */
#ifndef GF_CLIENT_CLIENT_H
#define GF_CLIENT_CLIENT_H

#include <sys/types.h>

#include "call.h"
#include "client/lib/discovery/address.h"
#include "client/lib/discovery/patience.h"
#include "client/lib/transport/channel.h"
#include "memory/memory.h"
#include "protocol/wire/response.h"
#include "residents.h"
#include "trace.h"
#include "watch.h"

struct gf_request;

struct gpufilter_client {
    pid_t pid; /* of the process that opened it */
    /* Options, with defaults filled in. */
    char *socket, *daemon; /* NULL: not given */
    bool autostart, only_private;
    bool waits_for_daemon; /* instead of starting one */
    int64_t server_uid;
    uint32_t connect_timeout_ms, wait_ms, deadline_ms;
    char device[GF_MAX_DEVICE_NAME + 1];
    /* The connection. */
    struct gf_channel channel;
    struct gf_exchange hello;
    int probe;           /* the descriptor that HELLO carries; -1: none */
    uint64_t connection; /* number of the current one; 0: never connected */
    struct gf_patience patience;
    bool waits;       /* the caller does: connecting may take its time */
    int64_t sleep_ns; /* how long gf_client_sleep is expected to be */
    char path[GF_SOCKET_PATH];
    char software[GF_MAX_DEVICE_NAME + 1];
    uint64_t max_inline;
    uint32_t window; /* requests the daemon takes at once, as far as it hears of CANCELs all the same */
    bool shares;     /* descriptors arrive and arenas are taken */
    /* Work. */
    struct gf_memory memory;
    struct gf_residents residents;
    uint32_t last_handle; /* numbers are never used twice by a client */
    uint32_t n_releases;  /* handles being freed */
    struct {
        struct gf_request *first, *last;
    } answered;         /* requests whose answer was not taken, in the order of the answers */
    uint32_t n_pending; /* requests that are not answered */
    uint32_t n_kept;    /* requests of gpufilter_submit whose answer was not taken */
    uint32_t n_large;   /* runs so far whose copied data was large */
    uint32_t retry_ms;  /* of the call at hand */
    bool has_run;
    bool unfused;          /* later runs are to be: gpufilter_fuse */
    gpufilter_times times; /* of the answer taken last */
    struct gf_trace trace;
    struct gf_watch watch;
};

/* Begins a public call: BAD_ARGUMENT for NULL, FORKED. */
enum gf_status gf_client_enter(gpufilter_client *client, struct gf_error *err);
/* Ends a public call: hands the error on, if any, and returns the status. `client` may be NULL. */
int gf_client_leave(gpufilter_client *client, enum gf_status status, const struct gf_error *error,
                    gpufilter_error *err);
/* The caller's form of an error. In client.c, as the next. */
void gf_error_out(const struct gf_error *error, uint32_t retry_ms, gpufilter_error *ret);
/* gpufilter_free, but does not tell the daemon yet. */
void gf_client_free(gpufilter_client *client, void *data);

/* Does all that can be done without waiting, up to the next answer: connects where something is to be sent, sends,
 * reads, ends what is overdue. In connect.c. */
void gf_client_work(gpufilter_client *client);
/* When gf_client_work is due though nothing comes or goes; INT64_MAX. In connect.c. */
int64_t gf_client_due(const gpufilter_client *client);
/* Waits until there is something to do, at most until a time of gf_now(). In connect.c. */
void gf_client_sleep(gpufilter_client *client, int64_t until);
/* Asks and waits for the answer, which is in x->error too. In connect.c. */
enum gf_status gf_client_ask(gpufilter_client *client, struct gf_exchange *x, struct gf_error *err);
/* Waits until there is a connection. In connect.c. Errors as gpufilter_open. */
enum gf_status gf_client_connect(gpufilter_client *client, struct gf_error *err);
/* Tells the daemon what it is to free, without waiting for its word: it frees before it looks at what comes next. In
 * connect.c. */
void gf_client_settle(gpufilter_client *client);

#endif

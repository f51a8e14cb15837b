/* SPDX-License-Identifier: MIT */
/* The client object, and what its parts share. Used by client.c, connect.c, run.c and info.c. */
#ifndef GF_CLIENT_CLIENT_H
#define GF_CLIENT_CLIENT_H

#include <sys/types.h>

#include "address.h"
#include "call.h"
#include "channel.h"
#include "memory.h"
#include "protocol/response.h"
#include "residents.h"
#include "trace.h"

struct gpufilter_client {
    pid_t pid; /* of the process that opened it */
    /* Options, with defaults filled in. */
    char *socket, *daemon; /* NULL: not given */
    bool autostart;
    int64_t server_uid;
    uint32_t connect_timeout_ms, deadline_ms;
    char device[GF_MAX_DEVICE_NAME + 1];
    /* The connection. */
    struct gf_channel channel;
    uint64_t connection; /* number of the current one; 0: never connected */
    char path[GF_SOCKET_PATH];
    char software[GF_MAX_DEVICE_NAME + 1];
    uint64_t max_inline;
    bool shares; /* descriptors arrive and arenas are taken */
    /* Work. */
    struct gf_memory memory;
    struct gf_residents residents;
    struct gf_call call;
    uint32_t n_large; /* runs so far whose copied data was large */
    bool has_run;
    gpufilter_times times; /* of the last run */
    struct gf_trace trace;
    uint8_t head[GF_MAX_FRAME_HEAD];
};

/* Begins a public call: BAD_ARGUMENT for NULL, FORKED. */
enum gf_status gf_client_enter(gpufilter_client *client, struct gf_error *err);
/* Ends a public call: hands the error on, if any, and returns the status. `client` may be NULL. */
int gf_client_leave(const gpufilter_client *client, enum gf_status status, const struct gf_error *error,
                    gpufilter_error *err);

/* Connects and greets where there is no usable connection. In connect.c. Errors as gpufilter_open. */
enum gf_status gf_client_connect(gpufilter_client *client, struct gf_error *err);
/* Asks over a usable connection; once more over a new one where the connection ended before an answer. `prepare` writes
 * the question's attributes and payload for the connection there is. In connect.c. */
enum gf_status gf_client_ask(gpufilter_client *client, struct gf_exchange *x,
                             enum gf_status (*prepare)(gpufilter_client *client, struct gf_exchange *x,
                                                       struct gf_writer *head, void *context, struct gf_error *err),
                             void *context, struct gf_error *err);

#endif

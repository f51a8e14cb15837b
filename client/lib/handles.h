/* SPDX-License-Identifier: MIT */
/*
 * Handles as the daemon knows them: a new one each time that something is stored in a resident buffer. Handles are
 * reference counted, because a buffer and the requests that read or make its contents need them independently; the last
 * release makes the daemon free the handle. Used by residents.c, placement.c, requests.c and client.c.
 */
#ifndef GF_CLIENT_HANDLES_H
#define GF_CLIENT_HANDLES_H

#include "client/lib/transport/channel.h"

enum gf_contents_state {
    GF_CONTENTS_AHEAD,  /* the request that makes it is not answered yet */
    GF_CONTENTS_MADE,   /* its contents are valid */
    GF_CONTENTS_FAILED, /* it has no contents and never will */
};

struct gf_handle {
    uint32_t refs;
    uint32_t number; /* a client never reuses a number */
    enum gf_contents_state state;
    uint64_t connection;        /* number of the connection on which its maker was last sent; 0: not sent yet */
    struct gf_handle *before;   /* the buffer's contents until this handle is made; a reference; may be NULL */
    struct gf_exchange release; /* the FREE that is sent when the handle is no longer needed */
    struct gpufilter_client *client;
};

/* Makes a handle for a request to fill, with one reference; takes over the reference to `before`.
 * NULL: out of memory. */
struct gf_handle *gf_handle_new(struct gpufilter_client *client, struct gf_handle *before);
struct gf_handle *gf_handle_ref(struct gf_handle *h);
/* Drops a reference; accepts NULL. Returns NULL. */
struct gf_handle *gf_handle_unref(struct gf_handle *h);
/* Records how the request that makes it ended. */
void gf_handle_settle(struct gf_handle *h, bool made);

#endif

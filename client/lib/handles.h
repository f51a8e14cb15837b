/* SPDX-License-Identifier: MIT */
/*
 * Handles as the daemon knows them: one for each time that something is stored in a resident buffer. Reference counted,
 * since a buffer and the requests that read or make its contents need it independently; the last release has the daemon
 * free it. Used by residents.c, placement.c, requests.c and client.c.
 */
#ifndef GF_CLIENT_HANDLES_H
#define GF_CLIENT_HANDLES_H

#include "client/lib/transport/channel.h"

enum gf_contents_state {
    GF_CONTENTS_AHEAD,  /* the request that makes it is not answered yet */
    GF_CONTENTS_MADE,   /* it has what it should */
    GF_CONTENTS_FAILED, /* it has nothing, and never will */
};

struct gf_handle {
    uint32_t refs;
    uint32_t number; /* never used twice by a client */
    enum gf_contents_state state;
    uint64_t connection;        /* number of the one its maker was sent on last; 0: not sent yet */
    struct gf_handle *before;   /* contents of the buffer until it is made; counted; NULL: none */
    struct gf_exchange release; /* FREE, once nobody needs it */
    struct gpufilter_client *client;
};

/* A handle that a request is to make, with one reference; takes over that of `before`. NULL: out of memory. */
struct gf_handle *gf_handle_new(struct gpufilter_client *client, struct gf_handle *before);
struct gf_handle *gf_handle_ref(struct gf_handle *h);
/* Lets go; NULL is allowed. Returns NULL. */
struct gf_handle *gf_handle_unref(struct gf_handle *h);
/* Says how the request that makes it ended. */
void gf_handle_settle(struct gf_handle *h, bool made);

#endif

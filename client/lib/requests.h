/* SPDX-License-Identifier: MIT */
/*
 * One program in flight: from the caller's arguments to its answer. The only place where a RUN is made; gpufilter_run
 * waits for a request that gpufilter_submit only starts. Used by run.c, submit.c and client.c.
 */
#ifndef GF_CLIENT_REQUESTS_H
#define GF_CLIENT_REQUESTS_H

#include "placement.h"

struct gf_request {
    struct gf_exchange x; /* first; x.id is the caller's id too */
    gpufilter_client *client;
    struct gf_request *next; /* of those that are answered */
    void *context;           /* the caller's */
    int64_t since;
    uint64_t first_sent; /* number of the connection it was sent on first; 0: not sent */
    uint64_t last_sent;
    gpufilter_times times;
    struct gf_recording *recording; /* NULL: nobody wants a trace */
    struct gf_call call;
    struct gf_placement place;
};

/* With an empty call. NULL: out of memory. */
struct gf_request *gf_request_new(gpufilter_client *client);
/* Frees one that was not started, or was taken. NULL is allowed; returns NULL. */
struct gf_request *gf_request_free(struct gf_request *r);
static inline void gf_request_freep(struct gf_request **r)
{
    gf_request_free(*r);
}

/* Puts a request whose call is complete into the queue and fills in results[i].view; from now on the client owns it.
 * NO_MEMORY, BAD_VIEW, DEPENDENCY: results are unchanged and the request is still the caller's. */
enum gf_status gf_request_start(struct gf_request *r, gpufilter_result *results, struct gf_error *err);

/* Takes out the answered request of this id, 0: the one answered first. NULL: there is none. */
struct gf_request *gf_request_take(gpufilter_client *client, uint64_t id);
/* Whether a request of this id is not answered yet; whether it is answered, and the answer not taken. */
bool gf_request_pending(const gpufilter_client *client, uint64_t id);
bool gf_request_answered(const gpufilter_client *client, uint64_t id);

#endif

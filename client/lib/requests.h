/* SPDX-License-Identifier: MIT */
/*
 * One program in flight, from the caller's arguments to its answer. Only this module makes RUNs; gpufilter_run waits
 * for a request that gpufilter_submit only starts. Used by run.c and client.c.
 */
#ifndef GF_CLIENT_REQUESTS_H
#define GF_CLIENT_REQUESTS_H

#include "placement.h"

struct gf_request {
    struct gf_exchange x; /* must be first; x.id is also the caller's id */
    gpufilter_client *client;
    struct gf_request *next; /* in the list of answered requests */
    void *context;           /* the caller's */
    int64_t since;
    uint64_t first_sent; /* number of the connection on which it was first sent; 0: not sent */
    uint64_t last_sent;
    char name[GF_REQUEST_TEXT]; /* where it was last sent, see gpufilter_last_request; "": nowhere */
    gpufilter_times times;
    struct gf_recording *recording; /* NULL: no trace */
    struct gf_call call;
    struct gf_placement place;
};

/* Makes a request with an empty call. NULL: out of memory. */
struct gf_request *gf_request_new(gpufilter_client *client);
/* Frees a request that was not started, or was taken. Accepts NULL; returns NULL. */
struct gf_request *gf_request_free(struct gf_request *r);
static inline void gf_request_freep(struct gf_request **r)
{
    gf_request_free(*r);
}

/* Queues a request whose call is complete and fills in results[i].view; from then on the client owns it. NO_MEMORY,
 * BAD_VIEW, DEPENDENCY: results are unchanged and the caller keeps the request. */
enum gf_status gf_request_start(struct gf_request *r, gpufilter_result *results, struct gf_error *err);

/* Takes out the answered request with this id, for 0 the one answered first. NULL if there is none. */
struct gf_request *gf_request_take(gpufilter_client *client, uint64_t id);
/* Whether a request with this id is not answered yet; and whether it is answered and the answer not taken. */
bool gf_request_pending(const gpufilter_client *client, uint64_t id);
bool gf_request_answered(const gpufilter_client *client, uint64_t id);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The timeline of runs: recorded by each request if the caller asked for it; the client object keeps that of the last
 * answer taken. Used by requests.c.
 */
#ifndef GF_CLIENT_TRACE_H
#define GF_CLIENT_TRACE_H

#include "client/include/gpufilter/client.h"
#include "protocol/wire/response.h"

#define GF_TRACE_OWN 5u /* spans of this process */

/* Moments of a run in this process, of gf_now_ns(); 0: it did not come to that. */
struct gf_moments {
    uint64_t begun, ready, sent, headed, received, delivered;
};

/* What a request knows of itself. */
struct gf_recording {
    struct gf_moments moments;
    uint64_t total_ns; /* in the daemon */
    uint32_t n;        /* the daemon's spans */
    struct gf_span spans[GF_MAX_SPANS];
};

struct gf_trace {
    bool on; /* requests are to have recordings */
    uint32_t n;
    gpufilter_span spans[GF_TRACE_OWN + GF_MAX_SPANS];
};

/* Takes the spans of the answer, which has begun. `r` may be NULL. */
void gf_recording_answer(struct gf_recording *r, const struct gf_run_reply *reply);
/* Replaces what is kept by the spans of a request that succeeded; by none where it has no recording. */
void gf_trace_keep(struct gf_trace *trace, const struct gf_recording *r);

#endif

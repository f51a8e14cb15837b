/* SPDX-License-Identifier: MIT */
/*
 * The timeline of runs: each request records it if the caller asked for it; the client object keeps that of the latest
 * answer taken. Used by requests.c.
 */
#ifndef GF_CLIENT_TRACE_H
#define GF_CLIENT_TRACE_H

#include "client/include/gpufilter/client.h"
#include "protocol/wire/response.h"

/* Moments of a run in this process, of gf_now_ns(); 0: not reached. */
struct gf_moments {
    uint64_t begun, ready, sent, headed, received, delivered;
};

/* The recording of one request. */
struct gf_recording {
    struct gf_moments moments;
    uint64_t total_ns; /* in the daemon */
    uint32_t n;        /* the daemon's spans */
    struct gf_span spans[GF_MAX_SPANS];
};

/* Takes the spans of an answer that has begun to arrive. `r` may be NULL. */
void gf_recording_answer(struct gf_recording *r, const struct gf_run_reply *reply);

#endif

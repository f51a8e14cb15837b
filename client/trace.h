/* SPDX-License-Identifier: MIT */
/* When a run did what: kept where the caller asked for it, first with its request, then with the client. Filled by
 * requests.c. */
#ifndef GF_CLIENT_TRACE_H
#define GF_CLIENT_TRACE_H

#include "include/gpufilter/client.h"
#include "protocol/response.h"

#define GF_TRACE_OWN 5u /* spans of this process, before those of the daemon */

/* Moments of a run in this process, of gf_now_ns(); 0: it did not come to that. */
struct gf_moments {
    uint64_t begun, ready, sent, headed, received, delivered;
};

struct gf_trace {
    struct gf_moments moments;
    uint64_t total; /* of the daemon */
    uint32_t n;
    gpufilter_span spans[GF_TRACE_OWN + GF_MAX_SPANS];
};

/* Takes the daemon's spans out of its answer. */
void gf_trace_reply(struct gf_trace *trace, const struct gf_run_reply *reply);
/* Completes it, once all moments are known. */
void gf_trace_finish(struct gf_trace *trace);

#endif

/* SPDX-License-Identifier: MIT */
/* When the last run did what: kept where the caller asked for it. Owned by the client object; filled by run.c. */
#ifndef GF_CLIENT_TRACE_H
#define GF_CLIENT_TRACE_H

#include "include/gpufilter/client.h"
#include "protocol/response.h"

#define GF_TRACE_OWN 5u /* spans of this process */

/* Moments of a run in this process, of gf_now_ns(); 0: it did not come to that. */
struct gf_moments {
    uint64_t begun, ready, sent, headed, received, delivered;
};

struct gf_trace {
    bool on;
    uint32_t n;
    gpufilter_span spans[GF_TRACE_OWN + GF_MAX_SPANS];
};

/* Replaces what is kept by the spans of a run that succeeded. */
void gf_trace_keep(struct gf_trace *trace, const struct gf_moments *moments, const struct gf_run_reply *reply);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The log of requests: one line for each that log-requests selects, found again by the number that its client has, too
 * (NODE and CONNECTION of HELLO_REPLY, and the id of its frame), and by the trace to which the client's span belongs. A
 * line has what the request was and took, but neither parameters nor names that the client sent. Called by sessions.
 */
#ifndef GF_FRONT_REQUEST_LOG_H
#define GF_FRONT_REQUEST_LOG_H

#include "session.h"

/* A request was not accepted. `context`: of the client's span; NULL: the request has none. */
void gf_request_log_refused(const struct gf_session *s, uint64_t id, const struct gf_trace_context *context,
                            const struct gf_error *error);
/* A request has its answer: `reply` and NULL, or NULL and `error`. The client may have gone. */
void gf_request_log_answered(const struct gf_sessions *all, const struct gf_task *task,
                             const struct gf_run_reply *reply, const struct gf_error *error, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Decides when to retry a daemon that was absent, ended the connection before its greeting, or greeted and answered
 * nothing: after pauses that double from 5 ms to 200 ms, up to a time limit. Times are those of gf_now(), which the
 * caller passes in. Owned by the client object; called by connect.c.
 */
#ifndef GF_CLIENT_PATIENCE_H
#define GF_CLIENT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#define GF_PAUSE_MS 5u          /* the first pause */
#define GF_PAUSE_MAX_MS 200u    /* the longest pause */
#define GF_RETRY_MAX_USELESS 5u /* connections in a row without an answer, after which requests fail */

/* How an attempt to get a greeting failed. */
enum gf_attempt {
    GF_ATTEMPT_ABSENT,  /* no daemon is there */
    GF_ATTEMPT_CUT,     /* a daemon is there, but the connection ended before the greeting or is not accepted now */
    GF_ATTEMPT_REFUSED, /* the daemon refused; not retried */
};

struct gf_retry {
    int64_t connect_ns; /* time for retrying attempts that were CUT, and limit of one attempt */
    int64_t wait_ns;    /* additional time for retrying while the daemon is ABSENT */
    int64_t at;         /* no attempt before this time */
    int64_t pause;      /* the latest pause; 0: none since the last answer */
    int64_t until;      /* end of connect_ns for the current attempts; 0: none */
    int64_t wait_until; /* end of wait_ns for the current attempts */
    uint32_t n_useless;
};

void gf_retry_init(struct gf_retry *p, uint32_t connect_ms, uint32_t wait_ms);
/* Begins an attempt, the first one or a retry; returns its deadline. */
int64_t gf_retry_begin(struct gf_retry *p, int64_t now);
/* The attempt failed. True: the next one is due at p->at. False: it was the last one; a later request must still wait
 * until p->at. */
bool gf_retry_failed(struct gf_retry *p, int64_t now, enum gf_attempt how);
/* The attempt succeeded. */
void gf_retry_succeeded(struct gf_retry *p);
/* No request needs a connection any more; the next one has the full time again. */
void gf_retry_reset(struct gf_retry *p);
/* A greeted connection has ended; `useful`: it answered something. False: too many in a row were useless. */
bool gf_retry_ended(struct gf_retry *p, int64_t now, bool useful);

#endif

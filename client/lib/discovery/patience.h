/* SPDX-License-Identifier: MIT */
/*
 * When a daemon is asked again that was not there, ended the connection before its greeting, or greeted and answered
 * nothing: after pauses of 5 ms that double to 200 ms, and for how long. Times are those of gf_now(), which this does
 * not call. Owned by the client object; connect.c calls it.
 */
#ifndef GF_CLIENT_PATIENCE_H
#define GF_CLIENT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#define GF_PAUSE_MS 5u       /* the first one */
#define GF_PAUSE_MAX_MS 200u /* the longest */
#define GF_USELESS 5u        /* connections in a row without an answer, after which requests are given up */

/* How an attempt to get a greeting failed. */
enum gf_attempt {
    GF_ATTEMPT_ABSENT,  /* nobody is there */
    GF_ATTEMPT_CUT,     /* somebody is, but the connection ended before the greeting, or is not taken now */
    GF_ATTEMPT_REFUSED, /* there is an answer to it: it is not to be tried again */
};

struct gf_patience {
    int64_t connect_ns; /* how long attempts that are cut are repeated, and how long one may last */
    int64_t wait_ns;    /* how long attempts are repeated beyond that, and where nobody is there */
    int64_t at;         /* no attempt before */
    int64_t pause;      /* the last one; 0: none since the last answer */
    int64_t until;      /* of the attempts under way: when connecting has failed; 0: none is under way */
    int64_t wait_until; /* and when waiting has */
    uint32_t n_useless;
};

void gf_patience_init(struct gf_patience *p, uint32_t connect_ms, uint32_t wait_ms);
/* An attempt begins, the first one or another; returns its deadline. */
int64_t gf_patience_begin(struct gf_patience *p, int64_t now);
/* It failed. True: the next one is due at p->at. False: it was the last one, and who asks for one later is to wait
 * until p->at all the same. */
bool gf_patience_failed(struct gf_patience *p, int64_t now, enum gf_attempt how);
/* It succeeded. */
void gf_patience_greeted(struct gf_patience *p);
/* Nobody wants a connection any more; what is wanted next has all the time again. */
void gf_patience_rest(struct gf_patience *p);
/* A greeted connection has ended; `useful`: something was answered on it. False: too many in a row were not. */
bool gf_patience_ended(struct gf_patience *p, int64_t now, bool useful);

#endif

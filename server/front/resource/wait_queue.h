/* SPDX-License-Identifier: MIT */
/*
 * Requests that wait for memory or a quota, in order of arrival per user, served round-robin over users. Each states
 * how much it needs of each resource, so that checking it only compares numbers, and only a request that fits is read
 * again. No request overtakes one of the same user that waits for the same resource, nor, except by little, the next
 * one for staging that others hold. Called by session.c and session_run.c; knows accounts and staging, nothing of
 * frames.
 */
#ifndef GF_FRONT_WAIT_QUEUE_H
#define GF_FRONT_WAIT_QUEUE_H

#include "staging.h"

/* A connection whose next request may have to wait. */
struct gf_waiter {
    struct gf_node node;        /* in its user's list while it waits */
    struct gf_account *account; /* the connection's */
    uint64_t need[GF_N_RES];
    bool called; /* it fits: it takes what it needs, or gives up, before another of its user is called */
};

struct gf_wait_queue {
    struct gf_node users; /* accounts of users who wait; the one that was called goes to the end */
    struct gf_staging *staging;
    const struct gf_waiter
        *next_in_staging; /* fits but for staging, which is full, or of which others have too much; NULL */
    void (*call)(struct gf_waiter *waiter); /* its room is there; does nothing with waiting yet */
    uint32_t n;
};

void gf_wait_queue_init(struct gf_wait_queue *queue, struct gf_staging *staging,
                        void (*call)(struct gf_waiter *waiter));
void gf_waiter_init(struct gf_waiter *waiter, struct gf_account *account);

/* Whether a request can have what it needs now, without overtaking. */
bool gf_wait_queue_may_go(const struct gf_wait_queue *queue, const struct gf_waiter *waiter);
/* It waits, at the end of its user's list; one that waits already, and was called, goes on waiting where it is. */
void gf_wait_queue_add(struct gf_wait_queue *queue, struct gf_waiter *waiter);
/* It does not wait any more, or never did. */
void gf_wait_queue_remove(struct gf_wait_queue *queue, struct gf_waiter *waiter);
/* Something was given back, or limits are others: calls who fits now, of each user one. */
void gf_wait_queue_look(struct gf_wait_queue *queue);

#endif

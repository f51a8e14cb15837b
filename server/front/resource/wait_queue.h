/* SPDX-License-Identifier: MIT */
/*
 * Requests that wait for memory or a quota: per user in order of arrival, over users round-robin. Each states how much
 * it needs of each resource, so that a check only compares numbers and only a request that fits is tried again. No
 * request overtakes another one of the same user that waits for the same resource. No request overtakes the next one
 * for staging either, except by a small amount. Called by session.c and session_run.c; knows accounts and staging, but
 * no frames.
 */
#ifndef GF_FRONT_WAIT_QUEUE_H
#define GF_FRONT_WAIT_QUEUE_H

#include "staging.h"

/* A connection whose next request may have to wait. */
struct gf_waiter {
    struct gf_node node;        /* in its user's list while it waits */
    struct gf_account *account; /* of the connection */
    uint64_t need[GF_N_RES];
    bool called; /* it fits, and must take what it needs or give up before another waiter of its user is called */
};

struct gf_wait_queue {
    struct gf_node users; /* accounts of users with waiters; an account that was called moves to the end */
    struct gf_staging *staging;
    const struct gf_waiter
        *next_in_staging; /* the request that fits except for staging held by others; NULL if there is none */
    void (*call)(struct gf_waiter *waiter); /* the waiter may try again; must not change the queue yet */
    uint32_t n;
};

void gf_wait_queue_init(struct gf_wait_queue *queue, struct gf_staging *staging,
                        void (*call)(struct gf_waiter *waiter));
void gf_waiter_init(struct gf_waiter *waiter, struct gf_account *account);

/* Whether a request can have what it needs now without overtaking. */
bool gf_wait_queue_may_go(const struct gf_wait_queue *queue, const struct gf_waiter *waiter);
/* Adds a waiter at the end of its user's list; a waiter that is already in the list, and was
 * called, keeps its place. */
void gf_wait_queue_add(struct gf_wait_queue *queue, struct gf_waiter *waiter);
/* Removes a waiter; does nothing if it does not wait. */
void gf_wait_queue_remove(struct gf_wait_queue *queue, struct gf_waiter *waiter);
/* Something was released, or limits have changed: calls the waiters that now fit, at most one per user. */
void gf_wait_queue_look(struct gf_wait_queue *queue);

#endif

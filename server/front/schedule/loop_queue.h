/* SPDX-License-Identifier: MIT */
/*
 * Fair sharing of the loop thread. Ready entries (a connection with bytes to read or write, a listening socket) are
 * queued here, and users are served by processor time. It is start-time fair queueing, as scheduler.h does for devices;
 * but no cost is estimated, because a slice is measured as it runs and ends when its time is over. The user with the
 * least service is next. In a round no user gets more than one budget ahead of that user; then the loop polls again, so
 * that a new user waits little. An idle user earns no credit; on return its virtual time becomes the current one. Owned
 * by server.c; the entries belong to connection.c and listener.c, the users to sessions.c.
 */
#ifndef GF_FRONT_LOOP_QUEUE_H
#define GF_FRONT_LOOP_QUEUE_H

#include <uv.h>

#include "protocol/base/list.h"
#include "server/front/base/users.h"

#define GF_LOOP_BUDGET_NS UINT64_C(250000) /* per user and round */
#define GF_LOOP_ROUND_NS UINT64_C(500000)  /* after this time the loop polls, even if users still wait for a turn */
#define GF_LOOP_NOBODY ((gf_user_id)-1)    /* the owner of turns that belong to no user: accepting connections */

struct gf_loop_queue_user;

struct gf_loop_queue {
    struct gf_node users;      /* with ready entries */
    struct gf_node idle_users; /* without ready entries */
    uint64_t virtual_ns;       /* the least served user's service at the last round */
    uint64_t end_ns;           /* end of the turn, by the clock; 0 between turns */
    uint64_t (*clock)(void);
    void (*used)(void *data, gf_user_id id, uint64_t ns); /* a user was served for `ns`; may be NULL */
    void *data;
    bool running; /* started in a loop */
    uv_check_t check;
    uv_idle_t idle; /* keeps the loop from blocking while entries are ready */
};

/* An event source that may be ready. */
struct gf_loop_queue_entry {
    struct gf_node node; /* in its user's list while it is ready */
    struct gf_loop_queue *queue;
    struct gf_loop_queue_user *user;
    /* Works until nothing is left or gf_loop_queue_spent; in the second case it adds the entry again. The entry is
     * already removed from the list and may be freed. */
    void (*go)(struct gf_loop_queue_entry *entry);
};

void gf_loop_queue_init(struct gf_loop_queue *queue, uint64_t (*clock)(void));
/* Runs one round after each poll of the loop. */
void gf_loop_queue_start(struct gf_loop_queue *queue, uv_loop_t *loop);
/* Closes the handles; no round runs after this. */
void gf_loop_queue_close(struct gf_loop_queue *queue);
/* All references must have been released. */
void gf_loop_queue_deinit(struct gf_loop_queue *queue);

/* A reference to the user, who is created if unknown; NULL without memory. A user's service is remembered after the
 * last reference for as long as it exceeds that of the others. */
struct gf_loop_queue_user *gf_loop_queue_user_get(struct gf_loop_queue *queue, gf_user_id id);
/* Accepts NULL. */
void gf_loop_queue_user_put(struct gf_loop_queue *queue, struct gf_loop_queue_user *user);

/* The caller keeps the reference to the user, which must outlive the entry. */
void gf_loop_queue_entry_init(struct gf_loop_queue_entry *entry, struct gf_loop_queue *queue,
                              struct gf_loop_queue_user *user, void (*go)(struct gf_loop_queue_entry *entry));
/* Marks the entry as ready; does nothing if it is ready already. */
void gf_loop_queue_add(struct gf_loop_queue_entry *entry);
/* Marks the entry as not ready. */
void gf_loop_queue_remove(struct gf_loop_queue_entry *entry);
/* Whether the entry is ready and waits for its turn. */
bool gf_loop_queue_waits(const struct gf_loop_queue_entry *entry);

/* Whether the current turn is over, so that work that can stop should stop. Always true between turns. */
bool gf_loop_queue_spent(const struct gf_loop_queue *queue);
/* Charges the user for work done outside a turn. Accepts NULL. */
void gf_loop_queue_charge(struct gf_loop_queue *queue, struct gf_loop_queue_user *user, uint64_t ns);

/* Runs one round; called by the loop. */
void gf_loop_queue_round(struct gf_loop_queue *queue);

#endif

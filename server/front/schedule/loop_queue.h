/* SPDX-License-Identifier: MIT */
/*
 * Fair sharing of the loop's thread: ready entries (a connection with bytes to read or to write, a listening socket)
 * are queued here, and users are served by processor time. Start-time fair queueing, as scheduler.h does for devices;
 * but nothing has to be estimated, since a slice is measured as it runs and ends when its time is over. The user who
 * had least is next; in a round no user gets more than one budget ahead of that one; then the loop polls again, so that
 * a new user waits little. An idle user earns no credit and loses none: on return its virtual time becomes the current
 * one. Owned by server.c; entries are those of connection.c and listener.c, users those of sessions.c.
 */
#ifndef GF_FRONT_LOOP_QUEUE_H
#define GF_FRONT_LOOP_QUEUE_H

#include <uv.h>

#include "server/front/base/list.h"
#include "server/front/base/users.h"

#define GF_LOOP_BUDGET_NS UINT64_C(250000) /* of a user in a round */
#define GF_LOOP_ROUND_NS UINT64_C(500000)  /* after which the loop polls, though not everybody had his turn */
#define GF_LOOP_NOBODY ((gf_user_id)-1)    /* whose turns are not of a user: listening */

struct gf_loop_queue_user;

struct gf_loop_queue {
    struct gf_node users;      /* with something ready */
    struct gf_node idle_users; /* without */
    uint64_t virtual_ns;       /* what the one had who had least at the last round */
    uint64_t end_ns;           /* of the turn, by the clock; 0 between turns */
    uint64_t (*clock)(void);
    void (*used)(void *data, gf_user_id id, uint64_t ns); /* a user had so much time; NULL: nobody asks */
    void *data;
    bool running; /* in a loop */
    uv_check_t check;
    uv_idle_t idle; /* keeps the loop from waiting while something is ready */
};

/* Something that may be ready. */
struct gf_loop_queue_entry {
    struct gf_node node; /* in its user's list while it is */
    struct gf_loop_queue *queue;
    struct gf_loop_queue_user *user;
    /* Goes on with what there is until it is done or gf_loop_queue_spent; then it adds the entry again. The entry is
     * not in the list any more; it may be freed. */
    void (*go)(struct gf_loop_queue_entry *entry);
};

void gf_loop_queue_init(struct gf_loop_queue *queue, uint64_t (*clock)(void));
/* Each iteration of the loop has a round after it polled. */
void gf_loop_queue_start(struct gf_loop_queue *queue, uv_loop_t *loop);
/* Nothing runs any more. Its handles are closed. */
void gf_loop_queue_close(struct gf_loop_queue *queue);
/* All references are given back. */
void gf_loop_queue_deinit(struct gf_loop_queue *queue);

/* A reference to the user, who is made where there is none; NULL without memory. What a user has had is remembered
 * beyond the last reference, as long as it is more than others had. */
struct gf_loop_queue_user *gf_loop_queue_user_get(struct gf_loop_queue *queue, gf_user_id id);
/* Takes NULL. */
void gf_loop_queue_user_put(struct gf_loop_queue *queue, struct gf_loop_queue_user *user);

/* The reference to the user stays the caller's, and must outlive the entry. */
void gf_loop_queue_entry_init(struct gf_loop_queue_entry *entry, struct gf_loop_queue *queue,
                              struct gf_loop_queue_user *user, void (*go)(struct gf_loop_queue_entry *entry));
/* It is ready. Twice is once. */
void gf_loop_queue_add(struct gf_loop_queue_entry *entry);
/* It is not ready any more, or never was. */
void gf_loop_queue_remove(struct gf_loop_queue_entry *entry);
/* Whether it is ready, and waits for its turn. */
bool gf_loop_queue_waits(const struct gf_loop_queue_entry *entry);

/* Whether the present turn is over: what can stop now, stops. Between turns it is. */
bool gf_loop_queue_spent(const struct gf_loop_queue *queue);
/* So much was done for the user beside his turns. Takes NULL. */
void gf_loop_queue_charge(struct gf_loop_queue *queue, struct gf_loop_queue_user *user, uint64_t ns);

/* One round; called by the loop. */
void gf_loop_queue_round(struct gf_loop_queue *queue);

#endif

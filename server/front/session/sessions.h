/* SPDX-License-Identifier: MIT */
/* All sessions of a server and their shared state. Called by server_start.c and server.c; session*.c work on it. */
#ifndef GF_FRONT_SESSIONS_H
#define GF_FRONT_SESSIONS_H

#include <uv.h>

#include "connection.h"
#include "server/front/base/identity.h"
#include "server/front/base/options.h"
#include "server/front/resource/wait_queue.h"
#include "server/front/schedule/dispatcher.h"

struct gf_session;

/* Who connects. */
struct gf_peer {
    gf_user_id id;    /* who it counts as */
    gf_user_id owner; /* whose data it has: its uid, or the same where the user has a name */
    pid_t pid;        /* of the process at the other end, which may be a proxy */
};

#define GF_TRIM_BYTES (1u << 20) /* of unread answers; after more, freed memory goes back to the system */
#define GF_RETRY_MS 1000u        /* told to a client that is one too many */

struct gf_sessions {
    /* Set by the owner before gf_sessions_init. */
    uv_loop_t *loop;
    struct gf_dispatcher *dispatcher;
    struct gf_workers *workers;
    struct gf_staging *staging;
    struct gf_memories *memories;
    struct gf_quota *quota;
    struct gf_users *names;                 /* of users who have one; NULL: nobody has */
    const struct gf_identities *identities; /* who clients count as; NULL: as their uids */
    const struct gf_uids *proxies;          /* whose connections begin with a PROXY protocol header; NULL: nobody's */
    uint64_t fd_budget;                     /* connections that there are descriptors for; 0: any number */
    uint64_t memory;                        /* of the machine, for totals that are made from it; 0: they have none */
    struct gf_fd_closer *closer;            /* or NULL */
    const struct gf_options *options;
    void (*ended)(void *data);   /* a session is gone, and its descriptor too */
    void (*changed)(void *data); /* a device became ready, or went; or NULL */
    void *data;

    struct gf_loop_queue loop_queue; /* turns of users on the loop */
    struct gf_connection_limits limits;
    struct gf_node list;
    struct gf_node proxied;          /* connections without their PROXY protocol header yet (proxied.c) */
    struct gf_node onlookers;        /* sessions without a place, the oldest first (places.c) */
    struct gf_wait_queue wait_queue; /* requests that wait for room */
    uint32_t n, n_proxied;           /* sessions and those without their header; the latter */
    uint32_t last_key;               /* of resident buffers */
    bool draining;
    bool untrimmed;                   /* answers took much memory that the system has not got back */
    struct gf_program program;        /* scratch: the request that is being looked at, */
    struct gf_program fused;          /* and as a worker runs it */
    uint8_t frame[GF_MAX_FRAME_HEAD]; /* scratch: the frame that is being written */
};

/* The receiver of the dispatcher's answers, with the sessions as data. */
extern const struct gf_dispatcher_ops gf_sessions_dispatcher_ops;

void gf_sessions_init(struct gf_sessions *sessions);
/* Takes over new values of options. */
void gf_sessions_configure(struct gf_sessions *sessions);
/* Closes its handles; all sessions are gone. */
void gf_sessions_close(struct gf_sessions *sessions);

/* A client has connected; takes the descriptor in any case. A client that is one too many is told so. */
void gf_sessions_accept(struct gf_sessions *sessions, int fd, uid_t uid, pid_t pid);

/* The same of one whose user is known, and pays for the time since begin_ns. Takes the reference to the name of a user
 * who has one. */
void gf_sessions_admit(struct gf_sessions *sessions, int fd, const struct gf_peer *peer, uint64_t begin_ns);
/* One ERROR frame with id 0 for a client that gets no session; takes the descriptor. */
void gf_sessions_turn_away(struct gf_sessions *sessions, int fd, const struct gf_peer *peer,
                           const struct gf_error *error);
/* Counts and logs that a connection was refused. */
void gf_sessions_refused(struct gf_sessions *sessions, const struct gf_peer *peer, const struct gf_error *error);

/* Once in a second, while draining more often. */
void gf_sessions_check(struct gf_sessions *sessions, uint64_t now_ns);
/* So many nanoseconds do not count: the daemon stood still. */
void gf_sessions_forgive(struct gf_sessions *sessions, uint64_t ns, uint64_t now_ns);
/* Tells all clients that the server is going, answers what they have sent by now, and ends each session then. */
void gf_sessions_drain(struct gf_sessions *sessions);
/* Answers SHUTDOWN to what is left and closes everything. */
void gf_sessions_shut(struct gf_sessions *sessions);

/* Connections may be read again whose user had too much that was not closed. */
void gf_sessions_freed(struct gf_sessions *sessions);
/* There may be room for who waits. */
void gf_sessions_kick(struct gf_sessions *sessions);

#endif

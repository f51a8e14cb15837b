/* SPDX-License-Identifier: MIT */
/* All sessions of a server and their shared state. Called by server_start.c and server.c; used by session*.c. */
#ifndef GF_FRONT_SESSIONS_H
#define GF_FRONT_SESSIONS_H

#include <uv.h>

#include "connection.h"
#include "protocol/wire/metric.h"
#include "server/front/base/identity.h"
#include "server/front/base/options.h"
#include "server/front/resource/wait_queue.h"
#include "server/front/schedule/dispatcher.h"

struct gf_session;

/* A client that connects. */
struct gf_peer {
    gf_user_id id;    /* the identity that is accounted */
    gf_user_id owner; /* the owner of its data: the uid, or `id` if the user has a name */
    pid_t pid;        /* of the process at the other end, which may be a proxy */
};

/* Bytes of unread answers; above this, freed memory is later returned to the system. */
#define GF_TRIM_BYTES (1u << 20)
#define GF_RETRY_MS 1000u /* sent to a client that exceeds the limit of connections */

struct gf_sessions {
    /* Set by the owner before gf_sessions_init. */
    uv_loop_t *loop;
    struct gf_dispatcher *dispatcher;
    struct gf_workers *workers;
    struct gf_staging *staging;
    struct gf_memories *memories;
    struct gf_quota *quota;
    struct gf_users *names;                 /* of users who have one; may be NULL */
    const struct gf_identities *identities; /* maps clients to users; NULL: the uid is the user */
    const struct gf_uids *proxies;          /* users whose connections begin with a PROXY header; may be NULL */
    uint64_t fd_budget;                     /* connections for which there are descriptors; 0: unlimited */
    uint64_t memory;                        /* of the machine, for totals derived from it; 0: no such totals */
    struct gf_fd_closer *closer;            /* may be NULL */
    const struct gf_options *options;
    char node[GF_MAX_DEVICE_NAME + 1]; /* this machine's name for clients */
    void (*ended)(void *data);         /* a session and its descriptor are gone */
    void (*changed)(void *data);       /* a device became ready or absent; may be NULL */
    void *data;

    struct gf_loop_queue loop_queue; /* the users' turns on the loop thread */
    struct gf_connection_limits limits;
    struct gf_node list;
    struct gf_node proxied;          /* connections whose PROXY protocol header has not arrived (proxied.c) */
    struct gf_node onlookers;        /* sessions without a place, oldest first (places.c) */
    struct gf_wait_queue wait_queue; /* requests that wait for room */
    uint32_t n, n_proxied;           /* n includes n_proxied, the connections without their header */
    uint64_t last_key;               /* of resident buffers; never used again */
    uint64_t last_number;            /* of the latest session */
    bool draining;
    bool untrimmed;                   /* freed memory of large answers has not been returned to the system */
    struct gf_program program;        /* scratch: the request that is being decoded */
    struct gf_program fused;          /* scratch: the same request as a worker runs it */
    uint8_t frame[GF_MAX_FRAME_HEAD]; /* scratch: the frame that is being written */
};

/* Receives the dispatcher's answers, with the sessions as data. */
extern const struct gf_dispatcher_ops gf_sessions_dispatcher_ops;

void gf_sessions_init(struct gf_sessions *sessions);
/* Applies changed options. */
void gf_sessions_configure(struct gf_sessions *sessions);
/* Closes the handles. All sessions must be gone. */
void gf_sessions_close(struct gf_sessions *sessions);

/* Accepts a client; takes the descriptor in any case. A client beyond the limit receives an ERROR frame. */
void gf_sessions_accept(struct gf_sessions *sessions, int fd, uid_t uid, pid_t pid);

/* Admits a client whose user is known; the user pays for the time since begin_ns. Takes the reference to the user's
 * name if the user has one. */
void gf_sessions_admit(struct gf_sessions *sessions, int fd, const struct gf_peer *peer, uint64_t begin_ns);
/* Sends one ERROR frame with id 0 to a client that gets no session; takes the descriptor. */
void gf_sessions_reject(struct gf_sessions *sessions, int fd, const struct gf_peer *peer, const struct gf_error *error);
/* Counts and logs a refused connection. */
void gf_sessions_refused(struct gf_sessions *sessions, const struct gf_peer *peer, const struct gf_error *error);

/* Called once a second, more often while draining. */
void gf_sessions_check(struct gf_sessions *sessions, uint64_t now_ns);
/* Excludes `ns` from all time limits, because the daemon did not run. */
void gf_sessions_extend(struct gf_sessions *sessions, uint64_t ns, uint64_t now_ns);
/* Tells all clients that the server is shutting down, answers what they have sent by now, then ends each session. */
void gf_sessions_drain(struct gf_sessions *sessions);
/* Answers SHUTDOWN to all pending requests and closes everything. */
void gf_sessions_shut(struct gf_sessions *sessions);

/* Writes families of metrics into the body of an answer, from `next` on (gf_metric_writer_init; metrics_report.c). Only
 * root, the daemon's own user and the daemon itself (NULL) see the metrics of all users. */
void gf_metrics_report(const struct gf_sessions *all, const struct gf_account *asker, uint32_t next,
                       struct gf_writer *w);
/* Writes what drivers tell about GPUs, as a part of the above. (metrics_gpus.c) */
void gf_gpus_report(const struct gf_workers *workers, struct gf_metric_writer *m);

/* Resumes connections whose user had too many descriptors to close. */
void gf_sessions_freed(struct gf_sessions *sessions);
/* There may be room for waiting requests. */
void gf_sessions_kick(struct gf_sessions *sessions);

#endif

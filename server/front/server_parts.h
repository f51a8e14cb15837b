/* SPDX-License-Identifier: MIT */
/*
 * The parts of the daemon, and what its start needs from the rest. Shared by server_start.c, which assembles the parts,
 * and server.c, which runs and ends them.
 */
#ifndef GF_FRONT_SERVER_PARTS_H
#define GF_FRONT_SERVER_PARTS_H

#include "protocol/service/notify.h"
#include "server.h"
#include "server/front/session/listener.h"
#include "server/front/session/metrics_listener.h"
#include "server/front/session/sessions.h"
#include "server/front/worker/spawner.h"

#define GF_MAX_LISTENERS 16u

enum gf_phase {
    GF_PHASE_STARTING, /* none of the daemon's own devices is ready yet */
    GF_PHASE_SERVING,
    GF_PHASE_DRAINING, /* no new clients */
    GF_PHASE_STOPPING, /* all requests answered or timed out; the workers end */
    GF_PHASE_OVER      /* handles are closed */
};

struct gf_server {
    struct gf_options *options;
    int argc;
    char *const *argv;
    uv_loop_t loop;
    struct gf_fd_closer *closer;
    struct gf_notify notify;
    struct gf_quota quota;
    struct gf_users names;
    struct gf_identities identities;
    struct gf_uids proxies;
    struct gf_memories memories;
    struct gf_staging staging;
    struct gf_workers workers;
    struct gf_metrics metrics;
    struct gf_dispatcher dispatcher;
    struct gf_sessions sessions;
    struct gf_spawner *spawner; /* NULL: no process is started here */
    struct gf_listener listeners[GF_MAX_LISTENERS], worker_listener;
    struct gf_metrics_listener metrics_listener;
    uint32_t n_listeners;
    bool units; /* systemd has passed the socket on which workers join */
    uv_signal_t signals[3];
    uv_timer_t sweep, watchdog, idle;
    uv_prepare_t turn;
    uint64_t fd_budget; /* connections for which there are enough descriptors */
    uint64_t phase_ns, sweep_ns;
    uint64_t turn_cpu_ns; /* the loop thread's processor time at the last poll */
    enum gf_phase phase;
    int exit_code;
    char config_note[GF_ERROR_TEXT + 64]; /* systemd's remark on the last reload; may be empty */
};

/* Reads what depends on system files: owners of subordinate uids, and the uids of proxies. */
void gf_server_read_users(struct gf_server *s);
/* Starts signals and timers. */
void gf_server_init_handles(struct gf_server *server);
/* The daemon is ready: says so to systemd and to the process that passed --ready-fd. */
void gf_server_serve(struct gf_server *s);
/* Writes READY or the reason of failure for the process that passed --ready-fd; only the first call counts. */
void gf_server_tell_starter(struct gf_options *options, const char *text);
/* For gf_listener_start: a client has connected. */
void gf_server_accepted(void *data, int fd, const struct ucred *peer);
/* For gf_sessions: a session ended, or a device changed. */
void gf_server_session_ended(void *data);
void gf_server_devices_changed(void *data);
/* For gf_fd_closer_start. */
extern const struct gf_fd_closer_ops gf_server_closer_ops;
/* Starts or stops the idle-exit timer. */
void gf_server_watch_idle(struct gf_server *server);
/* Begins the shutdown: no new clients. */
void gf_server_drain(struct gf_server *server, const char *why);

#endif

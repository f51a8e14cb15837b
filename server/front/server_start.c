/* SPDX-License-Identifier: MIT */
/*
 * Starts the daemon: its parts, its sockets, its workers, and the sandbox before a client's first byte. server.c runs
 * it from then on. Called by main.c.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "devices.h"
#include "protocol/base/clock.h"
#include "protocol/base/machine.h"
#include "protocol/sandbox/sandbox.h"
#include "server/front/base/log.h"
#include "server_parts.h"

#define FIRST_SEGMENT ((uint64_t)4 << 20)
#define PUBLIC_DIRECTORY "/run/gpufilter/"

/* Raises the limit of open files as far as the system allows; returns the limit. */
static uint64_t raise_fd_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    limit.rlim_cur = limit.rlim_max < GF_USEFUL_FDS ? limit.rlim_max : GF_USEFUL_FDS;
    setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

/* The number of connections for this limit. If it is low, some descriptors are kept for arenas. */
static uint64_t budget(uint64_t n_fds)
{
    return n_fds > 4 * GF_RESERVED_FDS ? n_fds - GF_RESERVED_FDS : (n_fds - GF_RESERVED_FDS) / 2;
}

/* Adopts the sockets passed by systemd: for clients, at most one on which workers join, and at most one for metrics. */
static enum gf_status adopt_listeners(struct gf_server *s, struct gf_error *err)
{
    int metrics;
    uint32_t n = gf_listen_fds(&metrics);
    if (metrics >= 0 && gf_metrics_listener_adopt(&s->metrics_listener, metrics, err) != GF_OK)
        return GF_E_BAD_ARGUMENT;
    for (uint32_t i = 0; i < n && i < GF_MAX_LISTENERS; i++) {
        struct gf_listener listener = GF_LISTENER_NULL;
        if (GF_LISTEN_FDS_START + (int)i == metrics)
            continue;
        int type;
        enum gf_status status = gf_listener_adopt(&listener, GF_LISTEN_FDS_START + (int)i, &type, err);
        if (status != GF_OK)
            return status;
        if (type == SOCK_STREAM)
            s->listeners[s->n_listeners++] = listener;
        else if (s->worker_listener.fd < 0 && !s->options->worker_socket[0])
            s->worker_listener = listener;
        else
            return gf_error_set(
                err, GF_E_BAD_ARGUMENT,
                "a second socket for workers; at most one may be passed, and none if worker-socket is set");
    }
    return GF_OK;
}

static enum gf_status open_listeners(struct gf_server *s, struct gf_error *err)
{
    const struct gf_options *o = s->options;
    enum gf_status adopted = adopt_listeners(s, err);
    if (adopted != GF_OK || s->n_listeners > 0)
        return adopted;
    const char *path = o->socket[0] ? o->socket : GF_DEFAULT_SOCKET;
    bool public = strncmp(path, PUBLIC_DIRECTORY, strlen(PUBLIC_DIRECTORY)) == 0;
    mode_t mode = o->socket_mode ? (mode_t)o->socket_mode : public ? 0660 : 0600;
    enum gf_status status = gf_listener_bind(&s->listeners[0], path, SOCK_STREAM, mode, err);
    if (status == GF_OK)
        s->n_listeners = 1;
    return status;
}

static void init_parts(struct gf_server *s)
{
    const struct gf_options *o = s->options;
    gf_memories_init(&s->memories);
    s->memories.closer = s->sessions.closer = s->worker_listener.closer = s->closer;
    for (uint32_t i = 0; i < GF_MAX_LISTENERS; i++)
        s->listeners[i].closer = s->closer;
    gf_staging_init(&s->staging, &s->memories, o->staging_segment, o->staging_max);
    gf_workers_init(&s->workers, &s->loop, &s->memories, &gf_dispatcher_workers_ops, &s->dispatcher);
    s->workers.scratch = gf_options_worker_scratch(o);
    s->workers.deaths = &o->worker_deaths;
    s->workers.timeout_ms = &o->worker_timeout_ms;
    s->workers.idle_ms = &o->idle_release_ms;
    gf_metrics_init(&s->metrics, gf_now_ns());
    gf_dispatcher_init(&s->dispatcher, &s->loop, &s->workers, &gf_sessions_dispatcher_ops, &s->sessions);
    s->dispatcher.metrics = &s->metrics;
    s->sessions.loop = &s->loop;
    s->sessions.dispatcher = &s->dispatcher;
    s->sessions.workers = &s->workers;
    s->sessions.staging = &s->staging;
    s->sessions.memories = &s->memories;
    s->identities.kind = (enum gf_identity_kind)o->user_identity;
    gf_server_read_users(s);
    s->quota.who = gf_identity_word(s->identities.kind);
    s->quota.names = s->dispatcher.names = s->sessions.names = &s->names;
    s->sessions.quota = &s->quota;
    s->sessions.identities = &s->identities;
    s->sessions.proxies = &s->proxies;
    s->sessions.fd_budget = s->fd_budget;
    s->sessions.memory = gf_machine_memory("");
    s->sessions.options = o;
    gf_options_node_name(o, s->sessions.node);
    s->sessions.ended = gf_server_session_ended;
    s->sessions.changed = gf_server_devices_changed;
    s->sessions.data = s;
    gf_sessions_init(&s->sessions);
}

static bool others_join(const struct gf_server *s)
{
    return s->options->worker_socket[0] || s->worker_listener.fd >= 0;
}

static void on_worker_joined(void *data, int fd, const struct ucred *peer)
{
    struct gf_server *s = data;
    /* For a socket that was passed, the process that made it decides who may connect. */
    bool ours = s->worker_listener.lock >= 0;
    if (ours && peer->uid != geteuid()) {
        gf_log(GF_LOG_WARNING, "worker refused: it runs as a different user uid=%u", (unsigned)peer->uid);
        close(fd);
        return;
    }
    gf_workers_join(&s->workers, fd, peer->pid);
}

static enum gf_status await_workers(struct gf_server *s, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    if (s->options->worker_socket[0])
        status = gf_listener_bind(&s->worker_listener, s->options->worker_socket, SOCK_SEQPACKET, 0600, err);
    if (status == GF_OK)
        status = gf_listener_start(&s->worker_listener, &s->loop, &s->sessions.loop_queue, on_worker_joined, s, err);
    return status;
}

/* Without the spawner a dead worker cannot be replaced, so the daemon ends and is restarted by its supervisor. */
static void on_spawner_lost(void *data)
{
    struct gf_server *s = data;
    gf_log(GF_LOG_ERROR, "the process that starts workers was killed");
    s->exit_code = GF_EXIT_OS;
    gf_server_drain(s, "no worker can be started any more");
}

/* Whether the daemon itself starts a worker. */
static bool starts_any(const struct gf_server *s)
{
    for (uint32_t i = 0; i < s->workers.n; i++)
        if (!s->workers.list[i]->elsewhere)
            return true;
    return false;
}

/* Starts the spawner, if it has anything to start. */
static enum gf_status start_spawner(struct gf_server *s, struct gf_error *err)
{
    char worker[PATH_MAX], metrics[PATH_MAX];
    const char *programs[GF_SPAWNER_PROGRAMS] = {NULL};
    enum gf_status status = GF_OK;
    if (starts_any(s)) {
        status = gf_worker_program(s->options->worker, worker, sizeof(worker), err);
        programs[GF_SPAWNER_WORKER] = worker;
    }
    if (status == GF_OK && s->metrics_listener.socket.fd >= 0) {
        status = gf_metrics_program(metrics, sizeof(metrics), err);
        programs[GF_SPAWNER_METRICS] = metrics;
    }
    if (status != GF_OK || (!programs[GF_SPAWNER_WORKER] && !programs[GF_SPAWNER_METRICS]))
        return status;
    return gf_spawner_start(&s->loop, programs, s->options->sandbox, on_spawner_lost, s, &s->spawner, err);
}

static enum gf_status start_metrics(struct gf_server *s, struct gf_error *err)
{
    s->metrics_listener.sessions = &s->sessions;
    s->metrics_listener.spawner = s->spawner;
    s->metrics_listener.loop = &s->loop;
    return gf_metrics_listener_start(&s->metrics_listener, err);
}

static void start_workers(struct gf_server *s)
{
    s->workers.spawner = s->spawner;
    s->workers.device_memory = s->options->device_memory;
    s->workers.host_mapped_max = gf_machine_host_mapped("", s->workers.n - (s->workers.cpu != NULL));
    s->workers.oom_fd = gf_machine_oom_open(""); /* while the front may open files */
    s->workers.oom_kills = gf_machine_oom_kills(s->workers.oom_fd);
    gf_workers_start(&s->workers);
    if (s->units && !starts_any(s))
        gf_server_serve(s); /* its devices come when their units do, and systemd would end what is not ready in time */
}

/* The directory of the file, with a trailing slash. */
static const char *folder_of(const char *path, char *ret_folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(ret_folder, size, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    return ret_folder;
}

/* Gives up the rights that serving does not need, before a client's first byte. The front keeps the rights to reload
 * the configuration, to read about clients in /proc, and to remove its sockets at the end. */
static void close_sandbox(struct gf_server *s)
{
    const struct gf_options *o = s->options;
    char config[PATH_MAX], sockets[GF_MAX_LISTENERS + 2][sizeof(s->worker_listener.path)];
    struct gf_sandbox_path paths[GF_MAX_LISTENERS + 5] = {
        {folder_of(o->config[0] ? o->config : GF_CONFIG_PATH, config, sizeof(config)), GF_SANDBOX_READ},
        {"/etc", GF_SANDBOX_READ},
        {"/proc", GF_SANDBOX_READ},
    };
    size_t n = 3;
    for (uint32_t i = 0; i < s->n_listeners + 2; i++) {
        const struct gf_listener *l = i < s->n_listeners    ? &s->listeners[i]
                                      : i == s->n_listeners ? &s->worker_listener
                                                            : &s->metrics_listener.socket;
        if (l->lock >= 0)
            paths[n++] = (struct gf_sandbox_path){folder_of(l->path, sockets[i], sizeof(sockets[i])),
                                                  GF_SANDBOX_READ | GF_SANDBOX_REMOVE};
    }
    struct gf_error error = {0};
    int landlock;
    if (gf_sandbox_confine(GF_SANDBOX_FRONT, paths, n, &landlock, &error) != GF_OK)
        gf_log(GF_LOG_WARNING, "%s", error.text);
    if (gf_sandbox_filter(GF_SANDBOX_FRONT, &error) != GF_OK)
        gf_log(GF_LOG_WARNING, "%s", error.text);
    gf_log(GF_LOG_DEBUG, "sandbox closed landlock=%d", landlock);
}

/* Size of the first staging segment. A GPU must pin it, which takes long, so there it is large enough for most
 * requests. Without a GPU a small segment makes the daemon ready sooner. */
static uint64_t first_segment(const struct gf_server *s)
{
    bool gpu = others_join(s);
    for (uint32_t i = 0; i < s->workers.n; i++)
        gpu |= !gf_worker_is_cpu(s->workers.list[i]);
    return gpu ? s->options->staging_segment : FIRST_SEGMENT;
}

/* Gives up the rights that not even the start needs, among them that to make sockets of the network. */
static void enter_sandbox(void)
{
    struct gf_error error = {0};
    int landlock;
    gf_sandbox_harden();
    if (gf_sandbox_confine(GF_SANDBOX_START, NULL, 0, &landlock, &error) != GF_OK)
        gf_log(GF_LOG_WARNING, "%s", error.text);
    if (gf_sandbox_filter(GF_SANDBOX_START, &error) != GF_OK)
        gf_log(GF_LOG_WARNING, "%s", error.text);
}

static enum gf_status start(struct gf_server *s, struct gf_error *err)
{
    const struct gf_options *o = s->options;
    enum gf_status status = gf_identity_check(s->identities.kind, "", err);
    if (status == GF_OK)
        status = gf_fd_closer_start(s->closer, &s->loop, &gf_server_closer_ops, s, err);
    if (status == GF_OK)
        status = open_listeners(s, err);
    s->units = s->worker_listener.fd >= 0;
    if (status == GF_OK)
        status = gf_metrics_listener_bind(&s->metrics_listener, err);
    if (status == GF_OK)
        status = gf_devices_add(&s->workers, &(struct gf_devices){o->devices, "", s->units}, err);
    for (uint32_t i = 0; i < s->n_listeners && status == GF_OK; i++)
        status = gf_listener_start(&s->listeners[i], &s->loop, &s->sessions.loop_queue, gf_server_accepted, s, err);
    if (status != GF_OK)
        return status;
    if (s->workers.n == 0 && !others_join(s))
        return gf_error_set(err, GF_E_BAD_PARAM, "devices=none requires worker-socket, on which workers join");
    if (others_join(s))
        status = await_workers(s, err);
    if (status == GF_OK)
        status = start_spawner(s, err);
    if (status == GF_OK && s->metrics_listener.socket.fd >= 0)
        status = start_metrics(s, err);
    if (status != GF_OK)
        return status;
    start_workers(s);
    gf_staging_warm(&s->staging, first_segment(s)); /* while the workers start */
    if (o->sandbox)
        close_sandbox(s);
    return GF_OK;
}

enum gf_status gf_server_new(struct gf_options *options, int argc, char *const *argv, struct gf_server **ret_server,
                             struct gf_error *err)
{
    uint64_t n_fds = raise_fd_limit();
    struct gf_error error = {0};
    struct gf_fd_closer *closer = NULL;
    struct gf_server *s = NULL;
    struct gf_metrics_listener metrics = GF_METRICS_LISTENER_NULL;
    enum gf_status status = gf_metrics_listener_prepare(&metrics, options->metrics_listen, &error);
    if (options->sandbox)
        enter_sandbox();
    if (status == GF_OK && gf_fd_closer_new(n_fds, &closer, &error) == GF_OK) {
        s = calloc(1, sizeof(*s));
        if (!s || uv_loop_init(&s->loop) < 0)
            gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
    }
    if (error.status != GF_OK) {
        gf_server_tell_starter(options, error.text);
        free(s);
        gf_metrics_listener_stop(&metrics);
        gf_fd_closer_free(closer);
        return gf_error_set(err, error.status, "%s", error.text);
    }
    s->closer = closer;
    s->options = options;
    s->argc = argc;
    s->argv = argv;
    s->worker_listener = GF_LISTENER_NULL;
    s->metrics_listener = metrics;
    for (uint32_t i = 0; i < GF_MAX_LISTENERS; i++)
        s->listeners[i] = GF_LISTENER_NULL;
    if (options->ready_fd > 0)
        fcntl((int)options->ready_fd, F_SETFD, FD_CLOEXEC); /* workers must not keep the other end waiting */
    s->fd_budget = budget(n_fds);
    gf_notify_init(&s->notify);
    gf_server_init_handles(s);
    init_parts(s);
    if (start(s, &error) != GF_OK) {
        gf_server_tell_starter(options, error.text);
        gf_server_free(s);
        return gf_error_set(err, error.status, "%s", error.text);
    }
    *ret_server = s;
    return GF_OK;
}

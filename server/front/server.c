/* SPDX-License-Identifier: MIT */
/*
 * The daemon as a whole; see server.h. It ends in steps, each looked at by the sweep: no new clients; all answered or
 * time over; workers gone; handles closed.
 */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "devices.h"
#include "protocol/base/clock.h"
#include "protocol/base/machine.h"
#include "server/front/base/log.h"
#include "server/front/base/notify.h"
#include "server/front/session/listener.h"
#include "server/front/session/sessions.h"
#include "server/front/worker/spawner.h"
#include "server/sandbox/sandbox.h"

#define FIRST_SEGMENT ((uint64_t)4 << 20)
#define PUBLIC_DIRECTORY "/run/gpufilter/"
#define MAX_LISTENERS 16u
#define SWEEP_MS 1000u
#define ENDING_SWEEP_MS 10u
#define LATE_NS (2 * GF_NS_PER_S)       /* between two sweeps, after which the daemon itself was late */
#define WORKER_END_NS (2 * GF_NS_PER_S) /* after which workers are killed, and after twice that left alone */

enum phase { PHASE_STARTING, PHASE_SERVING, PHASE_DRAINING, PHASE_STOPPING, PHASE_OVER };

struct gf_server {
    struct gf_options *options;
    int argc;
    char *const *argv;
    uv_loop_t loop;
    struct gf_fd_closer *closer;
    struct gf_notify notify;
    struct gf_quota quota;
    struct gf_identities identities;
    struct gf_memories memories;
    struct gf_staging staging;
    struct gf_workers workers;
    struct gf_metrics metrics;
    struct gf_dispatcher dispatcher;
    struct gf_sessions sessions;
    struct gf_spawner *spawner; /* NULL: no worker is started here */
    struct gf_listener listeners[MAX_LISTENERS], worker_listener;
    uint32_t n_listeners;
    uv_signal_t signals[3];
    uv_timer_t sweep, watchdog, idle;
    uint64_t fd_budget; /* connections that leave enough descriptors for the rest */
    uint64_t phase_ns, sweep_ns;
    enum phase phase;
    int exit_code;
    char config_note[GF_ERROR_TEXT + 64]; /* what systemd shows of the configuration last read again; "": nothing */
};

static void on_sweep(uv_timer_t *timer);

static void enter(struct gf_server *s, enum phase phase)
{
    s->phase = phase;
    s->phase_ns = gf_now_ns();
    if (phase >= PHASE_DRAINING)
        uv_timer_start(&s->sweep, on_sweep, 0, ENDING_SWEEP_MS);
}

/* The one who started it with --ready-fd learns how it went. */
static void tell_starter(struct gf_options *options, const char *text)
{
    char line[GF_ERROR_TEXT + 34];
    if (options->ready_fd == 0)
        return;
    int fd = (int)options->ready_fd;
    options->ready_fd = 0;
    snprintf(line, sizeof(line), "%s\n", text);
    ssize_t n = write(fd, line, strlen(line));
    if (n < 0)
        gf_log(GF_LOG_DEBUG, "nobody reads the ready descriptor: %s", strerror(errno));
    close(fd);
}

static void begin_drain(struct gf_server *s, const char *why)
{
    if (s->phase >= PHASE_DRAINING)
        return;
    gf_log(GF_LOG_NOTICE, "ending: %s connections=%u", why, s->sessions.n);
    gf_notify_send(&s->notify, "STOPPING=1\nSTATUS=Answering what was accepted");
    for (uint32_t i = 0; i < s->n_listeners; i++)
        gf_listener_stop(&s->listeners[i]);
    gf_sessions_drain(&s->sessions);
    enter(s, PHASE_DRAINING);
}

static void on_idle(uv_timer_t *timer)
{
    begin_drain(timer->data, "idle");
}

static void watch_idle(struct gf_server *s)
{
    if (s->options->idle_exit_ms == 0 || s->phase >= PHASE_DRAINING)
        return;
    if (s->sessions.n > 0)
        uv_timer_stop(&s->idle);
    else
        uv_timer_start(&s->idle, on_idle, s->options->idle_exit_ms, 0);
}

static void on_accepted(void *data, int fd, const struct ucred *peer)
{
    struct gf_server *s = data;
    gf_sessions_accept(&s->sessions, fd, peer->uid, peer->pid);
    if (s->sessions.n + gf_fd_closer_waiting(s->closer) >= s->fd_budget)
        for (uint32_t i = 0; i < s->n_listeners; i++)
            gf_listener_pause(&s->listeners[i]);
    watch_idle(s);
}

static void on_session_ended(void *data)
{
    struct gf_server *s = data;
    for (uint32_t i = 0; i < s->n_listeners; i++)
        gf_listener_resume(&s->listeners[i]);
    watch_idle(s);
}

static void on_freed(void *data)
{
    struct gf_server *s = data;
    gf_sessions_freed(&s->sessions);
    on_session_ended(s);
}

/* Without them the next descriptor that does not close would hang the front. */
static void on_closer_lost(void *data)
{
    struct gf_server *s = data;
    gf_log(GF_LOG_ERROR, "the process that closes descriptors has ended");
    s->exit_code = GF_EXIT_OS;
    begin_drain(s, "nobody closes descriptors");
}

static const struct gf_fd_closer_ops g_closer_ops = {.freed = on_freed, .lost = on_closer_lost};

static void on_worker_joined(void *data, int fd, const struct ucred *peer)
{
    struct gf_server *s = data;
    /* Who may connect to a socket that was passed is for who made it to say. */
    bool ours = s->worker_listener.lock >= 0;
    if (ours && peer->uid != geteuid()) {
        gf_log(GF_LOG_WARNING, "worker refused: it runs as another user uid=%u", (unsigned)peer->uid);
        close(fd);
        return;
    }
    gf_workers_join(&s->workers, fd, peer->pid);
}

/* The status that systemd shows: the devices, whose text is given back, and what is to be said of the configuration. */
static void tell_status(struct gf_server *s, char *ret_devices, size_t size)
{
    struct gf_device_entry devices[GF_MAX_DEVICES];
    uint32_t n;
    gf_workers_describe(&s->workers, devices, &n, ret_devices, size);
    if (s->phase < PHASE_DRAINING)
        gf_notify_send(&s->notify, "STATUS=%s%s%s", ret_devices, s->config_note[0] != '\0' ? "; " : "", s->config_note);
}

/* READY with the first device, or the end when there will be none. */
static void look_at_devices(struct gf_server *s)
{
    bool usable = false;
    for (uint32_t i = 0; i < s->workers.n; i++) {
        const struct gf_worker *w = s->workers.list[i];
        usable |= gf_worker_usable(w);
        if (s->phase == PHASE_STARTING && gf_worker_device_state(w) == GF_DEVICE_READY) {
            enter(s, PHASE_SERVING);
            tell_starter(s->options, "READY");
            gf_log(GF_LOG_NOTICE, "ready");
            gf_notify_send(&s->notify, "READY=1");
        }
    }
    char text[GF_ERROR_TEXT];
    tell_status(s, text, sizeof(text));
    if (s->phase != PHASE_STARTING || usable)
        return;
    char line[GF_ERROR_TEXT + 32];
    snprintf(line, sizeof(line), "no device can be used: %s", text);
    gf_log(GF_LOG_ERROR, "%s", line);
    tell_starter(s->options, line);
    s->exit_code = GF_EXIT_UNAVAILABLE;
    begin_drain(s, "no device");
}

static void reload(struct gf_server *s)
{
    struct gf_options options;
    struct gf_error error = {0};
    if (gf_options_init(&options, &error) != GF_OK || gf_options_parse(&options, s->argc, s->argv, &error) != GF_OK) {
        snprintf(s->config_note, sizeof(s->config_note), "configuration not changed: %s", error.text);
        gf_log(GF_LOG_ERROR, "%s", s->config_note);
        gf_options_deinit(&options);
        return;
    }
    char later[GF_ERROR_TEXT];
    gf_options_reload(s->options, &options, later, sizeof(later));
    snprintf(s->config_note, sizeof(s->config_note), "%s%s", later[0] != '\0' ? "takes effect at the next start: " : "",
             later);
    gf_options_deinit(&options);
    gf_log_set_level((enum gf_log_level)s->options->log_level);
    gf_identities_load(&s->identities, "");
    gf_sessions_configure(&s->sessions);
    gf_sessions_kick(&s->sessions);
    gf_log(GF_LOG_NOTICE, "configuration read again%s%s", later[0] != '\0' ? "; " : "", s->config_note);
}

/* As systemd wants it: whatever came of it, the service is ready again. */
static void reload_and_tell(struct gf_server *s)
{
    bool serving = s->phase == PHASE_SERVING;
    if (serving)
        gf_notify_send(&s->notify, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)(gf_now_ns() / 1000));
    reload(s);
    if (serving)
        gf_notify_send(&s->notify, "READY=1");
    char devices[GF_ERROR_TEXT];
    tell_status(s, devices, sizeof(devices));
}

static void stop_workers(struct gf_server *s)
{
    gf_sessions_shut(&s->sessions);
    gf_workers_stop(&s->workers);
    enter(s, PHASE_STOPPING);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct gf_server *s = handle->data;
    if (number == SIGHUP)
        reload_and_tell(s);
    else if (s->phase < PHASE_DRAINING)
        begin_drain(s, number == SIGTERM ? "SIGTERM" : "SIGINT");
    else if (s->phase < PHASE_OVER) {
        stop_workers(s);
        gf_workers_kill_all(&s->workers);
    }
}

static void close_handles(struct gf_server *s)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(s->signals); i++)
        uv_close((uv_handle_t *)&s->signals[i], NULL);
    uv_close((uv_handle_t *)&s->sweep, NULL);
    uv_close((uv_handle_t *)&s->watchdog, NULL);
    uv_close((uv_handle_t *)&s->idle, NULL);
    gf_listener_stop(&s->worker_listener);
    s->spawner = gf_spawner_free(s->spawner);
    gf_dispatcher_close(&s->dispatcher);
    gf_sessions_close(&s->sessions);
    gf_fd_closer_stop(s->closer);
}

/* The next step of ending, when it is due. */
static void go_on_ending(struct gf_server *s, uint64_t now)
{
    uint64_t since = now - s->phase_ns;
    if (s->phase == PHASE_DRAINING && (s->sessions.n == 0 || since > s->options->drain_timeout_ms * GF_NS_PER_MS))
        stop_workers(s);
    if (s->phase != PHASE_STOPPING)
        return;
    if (since > 2 * WORKER_END_NS)
        gf_workers_give_up(&s->workers);
    else if (since > WORKER_END_NS)
        gf_workers_kill_all(&s->workers);
    if (s->sessions.n > 0 || !gf_workers_gone(&s->workers))
        return;
    close_handles(s);
    s->phase = PHASE_OVER;
}

static void on_sweep(uv_timer_t *timer)
{
    struct gf_server *s = timer->data;
    uint64_t now = gf_now_ns(), gap = now - s->sweep_ns;
    s->sweep_ns = now;
    if (gap > LATE_NS) {
        /* Stopped, or starved. What came meanwhile has not been read, and nobody is to be judged before that. */
        gf_log(GF_LOG_NOTICE, "stood still for %.1f s", (double)gap / (double)GF_NS_PER_S);
        gf_sessions_forgive(&s->sessions, gap, now);
        s->workers.woke_ns = now;
        return;
    }
    gf_sessions_check(&s->sessions, now);
    gf_workers_check(&s->workers, now);
    gf_staging_trim(&s->staging, now);
    go_on_ending(s, now);
}

static void on_watchdog(uv_timer_t *timer)
{
    struct gf_server *s = timer->data;
    gf_notify_send(&s->notify, "WATCHDOG=1");
}

static void on_devices_changed(void *data)
{
    struct gf_server *s = data;
    gf_sessions_dispatcher_ops.changed(&s->sessions);
    look_at_devices(s);
}

static void on_task_done(void *data, struct gf_task *task, const struct gf_run_reply *reply,
                         const struct gf_error *error)
{
    struct gf_server *s = data;
    gf_sessions_dispatcher_ops.done(&s->sessions, task, reply, error);
}

static void on_worker_died(void *data, const struct gf_worker *worker)
{
    struct gf_server *s = data;
    gf_sessions_dispatcher_ops.died(&s->sessions, worker);
}

static const struct gf_dispatcher_ops g_dispatcher_ops = {
    .done = on_task_done, .died = on_worker_died, .changed = on_devices_changed};

/* As many descriptors as the system allows; how many there are. */
static uint64_t raise_fd_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    limit.rlim_cur = limit.rlim_max < GF_USEFUL_FDS ? limit.rlim_max : GF_USEFUL_FDS;
    setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

/* How many connections that makes. Where there are few, some are left for arenas. */
static uint64_t budget(uint64_t n_fds)
{
    return n_fds > 4 * GF_RESERVED_FDS ? n_fds - GF_RESERVED_FDS : (n_fds - GF_RESERVED_FDS) / 2;
}

/* The sockets that systemd passed: clients', and at most one where workers join. */
static enum gf_status adopt_listeners(struct gf_server *s, struct gf_error *err)
{
    uint32_t n = gf_listen_fds();
    for (uint32_t i = 0; i < n && i < MAX_LISTENERS; i++) {
        struct gf_listener listener = GF_LISTENER_NULL;
        int type;
        enum gf_status status = gf_listener_adopt(&listener, GF_LISTEN_FDS_START + (int)i, &type, err);
        if (status != GF_OK)
            return status;
        if (type == SOCK_STREAM)
            s->listeners[s->n_listeners++] = listener;
        else if (s->worker_listener.fd < 0 && !s->options->worker_socket[0])
            s->worker_listener = listener;
        else
            return gf_error_set(err, GF_E_BAD_ARGUMENT,
                                "a second socket for workers: one passed is enough, without worker-socket");
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

static void init_handles(struct gf_server *s)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++) {
        uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        uv_signal_start(&s->signals[i], on_signal, numbers[i]);
    }
    uv_timer_init(&s->loop, &s->sweep);
    uv_timer_init(&s->loop, &s->watchdog);
    uv_timer_init(&s->loop, &s->idle);
    s->sweep.data = s->watchdog.data = s->idle.data = s;
    uv_timer_start(&s->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    s->sweep_ns = gf_now_ns();
    uint64_t watchdog_ms = s->notify.watchdog_ns / 2 / GF_NS_PER_MS;
    if (watchdog_ms > 0)
        uv_timer_start(&s->watchdog, on_watchdog, watchdog_ms, watchdog_ms);
}

static void init_parts(struct gf_server *s)
{
    const struct gf_options *o = s->options;
    gf_memories_init(&s->memories);
    s->memories.closer = s->sessions.closer = s->worker_listener.closer = s->closer;
    for (uint32_t i = 0; i < MAX_LISTENERS; i++)
        s->listeners[i].closer = s->closer;
    gf_staging_init(&s->staging, &s->memories, o->staging_segment, o->staging_max);
    gf_workers_init(&s->workers, &s->loop, &s->memories, &gf_dispatcher_workers_ops, &s->dispatcher);
    s->workers.scratch = gf_options_worker_scratch(o);
    s->workers.deaths = &o->worker_deaths;
    s->workers.timeout_ms = &o->worker_timeout_ms;
    s->workers.idle_ms = &o->idle_release_ms;
    gf_metrics_init(&s->metrics, gf_now_ns());
    gf_dispatcher_init(&s->dispatcher, &s->loop, &s->workers, &g_dispatcher_ops, s);
    s->dispatcher.metrics = &s->metrics;
    s->sessions.loop = &s->loop;
    s->sessions.dispatcher = &s->dispatcher;
    s->sessions.workers = &s->workers;
    s->sessions.staging = &s->staging;
    s->sessions.memories = &s->memories;
    s->identities.kind = (enum gf_identity_kind)o->user_identity;
    gf_identities_load(&s->identities, "");
    s->quota.who = gf_identity_word(s->identities.kind);
    s->sessions.quota = &s->quota;
    s->sessions.identities = &s->identities;
    s->sessions.fd_budget = s->fd_budget;
    s->sessions.memory = gf_machine_memory("");
    s->sessions.options = o;
    s->sessions.ended = on_session_ended;
    s->sessions.data = s;
    gf_sessions_init(&s->sessions);
}

static bool others_join(const struct gf_server *s)
{
    return s->options->worker_socket[0] || s->worker_listener.fd >= 0;
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

/* Without it a worker that dies cannot be replaced: better that whoever started the daemon starts it again. */
static void on_spawner_lost(void *data)
{
    struct gf_server *s = data;
    gf_log(GF_LOG_ERROR, "the process that starts workers was killed");
    s->exit_code = GF_EXIT_OS;
    begin_drain(s, "no worker can be started any more");
}

static enum gf_status start_workers(struct gf_server *s, struct gf_error *err)
{
    char program[PATH_MAX];
    enum gf_status status = gf_worker_program(s->options->worker, program, sizeof(program), err);
    if (status == GF_OK)
        status = gf_spawner_start(&s->loop, program, s->options->sandbox, on_spawner_lost, s, &s->spawner, err);
    if (status != GF_OK)
        return status;
    s->workers.spawner = s->spawner;
    s->workers.device_memory = s->options->device_memory;
    gf_workers_start(&s->workers);
    return GF_OK;
}

/* The folder that the file is in, with its slash. */
static const char *folder_of(const char *path, char *ret_folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(ret_folder, size, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    return ret_folder;
}

/* Gives up what serving needs no more, before a client's first byte: what is left is reading the configuration again,
 * looking at clients in /proc, and taking the sockets away at the end. */
static void close_sandbox(struct gf_server *s)
{
    const struct gf_options *o = s->options;
    char config[PATH_MAX], sockets[MAX_LISTENERS + 1][sizeof(s->worker_listener.path)];
    struct gf_sandbox_path paths[MAX_LISTENERS + 4] = {
        {folder_of(o->config[0] ? o->config : GF_CONFIG_PATH, config, sizeof(config)), GF_SANDBOX_READ},
        {"/etc", GF_SANDBOX_READ},
        {"/proc", GF_SANDBOX_READ},
    };
    size_t n = 3;
    for (uint32_t i = 0; i <= s->n_listeners; i++) {
        const struct gf_listener *l = i < s->n_listeners ? &s->listeners[i] : &s->worker_listener;
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

/* What staging begins with. A GPU has to pin it, which takes long, so that there it is enough for most; without one a
 * daemon that somebody waits for is ready sooner with little. */
static uint64_t first_segment(const struct gf_server *s)
{
    bool gpu = others_join(s);
    for (uint32_t i = 0; i < s->workers.n; i++)
        gpu |= strcmp(s->workers.list[i]->hello.device.name, "cpu") != 0;
    return gpu ? s->options->staging_segment : FIRST_SEGMENT;
}

static enum gf_status start(struct gf_server *s, struct gf_error *err)
{
    const struct gf_options *o = s->options;
    enum gf_status status = gf_identity_check(s->identities.kind, "", err);
    if (status == GF_OK)
        status = gf_fd_closer_start(s->closer, &s->loop, &g_closer_ops, s, err);
    if (status == GF_OK)
        status = open_listeners(s, err);
    if (status == GF_OK)
        status = gf_devices_add(&s->workers, o->devices, err);
    for (uint32_t i = 0; i < s->n_listeners && status == GF_OK; i++)
        status = gf_listener_start(&s->listeners[i], &s->loop, &s->sessions.loop_queue, on_accepted, s, err);
    if (status != GF_OK)
        return status;
    if (s->workers.n == 0 && !others_join(s))
        return gf_error_set(err, GF_E_BAD_PARAM, "devices=none needs worker-socket, where workers can join");
    if (others_join(s))
        status = await_workers(s, err);
    if (status == GF_OK && s->workers.n > 0)
        status = start_workers(s, err);
    if (status != GF_OK)
        return status;
    gf_staging_warm(&s->staging, first_segment(s)); /* while they come up */
    if (o->sandbox)
        close_sandbox(s);
    watch_idle(s);
    return GF_OK;
}

enum gf_status gf_server_new(struct gf_options *options, int argc, char *const *argv, struct gf_server **ret_server,
                             struct gf_error *err)
{
    uint64_t n_fds = raise_fd_limit();
    struct gf_error error = {0};
    struct gf_fd_closer *closer = NULL;
    struct gf_server *s = NULL;
    if (gf_fd_closer_new(n_fds, &closer, &error) == GF_OK) {
        s = calloc(1, sizeof(*s));
        if (!s || uv_loop_init(&s->loop) < 0)
            gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
    }
    if (error.status != GF_OK) {
        tell_starter(options, error.text);
        free(s);
        gf_fd_closer_free(closer);
        return gf_error_set(err, error.status, "%s", error.text);
    }
    s->closer = closer;
    s->options = options;
    s->argc = argc;
    s->argv = argv;
    s->worker_listener = GF_LISTENER_NULL;
    for (uint32_t i = 0; i < MAX_LISTENERS; i++)
        s->listeners[i] = GF_LISTENER_NULL;
    if (options->ready_fd > 0)
        fcntl((int)options->ready_fd, F_SETFD, FD_CLOEXEC); /* workers must not keep its other end waiting */
    s->fd_budget = budget(n_fds);
    gf_notify_init(&s->notify);
    init_handles(s);
    init_parts(s);
    if (start(s, &error) != GF_OK) {
        tell_starter(options, error.text);
        gf_server_free(s);
        return gf_error_set(err, error.status, "%s", error.text);
    }
    *ret_server = s;
    return GF_OK;
}

int gf_server_run(struct gf_server *s)
{
    uv_run(&s->loop, UV_RUN_DEFAULT);
    gf_log(GF_LOG_NOTICE, "ended");
    return s->exit_code;
}

struct gf_server *gf_server_free(struct gf_server *s)
{
    if (!s)
        return NULL;
    if (s->phase != PHASE_OVER) {
        /* It never ran. */
        for (uint32_t i = 0; i < s->n_listeners; i++)
            gf_listener_stop(&s->listeners[i]);
        gf_workers_stop(&s->workers);
        gf_workers_give_up(&s->workers);
        close_handles(s);
        uv_run(&s->loop, UV_RUN_DEFAULT);
    }
    gf_staging_deinit(&s->staging);
    gf_workers_deinit(&s->workers);
    gf_identities_deinit(&s->identities);
    uv_loop_close(&s->loop);
    gf_fd_closer_free(s->closer);
    free(s);
    return NULL;
}

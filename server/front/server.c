/* SPDX-License-Identifier: MIT */
/*
 * The running daemon: clients that connect and leave, status reports, signals, shutdown; server_start.c starts it.
 * Shutdown proceeds in phases, which the sweep advances: no new clients; all answered or timed out; workers ended;
 * handles closed. Called by main.c and server_start.c.
 */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "devices.h"
#include "protocol/base/clock.h"
#include "server/front/base/log.h"
#include "server_parts.h"

#define SWEEP_MS 1000u
#define ENDING_SWEEP_MS 10u
#define LATE_NS (2 * GF_NS_PER_S)       /* gap between two sweeps that shows that the daemon did not run */
#define WORKER_END_NS (2 * GF_NS_PER_S) /* after which workers are killed; after twice that they are given up */

static void on_sweep(uv_timer_t *timer);

static void enter(struct gf_server *s, enum gf_phase phase)
{
    s->phase = phase;
    s->phase_ns = gf_now_ns();
    if (phase >= GF_PHASE_DRAINING)
        uv_timer_start(&s->sweep, on_sweep, 0, ENDING_SWEEP_MS);
}

void gf_server_tell_starter(struct gf_options *options, const char *text)
{
    char line[GF_ERROR_TEXT + 34];
    if (options->ready_fd == 0)
        return;
    int fd = (int)options->ready_fd;
    options->ready_fd = 0;
    snprintf(line, sizeof(line), "%s\n", text);
    ssize_t n = write(fd, line, strlen(line));
    if (n < 0)
        gf_log(GF_LOG_DEBUG, "the ready descriptor has no reader: %s", strerror(errno));
    close(fd);
}

void gf_server_drain(struct gf_server *s, const char *why)
{
    if (s->phase >= GF_PHASE_DRAINING)
        return;
    gf_log(GF_LOG_NOTICE, "ending: %s connections=%u", why, s->sessions.n);
    gf_notify_send(&s->notify, "STOPPING=1\nSTATUS=Answering accepted requests");
    for (uint32_t i = 0; i < s->n_listeners; i++)
        gf_listener_stop(&s->listeners[i]);
    if (s->units)
        gf_listener_pause(&s->worker_listener); /* workers that start now wait for the next daemon */
    gf_metrics_listener_stop(&s->metrics_listener);
    gf_sessions_drain(&s->sessions);
    enter(s, GF_PHASE_DRAINING);
}

static void on_idle(uv_timer_t *timer)
{
    gf_server_drain(timer->data, "idle");
}

void gf_server_watch_idle(struct gf_server *s)
{
    if (s->options->idle_exit_ms == 0 || s->phase != GF_PHASE_SERVING)
        return;
    if (s->sessions.n > 0)
        uv_timer_stop(&s->idle);
    else
        uv_timer_start(&s->idle, on_idle, s->options->idle_exit_ms, 0);
}

void gf_server_accepted(void *data, int fd, const struct ucred *peer)
{
    struct gf_server *s = data;
    gf_sessions_accept(&s->sessions, fd, peer->uid, peer->pid);
    if (s->sessions.n + gf_fd_closer_waiting(s->closer) >= s->fd_budget)
        for (uint32_t i = 0; i < s->n_listeners; i++)
            gf_listener_pause(&s->listeners[i]);
    gf_server_watch_idle(s);
}

void gf_server_session_ended(void *data)
{
    struct gf_server *s = data;
    for (uint32_t i = 0; i < s->n_listeners; i++)
        gf_listener_resume(&s->listeners[i]);
    gf_server_watch_idle(s);
}

static void on_freed(void *data)
{
    struct gf_server *s = data;
    gf_sessions_freed(&s->sessions);
    gf_server_session_ended(s);
}

const struct gf_fd_closer_ops gf_server_closer_ops = {.freed = on_freed};

/* Sends the status that systemd shows: the devices, whose text is also returned, and the remark on
 * the configuration. */
static void tell_status(struct gf_server *s, char *ret_devices, size_t size)
{
    struct gf_device_entry devices[GF_MAX_DEVICES];
    uint32_t n;
    gf_workers_describe(&s->workers, devices, &n, ret_devices, size);
    if (s->phase < GF_PHASE_DRAINING)
        gf_notify_send(&s->notify, "STATUS=%s%s%s", ret_devices, s->config_note[0] != '\0' ? "; " : "", s->config_note);
}

void gf_server_serve(struct gf_server *s)
{
    enter(s, GF_PHASE_SERVING);
    gf_server_watch_idle(s);
    gf_server_tell_starter(s->options, "READY");
    gf_log(GF_LOG_NOTICE, "ready");
    gf_notify_send(&s->notify, "READY=1");
}

/* Reports READY with the first device, or ends the daemon when no device will ever be usable. */
void gf_server_devices_changed(void *data)
{
    struct gf_server *s = data;
    bool usable = false;
    for (uint32_t i = 0; i < s->workers.n; i++) {
        const struct gf_worker *w = s->workers.list[i];
        usable |= gf_worker_may_come(w);
        if (s->phase == GF_PHASE_STARTING && gf_worker_device_state(w) == GF_DEVICE_READY)
            gf_server_serve(s);
    }
    char text[GF_ERROR_TEXT];
    tell_status(s, text, sizeof(text));
    if (s->phase != GF_PHASE_STARTING || usable)
        return;
    char line[GF_ERROR_TEXT + 32];
    snprintf(line, sizeof(line), "no device can be used: %s", text);
    gf_log(GF_LOG_ERROR, "%s", line);
    gf_server_tell_starter(s->options, line);
    s->exit_code = GF_EXIT_UNAVAILABLE;
    gf_server_drain(s, "no device");
}

void gf_server_read_users(struct gf_server *s)
{
    struct gf_error error = {0};
    gf_identities_load(&s->identities, "");
    if (gf_uids_parse(&s->proxies, s->options->proxy_users, "", &error) != GF_OK)
        gf_log(GF_LOG_ERROR, "proxy-users not changed: %s", error.text); /* /etc/passwd has changed since the options
                                                                          * were checked */
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
    gf_server_read_users(s);
    gf_sessions_configure(&s->sessions);
    gf_sessions_kick(&s->sessions);
    gf_log(GF_LOG_NOTICE, "configuration reloaded%s%s", later[0] != '\0' ? "; " : "", s->config_note);
    gf_devices_look_again(&s->workers, &(struct gf_devices){s->options->devices, "", s->units});
    gf_workers_look_again(&s->workers);
}

/* As systemd requires, the service reports READY after the reload, whatever its outcome. */
static void reload_and_tell(struct gf_server *s)
{
    bool serving = s->phase == GF_PHASE_SERVING;
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
    enter(s, GF_PHASE_STOPPING);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct gf_server *s = handle->data;
    if (number == SIGHUP)
        reload_and_tell(s);
    else if (s->phase < GF_PHASE_DRAINING)
        gf_server_drain(s, number == SIGTERM ? "SIGTERM" : "SIGINT");
    else if (s->phase < GF_PHASE_OVER) {
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
    uv_close((uv_handle_t *)&s->turn, NULL);
    gf_listener_stop(&s->worker_listener);
    gf_metrics_listener_stop(&s->metrics_listener);
    s->spawner = gf_spawner_free(s->spawner);
    gf_dispatcher_close(&s->dispatcher);
    gf_sessions_close(&s->sessions);
    gf_fd_closer_stop(s->closer);
}

/* The next phase of the shutdown, when it is due. */
static void go_on_ending(struct gf_server *s, uint64_t now)
{
    if (s->phase == GF_PHASE_DRAINING &&
        (s->sessions.n == 0 || now - s->phase_ns > s->options->drain_timeout_ms * GF_NS_PER_MS)) {
        stop_workers(s); /* the time limit of the workers begins now */
        now = s->phase_ns;
    }
    if (s->phase != GF_PHASE_STOPPING)
        return;
    uint64_t since = now - s->phase_ns;
    if (since > 2 * WORKER_END_NS)
        gf_workers_give_up(&s->workers);
    else if (since > WORKER_END_NS)
        gf_workers_kill_all(&s->workers);
    if (s->sessions.n > 0 || !gf_workers_gone(&s->workers))
        return;
    close_handles(s);
    s->phase = GF_PHASE_OVER;
}

static void on_sweep(uv_timer_t *timer)
{
    struct gf_server *s = timer->data;
    uint64_t now = gf_now_ns(), gap = now - s->sweep_ns;
    s->sweep_ns = now;
    if (gap > LATE_NS) {
        /* The daemon was stopped or starved. Bytes that arrived meanwhile are unread, so no client is judged before
         * they are. */
        gf_log(GF_LOG_NOTICE, "did not run for %.1f s", (double)gap / (double)GF_NS_PER_S);
        gf_sessions_extend(&s->sessions, gap, now);
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

/* The loop is about to poll, so a turn is over. */
static void on_turn(uv_prepare_t *turn)
{
    struct gf_server *s = turn->data;
    uint64_t now = gf_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    gf_metrics_turned(&s->metrics, now - s->turn_cpu_ns);
    s->turn_cpu_ns = now;
}

void gf_server_init_handles(struct gf_server *s)
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
    uv_prepare_init(&s->loop, &s->turn);
    s->sweep.data = s->watchdog.data = s->idle.data = s->turn.data = s;
    uv_timer_start(&s->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    s->sweep_ns = gf_now_ns();
    uint64_t watchdog_ms = s->notify.watchdog_ns / 2 / GF_NS_PER_MS;
    if (watchdog_ms > 0)
        uv_timer_start(&s->watchdog, on_watchdog, watchdog_ms, watchdog_ms);
}

int gf_server_run(struct gf_server *s)
{
    s->turn_cpu_ns = gf_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uv_prepare_start(&s->turn, on_turn);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    gf_log(GF_LOG_NOTICE, "ended");
    return s->exit_code;
}

struct gf_server *gf_server_free(struct gf_server *s)
{
    if (!s)
        return NULL;
    if (s->phase != GF_PHASE_OVER) {
        /* The server never ran. */
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

/* SPDX-License-Identifier: MIT */
/*
 * The life of one device's worker: a table of states and events, and the action of each transition. Only this table
 * changes the state. A worker that misbehaves is killed, and counts as dead only when its process has ended, because
 * until then it may still write to shared memory. Called by the files of this folder, routing.c and dispatcher.c.
 */
#include "worker.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "server/front/base/backoff.h"
#include "server/front/base/log.h"

#define DEATHS_WINDOW_NS (600 * GF_NS_PER_S)
#define OOM_NS (10 * GF_NS_PER_S) /* in which a process has ended that the kernel killed for lack of memory */
#define ASIDE_MS (600u * 1000)
#define ABSENT_MS (60u * 1000) /* a driver that is installed or upgraded meanwhile is found */
#define JOIN_MS (60u * 1000)   /* for a worker of a unit: systemd's longest pause, 30 s, and its start */
#define REJOIN_MS (10u * 1000) /* after which a worker that was told to end was stopped, and not restarted */

/* Runs after the state has changed. An action may post another event, but only as its last step. */
typedef void action(struct gf_worker *w, const struct gf_worker_about *about);

static action nothing, spawn, greet, remember, end, remember_and_end, kill_process, rest, hang_up;
static action die, bury, bury_and_spawn, absent, wait_until_ready, left, restart_later, set_aside;
static action await, stay_away, dismissed, cannot_join;

struct step {
    action *act; /* NULL: the event cannot happen in this state */
    uint8_t next;
};

/* Per state: the events that can happen, the next state, the action. Every other event is refused. */
#define ON(event, next, act) [GF_EVENT_##event] = {act, GF_WORKER_##next}

/* clang-format off */
static const struct {
    const char *name;
    enum gf_device_state device; /* as clients see it */
    struct step on[GF_WORKER_N_EVENTS];
} g_life[GF_WORKER_N_STATES] = {
    /* Without a process. */
    [GF_WORKER_NEW] = {"NEW", GF_DEVICE_STARTING, {
        ON(START, STARTING, spawn), ON(AWAIT, AWAITED, await), ON(JOINED, READY, greet),
        ON(NO_DEVICE, ABSENT, cannot_join), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_RESTARTING] = {"RESTARTING", GF_DEVICE_RESTARTING, {
        ON(TIMER, STARTING, spawn), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_ASIDE] = {"ASIDE", GF_DEVICE_ASIDE, {
        ON(START, STARTING, spawn), ON(TIMER, STARTING, spawn), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_UNREADY] = {"UNREADY", GF_DEVICE_ASIDE, {
        ON(START, STARTING, spawn), ON(TIMER, STARTING, spawn), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_AWAITED] = {"AWAITED", GF_DEVICE_STARTING, {
        ON(JOINED, READY, greet), ON(TIMER, ABSENT, stay_away), ON(NO_DEVICE, ABSENT, cannot_join),
        ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_LEFT] = {"LEFT", GF_DEVICE_RESTARTING, {
        ON(JOINED, READY, greet), ON(TIMER, ABSENT, stay_away), ON(NO_DEVICE, ABSENT, cannot_join),
        ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_DISMISSED] = {"DISMISSED", GF_DEVICE_ABSENT, {
        ON(JOINED, READY, greet), ON(TIMER, ABSENT, stay_away), ON(NO_DEVICE, ABSENT, cannot_join),
        ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_ABSENT] = {"ABSENT", GF_DEVICE_ABSENT, {
        ON(START, STARTING, spawn), ON(TIMER, SEEKING, spawn), ON(JOINED, READY, greet),
        ON(NO_DEVICE, ABSENT, cannot_join), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_IDLE] = {"IDLE", GF_DEVICE_IDLE, {
        ON(WANTED, STARTING, spawn), ON(STOP, STOPPED, hang_up)}},
    [GF_WORKER_STOPPED] = {"STOPPED", GF_DEVICE_ABSENT, {
        ON(STOP, STOPPED, nothing)}},
    /* With a process. */
    [GF_WORKER_STARTING] = {"STARTING", GF_DEVICE_STARTING, {
        ON(HELLO, READY, greet), ON(LAST_WORDS, STARTING, remember), ON(LOST, FAILING, end), ON(KILL, FAILING, kill_process),
        ON(SPAWN_FAILED, DEAD, die), ON(EXITED, DEAD, die), ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_SEEKING] = {"SEEKING", GF_DEVICE_ABSENT, {
        ON(HELLO, READY, greet), ON(LAST_WORDS, SEEKING, remember), ON(LOST, SEEKING, end),
        ON(KILL, SEEKING, kill_process), ON(SPAWN_FAILED, DEAD, die), ON(EXITED, DEAD, die), ON(GIVEN_UP, DEAD, die),
        ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_FAILING] = {"FAILING", GF_DEVICE_STARTING, {
        ON(LAST_WORDS, FAILING, remember), ON(LOST, FAILING, nothing),
        ON(KILL, FAILING, nothing), ON(EXITED, DEAD, die), ON(GIVEN_UP, DEAD, die), ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_READY] = {"READY", GF_DEVICE_READY, {
        ON(LAST_WORDS, ENDING, remember_and_end), ON(LOST, ENDING, end), ON(KILL, ENDING, kill_process),
        ON(UNUSED, RESTING, rest), ON(EXITED, DEAD, die), ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_ENDING] = {"ENDING", GF_DEVICE_READY, {
        ON(LAST_WORDS, ENDING, remember), ON(LOST, ENDING, nothing), ON(KILL, ENDING, nothing),
        ON(EXITED, DEAD, die), ON(GIVEN_UP, DEAD, die), ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_RESTING] = {"RESTING", GF_DEVICE_IDLE, {
        ON(WANTED, WAKING, nothing), ON(EXITED, IDLE, bury), ON(GIVEN_UP, IDLE, bury), ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_WAKING] = {"WAKING", GF_DEVICE_IDLE, {
        ON(WANTED, WAKING, nothing), ON(EXITED, STARTING, bury_and_spawn), ON(GIVEN_UP, STARTING, bury_and_spawn),
        ON(STOP, STOPPING, hang_up)}},
    [GF_WORKER_STOPPING] = {"STOPPING", GF_DEVICE_ABSENT, {
        ON(EXITED, STOPPED, bury), ON(GIVEN_UP, STOPPED, bury), ON(STOP, STOPPING, nothing)}},
    /* Only inside `die`, which posts one of these events. */
    [GF_WORKER_DEAD] = {"DEAD", GF_DEVICE_RESTARTING, {
        ON(NO_DEVICE, ABSENT, absent), ON(NOT_READY, UNREADY, wait_until_ready), ON(NOT_OURS, LEFT, left),
        ON(DISMISSED, DISMISSED, dismissed), ON(DIED, RESTARTING, restart_later), ON(DIED_TOO_OFTEN, ASIDE, set_aside)}},
};

#define EVENT(name) [GF_EVENT_##name] = #name
static const char *const g_events[GF_WORKER_N_EVENTS] = {
    EVENT(START), EVENT(AWAIT), EVENT(TIMER), EVENT(WANTED), EVENT(JOINED), EVENT(SPAWN_FAILED), EVENT(HELLO), EVENT(LAST_WORDS),
    EVENT(LOST), EVENT(KILL), EVENT(UNUSED), EVENT(EXITED), EVENT(GIVEN_UP), EVENT(STOP), EVENT(NO_DEVICE),
    EVENT(NOT_READY), EVENT(NOT_OURS), EVENT(DISMISSED), EVENT(DIED), EVENT(DIED_TOO_OFTEN)};
/* clang-format on */

/* Whether a device serves requests, or will when one comes. */
static bool is_any_ready(const struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        uint32_t state = ws->list[i]->state;
        if (state == GF_WORKER_READY || state == GF_WORKER_IDLE || state == GF_WORKER_RESTING)
            return true;
    }
    return false;
}

static void on_timer(uv_timer_t *timer)
{
    gf_worker_post(timer->data, GF_EVENT_TIMER, NULL);
}

static void start_in(struct gf_worker *w, uint32_t ms)
{
    w->next_start_ns = gf_now_ns() + ms * GF_NS_PER_MS;
    uv_timer_start(&w->timer, on_timer, ms, 0);
}

/* Where no device is ready any more, those that are set aside are tried now. */
static void try_those_aside(const struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n && !is_any_ready(ws); i++)
        if (ws->list[i]->state == GF_WORKER_ASIDE)
            start_in(ws->list[i], 0);
}

bool gf_worker_post(struct gf_worker *w, enum gf_worker_event event, const struct gf_worker_about *about)
{
    const struct step *step = &g_life[w->state].on[event];
    if (!step->act) {
        gf_log(GF_LOG_ERROR, "worker of %s: event %s cannot happen in state %s", w->hello.device.name, g_events[event],
               g_life[w->state].name);
        assert(step->act);
        return false;
    }
    w->state = step->next;
    try_those_aside(w->all);
    step->act(w, about);
    return true;
}

enum gf_worker_state gf_worker_next(enum gf_worker_state state, enum gf_worker_event event)
{
    const struct step *step = &g_life[state].on[event];
    return step->act ? (enum gf_worker_state)step->next : GF_WORKER_N_STATES;
}

enum gf_device_state gf_worker_device_state(const struct gf_worker *w)
{
    return g_life[w->state].device;
}

static void tell_changed(struct gf_worker *w)
{
    w->all->ops->changed(w->all->data, w);
}

static void nothing(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)w, (void)about;
}

/* The process has ended. Reads first what it sent before that. */
static void on_exited(void *data, int code, const char *how)
{
    struct gf_worker *w = data;
    if (w->link)
        gf_worker_link_drain(w->link);
    gf_worker_post(w, GF_EVENT_EXITED, &(struct gf_worker_about){.code = code, .text = how});
}

static void spawn(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    struct gf_error error = {0};
    int fd = -1;
    uv_timer_stop(&w->timer);
    w->own = true;
    w->is_twin = false;
    w->started_ns = gf_now_ns();
    w->ready_ns = 0;
    w->assembles = false;
    w->last_error[0] = '\0';
    struct gf_spawner_request request = {
        .scratch = w->all->scratch, .device_memory = w->all->device_memory, .host_mapped_max = w->all->host_mapped_max};
    snprintf(request.device, sizeof(request.device), "%s", w->hello.device.name);
    enum gf_status status =
        gf_worker_process_start(w->all->loop, w->all->spawner, &request, on_exited, w, &w->process, &fd, &error);
    if (status != GF_OK) {
        gf_worker_post(w, GF_EVENT_SPAWN_FAILED,
                       &(struct gf_worker_about){.code = GF_EXIT_UNKNOWN, .text = error.text});
        return;
    }
    w->link = gf_worker_link_new(w->all->loop, fd, &gf_worker_frames, w);
    if (!w->link) {
        close(fd);
        gf_worker_kill(w, "no memory for the worker's socket");
    }
}

void gf_worker_adopt(struct gf_worker *w, struct gf_worker_link *link, pid_t pid, const struct gf_worker_hello *hello)
{
    struct gf_error error = {0};
    enum gf_status status = gf_worker_process_join(w->all->loop, pid, on_exited, w, &w->process, &error);
    if (status != GF_OK) {
        gf_log(GF_LOG_WARNING, "worker of %s not adopted: %s", w->hello.device.name, error.text);
        gf_worker_link_tell_refused(link, error.text);
        gf_worker_link_free(link);
        return;
    }
    gf_worker_link_redirect(link, &gf_worker_frames, w);
    w->link = link;
    w->started_ns = 0;
    gf_worker_post(w, GF_EVENT_JOINED, &(struct gf_worker_about){.hello = hello});
}

/* Records the supported operations and the memory that they may need. */
static void take_rows(struct gf_worker *w)
{
    memset(w->dtypes, 0, sizeof(w->dtypes));
    for (uint32_t i = 0; i < w->hello.n_rows; i++) {
        const struct gf_op *op = gf_op_by_id(w->hello.rows[i].op);
        if (op)
            w->dtypes[op->index] |= w->hello.rows[i].dtypes;
    }
    gf_cost_init(&w->cost, gf_worker_is_cpu(w), w->hello.device.units);
}

/* The worker's hello is valid: it may get work. */
static void greet(struct gf_worker *w, const struct gf_worker_about *about)
{
    char name[sizeof(w->hello.device.name)];
    uv_timer_stop(&w->timer);
    w->joined |= !w->own;
    w->dismissed = false;
    memcpy(name, w->hello.device.name, sizeof(name));
    w->hello = *about->hello;
    memcpy(w->hello.device.name, name, sizeof(name));
    if (w->hello.slots == 0)
        w->hello.slots = 1;
    if (w == w->all->cpu && w->hello.device.units > 0)
        w->all->threads = w->hello.device.units;
    take_rows(w);
    gf_worker_ran(w);
    w->ready_ns = w->probe_ns = w->worked_ns = w->ran_ns;
    w->probe = w->asked_ns = 0;
    w->n_unready = 0;
    w->last_error[0] = '\0';
    gf_list_each(it, after, &w->all->memories->list)
    {
        struct gf_memory *m = gf_container(it, struct gf_memory, node);
        if (m->staging)
            gf_worker_map(w, m);
    }
    gf_log(GF_LOG_INFO, "device %s is ready: title=\"%s\" pid=%u slots=%u start_ms=%" PRIu64, name,
           w->hello.device.title, w->hello.pid, w->hello.slots,
           w->started_ns ? (w->ready_ns - w->started_ns) / GF_NS_PER_MS : 0);
    tell_changed(w);
}

static void remember(struct gf_worker *w, const struct gf_worker_about *about)
{
    snprintf(w->last_error, sizeof(w->last_error), "%s", about->text);
}

/* The worker is about to end, or should. The driver may take seconds for that, but the exit code is worth the wait. */
static void end(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    w->dying_ns = gf_now_ns();
}

static void remember_and_end(struct gf_worker *w, const struct gf_worker_about *about)
{
    remember(w, about);
    end(w, about);
}

static void kill_process(struct gf_worker *w, const struct gf_worker_about *about)
{
    gf_log(GF_LOG_WARNING, "killing the worker of %s: %s", w->hello.device.name, about->text);
    end(w, about);
    w->killed = !about->blameless;
    w->blameless = about->blameless;
    gf_worker_process_kill(w->process);
}

void gf_worker_kill(struct gf_worker *w, const char *why)
{
    gf_worker_post(w, GF_EVENT_KILL, &(struct gf_worker_about){.text = why});
}

void gf_worker_kill_blameless(struct gf_worker *w, const char *why)
{
    gf_worker_post(w, GF_EVENT_KILL, &(struct gf_worker_about){.text = why, .blameless = true});
}

void gf_worker_give_up(struct gf_worker *w)
{
    gf_worker_post(w, GF_EVENT_GIVEN_UP,
                   &(struct gf_worker_about){.code = GF_EXIT_UNKNOWN, .text = "the process could not be killed"});
}

static void rest(struct gf_worker *w, const struct gf_worker_about *about)
{
    w->link = gf_worker_link_free(w->link); /* closing the socket ends the process */
    end(w, about);
    tell_changed(w);
}

/* The daemon ends. A worker sees the end of its socket and ends too. */
static void hang_up(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    w->link = gf_worker_link_free(w->link);
    uv_timer_stop(&w->timer);
    uv_close((uv_handle_t *)&w->timer, NULL);
}

/* Deaths within the window. */
static uint32_t recent_deaths(const struct gf_worker *w, uint64_t now)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_deaths && i < GF_DEATHS_KEPT; i++)
        n += w->deaths[i] != 0 && now - w->deaths[i] <= DEATHS_WINDOW_NS;
    return n;
}

void gf_worker_extend(struct gf_worker *w, uint64_t died_ns)
{
    for (uint32_t i = 0; i < GF_DEATHS_KEPT; i++)
        if (died_ns != 0 && w->deaths[i] == died_ns)
            w->deaths[i] = 0;
}

/* Whether a request may have caused the death. It may if the program failed, told an error of its device, or had to be
 * killed because it hung or misbehaved. Any other signal, such as the kernel's SIGKILL for lack of memory, comes from
 * outside, and so does an end by the front's or the administrator's will. */
static bool is_fault(const struct gf_worker *w, int code)
{
    switch (code) {
    case GF_EXIT_SIGNAL + SIGSEGV:
    case GF_EXIT_SIGNAL + SIGABRT:
    case GF_EXIT_SIGNAL + SIGSYS:
    case GF_EXIT_SIGNAL + SIGBUS:
    case GF_EXIT_SIGNAL + SIGILL:
    case GF_EXIT_SIGNAL + SIGTRAP: /* __builtin_trap on some processors */
    case GF_EXIT_SIGNAL + SIGFPE:
        return true;
    case GF_WORKER_EXIT_OK:
    case GF_WORKER_EXIT_USAGE:
    case GF_WORKER_EXIT_NO_DEVICE:
    case GF_WORKER_EXIT_NOT_READY:
    case GF_WORKER_EXIT_NO_FRONT:
        return false;
    default:
        return w->killed || w->last_error[0] != '\0' || (code > 0 && code < GF_EXIT_SIGNAL);
    }
}

/* Whether a request is to blame for a death that is a fault, and not the device. A request is to blame if it was alone
 * in the worker and had another fault, or if it had two. On the CPU, which fails less often than a GPU and has no
 * substitute, all requests are to blame if they belong to one user, also requests that are not retried. */
static bool blame_tasks(struct gf_worker *w)
{
    bool any = false;
    w->death_is_charged = w->death_is_fault && gf_worker_is_cpu(w) && w->n_tasks > 0;
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        const struct gf_task *first = gf_container(w->tasks.next, struct gf_task, node);
        task->blamed = w->death_is_fault && (task->faults >= 2 || (task->faults == 1 && w->n_tasks == 1));
        any |= task->blamed && task->n_reads + task->n_makes == 0;
        w->death_is_charged = w->death_is_charged && task->work.user == first->work.user;
    }
    return any || w->death_is_charged;
}

/* Releases a process that has ended or was given up. Returns whether a request is to blame. */
static bool release(struct gf_worker *w, bool fault)
{
    w->death_is_fault = fault;
    w->killed = w->blameless = w->stalled = false;
    w->link = gf_worker_link_free(w->link);
    w->process = gf_worker_process_free(w->process);
    gf_list_each(it, after, &w->all->memories->list) gf_container(it, struct gf_memory, node)->mapped &=
        ~(1ull << w->index);
    w->dying_ns = w->died_ns = 0;
    w->n_buffers = 0;
    w->told = (struct gf_expression_figures){.times.n = 0};
    gf_worker_forget_gpu(w);
    for (uint32_t i = GF_N_EXPRESSION_COUNTS; i < GF_N_EXPRESSION_FIGURES; i++)
        w->expressions.of[i] = 0;
    w->expressions.why_off[0] = '\0';
    return blame_tasks(w);
}

static void tell_died(struct gf_worker *w)
{
    w->all->ops->died(w->all->data, w);
}

/* The process ended as it was told to. */
static void bury(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    release(w, false);
    tell_died(w);
}

static void bury_and_spawn(struct gf_worker *w, const struct gf_worker_about *about)
{
    bury(w, about);
    spawn(w, about);
}

/* Whether the kernel has just killed a process of this control group for lack of memory, most likely this one. */
static bool ran_out_of_memory(const struct gf_worker *w, int code, uint64_t now)
{
    struct gf_workers *ws = w->all;
    gf_workers_read_oom_kills(ws, now);
    if (code != GF_EXIT_SIGNAL + SIGKILL || ws->oom_ns == 0 || now - ws->oom_ns > OOM_NS)
        return false;
    ws->oom_ns = 0;
    return true;
}

/* The process died: decides what comes next. A death that a request caused does not count. If the memory ran out, the
 * request that was alone there may have taken it. */
static void die(struct gf_worker *w, const struct gf_worker_about *about)
{
    uint64_t now = gf_now_ns();
    const bool blameless = w->blameless, no_memory = ran_out_of_memory(w, about->code, now);
    bool guilty = release(w, !blameless && (is_fault(w, about->code) || (no_memory && w->n_tasks == 1)));
    char how[GF_ERROR_TEXT];
    snprintf(how, sizeof(how), "%s%s%s%.180s", about->text, no_memory ? ", out of memory" : "",
             w->last_error[0] ? ": " : "", w->last_error);
    enum gf_worker_event verdict = GF_EVENT_DIED;
    if (w->is_twin || about->code == GF_WORKER_EXIT_NO_DEVICE || about->code == GF_WORKER_EXIT_USAGE)
        verdict = GF_EVENT_NO_DEVICE;
    else if (!w->own)
        verdict = w->dismissed ? GF_EVENT_DISMISSED : GF_EVENT_NOT_OURS;
    else if (about->code == GF_WORKER_EXIT_NOT_READY && !w->ready_ns)
        verdict = GF_EVENT_NOT_READY;
    else if (!guilty && !blameless) {
        w->deaths[w->n_deaths++ % GF_DEATHS_KEPT] = w->died_ns = now;
        if (recent_deaths(w, now) >= *w->all->deaths && is_any_ready(w->all))
            verdict = GF_EVENT_DIED_TOO_OFTEN; /* the last device serves again after 30 s at most */
    }
    if (w->ready_ns && now - w->ready_ns > GF_BACKOFF_HEALTHY_NS)
        w->backoff = 0;
    if (verdict != GF_EVENT_NO_DEVICE) /* `absent` compares the reason with the one before */
        snprintf(w->reason, sizeof(w->reason), "its worker died: %.230s", how);
    gf_worker_post(w, verdict, &(struct gf_worker_about){.code = about->code, .text = how});
}

/* Returns the tasks last, when it is known whether their device comes back. */
static void tell_fate(struct gf_worker *w)
{
    tell_changed(w);
    tell_died(w);
}

/* Looks again later, since a driver may be installed or upgraded. A second worker of one GPU would find the same. */
static void absent(struct gf_worker *w, const struct gf_worker_about *about)
{
    const char *why = w->last_error[0] ? w->last_error : "the worker did not find the device";
    if (strcmp(w->reason, why) != 0)
        gf_log(w->index == 0 || w->listed ? GF_LOG_WARNING : GF_LOG_INFO, "no device %s: %s", w->hello.device.name,
               why);
    snprintf(w->reason, sizeof(w->reason), "%s", why);
    if (about->code == GF_WORKER_EXIT_NO_DEVICE && !w->is_twin)
        start_in(w, ABSENT_MS);
    tell_fate(w);
}

static void await(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    start_in(w, JOIN_MS);
    tell_changed(w);
}

void gf_worker_await_longer(struct gf_worker *w, uint32_t ms)
{
    if (w->state == GF_WORKER_AWAITED || w->state == GF_WORKER_LEFT || w->state == GF_WORKER_DISMISSED)
        start_in(w, ms);
}

/* No process has joined in time. */
static void stay_away(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    if (!w->reason[0])
        snprintf(w->reason, sizeof(w->reason), "its worker has not joined");
    gf_log(w->dismissed ? GF_LOG_INFO : GF_LOG_WARNING, "device %s is absent: %s", w->hello.device.name, w->reason);
    tell_fate(w);
}

static void cannot_join(struct gf_worker *w, const struct gf_worker_about *about)
{
    uv_timer_stop(&w->timer);
    snprintf(w->reason, sizeof(w->reason), "%s", about->text);
    tell_fate(w);
}

/* The process was not a child of the daemon, so how it ended is unknown. */
static void left(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    const char *colon = w->last_error[0] ? ": " : "";
    snprintf(w->reason, sizeof(w->reason), "its worker left%s%.200s", colon, w->last_error);
    gf_log(GF_LOG_WARNING, "worker of %s left%s%s: tasks=%u", w->hello.device.name, colon, w->last_error, w->n_tasks);
    start_in(w, JOIN_MS);
    tell_fate(w);
}

/* Somebody stops it, or restarts it: then requests that name the device wait for the next process. */
static void dismissed(struct gf_worker *w, const struct gf_worker_about *about)
{
    (void)about;
    snprintf(w->reason, sizeof(w->reason), "its worker was stopped");
    gf_log(GF_LOG_INFO, "worker of %s was stopped: tasks=%u", w->hello.device.name, w->n_tasks);
    start_in(w, REJOIN_MS);
    tell_fate(w);
}

static void restart_later(struct gf_worker *w, const struct gf_worker_about *about)
{
    uint32_t ms = w->died_ns != 0 ? gf_backoff_ms(&w->backoff) : GF_BACKOFF_FIRST_MS;
    gf_log(GF_LOG_WARNING, "worker of %s died: %s; tasks=%u restart_ms=%u", w->hello.device.name, about->text,
           w->n_tasks, ms);
    start_in(w, ms);
    tell_fate(w);
}

/* No death is counted, so this goes on until the system is ready. */
static void wait_until_ready(struct gf_worker *w, const struct gf_worker_about *about)
{
    uint32_t ms = gf_backoff_ms(&w->n_unready);
    snprintf(w->reason, sizeof(w->reason), "%s", w->last_error[0] ? w->last_error : about->text);
    gf_log(GF_LOG_WARNING, "device %s is not ready: %s; restart_ms=%u", w->hello.device.name, w->reason, ms);
    start_in(w, ms);
    tell_fate(w);
}

static void set_aside(struct gf_worker *w, const struct gf_worker_about *about)
{
    gf_log(GF_LOG_ERROR, "device %s set aside: %u deaths in ten minutes, the last: %s", w->hello.device.name,
           recent_deaths(w, w->died_ns), about->text);
    start_in(w, ASIDE_MS);
    tell_fate(w);
}

/* SPDX-License-Identifier: MIT */
/*
 * The watchdog of a worker process. Four times a second the front asks a worker with tasks for a sign of life, and the
 * same for each task, because a device can hang while the process answers. A task may take as long as it likes while it
 * makes progress; its user pays for the time. A worker that stalls gets no further tasks; one that stalls for the
 * worker's timeout is killed. A worker without tasks runs a small kernel now and then, so that a device reported as
 * ready has computed recently. Called by workers.c, worker.c, worker_frames.c and dispatcher.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "server/front/base/log.h"
#include "worker.h"

#define UNKILLABLE_NS (5 * GF_NS_PER_S)
#define START_NS (120 * GF_NS_PER_S)  /* a GPU's context, modules and tables take seconds to load on a busy machine */
#define ASSEMBLE_MINUTES UINT64_C(20) /* a driver assembled all kernels in more than 4 minutes and less than 7 */
#define PROBES_PER_TIMEOUT 6u
#define PROBES_TO_STALE 3u
#define WATCH_MS 250u
#define LATE_NS GF_NS_PER_S                      /* between two turns of the watch: the daemon did not run */
#define STALL_NS (GF_NS_PER_S + GF_NS_PER_S / 2) /* without an answer; a loaded machine answers in milliseconds */
#define STALLS_PER_TIMEOUT 20u                   /* a longer timeout than 30 s gives more time */
#define STALL_COSTS 8u                           /* a work unit may take most of a request, and the estimate may err */

static uint64_t timeout_ns(const struct gf_worker *w)
{
    return *w->all->timeout_ms * GF_NS_PER_MS;
}

/* Time since a moment, but not from before the daemon last failed to run, because the workers may
 * not have run either. */
static uint64_t waited_ns(const struct gf_worker *w, uint64_t since_ns, uint64_t now_ns)
{
    uint64_t from = since_ns > w->all->woke_ns ? since_ns : w->all->woke_ns;
    return now_ns > from ? now_ns - from : 0;
}

/* Asks the worker. False if the front itself failed to send; a worker that does not receive counts as asked. */
static bool ping(struct gf_worker *w, uint64_t id)
{
    uint8_t frame[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_PING, .id = id}, frame);
    return gf_worker_link_send(w->link, frame, sizeof(frame), -1) || gf_worker_link_full(w->link) ||
           gf_worker_link_parted(w->link);
}

/* Kills a worker that should have ended, and finally gives it up. */
static void check_dying(struct gf_worker *w, uint64_t now_ns)
{
    /* A worker that was not started by the daemon finishes its jobs before it ends. */
    uint64_t since = waited_ns(w, w->dying_ns, now_ns), grace = w->own ? GF_NS_PER_S : timeout_ns(w);
    if (since > grace + UNKILLABLE_NS)
        gf_worker_give_up(w);
    else if (since > grace)
        gf_worker_process_kill(w->process);
}

static bool is_stuck(const struct gf_worker *w, uint64_t now_ns)
{
    gf_list_each(it, after, &w->tasks)
    {
        const struct gf_task *task = gf_container(it, struct gf_task, node);
        if (task->asked_ns && waited_ns(w, task->asked_ns, now_ns) > timeout_ns(w))
            return true;
    }
    return false;
}

/* Asks about all tasks, including those with an unanswered question: each question covers the time since the previous
 * one. */
static void ask_tasks(struct gf_worker *w, uint64_t now_ns)
{
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        if (ping(w, task->number) && !task->asked_ns)
            task->asked_ns = now_ns;
    }
}

static void check_busy(struct gf_worker *w, uint64_t now_ns)
{
    if (w->asked_ns && waited_ns(w, w->asked_ns, now_ns) > timeout_ns(w))
        gf_worker_kill(w, "it does not answer");
    else if (is_stuck(w, now_ns))
        gf_worker_kill(w, "one of its requests makes no progress");
    else if (!w->asked_ns && ping(w, 0)) {
        w->asked_ns = now_ns;
        ask_tasks(w, now_ns);
    }
}

static void check_idle(struct gf_worker *w, uint64_t now_ns)
{
    if (w->probe) {
        if (waited_ns(w, w->probe_ns, now_ns) > timeout_ns(w))
            gf_worker_kill(w, "it does not run a kernel");
    } else if (now_ns - w->probe_ns >= timeout_ns(w) / PROBES_PER_TIMEOUT &&
               now_ns - w->ran_ns >= timeout_ns(w) / PROBES_PER_TIMEOUT &&
               ping(w, GF_WORKER_PROBE | (w->n_probes + 1))) {
        w->probe = GF_WORKER_PROBE | ++w->n_probes;
        w->probe_ns = now_ns;
    }
}

void gf_worker_assembles(struct gf_worker *w, const struct gf_device_entry *device)
{
    w->assembles = true;
    snprintf(w->reason, sizeof(w->reason),
             "its driver assembles the kernels for %.64s, of which this build has no code: up to %" PRIu64
             " minutes, and seconds from the next start on",
             device->detail, ASSEMBLE_MINUTES);
    gf_log(GF_LOG_WARNING, "device %s is starting: %s", w->hello.device.name, w->reason);
    gf_worker_await_longer(w, (uint32_t)(ASSEMBLE_MINUTES * 60 * 1000));
    w->all->ops->changed(w->all->data, w);
}

static void check_starting(struct gf_worker *w, uint64_t now_ns)
{
    uint64_t limit = w->assembles ? ASSEMBLE_MINUTES * 60 * GF_NS_PER_S : START_NS;
    if (waited_ns(w, w->started_ns, now_ns) > limit)
        gf_worker_kill(w, w->assembles ? "its kernels were not assembled in time" : "it did not become ready");
}

void gf_worker_check(struct gf_worker *w, uint64_t now_ns)
{
    gf_worker_check_gpu(w, now_ns);
    if (w->dying_ns)
        check_dying(w, now_ns);
    else if (w->state == GF_WORKER_STARTING || w->state == GF_WORKER_SEEKING)
        check_starting(w, now_ns);
    else if (w->state == GF_WORKER_READY && w->n_tasks > 0)
        check_busy(w, now_ns);
    else if (w->state == GF_WORKER_READY) {
        check_idle(w, now_ns);
        if (w->state == GF_WORKER_READY)
            gf_worker_end_idle(w, now_ns);
    }
}

void gf_worker_ran(struct gf_worker *w)
{
    w->ran_ns = gf_now_ns();
    w->reason[0] = '\0';
}

void gf_worker_probed(struct gf_worker *w, uint64_t id, const struct gf_error *error)
{
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        if (task->number == id)
            task->asked_ns = 0;
    }
    if (id == 0 || id != w->probe)
        return;
    w->probe = 0;
    if (error)
        memcpy(w->reason, error->text, sizeof(w->reason));
    else
        gf_worker_ran(w);
}

bool gf_worker_stalls(const struct gf_worker *w, uint64_t now_ns)
{
    uint64_t limit = gf_max_u64(STALL_NS, timeout_ns(w) / STALLS_PER_TIMEOUT);
    if (w->state != GF_WORKER_READY || w->n_tasks == 0)
        return false;
    if (w->asked_ns && waited_ns(w, w->asked_ns, now_ns) > limit)
        return true;
    gf_list_each(it, after, &w->tasks)
    {
        const struct gf_task *task = gf_container(it, struct gf_task, node);
        if (task->asked_ns && waited_ns(w, task->asked_ns, now_ns) > limit + STALL_COSTS * task->cost_ns)
            return true;
    }
    return false;
}

/* A worker that was killed because it stalls is still called stalled until its process has ended. */
static void look_for_stall(struct gf_worker *w, uint64_t now_ns)
{
    bool stalled = gf_worker_stalls(w, now_ns);
    if (w->state != GF_WORKER_READY || stalled == w->stalled)
        return;
    w->stalled = stalled;
    if (stalled)
        gf_log(GF_LOG_WARNING, "the worker of %s stalls and gets no more requests: tasks=%u", w->hello.device.name,
               w->n_tasks);
    else
        gf_log(GF_LOG_NOTICE, "the worker of %s goes on: tasks=%u", w->hello.device.name, w->n_tasks);
    w->all->ops->stalled(w->all->data, w);
}

static void on_watch(uv_timer_t *timer)
{
    struct gf_workers *ws = timer->data;
    uint64_t now = gf_now_ns();
    bool any = false;
    if (now - ws->watched_ns > LATE_NS)
        ws->woke_ns = now;
    ws->watched_ns = now;
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *w = ws->list[i];
        if (w->state == GF_WORKER_READY && w->n_tasks > 0)
            check_busy(w, now);
        look_for_stall(w, now);
        any |= w->n_tasks > 0;
    }
    if (!any)
        uv_timer_stop(timer);
}

void gf_workers_watch(struct gf_workers *ws)
{
    if (uv_is_active((const uv_handle_t *)&ws->watch))
        return;
    ws->watched_ns = gf_now_ns();
    uv_timer_start(&ws->watch, on_watch, WATCH_MS, WATCH_MS);
}

bool gf_worker_is_probe(uint64_t id)
{
    return (id & GF_WORKER_PROBE) != 0;
}

bool gf_worker_is_healthy(const struct gf_worker *w, uint64_t now_ns)
{
    return w->state == GF_WORKER_READY && !w->stalled && !w->reason[0] &&
           now_ns - w->ran_ns <= PROBES_TO_STALE * (timeout_ns(w) / PROBES_PER_TIMEOUT + GF_NS_PER_S);
}

/* SPDX-License-Identifier: MIT */
/* Passes tasks from the fair queue to the workers and answers back; see dispatcher.h. */
#include "dispatcher.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "protocol/base/clock.h"
#include "routing.h"
#include "server/front/base/log.h"
#include "split.h"

#define MOST_KILLS 2u                       /* of its workers from outside, after which a task fails */
#define COMPILE_MAX_NS (3600 * GF_NS_PER_S) /* of a user in one message; no sum overflows */

static void on_timer(uv_timer_t *timer);

static void arm(struct gf_dispatcher *d, uint64_t deadline_ns, uint64_t now)
{
    d->timer_ns = deadline_ns;
    uv_update_time(d->timer.loop);
    uv_timer_start(&d->timer, on_timer, (deadline_ns - now) / GF_NS_PER_MS + 1, 0);
}

static void end_part(struct gf_dispatcher *d, struct gf_task *part, const struct gf_run_reply *reply,
                     const struct gf_error *error);

static void answer(struct gf_dispatcher *d, struct gf_task *task, const struct gf_run_reply *reply,
                   const struct gf_error *error)
{
    uint64_t now = gf_now_ns();
    if (task->whole) {
        end_part(d, task, reply, error);
        return;
    }
    uint32_t device = task->state == GF_TASK_RUNNING ? task->worker->index : GF_NO_DEVICE;
    bool failed_maker = error && task->n_makes > 0;
    gf_metrics_answered(d->metrics, task, device, error ? (enum gf_status)error->status : GF_OK,
                        reply ? &reply->times : NULL, now);
    if (reply)
        gf_metrics_computed(d->metrics, &task->work, device != GF_NO_DEVICE ? &task->worker->cost : NULL,
                            &reply->times);
    task->state = GF_TASK_ANSWERED;
    task->worker = NULL;
    gf_task_settle(task, error ? (enum gf_status)error->status : GF_OK);
    d->ops->done(d->data, task, reply, error);
    if (failed_maker && d->scheduler.n_queued > 0)
        arm(d, now, now); /* tasks that need its buffers fail later: the caller may be walking through the queue */
}

/* The remaining parts of a split task are useless: asks the running ones to stop and has the queued ones swept soon. */
static void stop_parts(struct gf_dispatcher *d, struct gf_task *whole)
{
    uint64_t now = gf_now_ns();
    gf_list_each(it, after, &whole->split->parts)
    {
        struct gf_task *part = gf_container(it, struct gf_task, mine);
        if (part->state == GF_TASK_RUNNING)
            gf_worker_cancel(part);
    }
    if (d->scheduler.n_queued > 0)
        arm(d, now, now);
}

/* Takes the answer of a part; if it was the last one, answers the whole task. */
static void end_part(struct gf_dispatcher *d, struct gf_task *part, const struct gf_run_reply *reply,
                     const struct gf_error *error)
{
    struct gf_task *whole = part->whole;
    struct gf_split *split = whole->split;
    bool stop = error && !split->failed && !whole->cancelled; /* otherwise the parts were stopped already */
    gf_split_take(part, reply, error);
    if (split->n_left == 0)
        answer(d, whole, split->failed ? NULL : &split->reply, split->failed ? &split->error : NULL);
    else if (stop)
        stop_parts(d, whole);
}

static void fail(struct gf_dispatcher *d, struct gf_task *task, enum gf_status status, const char *text)
{
    struct gf_error error = {0};
    gf_error_set(&error, status, "%s", text);
    answer(d, task, NULL, &error);
}

/* Sends the task to the worker; false if the worker can take no more. The worker lives on if the front itself cannot
 * send, since the worker knows nothing of the task yet. */
static bool launch(struct gf_dispatcher *d, struct gf_worker *w, struct gf_task *task, uint64_t cost)
{
    uint64_t now = gf_now_ns();
    if (!gf_task_stamp_deadline(task, now)) {
        gf_scheduler_remove(task);
        fail(d, task, GF_E_DEADLINE, "the deadline passed before a device was free");
        return true;
    }
    bool sent = gf_worker_run(w, task);
    if (!sent && gf_worker_parts(w))
        return false;
    if (!sent) {
        struct gf_error error = {0};
        gf_error_set(&error, GF_E_NO_MEMORY, "the server has no memory or descriptor left to send the request to %s",
                     w->hello.device.name);
        gf_scheduler_remove(task);
        answer(d, task, NULL, &error);
        return true;
    }
    gf_routing_decided(d->workers, w, task);
    gf_scheduler_start(task, w->index, cost);
    task->state = GF_TASK_RUNNING;
    task->stop_sent = false;
    task->worker = w;
    task->started_ns = now;
    task->asked_ns = 0;
    gf_worker_load(w, task);
    gf_workers_watch(d->workers);
    if (!gf_worker_is_cpu(w)) /* a CPU worker keeps the processors busy anyway */
        gf_awake_timer_expect(&d->awake_timer, now, cost);
    return true;
}

static struct gf_task *first_for(const struct gf_dispatcher *d, const struct gf_worker *w, uint32_t only,
                                 uint64_t *ret_cost)
{
    struct gf_search search = gf_search_begin(d->workers, w);
    search.only = only;
    struct gf_task *task = gf_scheduler_next(&d->scheduler, w->index, gf_search_fits, &search);
    *ret_cost = task ? gf_cost_estimate(&w->cost, &task->work) : 0;
    return task;
}

/* The next task for a worker, and its cost. Tasks that would fit better do not pass it, otherwise its turn might never
 * come. Three kinds may pass: a task whose worker died, a task that needs little memory if this one waits for memory,
 * and a short task if this one waits for the end of a long one. */
static struct gf_task *next_for(const struct gf_dispatcher *d, const struct gf_worker *w, uint64_t *ret_cost)
{
    uint32_t only = 0;
    struct gf_task *task = d->scheduler.n_suspects > 0 ? first_for(d, w, GF_ONLY_TRIED, ret_cost) : NULL;
    if (task && gf_worker_has_memory(w, task))
        return task;
    task = first_for(d, w, only, ret_cost);
    if (task && !gf_worker_has_memory(w, task)) {
        only = GF_ONLY_LIGHT;
        task = first_for(d, w, only, ret_cost);
    }
    if (!task || !gf_worker_waits_for_long(w, task, *ret_cost))
        return task;
    struct gf_task *passing = first_for(d, w, only | GF_ONLY_SHORT, ret_cost);
    return passing && gf_scheduler_may_pass(passing, task, w->index) ? passing : NULL;
}

/* Whether a task must not join the tasks of a worker yet, because one of them is tried alone. The queue is swept again
 * when the trial is over. */
static bool waits_for_trial(struct gf_dispatcher *d, const struct gf_worker *w, const struct gf_task *task)
{
    uint64_t now = gf_now_ns(), until = gf_worker_tries_until(w, task, now);
    if (until == 0)
        return false;
    if (d->timer_ns == 0 || d->timer_ns > until)
        arm(d, until, now);
    return true;
}

/* Gives a worker the tasks that it can use; whether there was one. */
static bool feed(struct gf_dispatcher *d, struct gf_worker *w)
{
    bool any = false;
    if (d->scheduler.n_queued > 0 && w->n_tasks > 0)
        gf_worker_age(w, gf_now_ns());
    while (d->scheduler.n_queued > 0 && gf_worker_has_slot(w)) {
        uint64_t cost;
        struct gf_task *task = next_for(d, w, &cost);
        if (!task || waits_for_trial(d, w, task) || (task->deaths == 0 && !gf_worker_has_capacity(w, task, cost)) ||
            !launch(d, w, task, cost))
            break;
        any = true;
    }
    return any;
}

/* Feeds the workers until none takes more, because a task taken by one may change the best choice for another. */
static void pump(struct gf_dispatcher *d)
{
    bool any = true;
    while (any && d->scheduler.n_queued > 0) {
        any = false;
        for (uint32_t i = 0; i < d->workers->n; i++)
            any |= feed(d, d->workers->list[i]);
    }
}

/* Takes the task away from its worker; `ns` is its cost. */
static void unload(struct gf_task *task, uint64_t ns)
{
    gf_worker_unload(task->worker, task);
    gf_scheduler_finish(task, task->worker->index, ns);
}

/* How long the worker has had the task: the cost of one that ended without measured times. */
static uint64_t spent(const struct gf_task *task)
{
    return gf_now_ns() - task->started_ns;
}

/* The cost of a task whose worker died. Time in which the worker only hung counts only if the task is to blame. */
static uint64_t spent_in_vain(const struct gf_task *task)
{
    uint64_t ns = spent(task);
    return ns < task->cost_ns || task->blamed ? ns : task->cost_ns;
}

/* Counts deaths of workers against a user, and logs the user's ban. */
static void penalise(struct gf_dispatcher *d, gf_user_id user, uint32_t deaths)
{
    const uint64_t limit = *d->workers->deaths;
    gf_penalties_add(&d->penalties, user, deaths, gf_now_ns());
    uint64_t wait_s = gf_penalties_wait_s(&d->penalties, user, limit, gf_now_ns());
    if (deaths == 0 || wait_s == 0)
        return;
    const time_t end = time(NULL) + (time_t)wait_s;
    struct tm utc;
    char until[32] = "";
    strftime(until, sizeof(until), "%FT%TZ", gmtime_r(&end, &utc));
    gf_log(GF_LOG_WARNING,
           "requests of a user refused: they ended %" PRIu64 " worker%s in ten minutes (worker-deaths) until=%s uid=%s",
           limit, limit == 1 ? "" : "s", until, gf_user_text(d->names, user, (char[GF_USER_TEXT]){0}));
}

/* QUOTA or SHUTDOWN if requests of the task's user are refused. */
static enum gf_status check_ban(const struct gf_dispatcher *d, const struct gf_task *task, struct gf_error *err)
{
    const struct gf_task *whole = task->whole ? task->whole : task;
    return gf_penalties_check(&d->penalties, whole->request_charge.account, *d->workers->deaths, gf_now_ns(), err);
}

/* Charges the deaths to the user, unless they were charged already. The first death no longer counts against its
 * device; the second one was never counted. */
static void fail_as_poison(struct gf_dispatcher *d, const struct gf_worker *w, struct gf_task *task)
{
    gf_worker_extend(d->workers->list[task->died_on], task->died_ns);
    penalise(d, task->work.user, (task->died_ns != 0 ? 1u : 0u) + (w->death_is_charged ? 0u : 1u));
    gf_log(GF_LOG_WARNING, "request blamed: it ended %u workers uid=%s", task->faults,
           gf_user_text(d->names, task->work.user, (char[GF_USER_TEXT]){0}));
    fail(d, task, GF_E_REQUEST_POISON, "two workers died while they had this request; it is not tried again");
}

static struct gf_task *find_task(struct gf_worker *w, uint64_t number)
{
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        if (task->number == number)
            return task;
    }
    return NULL;
}

/* A task that does not fit into a GPU's memory runs on the CPU, if the daemon chose the device. */
static bool run_elsewhere(struct gf_dispatcher *d, struct gf_task *task, const struct gf_error *error)
{
    struct gf_worker *cpu = d->workers->cpu;
    if (error->status != GF_E_NO_DEVICE_MEMORY || task->device != GF_ANY_DEVICE || task->worker == cpu || !cpu ||
        !gf_worker_usable(cpu) || !task->session || task->cancelled)
        return false;
    task->device = cpu->index;
    task->too_large = true;
    gf_scheduler_push(task->source, task, true);
    return true;
}

static void on_answer(void *data, struct gf_worker *w, const struct gf_header *header, const uint8_t *body)
{
    struct gf_dispatcher *d = data;
    struct gf_task *task = find_task(w, header->id);
    struct gf_error error = {0}, bad = {0};
    struct gf_run_reply reply;
    uint32_t retry;
    if (!task) {
        gf_worker_kill(w, "the worker answered a task that it does not have");
        return;
    }
    enum gf_status status = header->kind == GF_FRAME_RESULT
                                ? gf_run_reply_decode(body, header->body_len, &reply, &bad)
                                : gf_error_decode(body, header->body_len, &error, &retry, &bad);
    if (status != GF_OK || (header->kind == GF_FRAME_RESULT && !gf_task_is_answered_by(task, &reply))) {
        gf_worker_kill(w, "the worker sent a malformed answer");
        return;
    }
    if (header->kind == GF_FRAME_ERROR && error.status == GF_E_DEVICE_LOST) {
        gf_worker_kill(w, error.text); /* the task continues when the process has ended */
        return;
    }
    if (header->kind == GF_FRAME_RESULT) {
        unload(task, gf_cost_measured(&w->cost, &reply.times));
        w->n_buffers += task->n_makes;
        gf_cost_learn(&w->cost, &task->work, &reply.times);
        memcpy(reply.device, w->hello.device.name, sizeof(reply.device));
        answer(d, task, &reply, NULL);
    } else {
        struct gf_stage_times took; /* however it ended; waiting in the worker costs nothing */
        bool known = gf_worker_error_times(body, header->body_len, &took);
        unload(task, known ? gf_cost_measured(&w->cost, &took) : spent(task));
        if (!run_elsewhere(d, task, &error))
            answer(d, task, NULL, &error);
    }
    pump(d);
}

/* Decides about a task whose worker died. */
static void after_death(struct gf_dispatcher *d, struct gf_task *task)
{
    const struct gf_task *whole = task->whole ? task->whole : task;
    struct gf_worker *cpu = d->workers->cpu, *w = task->worker;
    unload(task, spent_in_vain(task));
    task->deaths++;
    if (w->death_is_fault && task->faults++ == 0) {
        task->died_on = w->index;
        task->died_ns = w->died_ns;
    }
    if (task->n_reads + task->n_makes > 0)
        fail(d, task, GF_E_HANDLE_LOST, "the device's worker died, and the resident buffers are lost");
    else if (task->blamed)
        fail_as_poison(d, w, task);
    else if (!whole->session || whole->cancelled || (whole->split && whole->split->failed))
        fail(d, task, GF_E_CANCELLED, "cancelled");
    else if (task->deadline_ns && gf_now_ns() >= task->deadline_ns)
        fail(d, task, GF_E_DEADLINE, "the deadline passed when the device's worker died");
    else if (task->deaths - task->faults > MOST_KILLS)
        fail(d, task, GF_E_DEVICE_LOST,
             "its worker was killed from outside too often, by the kernel for lack of memory or by an administrator");
    else if (!cpu || !gf_worker_usable(cpu))
        fail(d, task, GF_E_DEVICE_LOST,
             "the device's worker died, and there is no CPU worker to run the request again");
    else if (gf_footprint_total(&task->footprint, true) > gf_worker_scratch_limit(d->workers))
        fail(d, task, GF_E_DEVICE_LOST,
             "the device's worker died, and the CPU worker has too little memory to run the request again");
    else {
        task->device = cpu->index;
        gf_scheduler_push(task->source, task, true);
    }
}

struct sweep {
    struct gf_dispatcher *dispatcher;
    uint64_t now, next; /* next deadline */
};

/* Answers a queued task that no longer needs to wait. A ban does not reach a task whose worker died: only its second
 * run tells whether the task is to blame. */
static void look_at(void *data, struct gf_task *task)
{
    struct sweep *sweep = data;
    struct gf_dispatcher *d = sweep->dispatcher;
    struct gf_error error = {0};
    bool over = task->deadline_ns != 0 && task->deadline_ns <= sweep->now;
    bool useless = task->whole && task->whole->split->failed;
    if (useless)
        gf_error_set(&error, GF_E_CANCELLED, "another part of the request failed");
    else if (over)
        gf_error_set(&error, GF_E_DEADLINE, "the deadline passed before a device was free");
    if (!over && !useless && gf_task_check_reads(task, &error) == GF_OK &&
        !gf_routing_is_impossible(d->workers, task, &error) &&
        (task->deaths > 0 || check_ban(d, task, &error) == GF_OK)) {
        if (task->deadline_ns != 0 && task->deadline_ns < sweep->next)
            sweep->next = task->deadline_ns;
        return;
    }
    gf_scheduler_remove(task);
    answer(d, task, NULL, &error);
}

/* Visits all queued tasks; tasks that make buffers come before tasks that need them. */
static void sweep(struct gf_dispatcher *d)
{
    struct sweep sweep = {.dispatcher = d, .now = gf_now_ns(), .next = UINT64_MAX};
    gf_scheduler_each(&d->scheduler, look_at, &sweep);
    if (sweep.next != UINT64_MAX)
        arm(d, sweep.next, sweep.now);
}

static void on_changed(void *data, struct gf_worker *w)
{
    struct gf_dispatcher *d = data;
    enum gf_device_state state = gf_worker_device_state(w);
    if (state == GF_DEVICE_READY)
        gf_metrics_started(d->metrics, w->index);
    else if (state != GF_DEVICE_IDLE)
        d->ops->died(d->data, w);
    sweep(d);
    d->ops->changed(d->data);
    pump(d);
}

static void on_died(void *data, struct gf_worker *w)
{
    struct gf_dispatcher *d = data;
    enum gf_device_state state = gf_worker_device_state(w);
    if (state == GF_DEVICE_RESTARTING || w->state == GF_WORKER_ASIDE)
        gf_metrics_died(d->metrics, w->index);
    if (w->death_is_charged)
        penalise(d, gf_container(w->tasks.next, struct gf_task, node)->work.user, 1);
    /* Back to front, because each task goes to the front of its queue. */
    while (!gf_list_empty(&w->tasks))
        after_death(d, gf_container(w->tasks.prev, struct gf_task, node));
    sweep(d); /* users may be refused now */
    pump(d);
}

/* Charges users for kernels that were compiled for them. The compiler has one thread, and the CPU's service is counted
 * in time of all its threads. */
static void on_compiled(void *data, const struct gf_compile_times *times)
{
    struct gf_dispatcher *d = data;
    const struct gf_workers *ws = d->workers;
    for (uint32_t i = 0; i < times->n; i++) {
        const struct gf_compile_time *t = &times->of[i];
        uint64_t ns = gf_min_u64(t->ns, COMPILE_MAX_NS);
        gf_metrics_compiled(d->metrics, t->user, ns);
        if (ws->cpu)
            gf_scheduler_charge(&d->scheduler, t->user, ws->cpu->index, ns / ws->threads);
    }
}

static void on_stalled(void *data, struct gf_worker *w)
{
    struct gf_dispatcher *d = data;
    if (w->stalled)
        d->ops->stalled(d->data, w);
    d->ops->changed(d->data);
    pump(d);
}

static void on_drained(void *data, struct gf_worker *w)
{
    (void)w;
    pump(data);
}

const struct gf_workers_ops gf_dispatcher_workers_ops = {.changed = on_changed,
                                                         .answer = on_answer,
                                                         .compiled = on_compiled,
                                                         .stalled = on_stalled,
                                                         .drained = on_drained,
                                                         .died = on_died};

uint64_t gf_dispatcher_number(struct gf_dispatcher *d)
{
    return ++d->last_number;
}

static void on_timer(uv_timer_t *timer)
{
    struct gf_dispatcher *d = timer->data;
    d->timer_ns = 0;
    sweep(d);
    pump(d);
}

/* Whether a new task can still run: while its payload arrived, a buffer that it reads may have failed, its user may
 * have been refused, or its device may have gone or stalled. Makes the parts of a task for all GPUs. */
static bool can_run(struct gf_dispatcher *d, struct gf_task *task, struct gf_error *err)
{
    if (gf_task_check_reads(task, err) != GF_OK || (task->payload_in > 0 && check_ban(d, task, err) != GF_OK) ||
        gf_routing_check_progress(d->workers, task, err) != GF_OK)
        return false;
    if (task->device == GF_EVERY_GPU)
        return gf_split_begin(task, d->workers, &d->last_number, err) == GF_OK;
    return !gf_routing_is_impossible(d->workers, task, err);
}

void gf_dispatcher_submit(struct gf_dispatcher *d, struct gf_source *source, struct gf_task *task)
{
    struct gf_error error = {0};
    gf_metrics_accepted(d->metrics, task);
    if (!can_run(d, task, &error)) {
        answer(d, task, NULL, &error);
        return;
    }
    if (task->device != GF_EVERY_GPU)
        gf_scheduler_push(source, task, false);
    else
        gf_list_each(it, after, &task->split->parts)
            gf_scheduler_push(source, gf_container(it, struct gf_task, mine), false);
    uint64_t deadline = task->deadline_ns, now = gf_now_ns();
    uint32_t device = task->device;
    pump(d);
    gf_workers_wake(d->workers, device, d->scheduler.n_queued > 0);
    if (deadline > now && d->scheduler.n_queued > 0 && (d->timer_ns == 0 || deadline < d->timer_ns))
        arm(d, deadline, now);
}

/* The whole task may have been freed when this returns. */
static void cancel_parts(struct gf_dispatcher *d, struct gf_task *whole)
{
    struct gf_task *queued[GF_MAX_DEVICES];
    uint32_t n = 0;
    gf_list_each(it, after, &whole->split->parts)
    {
        struct gf_task *part = gf_container(it, struct gf_task, mine);
        if (part->state == GF_TASK_QUEUED) {
            queued[n++] = part;
            continue;
        }
        if (!whole->session)
            part->source = NULL;
        gf_worker_cancel(part);
    }
    for (uint32_t i = 0; i < n; i++) {
        gf_scheduler_remove(queued[i]);
        fail(d, queued[i], GF_E_CANCELLED, "cancelled before it ran");
    }
}

void gf_dispatcher_cancel(struct gf_dispatcher *d, struct gf_task *task)
{
    task->cancelled = true;
    if (task->state == GF_TASK_SPLIT)
        cancel_parts(d, task);
    else if (task->state == GF_TASK_QUEUED) {
        gf_scheduler_remove(task);
        fail(d, task, GF_E_CANCELLED, "cancelled before it ran");
    } else if (task->state == GF_TASK_RUNNING)
        gf_worker_cancel(task);
}

void gf_dispatcher_init(struct gf_dispatcher *d, uv_loop_t *loop, struct gf_workers *workers,
                        const struct gf_dispatcher_ops *ops, void *data)
{
    *d = (struct gf_dispatcher){.workers = workers, .ops = ops, .data = data};
    gf_scheduler_init(&d->scheduler);
    gf_awake_timer_init(&d->awake_timer, loop);
    uv_timer_init(loop, &d->timer);
    d->timer.data = d;
}

void gf_dispatcher_close(struct gf_dispatcher *d)
{
    uv_close((uv_handle_t *)&d->timer, NULL);
    gf_awake_timer_close(&d->awake_timer);
    gf_scheduler_deinit(&d->scheduler);
}

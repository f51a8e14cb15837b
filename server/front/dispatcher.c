/* SPDX-License-Identifier: MIT */
/* Between the fair queue and the workers; see dispatcher.h. */
#include "dispatcher.h"

#include <string.h>

#include "log.h"
#include "protocol/clock.h"
#include "protocol/text.h"

#define AHEAD_TASKS 2u               /* what any worker may have: one runs while the next is copied in */
#define AHEAD_NS (10 * GF_NS_PER_MS) /* beyond these, so much estimated work */
#define CPU "cpu"

static void on_timer(uv_timer_t *timer);

static void arm(struct gf_dispatcher *d, uint64_t deadline_ns, uint64_t now)
{
    d->timer_ns = deadline_ns;
    uv_update_time(d->timer.loop);
    uv_timer_start(&d->timer, on_timer, (deadline_ns - now) / GF_NS_PER_MS + 1, 0);
}

static void answer(struct gf_dispatcher *d, struct gf_task *task, const struct gf_run_reply *reply,
                   const struct gf_error *error)
{
    uint64_t now = gf_now_ns();
    uint32_t device = task->state == GF_TASK_RUNNING ? task->worker->index : GF_NO_DEVICE;
    bool failed_maker = error && task->n_makes > 0;
    gf_metrics_answered(d->metrics, task, device, error ? (enum gf_status)error->status : GF_OK,
                        reply ? &reply->times : NULL, now);
    task->state = GF_TASK_ANSWERED;
    task->worker = NULL;
    gf_task_settle(task, error ? (enum gf_status)error->status : GF_OK);
    d->ops->done(d->data, task, reply, error);
    if (failed_maker && d->scheduler.n_queued > 0)
        arm(d, now, now); /* those that need it fail soon, not now: the caller may be walking through the queue */
}

static void fail(struct gf_dispatcher *d, struct gf_task *task, enum gf_status status, const char *text)
{
    struct gf_error error = {0};
    gf_error_set(&error, status, "%s", text);
    answer(d, task, NULL, &error);
}

static bool is_cpu(const struct gf_worker *w)
{
    return strcmp(w->hello.device.name, CPU) == 0;
}

static uint64_t estimate(const struct gf_worker *w, const struct gf_task *task)
{
    uint64_t ps;
    return gf_mul_u64(task->bytes, w->ps_per_byte, &ps) ? ps / 1000 : UINT64_MAX / 4;
}

static bool has_room(const struct gf_worker *w, const struct gf_task *task)
{
    if (w->doomed_ns || w->n_tasks >= w->hello.slots)
        return false;
    return w->n_tasks < AHEAD_TASKS || w->load_ns + estimate(w, task) <= AHEAD_NS;
}

/* The worker to give the task to now; NULL when it has to wait. */
static struct gf_worker *choose(const struct gf_dispatcher *d, const struct gf_task *task)
{
    const struct gf_workers *ws = d->workers;
    struct gf_worker *best = NULL;
    bool gpu = false;
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *w = ws->list[i];
        if (w->state != GF_DEVICE_READY || (task->device != GF_ANY_DEVICE && task->device != i) || (gpu && is_cpu(w)) ||
            !gf_worker_supports(w, task->needs, task->n_needs))
            continue;
        if (!is_cpu(w) && !gpu) {
            gpu = true; /* a GPU that is ready is waited for */
            best = NULL;
        }
        if (has_room(w, task) && (!best || w->load_ns < best->load_ns))
            best = w;
    }
    return best;
}

static bool fits(void *data, struct gf_task *task)
{
    return !gf_task_blocked(task) && choose(data, task) != NULL;
}

/* Any worker that could take anything: else nobody needs to be asked. */
static bool any_room(const struct gf_dispatcher *d)
{
    static const struct gf_task nothing;
    for (uint32_t i = 0; i < d->workers->n; i++)
        if (d->workers->list[i]->state == GF_DEVICE_READY && has_room(d->workers->list[i], &nothing))
            return true;
    return false;
}

static void launch(struct gf_dispatcher *d, struct gf_task *task)
{
    struct gf_worker *w = choose(d, task);
    uint64_t now = gf_now_ns();
    if (!gf_task_stamp_deadline(task, now)) {
        fail(d, task, GF_E_DEADLINE, "the deadline passed before a device was free");
        return;
    }
    bool sent = gf_worker_run(w, task);
    if (!sent && gf_worker_parts(w)) {
        gf_scheduler_push(task->source, task, true);
        return;
    }
    task->state = GF_TASK_RUNNING;
    task->worker = w;
    task->started_ns = now;
    task->load_ns = estimate(w, task);
    gf_list_push(&w->tasks, &task->node);
    w->n_tasks++;
    w->load_ns += task->load_ns;
    if (!sent)
        gf_worker_kill(w, "a task could not be sent to it");
}

static void pump(struct gf_dispatcher *d)
{
    struct gf_task *task;
    while (any_room(d) && (task = gf_scheduler_next(&d->scheduler, fits, d)))
        launch(d, task);
}

/* Takes the task out of its worker. */
static void unload(struct gf_task *task)
{
    struct gf_worker *w = task->worker;
    gf_list_remove(&task->node);
    w->n_tasks--;
    w->load_ns -= task->load_ns < w->load_ns ? task->load_ns : w->load_ns;
}

static void learn(struct gf_worker *w, const struct gf_task *task, const struct gf_stage_times *t)
{
    uint64_t ps;
    if (task->bytes == 0 || !gf_mul_u64(t->copy_in + t->kernel + t->copy_out, 1000, &ps))
        return;
    w->ps_per_byte = (7 * w->ps_per_byte + ps / task->bytes) / 8;
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

static void on_answer(void *data, struct gf_worker *w, const struct gf_header *header, const uint8_t *body)
{
    struct gf_dispatcher *d = data;
    struct gf_task *task = find_task(w, header->id);
    struct gf_error error = {0}, bad = {0};
    struct gf_run_reply reply;
    uint32_t retry;
    if (!task) {
        gf_worker_kill(w, "it answered what it was not asked");
        return;
    }
    enum gf_status status = header->kind == GF_FRAME_RESULT
                                ? gf_run_reply_decode(body, header->body_len, &reply, &bad)
                                : gf_error_decode(body, header->body_len, &error, &retry, &bad);
    if (status != GF_OK || (header->kind == GF_FRAME_RESULT && reply.n_outputs != task->n_targets)) {
        gf_worker_kill(w, "its answer cannot be read");
        return;
    }
    if (header->kind == GF_FRAME_ERROR && error.status == GF_E_DEVICE_LOST) {
        gf_worker_kill(w, error.text); /* the task goes on when the process has ended */
        return;
    }
    unload(task);
    if (header->kind == GF_FRAME_RESULT) {
        learn(w, task, &reply.times);
        memcpy(reply.device, w->hello.device.name, sizeof(reply.device));
        answer(d, task, &reply, NULL);
    } else
        answer(d, task, NULL, &error);
    pump(d);
}

/* What becomes of a task whose worker died with it. */
static void after_death(struct gf_dispatcher *d, struct gf_task *task)
{
    struct gf_worker *cpu = gf_workers_find(d->workers, CPU);
    unload(task);
    if (task->n_reads + task->n_makes > 0)
        fail(d, task, GF_E_HANDLE_LOST, "the worker of its device died, and resident buffers with it");
    else if (++task->deaths >= 2)
        fail(d, task, GF_E_REQUEST_POISON, "two workers died while they had this request; it is not tried again");
    else if (!task->session || task->cancelled)
        fail(d, task, GF_E_CANCELLED, "cancelled");
    else if (task->deadline_ns && gf_now_ns() >= task->deadline_ns)
        fail(d, task, GF_E_DEADLINE, "the deadline passed while the worker of its device died");
    else if (!cpu || !gf_worker_hopeful(cpu))
        fail(d, task, GF_E_DEVICE_LOST, "the worker of its device died, and there is no CPU worker to run it again");
    else {
        task->device = cpu->index;
        gf_scheduler_push(task->source, task, true);
    }
}

/* Whether no device is left that could run the task; why. */
static bool is_hopeless(const struct gf_dispatcher *d, const struct gf_task *task, struct gf_error *err)
{
    const struct gf_workers *ws = d->workers;
    const char *reason = "";
    for (uint32_t i = 0; i < ws->n; i++) {
        if (task->device != GF_ANY_DEVICE && task->device != i)
            continue;
        const struct gf_worker *w = ws->list[i];
        reason = w->reason;
        if (gf_worker_hopeful(w) && (w->state != GF_DEVICE_READY || gf_worker_supports(w, task->needs, task->n_needs)))
            return false;
    }
    gf_error_set(err, task->deaths ? GF_E_DEVICE_LOST : GF_E_NO_DEVICE, "no device is left for this request%s%s",
                 *reason ? ": " : "", reason);
    return true;
}

struct sweep {
    struct gf_dispatcher *dispatcher;
    uint64_t now, next; /* next deadline */
};

/* Answers a queued task that waits for nothing. */
static void look_at(void *data, struct gf_task *task)
{
    struct sweep *sweep = data;
    struct gf_error error = {0};
    bool over = task->deadline_ns != 0 && task->deadline_ns <= sweep->now;
    if (over)
        gf_error_set(&error, GF_E_DEADLINE, "the deadline passed before a device was free");
    if (!over && gf_task_check_reads(task, &error) == GF_OK && !is_hopeless(sweep->dispatcher, task, &error)) {
        if (task->deadline_ns != 0 && task->deadline_ns < sweep->next)
            sweep->next = task->deadline_ns;
        return;
    }
    gf_scheduler_remove(task);
    answer(sweep->dispatcher, task, NULL, &error);
}

/* Looks at all that is queued, those that make buffers before those that need them. */
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
    if (w->state == GF_DEVICE_READY)
        gf_metrics_started(d->metrics, w->index);
    else
        d->ops->died(d->data, w);
    sweep(d);
    d->ops->changed(d->data);
    pump(d);
}

static void on_died(void *data, struct gf_worker *w)
{
    struct gf_dispatcher *d = data;
    if (w->state == GF_DEVICE_RESTARTING || w->state == GF_DEVICE_ASIDE)
        gf_metrics_died(d->metrics, w->index);
    /* From the back, since each goes to the front of its queue. */
    while (!gf_list_empty(&w->tasks))
        after_death(d, gf_container(w->tasks.prev, struct gf_task, node));
    pump(d);
}

const struct gf_workers_ops gf_dispatcher_workers_ops = {.changed = on_changed, .answer = on_answer, .died = on_died};

enum gf_status gf_dispatcher_route(const struct gf_dispatcher *d, const char *device, const struct gf_need *needs,
                                   uint32_t n_needs, uint32_t *ret_device, struct gf_error *err)
{
    const struct gf_workers *ws = d->workers;
    bool any = strcmp(device, "auto") == 0, hope = false;
    const struct gf_worker *named = any ? NULL : gf_workers_find(ws, device);
    if (!any && !named) {
        char list[128] = "";
        for (uint32_t i = 0; i < ws->n; i++)
            gf_text_append(list, sizeof(list), "%s%s", i > 0 ? ", " : "", ws->list[i]->hello.device.name);
        return gf_error_set(err, GF_E_NO_DEVICE, "no device '%s'; there are %s, and auto", device, list);
    }
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        if ((named && w != named) || !gf_worker_hopeful(w))
            continue;
        hope = true;
        if (w->state != GF_DEVICE_READY || gf_worker_supports(w, needs, n_needs)) {
            *ret_device = named ? w->index : GF_ANY_DEVICE;
            return GF_OK;
        }
    }
    if (hope)
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s has no row for an op of this program on its data type",
                            named ? named->hello.device.name : "no device");
    return gf_error_set(err, GF_E_NO_DEVICE, "%s is not there: %s", named ? named->hello.device.name : "any device",
                        named ? named->reason : "all are absent or set aside");
}

/* How well a device suits resident buffers: that it is ready counts most. */
static int rank(const struct gf_worker *w)
{
    return (w->state == GF_DEVICE_READY ? 2 : 0) + (is_cpu(w) ? 0 : 1);
}

enum gf_status gf_dispatcher_place(const struct gf_dispatcher *d, const struct gf_need *needs, uint32_t n_needs,
                                   uint32_t *ret_device, struct gf_error *err)
{
    const struct gf_workers *ws = d->workers;
    const struct gf_worker *best = NULL;
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        if (!gf_worker_hopeful(w) || (w->state == GF_DEVICE_READY && !gf_worker_supports(w, needs, n_needs)))
            continue;
        if (!best || rank(w) > rank(best) || (rank(w) == rank(best) && w->load_ns < best->load_ns))
            best = w;
    }
    if (!best)
        return gf_error_set(err, GF_E_NO_DEVICE, "no device is there to keep a buffer");
    *ret_device = best->index;
    return GF_OK;
}

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

void gf_dispatcher_submit(struct gf_dispatcher *d, struct gf_source *source, struct gf_task *task)
{
    struct gf_error error = {0};
    gf_metrics_accepted(d->metrics, task);
    if (gf_task_check_reads(task, &error) != GF_OK) {
        answer(d, task, NULL, &error); /* what it reads failed while its payload came */
        return;
    }
    gf_scheduler_push(source, task, false);
    uint64_t deadline = task->deadline_ns, now = gf_now_ns();
    pump(d);
    if (deadline > now && d->scheduler.n_queued > 0 && (d->timer_ns == 0 || deadline < d->timer_ns))
        arm(d, deadline, now);
}

void gf_dispatcher_cancel(struct gf_dispatcher *d, struct gf_task *task)
{
    task->cancelled = true;
    if (task->state == GF_TASK_QUEUED) {
        gf_scheduler_remove(task);
        fail(d, task, GF_E_CANCELLED, "cancelled before it ran");
    } else if (task->state == GF_TASK_RUNNING)
        gf_worker_cancel(task->worker, task->number);
}

void gf_dispatcher_init(struct gf_dispatcher *d, uv_loop_t *loop, struct gf_workers *workers,
                        const struct gf_dispatcher_ops *ops, void *data)
{
    *d = (struct gf_dispatcher){.workers = workers, .ops = ops, .data = data};
    gf_scheduler_init(&d->scheduler);
    uv_timer_init(loop, &d->timer);
    d->timer.data = d;
}

void gf_dispatcher_close(struct gf_dispatcher *d)
{
    uv_close((uv_handle_t *)&d->timer, NULL);
}

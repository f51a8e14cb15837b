/* SPDX-License-Identifier: MIT */
/* The choice of devices; see routing.h. */
#include "routing.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "scheduler.h"

#define ANY "auto"
#define AHEAD_TASKS 2u               /* for any worker: one task runs while the next one is copied in */
#define SHORT_NS (10 * GF_NS_PER_MS) /* estimated work of further short tasks; a longer task is a long one */
#define CPU_WEIGHT 2u                /* a GPU's time is its own; the CPU is shared with the daemon and the clients */
#define ALONE_NS GF_NS_PER_S         /* a request that ends its worker mostly does so at once */
#define SPARE_SLOTS 2u               /* slots of a worker that stay free for short tasks */
#define LIGHT_TASKS 64u              /* tasks that need little memory: this many always have room beside the others */
#define COMPARED 8u                  /* tasks of a source for which one walk compares devices */

/* Says when and why a device takes no requests; of all devices if it is NULL. */
static void tell_states(const struct gf_workers *ws, const struct gf_worker *w, char text[GF_ERROR_TEXT])
{
    if (!w) {
        gf_workers_tell_states(ws, text, GF_ERROR_TEXT);
        return;
    }
    gf_worker_tell_state(w, text, GF_ERROR_TEXT);
    gf_text_append(text, GF_ERROR_TEXT, "%s%s", *w->reason ? ": " : "", w->reason);
}

enum gf_status gf_routing_absence(const struct gf_work *work)
{
    return gf_user_is_named(work->user) ? GF_E_SHUTDOWN : GF_E_NO_DEVICE;
}

enum gf_status gf_routing_find(const struct gf_workers *ws, const char *device, const struct gf_work *work,
                               uint32_t *ret_device, struct gf_error *err)
{
    bool any = strcmp(device, ANY) == 0, every = strcmp(device, GF_ALL_GPUS) == 0, usable = false, known = !every;
    const struct gf_worker *named = any || every ? NULL : gf_workers_find(ws, device);
    if (!any && !every && !named) {
        char list[128] = "";
        bool gpus = false;
        for (uint32_t i = 0; i < ws->n; i++) {
            gf_text_append(list, sizeof(list), "%s%s", i > 0 ? ", " : "", ws->list[i]->hello.device.name);
            gpus |= !gf_worker_is_cpu(ws->list[i]);
        }
        return gf_error_set(err, GF_E_NO_DEVICE, "no device '%s'; allowed: %s%s, auto", device, list,
                            gpus ? ", " GF_ALL_GPUS : "");
    }
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        known |= !gf_worker_is_cpu(w);
        if ((named && w != named) || (every && gf_worker_is_cpu(w)) || !gf_worker_usable(w))
            continue;
        usable = true;
        if (gf_worker_device_state(w) != GF_DEVICE_READY || gf_worker_supports(w, work)) {
            *ret_device = named ? w->index : every ? GF_EVERY_GPU : GF_ANY_DEVICE;
            return GF_OK;
        }
    }
    if (usable)
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s does not support an operation of this program on its data type",
                            named   ? named->hello.device.name
                            : every ? "no GPU"
                                    : "no device");
    char states[GF_ERROR_TEXT] = "";
    tell_states(ws, named, states);
    return gf_error_set(err, known ? gf_routing_absence(work) : GF_E_NO_DEVICE, "%s%s",
                        named   ? ""
                        : every ? "no GPU is present or takes requests: "
                                : "no device takes requests: ",
                        states);
}

/* How well a device suits resident buffers: readiness, now or soon, counts most. */
static int rank(const struct gf_worker *w)
{
    enum gf_device_state state = gf_worker_device_state(w);
    bool serves = (state == GF_DEVICE_READY && !w->stalled) || state == GF_DEVICE_IDLE;
    return (serves ? 2 : 0) + (gf_worker_is_cpu(w) ? 0 : 1);
}

/* Whether `a` is the better home for resident buffers: fewer connections have theirs there; if equal, less work is
 * pending. */
static bool is_better_home(const struct gf_worker *a, const struct gf_worker *b, const uint32_t *homes)
{
    if (rank(a) != rank(b))
        return rank(a) > rank(b);
    if (homes[a->index] != homes[b->index])
        return homes[a->index] < homes[b->index];
    return a->load_ns < b->load_ns;
}

enum gf_status gf_routing_place(const struct gf_workers *ws, const struct gf_work *work, const uint32_t *homes,
                                uint32_t *ret_device, struct gf_error *err)
{
    const struct gf_worker *best = NULL;
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        if (!gf_worker_usable(w) || (gf_worker_device_state(w) == GF_DEVICE_READY && !gf_worker_supports(w, work)))
            continue;
        if (!best || is_better_home(w, best, homes))
            best = w;
    }
    if (!best)
        return gf_error_set(err, gf_routing_absence(work), "no device can keep a resident buffer");
    *ret_device = best->index;
    return GF_OK;
}

bool gf_routing_is_impossible(const struct gf_workers *ws, const struct gf_task *task, struct gf_error *err)
{
    char states[GF_ERROR_TEXT] = "";
    for (uint32_t i = 0; i < ws->n; i++) {
        if (task->device != GF_ANY_DEVICE && task->device != i)
            continue;
        const struct gf_worker *w = ws->list[i];
        if (gf_worker_usable(w) && (gf_worker_device_state(w) != GF_DEVICE_READY || gf_worker_supports(w, &task->work)))
            return false;
    }
    tell_states(ws, task->device < ws->n ? ws->list[task->device] : NULL, states);
    gf_error_set(err, task->deaths ? GF_E_DEVICE_LOST : gf_routing_absence(&task->work),
                 "no device is left for this request: %s", states);
    return true;
}

/* Whether the task cannot run without this device. */
static bool needs(const struct gf_task *task, const struct gf_worker *w)
{
    return task->device == w->index || (task->device == GF_EVERY_GPU && !gf_worker_is_cpu(w));
}

enum gf_status gf_routing_check_progress(const struct gf_workers *ws, const struct gf_task *task, struct gf_error *err)
{
    char states[GF_ERROR_TEXT] = "";
    if (!gf_user_is_named(task->work.user))
        return GF_OK;
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->list[i]->stalled && needs(task, ws->list[i]))
            return gf_error_set(err, GF_E_SHUTDOWN, "%s makes no progress", ws->list[i]->hello.device.name);
    if (task->device != GF_ANY_DEVICE || gf_workers_serve(ws))
        return GF_OK;
    tell_states(ws, NULL, states);
    return gf_error_set(err, GF_E_SHUTDOWN, "no device takes requests: %s", states);
}

/* Whether the worker is ready and could run the task. */
static bool is_candidate(const struct gf_worker *w, const struct gf_task *task)
{
    return w->state == GF_WORKER_READY && !w->stalled && (task->device == GF_ANY_DEVICE || task->device == w->index) &&
           gf_worker_supports(w, &task->work);
}

/* Nanoseconds from now until the task would be done, after the worker's pending work. */
static uint64_t done_ns(const struct gf_worker *w, const struct gf_task *task)
{
    return w->load_ns + gf_cost_estimate(&w->cost, &task->work);
}

/* A device's time, weighted for comparing devices. */
static uint64_t weighted(const struct gf_worker *w, uint64_t ns)
{
    return ns * (gf_worker_is_cpu(w) ? CPU_WEIGHT : 1);
}

struct gf_search gf_search_begin(const struct gf_workers *ws, const struct gf_worker *w)
{
    return (struct gf_search){.workers = ws, .worker = w};
}

static bool is_first_done(struct gf_search *search, const struct gf_task *task)
{
    const struct gf_workers *ws = search->workers;
    const struct gf_worker *w = search->worker;
    if (search->source != task->source) {
        search->source = task->source;
        search->n_left = COMPARED;
        memset(search->ahead_ns, 0, ws->n * sizeof(uint64_t));
    }
    if (search->n_left == 0)
        return false;
    search->n_left--;
    uint64_t here = weighted(w, done_ns(w, task));
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *other = ws->list[i];
        if (other == w || !is_candidate(other, task))
            continue;
        uint64_t there = weighted(other, done_ns(other, task) + search->ahead_ns[i]);
        if (there < here || (there == here && i < w->index)) {
            search->ahead_ns[i] += gf_cost_estimate(&other->cost, &task->work);
            return false;
        }
    }
    return true;
}

static uint64_t scratch_of(const struct gf_worker *w, const struct gf_task *task)
{
    return gf_footprint_total(&task->footprint, gf_worker_is_cpu(w));
}

/* The most memory that a light task may need. */
static uint64_t light_bytes(const struct gf_workers *ws)
{
    uint64_t share = ws->scratch / 4 / LIGHT_TASKS, rooms = (ws->threads + UINT64_C(2)) << 19;
    return share < rooms ? share : rooms;
}

uint64_t gf_worker_scratch_limit(const struct gf_workers *ws)
{
    return ws->scratch - LIGHT_TASKS * light_bytes(ws);
}

static bool is_light(const struct gf_worker *w, const struct gf_task *task)
{
    return scratch_of(w, task) <= light_bytes(w->all);
}

bool gf_worker_has_memory(const struct gf_worker *w, const struct gf_task *task)
{
    uint64_t need = scratch_of(w, task), limit = gf_worker_scratch_limit(w->all);
    return is_light(w, task) || (need <= limit && w->scratch <= limit - need);
}

/* Long tasks in the worker that belong to the same user as `task`. */
static uint32_t longs_of_user(const struct gf_worker *w, const struct gf_task *task)
{
    uint32_t n = 0;
    gf_list_each(it, after, &w->tasks)
    {
        const struct gf_task *other = gf_container(it, struct gf_task, node);
        n += other->is_long && other->flow == task->source->flow;
    }
    return n;
}

/* If there are other users, the last slots are not for a user whose tasks were estimated as short
 * and turned out long. */
static bool has_share(const struct gf_worker *w, const struct gf_task *task)
{
    return w->n_tasks < AHEAD_TASKS || w->n_tasks + SPARE_SLOTS < w->hello.slots ||
           longs_of_user(w, task) < AHEAD_TASKS || !gf_source_has_others(task->source);
}

bool gf_search_fits(void *data, struct gf_task *task)
{
    struct gf_search *search = data;
    if (gf_task_blocked(task) || !is_candidate(search->worker, task) || !has_share(search->worker, task))
        return false;
    if ((search->only & GF_ONLY_TRIED) && task->deaths == 0)
        return false;
    if ((search->only & GF_ONLY_LIGHT) && !is_light(search->worker, task))
        return false;
    if ((search->only & GF_ONLY_SHORT) && gf_cost_estimate(&search->worker->cost, &task->work) > SHORT_NS)
        return false;
    return task->device != GF_ANY_DEVICE || search->workers->n == 1 || is_first_done(search, task);
}

bool gf_worker_has_slot(const struct gf_worker *w)
{
    return w->state == GF_WORKER_READY && !w->stalled && w->n_tasks < w->hello.slots &&
           (!w->link || !gf_worker_link_full(w->link));
}

/* While slots are left for short tasks, a user need not wait for another user's long tasks. */
static bool has_room_for_long(const struct gf_worker *w, const struct gf_task *task)
{
    return w->n_long < AHEAD_TASKS || (w->n_tasks + SPARE_SLOTS < w->hello.slots && longs_of_user(w, task) == 0);
}

bool gf_worker_has_capacity(const struct gf_worker *w, const struct gf_task *task, uint64_t cost_ns)
{
    if (!gf_worker_has_slot(w))
        return false;
    if (w->n_tasks < AHEAD_TASKS)
        return true;
    if (cost_ns > SHORT_NS)
        return has_room_for_long(w, task);
    return w->short_ns + cost_ns <= SHORT_NS;
}

bool gf_worker_waits_for_long(const struct gf_worker *w, const struct gf_task *task, uint64_t cost_ns)
{
    return cost_ns > SHORT_NS && !has_room_for_long(w, task);
}

void gf_worker_age(struct gf_worker *w, uint64_t now_ns)
{
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        if (task->is_long || now_ns <= task->started_ns + SHORT_NS)
            continue;
        task->is_long = true;
        w->short_ns -= task->cost_ns;
    }
}

uint64_t gf_worker_tries_until(const struct gf_worker *w, const struct gf_task *task, uint64_t now_ns)
{
    uint64_t until = 0;
    if (task->deaths == 0 && w->n_suspects == 0)
        return 0;
    gf_list_each(it, after, &w->tasks)
    {
        const struct gf_task *other = gf_container(it, struct gf_task, node);
        uint64_t end = other->started_ns + ALONE_NS;
        if ((task->deaths > 0 || other->deaths > 0) && end > now_ns && end > until)
            until = end;
    }
    return until;
}

void gf_worker_load(struct gf_worker *w, struct gf_task *task)
{
    gf_list_push(&w->tasks, &task->node);
    w->n_tasks++;
    w->n_suspects += task->deaths > 0;
    w->load_ns += task->cost_ns;
    w->scratch += scratch_of(w, task);
    task->is_long = task->cost_ns > SHORT_NS;
    if (task->is_long)
        w->n_long++;
    else
        w->short_ns += task->cost_ns;
}

void gf_worker_unload(struct gf_worker *w, struct gf_task *task)
{
    gf_list_remove(&task->node);
    w->n_tasks--;
    w->n_suspects -= task->deaths > 0;
    w->worked_ns = gf_now_ns();
    w->load_ns -= task->cost_ns;
    w->scratch -= scratch_of(w, task);
    w->n_long -= task->cost_ns > SHORT_NS;
    if (!task->is_long)
        w->short_ns -= task->cost_ns;
}

/* Appends the estimate in ms with three significant digits. Every request has this text, and printf takes a microsecond
 * for a double. */
static void put_estimate(struct gf_task *task, const struct gf_worker *w)
{
    uint64_t ns = done_ns(w, task), unit = 1;
    while (ns / unit >= 1000)
        unit *= 10;
    ns = (ns + unit / 2) / unit * unit;
    uint64_t rest = ns % GF_NS_PER_MS;
    int digits = 6;
    for (; digits > 0 && rest % 10 == 0; digits--)
        rest /= 10;
    gf_text_append(task->why, sizeof(task->why), "%s%s %" PRIu64, *task->why ? ", " : "", w->hello.device.name,
                   ns / GF_NS_PER_MS);
    if (digits > 0)
        gf_text_append(task->why, sizeof(task->why), ".%0*" PRIu64, digits, rest);
    gf_text_append(task->why, sizeof(task->why), " ms");
}

void gf_routing_decided(const struct gf_workers *ws, const struct gf_worker *w, struct gf_task *task)
{
    task->why[0] = '\0';
    put_estimate(task, w);
    if (task->device != GF_ANY_DEVICE) {
        gf_text_append(task->why, sizeof(task->why), "%s",
                       task->deaths > 0                    ? " (run again after a worker's death)"
                       : task->too_large                   ? " (too large for a GPU's memory)"
                       : task->n_reads + task->n_makes > 0 ? " (where its buffers are)"
                                                           : " (as requested)");
        return;
    }
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *other = ws->list[i];
        if (other == w || !is_candidate(other, task))
            continue;
        put_estimate(task, other);
        gf_cost_pass(&other->cost, &task->work);
    }
}

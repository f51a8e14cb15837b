/* SPDX-License-Identifier: MIT */
/* All devices of the daemon and their health; see workers.h. worker.c has the life of each. */
#include "workers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "protocol/base/machine.h"
#include "protocol/base/text.h"
#include "worker.h"

static void on_memory_gone(void *data, const struct gf_memory *memory)
{
    struct gf_workers *ws = data;
    for (uint32_t i = 0; i < ws->n; i++)
        gf_worker_unmap(ws->list[i], memory);
}

void gf_workers_init(struct gf_workers *ws, uv_loop_t *loop, struct gf_memories *memories,
                     const struct gf_workers_ops *ops, void *data)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN); /* until the CPU worker reports its number */
    *ws = (struct gf_workers){.loop = loop,
                              .memories = memories,
                              .ops = ops,
                              .data = data,
                              .oom_fd = -1,
                              .threads = processors < 1 ? 1 : (uint32_t)processors};
    memories->gone = on_memory_gone;
    memories->data = ws;
    uv_timer_init(loop, &ws->watch);
    ws->watch.data = ws;
}

void gf_workers_deinit(struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        free(ws->list[i]);
    ws->n = 0;
    gf_closep(&ws->oom_fd);
    ws->oom_fd = -1;
    if (ws->memories)
        ws->memories->gone = NULL;
}

enum gf_status gf_workers_add(struct gf_workers *ws, const char *name, struct gf_error *err)
{
    if (ws->n == GF_MAX_DEVICES)
        return gf_error_set(err, GF_E_TOO_LARGE, "more than %u devices", GF_MAX_DEVICES);
    if (gf_workers_find(ws, name))
        return gf_error_set(err, GF_E_EXISTS, "device %s is named twice", name);
    struct gf_worker *w = calloc(1, sizeof(*w));
    if (!w)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *w = (struct gf_worker){.all = ws, .index = ws->n, .state = GF_WORKER_NEW};
    snprintf(w->hello.device.name, sizeof(w->hello.device.name), "%s", name);
    gf_node_init(&w->tasks);
    uv_timer_init(ws->loop, &w->timer);
    w->timer.data = w;
    ws->list[ws->n++] = w;
    if (strcmp(name, GF_CPU) == 0)
        ws->cpu = w;
    return GF_OK;
}

void gf_worker_start(struct gf_worker *w)
{
    gf_worker_post(w, w->elsewhere ? GF_EVENT_AWAIT : GF_EVENT_START, NULL);
}

void gf_workers_start(struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        gf_worker_start(ws->list[i]);
}

void gf_workers_look_again(struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *w = ws->list[i];
        if (w->own && (w->state == GF_WORKER_ABSENT || w->state == GF_WORKER_ASIDE || w->state == GF_WORKER_UNREADY))
            gf_worker_post(w, GF_EVENT_START, NULL);
    }
}

void gf_workers_stop(struct gf_workers *ws)
{
    if (!ws->stopping)
        uv_close((uv_handle_t *)&ws->watch, NULL);
    ws->stopping = true;
    gf_workers_drop_joiners(ws);
    for (uint32_t i = 0; i < ws->n; i++)
        gf_worker_post(ws->list[i], GF_EVENT_STOP, NULL);
}

void gf_workers_kill_all(struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->list[i]->process)
            gf_worker_process_kill(ws->list[i]->process);
}

void gf_workers_give_up(struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->list[i]->process)
            gf_worker_give_up(ws->list[i]);
}

bool gf_workers_gone(const struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->list[i]->process)
            return false;
    return true;
}

struct gf_worker *gf_workers_find(const struct gf_workers *ws, const char *name)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_device_entry *d = &ws->list[i]->hello.device;
        if (strcmp(d->name, name) == 0 || (d->uuid[0] && strcmp(d->uuid, name) == 0))
            return ws->list[i];
    }
    return NULL;
}

bool gf_workers_have_same_gpu(const struct gf_workers *ws, const struct gf_worker *w,
                              const struct gf_worker_hello *hello, char ret_why[GF_ERROR_TEXT])
{
    for (uint32_t i = 0; hello->device.uuid[0] && i < ws->n; i++) {
        const struct gf_worker *other = ws->list[i];
        bool is_gone = gf_worker_device_state(other) == GF_DEVICE_ABSENT || other->state == GF_WORKER_LEFT;
        if (other != w && !is_gone && strcmp(other->hello.device.uuid, hello->device.uuid) == 0) {
            snprintf(ret_why, GF_ERROR_TEXT, "it is the same GPU as %s: %s", other->hello.device.name,
                     other->hello.device.uuid);
            return true;
        }
    }
    return false;
}

void gf_workers_read_oom_kills(struct gf_workers *ws, uint64_t now_ns)
{
    uint64_t before = ws->oom_kills;
    ws->oom_kills = gf_machine_oom_kills(ws->oom_fd);
    if (ws->oom_kills > before)
        ws->oom_ns = now_ns;
}

void gf_workers_check(struct gf_workers *ws, uint64_t now_ns)
{
    gf_workers_read_oom_kills(ws, now_ns);
    for (uint32_t i = 0; i < ws->n; i++)
        gf_worker_check(ws->list[i], now_ns);
}

bool gf_worker_supports(const struct gf_worker *w, const struct gf_work *work)
{
    for (uint32_t i = 0; i < work->n_needs; i++)
        if ((w->dtypes[work->needs[i].index] & work->needs[i].dtypes) != work->needs[i].dtypes)
            return false;
    return true;
}

bool gf_worker_is_cpu(const struct gf_worker *w)
{
    return w == w->all->cpu;
}

bool gf_worker_usable(const struct gf_worker *w)
{
    enum gf_device_state state = gf_worker_device_state(w);
    return w->state == GF_WORKER_DISMISSED || (state != GF_DEVICE_ABSENT && state != GF_DEVICE_ASIDE);
}

bool gf_worker_serves(const struct gf_worker *w)
{
    return gf_worker_usable(w) && !w->stalled;
}

bool gf_workers_serve(const struct gf_workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++)
        if (gf_worker_serves(ws->list[i]))
            return true;
    return false;
}

bool gf_worker_may_come(const struct gf_worker *w)
{
    return gf_worker_usable(w) || w->state == GF_WORKER_UNREADY || w->elsewhere || w->joined;
}

/* Whether requests may expect the device: somebody named it, enabled its unit or had its worker join. A second name of
 * a GPU is not missed. */
static bool is_meant(const struct gf_worker *w)
{
    return (w->listed && !w->is_twin) || (w->joined && !w->dismissed);
}

bool gf_worker_is_forgotten(const struct gf_worker *w)
{
    return gf_worker_device_state(w) == GF_DEVICE_ABSENT && (w->joined || w->elsewhere) && !is_meant(w);
}

static const char *state_text(enum gf_device_state state)
{
    switch (state) {
    case GF_DEVICE_STARTING:
        return "is starting";
    case GF_DEVICE_RESTARTING:
        return "is restarting";
    case GF_DEVICE_ASIDE:
        return "is set aside";
    case GF_DEVICE_ABSENT:
        return "is absent";
    case GF_DEVICE_IDLE:
        return "is idle";
    default:
        return "is ready";
    }
}

/* Says once why expressions are interpreted: the cause is mostly the machine's, and the states come first. */
static void append_why_off(const struct gf_workers *ws, char *text, size_t size)
{
    uint32_t i = 0;
    while (i < ws->n && !ws->list[i]->expressions.why_off[0])
        i++;
    if (i < ws->n)
        gf_text_append(text, size, "; %s interprets expressions: %s", ws->list[i]->hello.device.name,
                       ws->list[i]->expressions.why_off);
}

void gf_worker_tell_state(const struct gf_worker *w, char *text, size_t size)
{
    enum gf_device_state state = gf_worker_device_state(w);
    const uint64_t now = gf_now_ns();
    gf_text_append(text, size, "%s %s", w->hello.device.name, state_text(state));
    bool waits = w->state == GF_WORKER_RESTARTING || w->state == GF_WORKER_ASIDE || w->state == GF_WORKER_UNREADY;
    if (waits && w->next_start_ns > now + GF_NS_PER_S)
        gf_text_append(text, size, "%s %" PRIu64 " s", state == GF_DEVICE_ASIDE ? " for another" : " in",
                       (w->next_start_ns - now) / GF_NS_PER_S);
}

void gf_workers_tell_states(const struct gf_workers *ws, char *text, size_t size)
{
    const uint64_t now = gf_now_ns();
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        gf_text_append(text, size, "%s", i > 0 ? ", " : "");
        gf_worker_tell_state(w, text, size);
        if (w->reason[0])
            gf_text_append(text, size, " (%s)", w->reason);
        else if (w->state == GF_WORKER_ENDING)
            gf_text_append(text, size, " (its worker is ending)");
        else if (w->stalled)
            gf_text_append(text, size, " (it does not answer, or a request makes no progress)");
        else if (w->state == GF_WORKER_READY && !gf_worker_is_healthy(w, now))
            gf_text_append(text, size, " (no kernel has finished for %" PRIu64 " s)", (now - w->ran_ns) / GF_NS_PER_S);
    }
}

uint32_t gf_workers_describe(const struct gf_workers *ws, struct gf_device_entry *ret_devices, uint32_t *ret_n,
                             char *ret_text, size_t text_size)
{
    uint32_t n_ready = 0, n_missing = 0;
    uint64_t now = gf_now_ns();
    ret_text[0] = '\0';
    gf_workers_tell_states(ws, ret_text, text_size);
    for (uint32_t i = 0; i < ws->n; i++) {
        const struct gf_worker *w = ws->list[i];
        ret_devices[i] = w->hello.device;
        enum gf_device_state state = gf_worker_device_state(w);
        ret_devices[i].state = state;
        bool rests = state == GF_DEVICE_IDLE;
        n_ready += (state == GF_DEVICE_READY && !w->stalled) || rests;
        n_missing += state == GF_DEVICE_ABSENT ? is_meant(w) : !rests && !gf_worker_is_healthy(w, now);
    }
    append_why_off(ws, ret_text, text_size);
    *ret_n = ws->n;
    if (n_ready == 0)
        return GF_HEALTH_STARTING;
    return n_missing > 0 ? GF_HEALTH_DEGRADED : GF_HEALTH_READY;
}

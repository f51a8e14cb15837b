/* SPDX-License-Identifier: MIT */
/*
 * One device and its worker process: STARTING until its hello, READY, IDLE when it ended for want of work, and after a
 * death RESTARTING with back-off, or ASIDE when it dies too often, or ABSENT when it says that there is none. A worker
 * that misbehaves is killed and counts as dead only when its process has ended: until then it may still write to
 * memory.
 */
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "server/front/base/log.h"

#define DEATHS_WINDOW_NS (600 * GF_NS_PER_S)
#define ASIDE_MS (600u * 1000)
#define HEALTHY_NS (60 * GF_NS_PER_S)

static const uint32_t g_backoff_ms[] = {200, 500, 1000, 2000, 4000, 8000, 16000, 30000};

static void set_state(struct gf_worker *w, uint32_t state)
{
    w->state = state;
    w->all->ops->changed(w->all->data, w);
}

static void forget_mappings(struct gf_worker *w)
{
    gf_list_each(it, after, &w->all->memories->list) gf_container(it, struct gf_memory, node)->mapped &=
        ~(1ull << w->index);
}

/* Deaths within the window, this one included. */
static uint32_t count_death(struct gf_worker *w, uint64_t now)
{
    w->deaths[w->n_deaths++ % GF_DEATHS_KEPT] = w->died_ns = now;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_deaths && i < GF_DEATHS_KEPT; i++)
        n += w->deaths[i] != 0 && now - w->deaths[i] <= DEATHS_WINDOW_NS;
    return n;
}

void gf_worker_forgive(struct gf_worker *w, uint64_t died_ns)
{
    for (uint32_t i = 0; i < GF_DEATHS_KEPT; i++)
        if (died_ns != 0 && w->deaths[i] == died_ns)
            w->deaths[i] = 0;
}

/* Whether the death is a request's fault, and not the device's: of one that was alone there and had another worker
 * which died, or that had two; or, on the CPU, which breaks down less often than a GPU and has none to stand in for it,
 * of one user who alone had requests there, also of such as are not tried again. */
static bool convict(struct gf_worker *w)
{
    bool any = false;
    w->death_is_charged = gf_worker_is_cpu(w) && w->n_tasks > 0;
    gf_list_each(it, after, &w->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        const struct gf_task *first = gf_container(w->tasks.next, struct gf_task, node);
        task->convicted = task->deaths >= 2 || (task->deaths == 1 && w->n_tasks == 1);
        any |= task->convicted && task->n_reads + task->n_makes == 0;
        w->death_is_charged = w->death_is_charged && task->work.uid == first->work.uid;
    }
    return any || w->death_is_charged;
}

static void on_timer(uv_timer_t *timer)
{
    gf_worker_start(timer->data);
}

/* What comes after a death: never again, later, or soon. `guilty`: one of its requests is, so that it does not count.
 */
static void plan_restart(struct gf_worker *w, int code, const char *ended, bool guilty)
{
    uint64_t now = gf_now_ns();
    char how[GF_ERROR_TEXT];
    snprintf(how, sizeof(how), "%s%s%.200s", ended, w->last_error[0] ? ": " : "", w->last_error);
    if (code == GF_WORKER_EXIT_NO_DEVICE || code == GF_WORKER_EXIT_USAGE) {
        snprintf(w->reason, sizeof(w->reason), "%s",
                 w->last_error[0] ? w->last_error : "the worker says there is no such device");
        gf_log(w->index == 0 ? GF_LOG_WARNING : GF_LOG_INFO, "no device %s: %s", w->hello.device.name, w->reason);
        set_state(w, GF_DEVICE_ABSENT);
        return;
    }
    if (w->ready_ns && now - w->ready_ns > HEALTHY_NS)
        w->backoff = 0;
    if (!w->own) {
        /* Who started it starts it again; how it ended is not ours to know. */
        const char *colon = w->last_error[0] ? ": " : "";
        snprintf(w->reason, sizeof(w->reason), "its worker left%s%.200s", colon, w->last_error);
        gf_log(GF_LOG_WARNING, "worker of %s left%s%s: tasks=%u", w->hello.device.name, colon, w->last_error,
               w->n_tasks);
        set_state(w, GF_DEVICE_RESTARTING);
        return;
    }
    uint32_t n = guilty ? 0 : count_death(w, now);
    snprintf(w->reason, sizeof(w->reason), "its worker died: %.230s", how);
    if (n >= *w->all->deaths) {
        gf_log(GF_LOG_ERROR, "device %s set aside: %u deaths in ten minutes, the last: %s", w->hello.device.name, n,
               how);
        uv_timer_start(&w->timer, on_timer, ASIDE_MS, 0);
        set_state(w, GF_DEVICE_ASIDE);
        return;
    }
    uint32_t ms = g_backoff_ms[guilty ? 0 : w->backoff];
    if (!guilty && w->backoff + 1 < GF_ARRAY_LEN(g_backoff_ms))
        w->backoff++;
    gf_log(GF_LOG_WARNING, "worker of %s died: %s; tasks=%u restart_ms=%u", w->hello.device.name, how, w->n_tasks, ms);
    uv_timer_start(&w->timer, on_timer, ms, 0);
    set_state(w, GF_DEVICE_RESTARTING);
}

/* The process is gone, or given up. */
static void died(struct gf_worker *w, int code, const char *how)
{
    w->link = gf_worker_link_free(w->link);
    w->process = gf_worker_process_free(w->process);
    forget_mappings(w);
    w->dying_ns = w->died_ns = 0;
    w->n_buffers = 0;
    bool guilty = convict(w);
    if (w->all->stopping)
        w->state = GF_DEVICE_ABSENT;
    else if (w->state == GF_DEVICE_IDLE)
        gf_worker_rested(w);
    else
        plan_restart(w, code, how, guilty);
    w->all->ops->died(w->all->data, w);
}

static void on_exited(void *data, int code, const char *how)
{
    struct gf_worker *w = data;
    if (w->link)
        gf_worker_link_drain(w->link);
    died(w, code, how);
}

void gf_worker_kill(struct gf_worker *w, const char *why)
{
    if (w->dying_ns || !w->process)
        return;
    gf_log(GF_LOG_WARNING, "killing the worker of %s: %s", w->hello.device.name, why);
    w->dying_ns = gf_now_ns();
    gf_worker_process_kill(w->process);
}

static void map_memory(struct gf_worker *w, struct gf_memory *m)
{
    uint64_t bit = 1ull << w->index;
    if (m->mapped & bit || !w->link)
        return;
    uint8_t frame[256];
    struct gf_writer writer;
    gf_writer_init(&writer, frame, sizeof(frame));
    gf_worker_map_encode(
        &writer, &(struct gf_worker_map){.key = m->key, .size = m->size, .staging = m->staging, .unpinned = !m->pin});
    gf_writer_finish(&writer, GF_FRAME_WORKER_MAP, 0, 0, 1);
    if (gf_worker_link_send(w->link, frame, writer.size, m->fd))
        m->mapped |= bit;
}

/* Tells the worker to let something go. One that cannot be told would keep it for ever, so it ends. */
static void tell_to_free(struct gf_worker *w, const struct gf_writer *writer)
{
    if (!gf_worker_link_send(w->link, writer->data, writer->size, -1) && !gf_worker_parts(w))
        gf_worker_kill(w, "it could not be told to free memory");
}

void gf_worker_unmap(struct gf_worker *w, const struct gf_memory *m)
{
    if (!(m->mapped & 1ull << w->index) || !w->link)
        return;
    uint8_t frame[256];
    struct gf_writer writer;
    gf_writer_init(&writer, frame, sizeof(frame));
    gf_worker_map_encode(&writer, &(struct gf_worker_map){.key = m->key});
    gf_writer_finish(&writer, GF_FRAME_WORKER_UNMAP, 0, 0, 0);
    tell_to_free(w, &writer);
}

/* What it can do, and what that may take. */
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

/* It is what it should be, and may get work. */
static void greet(struct gf_worker *w, const struct gf_worker_hello *hello)
{
    char name[sizeof(w->hello.device.name)];
    memcpy(name, w->hello.device.name, sizeof(name));
    w->hello = *hello;
    memcpy(w->hello.device.name, name, sizeof(name));
    if (w->hello.slots == 0)
        w->hello.slots = 1;
    if (w == w->all->cpu && w->hello.device.units > 0)
        w->all->threads = w->hello.device.units;
    take_rows(w);
    gf_worker_ran(w);
    w->ready_ns = w->probe_ns = w->worked_ns = w->ran_ns;
    w->probe = w->asked_ns = 0;
    w->last_error[0] = '\0';
    gf_list_each(it, after, &w->all->memories->list)
    {
        struct gf_memory *m = gf_container(it, struct gf_memory, node);
        if (m->staging)
            map_memory(w, m);
    }
    gf_log(GF_LOG_INFO, "device %s is ready: title=\"%s\" pid=%u slots=%u start_ms=%" PRIu64, name, hello->device.title,
           hello->pid, w->hello.slots, w->started_ns ? (w->ready_ns - w->started_ns) / GF_NS_PER_MS : 0);
    set_state(w, GF_DEVICE_READY);
}

/* Why it is about to end, of itself. That may take the driver seconds, in which it gets nothing more to do. */
static void say_last(struct gf_worker *w, const char text[GF_ERROR_TEXT])
{
    memcpy(w->last_error, text, sizeof(w->last_error));
    if (w->state == GF_DEVICE_READY && !w->dying_ns)
        w->dying_ns = gf_now_ns();
}

static void on_message(void *data, const struct gf_header *header, const uint8_t *body)
{
    struct gf_worker *w = data;
    struct gf_error error = {0};
    uint32_t retry;
    w->asked_ns = 0;
    switch (header->kind) {
    case GF_FRAME_WORKER_HELLO: {
        struct gf_worker_hello hello;
        if (w->state == GF_DEVICE_READY)
            gf_worker_kill(w, "it said hello twice");
        else if (gf_worker_hello_decode(body, header->body_len, &hello, &error) != GF_OK)
            gf_worker_kill(w, error.text);
        else
            greet(w, &hello);
        return;
    }
    case GF_FRAME_RESULT:
        gf_worker_ran(w);
        w->all->ops->answer(w->all->data, w, header, body);
        return;
    case GF_FRAME_ERROR:
        if (header->id != 0 && !gf_worker_is_probe(header->id))
            w->all->ops->answer(w->all->data, w, header, body);
        else if (gf_error_decode(body, header->body_len, &error, &retry, NULL) != GF_OK)
            gf_worker_kill(w, "its error cannot be read");
        else if (header->id != 0)
            gf_worker_probed(w, header->id, &error);
        else
            say_last(w, error.text);
        return;
    case GF_FRAME_PONG:
        gf_worker_probed(w, header->id, NULL);
        return;
    default:
        gf_worker_kill(w, "it sent a frame that is not for the front");
    }
}

static void on_lost(void *data, const char *why)
{
    struct gf_worker *w = data;
    /* A worker that ends by itself closes its socket first; its exit code is worth waiting for. */
    if (!w->dying_ns)
        w->dying_ns = gf_now_ns();
    gf_log(GF_LOG_DEBUG, "worker of %s %s", w->hello.device.name, why);
}

/* It answers tasks; a PONG among them may wait for the next turn. */
static bool has_tasks(void *data)
{
    const struct gf_worker *w = data;
    return w->n_tasks > 0;
}

static void on_drained(void *data)
{
    struct gf_worker *w = data;
    w->all->ops->drained(w->all->data, w);
}

static const struct gf_worker_link_ops g_link_ops = {
    .message = on_message, .more = has_tasks, .drained = on_drained, .lost = on_lost};

void gf_worker_start(struct gf_worker *w)
{
    struct gf_error error = {0};
    int fd = -1;
    w->own = true;
    w->started_ns = gf_now_ns();
    w->last_error[0] = '\0';
    w->ready_ns = w->dying_ns = 0;
    w->state = GF_DEVICE_STARTING;
    enum gf_status status =
        gf_worker_process_start(w->all->loop, w->all->spawner, w->hello.device.name, w->all->scratch,
                                w->all->device_memory, on_exited, w, &w->process, &fd, &error);
    if (status != GF_OK) {
        died(w, GF_EXIT_UNKNOWN, error.text);
        return;
    }
    w->link = gf_worker_link_new(w->all->loop, fd, &g_link_ops, w);
    if (!w->link) {
        close(fd);
        gf_worker_kill(w, "no memory for its socket");
    }
}

void gf_worker_adopt(struct gf_worker *w, struct gf_worker_link *link, pid_t pid, const struct gf_worker_hello *hello)
{
    struct gf_error error = {0};
    enum gf_status status = gf_worker_process_join(w->all->loop, pid, on_exited, w, &w->process, &error);
    if (status != GF_OK) {
        gf_log(GF_LOG_WARNING, "worker of %s not taken: %s", w->hello.device.name, error.text);
        gf_worker_link_free(link);
        return;
    }
    gf_worker_link_redirect(link, &g_link_ops, w);
    w->link = link;
    w->started_ns = w->dying_ns = 0;
    greet(w, hello);
}

void gf_worker_stop(struct gf_worker *w)
{
    uv_timer_stop(&w->timer);
    w->state = GF_DEVICE_ABSENT;
    w->link = gf_worker_link_free(w->link);
    if (!uv_is_closing((uv_handle_t *)&w->timer))
        uv_close((uv_handle_t *)&w->timer, NULL);
}

void gf_worker_give_up(struct gf_worker *w)
{
    if (w->process)
        died(w, GF_EXIT_UNKNOWN, "it could not be killed");
}

bool gf_worker_run(struct gf_worker *w, struct gf_task *task)
{
    for (uint32_t i = 0; i < task->n_memories; i++) {
        map_memory(w, task->memories[i]);
        if (!(task->memories[i]->mapped & 1ull << w->index))
            return false;
    }
    return gf_worker_link_send(w->link, task->frame, task->frame_size, -1);
}

bool gf_worker_parts(struct gf_worker *w)
{
    if (!w->link || !gf_worker_link_parted(w->link))
        return false;
    if (!w->dying_ns)
        w->dying_ns = gf_now_ns();
    return true;
}

void gf_worker_cancel(struct gf_task *task)
{
    struct gf_worker *w = task->worker;
    uint8_t frame[GF_HEADER_SIZE];
    if (task->stop_sent || !w->link)
        return;
    task->stop_sent = true;
    w->n_cancels++;
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_CANCEL, .id = task->number}, frame);
    gf_worker_link_send(w->link, frame, sizeof(frame), -1);
}

void gf_worker_free_buffer(struct gf_worker *w, uint32_t key)
{
    uint8_t frame[GF_HEADER_SIZE + 64];
    struct gf_writer writer;
    if (!w->link)
        return;
    gf_writer_init(&writer, frame, sizeof(frame));
    gf_free_request_encode(&writer, key);
    gf_writer_finish(&writer, GF_FRAME_FREE, 0, 0, 0);
    tell_to_free(w, &writer);
    w->n_buffers--;
    w->worked_ns = gf_now_ns();
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
    return w->state != GF_DEVICE_ABSENT && w->state != GF_DEVICE_ASIDE;
}

struct gf_worker *gf_worker_new(struct gf_workers *all, uint32_t index, const char *name)
{
    struct gf_worker *w = calloc(1, sizeof(*w));
    if (!w)
        return NULL;
    *w = (struct gf_worker){.all = all, .index = index, .state = GF_DEVICE_STARTING};
    snprintf(w->hello.device.name, sizeof(w->hello.device.name), "%s", name);
    gf_node_init(&w->tasks);
    uv_timer_init(all->loop, &w->timer);
    w->timer.data = w;
    return w;
}

void gf_worker_free(struct gf_worker *w)
{
    free(w);
}

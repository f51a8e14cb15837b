/* SPDX-License-Identifier: MIT */
/*
 * The frames to and from a worker process: memory and tasks go there; hello, answers and errors come back. A received
 * frame changes the worker's state only by posting events. Called by worker.c, workers.c and dispatcher.c; session.c
 * passes gf_worker_free_buffers to handles.c.
 */
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/wire/request.h"
#include "server/front/base/log.h"
#include "worker.h"

void gf_worker_map(struct gf_worker *w, struct gf_memory *m)
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

/* Tells the worker to release something. A worker that cannot be told would keep it for ever and is killed. */
static void tell_to_free(struct gf_worker *w, const struct gf_writer *writer)
{
    if (!gf_worker_link_send(w->link, writer->data, writer->size, -1) && !gf_worker_parts(w))
        gf_worker_kill_blameless(w, "the worker could not be told to free memory");
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

/* Refuses a second device for the same GPU: its memory would be budgeted twice and its time shared arbitrarily. */
static void refuse_twin(struct gf_worker *w, const char *why)
{
    w->is_twin = true;
    gf_worker_post(w, GF_EVENT_LAST_WORDS, &(struct gf_worker_about){.text = why});
    gf_worker_kill(w, why);
}

/* A process that is about to end may have said hello just before. */
static void on_hello(struct gf_worker *w, const struct gf_header *header, const uint8_t *body)
{
    struct gf_worker_hello hello;
    struct gf_error error = {0};
    char why[GF_ERROR_TEXT];
    if (w->dying_ns != 0)
        return;
    if (gf_worker_device_state(w) == GF_DEVICE_READY)
        gf_worker_kill(w, "the worker sent a second hello");
    else if (gf_worker_hello_decode(body, header->body_len, &hello, &error) != GF_OK)
        gf_worker_kill(w, error.text);
    else if (hello.device.state == GF_DEVICE_STARTING)
        gf_worker_assembles(w, &hello.device);
    else if (gf_workers_have_same_gpu(w->all, w, &hello, why))
        refuse_twin(w, why);
    else
        gf_worker_post(w, GF_EVENT_HELLO, &(struct gf_worker_about){.hello = &hello});
}

static void on_error(struct gf_worker *w, const struct gf_header *header, const uint8_t *body)
{
    struct gf_error error = {0};
    uint32_t retry;
    if (header->id != 0 && !gf_worker_is_probe(header->id))
        w->all->ops->answer(w->all->data, w, header, body);
    else if (gf_error_decode(body, header->body_len, &error, &retry, NULL) != GF_OK)
        gf_worker_kill(w, "the worker sent a malformed error");
    else if (header->id != 0)
        gf_worker_probed(w, header->id, &error);
    else if (error.status == GF_E_SHUTDOWN && !w->own) {
        w->dismissed = true; /* whoever started it has told it to end */
        gf_worker_post(w, GF_EVENT_LOST, NULL);
    } else
        gf_worker_post(w, GF_EVENT_LAST_WORDS, &(struct gf_worker_about){.text = error.text});
}

/* Counters continue from one process to the next. */
static void on_pong(struct gf_worker *w, const struct gf_header *header, const uint8_t *body)
{
    struct gf_expression_figures now;
    struct gf_error error = {0};
    if (gf_worker_pong_decode(body, header->body_len, &now, &error) != GF_OK) {
        gf_worker_kill(w, error.text);
        return;
    }
    for (uint32_t i = 0; i < GF_N_EXPRESSION_FIGURES; i++)
        w->expressions.of[i] =
            i < GF_N_EXPRESSION_COUNTS ? w->expressions.of[i] + (now.of[i] - w->told.of[i]) : now.of[i];
    if (now.why_off[0] && strcmp(now.why_off, w->expressions.why_off) != 0)
        gf_log(GF_LOG_NOTICE, "device %s interprets expressions: %s", w->hello.device.name, now.why_off);
    memcpy(w->expressions.why_off, now.why_off, sizeof(now.why_off));
    w->told = now;
    w->compiles = w->compiles || header->body_len > 0;
    if (now.times.n > 0)
        w->all->ops->compiled(w->all->data, &now.times);
    gf_worker_probed(w, header->id, NULL);
}

static void on_message(void *data, const struct gf_header *header, const uint8_t *body)
{
    struct gf_worker *w = data;
    if (header->kind == GF_FRAME_WORKER_GPU) { /* no sign of life: a thread of its own sends it */
        gf_worker_gpu_told(w, body, header->body_len);
        return;
    }
    w->asked_ns = 0;
    switch (header->kind) {
    case GF_FRAME_WORKER_HELLO:
        on_hello(w, header, body);
        return;
    case GF_FRAME_RESULT:
        gf_worker_ran(w);
        w->all->ops->answer(w->all->data, w, header, body);
        return;
    case GF_FRAME_ERROR:
        on_error(w, header, body);
        return;
    case GF_FRAME_PONG:
        on_pong(w, header, body);
        return;
    default:
        gf_worker_kill(w, "the worker sent a frame that is not for the front");
    }
}

static void on_lost(void *data, const char *why)
{
    struct gf_worker *w = data;
    gf_worker_post(w, GF_EVENT_LOST, NULL);
    gf_log(GF_LOG_DEBUG, "worker of %s %s", w->hello.device.name, why);
}

/* Whether the worker answers tasks; then a PONG among the answers may wait for the next turn. */
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

const struct gf_worker_link_ops gf_worker_frames = {
    .message = on_message, .more = has_tasks, .drained = on_drained, .lost = on_lost};

bool gf_worker_run(struct gf_worker *w, struct gf_task *task)
{
    for (uint32_t i = 0; i < task->n_memories; i++) {
        gf_worker_map(w, task->memories[i]);
        if (!(task->memories[i]->mapped & 1ull << w->index))
            return false;
    }
    return gf_worker_link_send(w->link, task->frame, task->frame_size, -1);
}

bool gf_worker_parts(struct gf_worker *w)
{
    if (!w->link || !gf_worker_link_parted(w->link))
        return false;
    gf_worker_post(w, GF_EVENT_LOST, NULL);
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

void gf_worker_free_buffers(struct gf_worker *w, const uint64_t *keys, uint32_t n)
{
    uint8_t frame[GF_HEADER_SIZE + 64 + sizeof(uint64_t) * GF_WORKER_MAX_FREE];
    struct gf_writer writer;
    if (!w->link)
        return;
    gf_writer_init(&writer, frame, sizeof(frame));
    gf_worker_free_encode(&writer, keys, n);
    gf_writer_finish(&writer, GF_FRAME_FREE, 0, 0, 0);
    tell_to_free(w, &writer);
    w->n_buffers -= n;
    w->worked_ns = gf_now_ns();
}

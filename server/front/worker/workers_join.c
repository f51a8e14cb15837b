/* SPDX-License-Identifier: MIT */
/* Workers that are started elsewhere: each connects, sends its hello, and is adopted by the device that it names.
 * Called by workers.c and server_start.c. */
#include <string.h>

#include "protocol/base/clock.h"
#include "server/front/base/log.h"
#include "worker.h"

/* A connection whose device is not known yet. */
struct joiner {
    struct gf_workers *all;
    struct gf_worker_link *link;
    struct joiner *next;
    pid_t pid;
};

static void joiner_free(struct joiner *j)
{
    struct joiner **at = &j->all->joiners;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    gf_worker_link_free(j->link);
    free(j);
}

/* A worker came and is not adopted: a stop of its device, or of any device if its own is unknown, is no planned one any
 * more. */
static void end_planned_stops(struct gf_workers *ws, const char *name)
{
    const struct gf_worker *known = gf_workers_find(ws, name);
    for (uint32_t i = 0; i < ws->n; i++)
        if (!known || known == ws->list[i])
            ws->list[i]->dismissed = false;
}

static void refuse(struct joiner *j, const char *name, const char *why)
{
    end_planned_stops(j->all, name);
    gf_log(GF_LOG_WARNING, "worker refused: %s device=%s pid=%d", why, name, (int)j->pid);
    gf_worker_link_tell_refused(j->link, why);
    joiner_free(j);
}

/* The entry of a device, which is added if it is new. */
static struct gf_worker *place_for(struct gf_workers *ws, const char *name, struct gf_error *err)
{
    struct gf_worker *w = gf_workers_find(ws, name);
    if (!w && gf_device_name_check(name, err) == GF_OK && gf_workers_add(ws, name, err) == GF_OK)
        w = ws->list[ws->n - 1];
    return w;
}

/* The device that the text of a worker's error begins with; may be NULL. */
static struct gf_worker *device_of(const struct gf_workers *ws, const char *text)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        const char *name = ws->list[i]->hello.device.name;
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == ':' && text[length + 1] == ' ')
            return ws->list[i];
    }
    return NULL;
}

/* Whether the next worker of this device is one that joins. */
static bool is_awaited(const struct gf_worker *w)
{
    return w && !w->own && !w->process;
}

/* The worker cannot start its device. If it should have joined, the reason becomes the device's. */
static void fail(struct joiner *j, const char *text)
{
    struct gf_worker *w = device_of(j->all, text);
    refuse(j, w ? w->hello.device.name : "?", text);
    if (is_awaited(w))
        gf_worker_post(w, GF_EVENT_NO_DEVICE,
                       &(struct gf_worker_about){.text = text + strlen(w->hello.device.name) + strlen(": ")});
}

static void on_message(void *data, const struct gf_header *header, const uint8_t *body)
{
    struct joiner *j = data;
    struct gf_error error = {0};
    struct gf_worker_hello hello;
    uint32_t retry;
    if (header->kind == GF_FRAME_ERROR && gf_error_decode(body, header->body_len, &error, &retry, NULL) == GF_OK) {
        fail(j, error.text);
        return;
    }
    if (header->kind != GF_FRAME_WORKER_HELLO ||
        gf_worker_hello_decode(body, header->body_len, &hello, &error) != GF_OK) {
        refuse(j, "?", "its hello is malformed");
        return;
    }
    if (hello.device.state == GF_DEVICE_STARTING) { /* it is adopted when it is ready */
        struct gf_worker *early = gf_workers_find(j->all, hello.device.name);
        end_planned_stops(j->all, hello.device.name);
        if (is_awaited(early))
            gf_worker_assembles(early, &hello.device);
        else
            gf_log(GF_LOG_WARNING, "the worker of %s assembles the kernels for %s: pid=%d", hello.device.name,
                   hello.device.detail, (int)j->pid);
        return;
    }
    char twin[GF_ERROR_TEXT];
    if (gf_workers_have_same_gpu(j->all, gf_workers_find(j->all, hello.device.name), &hello, twin)) {
        refuse(j, hello.device.name, twin);
        return;
    }
    struct gf_worker *w = place_for(j->all, hello.device.name, &error);
    if (!w || w->process || w->own) {
        const char *why = !w       ? error.text
                          : w->own ? "the daemon starts this device's worker itself"
                                   : "the device already has a worker";
        refuse(j, hello.device.name, why);
        return;
    }
    struct gf_worker_link *link = gf_steal_ptr(&j->link);
    pid_t pid = j->pid;
    joiner_free(j);
    gf_worker_adopt(w, link, pid, &hello);
}

static void on_lost(void *data, const char *why)
{
    refuse(data, "?", why);
}

static const struct gf_worker_link_ops g_ops = {.message = on_message, .lost = on_lost};

void gf_workers_join(struct gf_workers *ws, int fd, pid_t pid)
{
    struct joiner *j = malloc(sizeof(*j));
    struct gf_worker_link *link = j && !ws->stopping ? gf_worker_link_new(ws->loop, fd, &g_ops, j) : NULL;
    if (!link) {
        close(fd);
        free(j);
        return;
    }
    *j = (struct joiner){.all = ws, .link = link, .next = ws->joiners, .pid = pid};
    ws->joiners = j;
}

void gf_workers_drop_joiners(struct gf_workers *ws)
{
    while (ws->joiners)
        joiner_free(ws->joiners);
}

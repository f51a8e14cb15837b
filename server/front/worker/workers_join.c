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

static void refuse(struct joiner *j, const char *name, const char *why)
{
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

static void on_message(void *data, const struct gf_header *header, const uint8_t *body)
{
    struct joiner *j = data;
    struct gf_error error = {0};
    struct gf_worker_hello hello;
    uint32_t retry;
    if (header->kind == GF_FRAME_ERROR && gf_error_decode(body, header->body_len, &error, &retry, NULL) == GF_OK) {
        refuse(j, "?", error.text);
        return;
    }
    if (header->kind != GF_FRAME_WORKER_HELLO ||
        gf_worker_hello_decode(body, header->body_len, &hello, &error) != GF_OK) {
        refuse(j, "?", "its hello is malformed");
        return;
    }
    if (hello.device.state == GF_DEVICE_STARTING) { /* it is adopted when it is ready */
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

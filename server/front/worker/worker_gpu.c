/* SPDX-License-Identifier: MIT */
/*
 * What the driver tells about a worker's GPU. The worker is asked once a minute, and every few seconds while clients
 * ask for figures; no answer to a client waits for it. The driver may take its time, or hang: then the worker is not
 * asked again, and what it told last is soon too old. Called by worker_watch.c, worker_frames.c, worker.c and
 * session_info.c.
 */
#include <inttypes.h>

#include "protocol/base/clock.h"
#include "server/front/base/log.h"
#include "worker.h"

#define SELDOM_NS (60 * GF_NS_PER_S)
#define OFTEN_NS (5 * GF_NS_PER_S)
#define WATCHED_NS (60 * GF_NS_PER_S) /* after a client asked for figures */
#define OLD_NS (150 * GF_NS_PER_S)

void gf_worker_check_gpu(struct gf_worker *w, uint64_t now_ns)
{
    struct gf_worker_gpu *gpu = &w->gpu;
    const bool watched = w->all->figures_ns != 0 && now_ns - w->all->figures_ns < WATCHED_NS;
    if (w->state != GF_WORKER_READY || w->hello.device.uuid[0] == '\0' || gpu->waits || gpu->nothing ||
        (gpu->asked_ns != 0 && now_ns - gpu->asked_ns < (watched ? OFTEN_NS : SELDOM_NS)) ||
        gf_worker_link_full(w->link)) /* while frames are queued it gets no tasks */
        return;
    uint8_t frame[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_WORKER_GPU}, frame);
    gpu->waits = gf_worker_link_send(w->link, frame, sizeof(frame), -1);
    gpu->asked_ns = now_ns;
}

void gf_workers_watch_gpus(struct gf_workers *ws, uint64_t now_ns)
{
    ws->figures_ns = now_ns;
    for (uint32_t i = 0; i < ws->n; i++)
        gf_worker_check_gpu(ws->list[i], now_ns);
}

/* Adds the process's Xid errors to those of the processes before. False if the worker counts backwards. */
static bool take_xids(struct gf_worker *w, struct gf_gpu_figures *now)
{
    const struct gf_gpu_figures *before = &w->gpu.figures;
    const uint64_t told = now->of[GF_GPU_XID_ERRORS], old = before->of[GF_GPU_XID_ERRORS];
    if (told < w->gpu.told_xids)
        return false;
    const uint64_t more = told - w->gpu.told_xids;
    w->gpu.told_xids = told;
    if (more > 0)
        gf_log(GF_LOG_WARNING, "driver reports an error of %s: xid=%" PRIu64 " errors=%" PRIu64, w->hello.device.name,
               now->of[GF_GPU_XID_LAST], more);
    if (more == 0 && gf_gpu_knows(before, GF_GPU_XID_LAST))
        gf_gpu_set(now, GF_GPU_XID_LAST, before->of[GF_GPU_XID_LAST]);
    if (gf_gpu_knows(now, GF_GPU_XID_ERRORS) || gf_gpu_knows(before, GF_GPU_XID_ERRORS))
        gf_gpu_set(now, GF_GPU_XID_ERRORS, old + more);
    return true;
}

void gf_worker_gpu_told(struct gf_worker *w, const uint8_t *body, size_t size)
{
    struct gf_gpu_figures now;
    struct gf_error error = {0};
    if (gf_gpu_decode(body, size, &now, &error) != GF_OK) {
        gf_worker_kill(w, error.text);
        return;
    }
    w->gpu.waits = false;
    w->gpu.nothing = size == 0;
    if (!take_xids(w, &now)) {
        gf_worker_kill(w, "the worker counts Xid errors backwards");
        return;
    }
    w->gpu.figures = now;
    w->gpu.told_ns = gf_now_ns();
}

/* What remains of the figures without the process that told them. */
static struct gf_gpu_figures only_xids(const struct gf_gpu_figures *f)
{
    struct gf_gpu_figures xids = {.known = 0};
    if (gf_gpu_knows(f, GF_GPU_XID_LAST))
        gf_gpu_set(&xids, GF_GPU_XID_LAST, f->of[GF_GPU_XID_LAST]);
    if (gf_gpu_knows(f, GF_GPU_XID_ERRORS))
        gf_gpu_set(&xids, GF_GPU_XID_ERRORS, f->of[GF_GPU_XID_ERRORS]);
    return xids;
}

void gf_worker_forget_gpu(struct gf_worker *w)
{
    w->gpu = (struct gf_worker_gpu){.figures = only_xids(&w->gpu.figures)};
}

struct gf_gpu_figures gf_worker_gpu_now(const struct gf_worker *w, uint64_t now_ns)
{
    const bool fresh = w->gpu.told_ns != 0 && now_ns - w->gpu.told_ns < OLD_NS;
    return fresh ? w->gpu.figures : only_xids(&w->gpu.figures);
}

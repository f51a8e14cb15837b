/* SPDX-License-Identifier: MIT */
/*
 * Releases the memory of unused GPUs (idle-release): the worker of a GPU ends when it has been idle for that long and
 * holds no buffers. The next request that may need the GPU starts another worker. Called by worker_watch.c and
 * dispatcher.c.
 */
#include <inttypes.h>

#include "protocol/base/clock.h"
#include "server/front/base/log.h"
#include "worker.h"

void gf_worker_end_idle(struct gf_worker *w, uint64_t now_ns)
{
    uint64_t idle_ns = *w->all->idle_ms * GF_NS_PER_MS;
    if (idle_ns == 0 || !w->own || gf_worker_is_cpu(w) || w->n_buffers > 0 || now_ns - w->worked_ns < idle_ns)
        return;
    gf_log(GF_LOG_INFO, "device %s is idle: idle_ms=%" PRIu64, w->hello.device.name,
           (now_ns - w->worked_ns) / GF_NS_PER_MS);
    gf_worker_post(w, GF_EVENT_UNUSED, NULL);
}

void gf_workers_wake(struct gf_workers *ws, uint32_t device, bool wait)
{
    struct gf_worker *idle = NULL;
    bool at_work = false;
    for (uint32_t i = 0; i < ws->n; i++) {
        struct gf_worker *w = ws->list[i];
        bool ended = w->state == GF_WORKER_IDLE || w->state == GF_WORKER_RESTING;
        if (ended && (device == i || device == GF_EVERY_GPU))
            gf_worker_post(w, GF_EVENT_WANTED, NULL);
        else if (ended)
            idle = idle ? idle : w;
        else
            at_work |= !gf_worker_is_cpu(w) && gf_worker_usable(w);
    }
    if (device == GF_ANY_DEVICE && idle && (wait || !at_work))
        gf_worker_post(idle, GF_EVENT_WANTED, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Jobs that share a device, and those that have it alone; see gate.h. */
#include "gate.h"

#include <time.h>

#include "protocol/base/clock.h"
#include "stop.h"

/* How often who waits looks whether its job has been stopped: nobody wakes it for that. */
#define LOOK_NS (2 * GF_NS_PER_MS)

/* On the stack of who waits. */
struct gf_gate_waiter {
    struct gf_gate_waiter *next;
};

void gf_gate_init(struct gf_gate *gate)
{
    pthread_condattr_t attr;
    *gate = (struct gf_gate){.first = NULL};
    (void)pthread_mutex_init(&gate->mutex, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&gate->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
}

void gf_gate_deinit(struct gf_gate *gate)
{
    (void)pthread_cond_destroy(&gate->changed);
    (void)pthread_mutex_destroy(&gate->mutex);
}

/* Waits for a change, but not for long. The mutex is held. */
static void wait_a_little(struct gf_gate *gate)
{
    uint64_t until = gf_now_ns() + LOOK_NS;
    struct timespec at = {.tv_sec = (time_t)(until / GF_NS_PER_S), .tv_nsec = (long)(until % GF_NS_PER_S)};
    (void)pthread_cond_timedwait(&gate->changed, &gate->mutex, &at);
}

/* Behind all who wait already, until it is the first of them and there is room. The mutex is held. */
static enum gf_status wait_for_turn(struct gf_gate *gate, bool alone, const struct gf_job *job, struct gf_error *err)
{
    struct gf_gate_waiter own = {.next = NULL}, **at = &gate->first;
    enum gf_status status = GF_OK;
    while (*at)
        at = &(*at)->next;
    *at = &own;
    while (status == GF_OK && (gate->first != &own || gate->alone || (alone && gate->inside > 0))) {
        wait_a_little(gate);
        status = gf_stop_reason(job, err);
    }
    for (at = &gate->first; *at != &own; at = &(*at)->next)
        ;
    *at = own.next;
    (void)pthread_cond_broadcast(&gate->changed); /* another is the first */
    return status;
}

enum gf_status gf_gate_enter(struct gf_gate *gate, bool alone, const struct gf_job *job, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    (void)pthread_mutex_lock(&gate->mutex);
    if (gate->first || gate->alone || (alone && gate->inside > 0))
        status = wait_for_turn(gate, alone, job, err);
    if (status == GF_OK) {
        gate->inside++;
        gate->alone = alone;
    }
    (void)pthread_mutex_unlock(&gate->mutex);
    return status;
}

void gf_gate_leave(struct gf_gate *gate)
{
    (void)pthread_mutex_lock(&gate->mutex);
    gate->inside--;
    gate->alone = false;
    if (gate->first)
        (void)pthread_cond_broadcast(&gate->changed);
    (void)pthread_mutex_unlock(&gate->mutex);
}

uint32_t gf_gate_waiting(struct gf_gate *gate)
{
    uint32_t n = 0;
    (void)pthread_mutex_lock(&gate->mutex);
    for (const struct gf_gate_waiter *w = gate->first; w; w = w->next)
        n++;
    (void)pthread_mutex_unlock(&gate->mutex);
    return n;
}

/* SPDX-License-Identifier: MIT */
/* Jobs that share a device, and those that have it alone; see admission.h. */
#include "admission.h"

#include <time.h>

#include "protocol/base/clock.h"
#include "stop.h"

/* How often who waits looks whether its job has been stopped: nobody wakes it for that. */
#define LOOK_NS (2 * GF_NS_PER_MS)

/* On the stack of who waits. */
struct gf_admission_waiter {
    struct gf_admission_waiter *next;
};

void gf_admission_init(struct gf_admission *admission)
{
    pthread_condattr_t attr;
    *admission = (struct gf_admission){.first = NULL};
    (void)pthread_mutex_init(&admission->mutex, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&admission->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
}

void gf_admission_deinit(struct gf_admission *admission)
{
    (void)pthread_cond_destroy(&admission->changed);
    (void)pthread_mutex_destroy(&admission->mutex);
}

/* Waits for a change, but not for long. The mutex is held. */
static void wait_a_little(struct gf_admission *admission)
{
    uint64_t until = gf_now_ns() + LOOK_NS;
    struct timespec at = {.tv_sec = (time_t)(until / GF_NS_PER_S), .tv_nsec = (long)(until % GF_NS_PER_S)};
    (void)pthread_cond_timedwait(&admission->changed, &admission->mutex, &at);
}

/* Behind all who wait already, until it is the first of them and there is room. The mutex is held. */
static enum gf_status wait_for_turn(struct gf_admission *admission, bool alone, const struct gf_job *job,
                                    struct gf_error *err)
{
    struct gf_admission_waiter own = {.next = NULL}, **at = &admission->first;
    enum gf_status status = GF_OK;
    while (*at)
        at = &(*at)->next;
    *at = &own;
    while (status == GF_OK && (admission->first != &own || admission->alone || (alone && admission->inside > 0))) {
        wait_a_little(admission);
        status = gf_stop_reason(job, err);
    }
    for (at = &admission->first; *at != &own; at = &(*at)->next)
        ;
    *at = own.next;
    (void)pthread_cond_broadcast(&admission->changed); /* another is the first */
    return status;
}

enum gf_status gf_admission_enter(struct gf_admission *admission, bool alone, const struct gf_job *job,
                                  struct gf_error *err)
{
    enum gf_status status = GF_OK;
    (void)pthread_mutex_lock(&admission->mutex);
    if (admission->first || admission->alone || (alone && admission->inside > 0))
        status = wait_for_turn(admission, alone, job, err);
    if (status == GF_OK) {
        admission->inside++;
        admission->alone = alone;
    }
    (void)pthread_mutex_unlock(&admission->mutex);
    return status;
}

void gf_admission_leave(struct gf_admission *admission)
{
    (void)pthread_mutex_lock(&admission->mutex);
    admission->inside--;
    admission->alone = false;
    if (admission->first)
        (void)pthread_cond_broadcast(&admission->changed);
    (void)pthread_mutex_unlock(&admission->mutex);
}

uint32_t gf_admission_waiting(struct gf_admission *admission)
{
    uint32_t n = 0;
    (void)pthread_mutex_lock(&admission->mutex);
    for (const struct gf_admission_waiter *w = admission->first; w; w = w->next)
        n++;
    (void)pthread_mutex_unlock(&admission->mutex);
    return n;
}

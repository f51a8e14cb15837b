/* SPDX-License-Identifier: MIT */
/* Lets jobs share a device or have it alone; see admission.h. */
#include "admission.h"

#include <time.h>

#include "protocol/base/clock.h"
#include "stop.h"

/* How often a waiter checks whether its job has been stopped, which does not wake it. */
#define LOOK_NS (2 * GF_NS_PER_MS)

/* On the waiter's stack. */
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

/* Waits for a change, at most LOOK_NS. The mutex must be held. */
static void wait_a_little(struct gf_admission *admission)
{
    uint64_t until = gf_now_ns() + LOOK_NS;
    struct timespec at = {.tv_sec = (time_t)(until / GF_NS_PER_S), .tv_nsec = (long)(until % GF_NS_PER_S)};
    (void)pthread_cond_timedwait(&admission->changed, &admission->mutex, &at);
}

/* Joins the end of the queue and waits until it is the first and there is room. The mutex must be held. */
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
    (void)pthread_cond_broadcast(&admission->changed); /* another waiter is the first now */
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

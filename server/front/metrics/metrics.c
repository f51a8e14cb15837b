/* SPDX-License-Identifier: MIT */
/* The daemon's counters; see metrics.h. */
#include "metrics.h"

#include <math.h>

#define MAX_NS 1e18 /* of one answer: a worker may have been taken over */

void gf_metrics_init(struct gf_metrics *m, uint64_t now_ns)
{
    *m = (struct gf_metrics){.started_ns = now_ns};
}

uint32_t gf_time_bin(uint64_t ns)
{
    uint32_t bin = 0;
    while (bin + 1 < GF_TIME_BINS && ns > (uint64_t)GF_TIME_BIN_NS << bin)
        bin++;
    return bin;
}

static void count_time(struct gf_time_counts *counts, uint64_t ns)
{
    counts->sum_ns += ns;
    counts->bins[gf_time_bin(ns)]++;
}

void gf_metrics_turned(struct gf_metrics *m, uint64_t ns)
{
    count_time(&m->turns, ns);
}

/* Adds a user's counters to the sum of the other users. */
static void join_others(struct gf_user_metrics *others, const struct gf_user_metrics *u)
{
    others->connections += u->connections;
    others->frames += u->frames;
    others->accepted += u->accepted;
    others->front_ns += u->front_ns;
    others->compile_ns += u->compile_ns;
    for (uint32_t i = 0; i < GF_STATUS_LOCAL; i++) {
        others->answers[i] += u->answers[i];
        others->refused[i] += u->refused[i];
    }
    for (uint32_t way = 0; way < GF_N_WAYS; way++) {
        others->traffic.in[way] += u->traffic.in[way];
        others->traffic.out[way] += u->traffic.out[way];
    }
}

/* A slot for a new user. If all are taken, the user with the fewest requests loses its slot, among equals the oldest. A
 * flood of short-lived uids therefore takes no slot for good. */
static struct gf_user_metrics *make_room(struct gf_metrics *m)
{
    if (m->n_users < GF_METRICS_USERS)
        return &m->users[m->n_users++];
    struct gf_user_metrics *lowest = &m->users[0];
    for (uint32_t i = 1; i < GF_METRICS_USERS; i++) {
        struct gf_user_metrics *u = &m->users[i];
        if (u->accepted < lowest->accepted || (u->accepted == lowest->accepted && u->age < lowest->age))
            lowest = u;
    }
    join_others(&m->others, lowest);
    m->others_told = true;
    return lowest;
}

static struct gf_user_metrics *find_user(struct gf_metrics *m, gf_user_id id)
{
    for (uint32_t i = 0; i < m->n_users; i++)
        if (m->users[i].id == id)
            return &m->users[i];
    return NULL;
}

static struct gf_user_metrics *user(struct gf_metrics *m, gf_user_id id)
{
    struct gf_user_metrics *u = find_user(m, id);
    if (u)
        return u;
    u = make_room(m);
    *u = (struct gf_user_metrics){.id = id, .age = ++m->clock};
    return u;
}

void gf_metrics_forget(struct gf_metrics *m, gf_user_id id)
{
    struct gf_user_metrics *u = find_user(m, id);
    if (!u)
        return;
    join_others(&m->others, u);
    *u = m->users[--m->n_users];
    m->others_told = true;
}

static void count_status(uint64_t counts[GF_STATUS_LOCAL], enum gf_status status)
{
    if ((uint32_t)status < GF_STATUS_LOCAL)
        counts[status]++;
}

void gf_metrics_connected(struct gf_metrics *m, gf_user_id id, enum gf_status status)
{
    if (status != GF_OK) {
        count_status(m->connections_refused, status);
        return;
    }
    m->connections++;
    user(m, id)->connections++;
}

void gf_metrics_frame(struct gf_metrics *m, gf_user_id id)
{
    user(m, id)->frames++;
}

void gf_metrics_used(struct gf_metrics *m, gf_user_id id, uint64_t ns)
{
    user(m, id)->front_ns += ns;
}

void gf_metrics_compiled(struct gf_metrics *m, gf_user_id id, uint64_t ns)
{
    struct gf_user_metrics *u = find_user(m, id);
    if (!u) {
        u = &m->others;
        m->others_told = true;
    }
    u->compile_ns += ns;
}

void gf_metrics_refused(struct gf_metrics *m, gf_user_id id, enum gf_status status)
{
    count_status(user(m, id)->refused, status);
}

/* The user who sent the task; its charge lives as long as the task. */
static struct gf_user_metrics *user_of(struct gf_metrics *m, const struct gf_task *task)
{
    return user(m, task->request_charge.account->id);
}

void gf_metrics_accepted(struct gf_metrics *m, const struct gf_task *task)
{
    user_of(m, task)->accepted++;
}

static void count_work(struct gf_device_metrics *d, const struct gf_task *task, const struct gf_stage_times *times,
                       uint64_t now_ns)
{
    uint64_t queue = task->started_ns - task->received_ns, total = now_ns - task->received_ns;
    d->stages.queue += queue;
    d->stages.copy_in += times->copy_in;
    d->stages.kernel += times->kernel;
    d->stages.copy_out += times->copy_out;
    d->stages.total += total;
    count_time(&d->queue, queue);
    count_time(&d->device, times->copy_in + times->kernel + times->copy_out);
    count_time(&d->total, total);
    for (uint32_t way = 0; way < GF_N_WAYS; way++) {
        d->bytes_in += task->traffic.in[way];
        d->bytes_out += task->traffic.out[way];
    }
}

void gf_metrics_answered(struct gf_metrics *m, const struct gf_task *task, uint32_t device, enum gf_status status,
                         const struct gf_stage_times *times, uint64_t now_ns)
{
    struct gf_user_metrics *u = user_of(m, task);
    count_status(u->answers, status);
    if (status == GF_OK)
        for (uint32_t way = 0; way < GF_N_WAYS; way++) {
            u->traffic.in[way] += task->traffic.in[way];
            u->traffic.out[way] += task->traffic.out[way];
        }
    if (device >= GF_MAX_DEVICES)
        return;
    count_status(m->devices[device].answers, status);
    if (status == GF_OK)
        count_work(&m->devices[device], task, times, now_ns);
}

void gf_metrics_computed(struct gf_metrics *m, const struct gf_work *work, const struct gf_cost *cost,
                         const struct gf_stage_times *times)
{
    const double ns = (double)times->copy_in + (double)times->kernel + (double)times->copy_out;
    double shares[GF_MAX_STEPS];
    bool counted[GF_N_OPS] = {false};
    gf_cost_shares(cost, work, shares);
    for (uint32_t i = 0; i < work->n_needs; i++) {
        const uint32_t op = work->needs[i].index;
        m->operations[op].answers += !counted[op];
        m->operations[op].ns += (uint64_t)fmin(ns * shares[i], MAX_NS);
        counted[op] = true;
    }
}

void gf_metrics_started(struct gf_metrics *m, uint32_t device)
{
    m->devices[device].starts++;
}

void gf_metrics_died(struct gf_metrics *m, uint32_t device)
{
    m->devices[device].deaths++;
}

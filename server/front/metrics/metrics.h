/* SPDX-License-Identifier: MIT */
/*
 * The daemon's counters since its start: per device, per user and in total. Plain memory of fixed size, owned by the
 * loop. The dispatcher and sessions count, metrics_report.c reports. Current values are queried from their owners.
 */
#ifndef GF_FRONT_METRICS_H
#define GF_FRONT_METRICS_H

#include "protocol/wire/response.h"
#include "server/front/resource/task.h"

#define GF_METRICS_USERS 64u /* users with counters of their own; all others are summed */
#define GF_TIME_BINS 28u     /* the last bin is open-ended */
#define GF_TIME_BIN_NS 1024u /* upper bound of bin 0; each further bin doubles it, the last but one ends at 69 s */
#define GF_NO_DEVICE UINT32_MAX

/* A histogram of durations. */
struct gf_time_counts {
    uint64_t sum_ns, bins[GF_TIME_BINS];
};

struct gf_device_metrics {
    uint64_t answers[GF_STATUS_LOCAL]; /* by status */
    uint64_t bytes_in, bytes_out;
    struct gf_stage_times stages; /* sums */
    struct gf_time_counts queue, device, total;
    uint64_t deaths, starts;
};

struct gf_user_metrics {
    gf_user_id id; /* the identity, see identity.h */
    uint64_t age;  /* larger for newer entries */
    uint64_t connections, frames, accepted;
    uint64_t front_ns;                                           /* processor time of the loop thread */
    uint64_t compile_ns;                                         /* time of compilers of kernels */
    uint64_t answers[GF_STATUS_LOCAL], refused[GF_STATUS_LOCAL]; /* by status */
    struct gf_traffic traffic;
};

/* Answers with OK to requests with this operation, and their time on devices. */
struct gf_operation_metrics {
    uint64_t answers, ns;
};

struct gf_metrics {
    uint64_t started_ns;
    uint64_t connections, connections_refused[GF_STATUS_LOCAL];
    uint64_t decoded;            /* decoded RUNs; a RUN that waits is counted once */
    struct gf_time_counts turns; /* of the loop: processor time from one poll to the next */
    struct gf_device_metrics devices[GF_MAX_DEVICES];
    struct gf_operation_metrics operations[GF_N_OPS];
    struct gf_user_metrics users[GF_METRICS_USERS], others;
    uint32_t n_users;
    bool others_told; /* `others` has counts */
    uint64_t clock;   /* counts new users, including those that come back */
};

void gf_metrics_init(struct gf_metrics *m, uint64_t now_ns);

/* The bin that counts a duration. */
uint32_t gf_time_bin(uint64_t ns);

/* The user's name is forgotten: its counters are added to the others. */
void gf_metrics_forget(struct gf_metrics *m, gf_user_id id);
/* The loop used `ns` of processor time from one poll to the next. */
void gf_metrics_turned(struct gf_metrics *m, uint64_t ns);
/* A client connected and got a session (OK), or was refused. */
void gf_metrics_connected(struct gf_metrics *m, gf_user_id id, enum gf_status status);
/* A frame of the user was read; the user is charged `ns` of the loop's time. */
void gf_metrics_frame(struct gf_metrics *m, gf_user_id id);
void gf_metrics_used(struct gf_metrics *m, gf_user_id id, uint64_t ns);
/* A worker compiled kernels for the user for `ns`. A user without counters is among the others. */
void gf_metrics_compiled(struct gf_metrics *m, gf_user_id id, uint64_t ns);
/* A request was refused before it became a task. */
void gf_metrics_refused(struct gf_metrics *m, gf_user_id id, enum gf_status status);
/* A task was queued for the first time. */
void gf_metrics_accepted(struct gf_metrics *m, const struct gf_task *task);
/* A task has its final answer. `device` is the index of its last device, or GF_NO_DEVICE; `times` are the worker's
 * measurements, given with OK. */
void gf_metrics_answered(struct gf_metrics *m, const struct gf_task *task, uint32_t device, enum gf_status status,
                         const struct gf_stage_times *times, uint64_t now_ns);
/* The work of an answer with OK was done in these times. `cost`: of its device, which shares them among the operations;
 * NULL: in equal parts. */
void gf_metrics_computed(struct gf_metrics *m, const struct gf_work *work, const struct gf_cost *cost,
                         const struct gf_stage_times *times);
/* A worker became ready, or died. */
void gf_metrics_started(struct gf_metrics *m, uint32_t device);
void gf_metrics_died(struct gf_metrics *m, uint32_t device);

#endif

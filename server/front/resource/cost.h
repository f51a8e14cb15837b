/* SPDX-License-Identifier: MIT */
/*
 * What a task costs on a device, in estimated nanoseconds. The model uses few numbers (bytes moved, bytes touched, taps
 * as work.c counts them) and default rates per kind of device; measured times correct it per op and size. session_run.c
 * has the work described; dispatcher.c estimates and learns. No clock and no device is used here.
 *
 * Users do not trust each other, so a user's measured times correct the estimates of that user alone. A user's first
 * estimate for an op and size starts from the correction learned from all users, limited to between an eighth of the
 * model and four times the model; one user therefore cannot make another's requests seem much shorter or longer. No
 * estimate is below an eighth of the model, which counts the work that must be done: a user who sends inputs that are
 * quick for their op cannot make slow requests pass for short ones.
 */
#ifndef GF_FRONT_COST_H
#define GF_FRONT_COST_H

#include "protocol/wire/response.h"
#include "server/front/base/users.h"

/* What one step asks of a device. */
struct gf_step_cost {
    uint32_t index;       /* of the op in the table */
    uint32_t dtypes;      /* the dtype of input 0, as a set of one */
    double touched, taps; /* least bytes read and written; samples, each counted once per sample that it is made from */
    double cpu_taps;      /* taps that only a CPU takes besides: rare values of functions, places outside its cache */
    double parts;         /* how many of a CPU's threads can share the taps, at least 1 */
};

/* Everything that an estimate needs to know about a program. */
struct gf_work {
    struct gf_step_cost *needs; /* one per step; owned by the caller */
    uint32_t n_needs;
    uint64_t in, out; /* bytes of operands and results that are not resident */
    gf_user_id user;  /* who sent it */
};

/* A correction that multiplies the model. */
struct gf_cost_correction {
    float value;
    int8_t side;  /* the last answer was above (1) or below (-1) the expected time */
    bool learned; /* from a measured time; otherwise value is 1 */
};

#define GF_COST_SIZES 4u /* classes of a step by the model's time: up to 64 us, up to 1 ms, up to 16 ms, longer */

#define GF_COST_USERS 16u /* users with corrections of their own on a device: the most recent ones */

/* The corrections learned from measured times. */
struct gf_cost_corrections {
    struct gf_cost_correction in, out;
    struct gf_cost_correction any[GF_COST_SIZES]; /* for any op */
    struct gf_cost_correction steps[GF_N_OPS][GF_COST_SIZES];
};

/* One device. */
struct gf_cost {
    float start_ns;                  /* of a request */
    float move_ns, move_ps;          /* of a copy to or from the device, and of each byte; 0 if no copy is needed */
    float step_ns, touch_ps, tap_ps; /* of a step, of a byte that it touches, of a tap in one thread of a CPU */
    float threads;                   /* of a CPU, which share the taps of a step; 0: a GPU */
    struct gf_cost_corrections all;  /* the starting point of users without corrections of their own */
    gf_user_id users[GF_COST_USERS];
    uint64_t used[GF_COST_USERS], n_used; /* when each user last learned, by a counter; 0: a free slot */
    struct gf_cost_corrections own[GF_COST_USERS];
};

/* Fills in `work` except for the user. work->needs has room for the program's steps. */
void gf_work_describe(const struct gf_program *p, struct gf_work *work);

/* Sets the defaults of a CPU with `units` threads, or of a GPU. */
void gf_cost_init(struct gf_cost *cost, bool cpu, uint32_t units);
/* The estimate in nanoseconds; at most one hour. */
uint64_t gf_cost_estimate(const struct gf_cost *cost, const struct gf_work *work);
/* The part of each step in the time of all steps, by the model. `cost` may be NULL: all steps have the same part. */
void gf_cost_shares(const struct gf_cost *cost, const struct gf_work *work, double ret_shares[GF_MAX_STEPS]);
/* The measured time of the work, by the same rule as the estimate. */
uint64_t gf_cost_measured(const struct gf_cost *cost, const struct gf_stage_times *times);
/* Learns from an answer; a single outlier moves an estimate by at most a fifth. */
void gf_cost_learn(struct gf_cost *cost, const struct gf_work *work, const struct gf_stage_times *times);
/* The work went to another device. Each call moves this device's corrections for slowness a little towards 1, so that
 * after some thousand steps the device is tried again. */
void gf_cost_pass(struct gf_cost *cost, const struct gf_work *work);

#endif

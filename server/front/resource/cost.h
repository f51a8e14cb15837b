/* SPDX-License-Identifier: MIT */
/*
 * What a task costs on a device, in estimated nanoseconds: a model of few numbers (bytes moved, bytes touched, taps as
 * the op's descriptor counts them) with default rates per kind of device, corrected for each op and size by what
 * answers say. session_run.c describes the work, dispatcher estimates and learns. No clock and no device in here.
 *
 * Users do not trust each other, so a user's answers correct the estimates of that user's requests alone. What answers
 * of all taught is where a user begins who has had none of such work: it is believed between an eighth and four times
 * what the model says, so that one user's requests cannot make another's seem short or long by more. Nobody's estimate
 * is below an eighth of the model, which counts what must be computed: who sends what is quick for its op does not make
 * what is slow pass for short.
 */
#ifndef GF_FRONT_COST_H
#define GF_FRONT_COST_H

#include "protocol/wire/response.h"
#include "server/front/base/users.h"

/* What a step asks of a device. */
struct gf_need {
    uint32_t op;          /* id */
    uint32_t index;       /* of the op in the table */
    uint32_t dtypes;      /* set of the one dtype of input 0 */
    double touched, taps; /* bytes read and written at least; samples, each times those that it is made from */
};

/* All that an estimate needs to know of a program. */
struct gf_work {
    struct gf_need *needs; /* one per step; the caller's */
    uint32_t n_needs;
    uint64_t in, out; /* bytes of operands and results that are not resident */
    gf_user_id user;  /* whose it is */
};

/* What a model is multiplied by. */
struct gf_factor {
    float value;
    int8_t side;  /* of the last answer: above (1) or below (-1) what was expected */
    bool learned; /* from an answer; else it is 1 */
};

#define GF_COST_SIZES 4u /* of a step: up to 64 us, 1 ms, 16 ms by the rates alone, and beyond */

#define GF_COST_USERS 16u /* who keep corrections of their own on a device; those who came last */

/* What answers taught. */
struct gf_lessons {
    struct gf_factor in, out;
    struct gf_factor any[GF_COST_SIZES]; /* whatever the op */
    struct gf_factor steps[GF_N_OPS][GF_COST_SIZES];
};

/* One device. */
struct gf_cost {
    float start_ns;                  /* of a request */
    float move_ns, move_ps;          /* of a copy to or from the device, and of each byte; 0 where nothing is moved */
    float step_ns, touch_ps, tap_ps; /* of a step, a byte that it touches, a tap */
    struct gf_lessons all;           /* what those begin with who have none of their own */
    gf_user_id users[GF_COST_USERS];
    uint64_t used[GF_COST_USERS], n_used; /* when each last learned, counted; 0: nobody's place */
    struct gf_lessons own[GF_COST_USERS];
};

/* Fills in work->needs, which has room for the program's steps, and the rest but for the user. */
void gf_work_describe(const struct gf_program *p, struct gf_work *work);

/* Defaults for the CPU with so many threads, or for a GPU. */
void gf_cost_init(struct gf_cost *cost, bool cpu, uint32_t units);
/* At most an hour. */
uint64_t gf_cost_estimate(const struct gf_cost *cost, const struct gf_work *work);
/* What the work came to, by the same rule. */
uint64_t gf_cost_measured(const struct gf_cost *cost, const struct gf_stage_times *times);
/* Takes an answer into account; one that stands alone moves an estimate by a fifth at most. */
void gf_cost_learn(struct gf_cost *cost, const struct gf_work *work, const struct gf_stage_times *times);
/* The work went to another device: a device that seemed slow is forgotten to be so in some thousand steps, so that it
 * is tried again. */
void gf_cost_pass(struct gf_cost *cost, const struct gf_work *work);

#endif

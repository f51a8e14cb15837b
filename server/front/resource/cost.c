/* SPDX-License-Identifier: MIT */
/* Estimates of cost and what corrects them; see cost.h. */
#include "cost.h"

#include <math.h>
#include <string.h>

#define MAX_NS 3.6e12
#define PS_PER_NS 1000.0f
#define GAIN 0.25f           /* of an answer, in octaves */
#define ALONE 1.0f           /* octaves that an answer may be off and still count in full, if the one before was not */
#define TOGETHER 4.0f        /* and if it was, to the same side */
#define FORGET (1.0f / 4096) /* of what is above the default */
#define MIN_SHARE 0.125f     /* of the model, that is believed */
#define MAX_SHARE 4.0f       /* of the model, that is believed of what others taught */

void gf_cost_init(struct gf_cost *cost, bool cpu, uint32_t units)
{
    /* On the quick side of what is met: a device that is tried corrects them, one that is not cannot. */
    static const struct gf_cost g_cpu = {
        .start_ns = 12e3f, .step_ns = 2e3f, .touch_ps = 40, .tap_ps = 25, .threads = 1};
    static const struct gf_cost g_gpu = {
        .start_ns = 20e3f, .move_ns = 6e3f, .move_ps = 18, .step_ns = 4e3f, .touch_ps = 0.4f, .tap_ps = 0.15f};
    *cost = cpu ? g_cpu : g_gpu;
    if (cpu && units > 1)
        cost->threads = (float)units;
}

static uint32_t size_of(float ns)
{
    return ns <= 64e3f ? 0 : ns <= 1e6f ? 1 : ns <= 16e6f ? 2 : 3;
}

/* A step by the rates alone. */
static float model(const struct gf_cost *cost, const struct gf_step_cost *need)
{
    double touch = need->touched * (double)cost->touch_ps, taps = need->taps;
    if (cost->threads > 0)
        taps = (taps + need->cpu_taps) / fmin((double)cost->threads, need->parts);
    taps *= (double)cost->tap_ps;
    return cost->step_ns + (float)(touch > taps ? touch : taps) / PS_PER_NS;
}

/* What a user knows, NULL without anything. */
static const struct gf_cost_corrections *own_lessons(const struct gf_cost *cost, gf_user_id user)
{
    for (uint32_t i = 0; i < GF_COST_USERS; i++)
        if (cost->used[i] && cost->users[i] == user)
            return &cost->own[i];
    return NULL;
}

/* The place of a user, new in that of who learned longest ago. */
static struct gf_cost_corrections *take_lessons(struct gf_cost *cost, gf_user_id user)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < GF_COST_USERS; k++) {
        if (cost->used[k] && cost->users[k] == user) {
            i = k;
            break;
        }
        i = cost->used[k] < cost->used[i] ? k : i;
    }
    if (!cost->used[i] || cost->users[i] != user)
        cost->own[i] = (struct gf_cost_corrections){.in.value = 0};
    cost->users[i] = user;
    cost->used[i] = ++cost->n_used;
    return &cost->own[i];
}

static float believed(float v)
{
    return v > MIN_SHARE ? v : MIN_SHARE;
}

static float believed_of_all(float v)
{
    return v < MAX_SHARE ? believed(v) : MAX_SHARE;
}

/* Of a factor that the user may have learned, or all may have. */
static float either(const struct gf_cost_correction *own, const struct gf_cost_correction *all)
{
    return own && own->learned ? believed(own->value) : all->learned ? believed_of_all(all->value) : 1;
}

/* What is known of the op at this size, or at the next one, or of any op at this size. NULL: nothing. */
static const struct gf_cost_correction *find_factor(const struct gf_cost_corrections *lessons,
                                                    const struct gf_step_cost *need, uint32_t size)
{
    const struct gf_cost_correction *of_op = lessons->steps[need->index];
    if (of_op[size].learned)
        return &of_op[size];
    if (size > 0 && of_op[size - 1].learned)
        return &of_op[size - 1];
    if (size + 1 < GF_COST_SIZES && of_op[size + 1].learned)
        return &of_op[size + 1];
    return lessons->any[size].learned ? &lessons->any[size] : NULL;
}

static float step_factor(const struct gf_cost *cost, const struct gf_cost_corrections *own,
                         const struct gf_step_cost *need, uint32_t size)
{
    const struct gf_cost_correction *f = own ? find_factor(own, need, size) : NULL;
    if (f)
        return believed(f->value);
    f = find_factor(&cost->all, need, size);
    return f ? believed_of_all(f->value) : 1;
}

static float step_ns(const struct gf_cost *cost, const struct gf_cost_corrections *own, const struct gf_step_cost *need)
{
    float ns = model(cost, need);
    return ns * step_factor(cost, own, need, size_of(ns));
}

static float move_ns(const struct gf_cost *cost, float factor, uint64_t n)
{
    return n > 0 ? (cost->move_ns + (float)n * cost->move_ps / PS_PER_NS) * factor : 0;
}

uint64_t gf_cost_estimate(const struct gf_cost *cost, const struct gf_work *work)
{
    const struct gf_cost_corrections *own = own_lessons(cost, work->user);
    float ns = cost->start_ns + move_ns(cost, either(own ? &own->in : NULL, &cost->all.in), work->in) +
               move_ns(cost, either(own ? &own->out : NULL, &cost->all.out), work->out);
    for (uint32_t i = 0; i < work->n_needs; i++)
        ns += step_ns(cost, own, &work->needs[i]);
    return (uint64_t)fmin((double)ns, MAX_NS);
}

void gf_cost_shares(const struct gf_cost *cost, const struct gf_work *work, double ret_shares[GF_MAX_STEPS])
{
    double sum = 0;
    for (uint32_t i = 0; i < work->n_needs; i++)
        sum += ret_shares[i] = cost ? (double)model(cost, &work->needs[i]) : 1;
    for (uint32_t i = 0; i < work->n_needs; i++)
        ret_shares[i] = sum > 0 ? ret_shares[i] / sum : 1.0 / work->n_needs;
}

uint64_t gf_cost_measured(const struct gf_cost *cost, const struct gf_stage_times *times)
{
    double ns = (double)cost->start_ns + (double)times->copy_in + (double)times->kernel + (double)times->copy_out;
    return (uint64_t)fmin(ns, MAX_NS);
}

/* One answer was `ratio` times what was expected; it counts by its share of the request. */
static void nudge(struct gf_cost_correction *f, float before, float ratio, float share)
{
    float octaves = log2f(ratio), highest = octaves * (float)f->side > 0 ? TOGETHER : ALONE;
    f->value = before * exp2f(GAIN * share * fmaxf(-highest, fminf(octaves, highest)));
    f->side = octaves > 0 ? 1 : -1;
    f->learned = true;
}

static void learn_move(const struct gf_cost *cost, struct gf_cost_correction *f, float before, uint64_t n, uint64_t ns)
{
    float expected = move_ns(cost, before, n);
    if (expected > 0 && ns > 0)
        nudge(f, before, (float)ns / expected, 1);
}

/* Into what one user knows, or (`own` is NULL) all. */
static void learn(struct gf_cost *cost, struct gf_cost_corrections *own, const struct gf_work *work,
                  const struct gf_stage_times *times)
{
    struct gf_cost_corrections *into = own ? own : &cost->all;
    learn_move(cost, &into->in, either(own ? &own->in : NULL, &cost->all.in), work->in, times->copy_in);
    learn_move(cost, &into->out, either(own ? &own->out : NULL, &cost->all.out), work->out, times->copy_out);
    float expected = 0;
    for (uint32_t i = 0; i < work->n_needs; i++)
        expected += step_ns(cost, own, &work->needs[i]);
    if (expected <= 0 || times->kernel == 0)
        return; /* a device that keeps no times */
    float ratio = (float)times->kernel / expected;
    for (uint32_t i = 0; i < work->n_needs; i++) {
        const struct gf_step_cost *need = &work->needs[i];
        float ns = model(cost, need), share = step_ns(cost, own, need) / expected;
        uint32_t size = size_of(ns);
        nudge(&into->steps[need->index][size], step_factor(cost, own, need, size), ratio, fminf(share, 1));
        float any = either(own ? &own->any[size] : NULL, &cost->all.any[size]);
        nudge(&into->any[size], any, (float)times->kernel * share / (ns * any), share);
    }
}

void gf_cost_learn(struct gf_cost *cost, const struct gf_work *work, const struct gf_stage_times *times)
{
    learn(cost, take_lessons(cost, work->user), work, times);
    learn(cost, NULL, work, times);
}

static void forget(struct gf_cost_correction *f)
{
    if (f->learned && f->value > 1)
        f->value -= (f->value - 1) * FORGET;
}

static void forget_of(const struct gf_cost *cost, struct gf_cost_corrections *lessons, const struct gf_work *work)
{
    forget(&lessons->in);
    forget(&lessons->out);
    for (uint32_t i = 0; i < work->n_needs; i++)
        forget(&lessons->steps[work->needs[i].index][size_of(model(cost, &work->needs[i]))]);
}

void gf_cost_pass(struct gf_cost *cost, const struct gf_work *work)
{
    for (uint32_t i = 0; i < GF_COST_USERS; i++)
        if (cost->used[i] && cost->users[i] == work->user)
            forget_of(cost, &cost->own[i], work);
    forget_of(cost, &cost->all, work);
}

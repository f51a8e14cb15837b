/* SPDX-License-Identifier: MIT */
/* Finds runs of steps and replaces each by one step; see fuse.h. */
#include "fuse.h"

#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "protocol/base/base.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/expr.h"

/* Consecutive steps that can become one step if their nodes stay within an expression's limits. */
struct run {
    uint32_t first, n;
    uint32_t lengths; /* bit n is set if the first n steps form a run */
    struct gf_ref inputs[GF_EXPR_MAX_INPUTS];
    uint32_t inputs_of[GF_FUSE_STEPS + 1]; /* number of inputs of the first n steps */
    struct gf_expr *nodes;
};

/* The search for the runs of a program; the struct is large. */
struct search {
    struct gf_program *program; /* not changed before all runs are found */
    uint32_t threads;           /* as for gf_fuse */
    struct gf_fused *fused;
    struct gf_uses uses;
    struct gf_fusing fusing;
    struct gf_footprint_step steps[GF_MAX_STEPS]; /* what each step needs, with the runs found so far as one step, */
    struct gf_footprint_step after[GF_MAX_STEPS]; /* and with the run under consideration, too */
    struct run runs[GF_FUSE_RUNS];
};

/* Adds the inputs that step `n` of the run reads from outside, whether or not its value needs them. False if they are
 * too many. */
static bool find_inputs(const struct gf_program *p, uint32_t n, struct run *run)
{
    const struct gf_step *step = &p->steps[run->first + n - 1];
    uint32_t n_inputs = run->inputs_of[n - 1];
    for (uint32_t k = 0; k < step->op->n_inputs; k++) {
        struct gf_ref ref = step->in[k];
        if (ref.from == GF_FROM_NOTHING || (ref.from == GF_FROM_STEP && ref.index >= run->first) ||
            gf_fusing_find_input(run->inputs, n_inputs, ref) < n_inputs)
            continue;
        if (n_inputs == GF_EXPR_MAX_INPUTS)
            return false;
        run->inputs[n_inputs++] = ref;
    }
    run->inputs_of[n] = n_inputs;
    return true;
}

/* Finds the possible lengths of a run: the output of an inner step may be read only inside the run. An f16 output ends
 * the run, because no node rounds to f16. */
static void find_run(const struct gf_program *p, const struct gf_uses *uses, struct run *run)
{
    uint32_t last = run->first; /* the last reader of the outputs so far */
    for (uint32_t n = 1; n <= GF_FUSE_STEPS && run->first + n <= p->n_steps; n++) {
        uint32_t at = run->first + n - 1;
        const struct gf_step *step = &p->steps[at];
        const struct gf_use *use = &uses->outputs[at][0];
        if (!gf_fusing_fits(p, step) || !find_inputs(p, n, run))
            return;
        if (n > 1 && last <= at)
            run->lengths |= 1u << n;
        if (use->n_sinks > 0 || use->last == at || step->out[0].dtype == GF_F16)
            return;
        last = use->last > last ? use->last : last;
    }
}

static uint32_t longest(const struct run *run)
{
    return 31 - (uint32_t)__builtin_clz(run->lengths);
}

/* Composes the nodes of as many steps as stay within the limits. False if fewer than two do. */
static bool compose(struct gf_fusing *f, const struct gf_program *p, struct run *run)
{
    for (int pixels = 0; pixels < 2; pixels++) {
        gf_fusing_init(f, p, run->first, run->inputs, run->inputs_of[longest(run)], pixels == 1);
        while (f->n < longest(run) && f->work <= GF_FUSE_WORK && gf_fusing_add(f))
            ;
        if (!f->needs_pixels)
            break;
    }
    run->n = f->n;
    while (run->n > 1 && f->work <= GF_FUSE_WORK &&
           ((run->lengths >> run->n & 1) == 0 || !gf_fusing_end(f, run->n, run->nodes)))
        run->n--;
    return run->n > 1 && f->work <= GF_FUSE_WORK;
}

/* Whether the program needs no more memory after the run has become one step; users are charged by memory. It may need
 * more: a fused step from f32 to f32 keeps input and result at once, but of two steps with a u8 intermediate each keeps
 * only one f32 image. */
static bool takes_no_more(struct search *s, const struct run *run)
{
    const uint32_t n = s->program->n_steps;
    memcpy(s->after, s->steps, n * sizeof(s->steps[0]));
    gf_footprint_join(&s->after[run->first], run->n, s->threads);
    return gf_footprint_work(s->after, n) <= s->fused->footprint.work;
}

/* Whether the run becomes one step. Memory is compared first, because small images fail there, and again if the run
 * became shorter. */
static bool accept(struct search *s, struct run *run)
{
    run->n = longest(run);
    if (!takes_no_more(s, run))
        return false;
    run->nodes = malloc(sizeof(*run->nodes));
    if (run->nodes == NULL || !compose(&s->fusing, s->program, run) || !takes_no_more(s, run)) {
        free(run->nodes);
        return false;
    }
    memcpy(s->steps, s->after, s->program->n_steps * sizeof(s->steps[0]));
    s->fused->footprint.work = gf_footprint_work(s->steps, s->program->n_steps);
    s->fused->nodes[s->fused->n_runs++] = run->nodes;
    return true;
}

static void fill_step(const struct run *run, struct gf_view out, struct gf_step *step)
{
    memset(step, 0, sizeof(*step));
    step->op = &gf_ops[GF_INDEX_expr];
    step->nodes = run->nodes;
    step->out[0] = out;
    GF_SET_PARAM(&step->params, expr, alpha, GF_ALPHA_STRAIGHT); /* the nodes select alpha where it is copied */
    GF_SET_PARAM(&step->params, expr, dtype, out.dtype);
    for (uint32_t k = 0; k < GF_MAX_INPUTS; k++)
        step->in[k] = k < run->inputs_of[run->n] ? run->inputs[k] : (struct gf_ref){.from = GF_FROM_NOTHING};
}

/* Makes each run one step, and renumbers steps and references. */
static void replace(struct search *s)
{
    struct gf_program *p = s->program;
    const struct run *run = s->runs, *end = run + s->fused->n_runs;
    uint16_t number[GF_MAX_STEPS], to = 0; /* of each step afterwards */
    for (uint32_t i = 0; i < p->n_steps; to++) {
        const bool is_run = run < end && run->first == i;
        const uint32_t n = is_run ? run->n : 1;
        struct gf_step *step = &p->steps[to];
        s->fused->numbers[to] = (uint16_t)i;
        for (uint32_t k = 0; k < n; k++)
            number[i + k] = to;
        if (is_run)
            fill_step(run++, p->steps[i + n - 1].out[0], step);
        else if (i != to)
            *step = p->steps[i];
        for (uint32_t k = 0; k < step->op->n_inputs; k++)
            if (step->in[k].from == GF_FROM_STEP)
                step->in[k].index = number[step->in[k].index];
        i += n;
    }
    s->fused->numbers[to] = (uint16_t)p->n_steps;
    p->n_steps = to;
    for (uint32_t i = 0; i < p->n_results; i++)
        p->results[i].step = number[p->results[i].step];
}

void gf_fuse(struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_fused *ret_fused)
{
    gf_cleanup(gf_freep) struct search *s = NULL;
    ret_fused->n_runs = 0;
    for (uint32_t i = 0; i <= GF_MAX_STEPS; i++)
        ret_fused->numbers[i] = (uint16_t)i;
    if (p->unfused || p->n_steps < 2 || (s = malloc(sizeof(*s))) == NULL) {
        gf_footprint_find(p, threads, in_slabs, &ret_fused->footprint);
        return;
    }
    s->program = p;
    s->threads = threads;
    s->fused = ret_fused;
    s->fusing.work = 0;
    gf_program_uses(p, &s->uses);
    gf_footprint_find_steps(p, threads, in_slabs, s->steps, &ret_fused->footprint);
    for (uint32_t first = 0; first + 1 < p->n_steps && s->fusing.work <= GF_FUSE_WORK; first++) {
        struct run *run = &s->runs[ret_fused->n_runs];
        *run = (struct run){.first = first};
        find_run(p, &s->uses, run);
        if (run->lengths != 0 && accept(s, run))
            first += run->n - 1;
    }
    if (ret_fused->n_runs > 0)
        replace(s);
}

bool gf_fuse_step(const struct gf_step *step, const struct gf_view *in, struct gf_expr *ret_nodes)
{
    const struct gf_ref input = {.from = GF_FROM_OPERAND};
    for (uint32_t k = 1; k < step->op->n_inputs; k++)
        if (step->in[k].from != GF_FROM_NOTHING)
            return false;
    if (step->nodes != NULL) {
        gf_expr_copy(ret_nodes, step->nodes);
        return true;
    }
    struct alone {
        struct gf_program program;
        struct gf_fusing fusing;
    };
    gf_cleanup(gf_freep) struct alone *a = malloc(sizeof(*a));
    if (a == NULL)
        return false;
    a->program.n_operands = a->program.n_steps = 1;
    a->program.operands[0].view = *in;
    a->program.steps[0] = *step;
    a->program.steps[0].in[0] = input;
    if (!gf_fusing_fits(&a->program, &a->program.steps[0]))
        return false;
    a->fusing.work = 0;
    gf_fusing_init(&a->fusing, &a->program, 0, &input, 1, false);
    return gf_fusing_add(&a->fusing) && gf_fusing_end(&a->fusing, 1, ret_nodes);
}

void gf_fused_deinit(struct gf_fused *fused)
{
    for (uint32_t i = 0; i < fused->n_runs; i++)
        free(fused->nodes[i]);
    fused->n_runs = 0;
}

const char *gf_fused_text(const struct gf_fused *fused, uint32_t n, uint64_t carried, char *text, size_t size)
{
    uint32_t ranges[GF_MAX_STEPS][2], n_ranges = 0;
    if (size > 0)
        text[0] = '\0';
    for (uint32_t s = 0; s < n; s++) {
        uint32_t first = fused->numbers[s];
        while (s + 1 < n && (carried >> s & 1) != 0)
            s++;
        ranges[n_ranges][0] = first + 1;
        ranges[n_ranges][1] = fused->numbers[s + 1];
        n_ranges += fused->numbers[s + 1] - first > 1;
    }
    for (uint32_t i = 0; i < n_ranges; i++)
        gf_text_append(text, size, "%s%u-%u",
                       i == 0             ? "steps "
                       : i + 1 < n_ranges ? ", "
                                          : " and ",
                       ranges[i][0], ranges[i][1]);
    if (n_ranges > 0)
        gf_text_append(text, size, " fused");
    return text;
}

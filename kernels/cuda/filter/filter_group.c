/* SPDX-License-Identifier: MIT */
/* Finds the steps that one kernel computes together with a filter; see filter_group.h. */
#include "filter_group.h"

#include "filter_plan.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/expr/expr.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/enums.h"

/* Returns the step after step `at` if it is the only reader of the output of `at`, otherwise NULL. */
static const struct gf_step *follower(const struct gf_cuda_call *call, uint32_t at)
{
    const struct gf_use *use = &call->exec->uses.outputs[at][0];
    if (call->job->unfused || use->last != at + 1 || use->n_sinks > 0)
        return NULL;
    const struct gf_step *next = &call->job->steps[at + 1];
    bool reads = next->in[0].from == GF_FROM_STEP && next->in[0].index == at;
    return reads && next->op->n_outputs == 1 ? next : NULL;
}

/* Whether the kernels of a filter store a multiple of one sum: no alpha, no light. */
static bool is_one_fma(const struct gf_filter *f, const struct gf_view *out)
{
    return out->channels % 2 != 0 && !f->linear;
}

/* Whether the filter may store `to` in place of `from`. Mask kernels exist per result type, and a step of its own
 * converts to another type faster. */
static bool may_become(const struct gf_cuda_filter_group *group, uint32_t from, uint32_t to)
{
    const struct gf_filter *f = &group->filter;
    bool by_type = f->kind == GF_FILTER_MASK || (f->kind == GF_FILTER_STENCIL && f->n_stencils == 1);
    return from == to || (!by_type && (GF_DT_SAMPLES & GF_DT(to)) != 0);
}

static bool is_linear_filter(const struct gf_step *step)
{
    return gf_cuda_ops[step->op->index].start == gf_cuda_linear_filter;
}

/* Appends the effect of a step on samples of type and shape `from`. */
static bool add_step(struct gf_cuda_pointwise *pointwise, const struct gf_step *step, const struct gf_view *from)
{
    struct gf_expr nodes;
    return step->out[0].channels == from->channels && gf_fuse_step(step, from, &nodes) &&
           gf_cuda_pointwise_add(pointwise, &nodes);
}

/* Takes the point steps that follow group->last. */
static void take_behind(const struct gf_cuda_call *call, struct gf_cuda_filter_group *group,
                        struct gf_cuda_pointwise *pointwise)
{
    for (const struct gf_step *next; (next = follower(call, group->last)) != NULL; group->last++) {
        const struct gf_view *from = &call->job->steps[group->last].out[0];
        struct gf_cuda_pointwise longer = *pointwise;
        if (!may_become(group, from->dtype, next->out[0].dtype) || !gf_cuda_pointwise_add_store(&longer, from->dtype) ||
            !add_step(&longer, next, from))
            return;
        *pointwise = longer;
    }
}

/* Takes the point steps in front of a separable filter, from call->index on. Returns false where there are none or the
 * filter's kernel cannot compute them. Takes only f32: samples of other types are converted faster where no prologue
 * runs, and losing that path costs more than a separate pass. */
static bool take_front(const struct gf_cuda_call *call, struct gf_cuda_filter_group *group)
{
    const struct gf_view *from = &call->image[0]->view;
    const struct gf_step *step = call->step;
    uint32_t at = call->index;
    if (from->dtype != GF_F32)
        return false;
    for (; !is_linear_filter(step); from = &step->out[0], step = &call->job->steps[++at])
        if (follower(call, at) == NULL || !add_step(&group->prologue, step, from) ||
            !gf_cuda_pointwise_add_store(&group->prologue, step->out[0].dtype))
            return false;
    if (step->op->work.kind != GF_WORK_SEPARABLE || gf_filter_init(&group->filter, step, from, NULL, NULL) != GF_OK)
        return false;
    group->at = group->last = at;
    if (is_one_fma(&group->filter, &step->out[0]) && gf_cuda_filter_fuses_previous(call, &group->filter))
        return true;
    gf_filter_deinit(&group->filter);
    return false;
}

/* Takes a second filter if the next step is one that the first filter's kernel can continue with. */
static void take_second(const struct gf_cuda_call *call, struct gf_cuda_filter_group *group)
{
    const struct gf_step *next = follower(call, group->last);
    const struct gf_view *between = &call->job->steps[group->last].out[0];
    struct gf_filter *second = &group->second;
    struct gf_cuda_pointwise stored = group->between;
    if (next == NULL || next->op->work.kind != GF_WORK_STENCIL || between->channels != 1 ||
        !gf_cuda_pointwise_add_store(&stored, between->dtype) || !gf_cuda_filter_fuses_next(call, &group->filter) ||
        gf_filter_init(second, next, between, NULL, NULL) != GF_OK)
        return;
    group->has_second = second->kind == GF_FILTER_STENCIL && second->n_stencils == 2 && !second->linear &&
                        second->border != GF_BORDER_WRAP && (GF_DT_SAMPLES & GF_DT(next->out[0].dtype)) != 0;
    if (!group->has_second) {
        gf_filter_deinit(second);
        return;
    }
    group->between = stored;
    group->last++;
}

enum gf_status gf_cuda_filter_group_init(const struct gf_cuda_call *call, struct gf_cuda_filter_group *ret_group,
                                         struct gf_error *err)
{
    struct gf_cuda_filter_group *group = ret_group;
    enum gf_status status = GF_OK;
    *group = (struct gf_cuda_filter_group){.at = call->index, .last = call->index};
    if (is_linear_filter(call->step)) {
        status = gf_filter_init(&group->filter, call->step, &call->image[0]->view, call->coefs[1], err);
        group->there = status == GF_OK;
    } else {
        group->there = follower(call, call->index) != NULL && take_front(call, group);
    }
    if (!group->there || !is_one_fma(&group->filter, &call->job->steps[group->at].out[0]))
        return status;
    take_behind(call, group, &group->between);
    take_second(call, group);
    if (group->has_second) {
        take_behind(call, group, &group->epilogue);
    } else {
        group->epilogue = group->between;
        group->between.n = 0;
    }
    return GF_OK;
}

void gf_cuda_filter_group_deinit(struct gf_cuda_filter_group *group)
{
    if (group->there)
        gf_filter_deinit(&group->filter);
    if (group->has_second)
        gf_filter_deinit(&group->second);
}

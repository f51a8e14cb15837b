/* SPDX-License-Identifier: MIT */
/* Cuts jobs into slabs of rows; see slab.h. */
#include "slab.h"

#include <string.h>

#include "kernels/shared/geometry.h"
#include "protocol/base/base.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/reach.h"

/* Spans of a row begin at multiples of this, so that they have the row's alignment. */
#define PIXELS 64u

static enum gf_status refuse(const struct gf_step *step, const char *why, struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "%s %s", step->op->name, why);
}

static const struct gf_view *view_of(const struct gf_step *steps, const struct gf_buf *operands,
                                     const struct gf_ref *ref)
{
    static const struct gf_view nothing;
    if (ref->from == GF_FROM_NOTHING)
        return &nothing;
    return ref->from == GF_FROM_STEP ? &steps[ref->index].out[ref->output] : &operands[ref->index].view;
}

static void step_reach(const struct gf_job *job, const struct gf_step *step, struct gf_reach *ret)
{
    struct gf_view in[GF_MAX_INPUTS];
    for (uint32_t i = 0; i < step->op->n_inputs; i++)
        in[i] = *view_of(job->steps, job->operands, &step->in[i]);
    gf_step_reach(step, in, ret);
}

static bool is_wide(const struct gf_axis_reach *axis)
{
    return axis->before > 0 || axis->after > 0;
}

/* Returns a step that reads other rows or pixels than its own, so that a single row cannot be cut; NULL if there is
 * none. */
static const struct gf_step *find_wide(const struct gf_job *job)
{
    for (uint32_t k = 0; k < job->n_steps; k++) {
        struct gf_reach reach;
        step_reach(job, &job->steps[k], &reach);
        if (is_wide(&reach.axes[GF_X]) || is_wide(&reach.axes[GF_Y]))
            return &job->steps[k];
    }
    return NULL;
}

/* Checks a step that works along each row. A step with a check for overflow can be cut only for floats: whether
 * integers overflow depends on the whole input. */
static enum gf_status check_rows(const struct gf_job *job, const struct gf_step *step, struct gf_error *err)
{
    const struct gf_view *in = view_of(job->steps, job->operands, &step->in[0]);
    struct gf_reach reach;
    step_reach(job, step, &reach);
    if (is_wide(&reach.axes[GF_Y]) || in->height == 1)
        return refuse(step, "needs all of a sequence at once", err);
    if (gf_dtype_kind(in->dtype) != GF_KIND_FLOAT && gf_op_param(step->op, "overflow") != NULL)
        return refuse(step, "of integers needs all rows at once", err);
    return GF_OK;
}

/* Checks a step that moves pixels: it can be cut only if it moves them within rows, and if the picture has several
 * rows. */
static enum gf_status check_places(const struct gf_job *job, const struct gf_step *step, struct gf_error *err)
{
    const struct gf_view *in = view_of(job->steps, job->operands, &step->in[0]);
    return in->height > 1 && gf_geometry_keeps_rows(step, in) ? GF_OK : refuse(step, "needs all rows at once", err);
}

/* How many rows around its own a step reads, or the reason why it cannot be cut. */
static enum gf_status rows_around(const struct gf_job *job, const struct gf_step *step, uint64_t *ret_rows,
                                  struct gf_error *err)
{
    struct gf_reach reach;
    step_reach(job, step, &reach);
    const struct gf_axis_reach *rows = &reach.axes[GF_Y];
    *ret_rows = 0;
    switch (step->op->reach) {
    case GF_REACH_VALUE:
        return is_wide(rows) ? refuse(step, "without a value needs all samples at once", err) : GF_OK;
    case GF_REACH_KERNEL:
    case GF_REACH_KERNEL_REVERSED:
    case GF_REACH_SEQUENCE:
        if (step->op->outputs[0].shape != GF_SHAPE_TABLE)
            return check_rows(job, step, err);
        break;
    case GF_REACH_PLACE:
        return check_places(job, step, err);
    default:
        if (rows->wrap)
            return refuse(step, "with border=wrap needs all rows at once", err);
        *ret_rows = gf_max_u64(rows->before, rows->after);
        if (*ret_rows != GF_REACH_EVERY)
            return GF_OK;
        break;
    }
    return refuse(step, "needs all rows at once", err);
}

/* Records whether input `i` of a step is cut or needed whole. */
static enum gf_status note_input(struct gf_slabs *s, const struct gf_step *step, uint32_t i, bool cut, uint64_t *whole,
                                 struct gf_error *err)
{
    const struct gf_ref *ref = &step->in[i];
    if (ref->from == GF_FROM_NOTHING)
        return GF_OK;
    if (ref->from == GF_FROM_STEP && gf_output_is_of_all(s->job->steps[ref->index].op, ref->output))
        return refuse(&s->job->steps[ref->index], "needs all rows at once for its tables", err);
    if (ref->from == GF_FROM_STEP)
        return cut ? GF_OK : refuse(step, "needs all of what a step made", err);
    const struct gf_view *view = &s->job->operands[ref->index].view;
    uint64_t bit = UINT64_C(1) << ref->index;
    *(cut ? &s->cut : whole) |= bit;
    if ((s->cut & *whole) != 0)
        return refuse(step, "needs all of an operand that another input has row by row", err);
    if (cut && s->length < view->height)
        s->length = view->height;
    return GF_OK;
}

enum gf_status gf_slabs_init(const struct gf_job *job, struct gf_slabs *ret_slabs, struct gf_error *err)
{
    struct gf_slabs s = {.job = job};
    uint64_t whole = 0;
    for (uint32_t k = 0; k < job->n_steps; k++) {
        const struct gf_step *step = &job->steps[k];
        uint64_t rows;
        enum gf_status status = rows_around(job, step, &rows, err);
        for (uint32_t i = 0; i < step->op->n_inputs && status == GF_OK; i++)
            status = note_input(&s, step, i, gf_input_is_cut(step->op, i), &whole, err);
        if (status != GF_OK)
            return status;
        s.halo += rows;
    }
    for (uint32_t i = 0; i < job->n_sinks; i++) {
        const struct gf_step *step = &job->steps[job->sinks[i].step];
        if (gf_output_is_of_all(step->op, job->sinks[i].output))
            return refuse(step, "needs all rows at once for its tables", err);
    }
    uint64_t width = 0;
    for (uint32_t i = 0; i < job->n_operands; i++) {
        const struct gf_view *view = &job->operands[i].view;
        if ((s.cut >> i & 1) == 0)
            continue;
        /* Heights may differ by at most the halo: a picture that lost rows to size=valid may be combined with a full
         * one. */
        if (s.length - view->height > s.halo || (width != 0 && view->width != width && s.length == 1))
            return gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "its pictures differ in size");
        width = view->width;
    }
    s.columns = s.length == 1;
    if (s.columns) {
        const struct gf_step *wide = find_wide(job);
        if (wide)
            return refuse(wide, "of a single row needs all of it at once", err);
        s.length = width;
    }
    s.max = (s.length + PIXELS - 1) / PIXELS;
    for (uint32_t i = 0; i < job->n_sinks && !s.columns; i++)
        if (i == 0 || job->sinks[i].buf.view.height < s.max)
            s.max = job->sinks[i].buf.view.height;
    *ret_slabs = s;
    return GF_OK;
}

/* Where slab `i` of `n` begins, in rows or, for a single row, in pixels. */
static uint64_t begin_of(const struct gf_slabs *s, uint64_t length, uint64_t i, uint64_t n)
{
    uint64_t unit = s->columns ? PIXELS : 1, units = (length + unit - 1) / unit;
    uint64_t at = (units / n * i + units % n * i / n) * unit;
    return at < length ? at : length;
}

/* Rows of an output, or pixels of a single row. */
struct rows {
    uint64_t begin, end; /* stored by the slab */
    uint64_t skipped;    /* rows above the stored ones that the job, if it is itself a slab, does not store */
    uint64_t lost;       /* how many rows fewer the output has than the tallest operand */
};

/* The rows of sink k in slab `i` of `n`. */
static struct rows rows_of(const struct gf_slabs *s, uint32_t k, uint64_t i, uint64_t n)
{
    const struct gf_sink *sink = &s->job->sinks[k];
    const struct gf_view *made = &s->job->steps[sink->step].out[sink->output], *stored = &sink->buf.view;
    uint64_t length = s->columns ? stored->width : stored->height;
    uint64_t skipped = s->job->skip ? s->job->skip[k] : 0;
    return (struct rows){.begin = skipped + begin_of(s, length, i, n),
                         .end = skipped + begin_of(s, length, i + 1, n),
                         .skipped = skipped,
                         .lost = s->length - (s->columns ? made->width : made->height)};
}

/* A part of a buffer: rows, or pixels of its single row. */
static struct gf_buf part_of(const struct gf_slabs *s, const struct gf_buf *buf, uint64_t first, uint64_t end)
{
    struct gf_buf part = *buf;
    uint64_t pixel = gf_dtype_size(buf->view.dtype) * buf->view.channels;
    part.data = (char *)buf->data + first * (s->columns ? pixel : buf->view.pitch);
    *(s->columns ? &part.view.width : &part.view.height) = end - first;
    return part;
}

/* Infers the shapes of the steps on the slab's operands. */
static enum gf_status infer_steps(const struct gf_job *job, struct gf_slab *slab, struct gf_error *err)
{
    memcpy(slab->steps, job->steps, job->n_steps * sizeof(slab->steps[0]));
    for (uint32_t k = 0; k < job->n_steps; k++) {
        struct gf_step *step = &slab->steps[k];
        struct gf_view in[GF_MAX_INPUTS];
        for (uint32_t i = 0; i < step->op->n_inputs; i++)
            in[i] = *view_of(slab->steps, slab->operands, &step->in[i]);
        if (step->nodes != NULL) { /* a fused step: its parameters say nothing about shapes */
            const struct gf_view *out = &step->out[0];
            step->out[0] = gf_view_tight(out->dtype, in[0].width, in[0].height, out->channels);
            continue;
        }
        if (step->op->reach == GF_REACH_PLACE)
            gf_geometry_fit_rows(step, &in[0]);
        enum gf_status status = gf_op_infer(step->op, in, step->op->n_inputs, &step->params, step->out, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

enum gf_status gf_slabs_cut(const struct gf_slabs *slabs, uint64_t i, uint64_t n, struct gf_slab *ret_slab,
                            struct gf_error *err)
{
    const struct gf_job *job = slabs->job;
    /* The rows that the slab stores, as rows of the tallest picture; then widened by the halo. */
    uint64_t first = slabs->length, end = 0;
    for (uint32_t k = 0; k < job->n_sinks; k++) {
        struct rows rows = rows_of(slabs, k, i, n);
        first = rows.begin < first ? rows.begin : first;
        end = rows.end + rows.lost > end ? rows.end + rows.lost : end;
    }
    first = first > slabs->halo ? first - slabs->halo : 0;
    end = slabs->length - end > slabs->halo ? end + slabs->halo : slabs->length;

    for (uint32_t k = 0; k < job->n_operands; k++) {
        const struct gf_buf *buf = &job->operands[k];
        uint64_t lost = slabs->columns ? 0 : slabs->length - buf->view.height;
        ret_slab->operands[k] = (slabs->cut >> k & 1) != 0 ? part_of(slabs, buf, first, end - lost) : *buf;
    }
    for (uint32_t k = 0; k < job->n_sinks; k++) {
        struct rows rows = rows_of(slabs, k, i, n);
        ret_slab->sinks[k] = job->sinks[k];
        ret_slab->sinks[k].buf = part_of(slabs, &job->sinks[k].buf, rows.begin - rows.skipped, rows.end - rows.skipped);
        ret_slab->skip[k] = rows.begin - first;
    }
    ret_slab->job = *job;
    ret_slab->job.steps = ret_slab->steps;
    ret_slab->job.operands = ret_slab->operands;
    ret_slab->job.sinks = ret_slab->sinks;
    ret_slab->job.skip = ret_slab->skip;
    return infer_steps(job, ret_slab, err);
}

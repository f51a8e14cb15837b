/* SPDX-License-Identifier: MIT */
/*
 * erode, dilate, opening, closing, gradient, tophat and blackhat on CUDA: runs the passes of kernels/shared/morphology
 * with their temp storage. A rectangle whose halo would outweigh its tiles takes two passes, along rows and along
 * columns; the result is the same, since borders map each axis by itself. Other elements are cut into parts that fit
 * shared memory; each part combines with the result of the parts before it. Called through the ops' rows.
 */
#include "morphology.h"

#include <string.h>

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "protocol/ops/enums.h"

struct passes {
    struct gf_cuda_call *call;
    struct gf_morphology m;
    struct gf_element_parts parts; /* of an element that is no rectangle */
    void *runs;                    /* the runs of all parts, in device memory */
    void *temps[2];                /* pictures between passes */
    uint64_t temp_pitch;
};

/* Cuts the element into parts and uploads their runs. */
static enum gf_status take_runs(struct passes *p, struct gf_error *err)
{
    enum gf_status status = gf_element_cut(&p->m.element, gf_cuda_runs_side(), &p->parts, err);
    size_t bytes = p->parts.n_runs * sizeof(*p->parts.runs);
    if (status == GF_OK)
        status = gf_cuda_alloc(p->call->exec, bytes, &p->runs, err);
    if (status == GF_OK)
        status = gf_cuda_upload(p->call->exec, p->runs, p->parts.runs, bytes, err);
    return status;
}

static struct gf_cuda_plane plane_at(const struct passes *p, enum gf_morphology_place place)
{
    const struct gf_cuda_image *src = p->call->image[0], *dst = &p->call->out[0];
    if (place == GF_AT_SOURCE)
        return (struct gf_cuda_plane){src->data, src->view.pitch};
    if (place == GF_AT_RESULT)
        return (struct gf_cuda_plane){dst->data, dst->view.pitch};
    return (struct gf_cuda_plane){p->temps[place - GF_AT_TEMP], p->temp_pitch};
}

/* The launch arguments of a pass over all rows. */
static struct gf_cuda_morphology describe(const struct passes *p, uint32_t pass)
{
    const struct gf_morphology_pass *own = &p->m.passes[pass];
    const struct gf_morphology_route route = gf_morphology_route(&p->m, pass);
    const struct gf_cuda_plane dst = plane_at(p, route.to);
    const struct gf_view *view = &p->call->image[0]->view;
    struct gf_cuda_morphology m = {.src = plane_at(p, route.from),
                                   .other = plane_at(p, route.other),
                                   .alpha = plane_at(p, GF_AT_SOURCE),
                                   .dst = (char *)(uintptr_t)dst.data,
                                   .dst_pitch = dst.pitch,
                                   .dtype = view->dtype,
                                   .channels = view->channels,
                                   .picture_width = (int32_t)view->width,
                                   .picture_height = (int32_t)view->height,
                                   .end = (int32_t)view->height,
                                   .width = own->width,
                                   .height = own->height,
                                   .anchor_x = own->anchor_x,
                                   .anchor_y = own->anchor_y,
                                   .dilate = own->dilate,
                                   .copy_alpha = route.last && p->m.copy_alpha,
                                   .whole_words = route.to >= GF_AT_TEMP,
                                   .last = route.last ? p->m.end : GF_END_RESULT,
                                   .border = p->m.border};
    for (uint32_t c = 0; c < view->channels; c++)
        memcpy(&m.outside[c], p->m.outside[own->dilate] + c * gf_dtype_size(view->dtype), gf_dtype_size(view->dtype));
    return m;
}

/* Splits each pass in two, along rows and along columns, if a pass has no tile for both axes that pays. */
static enum gf_status split_passes(struct passes *p, struct gf_error *err)
{
    bool whole = true;
    for (uint32_t i = 0; i < p->m.n_passes; i++) {
        struct gf_cuda_morphology pass = describe(p, i);
        whole = whole && gf_cuda_rectangle_plan(&pass);
    }
    return whole ? GF_OK : gf_morphology_split(&p->m, err);
}

static enum gf_status take_temps(struct passes *p, struct gf_error *err)
{
    struct gf_view view;
    uint64_t bytes;
    enum gf_status status = gf_cuda_align_view(&p->call->out[0].view, &view, &bytes, err);
    p->temp_pitch = view.pitch;
    for (uint32_t i = 0; i < gf_morphology_temps(&p->m) && status == GF_OK; i++)
        status = gf_cuda_alloc(p->call->exec, bytes, &p->temps[i], err);
    return status;
}

/* A pass in progress. Only the last pass makes rows of the result. */
struct running {
    const struct passes *p;
    struct gf_cuda_morphology m;
    bool last;
};

/* Launches rows of a pass: by its rectangle, or by the parts of its element, the last of which applies `last`. */
static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct running *pass = op;
    const struct passes *p = pass->p;
    pass->m.first = (int32_t)first;
    pass->m.end = (int32_t)end;
    if (p->m.element.full)
        return gf_cuda_status(gf_cuda_rectangle(&pass->m, call->exec->main), "starting erode or dilate", err);
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < p->parts.n && error == cudaSuccess; i++) {
        const struct gf_element_part *part = &p->parts.part[i];
        struct gf_cuda_morphology m = pass->m;
        m.width = (int32_t)part->width;
        m.height = (int32_t)part->height;
        m.anchor_x -= (int32_t)part->x;
        m.anchor_y -= (int32_t)part->y;
        m.goes_on = i > 0;
        m.runs = (const uint32_t *)p->runs + part->first_run;
        memcpy(m.level, part->level, sizeof(m.level));
        if (i + 1 < p->parts.n) {
            m.last = GF_END_RESULT;
            m.copy_alpha = false;
        }
        error = gf_cuda_runs(&m, call->exec->main);
    }
    return gf_cuda_status(error, "starting erode or dilate", err);
}

/* The first of several passes reads all rows of the source. */
static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    (void)input;
    const struct running *pass = op;
    const struct gf_cuda_morphology *m = &pass->m;
    uint64_t height = (uint64_t)m->picture_height, needed = end + (uint64_t)(m->height - 1 - m->anchor_y);
    bool by_place = m->border == GF_BORDER_REPLICATE || m->border == GF_BORDER_CONSTANT;
    return pass->p->m.n_passes == 1 && by_place && needed < height ? needed : height;
}

static uint64_t rows_made(const void *op, uint32_t output, uint64_t end)
{
    (void)output;
    return ((const struct running *)op)->last ? end : 0;
}

static enum gf_status run_pass(struct passes *p, uint32_t index, struct gf_error *err)
{
    struct gf_cuda_call *call = p->call;
    struct running pass = {p, describe(p, index), index + 1 == p->m.n_passes};
    if (p->m.element.full && !gf_cuda_rectangle_plan(&pass.m))
        return gf_error_set(err, GF_E_INTERNAL, "%s: no tile for %d x %d", call->step->op->name, pass.m.width,
                            pass.m.height);
    uint32_t unit = p->m.element.full ? (uint32_t)pass.m.tile_height : 32;
    struct gf_cuda_row_chunks chunks = gf_cuda_row_chunks(call, gf_view_bytes(&call->out[0].view), unit);
    if (!pass.last)
        chunks.rows = chunks.height; /* at once: nothing can be downloaded yet */
    if (p->parts.n > 0)
        chunks.row_cost *= 8 * p->parts.n;
    const struct gf_cuda_row_fns fns = {launch, rows_needed, rows_made};
    return gf_cuda_run_rows(call, &chunks, &fns, &pass, err);
}

enum gf_status gf_cuda_morphology(struct gf_cuda_call *call, struct gf_error *err)
{
    static const struct gf_buf nothing;
    struct passes p = {.call = call};
    enum gf_status status =
        gf_morphology_init(&p.m, call->step, &call->image[0]->view, call->coefs[1] ? call->coefs[1] : &nothing, err);
    if (status != GF_OK)
        return status;
    status = p.m.element.full ? split_passes(&p, err) : take_runs(&p, err);
    if (status == GF_OK)
        status = take_temps(&p, err);
    for (uint32_t i = 0; i < p.m.n_passes && status == GF_OK; i++)
        status = run_pass(&p, i, err);
    for (uint32_t i = 2; i > 0; i--)
        gf_cuda_free(call->exec, p.temps[i - 1]);
    gf_cuda_free(call->exec, p.runs);
    gf_element_parts_deinit(&p.parts);
    gf_morphology_deinit(&p.m);
    return status;
}

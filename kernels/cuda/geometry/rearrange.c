/* SPDX-License-Identifier: MIT */
/* crop, pad, flip, rotate and transpose on CUDA: finds which source rows a row chunk of the result needs, and launches
 * the kernels. Called through the ops' rows. */
#include "rearrange.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "protocol/ops/enums.h"

/* The number of source rows, from the first one on, that result rows up to `end` depend on. */
static uint64_t rows_needed(const struct gf_cuda_rearranging *r, uint64_t end)
{
    const struct gf_geometry *g = &r->g;
    bool by_place = g->border == GF_BORDER_REPLICATE || g->border == GF_BORDER_CONSTANT;
    int64_t needed = (int64_t)end + g->top;
    if (g->transposed || g->from_bottom || (g->top < 0 && !by_place) || needed > (int64_t)r->height)
        return r->height;
    return needed < 1 ? 1 : (uint64_t)needed;
}

/* The number of result rows that are complete after strips up to `end`. */
static uint64_t rows_of_strips(const struct gf_cuda_rearranging *r, uint64_t end)
{
    uint64_t side = gf_cuda_strip_columns(r->pixel), strips = (r->width + side - 1) / side;
    if (end >= strips)
        return r->width;
    return r->g.from_right ? r->width - (strips - end) * side : end * side;
}

static struct gf_cuda_rearranging rearranging_of(const struct gf_cuda_call *call)
{
    const struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    const struct gf_view *view = &in->view;
    uint32_t size = (uint32_t)gf_dtype_size(view->dtype);
    return (struct gf_cuda_rearranging){.src = in->data,
                                        .dst = out->data,
                                        .src_pitch = view->pitch,
                                        .dst_pitch = out->view.pitch,
                                        .width = view->width,
                                        .height = view->height,
                                        .dst_width = out->view.width,
                                        .pixel = size * view->channels,
                                        .nan = gf_dtype_kind(view->dtype) == GF_KIND_FLOAT ? size : 0,
                                        .g = gf_geometry_of(call->step, view)};
}

enum gf_status gf_cuda_rearrange(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_rearranging r = rearranging_of(call);
    const struct gf_view *dst = &call->out[0].view;
    const uint32_t unit = r.g.transposed ? gf_cuda_strip_columns(r.pixel) : 1;
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(dst), unit);
    enum gf_status status = GF_OK;
    for (uint64_t first = 0; first < dst->height && status == GF_OK;) {
        const uint64_t end = gf_cuda_row_chunk_end(&row_chunks, first);
        r.first = first / unit;
        r.end = (end + unit - 1) / unit;
        status = gf_cuda_go_on(call->exec, call->job, dst->pitch * (end - first), err);
        if (status == GF_OK)
            status = gf_cuda_need(call, call->image[0], rows_needed(&r, end), err);
        if (status == GF_OK)
            status = gf_cuda_status(r.g.transposed ? gf_cuda_rearrange_columns(&r, call->exec->main)
                                                   : gf_cuda_rearrange_rows(&r, call->exec->main),
                                    "starting to move pixels", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, r.g.transposed ? rows_of_strips(&r, r.end) : end, err);
        first = end;
    }
    return status;
}

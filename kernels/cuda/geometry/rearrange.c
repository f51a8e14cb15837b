/* SPDX-License-Identifier: MIT */
/* crop, pad, flip, rotate and transpose on CUDA: finds which source rows a row chunk of the result needs, and launches
 * the kernels. Called through the ops' rows. */
#include "rearrange.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "protocol/ops/enums.h"

/* The number of source rows, from the first one on, that result rows up to `end` depend on. */
static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    (void)input;
    const struct gf_cuda_rearranging *r = op;
    const struct gf_geometry *g = &r->g;
    bool by_place = g->border == GF_BORDER_REPLICATE || g->border == GF_BORDER_CONSTANT;
    int64_t needed = (int64_t)end + g->top;
    if (g->transposed || g->from_bottom || (g->top < 0 && !by_place) || needed > (int64_t)r->height)
        return r->height;
    return needed < 1 ? 1 : (uint64_t)needed;
}

/* From the right, the strip that makes the first result rows may be narrower than the others. */
static uint64_t rows_made(const void *op, uint32_t output, uint64_t end)
{
    (void)output;
    const struct gf_cuda_rearranging *r = op;
    if (!r->g.transposed || !r->g.from_right)
        return end;
    uint64_t side = gf_cuda_strip_columns(r->pixel), strips = (r->width + side - 1) / side;
    return r->width - (strips - r->end) * side;
}

/* Transposing makes strips of rows; the other ops make single rows. */
static uint32_t unit_of(const struct gf_cuda_rearranging *r)
{
    return r->g.transposed ? gf_cuda_strip_columns(r->pixel) : 1;
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

static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct gf_cuda_rearranging *r = op;
    const uint32_t unit = unit_of(r);
    r->first = first / unit;
    r->end = (end + unit - 1) / unit;
    return gf_cuda_status(r->g.transposed ? gf_cuda_rearrange_columns(r, call->exec->main)
                                          : gf_cuda_rearrange_rows(r, call->exec->main),
                          "starting to move pixels", err);
}

enum gf_status gf_cuda_rearrange(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_rearranging r = rearranging_of(call);
    const struct gf_cuda_row_chunks row_chunks =
        gf_cuda_row_chunks(call, gf_view_bytes(&call->out[0].view), unit_of(&r));
    const struct gf_cuda_row_fns fns = {launch, rows_needed, rows_made};
    return gf_cuda_run_rows(call, &row_chunks, &fns, &r, err);
}

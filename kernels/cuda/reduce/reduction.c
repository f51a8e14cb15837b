/* SPDX-License-Identifier: MIT */
/*
 * The passes of reduce, stats, dot and compare: data to partials, and partials to fewer partials until each sequence
 * has one, which becomes its result. Called by the files of the ops.
 */
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/operator/operator.h"
#include "kernels/cuda/step/cuda_copies.h"
#include "kernels/shared/compose.h"
#include "protocol/ops/texts/operator.h"
#include "reduce_args.h"

/* Returns the partials of all levels but the last, and the bytes of counters. Along rows the levels alternate between
 * two arrays. */
static uint64_t count_partials(const struct gf_cuda_sequences *s, uint64_t *ret_counters)
{
    uint64_t n = s->chunks, partials = 0, counters = 0, sequences = s->lines * s->channels;
    *ret_counters = 0;
    if (s->by_block && s->blocks == 1)
        return 0;
    if (s->blocks > 0)
        return sequences * s->blocks;
    if (!s->columns || gf_is_compose(s->r.op))
        return sequences * (n + gf_divide_up(n, GF_TREE_CHUNK));
    for (; n > 1; n = gf_divide_up(n, GF_TREE_ROWS)) {
        partials += n * sequences;
        counters += gf_divide_up(n, GF_TREE_ROWS) * gf_divide_up(s->lines, GF_CUDA_COLUMN_TILE);
    }
    *ret_counters = counters * sizeof(*s->counters);
    return partials;
}

/* Allocates and clears the workspace of a request. */
static enum gf_status take_workspace(struct gf_cuda_call *call, struct gf_cuda_sequences *s, uint32_t words,
                                     void **ret_workspace, struct gf_error *err)
{
    uint64_t bytes, counters, all;
    if (!gf_mul_u64(count_partials(s, &counters), words * sizeof(*s->partials), &bytes) ||
        !gf_add_u64(bytes, counters, &all))
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: the partial results do not fit the address space",
                            call->step->op->name);
    if (all == 0)
        return GF_OK;
    enum gf_status status = gf_cuda_alloc(call->exec, (size_t)all, ret_workspace, err);
    if (status != GF_OK)
        return status;
    s->partials = *ret_workspace;
    if (counters == 0)
        return GF_OK;
    s->counters = (uint32_t *)((char *)*ret_workspace + bytes);
    return gf_cuda_status(cudaMemsetAsync(s->counters, 0, (size_t)counters, call->exec->main), "clearing counters",
                          err);
}

/* Plans the by-block kernels where they fit, with the counters of the execution context. Returns false where they do
 * not. */
static bool fits_blocks(struct gf_cuda_sequences *s, struct gf_exec *exec, size_t size)
{
    uint32_t span = size <= 2 ? s->span / GF_CUDA_BLOCK_WARPS : s->span;
    uint32_t warps = size <= 2 ? GF_CUDA_BLOCK_WARPS : 1;
    uint64_t chunks = gf_divide_up(s->n, span), blocks = gf_divide_up(chunks, warps),
             sequences = s->lines * s->channels;
    uint64_t limit = (uint64_t)exec->device->info.units * GF_CUDA_BLOCKS_PER_UNIT;
    if (s->pixels || blocks > limit || sequences > limit || blocks * sequences > limit ||
        sequences * sizeof(*s->counters) > sizeof(exec->tally->counts))
        return false;
    s->by_block = true;
    s->span = span;
    s->chunks = chunks;
    s->blocks = blocks;
    s->items = blocks * sequences;
    s->counters = (uint32_t *)exec->tally->counts;
    return true;
}

/* Returns the warps per block, a chunk each. Small blocks finish earlier and make room for the next. */
static uint32_t warps_for(const struct gf_cuda_sequences *s, size_t size)
{
    if (s->r.want & GF_WANT_SPREAD)
        return s->r.want & GF_WANT_EXTREMES ? 2 : 1;
    return size <= 2 && s->channels == 1 ? 4 : GF_CUDA_CHUNK_WARPS;
}

/* Distributes the pass over rows to thread blocks, and chooses the quantities to store. */
static void share_out(struct gf_cuda_sequences *s, struct gf_exec *exec, size_t size)
{
    const uint32_t of_trees = GF_WANT_TREE_SUM | GF_WANT_TREE_PRODUCT | GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES |
                              GF_WANT_SPREAD | GF_WANT_DOT;
    uint32_t units = exec->device->info.units;
    bool common = s->channels == 2 || !gf_is_signed(s->r.dtype); /* other combinations do not justify the code */
    s->pixels = size <= 2 && s->channels > 1 && s->chunks > GF_CUDA_CHUNK_WARPS && common;
    s->kept = s->r.want;
    if (!s->omit && (s->r.want & (GF_WANT_EXTREMES | GF_WANT_NONZERO)) == 0)
        s->kept &= ~(uint32_t)GF_WANT_NAN; /* the trees contain it, and no result counts it */
    if (fits_blocks(s, exec, size))
        return;
    uint64_t sequences = s->lines * s->channels, chunks = s->chunks * (s->pixels ? s->lines : sequences);
    uint64_t fair = gf_divide_up(chunks, units); /* chunks per multiprocessor, so that none is idle */
    uint32_t max_warps = warps_for(s, size);
    s->warps = fair < max_warps ? (uint32_t)fair : max_warps;
    s->items = gf_divide_up(chunks, s->warps);
    uint64_t groups = gf_divide_up(s->chunks, s->warps);
    if (s->chunks > GF_CUDA_CHUNK_WARPS && (s->r.want & of_trees) == 0) {
        uint64_t limit = gf_divide_up(GF_CUDA_EXACT_PARTIALS, sequences);
        s->blocks = gf_divide_up(groups, gf_divide_up(groups, limit)); /* equal shares */
        s->items = s->blocks * (s->pixels ? s->lines : sequences);
    }
}

static struct gf_cuda_sequences sequences_of(const struct gf_cuda_call *call, const struct gf_reduction *r)
{
    const struct gf_view *view = &call->image[0]->view;
    bool follow = view->height == 1 || view->pitch == gf_view_row_bytes(view), rows = r->axis == GF_AXIS_ROWS;
    size_t size = r->kind == GF_REDUCE_COMPARE ? sizeof(double) : gf_dtype_size(view->dtype);
    struct gf_cuda_sequences s = {.a = call->image[0]->data,
                                  .b = call->image[1] ? call->image[1]->data : NULL,
                                  .pitch = view->pitch,
                                  .width = rows || !follow ? view->width : view->width * view->height,
                                  .n = r->n,
                                  .lines = rows ? view->height : 1,
                                  .channels = view->channels,
                                  .span = size <= 2 ? GF_CUDA_SHORT_BYTES / (uint32_t)size : GF_TREE_CHUNK,
                                  .columns = r->axis == GF_AXIS_COLS,
                                  .omit = r->omit,
                                  .r = *r};
    if (s.columns) {
        s.lines = r->sequences;
        s.channels = 1;
        s.span = GF_CUDA_COLUMN_ROWS;
    }
    s.chunks = gf_divide_up(s.n, s.span);
    s.kept = r->want;
    if (!s.columns && !call->coefs[1]) /* segments replace an axis */
        share_out(&s, call->exec, size);
    s.target.row = call->out[0].view.width * call->out[0].view.channels;
    for (uint32_t i = 0; i < call->step->op->n_outputs; i++) {
        s.target.data[i] = call->out[i].data;
        s.target.pitch[i] = call->out[i].view.pitch;
        s.target.size[i] = (uint32_t)gf_dtype_size(call->out[i].view.dtype);
    }
    return s;
}

/* Whether a result may overflow. */
static bool may_overflow(const struct gf_reduction *r)
{
    return !gf_is_float(r->dtype) && !r->wrap && (r->want & (GF_WANT_SUM | GF_WANT_PRODUCT)) != 0;
}

/* Runs all passes from data to results. */
static cudaError_t run_passes(const struct gf_cuda_sequences *s, uint32_t dtype, gf_cuda_reduce_fn *launch,
                              cudaStream_t stream)
{
    uint64_t left = s->columns || s->by_block ? 0 : s->blocks > 0 ? s->blocks : s->chunks;
    uint64_t *in = s->partials, *out = in + left * s->lines * s->channels * gf_partial_words(s->kept);
    cudaError_t error = launch(dtype, s, stream);
    while (left > 0 && error == cudaSuccess) {
        error = gf_cuda_partials_launch(s, in, left, out, stream);
        uint64_t *made = out;
        out = in;
        in = made;
        left = left > GF_TREE_CHUNK ? gf_divide_up(left, GF_TREE_CHUNK) : 0;
    }
    return error;
}

/* Gives both inputs the same pitch, as the kernels require. An input whose rows are part of a wider buffer and whose
 * pitch differs from the other input's is copied to memory of its own, which the caller must return. */
static enum gf_status level_pitches(struct gf_cuda_call *call, struct gf_cuda_image *moved, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    if (!call->image[1] || call->image[0]->view.pitch == call->image[1]->view.pitch)
        return GF_OK;
    for (uint32_t i = 0; i < 2 && status == GF_OK; i++) {
        const struct gf_cuda_image *image = call->image[i];
        uint64_t bytes;
        moved[i] = *image;
        status = gf_cuda_align_view(&image->view, &moved[i].view, &bytes, err);
        if (status != GF_OK || moved[i].view.pitch == image->view.pitch)
            continue;
        void *data = NULL;
        status = gf_cuda_alloc(call->exec, bytes, &data, err);
        if (status != GF_OK)
            return status;
        moved[i].data = data;
        call->image[i] = &moved[i];
        status = gf_cuda_status(gf_cuda_copy_rows(data, (size_t)moved[i].view.pitch, image->data,
                                                  (size_t)image->view.pitch, (size_t)gf_view_row_bytes(&image->view),
                                                  image->view.height, cudaMemcpyDeviceToDevice, call->exec->main),
                                "moving a part of a resident buffer", err);
    }
    return status;
}

static enum gf_status reduce_level(struct gf_cuda_call *call, gf_cuda_reduce_fn *launch, struct gf_error *err)
{
    const struct gf_view *view = &call->image[0]->view;
    struct gf_reduction r = gf_reduction_of(call->step, view);
    struct gf_cuda_sequences s = sequences_of(call, &r);
    bool compose = r.kind == GF_REDUCE_ONE && gf_is_compose(r.op);
    void *workspace = NULL;
    if (compose) {
        s.lines = r.axis == GF_AXIS_ALL ? 1 : r.axis == GF_AXIS_ROWS ? view->height : view->width;
        s.channels = 1;
        s.span = s.columns ? GF_TREE_ROWS : GF_TREE_CHUNK;
        s.chunks = gf_divide_up(s.n, s.span);
        s.by_block = false;
        s.blocks = 0;
    }
    enum gf_status status = gf_cuda_throttle(call->exec, call->job, gf_view_bytes(view), err);
    if (status == GF_OK && may_overflow(&r))
        status = gf_cuda_fault_word(call, gf_reduce_overflow, &s.fault, err);
    if (status == GF_OK && call->coefs[1])
        return gf_cuda_reduce_segments(call, &s, err);
    for (uint32_t i = 0; i < call->step->op->n_inputs && status == GF_OK; i++)
        if (call->image[i])
            status = gf_cuda_require_rows(call, call->image[i], call->image[i]->view.height, err);
    if (status == GF_OK)
        status = take_workspace(call, &s, compose ? view->channels : gf_partial_words(s.kept), &workspace, err);
    if (status == GF_OK)
        status = gf_cuda_status(compose ? gf_cuda_compose_launch(view->dtype, &s, call->exec->main)
                                        : run_passes(&s, view->dtype, launch, call->exec->main),
                                "reducing", err);
    gf_cuda_free(call->exec, workspace);
    return status;
}

enum gf_status gf_cuda_reduce_step(struct gf_cuda_call *call, gf_cuda_reduce_fn *launch, struct gf_error *err)
{
    if (gf_operator_is_used(call->step->op, &call->step->params))
        return gf_cuda_operator_reduce(call, err);
    struct gf_cuda_image moved[2];
    struct gf_cuda_image *const given[2] = {call->image[0], call->image[1]};
    enum gf_status status = level_pitches(call, moved, err);
    if (status == GF_OK)
        status = reduce_level(call, launch, err);
    for (uint32_t i = 0; i < 2; i++) {
        if (call->image[i] != given[i])
            gf_cuda_free(call->exec, moved[i].data);
        call->image[i] = given[i];
    }
    return status;
}

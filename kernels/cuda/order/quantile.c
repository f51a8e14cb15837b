/* SPDX-License-Identifier: MIT */
/*
 * quantile on CUDA: a block for each short line; all blocks for each long line, one line after the other. Called
 * through the table of ops.
 */
#include "quantile.h"

#include <string.h>

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/segments.h"
#include "kernels/shared/segments.h"
#include "protocol/ops/params/quantile.h"

struct lines {
    struct gf_cuda_call *call;
    struct gf_cuda_quantile a;
    const struct gf_buf *segments; /* NULL: none */
    uint64_t n;
};

static struct lines lines_of(struct gf_cuda_call *call)
{
    const struct gf_quantile_params p = gf_quantile_params_get(&call->step->params);
    const struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    const struct gf_view *v = &in->view;
    struct lines l = {.call = call, .segments = call->coefs[1], .n = 1};
    l.a = (struct gf_cuda_quantile){.src = in->data,
                                    .pitch = (size_t)v->pitch,
                                    .width = v->width,
                                    .height = v->height,
                                    .channels = v->channels,
                                    .dtype = v->dtype,
                                    .size = (uint32_t)gf_dtype_size(v->dtype),
                                    .axis = p.axis,
                                    .method = p.method,
                                    .nan = p.nan,
                                    .n_q = p.q.n,
                                    .out = out->data,
                                    .out_pitch = (size_t)out->view.pitch};
    memcpy(l.a.q, p.q.v, sizeof(l.a.q));
    if (p.axis == GF_AXIS_ALL && v->pitch == gf_view_row_bytes(v)) {
        l.a.width *= l.a.height;
        l.a.height = 1;
    }
    if (l.segments != NULL)
        l.n = l.segments->view.width - 1;
    else if (p.axis != GF_AXIS_ALL)
        l.n = p.axis == GF_AXIS_ROWS ? v->height : v->width;
    return l;
}

static uint64_t elements_of(const struct lines *l, uint64_t line)
{
    if (l->segments != NULL)
        return gf_segments_at(l->segments, line + 1) - gf_segments_at(l->segments, line);
    return l->a.axis == GF_AXIS_ROWS ? l->a.width : l->a.axis == GF_AXIS_COLS ? l->a.height : l->a.width * l->a.height;
}

static uint64_t first_of(const struct lines *l, uint64_t line)
{
    if (l->segments != NULL)
        return gf_segments_at(l->segments, line);
    return l->a.axis == GF_AXIS_ROWS ? line * l->a.width : line;
}

/* Finds the quantiles of short lines, in enough launches for the host to check for a stop in between. */
static enum gf_status find_short(struct lines *l, struct gf_error *err)
{
    const uint64_t pixel = (uint64_t)l->a.channels * l->a.size;
    enum gf_status status = GF_OK;
    for (uint64_t first = 0, end = 0; first < l->n && status == GF_OK; first = end) {
        uint64_t bytes = 0;
        bool any = false;
        for (; end < l->n && (end == first || bytes < GF_CUDA_WORK_UNIT_BYTES); end++) {
            const uint64_t elements = elements_of(l, end);
            any = any || elements <= GF_CUDA_FEW_ELEMENTS;
            bytes += elements <= GF_CUDA_FEW_ELEMENTS ? elements * pixel : 0;
        }
        if (!any)
            continue;
        status = gf_cuda_throttle(l->call->exec, l->call->job, bytes, err);
        if (status == GF_OK)
            status = gf_cuda_status(gf_cuda_quantile_short(&l->a, first, end, l->call->exec->main),
                                    "starting to look for ranks", err);
    }
    return status;
}

static enum gf_status find_long(struct lines *l, struct gf_cuda_rank_pass pass, size_t bytes, struct gf_error *err)
{
    const uint64_t pixel = (uint64_t)l->a.channels * l->a.size, unit = GF_CUDA_WORK_UNIT_BYTES / pixel;
    const uint32_t most = pass.digit_bits;
    enum gf_status status =
        gf_cuda_status(cudaMemsetAsync(pass.searches, 0, bytes, l->call->exec->main), "clearing counters", err);
    for (pass.left = 8 * l->a.size; pass.left > 0 && status == GF_OK; pass.left -= pass.digit_bits) {
        pass.digit_bits = pass.left < most ? pass.left : most;
        for (uint64_t begin = 0; begin < pass.elements && status == GF_OK; begin += unit) {
            const uint64_t end = pass.elements - begin < unit ? pass.elements : begin + unit;
            status = gf_cuda_throttle(l->call->exec, l->call->job, (end - begin) * pixel, err);
            if (status == GF_OK)
                status = gf_cuda_status(gf_cuda_quantile_count(&l->a, &pass, begin, end, l->call->exec->main),
                                        "starting to count digits", err);
        }
        if (status == GF_OK)
            status = gf_cuda_status(gf_cuda_quantile_take(&l->a, &pass, l->call->exec->main), "starting to find digits",
                                    err);
    }
    return status;
}

/* Finds the quantiles of the long lines, one after the other, in the same memory. */
static enum gf_status find_all_long(struct lines *l, struct gf_error *err)
{
    const bool between = l->a.method == GF_QUANTILE_LINEAR || l->a.method == GF_QUANTILE_MIDPOINT;
    const uint32_t ranks = (between ? 2 : 1) * l->a.n_q;
    struct gf_cuda_rank_pass pass = {.ranks = ranks};
    enum gf_status status = GF_OK;
    size_t searches = 0, bytes = 0;
    for (uint64_t line = 0; line < l->n && status == GF_OK; line++) {
        pass.index = line;
        pass.first = first_of(l, line);
        pass.elements = elements_of(l, line);
        if (pass.elements <= GF_CUDA_FEW_ELEMENTS)
            continue;
        if (pass.searches == NULL) {
            void *data = NULL;
            gf_cuda_quantile_layout(ranks, l->a.channels, &pass.digit_bits, &pass.planes);
            searches = l->a.channels * sizeof(*pass.searches);
            bytes = searches + ((size_t)l->a.channels * ranks << pass.digit_bits) * sizeof(*pass.counts);
            status = gf_cuda_alloc(l->call->exec, bytes, &data, err);
            if (status != GF_OK)
                return status;
            pass.searches = data;
            pass.counts = (void *)((char *)data + searches);
        }
        status = find_long(l, pass, bytes, err);
    }
    gf_cuda_free(l->call->exec, pass.searches);
    return status;
}

enum gf_status gf_cuda_quantile(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_view *v = &call->image[0]->view;
    struct lines l = lines_of(call);
    struct gf_cuda_segments segments = {0};
    const struct gf_cuda_segment_rules rules = {
        .elements = v->width * v->height, .min_length = GF_MAX_ELEMENTS, .block = 1}; /* no blocks */
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], v->height, err);
    if (status == GF_OK && l.segments != NULL)
        status = gf_cuda_segments_cut(call, &rules, &segments, err);
    l.a.offsets = segments.offsets;
    if (status == GF_OK)
        status = find_short(&l, err);
    if (status == GF_OK)
        status = find_all_long(&l, err);
    gf_cuda_segments_free(call, &segments);
    return status;
}

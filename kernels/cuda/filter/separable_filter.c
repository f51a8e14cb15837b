/* SPDX-License-Identifier: MIT */
/*
 * Filters of two passes on CUDA: row chunk by row chunk where rows come and go over the link, else pass by pass, so
 * that row chunks need nothing of each other. Called by linear_filter.c.
 */
#include <math.h>

#include "filter_chunks.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "protocol/ops/enums.h"

/* Bytes of a row of f32 sums. */
static size_t float_pitch(const struct gf_cuda_target *dst)
{
    return ((size_t)dst->samples * sizeof(float) + GF_CUDA_ALIGN - 1) / GF_CUDA_ALIGN * GF_CUDA_ALIGN;
}

/* One separable filter on its way: rows and columns, and where they go. */
struct filter {
    struct gf_cuda_separable sep;
    struct gf_cuda_target dst;
    float *taps_x, *taps_y; /* device, as the rows of sep */
};

/* One pass of a filter over all its row chunks: rows of the source, or columns. */
static enum gf_status start_pass(struct gf_cuda_call *call, const struct gf_filter *f,
                                 const struct gf_cuda_row_chunks *row_chunks, const struct gf_cuda_source *src,
                                 const struct filter *filter, bool columns, struct gf_cuda_stream_pair *streams,
                                 struct gf_error *err)
{
    const struct gf_cuda_row_chunk none = {0, 0};
    int32_t height = filter->dst.height;
    enum gf_status status = GF_OK;
    for (int32_t first = 0; first < height && status == GF_OK;) {
        const struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_next(row_chunks, first);
        const struct gf_cuda_row_chunk rows = {first, row_chunk.end < height ? row_chunk.end : src->height};
        status = gf_cuda_filter_begin(call, f, row_chunk, err);
        if (status == GF_OK)
            status =
                gf_cuda_status(gf_cuda_separable_launch(src, &filter->dst, &filter->sep, columns ? none : rows,
                                                        columns ? row_chunk : none, gf_cuda_stream_pair_next(streams)),
                               "starting a blur", err);
        first = row_chunk.end;
    }
    return gf_cuda_filter_join(streams, status, err);
}

/* Whole passes one after the other, each in row chunks in two streams. False in *ret_started where row chunks go one by
 * one. */
static enum gf_status start_passes(struct gf_cuda_call *call, const struct gf_filter *f,
                                   const struct gf_cuda_row_chunks *row_chunks, const struct gf_cuda_source *src,
                                   const struct filter *filters, uint32_t n_filters, bool *ret_started,
                                   struct gf_error *err)
{
    struct gf_cuda_stream_pair streams;
    enum gf_status status = gf_cuda_filter_streams(call, row_chunks, &streams, err);
    *ret_started = streams.two;
    for (uint32_t i = 0; i < 2 * n_filters && streams.two && status == GF_OK; i++) {
        bool columns = i % 2 != 0;
        if (columns ||
            !gf_cuda_separable_is_fused(src, &filters[i / 2].sep)) /* else the columns' pass is all there is */
            status = start_pass(call, f, row_chunks, src, &filters[i / 2], columns, &streams, err);
    }
    return status;
}

/* All passes row chunk by row chunk: the rows that are new, then the columns that these complete. */
static enum gf_status start_chunks(struct gf_cuda_call *call, const struct gf_filter *f,
                                   const struct gf_cuda_source *src, const struct filter *filters, uint32_t n_filters,
                                   struct gf_error *err)
{
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_filter_chunks(call, f);
    int32_t height = filters[0].dst.height;
    struct gf_cuda_row_chunk fresh = {0, 0};
    bool started;
    enum gf_status status = start_passes(call, f, &row_chunks, src, filters, n_filters, &started, err);
    for (int32_t first = 0; first < height && status == GF_OK && !started;) {
        struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_next(&row_chunks, first);
        fresh = (struct gf_cuda_row_chunk){fresh.end, (int32_t)gf_cuda_filter_rows(call, f, (uint64_t)row_chunk.end)};
        status = gf_cuda_filter_begin(call, f, row_chunk, err);
        for (uint32_t i = 0; i < n_filters && status == GF_OK; i++)
            status = gf_cuda_status(
                gf_cuda_separable_launch(src, &filters[i].dst, &filters[i].sep, fresh, row_chunk, call->exec->main),
                "starting a blur", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)row_chunk.end, err);
        first = row_chunk.end;
    }
    return status;
}

/* Rows of x, then columns of y, as many as the filter has per axis. What is taken here, filter_give gives back. */
static enum gf_status filter_take(struct gf_cuda_call *call, const struct gf_filter *f,
                                  const struct gf_cuda_source *src, const float *x, const float *y,
                                  struct filter *filter, struct gf_error *err)
{
    struct gf_cuda_separable *sep = &filter->sep;
    sep->n_x = (int32_t)f->width;
    sep->n_y = (int32_t)f->height;
    sep->anchor_x = (int32_t)f->anchor_x;
    sep->anchor_y = (int32_t)f->anchor_y;
    for (int32_t c = 0; c < src->channels; c++)
        for (uint32_t i = 0; i < f->width; i++)
            sep->rows_outside[c] = fmaf(src->outside[c], x[i], sep->rows_outside[c]);
    sep->rows_pitch = float_pitch(&filter->dst);

    sep->host_x = x;
    sep->host_y = y;
    if (gf_cuda_separable_is_fused(src, sep))
        return GF_OK;
    void *rows = NULL;
    enum gf_status status = gf_cuda_filter_upload(call->exec, x, f->width, &filter->taps_x, err);
    if (status == GF_OK)
        status = gf_cuda_filter_upload(call->exec, y, f->height, &filter->taps_y, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->exec, sep->rows_pitch * (size_t)src->height, &rows, err);
    sep->taps_x = filter->taps_x;
    sep->taps_y = filter->taps_y;
    sep->rows = rows;
    return status;
}

static void filter_give(struct gf_exec *exec, struct filter *filter)
{
    gf_cuda_give(exec, filter->sep.rows);
    gf_cuda_give(exec, filter->taps_y);
    gf_cuda_give(exec, filter->taps_x);
}

static enum gf_status start_separable(struct gf_cuda_call *call, const struct gf_filter *f,
                                      const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                      struct gf_error *err)
{
    struct filter filter = {.dst = *dst,
                            .sep.after = {.what = f->after, .amount = f->amount, .threshold = f->threshold}};
    enum gf_status status = filter_take(call, f, src, f->taps_x, f->taps_y, &filter, err);
    if (status == GF_OK)
        status = start_chunks(call, f, src, &filter, 1, err);
    filter_give(call->exec, &filter);
    return status;
}

/* Two filters added: the sums of the first one wait on the device in f32. */
static enum gf_status start_sum(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct filter filters[2] = {{.dst = *dst}, {.dst = *dst}};
    void *sums = NULL;
    size_t pitch = float_pitch(dst);
    /* x * 1 + -0 is x, for both zeros. */
    filters[0].dst = (struct gf_cuda_target){.pitch = pitch,
                                             .samples = dst->samples,
                                             .height = dst->height,
                                             .dtype = GF_F32,
                                             .scale = 1.0f,
                                             .offset = -0.0f,
                                             .alpha = GF_ALPHA_STRAIGHT};
    enum gf_status status = gf_cuda_take(call->exec, pitch * (size_t)dst->height, &sums, err);
    if (status == GF_OK)
        status = filter_take(call, f, src, f->taps_x, f->taps_y, &filters[0], err);
    if (status == GF_OK)
        status = filter_take(call, f, src, f->second_x, f->second_y, &filters[1], err);
    if (status == GF_OK) {
        filters[0].dst.data = sums;
        filters[1].sep.after = (struct gf_cuda_after){.what = GF_AFTER_SUM, .add = sums, .add_pitch = pitch};
        status = start_chunks(call, f, src, filters, 2, err);
    }
    filter_give(call->exec, &filters[1]);
    filter_give(call->exec, &filters[0]);
    gf_cuda_give(call->exec, sums);
    return status;
}

enum gf_status gf_cuda_separable_filter(struct gf_cuda_call *call, const struct gf_filter *f,
                                        const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                        struct gf_error *err)
{
    return f->after == GF_AFTER_SUM ? start_sum(call, f, src, dst, err) : start_separable(call, f, src, dst, err);
}

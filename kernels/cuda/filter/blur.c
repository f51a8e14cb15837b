/* SPDX-License-Identifier: MIT */
/*
 * Filters of two passes on CUDA: band by band where rows come and go over the link, else pass by pass, so that bands
 * need nothing of each other. Called by linear_filter.c.
 */
#include <math.h>

#include "filter_bands.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "protocol/ops/enums.h"

/* Bytes of a row of f32 sums. */
static size_t float_pitch(const struct gf_cuda_target *dst)
{
    return ((size_t)dst->samples * sizeof(float) + GF_CUDA_ALIGN - 1) / GF_CUDA_ALIGN * GF_CUDA_ALIGN;
}

/* One separable filter on its way: rows and columns, and where they go. */
struct blur {
    struct gf_cuda_separable sep;
    struct gf_cuda_target dst;
    float *taps_x, *taps_y; /* device, as the rows of sep */
};

/* One pass of a filter over all its bands: rows of the source, or columns. */
static enum gf_status start_pass(struct gf_cuda_call *call, const struct gf_filter *f,
                                 const struct gf_cuda_bands *bands, const struct gf_cuda_source *src,
                                 const struct blur *blur, bool columns, struct gf_cuda_turns *turns,
                                 struct gf_error *err)
{
    const struct gf_cuda_band none = {0, 0};
    int32_t height = blur->dst.height;
    enum gf_status status = GF_OK;
    for (int32_t first = 0; first < height && status == GF_OK;) {
        const struct gf_cuda_band band = gf_cuda_filter_next(bands, first);
        const struct gf_cuda_band rows = {first, band.end < height ? band.end : src->height};
        status = gf_cuda_filter_begin(call, f, band, err);
        if (status == GF_OK)
            status = gf_cuda_status(gf_cuda_separable_launch(src, &blur->dst, &blur->sep, columns ? none : rows,
                                                             columns ? band : none, gf_cuda_turns_next(turns)),
                                    "starting a blur", err);
        first = band.end;
    }
    return gf_cuda_filter_join(turns, status, err);
}

/* Whole passes one after the other, each in bands in two streams. False in *ret_started where bands go one by one. */
static enum gf_status start_passes(struct gf_cuda_call *call, const struct gf_filter *f,
                                   const struct gf_cuda_bands *bands, const struct gf_cuda_source *src,
                                   const struct blur *blurs, uint32_t n_blurs, bool *ret_started, struct gf_error *err)
{
    struct gf_cuda_turns turns;
    enum gf_status status = gf_cuda_filter_turns(call, bands, &turns, err);
    *ret_started = turns.two;
    for (uint32_t i = 0; i < 2 * n_blurs && turns.two && status == GF_OK; i++) {
        bool columns = i % 2 != 0;
        if (columns ||
            !gf_cuda_separable_in_strips(src, &blurs[i / 2].sep)) /* else the columns' pass is all there is */
            status = start_pass(call, f, bands, src, &blurs[i / 2], columns, &turns, err);
    }
    return status;
}

/* All passes band by band: the rows that are new, then the columns that these complete. */
static enum gf_status start_blur_bands(struct gf_cuda_call *call, const struct gf_filter *f,
                                       const struct gf_cuda_source *src, const struct blur *blurs, uint32_t n_blurs,
                                       struct gf_error *err)
{
    const struct gf_cuda_bands bands = gf_cuda_filter_bands(call, f);
    int32_t height = blurs[0].dst.height;
    struct gf_cuda_band fresh = {0, 0};
    bool started;
    enum gf_status status = start_passes(call, f, &bands, src, blurs, n_blurs, &started, err);
    for (int32_t first = 0; first < height && status == GF_OK && !started;) {
        struct gf_cuda_band band = gf_cuda_filter_next(&bands, first);
        fresh = (struct gf_cuda_band){fresh.end, (int32_t)gf_cuda_filter_rows(call, f, (uint64_t)band.end)};
        status = gf_cuda_filter_begin(call, f, band, err);
        for (uint32_t i = 0; i < n_blurs && status == GF_OK; i++)
            status = gf_cuda_status(
                gf_cuda_separable_launch(src, &blurs[i].dst, &blurs[i].sep, fresh, band, call->lane->main),
                "starting a blur", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)band.end, err);
        first = band.end;
    }
    return status;
}

/* Rows of x, then columns of y, as many as the filter has per axis. What is taken here, blur_give gives back. */
static enum gf_status blur_take(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                const float *x, const float *y, struct blur *blur, struct gf_error *err)
{
    struct gf_cuda_separable *sep = &blur->sep;
    sep->n_x = (int32_t)f->width;
    sep->n_y = (int32_t)f->height;
    sep->anchor_x = (int32_t)f->anchor_x;
    sep->anchor_y = (int32_t)f->anchor_y;
    for (int32_t c = 0; c < src->channels; c++)
        for (uint32_t i = 0; i < f->width; i++)
            sep->rows_outside[c] = fmaf(src->outside[c], x[i], sep->rows_outside[c]);
    sep->rows_pitch = float_pitch(&blur->dst);

    sep->host_x = x;
    sep->host_y = y;
    if (gf_cuda_separable_in_strips(src, sep))
        return GF_OK;
    void *rows = NULL;
    enum gf_status status = gf_cuda_filter_upload(call->lane, x, f->width, &blur->taps_x, err);
    if (status == GF_OK)
        status = gf_cuda_filter_upload(call->lane, y, f->height, &blur->taps_y, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->lane, sep->rows_pitch * (size_t)src->height, &rows, err);
    sep->taps_x = blur->taps_x;
    sep->taps_y = blur->taps_y;
    sep->rows = rows;
    return status;
}

static void blur_give(struct gf_lane *lane, struct blur *blur)
{
    gf_cuda_give(lane, blur->sep.rows);
    gf_cuda_give(lane, blur->taps_y);
    gf_cuda_give(lane, blur->taps_x);
}

static enum gf_status start_separable(struct gf_cuda_call *call, const struct gf_filter *f,
                                      const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                      struct gf_error *err)
{
    struct blur blur = {.dst = *dst, .sep.after = {.what = f->after, .amount = f->amount, .threshold = f->threshold}};
    enum gf_status status = blur_take(call, f, src, f->taps_x, f->taps_y, &blur, err);
    if (status == GF_OK)
        status = start_blur_bands(call, f, src, &blur, 1, err);
    blur_give(call->lane, &blur);
    return status;
}

/* Two filters added: the sums of the first one wait on the device in f32. */
static enum gf_status start_sum(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct blur blurs[2] = {{.dst = *dst}, {.dst = *dst}};
    void *sums = NULL;
    size_t pitch = float_pitch(dst);
    /* x * 1 + -0 is x, for both zeros. */
    blurs[0].dst = (struct gf_cuda_target){.pitch = pitch,
                                           .samples = dst->samples,
                                           .height = dst->height,
                                           .dtype = GF_F32,
                                           .scale = 1.0f,
                                           .offset = -0.0f,
                                           .alpha = GF_ALPHA_STRAIGHT};
    enum gf_status status = gf_cuda_take(call->lane, pitch * (size_t)dst->height, &sums, err);
    if (status == GF_OK)
        status = blur_take(call, f, src, f->taps_x, f->taps_y, &blurs[0], err);
    if (status == GF_OK)
        status = blur_take(call, f, src, f->second_x, f->second_y, &blurs[1], err);
    if (status == GF_OK) {
        blurs[0].dst.data = sums;
        blurs[1].sep.after = (struct gf_cuda_after){.what = GF_AFTER_SUM, .add = sums, .add_pitch = pitch};
        status = start_blur_bands(call, f, src, blurs, 2, err);
    }
    blur_give(call->lane, &blurs[1]);
    blur_give(call->lane, &blurs[0]);
    gf_cuda_give(call->lane, sums);
    return status;
}

enum gf_status gf_cuda_blur(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                            const struct gf_cuda_target *dst, struct gf_error *err)
{
    return f->after == GF_AFTER_SUM ? start_sum(call, f, src, dst, err) : start_separable(call, f, src, dst, err);
}

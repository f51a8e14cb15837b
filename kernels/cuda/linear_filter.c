/* SPDX-License-Identifier: MIT */
/*
 * Linear filters and the named ones made of them on CUDA: from the filter that kernels/filter.c worked out to launches
 * of mask.cu, stencil.cu, separable.cu and box.cu. Called by the file of each op.
 */
#include <math.h>
#include <string.h>

#include "bands.h"
#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "filter_args.h"
#include "kernels/filter.h"
#include "protocol/enums.h"

/* Rows of a band fill whole blocks of threads. */
#define BAND_ROWS 64u
/* Bands of a box are so many windows high at least. */
#define BOX_BAND 4u

/* The constant border as the filter reads it: decoded, then premultiplied. */
static void set_outside(const struct gf_filter *f, struct gf_cuda_source *src)
{
    uint32_t channels = (uint32_t)src->channels;
    for (uint32_t c = 0; c < channels && f->border == GF_BORDER_CONSTANT; c++) {
        float v = f->border_value[c];
        if (!gf_is_alpha(channels, c)) {
            if (f->linear)
                v = gf_light_tables((uint32_t)gf_sample_max(src->dtype)).decode[(uint32_t)v];
            if (f->alpha == GF_ALPHA_PREMULTIPLIED)
                v = v * f->border_value[channels - 1];
        }
        src->outside[c] = v;
    }
}

static void set_source(const struct gf_cuda_call *call, const struct gf_filter *f, struct gf_cuda_source *src)
{
    const struct gf_cuda_image *image = call->image[0];
    const struct gf_device *device = call->lane->device;
    *src = (struct gf_cuda_source){.data = image->data,
                                   .pitch = (size_t)image->view.pitch,
                                   .width = (int32_t)image->view.width,
                                   .height = (int32_t)image->view.height,
                                   .channels = (int32_t)image->view.channels,
                                   .dtype = image->view.dtype,
                                   .border = f->border,
                                   .premultiply = f->alpha == GF_ALPHA_PREMULTIPLIED};
    if (f->linear)
        src->decode = image->view.dtype == GF_U8 ? device->light_u8.decode : device->light_u16.decode;
    set_outside(f, src);
}

static void set_target(const struct gf_cuda_call *call, const struct gf_filter *f, struct gf_cuda_target *dst)
{
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    const struct gf_device *device = call->lane->device;
    int32_t channels = (int32_t)out->view.channels;
    *dst = (struct gf_cuda_target){.data = out->data,
                                   .pitch = (size_t)out->view.pitch,
                                   .samples = (int32_t)out->view.width * channels,
                                   .height = (int32_t)out->view.height,
                                   .dtype = out->view.dtype,
                                   .scale = f->scale,
                                   .offset = f->offset,
                                   .alpha_period = channels % 2 == 0 ? channels : 0,
                                   .alpha = f->alpha,
                                   .alpha_max = gf_sample_max(out->view.dtype),
                                   .copy_data = image->data,
                                   .copy_pitch = (size_t)image->view.pitch,
                                   .copy_dtype = image->view.dtype};
    /* size=valid: output (0, 0) lies under the anchor. Views of the same size have the same origin. */
    if (out->view.width != image->view.width)
        dst->copy_dx = (int32_t)f->anchor_x * channels;
    if (out->view.height != image->view.height)
        dst->copy_dy = (int32_t)f->anchor_y;
    if (f->linear) {
        dst->encode = out->view.dtype == GF_U8 ? device->light_u8.encode : device->light_u16.encode;
        dst->encode_max = (int32_t)gf_sample_max(out->view.dtype);
    }
}

/* Memory on the device with a copy of host values. */
static enum gf_status upload_values(struct gf_lane *lane, const float *values, size_t n, float **ret_data,
                                    struct gf_error *err)
{
    void *data = NULL;
    enum gf_status status = gf_cuda_take(lane, n * sizeof(*values), &data, err);
    if (status != GF_OK)
        return status;
    status = gf_cuda_status(cudaMemcpyAsync(data, values, n * sizeof(*values), cudaMemcpyHostToDevice, lane->main),
                            "copying coefficients", err);
    if (status != GF_OK)
        gf_cuda_give(lane, data);
    else
        *ret_data = data;
    return status;
}

static struct gf_cuda_bands bands_of(const struct gf_cuda_call *call)
{
    return gf_cuda_bands(call, gf_view_bytes(&call->out[0].view), BAND_ROWS);
}

/* The rows from the top that a filter reads for the results up to row `end`. A border turned in at the top reads no
 * further in than the window itself. */
static uint64_t rows_read(const struct gf_cuda_call *call, const struct gf_filter *f, uint64_t end)
{
    uint64_t height = call->image[0]->view.height;
    return f->border == GF_BORDER_WRAP || height - end <= f->height ? height : end + f->height;
}

/* Before a band is started: what it reads has been asked for, and the job may go on. */
static enum gf_status begin_band(struct gf_cuda_call *call, const struct gf_filter *f, struct gf_cuda_band band,
                                 struct gf_error *err)
{
    const struct gf_view *out = &call->out[0].view;
    uint64_t bytes = gf_view_row_bytes(out) * (uint64_t)(band.end - band.first);
    enum gf_status status = gf_cuda_go_on(call->lane, call->job, bytes, err);
    return status == GF_OK ? gf_cuda_need(call, call->image[0], rows_read(call, f, (uint64_t)band.end), err) : status;
}

/* The band after one that ends at row `first`. */
static struct gf_cuda_band next_band(const struct gf_cuda_bands *bands, int32_t first)
{
    return (struct gf_cuda_band){first, (int32_t)gf_cuda_band_end(bands, (uint64_t)first)};
}

static struct gf_cuda_chain chain_of(const struct gf_stencil *stencil)
{
    struct gf_cuda_chain chain = {0};
    for (uint32_t i = 0; i < stencil->n; i++) {
        chain.present |= 1u << stencil->place[i];
        chain.weight[stencil->place[i]] = stencil->weight[i];
    }
    return chain;
}

/* Launches band after band, each as soon as the rows that it reads have been asked for. */
static enum gf_status start_mask(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                 const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct gf_cuda_mask mask = {.width = (int32_t)f->width, .height = (int32_t)f->height, .coefs = f->coefs};
    mask.shift_x = dst->samples == src->width * src->channels ? -(int32_t)f->anchor_x : 0;
    mask.shift_y = dst->height == src->height ? -(int32_t)f->anchor_y : 0;
    const struct gf_cuda_chain chains[2] = {chain_of(&f->stencils[0]), chain_of(&f->stencils[1])};
    float *coefs = NULL;
    enum gf_status status = GF_OK;
    if (f->kind == GF_FILTER_MASK && !gf_cuda_mask_in_launch(&mask)) {
        status = upload_values(call->lane, f->coefs, (size_t)f->width * f->height, &coefs, err);
        mask.device_coefs = coefs;
    }
    struct gf_cuda_bands bands = bands_of(call);
    for (int32_t first = 0; first < dst->height && status == GF_OK;) {
        struct gf_cuda_band band = next_band(&bands, first);
        status = begin_band(call, f, band, err);
        if (status == GF_OK && f->kind == GF_FILTER_MASK)
            status =
                gf_cuda_status(gf_cuda_mask_launch(src, dst, &mask, band, call->lane->main), "starting a mask", err);
        else if (status == GF_OK)
            status = gf_cuda_status(gf_cuda_stencil_launch(src, dst, chains, f->n_stencils, band, call->lane->main),
                                    "starting a mask", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)band.end, err);
        first = band.end;
    }
    gf_cuda_give(call->lane, coefs);
    return status;
}

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

/* All passes band by band: the rows that are new, then the columns that these complete. */
static enum gf_status start_blur_bands(struct gf_cuda_call *call, const struct gf_filter *f,
                                       const struct gf_cuda_source *src, const struct blur *blurs, uint32_t n_blurs,
                                       struct gf_error *err)
{
    enum gf_status status = GF_OK;
    struct gf_cuda_bands bands = bands_of(call);
    int32_t height = blurs[0].dst.height;
    struct gf_cuda_band fresh = {0, 0};
    for (int32_t first = 0; first < height && status == GF_OK;) {
        struct gf_cuda_band band = next_band(&bands, first);
        fresh = (struct gf_cuda_band){fresh.end, (int32_t)rows_read(call, f, (uint64_t)band.end)};
        status = begin_band(call, f, band, err);
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
    enum gf_status status = upload_values(call->lane, x, f->width, &blur->taps_x, err);
    if (status == GF_OK)
        status = upload_values(call->lane, y, f->height, &blur->taps_y, err);
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

/* The window sum of a constant by the doubling rule, docs/numerics.md 5. */
static float constant_window(float v, uint32_t n)
{
    float sum = 0.0f;
    bool first = true;
    for (uint32_t bit = 1u << 31; bit > 0; bit >>= 1) {
        if ((n & bit) == 0)
            continue;
        float part = v;
        for (uint32_t m = 1; m < bit; m *= 2)
            part = part + part;
        sum = first ? part : sum + part;
        first = false;
    }
    return sum;
}

/* A border value as an integer sample. Only alpha that is copied may be none, and its sums are not used. */
static uint32_t whole_sample(float v)
{
    return v >= 0.0f && v <= 65535.0f ? (uint32_t)v : 0;
}

/* The source rows that the means of a band look at, as a picture of their own: what the border does at its edges is
 * seen by rows of the band only where they are those of the whole. */
static struct gf_cuda_band box_rows(const struct gf_cuda_box *box, int32_t height, struct gf_cuda_band band)
{
    int32_t first = band.first - box->anchor_y, end = band.end + box->n_y - 1 - box->anchor_y;
    return (struct gf_cuda_band){first > 0 ? first : 0, end < height ? end : height};
}

static cudaError_t launch_box(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                              const struct gf_cuda_box *box, struct gf_cuda_band band, cudaStream_t stream)
{
    struct gf_cuda_band rows = box_rows(box, src->height, band);
    struct gf_cuda_source from = *src;
    struct gf_cuda_target to = *dst;
    from.data = (const char *)src->data + (size_t)rows.first * src->pitch;
    from.height = rows.end - rows.first;
    to.data = (char *)dst->data + (size_t)band.first * dst->pitch;
    to.height = band.end - band.first;
    to.copy_data = (const char *)dst->copy_data + (size_t)band.first * dst->copy_pitch;
    return gf_cuda_box_launch(&from, &to, box, band.first - rows.first, stream);
}

/* Bands are computed apart, with the rows around them twice: worth it where they are few. */
static struct gf_cuda_bands box_bands(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    struct gf_cuda_bands bands = bands_of(call);
    uint64_t least = (uint64_t)f->height * BOX_BAND;
    if (f->border == GF_BORDER_WRAP)
        bands.rows = bands.height;
    if (bands.rows < least)
        bands.rows = least < bands.height ? least : bands.height;
    return bands;
}

static enum gf_status start_box(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct gf_cuda_box box = {.n_x = (int32_t)f->width,
                              .n_y = (int32_t)f->height,
                              .anchor_x = (int32_t)f->anchor_x,
                              .anchor_y = (int32_t)f->anchor_y,
                              .integers = f->integer_exact};
    for (int32_t c = 0; c < src->channels; c++) {
        box.rows_outside[c] = constant_window(src->outside[c], f->width);
        box.outside_int[c] = whole_sample(src->outside[c]);
        box.rows_outside_int[c] = box.outside_int[c] * f->width;
    }
    struct gf_cuda_bands bands = box_bands(call, f);
    uint64_t most = bands.rows + f->height < bands.height ? bands.rows + f->height : bands.height;
    size_t bytes = gf_cuda_box_plane_bytes(src->width, (int32_t)most) * (size_t)src->channels;
    enum gf_status status = gf_cuda_take(call->lane, bytes, &box.planes, err);
    if (status == GF_OK && !gf_cuda_box_has_columns(&box))
        status = gf_cuda_take(call->lane, bytes, &box.turned, err);
    for (int32_t first = 0; first < dst->height && status == GF_OK;) {
        struct gf_cuda_band band = next_band(&bands, first);
        status = begin_band(call, f, band, err);
        if (status == GF_OK)
            status = gf_cuda_status(launch_box(src, dst, &box, band, call->lane->main), "starting a box", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)band.end, err);
        first = band.end;
    }
    gf_cuda_give(call->lane, box.turned);
    gf_cuda_give(call->lane, box.planes);
    return status;
}

enum gf_status gf_cuda_linear_filter(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_filter gf_cleanup(gf_filter_deinit) f = GF_FILTER_NULL;
    enum gf_status status = gf_filter_init(&f, call->step, &call->image[0]->view, call->coefs[1], err);
    if (status != GF_OK)
        return status;
    struct gf_cuda_source src;
    struct gf_cuda_target dst;
    set_source(call, &f, &src);
    set_target(call, &f, &dst);
    if (f.kind == GF_FILTER_MASK || f.kind == GF_FILTER_STENCIL)
        return start_mask(call, &f, &src, &dst, err);
    if (f.kind == GF_FILTER_SEPARABLE && f.after == GF_AFTER_SUM)
        return start_sum(call, &f, &src, &dst, err);
    if (f.kind == GF_FILTER_SEPARABLE)
        return start_separable(call, &f, &src, &dst, err);
    return start_box(call, &f, &src, &dst, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * correlate, convolve, gaussian and box on CUDA: from the filter that kernels/filter.c worked out to launches of
 * mask.cu, separable.cu and box.cu. Called by the file of each op.
 */
#include <math.h>
#include <string.h>

#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "filter_args.h"
#include "kernels/filter.h"
#include "protocol/enums.h"

/* Bytes of a band when copies overlap: large enough for the bus, small enough that little waits for the first one; and
 * so many bands at most. Its rows fill whole blocks of threads. */
#define BAND_BYTES (1024u * 1024u)
#define MAX_BANDS 24u
#define BAND_ROWS 64u

static float largest_sample(uint32_t dtype)
{
    return dtype == GF_U8 ? 255.0f : dtype == GF_U16 ? 65535.0f : 1.0f;
}

static bool is_alpha(uint32_t channels, uint32_t c)
{
    return channels % 2 == 0 && c == channels - 1;
}

/* The constant border as the filter reads it: decoded, then premultiplied. */
static void set_outside(const struct gf_filter *f, struct gf_cuda_source *src)
{
    uint32_t channels = (uint32_t)src->channels;
    for (uint32_t c = 0; c < channels && f->border == GF_BORDER_CONSTANT; c++) {
        float v = f->border_value[c];
        if (!is_alpha(channels, c)) {
            if (f->linear)
                v = gf_light_tables((uint32_t)largest_sample(src->dtype)).decode[(uint32_t)v];
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
                                   .alpha_max = largest_sample(out->view.dtype),
                                   .copy_data = image->data,
                                   .copy_pitch = (size_t)image->view.pitch};
    /* size=valid: output (0, 0) lies under the anchor. Views of the same size have the same origin. */
    if (out->view.width != image->view.width)
        dst->copy_dx = (int32_t)f->anchor_x * channels;
    if (out->view.height != image->view.height)
        dst->copy_dy = (int32_t)f->anchor_y;
    if (f->linear) {
        dst->encode = out->view.dtype == GF_U8 ? device->light_u8.encode : device->light_u16.encode;
        dst->encode_max = (int32_t)largest_sample(out->view.dtype);
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

/* How many rows one band has. */
static uint32_t band_rows(const struct gf_cuda_call *call)
{
    const struct gf_view *out = &call->out[0].view;
    uint64_t bytes = gf_view_bytes(out), band = GF_CUDA_PIECE_BYTES;
    if (call->overlap && bytes / MAX_BANDS < band)
        band = bytes / MAX_BANDS > BAND_BYTES ? bytes / MAX_BANDS : BAND_BYTES;
    uint64_t bands = bytes / band;
    if (bands < 2)
        return (uint32_t)out->height;
    return (uint32_t)((out->height + bands - 1) / bands + BAND_ROWS - 1) / BAND_ROWS * BAND_ROWS;
}

/* The rows from the top that a filter reads for the results up to row `end`. A border turned in at the top reads no
 * further in than the window itself. */
static uint32_t rows_read(const struct gf_cuda_call *call, const struct gf_filter *f, uint32_t end)
{
    uint32_t height = (uint32_t)call->image[0]->view.height;
    return f->border == GF_BORDER_WRAP || height - end <= f->height ? height : end + f->height;
}

/* Before a band is started: what it reads has been asked for, and the job may go on. */
static enum gf_status begin_band(struct gf_cuda_call *call, const struct gf_filter *f, struct gf_cuda_band band,
                                 struct gf_error *err)
{
    const struct gf_view *out = &call->out[0].view;
    uint64_t bytes = gf_view_row_bytes(out) * (uint64_t)(band.end - band.first);
    enum gf_status status = gf_cuda_go_on(call->lane, call->job, bytes, err);
    return status == GF_OK ? gf_cuda_need(call, call->image[0], rows_read(call, f, (uint32_t)band.end), err) : status;
}

/* The band after one that ends at row `first`. The first one is half as high: nothing leaves before it is done. */
static struct gf_cuda_band next_band(int32_t first, uint32_t rows, int32_t height)
{
    if (first == 0 && rows < (uint32_t)height && rows > BAND_ROWS)
        rows = (rows / 2 + BAND_ROWS - 1) / BAND_ROWS * BAND_ROWS;
    return (struct gf_cuda_band){first, (uint32_t)(height - first) < rows ? height : first + (int32_t)rows};
}

/* Launches band after band, each as soon as the rows that it reads have been asked for. */
static enum gf_status start_mask(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                 const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct gf_cuda_mask mask = {.width = (int32_t)f->width, .height = (int32_t)f->height, .coefs = f->coefs};
    mask.shift_x = dst->samples == src->width * src->channels ? -(int32_t)f->anchor_x : 0;
    mask.shift_y = dst->height == src->height ? -(int32_t)f->anchor_y : 0;
    float *coefs = NULL;
    enum gf_status status = GF_OK;
    if (!gf_cuda_mask_in_launch(&mask)) {
        status = upload_values(call->lane, f->coefs, (size_t)f->width * f->height, &coefs, err);
        mask.device_coefs = coefs;
    }
    uint32_t rows = band_rows(call);
    for (int32_t first = 0; first < dst->height && status == GF_OK;) {
        struct gf_cuda_band band = next_band(first, rows, dst->height);
        status = begin_band(call, f, band, err);
        if (status == GF_OK)
            status =
                gf_cuda_status(gf_cuda_mask_launch(src, dst, &mask, band, call->lane->main), "starting a mask", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint32_t)band.end, err);
        first = band.end;
    }
    gf_cuda_give(call->lane, coefs);
    return status;
}

/* Both passes band by band: the rows that are new, then the columns that these complete. */
static enum gf_status start_blur_bands(struct gf_cuda_call *call, const struct gf_filter *f,
                                       const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                       const struct gf_cuda_separable *sep, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    uint32_t rows = band_rows(call);
    struct gf_cuda_band fresh = {0, 0};
    for (int32_t first = 0; first < dst->height && status == GF_OK;) {
        struct gf_cuda_band band = next_band(first, rows, dst->height);
        fresh = (struct gf_cuda_band){fresh.end, (int32_t)rows_read(call, f, (uint32_t)band.end)};
        status = begin_band(call, f, band, err);
        if (status == GF_OK)
            status = gf_cuda_status(gf_cuda_separable_launch(src, dst, sep, fresh, band, call->lane->main),
                                    "starting a blur", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint32_t)band.end, err);
        first = band.end;
    }
    return status;
}

static enum gf_status start_separable(struct gf_cuda_call *call, const struct gf_filter *f,
                                      const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                      struct gf_error *err)
{
    struct gf_cuda_separable sep = {.n_x = (int32_t)f->width,
                                    .n_y = (int32_t)f->height,
                                    .anchor_x = (int32_t)f->anchor_x,
                                    .anchor_y = (int32_t)f->anchor_y};
    for (int32_t c = 0; c < src->channels; c++)
        for (uint32_t i = 0; i < f->width; i++)
            sep.rows_outside[c] = fmaf(src->outside[c], f->taps_x[i], sep.rows_outside[c]);
    sep.rows_pitch = ((size_t)dst->samples * sizeof(float) + GF_CUDA_ALIGN - 1) / GF_CUDA_ALIGN * GF_CUDA_ALIGN;

    float *taps_x = NULL, *taps_y = NULL;
    void *rows = NULL;
    enum gf_status status = upload_values(call->lane, f->taps_x, f->width, &taps_x, err);
    if (status == GF_OK)
        status = upload_values(call->lane, f->taps_y, f->height, &taps_y, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->lane, sep.rows_pitch * (size_t)src->height, &rows, err);
    if (status == GF_OK) {
        sep.taps_x = taps_x;
        sep.taps_y = taps_y;
        sep.rows = rows;
        status = start_blur_bands(call, f, src, dst, &sep, err);
    }
    gf_cuda_give(call->lane, rows);
    gf_cuda_give(call->lane, taps_y);
    gf_cuda_give(call->lane, taps_x);
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
    size_t bytes = gf_cuda_box_plane_bytes(src->width, src->height) * (size_t)src->channels;
    enum gf_status status = gf_cuda_take(call->lane, bytes, &box.planes, err);
    if (status == GF_OK)
        status = gf_cuda_take(call->lane, bytes, &box.turned, err);
    struct gf_cuda_band all = {0, dst->height};
    if (status == GF_OK)
        status = begin_band(call, f, all, err);
    if (status == GF_OK)
        status = gf_cuda_status(gf_cuda_box_launch(src, dst, &box, call->lane->main), "starting a box", err);
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
    if (f.kind == GF_FILTER_MASK)
        return start_mask(call, &f, &src, &dst, err);
    if (f.kind == GF_FILTER_SEPARABLE)
        return start_separable(call, &f, &src, &dst, err);
    return start_box(call, &f, &src, &dst, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Linear filters and the named ones made of them on CUDA: from the filter that kernels/shared/filter.c worked out to
 * launches of mask.cu, stencil.cu, separable.cu and box.cu. Called by the file of each op.
 */
#include <math.h>

#include "filter_chunks.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/ops/enums.h"

/* Row chunks of a box are so many windows high at least. */
#define BOX_CHUNK 4u

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
    const struct gf_device *device = call->exec->device;
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
    const struct gf_device *device = call->exec->device;
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

static struct gf_cuda_chain chain_of(const struct gf_stencil *stencil)
{
    struct gf_cuda_chain chain = {0};
    for (uint32_t i = 0; i < stencil->n; i++) {
        chain.present |= 1u << stencil->place[i];
        chain.weight[stencil->place[i]] = stencil->weight[i];
    }
    return chain;
}

/* What the row chunks of a mask are launched with. */
struct masking {
    const struct gf_cuda_source *src;
    const struct gf_cuda_target *dst;
    struct gf_cuda_mask mask;
    struct gf_cuda_chain chains[2];
};

/* Launches row chunk after row chunk, each as soon as the rows that it reads have been asked for, or all in two
 * streams. */
static enum gf_status start_mask_chunks(struct gf_cuda_call *call, const struct gf_filter *f, const struct masking *m,
                                        struct gf_error *err)
{
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_filter_chunks(call, f);
    struct gf_cuda_stream_pair streams;
    enum gf_status status = gf_cuda_filter_streams(call, &row_chunks, &streams, err);
    for (int32_t first = 0; first < m->dst->height && status == GF_OK;) {
        struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_next(&row_chunks, first);
        status = gf_cuda_filter_begin(call, f, row_chunk, err);
        if (status != GF_OK)
            break;
        cudaStream_t stream = gf_cuda_stream_pair_next(&streams);
        cudaError_t error = f->kind == GF_FILTER_MASK
                                ? gf_cuda_mask_launch(m->src, m->dst, &m->mask, row_chunk, stream)
                                : gf_cuda_stencil_launch(m->src, m->dst, m->chains, f->n_stencils, row_chunk, stream);
        status = gf_cuda_status(error, "starting a mask", err);
        if (status == GF_OK && !streams.two)
            status = gf_cuda_made(call, 0, (uint64_t)row_chunk.end, err);
        first = row_chunk.end;
    }
    return gf_cuda_filter_join(&streams, status, err);
}

static enum gf_status start_mask(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                                 const struct gf_cuda_target *dst, struct gf_error *err)
{
    struct masking m = {.src = src,
                        .dst = dst,
                        .mask = {.width = (int32_t)f->width, .height = (int32_t)f->height, .coefs = f->coefs},
                        .chains = {chain_of(&f->stencils[0]), chain_of(&f->stencils[1])}};
    m.mask.shift_x = dst->samples == src->width * src->channels ? -(int32_t)f->anchor_x : 0;
    m.mask.shift_y = dst->height == src->height ? -(int32_t)f->anchor_y : 0;
    float *coefs = NULL;
    enum gf_status status = GF_OK;
    if (f->kind == GF_FILTER_MASK && !gf_cuda_mask_in_launch(&m.mask)) {
        status = gf_cuda_filter_upload(call->exec, f->coefs, (size_t)f->width * f->height, &coefs, err);
        m.mask.device_coefs = coefs;
    }
    if (status == GF_OK)
        status = start_mask_chunks(call, f, &m, err);
    gf_cuda_give(call->exec, coefs);
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
        float sum_of_power = v;
        for (uint32_t m = 1; m < bit; m *= 2)
            sum_of_power = sum_of_power + sum_of_power;
        sum = first ? sum_of_power : sum + sum_of_power;
        first = false;
    }
    return sum;
}

/* A border value as an integer sample. Only alpha that is copied may be none, and its sums are not used. */
static uint32_t integer_sample(float v)
{
    return v >= 0.0f && v <= 65535.0f ? (uint32_t)v : 0;
}

/* The source rows that the means of a row chunk look at, as a picture of their own: what the border does at its edges
 * is seen by rows of the row chunk only where they are those of the whole. */
static struct gf_cuda_row_chunk box_rows(const struct gf_cuda_box *box, int32_t height,
                                         struct gf_cuda_row_chunk row_chunk)
{
    int32_t first = row_chunk.first - box->anchor_y, end = row_chunk.end + box->n_y - 1 - box->anchor_y;
    return (struct gf_cuda_row_chunk){first > 0 ? first : 0, end < height ? end : height};
}

static cudaError_t launch_box(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                              const struct gf_cuda_box *box, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream)
{
    struct gf_cuda_row_chunk rows = box_rows(box, src->height, row_chunk);
    struct gf_cuda_source from = *src;
    struct gf_cuda_target to = *dst;
    from.data = (const char *)src->data + (size_t)rows.first * src->pitch;
    from.height = rows.end - rows.first;
    to.data = (char *)dst->data + (size_t)row_chunk.first * dst->pitch;
    to.height = row_chunk.end - row_chunk.first;
    to.copy_data = (const char *)dst->copy_data + (size_t)row_chunk.first * dst->copy_pitch;
    return gf_cuda_box_launch(&from, &to, box, row_chunk.first - rows.first, stream);
}

/* Row chunks are computed apart, with the rows around them twice: worth it where they are few. */
static struct gf_cuda_row_chunks box_chunks(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    struct gf_cuda_row_chunks row_chunks = gf_cuda_filter_chunks(call, f);
    uint64_t min_rows = (uint64_t)f->height * BOX_CHUNK;
    if (f->border == GF_BORDER_WRAP)
        row_chunks.rows = row_chunks.height;
    if (row_chunks.rows < min_rows)
        row_chunks.rows = min_rows < row_chunks.height ? min_rows : row_chunks.height;
    return row_chunks;
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
        box.outside_int[c] = integer_sample(src->outside[c]);
        box.rows_outside_int[c] = box.outside_int[c] * f->width;
    }
    struct gf_cuda_row_chunks row_chunks = box_chunks(call, f);
    uint64_t max_rows =
        row_chunks.rows + f->height < row_chunks.height ? row_chunks.rows + f->height : row_chunks.height;
    size_t bytes = gf_cuda_box_plane_bytes(src->width, (int32_t)max_rows) * (size_t)src->channels;
    enum gf_status status = gf_cuda_take(call->exec, bytes, &box.planes, err);
    if (status == GF_OK && !gf_cuda_box_has_columns(&box))
        status = gf_cuda_take(call->exec, bytes, &box.transposed, err);
    for (int32_t first = 0; first < dst->height && status == GF_OK;) {
        struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_next(&row_chunks, first);
        status = gf_cuda_filter_begin(call, f, row_chunk, err);
        if (status == GF_OK)
            status = gf_cuda_status(launch_box(src, dst, &box, row_chunk, call->exec->main), "starting a box", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)row_chunk.end, err);
        first = row_chunk.end;
    }
    gf_cuda_give(call->exec, box.transposed);
    gf_cuda_give(call->exec, box.planes);
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
    if (f.kind == GF_FILTER_SEPARABLE)
        return gf_cuda_separable_filter(call, &f, &src, &dst, err);
    return start_box(call, &f, &src, &dst, err);
}

/* SPDX-License-Identifier: MIT */
/* How linear filters are cut into row chunks; see filter_chunks.h. */
#include "filter_chunks.h"

#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "protocol/ops/enums.h"

/* Rows of a row chunk fill whole blocks of threads. */
#define CHUNK_ROWS 64u
/* Masks of more taps than this take longer than the copies, and row chunks must fill the device: samples per
 * multiprocessor.
 */
#define LIGHT_TAPS 225u
#define HEAVY_SAMPLES 65536u
/* What a sample costs beside its taps, in multiplications: in a mask, in two passes, whose taps cost more, in a box in
 * all. */
#define SAMPLE_COST 32.0
#define PASS_COST 80.0
#define PASS_TAP 1.25
#define BOX_COST 128.0

/* What a row of results costs, docs/kernels.md: its taps, and what loading, storing and alpha take as long as. */
static double row_cost(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    const struct gf_view *out = &call->out[0].view;
    double sample = SAMPLE_COST;
    if (f->kind == GF_FILTER_MASK)
        sample += (double)f->width * f->height;
    else if (f->kind == GF_FILTER_STENCIL)
        sample += f->stencils[0].n + (f->n_stencils > 1 ? f->stencils[1].n : 0);
    else if (f->kind == GF_FILTER_SEPARABLE)
        sample = (PASS_COST + PASS_TAP * (f->width + f->height)) * (f->after == GF_AFTER_SUM ? 2 : 1);
    else
        sample = BOX_COST;
    if (f->alpha == GF_ALPHA_PREMULTIPLIED || f->linear)
        sample *= 2;
    return sample * (double)(out->width * out->channels);
}

/* Row chunks of at least so many samples. */
static void heighten(struct gf_cuda_row_chunks *row_chunks, const struct gf_view *out, uint64_t samples)
{
    uint64_t row = out->width * (uint64_t)out->channels;
    uint64_t rows = (samples / row + CHUNK_ROWS) / CHUNK_ROWS * CHUNK_ROWS;
    if (row_chunks->rows < rows)
        row_chunks->rows = rows < row_chunks->height ? rows : row_chunks->height;
}

struct gf_cuda_row_chunks gf_cuda_filter_chunks(const struct gf_cuda_call *call, const struct gf_filter *f)
{
    const struct gf_view *out = &call->out[0].view;
    struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(out), CHUNK_ROWS);
    if (f->kind == GF_FILTER_MASK && (uint64_t)f->width * f->height > LIGHT_TAPS)
        heighten(&row_chunks, out, (uint64_t)call->exec->device->info.units * HEAVY_SAMPLES);
    gf_cuda_row_chunks_limit(&row_chunks, call, row_cost(call, f), out->width * out->channels);
    return row_chunks;
}

uint64_t gf_cuda_filter_rows(const struct gf_cuda_call *call, const struct gf_filter *f, uint64_t end)
{
    uint64_t height = call->image[0]->view.height;
    return f->border == GF_BORDER_WRAP || height - end <= f->height ? height : end + f->height;
}

struct gf_cuda_row_chunk gf_cuda_filter_next(const struct gf_cuda_row_chunks *row_chunks, int32_t first)
{
    return (struct gf_cuda_row_chunk){first, (int32_t)gf_cuda_row_chunk_end(row_chunks, (uint64_t)first)};
}

enum gf_status gf_cuda_filter_begin(struct gf_cuda_call *call, const struct gf_filter *f,
                                    struct gf_cuda_row_chunk row_chunk, struct gf_error *err)
{
    const struct gf_view *out = &call->out[0].view;
    uint64_t rows = (uint64_t)(row_chunk.end - row_chunk.first), bytes = gf_view_row_bytes(out) * rows;
    uint64_t cost = gf_cuda_row_chunk_cost(call, row_cost(call, f), rows);
    enum gf_status status = gf_cuda_go_on(call->exec, call->job, bytes > cost ? bytes : cost, err);
    return status == GF_OK
               ? gf_cuda_need(call, call->image[0], gf_cuda_filter_rows(call, f, (uint64_t)row_chunk.end), err)
               : status;
}

enum gf_status gf_cuda_filter_streams(struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks,
                                      struct gf_cuda_stream_pair *ret_streams, struct gf_error *err)
{
    bool on_device = !call->overlap && row_chunks->rows < row_chunks->height;
    struct gf_cuda_image *image = call->image[0];
    *ret_streams = (struct gf_cuda_stream_pair){.exec = call->exec};
    enum gf_status status = on_device ? gf_cuda_need(call, image, image->view.height, err) : GF_OK;
    return status == GF_OK ? gf_cuda_stream_pair_begin(call, row_chunks, ret_streams, err) : status;
}

enum gf_status gf_cuda_filter_join(struct gf_cuda_stream_pair *streams, enum gf_status status, struct gf_error *err)
{
    struct gf_error own = {0};
    enum gf_status joined = gf_cuda_stream_pair_join(streams, &own);
    if (status == GF_OK && joined != GF_OK)
        *err = own;
    return status == GF_OK ? joined : status;
}

enum gf_status gf_cuda_filter_upload(struct gf_exec *exec, const float *values, size_t n, float **ret_data,
                                     struct gf_error *err)
{
    void *data = NULL;
    enum gf_status status = gf_cuda_take(exec, n * sizeof(*values), &data, err);
    if (status != GF_OK)
        return status;
    status = gf_cuda_status(cudaMemcpyAsync(data, values, n * sizeof(*values), cudaMemcpyHostToDevice, exec->main),
                            "copying coefficients", err);
    if (status != GF_OK)
        gf_cuda_give(exec, data);
    else
        *ret_data = data;
    return status;
}

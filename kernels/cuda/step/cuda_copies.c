/* SPDX-License-Identifier: MIT */
/*
 * Copies of a step's rows between host and device: inputs are uploaded when an op first needs them, outputs are
 * downloaded to the results as soon as an op has made them. Between copies it checks whether the job must stop. Called
 * by the ops and by cuda_run.c.
 */
#include "cuda_copies.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/cuda_wait.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/stop.h"

/* A pitched copy takes pitches just below 2^31 bytes at most. */
#define MAX_COPY_PITCH (1u << 30)
/* Bytes per copy over the link, and the weight of such a byte: the bytes of device memory that take as long. */
#define LINK_BYTES (UINT64_C(32) << 20)
#define LINK_WEIGHT 8u

enum gf_status gf_cuda_throttle(struct gf_exec *exec, const struct gf_job *job, uint64_t bytes, struct gf_error *err)
{
    cudaError_t error = cudaSuccess;
    if (exec->pending > 0 && exec->pending + bytes > GF_CUDA_WORK_UNIT_BYTES) {
        /* At most two work units are in the stream: one runs, one waits behind it. */
        error = cudaEventRecord(exec->unit_ends[exec->last_unit], exec->last);
        exec->last_unit = !exec->last_unit;
        if (error == cudaSuccess)
            error = gf_cuda_wait(exec->unit_ends[exec->last_unit]);
        exec->pending = 0;
    }
    exec->pending += bytes;
    return error == cudaSuccess ? gf_stop_reason(job, err) : gf_cuda_status(error, "waiting for a work unit", err);
}

cudaError_t gf_cuda_copy_rows(char *dst, size_t dst_pitch, const char *src, size_t src_pitch, size_t row, uint64_t rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (rows == 1 || (dst_pitch == row && src_pitch == row))
        return cudaMemcpyAsync(dst, src, row * rows, kind, stream);
    if (dst_pitch <= MAX_COPY_PITCH && src_pitch <= MAX_COPY_PITCH)
        return cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, row, rows, kind, stream);
    cudaError_t error = cudaSuccess;
    for (uint64_t y = 0; y < rows && error == cudaSuccess; y++)
        error = cudaMemcpyAsync(dst + y * dst_pitch, src + y * src_pitch, row, kind, stream);
    return error;
}

cudaError_t gf_cuda_stream_wait(struct gf_exec *exec, cudaStream_t later, cudaStream_t earlier)
{
    cudaError_t error = cudaEventRecord(exec->order, earlier);
    return error == cudaSuccess ? cudaStreamWaitEvent(later, exec->order, 0) : error;
}

/* A copy of rows over the link, cut so that a stop is noticed in between. */
struct link_copy {
    char *dst;
    const char *src;
    size_t dst_pitch, src_pitch, row;
    uint64_t rows;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
};

static enum gf_status copy_over_link(struct gf_cuda_call *call, struct link_copy c, bool counts, struct gf_error *err)
{
    if (c.rows == 1 || (c.dst_pitch == c.row && c.src_pitch == c.row)) {
        c.row *= c.rows;
        c.rows = 1;
    }
    uint64_t row = c.row < LINK_BYTES ? c.row : LINK_BYTES, rows = row > 0 ? LINK_BYTES / row : 1;
    for (uint64_t y = 0; y < c.rows; y += rows) {
        uint64_t n = c.rows - y < rows ? c.rows - y : rows;
        for (size_t x = 0; x < c.row; x += row) {
            size_t size = c.row - x < row ? c.row - x : row;
            enum gf_status status = gf_cuda_throttle(call->exec, call->job, counts ? size * n * LINK_WEIGHT : 0, err);
            if (status == GF_OK)
                status = gf_cuda_status(gf_cuda_copy_rows(c.dst + y * c.dst_pitch + x, c.dst_pitch,
                                                          c.src + y * c.src_pitch + x, c.src_pitch, size, n, c.kind,
                                                          c.stream),
                                        "copying over the link", err);
            if (status != GF_OK)
                return status;
        }
    }
    return GF_OK;
}

/* With overlap, uploads do not count as work: they are in flight no longer than the downloads, which do. */
static enum gf_status upload(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows,
                             struct gf_error *err)
{
    struct gf_exec *exec = call->exec;
    size_t pitch = (size_t)image->view.pitch, host_pitch = (size_t)image->host->view.pitch;
    struct link_copy c = {.dst = (char *)image->data + image->rows * pitch,
                          .src = (const char *)image->host->data + image->rows * host_pitch,
                          .dst_pitch = pitch,
                          .src_pitch = host_pitch,
                          .row = (size_t)gf_view_row_bytes(&image->view),
                          .rows = rows - image->rows,
                          .kind = image->host_mapped ? cudaMemcpyDefault : cudaMemcpyHostToDevice,
                          .stream = call->overlap ? exec->in : exec->main};
    enum gf_status status =
        gf_cuda_status(gf_cuda_clock_enter(&exec->clock, GF_CUDA_COPY_IN, c.stream), "timing a copy", err);
    if (status == GF_OK)
        status = copy_over_link(call, c, !call->overlap, err);
    if (status == GF_OK)
        status = gf_cuda_status(gf_cuda_clock_leave(&exec->clock, GF_CUDA_COPY_IN), "timing a copy", err);
    if (status == GF_OK && call->overlap)
        status = gf_cuda_status(gf_cuda_stream_wait(exec, exec->main, c.stream), "ordering streams", err);
    image->rows = rows;
    return status;
}

enum gf_status gf_cuda_require_rows(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows,
                                    struct gf_error *err)
{
    enum gf_status status = GF_OK;
    if (image->host && image->rows < rows)
        status = upload(call, image, rows, err);
    if (status != GF_OK)
        return status;
    return gf_cuda_status(gf_cuda_clock_enter(&call->exec->clock, GF_CUDA_KERNEL, call->exec->main), "timing a kernel",
                          err);
}

enum gf_status gf_cuda_require_all(struct gf_cuda_call *call, struct gf_cuda_image *image, struct gf_error *err)
{
    enum gf_status status = gf_cuda_require_rows(call, image, image->view.height, err);
    return status == GF_OK ? gf_cuda_throttle(call->exec, call->job, gf_view_bytes(&image->view), err) : status;
}

/* Copies the rows before `rows` of an output to a result, as far as the result stores them. */
static enum gf_status download(struct gf_cuda_call *call, const struct gf_cuda_image *image, uint32_t index,
                               uint64_t rows, struct gf_error *err)
{
    struct gf_exec *exec = call->exec;
    const struct gf_buf *to = &call->job->sinks[index].buf;
    uint64_t skip = call->job->skip ? call->job->skip[index] : 0, end = skip + to->view.height;
    uint64_t first = image->rows > skip ? image->rows : skip;
    bool resident = (call->job->resident_sinks >> index & 1) != 0;
    end = rows < end ? rows : end;
    if (first >= end)
        return GF_OK;
    struct link_copy c = {.dst = (char *)to->data + (first - skip) * to->view.pitch,
                          .src = (const char *)image->data + first * image->view.pitch,
                          .dst_pitch = (size_t)to->view.pitch,
                          .src_pitch = (size_t)image->view.pitch,
                          .row = (size_t)gf_view_row_bytes(&image->view),
                          .rows = end - first,
                          .kind = image->host_mapped ? cudaMemcpyDefault
                                  : resident         ? cudaMemcpyDeviceToDevice
                                                     : cudaMemcpyDeviceToHost,
                          .stream = call->overlap ? exec->out : exec->main};
    cudaError_t error = call->overlap ? gf_cuda_stream_wait(exec, c.stream, exec->main) : cudaSuccess;
    if (error == cudaSuccess)
        error = gf_cuda_clock_enter(&exec->clock, GF_CUDA_COPY_OUT, c.stream);
    enum gf_status status = gf_cuda_status(error, "timing a copy", err);
    if (status == GF_OK)
        status = copy_over_link(call, c, !resident, err);
    return status == GF_OK ? gf_cuda_status(gf_cuda_clock_leave(&exec->clock, GF_CUDA_COPY_OUT), "timing a copy", err)
                           : status;
}

enum gf_status gf_cuda_rows_ready(struct gf_cuda_call *call, uint32_t output, uint64_t rows, struct gf_error *err)
{
    struct gf_cuda_image *image = &call->out[output];
    if (image->rows >= rows)
        return GF_OK;
    enum gf_status status =
        gf_cuda_status(gf_cuda_clock_leave(&call->exec->clock, GF_CUDA_KERNEL), "timing a kernel", err);
    for (uint32_t i = 0; i < call->job->n_sinks && status == GF_OK; i++) {
        const struct gf_sink *sink = &call->job->sinks[i];
        if (sink->step == call->index && sink->output == output && sink->buf.data != image->data)
            status = download(call, image, i, rows, err);
    }
    image->rows = rows;
    return status;
}

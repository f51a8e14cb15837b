/* SPDX-License-Identifier: MIT */
/*
 * The rows of a step on their way between host and device: uploaded when an op first needs them, sent to where results
 * belong as soon as an op has made them; and looking, between them, whether the job should go on. Called by the ops and
 * by cuda_run.c.
 */
#include "cuda_copies.h"

#include "cuda_status.h"
#include "cuda_wait.h"
#include "protocol/clock.h"

/* The largest pitch that a copy of many rows takes is just below 2^31 bytes. */
#define MAX_COPY_PITCH (1u << 30)

static enum gf_status check_stop(const struct gf_job *job, struct gf_error *err)
{
    if (job->cancel && __atomic_load_n(job->cancel, __ATOMIC_RELAXED))
        return gf_error_set(err, GF_E_CANCELLED, "cancelled");
    if (job->deadline_ns != 0 && gf_now_ns() >= job->deadline_ns)
        return gf_error_set(err, GF_E_DEADLINE, "the deadline passed while the request ran");
    return GF_OK;
}

enum gf_status gf_cuda_go_on(struct gf_lane *lane, const struct gf_job *job, uint64_t bytes, struct gf_error *err)
{
    cudaError_t error = cudaSuccess;
    if (lane->pending > 0 && lane->pending + bytes > GF_CUDA_PIECE_BYTES) {
        /* Two pieces are in the stream at most: one runs, one waits behind it. */
        lane->piece = !lane->piece;
        error = gf_cuda_wait(lane->pieces[lane->piece]);
        if (error == cudaSuccess)
            error = cudaEventRecord(lane->pieces[lane->piece], lane->main);
        lane->pending = 0;
    }
    lane->pending += bytes;
    return error == cudaSuccess ? check_stop(job, err) : gf_cuda_status(error, "waiting for a piece of work", err);
}

cudaError_t gf_cuda_copy_rows(char *dst, size_t dst_pitch, const char *src, size_t src_pitch, size_t row, uint64_t rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (dst_pitch == row && src_pitch == row)
        return cudaMemcpyAsync(dst, src, row * rows, kind, stream);
    if (dst_pitch <= MAX_COPY_PITCH && src_pitch <= MAX_COPY_PITCH)
        return cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, row, rows, kind, stream);
    cudaError_t error = cudaSuccess;
    for (uint64_t y = 0; y < rows && error == cudaSuccess; y++)
        error = cudaMemcpyAsync(dst + y * dst_pitch, src + y * src_pitch, row, kind, stream);
    return error;
}

cudaError_t gf_cuda_follow(struct gf_lane *lane, cudaStream_t later, cudaStream_t earlier)
{
    cudaError_t error = cudaEventRecord(lane->order, earlier);
    return error == cudaSuccess ? cudaStreamWaitEvent(later, lane->order, 0) : error;
}

static cudaError_t upload(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows)
{
    struct gf_lane *lane = call->lane;
    cudaStream_t stream = call->overlap ? lane->in : lane->main;
    size_t pitch = (size_t)image->view.pitch, host_pitch = (size_t)image->host->view.pitch;
    cudaError_t error = gf_cuda_clock_enter(&lane->clock, GF_CUDA_COPY_IN, stream);
    if (error == cudaSuccess)
        error = gf_cuda_copy_rows((char *)image->data + image->rows * pitch, pitch,
                                  (const char *)image->host->data + image->rows * host_pitch, host_pitch,
                                  (size_t)gf_view_row_bytes(&image->view), rows - image->rows, cudaMemcpyHostToDevice,
                                  stream);
    if (error == cudaSuccess)
        error = gf_cuda_clock_leave(&lane->clock, GF_CUDA_COPY_IN);
    if (error == cudaSuccess && call->overlap)
        error = gf_cuda_follow(lane, lane->main, stream);
    image->rows = rows;
    return error;
}

enum gf_status gf_cuda_need(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows, struct gf_error *err)
{
    cudaError_t error = cudaSuccess;
    if (image->host && image->rows < rows)
        error = upload(call, image, rows);
    if (error == cudaSuccess)
        error = gf_cuda_clock_enter(&call->lane->clock, GF_CUDA_KERNEL, call->lane->main);
    return gf_cuda_status(error, "copying to the device", err);
}

enum gf_status gf_cuda_need_all(struct gf_cuda_call *call, struct gf_cuda_image *image, struct gf_error *err)
{
    enum gf_status status = gf_cuda_need(call, image, image->view.height, err);
    return status == GF_OK ? gf_cuda_go_on(call->lane, call->job, gf_view_bytes(&image->view), err) : status;
}

/* Sends rows up to `rows` of an output to a result, as far as that stores them. */
static cudaError_t download(struct gf_cuda_call *call, const struct gf_cuda_image *image, uint32_t index, uint64_t rows)
{
    struct gf_lane *lane = call->lane;
    const struct gf_buf *to = &call->job->sinks[index].buf;
    uint64_t skip = call->job->skip ? call->job->skip[index] : 0, end = skip + to->view.height;
    uint64_t first = image->rows > skip ? image->rows : skip;
    bool resident = (call->job->resident_sinks >> index & 1) != 0;
    cudaStream_t stream = call->overlap ? lane->out : lane->main;
    size_t pitch = (size_t)image->view.pitch, to_pitch = (size_t)to->view.pitch;
    end = rows < end ? rows : end;
    if (first >= end)
        return cudaSuccess;
    cudaError_t error = call->overlap ? gf_cuda_follow(lane, stream, lane->main) : cudaSuccess;
    if (error == cudaSuccess)
        error = gf_cuda_clock_enter(&lane->clock, GF_CUDA_COPY_OUT, stream);
    if (error == cudaSuccess)
        error =
            gf_cuda_copy_rows((char *)to->data + (first - skip) * to_pitch, to_pitch,
                              (const char *)image->data + first * pitch, pitch, (size_t)gf_view_row_bytes(&image->view),
                              end - first, resident ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = gf_cuda_clock_leave(&lane->clock, GF_CUDA_COPY_OUT);
    return error;
}

enum gf_status gf_cuda_made(struct gf_cuda_call *call, uint32_t output, uint64_t rows, struct gf_error *err)
{
    struct gf_cuda_image *image = &call->out[output];
    if (image->rows >= rows)
        return GF_OK;
    cudaError_t error = gf_cuda_clock_leave(&call->lane->clock, GF_CUDA_KERNEL);
    for (uint32_t i = 0; i < call->job->n_sinks && error == cudaSuccess; i++) {
        const struct gf_sink *sink = &call->job->sinks[i];
        if (sink->step == call->index && sink->output == output && sink->buf.data != image->data)
            error = download(call, image, i, rows);
    }
    image->rows = rows;
    return gf_cuda_status(error, "copying from the device", err);
}

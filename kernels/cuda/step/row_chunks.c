/* SPDX-License-Identifier: MIT */
/* The heights of row chunks, and the loop over them. Called by filter_plan.c, linear_filter.c and the ops that work row
 * by row. */
#include "row_chunks.h"

#include <math.h>

#include "cuda_copies.h"
#include "kernels/cuda/device/cuda_policy.h"
#include "kernels/cuda/device/cuda_status.h"

/* With this many jobs on the device, the copies of one job overlap with the kernels of others, and row chunks only
 * cost. */
#define MANY_JOBS 4u

/* A row chunk costs a few microseconds, and half a chunk's time passes before the first download starts and after the
 * last upload ends. The sum is least where a chunk has sqrt(factor * all bytes) bytes. The factor is a property of the
 * link: the policy's light_chunk, or heavy_chunk for kernels that need many rows to fill the device. */
static uint64_t chunk_bytes(const struct gf_cuda_call *call, uint64_t bytes, double factor)
{
    uint32_t running = __atomic_load_n(&call->exec->device->running, __ATOMIC_RELAXED);
    if (!call->overlap || running >= MANY_JOBS)
        return GF_CUDA_WORK_UNIT_BYTES;
    uint64_t min_bytes = gf_policy.chunk_bytes;
    double row_chunk = sqrt(factor * (double)bytes);
    return row_chunk > (double)min_bytes ? (uint64_t)fmin(row_chunk, GF_CUDA_WORK_UNIT_BYTES) : min_bytes;
}

static uint64_t chunk_rows(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit, double factor)
{
    uint64_t height = call->out[0].view.height, n = bytes / chunk_bytes(call, bytes, factor);
    return n < 2 ? height : gf_round_up((height + n - 1) / n, unit);
}

struct gf_cuda_row_chunks gf_cuda_row_chunks(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit)
{
    const uint64_t height = call->out[0].view.height;
    return (struct gf_cuda_row_chunks){.height = height,
                                       .rows = chunk_rows(call, bytes, unit, gf_policy.light_chunk),
                                       .row_cost = (double)bytes / (double)height,
                                       .unit = unit};
}

void gf_cuda_row_chunks_limit(struct gf_cuda_row_chunks *row_chunks, const struct gf_cuda_call *call, double row,
                              uint64_t samples)
{
    const struct gf_cuda_policy *policy = &gf_policy;
    if (row > policy->heavy_cost * (double)samples) {
        uint64_t bytes = gf_view_bytes(&call->out[0].view);
        uint64_t heavy = chunk_rows(call, bytes, row_chunks->unit, policy->heavy_chunk);
        row_chunks->rows = heavy > row_chunks->rows ? heavy : row_chunks->rows;
    }
    double units = row / (policy->unit_work * call->exec->device->info.units); /* of work, per row */
    row_chunks->row_cost = fmax(row_chunks->row_cost, units * GF_CUDA_WORK_UNIT_BYTES);
    double n = units * (double)row_chunks->height + 0.75; /* rounds: up to 1.25 stays 1 */
    if (n < 2.0)
        return;
    uint64_t min_rows = (uint64_t)policy->unit_samples * call->exec->device->info.units / samples + 1;
    uint64_t rows = gf_round_up((uint64_t)((double)row_chunks->height / floor(n)) + 1, row_chunks->unit);
    rows = rows > min_rows ? rows : gf_round_up(min_rows, row_chunks->unit);
    row_chunks->rows = rows < row_chunks->rows ? rows : row_chunks->rows;
}

/* The first chunk is half as high, because no download starts before it has finished. */
uint64_t gf_cuda_row_chunk_end(const struct gf_cuda_row_chunks *row_chunks, uint64_t first)
{
    uint64_t rows = row_chunks->rows;
    if (first == 0 && rows < row_chunks->height && rows > row_chunks->unit)
        rows = gf_round_up(rows / 2, row_chunks->unit);
    return row_chunks->height - first < rows ? row_chunks->height : first + rows;
}

enum gf_status gf_cuda_run_rows(struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks,
                                const struct gf_cuda_row_fns *fns, void *op, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint64_t first = 0, end; first < row_chunks->height && status == GF_OK; first = end) {
        end = gf_cuda_row_chunk_end(row_chunks, first);
        status = gf_cuda_throttle(call->exec, call->job, (uint64_t)(row_chunks->row_cost * (double)(end - first)), err);
        for (uint32_t i = 0; i < call->step->op->n_inputs && status == GF_OK; i++)
            if (call->image[i])
                status = gf_cuda_require_rows(call, call->image[i], fns->needed ? fns->needed(op, i, end) : end, err);
        if (status == GF_OK)
            status = fns->launch(call, op, first, end, err);
        for (uint32_t i = 0; i < call->step->op->n_outputs && status == GF_OK; i++)
            status = gf_cuda_rows_ready(call, i, fns->made ? fns->made(op, i, end) : end, err);
    }
    return status;
}

bool gf_cuda_stream_pair_helps(const struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks)
{
    return row_chunks->rows < row_chunks->height && !call->overlap && call->exec->main == call->exec->steady;
}

enum gf_status gf_cuda_stream_pair_begin(struct gf_cuda_stream_pair *streams, struct gf_error *err)
{
    return gf_cuda_status(gf_cuda_stream_wait(streams->exec, streams->exec->in, streams->exec->main),
                          "ordering streams", err);
}

cudaStream_t gf_cuda_stream_pair_next(struct gf_cuda_stream_pair *streams)
{
    struct gf_exec *exec = streams->exec;
    streams->odd = !streams->odd;
    exec->last = streams->odd ? exec->in : exec->main;
    return exec->last;
}

enum gf_status gf_cuda_stream_pair_join(struct gf_cuda_stream_pair *streams, struct gf_error *err)
{
    struct gf_exec *exec = streams->exec;
    exec->last = exec->main;
    cudaError_t error = gf_cuda_stream_wait(exec, exec->main, exec->in);
    if (error == cudaSuccess)
        error = gf_cuda_stream_wait(exec, exec->in, exec->main);
    return gf_cuda_status(error, "ordering streams", err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Runs linear filters, the named filters built on them, and the steps grouped with them on CUDA: plans the group
 * (filter_plan.c), takes temp storage and launches the passes. cuda_run.c calls it through the table of ops.
 */
#include "filter_plan.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"

static enum gf_status take_temps(struct gf_exec *exec, struct gf_cuda_filter_plan *plan, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < plan->n_temps && status == GF_OK; i++) {
        struct gf_cuda_filter_temp *temp = &plan->temp[i];
        status = gf_cuda_take(exec, temp->bytes, &temp->data, err);
        if (status == GF_OK && temp->values)
            status = gf_cuda_status(
                cudaMemcpyAsync(temp->data, temp->values, temp->bytes, cudaMemcpyHostToDevice, exec->main),
                "copying coefficients", err);
    }
    gf_cuda_filter_bind(plan);
    return status;
}

static void give_temps(struct gf_exec *exec, struct gf_cuda_filter_plan *plan)
{
    for (uint32_t i = plan->n_temps; i > 0; i--)
        gf_cuda_give(exec, plan->temp[i - 1].data);
}

/* Before a row chunk is launched: checks that the job may continue, and asks for the rows that the chunk reads. */
static enum gf_status begin_chunk(struct gf_cuda_call *call, const struct gf_cuda_filter_plan *plan,
                                  struct gf_cuda_row_chunk row_chunk, struct gf_error *err)
{
    uint64_t rows = (uint64_t)(row_chunk.end - row_chunk.first);
    uint64_t bytes = gf_view_row_bytes(&call->out[0].view) * rows;
    uint64_t cost = gf_cuda_row_chunk_cost(call, plan->row_cost, rows);
    enum gf_status status = gf_cuda_go_on(call->exec, call->job, bytes > cost ? bytes : cost, err);
    return status == GF_OK ? gf_cuda_need(call, call->image[0], gf_cuda_filter_reach(plan, row_chunk.end), err)
                           : status;
}

static enum gf_status launch(const struct gf_cuda_filter_plan *plan, const struct gf_cuda_filter_pass *pass,
                             struct gf_cuda_row_chunk row_chunk, cudaStream_t stream, struct gf_error *err)
{
    struct gf_cuda_row_chunk rows = gf_cuda_filter_rows(plan, pass, row_chunk);
    if (rows.first >= rows.end)
        return GF_OK;
    return gf_cuda_status(pass->launch(pass, rows, stream), "starting a filter", err);
}

/* Launches row chunk after row chunk, each as soon as its input rows have been asked for. */
static enum gf_status start_chunks(struct gf_cuda_call *call, const struct gf_cuda_filter_plan *plan,
                                   struct gf_error *err)
{
    enum gf_status status = GF_OK;
    int32_t height = plan->pass[0].dst.height;
    for (int32_t first = 0; first < height && status == GF_OK;) {
        struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_chunk(plan, first);
        status = begin_chunk(call, plan, row_chunk, err);
        for (uint32_t i = 0; i < plan->n_passes && status == GF_OK; i++)
            status = launch(plan, &plan->pass[i], row_chunk, call->exec->main, err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, (uint64_t)row_chunk.end, err);
        first = row_chunk.end;
    }
    return status;
}

/* Launches all row chunks of one pass in two streams; the chunks are independent of each other. */
static enum gf_status start_pass(struct gf_cuda_call *call, const struct gf_cuda_filter_plan *plan,
                                 const struct gf_cuda_filter_pass *pass, struct gf_cuda_stream_pair *streams,
                                 struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (int32_t first = 0; first < pass->dst.height && status == GF_OK;) {
        struct gf_cuda_row_chunk row_chunk = gf_cuda_filter_chunk(plan, first);
        status = begin_chunk(call, plan, row_chunk, err);
        if (status == GF_OK)
            status = launch(plan, pass, row_chunk, gf_cuda_stream_pair_next(streams), err);
        first = row_chunk.end;
    }
    struct gf_error own = {0};
    enum gf_status joined = gf_cuda_stream_pair_join(streams, &own);
    if (status == GF_OK && joined != GF_OK)
        *err = own;
    return status == GF_OK ? joined : status;
}

static enum gf_status start_passes(struct gf_cuda_call *call, const struct gf_cuda_filter_plan *plan,
                                   struct gf_error *err)
{
    struct gf_cuda_stream_pair streams = {.exec = call->exec};
    enum gf_status status = gf_cuda_need(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_stream_pair_begin(&streams, err);
    for (uint32_t i = 0; i < plan->n_passes && status == GF_OK; i++)
        status = start_pass(call, plan, &plan->pass[i], &streams, err);
    return status;
}

enum gf_status gf_cuda_linear_filter(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_filter_plan plan;
    gf_cuda_filter_plan(call, call->group, &plan);
    enum gf_status status = take_temps(call->exec, &plan, err);
    if (status == GF_OK)
        status = plan.by_pass ? start_passes(call, &plan, err) : start_chunks(call, &plan, err);
    give_temps(call->exec, &plan);
    return status;
}

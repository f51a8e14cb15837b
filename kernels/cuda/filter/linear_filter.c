/* SPDX-License-Identifier: MIT */
/*
 * Runs linear filters, the named filters built on them, and the steps grouped with them on CUDA: plans the group
 * (filter_plan.c), takes temp storage and launches the passes. cuda_run.c calls it through the table of ops.
 */
#include "filter_plan.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/step/cuda_ops.h"

static enum gf_status take_temps(struct gf_exec *exec, struct gf_cuda_filter_plan *plan, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < plan->n_temps && status == GF_OK; i++) {
        struct gf_cuda_filter_temp *temp = &plan->temp[i];
        status = gf_cuda_alloc(exec, temp->bytes, &temp->data, err);
        if (status == GF_OK && temp->values)
            status = gf_cuda_upload(exec, temp->data, temp->values, temp->bytes, err);
    }
    gf_cuda_filter_bind(plan);
    return status;
}

static void give_temps(struct gf_exec *exec, struct gf_cuda_filter_plan *plan)
{
    for (uint32_t i = plan->n_temps; i > 0; i--)
        gf_cuda_free(exec, plan->temp[i - 1].data);
}

/* Passes of the plan that run row chunk by row chunk: all passes, or a single pass in two streams. */
struct passes {
    const struct gf_cuda_filter_plan *plan;
    uint32_t first, end;
    struct gf_cuda_stream_pair *streams; /* NULL: the main stream */
};

static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    const struct passes *p = op;
    cudaStream_t stream = p->streams ? gf_cuda_stream_pair_next(p->streams) : call->exec->main;
    cudaError_t error = cudaSuccess;
    for (uint32_t i = p->first; i < p->end && error == cudaSuccess; i++) {
        const struct gf_cuda_filter_pass *pass = &p->plan->pass[i];
        struct gf_cuda_row_chunk rows =
            gf_cuda_filter_rows(p->plan, pass, (struct gf_cuda_row_chunk){(int32_t)first, (int32_t)end});
        if (rows.first < rows.end)
            error = pass->launch(pass, rows, stream);
    }
    return gf_cuda_status(error, "starting a filter", err);
}

static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    (void)input;
    return gf_cuda_filter_reach(((const struct passes *)op)->plan, (int32_t)end);
}

/* Rows made in two streams are complete only when the streams have been joined. */
static uint64_t rows_made(const void *op, uint32_t output, uint64_t end)
{
    (void)output;
    return ((const struct passes *)op)->streams ? 0 : end;
}

static enum gf_status run_passes(struct gf_cuda_call *call, struct passes *p, struct gf_error *err)
{
    const struct gf_cuda_row_fns fns = {launch, rows_needed, rows_made};
    return gf_cuda_run_rows(call, &p->plan->row_chunks, &fns, p, err);
}

/* Runs pass after pass in two streams. The row chunks of a pass are independent of each other. */
static enum gf_status run_by_pass(struct gf_cuda_call *call, const struct gf_cuda_filter_plan *plan,
                                  struct gf_error *err)
{
    struct gf_cuda_stream_pair streams = {.exec = call->exec};
    enum gf_status status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_stream_pair_begin(&streams, err);
    for (uint32_t i = 0; i < plan->n_passes && status == GF_OK; i++) {
        struct gf_error own = {0};
        status = run_passes(call, &(struct passes){plan, i, i + 1, &streams}, err);
        enum gf_status joined = gf_cuda_stream_pair_join(&streams, &own);
        if (status == GF_OK && joined != GF_OK)
            *err = own;
        status = status == GF_OK ? joined : status;
    }
    return status;
}

enum gf_status gf_cuda_linear_filter(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_filter_plan plan;
    gf_cuda_filter_plan(call, call->group, &plan);
    enum gf_status status = take_temps(call->exec, &plan, err);
    if (status == GF_OK)
        status = plan.by_pass ? run_by_pass(call, &plan, err)
                              : run_passes(call, &(struct passes){&plan, 0, plan.n_passes, NULL}, err);
    give_temps(call->exec, &plan);
    return status;
}

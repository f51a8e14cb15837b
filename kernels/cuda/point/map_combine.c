/* SPDX-License-Identifier: MIT */
/*
 * map and combine on CUDA: launches the kernel in the op's file with the parameters that kernels/shared/point.c
 * computes.
 */
#include "map_combine.h"

#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/point.h"
#include "protocol/ops/enums.h"

/* Row chunks are a multiple of CHUNK_ROWS, so that thread blocks are full. */
#define CHUNK_ROWS 64u

/* The rows of an input. */
static struct gf_cuda_source source_of(const struct gf_cuda_image *image, struct gf_cuda_row_chunk row_chunk)
{
    return (struct gf_cuda_source){.data = (const char *)image->data + (size_t)row_chunk.first * image->view.pitch,
                                   .pitch = (size_t)image->view.pitch,
                                   .width = (int32_t)image->view.width,
                                   .height = row_chunk.end - row_chunk.first,
                                   .channels = (int32_t)image->view.channels,
                                   .dtype = image->view.dtype};
}

/* The rows of the result. Storing only rounds: x * 1 + -0 is x, for both zeros. */
static struct gf_cuda_target target_of(const struct gf_cuda_call *call, uint32_t alpha,
                                       struct gf_cuda_row_chunk row_chunk)
{
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    int32_t channels = (int32_t)out->view.channels;
    bool copies = gf_point_copies_alpha(alpha, out->view.channels);
    return (struct gf_cuda_target){.data = (char *)out->data + (size_t)row_chunk.first * out->view.pitch,
                                   .pitch = (size_t)out->view.pitch,
                                   .samples = (int32_t)out->view.width * channels,
                                   .height = row_chunk.end - row_chunk.first,
                                   .dtype = out->view.dtype,
                                   .scale = 1.0f,
                                   .offset = -0.0f,
                                   .alpha_period = channels % 2 == 0 ? channels : 0,
                                   .alpha = copies ? GF_ALPHA_IGNORE : GF_ALPHA_STRAIGHT,
                                   .copy_data = (const char *)image->data + (size_t)row_chunk.first * image->view.pitch,
                                   .copy_pitch = (size_t)image->view.pitch,
                                   .copy_dtype = image->view.dtype};
}

/* Launches an op on a row chunk. `what` points to the op's parameters. */
typedef cudaError_t launch_fn(const struct gf_cuda_call *call, const void *what, struct gf_cuda_row_chunk row_chunk);

/* Launches row chunk after row chunk, each right after its input rows have been requested. */
static enum gf_status start_chunks(struct gf_cuda_call *call, launch_fn *launch, const void *what, struct gf_error *err)
{
    uint64_t bytes = gf_view_bytes(&call->out[0].view), height = call->out[0].view.height;
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, bytes, CHUNK_ROWS);
    enum gf_status status = GF_OK;
    for (uint64_t first = 0; first < height && status == GF_OK;) {
        uint64_t end = gf_cuda_row_chunk_end(&row_chunks, first);
        status = gf_cuda_go_on(call->exec, call->job, bytes / height * (end - first), err);
        for (uint32_t i = 0; i < call->step->op->n_inputs && status == GF_OK; i++)
            if (call->image[i])
                status = gf_cuda_need(call, call->image[i], end, err);
        if (status == GF_OK)
            status = gf_cuda_status(launch(call, what, (struct gf_cuda_row_chunk){(int32_t)first, (int32_t)end}),
                                    "changing samples", err);
        if (status == GF_OK)
            status = gf_cuda_made(call, 0, end, err);
        first = end;
    }
    return status;
}

/* Copies the table to the device. Leaves *ret_table alone if the map has no table. */
static enum gf_status upload_table(struct gf_exec *exec, const struct gf_map *map, void **ret_table,
                                   struct gf_error *err)
{
    void *table = NULL;
    if (!map->table)
        return GF_OK;
    size_t bytes = map->n_table * sizeof(*map->table);
    enum gf_status status = gf_cuda_take(exec, bytes, &table, err);
    if (status != GF_OK)
        return status;
    *ret_table = table;
    return gf_cuda_status(cudaMemcpyAsync(table, map->table, bytes, cudaMemcpyHostToDevice, exec->main),
                          "copying a table", err);
}

static cudaError_t launch_map(const struct gf_cuda_call *call, const void *what, struct gf_cuda_row_chunk row_chunk)
{
    struct gf_cuda_source src = source_of(call->image[0], row_chunk);
    struct gf_cuda_target dst = target_of(call, call->step->params.map.alpha, row_chunk);
    return gf_cuda_map_launch(&src, &dst, what, call->exec->main);
}

enum gf_status gf_cuda_point_map(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_map gf_cleanup(gf_map_deinit) map = GF_MAP_NULL;
    void *table = NULL;
    enum gf_status status = gf_map_init(&map, call->step, &call->image[0]->view, call->coefs[1], err);
    if (status == GF_OK)
        status = upload_table(call->exec, &map, &table, err);
    if (status == GF_OK) {
        struct gf_cuda_formula formula = {.scale = map.scale,
                                          .offset = map.offset,
                                          .gamma = map.gamma,
                                          .multiply = map.multiply,
                                          .divide = map.divide,
                                          .table = table ? (const float *)table - map.first : NULL};
        status = start_chunks(call, launch_map, &formula, err);
    }
    gf_cuda_give(call->exec, table);
    return status;
}

static cudaError_t launch_combine(const struct gf_cuda_call *call, const void *what, struct gf_cuda_row_chunk row_chunk)
{
    const struct gf_combine_params *p = what;
    struct gf_cuda_source a = source_of(call->image[0], row_chunk), b = source_of(call->image[1], row_chunk);
    struct gf_cuda_target dst = target_of(call, p->alpha, row_chunk);
    const float factors[3] = {p->a, p->b, p->c};
    return gf_cuda_combine_launch(&a, &b, &dst, p->mode, factors, call->exec->main);
}

enum gf_status gf_cuda_point_combine(struct gf_cuda_call *call, struct gf_error *err)
{
    return start_chunks(call, launch_combine, &call->step->params.combine, err);
}

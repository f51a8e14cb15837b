/* SPDX-License-Identifier: MIT */
/*
 * map and combine on CUDA: launches the kernel in the op's file with the parameters that kernels/shared/point.c
 * computes.
 */
#include "map_combine.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/point.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/combine.h"
#include "protocol/ops/params/map.h"

/* Row chunks are a multiple of CHUNK_ROWS, so that thread blocks are full. */
#define CHUNK_ROWS 64u

/* The rows of an input. */
static struct gf_cuda_source source_of(const struct gf_cuda_image *image, uint64_t first, uint64_t end)
{
    return (struct gf_cuda_source){.data = (const char *)image->data + first * image->view.pitch,
                                   .pitch = (size_t)image->view.pitch,
                                   .width = (int32_t)image->view.width,
                                   .height = (int32_t)(end - first),
                                   .channels = (int32_t)image->view.channels,
                                   .dtype = image->view.dtype};
}

/* The rows of the result. Storing only rounds: x * 1 + -0 is x, for both zeros. */
static struct gf_cuda_target target_of(const struct gf_cuda_call *call, uint32_t alpha, uint64_t first, uint64_t end)
{
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    int32_t channels = (int32_t)out->view.channels;
    bool copies = gf_copies_alpha(alpha, out->view.channels);
    return (struct gf_cuda_target){.data = (char *)out->data + first * out->view.pitch,
                                   .pitch = (size_t)out->view.pitch,
                                   .samples = (int32_t)out->view.width * channels,
                                   .height = (int32_t)(end - first),
                                   .dtype = out->view.dtype,
                                   .scale = 1.0f,
                                   .offset = -0.0f,
                                   .alpha_period = channels % 2 == 0 ? channels : 0,
                                   .alpha = copies ? GF_ALPHA_IGNORE : GF_ALPHA_STRAIGHT,
                                   .copy_data = (const char *)image->data + first * image->view.pitch,
                                   .copy_pitch = (size_t)image->view.pitch,
                                   .copy_dtype = image->view.dtype};
}

static struct gf_cuda_row_chunks row_chunks_of(const struct gf_cuda_call *call)
{
    return gf_cuda_row_chunks(call, gf_view_bytes(&call->out[0].view), CHUNK_ROWS);
}

/* Copies the table to the device. Leaves *ret_table alone if the map has no table. */
static enum gf_status upload_table(struct gf_exec *exec, const struct gf_map *map, void **ret_table,
                                   struct gf_error *err)
{
    void *table = NULL;
    if (!map->table)
        return GF_OK;
    size_t bytes = map->n_table * sizeof(*map->table);
    enum gf_status status = gf_cuda_alloc(exec, bytes, &table, err);
    if (status != GF_OK)
        return status;
    *ret_table = table;
    return gf_cuda_upload(exec, table, map->table, bytes, err);
}

static enum gf_status map_rows(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct gf_cuda_source src = source_of(call->image[0], first, end);
    struct gf_cuda_target dst = target_of(call, gf_map_params_get(&call->step->params).alpha, first, end);
    return gf_cuda_status(gf_cuda_map_launch(&src, &dst, op, call->exec->main), "changing samples", err);
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
        const struct gf_cuda_row_chunks row_chunks = row_chunks_of(call);
        status = gf_cuda_run_rows(call, &row_chunks, &(struct gf_cuda_row_fns){.launch = map_rows}, &formula, err);
    }
    gf_cuda_free(call->exec, table);
    return status;
}

static enum gf_status combine_rows(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end,
                                   struct gf_error *err)
{
    const struct gf_combine_params p = gf_combine_params_get(&call->step->params);
    struct gf_cuda_source a = source_of(call->image[0], first, end), b = source_of(call->image[1], first, end);
    struct gf_cuda_target dst = target_of(call, p.alpha, first, end);
    const float factors[3] = {p.a, p.b, p.c};
    (void)op;
    return gf_cuda_status(gf_cuda_combine_launch(&a, &b, &dst, p.mode, factors, call->exec->main), "changing samples",
                          err);
}

enum gf_status gf_cuda_point_combine(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_cuda_row_chunks row_chunks = row_chunks_of(call);
    return gf_cuda_run_rows(call, &row_chunks, &(struct gf_cuda_row_fns){.launch = combine_rows}, NULL, err);
}

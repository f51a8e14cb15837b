/* SPDX-License-Identifier: MIT */
/*
 * The ops that work sample by sample on CUDA: from what kernels/point.c worked out to the launch in the file of the op.
 */
#include "point_filter.h"

#include "cuda_pool.h"
#include "cuda_status.h"
#include "kernels/point.h"
#include "protocol/enums.h"

static struct gf_cuda_source source_of(const struct gf_cuda_image *image)
{
    return (struct gf_cuda_source){.data = image->data,
                                   .pitch = (size_t)image->view.pitch,
                                   .width = (int32_t)image->view.width,
                                   .height = (int32_t)image->view.height,
                                   .channels = (int32_t)image->view.channels,
                                   .dtype = image->view.dtype};
}

/* Values pass unchanged but for the rounding: x * 1 + -0 is x, for both zeros. */
static struct gf_cuda_target target_of(const struct gf_cuda_call *call, uint32_t alpha)
{
    const struct gf_cuda_image *image = call->image[0], *out = &call->out[0];
    int32_t channels = (int32_t)out->view.channels;
    bool copies = gf_point_copies_alpha(alpha, out->view.channels);
    return (struct gf_cuda_target){.data = out->data,
                                   .pitch = (size_t)out->view.pitch,
                                   .samples = (int32_t)out->view.width * channels,
                                   .height = (int32_t)out->view.height,
                                   .dtype = out->view.dtype,
                                   .scale = 1.0f,
                                   .offset = -0.0f,
                                   .alpha_period = channels % 2 == 0 ? channels : 0,
                                   .alpha = copies ? GF_ALPHA_IGNORE : GF_ALPHA_STRAIGHT,
                                   .copy_data = image->data,
                                   .copy_pitch = (size_t)image->view.pitch,
                                   .copy_dtype = image->view.dtype};
}

/* Makes all inputs ready. */
static enum gf_status begin(struct gf_cuda_call *call, struct gf_error *err)
{
    enum gf_status status = gf_cuda_go_on(call->lane, call->job, gf_view_bytes(&call->out[0].view), err);
    for (uint32_t i = 0; i < call->step->op->n_inputs && status == GF_OK; i++)
        if (call->image[i])
            status = gf_cuda_need(call, call->image[i], (uint32_t)call->image[i]->view.height, err);
    return status;
}

/* A copy of the table on the device, NULL for none. */
static enum gf_status upload_table(struct gf_lane *lane, const struct gf_map *map, void **ret_table,
                                   struct gf_error *err)
{
    void *table = NULL;
    if (!map->table)
        return GF_OK;
    size_t bytes = map->n_table * sizeof(*map->table);
    enum gf_status status = gf_cuda_take(lane, bytes, &table, err);
    if (status != GF_OK)
        return status;
    *ret_table = table;
    return gf_cuda_status(cudaMemcpyAsync(table, map->table, bytes, cudaMemcpyHostToDevice, lane->main),
                          "copying a table", err);
}

enum gf_status gf_cuda_point_map(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_map gf_cleanup(gf_map_deinit) map = GF_MAP_NULL;
    void *table = NULL;
    enum gf_status status = gf_map_init(&map, call->step, &call->image[0]->view, call->coefs[1], err);
    if (status == GF_OK)
        status = upload_table(call->lane, &map, &table, err);
    if (status == GF_OK)
        status = begin(call, err);
    if (status == GF_OK) {
        struct gf_cuda_source src = source_of(call->image[0]);
        struct gf_cuda_target dst = target_of(call, call->step->params.map.alpha);
        struct gf_cuda_formula formula = {.scale = map.scale,
                                          .offset = map.offset,
                                          .gamma = map.gamma,
                                          .multiply = map.multiply,
                                          .divide = map.divide,
                                          .table = table};
        status = gf_cuda_status(gf_cuda_map_launch(&src, &dst, &formula, call->lane->main), "starting a map", err);
    }
    gf_cuda_give(call->lane, table);
    return status;
}

enum gf_status gf_cuda_point_combine(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_combine_params *p = &call->step->params.combine;
    enum gf_status status = begin(call, err);
    if (status != GF_OK)
        return status;
    struct gf_cuda_source a = source_of(call->image[0]), b = source_of(call->image[1]);
    struct gf_cuda_target dst = target_of(call, p->alpha);
    const float factors[3] = {p->a, p->b, p->c};
    return gf_cuda_status(gf_cuda_combine_launch(&a, &b, &dst, p->mode, factors, call->lane->main),
                          "starting a combination", err);
}

/* SPDX-License-Identifier: MIT */
/* Prepares sort, argsort and topk. Called once per step by both backends. */
#include "order.h"

#include "protocol/ops/enums.h"
#include "protocol/ops/params/argsort.h"
#include "protocol/ops/params/sort.h"
#include "protocol/ops/params/topk.h"

struct gf_order gf_order_of_step(const struct gf_step *step, const struct gf_view *in)
{
    struct gf_order order = {.values = 0, .places = -1};
    bool descending;
    if (step->op->index == GF_INDEX_topk) {
        order.axis = gf_topk_params_get(&step->params).axis;
        order.kept = gf_topk_params_get(&step->params).k;
        order.places = 1;
        descending = gf_topk_params_get(&step->params).smallest == 0;
    } else if (step->op->index == GF_INDEX_argsort) {
        order.axis = gf_argsort_params_get(&step->params).axis;
        order.values = -1;
        order.places = 0;
        descending = gf_argsort_params_get(&step->params).descending != 0;
    } else {
        order.axis = gf_sort_params_get(&step->params).axis;
        descending = gf_sort_params_get(&step->params).descending != 0;
    }
    order.length = order.axis == GF_AXIS_ROWS   ? in->width
                   : order.axis == GF_AXIS_COLS ? in->height
                                                : in->width * in->height;
    if (order.kept == 0)
        order.kept = order.length;
    order.keys.size = (uint32_t)gf_dtype_size(in->dtype);
    order.keys.is_float = gf_dtype_kind(in->dtype) == GF_KIND_FLOAT;
    const uint64_t ones = gf_order_all_ones(order.keys.size);
    if (gf_dtype_kind(in->dtype) == GF_KIND_SINT)
        order.keys.flip = ones ^ ones >> 1;
    if (descending)
        order.keys.flip ^= ones;
    return order;
}

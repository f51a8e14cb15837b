/* SPDX-License-Identifier: MIT */
/* Prepares sort, argsort and topk. Called once per step by both backends. */
#include "order.h"

#include "protocol/ops/enums.h"

struct gf_order gf_order_of_step(const struct gf_step *step, const struct gf_view *in)
{
    struct gf_order order = {.values = 0, .places = -1};
    bool descending;
    if (step->op->index == GF_INDEX_topk) {
        order.axis = step->params.topk.axis;
        order.kept = step->params.topk.k;
        order.places = 1;
        descending = step->params.topk.smallest == 0;
    } else if (step->op->index == GF_INDEX_argsort) {
        order.axis = step->params.argsort.axis;
        order.values = -1;
        order.places = 0;
        descending = step->params.argsort.descending != 0;
    } else {
        order.axis = step->params.sort.axis;
        descending = step->params.sort.descending != 0;
    }
    order.length = order.axis == GF_AXIS_ROWS   ? in->width
                   : order.axis == GF_AXIS_COLS ? in->height
                                                : in->width * in->height;
    if (order.kept == 0)
        order.kept = order.length;
    order.keys.size = (uint32_t)gf_dtype_size(in->dtype);
    order.keys.is_float = gf_dtype_kind(in->dtype) == GF_KIND_FLOAT;
    const uint64_t ones = gf_order_ones(order.keys.size);
    if (gf_dtype_kind(in->dtype) == GF_KIND_SINT)
        order.keys.flip = ones ^ ones >> 1;
    if (descending)
        order.keys.flip ^= ones;
    return order;
}

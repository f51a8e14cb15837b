/* SPDX-License-Identifier: MIT */
/*
 * crop, pad, flip, rotate and transpose, prepared alike for both backends: the source pixel of each result pixel.
 * docs/numerics.md, "Geometry". Called once per step by both backends, and by kernels/slab.
 */
#ifndef GF_KERNELS_GEOMETRY_H
#define GF_KERNELS_GEOMETRY_H

#include <string.h>

#include "kernels/backend.h"
#include "protocol/base/half.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/crop.h"
#include "protocol/ops/params/flip.h"
#include "protocol/ops/params/pad.h"
#include "protocol/ops/params/rotate.h"
#include "protocol/ops/params/transpose.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MAX_PIXEL 32u /* bytes: 4 channels of 8 */

/* With W x H pixels in the source, pixel (x, y) of the result is
 *   transposed: column y, row x of the source; otherwise column x + left, row y + top;
 *   from_right, from_bottom: that column, that row counted back from the last one.
 * left and top are other than 0, and pixels beyond the source exist, only without transposition and reversal. */
struct gf_geometry {
    bool transposed, from_right, from_bottom;
    int64_t left, top;                   /* negative: a margin */
    uint32_t border;                     /* GF_BORDER_*, for pixels beyond the source; otherwise 0 */
    unsigned char outside[GF_MAX_PIXEL]; /* pixel of a constant border, as stored */
};

/* Stores a number that the dtype holds (gf_check_element). */
static inline void gf_geometry_store(double value, uint32_t dtype, void *to)
{
    const float single = (float)value;
    const uint64_t whole = gf_dtype_kind(dtype) == GF_KIND_SINT ? (uint64_t)(int64_t)value : 0;
    const uint64_t bits = gf_dtype_kind(dtype) == GF_KIND_UINT ? (uint64_t)value : whole;
    const uint16_t half = gf_half_from_f32(single);
    if (dtype == GF_F64)
        memcpy(to, &value, sizeof value);
    else if (dtype == GF_F16)
        memcpy(to, &half, sizeof half);
    else if (dtype == GF_F32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &bits, gf_dtype_size(dtype)); /* little-endian: the low bytes come first */
}

static inline void gf_geometry_init_pad(struct gf_geometry *g, struct gf_pad_params p, const struct gf_view *src)
{
    struct gf_margin margin = gf_margin_of(&p.margin);
    g->left = -(int64_t)margin.left;
    g->top = -(int64_t)margin.top;
    g->border = p.border;
    for (uint32_t c = 0; c < src->channels && p.border == GF_BORDER_CONSTANT; c++)
        gf_geometry_store(GF_PICK(p.border_value, c), src->dtype, g->outside + c * gf_dtype_size(src->dtype));
}

/* Prepares a step of one of the five ops. */
static inline struct gf_geometry gf_geometry_of(const struct gf_step *step, const struct gf_view *src)
{
    const union gf_params *p = &step->params;
    struct gf_geometry g;
    memset(&g, 0, sizeof g);
    switch (step->op->index) {
    case GF_INDEX_crop:
        g.left = GF_PICK(gf_crop_params_get(p).at, 0);
        g.top = GF_PICK(gf_crop_params_get(p).at, 1);
        break;
    case GF_INDEX_pad:
        gf_geometry_init_pad(&g, gf_pad_params_get(p), src);
        break;
    case GF_INDEX_flip:
        g.from_right = gf_flip_params_get(p).axis != GF_FLIP_Y;
        g.from_bottom = gf_flip_params_get(p).axis != GF_FLIP_X;
        break;
    case GF_INDEX_rotate:
        g.transposed = gf_rotate_params_get(p).angle != GF_ROTATE_HALF;
        g.from_right = gf_rotate_params_get(p).angle != GF_ROTATE_QUARTER;
        g.from_bottom = gf_rotate_params_get(p).angle != GF_ROTATE_THREE_QUARTERS;
        break;
    default:
        g.transposed = true;
        g.from_right = g.from_bottom = gf_transpose_params_get(p).diagonal == GF_TRANSPOSE_ANTI;
    }
    return g;
}

/* Whether each row of the result comes from the same row of the source, and the result has as many rows. */
static inline bool gf_geometry_keeps_rows(const struct gf_step *step, const struct gf_view *src)
{
    struct gf_geometry g = gf_geometry_of(step, src);
    return !g.transposed && !g.from_bottom && g.top == 0 && step->out[0].height == src->height;
}

/* Adapts the parameters of such a step on all rows to the rows of `src`. */
static inline void gf_geometry_fit_rows(struct gf_step *step, const struct gf_view *src)
{
    struct gf_u32v size = gf_crop_params_get(&step->params).size;
    if (step->op->index != GF_INDEX_crop || size.n == 0)
        return;
    size.n = 2;
    size.v[1] = (uint32_t)src->height;
    GF_SET_PARAM(&step->params, crop, size, size);
}

#ifdef __cplusplus
}
#endif
#endif

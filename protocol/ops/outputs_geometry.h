/* SPDX-License-Identifier: MIT */
/* The margin of pad, the region of resize and the sides of pyramid, from their parameters. Used by outputs/, reach.c
 * and kernels/shared. */
#ifndef GF_PROTOCOL_OUTPUTS_GEOMETRY_H
#define GF_PROTOCOL_OUTPUTS_GEOMETRY_H

#include "op_params.h"
#include "protocol/base/view.h"
#include "protocol/ops/params/resize.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_op;
struct gf_resize_params;

/* Columns and rows that are added. */
struct gf_margin {
    uint64_t left, top, right, bottom;
};

/* From one value, from x,y, or from left,top,right,bottom. */
static inline struct gf_margin gf_margin_of(const struct gf_u32v *param)
{
    const uint32_t *v = param->v, n = param->n;
    const struct gf_margin margin = {v[0], v[n == 1 ? 0 : 1], v[n == 4 ? 2 : 0], v[n == 4 ? 3 : n == 1 ? 0 : 1]};
    return margin;
}

/* Floats of a line that the CPU resizes at a time if the filter window is small compared with it. */
#define GF_RESIZE_LINE 2048u

/* A part of a picture, in pixels from its top left corner. */
struct gf_region {
    double x, y, width, height;
};

/* 4-byte numbers in a line of the CPU for a row of so many samples, including the margin that may be read and written
 * around it. */
#define GF_PYRAMID_LINE(samples) (((samples) + 15) / 16 * 16 + 3 * UINT64_C(64))

/* The side of a picture one level further down a pyramid, or up. */
static inline uint64_t gf_pyramid_side(uint64_t side, bool up)
{
    return up ? 2 * side : (side + 1) / 2;
}

/* The part of the picture that resize uses: `box`, which `fill` reduces to the result's shape. */
struct gf_region gf_resize_region(const struct gf_resize_params *params, const struct gf_view *src);

/* BAD_PARAM for a use of alpha that a picture of another size cannot have. */
enum gf_status gf_check_resized_alpha(const struct gf_op *op, const struct gf_view *src, uint32_t alpha,
                                      struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

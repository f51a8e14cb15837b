/* SPDX-License-Identifier: MIT */
/* The margin of pad and the window of resize as their parameters say them. Read by outputs/, reach.c and
 * kernels/shared. */
#ifndef GF_PROTOCOL_OUTPUTS_GEOMETRY_H
#define GF_PROTOCOL_OUTPUTS_GEOMETRY_H

#include "op_params.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns and rows that are added. */
struct gf_margin {
    uint64_t left, top, right, bottom;
};

/* Of one value, of x,y, or of left,top,right,bottom. */
static inline struct gf_margin gf_margin_of(const struct gf_u32v *param)
{
    const uint32_t *v = param->v, n = param->n;
    const struct gf_margin margin = {v[0], v[n == 1 ? 0 : 1], v[n == 4 ? 2 : 0], v[n == 4 ? 3 : n == 1 ? 0 : 1]};
    return margin;
}

/* Floats of a line that the CPU resizes at a time, where the window of a pixel is small against it. */
#define GF_RESIZE_LINE 2048u

/* Part of a picture, in pixels from its top left corner. */
struct gf_region {
    double x, y, width, height;
};

/* Numbers of 4 bytes of a line of the CPU's, of a row of so many samples and what may be read and written around it. */
#define GF_PYRAMID_LINE(samples) (((samples) + 15) / 16 * 16 + 3 * UINT64_C(64))

/* A side of a picture a level further down a pyramid, and up it. */
static inline uint64_t gf_pyramid_side(uint64_t side, bool up)
{
    return up ? 2 * side : (side + 1) / 2;
}

/* The part that resize makes its result of: `box`, of which `fill` takes what has its shape. */
struct gf_region gf_resize_region(const struct gf_resize_params *params, const struct gf_view *src);

#ifdef __cplusplus
}
#endif
#endif

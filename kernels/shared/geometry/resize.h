/* SPDX-License-Identifier: MIT */
/*
 * resize, prepared on the host and alike for both backends: how results lie over the source, and for each column and
 * row of the result its source pixels and their weights. docs/numerics.md, "resize", has the formulas.
 */
#ifndef GF_KERNELS_RESIZE_H
#define GF_KERNELS_RESIZE_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the results of an axis lie over the source pixels, in f64. */
struct gf_resize_map {
    double origin, step; /* result i covers origin + i * step to origin + (i + 1) * step */
    double wider;        /* widening of the filter, at least 1 */
    double support;      /* reach of the filter to either side */
    uint32_t filter;
    uint32_t n, length; /* results, pixels */
    uint32_t period;    /* number of results after which the position over the pixels should repeat; 0: unknown */
};

/* Pixel i of the result is made of source pixels from first[i] on, at most `most`, with weights[at[i]] to weights[at[i
 * + 1]] - 1. With filter=nearest it is pixel first[i], and there are no weights. */
struct gf_resize_axis {
    uint32_t n, most;
    uint32_t *first, *at; /* n, n + 1; owned, as are the weights */
    float *weights;
};

#define GF_RESIZE_AXIS_NULL ((struct gf_resize_axis){0})

struct gf_resize {
    bool nearest;
    bool premultiply;
    bool linear; /* decode and encode; only u8 and u16 */
    bool halves; /* on both axes result i is the mean of pixels origin + 2i and the next, with weights 0.5 */
    struct gf_resize_map across, down;
    struct gf_resize_axis x, y; /* empty until gf_resize_axes_init */
};

#define GF_RESIZE_NULL ((struct gf_resize){0})

/* Prepares a step without its axes: only what sizes and parameters determine. Takes almost no time. */
void gf_resize_plan(struct gf_resize *resize, const struct gf_step *step, const struct gf_view *src);
/* Makes the axes of a prepared step. NO_MEMORY. On success the caller must call gf_resize_deinit. */
enum gf_status gf_resize_axes_init(struct gf_resize *resize, struct gf_error *err);
void gf_resize_deinit(struct gf_resize *resize);

/* Makes one axis. NO_MEMORY. On success the caller must call gf_resize_axis_deinit. */
enum gf_status gf_resize_axis_init(struct gf_resize_axis *axis, const struct gf_resize_map *map, struct gf_error *err);
void gf_resize_axis_deinit(struct gf_resize_axis *axis);

/* Results 0 to i are made of source pixels below the returned one; some of them may have no weight. */
uint32_t gf_resize_needed(const struct gf_resize_map *map, uint32_t i);

#ifdef __cplusplus
}
#endif
#endif

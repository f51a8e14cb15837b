/* SPDX-License-Identifier: MIT */
/*
 * resize after its parameters have been worked out, on the host and alike for both backends: for each column and each
 * row of the result, which pixels of the source it is made of and their weights. docs/numerics.md 16 has the formulas.
 */
#ifndef GF_KERNELS_RESIZE_H
#define GF_KERNELS_RESIZE_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pixel i of the result is made of those from first[i] on, at most `most`, with weights[at[i]] to weights[at[i + 1]].
 * With filter=nearest it is pixel first[i], and there are no weights. */
struct gf_resize_axis {
    uint32_t n, most;
    uint32_t *first, *at; /* n, n + 1; owned, as are the weights */
    float *weights;
};

struct gf_resize {
    bool nearest;
    bool premultiply;
    bool linear; /* decode and encode; u8 and u16 only */
    struct gf_resize_axis x, y;
};

#define GF_RESIZE_NULL ((struct gf_resize){0})

/* Works out a step. NO_MEMORY. On success the caller calls gf_resize_deinit. */
enum gf_status gf_resize_init(struct gf_resize *resize, const struct gf_step *step, const struct gf_view *src,
                              struct gf_error *err);
void gf_resize_deinit(struct gf_resize *resize);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* The weights of one window of resize. Used by resize.c. */
#ifndef GF_KERNELS_RESIZE_WEIGHTS_H
#define GF_KERNELS_RESIZE_WEIGHTS_H

#include "resize.h"

/* The window of a result; its pixels are first .. end - 1. */
struct gf_resize_window {
    double centre, begin, stop; /* area covers begin to stop */
    uint32_t first, end;
};

/* Weights are computed in vectors, so up to this many beyond the last pixel. */
#define GF_RESIZE_SPARE 4u

/* Computes the weights of a window, one per pixel. `room` must hold GF_RESIZE_SPARE more. */
typedef void gf_resize_weigh_fn(const struct gf_resize_map *map, const struct gf_resize_window *window, double *room,
                                float *ret);
/* The same function for each instruction set. */
gf_resize_weigh_fn gf_resize_weigh_generic, gf_resize_weigh_avx2;

/* Chooses the function for this processor. In resize.c. */
gf_resize_weigh_fn *gf_resize_weigh(void);

#endif

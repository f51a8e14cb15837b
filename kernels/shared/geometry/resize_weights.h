/* SPDX-License-Identifier: MIT */
/* The weights of one window of resize. Used by resize.c. */
#ifndef GF_KERNELS_RESIZE_WEIGHTS_H
#define GF_KERNELS_RESIZE_WEIGHTS_H

#include "resize.h"

/* What a result is made of; its pixels are first .. end - 1. */
struct gf_resize_window {
    double centre, begin, stop; /* area takes from begin to stop */
    uint32_t first, end;
};

/* Weights are made so many at a time, the last of which may be none. */
#define GF_RESIZE_SPARE 4u

/* The weights of a window, as many as it has pixels; `room` has room for GF_RESIZE_SPARE more. */
typedef void gf_resize_weigh_fn(const struct gf_resize_map *map, const struct gf_resize_window *window, double *room,
                                float *ret);
/* The same for each instruction set. */
gf_resize_weigh_fn gf_resize_weigh_generic, gf_resize_weigh_avx2;

/* The one for this processor. In resize.c. */
gf_resize_weigh_fn *gf_resize_weigh(void);

#endif

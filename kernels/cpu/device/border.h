/* SPDX-License-Identifier: MIT */
/* Rows of a picture extended by its border, for ops that read neighbours. */
#ifndef GF_KERNELS_CPU_BORDER_H
#define GF_KERNELS_CPU_BORDER_H

#include "cpu_ops.h"

struct gf_cpu_border {
    uint32_t rule; /* GF_BORDER_* */
    const struct gf_buf *src;
    /* Converts consecutive pixels. */
    void (*load)(const void *context, const void *from, void *to, size_t pixels);
    const void *context;
    size_t pixel;        /* bytes of one converted pixel */
    const void *outside; /* the converted border value, for a constant border */
};

/* Converts pixels x0 .. x1 - 1 of row y. Any of the pixels, and the row, may lie outside the picture. */
void gf_cpu_load_row(const struct gf_cpu_border *b, int64_t y, int64_t x0, int64_t x1, void *to);

#endif

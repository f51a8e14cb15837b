/* SPDX-License-Identifier: MIT */
#include "border.h"

#include <string.h>

#include "kernels/shared/filter.h"

static const unsigned char *pixel_at(const struct gf_buf *buf, int64_t y, int64_t x)
{
    size_t pixel = buf->view.channels * gf_dtype_size(buf->view.dtype);
    return (const unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * pixel;
}

/* Pixels that are all outside the picture; y is -1 in a row of a constant border. */
static void load_outside(const struct gf_cpu_border *b, int64_t y, int64_t x0, int64_t x1, unsigned char *to)
{
    for (int64_t x = x0; x < x1; x++, to += b->pixel) {
        int64_t from = y < 0 ? -1 : gf_border_index(b->rule, x, (int64_t)b->src->view.width);
        if (from < 0)
            memcpy(to, b->outside, b->pixel);
        else
            b->load(b->context, pixel_at(b->src, y, from), to, 1);
    }
}

void gf_cpu_load_row(const struct gf_cpu_border *b, int64_t y, int64_t x0, int64_t x1, void *to)
{
    const int64_t width = (int64_t)b->src->view.width;
    int64_t row = gf_border_index(b->rule, y, (int64_t)b->src->view.height);
    int64_t in0 = x0 < 0 ? 0 : x0, in1 = x1 < width ? x1 : width;
    unsigned char *line = to;
    if (row < 0 || in0 >= in1) {
        load_outside(b, row, x0, x1, line);
        return;
    }
    load_outside(b, row, x0, in0, line);
    b->load(b->context, pixel_at(b->src, row, in0), line + (size_t)(in0 - x0) * b->pixel, (size_t)(in1 - in0));
    load_outside(b, row, in1, x1, line + (size_t)(in1 - x0) * b->pixel);
}

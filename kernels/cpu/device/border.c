/* SPDX-License-Identifier: MIT */
#include "border.h"

#include <string.h>

#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"

/* Outside a picture, the pixel this many further is the same one. */
static int64_t period_of(uint32_t rule, int64_t width)
{
    if (rule == GF_BORDER_REFLECT)
        return 2 * width;
    if (rule == GF_BORDER_REFLECT101)
        return width > 1 ? 2 * width - 2 : 1;
    return rule == GF_BORDER_WRAP ? width : 1;
}

/* Loads pixels that all lie outside the picture, on one side of it. `row` is NULL for a row of a constant border. */
static void load_outside(const struct gf_cpu_border *b, const unsigned char *row, size_t pixel, int64_t x0, int64_t x1,
                         unsigned char *to)
{
    const int64_t width = (int64_t)b->src->view.width, period = row == NULL ? 1 : period_of(b->rule, width);
    const size_t n = (size_t)(x1 - x0);
    size_t done = 0;
    for (; done < n && done < (size_t)period; done++) {
        int64_t from = row == NULL ? -1 : gf_border_index(b->rule, x0 + (int64_t)done, width);
        if (from < 0)
            memcpy(to + done * b->pixel, b->outside, b->pixel);
        else
            b->load(b->context, row + (size_t)from * pixel, to + done * b->pixel, 1);
    }
    for (size_t more; done < n; done += more) { /* whole periods so far */
        more = done < n - done ? done : n - done;
        memcpy(to + done * b->pixel, to, more * b->pixel);
    }
}

void gf_cpu_load_row(const struct gf_cpu_border *b, int64_t y, int64_t x0, int64_t x1, void *to)
{
    const struct gf_view *view = &b->src->view;
    const size_t pixel = view->channels * gf_dtype_size(view->dtype);
    const int64_t width = (int64_t)view->width, at = gf_border_index(b->rule, y, (int64_t)view->height);
    const int64_t in0 = x0 < 0 ? 0 : x0, in1 = x1 < width ? x1 : width;
    const unsigned char *row = at < 0 ? NULL : (const unsigned char *)b->src->data + (size_t)at * (size_t)view->pitch;
    unsigned char *line = to;
    if (row == NULL || in0 >= in1) {
        load_outside(b, row, pixel, x0, x1, line);
        return;
    }
    load_outside(b, row, pixel, x0, in0, line);
    b->load(b->context, row + (size_t)in0 * pixel, line + (size_t)(in0 - x0) * b->pixel, (size_t)(in1 - in0));
    load_outside(b, row, pixel, in1, x1, line + (size_t)(in1 - x0) * b->pixel);
}

/* SPDX-License-Identifier: MIT */
/* distance, docs/numerics.md, "distance": the nearest 0 of each column, then the nearest of all columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "reference_image.h"
#include "reference_ops.h"

/* How far the nearest 0 of column x is from row y; -1: there is none. */
static int64_t height_of(const struct gf_reference_buf *in, int64_t y, int64_t x)
{
    int64_t n = (int64_t)in->view.height;
    for (int64_t d = 0; d < n; d++) {
        if (y - d >= 0 && gf_reference_read(in, y - d, x, 0) == 0.0f)
            return d;
        if (y + d < n && gf_reference_read(in, y + d, x, 0) == 0.0f)
            return d;
    }
    return -1;
}

static void store(struct gf_reference_buf *out, int64_t y, int64_t x, int64_t square)
{
    char *to = (char *)out->data + (uint64_t)y * out->view.pitch + (uint64_t)x * 4;
    uint32_t whole = square < 0 ? UINT32_MAX : (uint32_t)square;
    float real = square < 0 ? INFINITY : (float)sqrt((double)square);
    memcpy(to, out->view.dtype == GF_U32 ? (const void *)&whole : (const void *)&real, 4);
}

GF_REFERENCE(distance)
{
    int64_t width = (int64_t)in->view.width;
    int64_t *gf_cleanup(gf_freep) heights = malloc((size_t)width * sizeof(*heights));
    (void)op, (void)params;
    if (heights == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a row");
    for (int64_t y = 0; y < (int64_t)in->view.height; y++) {
        for (int64_t x = 0; x < width; x++)
            heights[x] = height_of(in, y, x);
        for (int64_t x = 0; x < width; x++) {
            int64_t least = -1;
            for (int64_t k = 0; k < width; k++) {
                int64_t square = (x - k) * (x - k) + heights[k] * heights[k];
                if (heights[k] >= 0 && (least < 0 || square < least))
                    least = square;
            }
            store(out, y, x, least);
        }
    }
    return GF_OK;
}

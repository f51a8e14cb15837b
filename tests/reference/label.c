/* SPDX-License-Identifier: MIT */
/* label, docs/numerics.md, "label". */
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/label.h"
#include "reference_image.h"
#include "reference_ops.h"

struct flood {
    const struct gf_reference_buf *in, *labels;
    int64_t width, height;
    bool diagonal;
    uint32_t *stack; /* indices of pixels whose neighbours are to be looked at */
    size_t n;
};

static uint32_t *label_at(const struct flood *f, int64_t y, int64_t x)
{
    return (uint32_t *)(void *)((char *)f->labels->data + (uint64_t)y * f->labels->view.pitch) + x;
}

/* NaN is not 0, and -0 is. */
static bool is_foreground(const struct flood *f, int64_t y, int64_t x)
{
    return gf_reference_read(f->in, y, x, 0) != 0.0f;
}

/* Gives a pixel its number, if it has none and needs one. */
static void visit(struct flood *f, int64_t y, int64_t x, uint32_t number)
{
    if (y < 0 || x < 0 || y >= f->height || x >= f->width || !is_foreground(f, y, x) || *label_at(f, y, x) != 0)
        return;
    *label_at(f, y, x) = number;
    f->stack[f->n++] = (uint32_t)(y * f->width + x);
}

static void fill(struct flood *f, int64_t y, int64_t x, uint32_t number)
{
    visit(f, y, x, number);
    while (f->n > 0) {
        uint32_t index = f->stack[--f->n];
        int64_t py = index / f->width, px = index % f->width;
        for (int64_t dy = -1; dy <= 1; dy++)
            for (int64_t dx = -1; dx <= 1; dx++)
                if (dy == 0 || dx == 0 || f->diagonal)
                    visit(f, py + dy, px + dx, number);
    }
}

/* Adds a pixel to the area and the box of its part; pixels come row after row. */
static void measure(uint32_t *area, uint32_t *box, uint32_t x, uint32_t y)
{
    if (*area == 0) {
        box[0] = x;
        box[1] = y;
    }
    uint32_t end = *area == 0 ? x + 1 : box[0] + box[2];
    box[0] = x < box[0] ? x : box[0];
    box[2] = (x >= end ? x + 1 : end) - box[0];
    box[3] = y - box[1] + 1;
    ++*area;
}

static void measure_all(const struct flood *f, uint64_t capacity, uint32_t *areas, uint32_t *boxes)
{
    memset(areas, 0, capacity * sizeof(*areas));
    memset(boxes, 0, 4 * capacity * sizeof(*boxes));
    for (int64_t y = 0; y < f->height; y++)
        for (int64_t x = 0; x < f->width; x++) {
            uint64_t number = *label_at(f, y, x);
            if (number > 0 && number <= capacity)
                measure(&areas[number - 1], &boxes[4 * (number - 1)], (uint32_t)x, (uint32_t)y);
        }
}

GF_REFERENCE(label)
{
    struct flood f = {.in = in,
                      .labels = &out[0],
                      .width = (int64_t)in->view.width,
                      .height = (int64_t)in->view.height,
                      .diagonal = gf_label_params_get(params).connectivity == GF_CONNECTIVITY_EIGHT};
    uint32_t *gf_cleanup(gf_freep) stack = malloc((size_t)(f.width * f.height) * sizeof(*stack));
    uint64_t count = 0;
    (void)op;
    if (stack == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %zu pixels", (size_t)(f.width * f.height));
    f.stack = stack;
    for (int64_t y = 0; y < f.height; y++)
        memset(label_at(&f, y, 0), 0, (size_t)f.width * sizeof(uint32_t));
    for (int64_t y = 0; y < f.height; y++)
        for (int64_t x = 0; x < f.width; x++)
            if (is_foreground(&f, y, x) && *label_at(&f, y, x) == 0)
                fill(&f, y, x, (uint32_t)++count);
    measure_all(&f, out[1].view.width, out[1].data, out[2].data);
    memcpy(out[3].data, &count, sizeof(count));
    return GF_OK;
}

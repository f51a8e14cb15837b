/* SPDX-License-Identifier: MIT */
/* integral, docs/numerics.md, "integral": integers as they come; f32 by the tree along rows, then by row chunks along
 * columns. */
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/integral.h"
#include "reference_ops.h"
#include "reference_scan.h"

/* One channel. */
struct plane {
    struct gf_integral_params p;
    const struct gf_reference_buf *in;
    struct gf_reference_buf *out;
    uint64_t width, height;
    uint32_t channel;
};

static const void *sample(const struct plane *plane, uint64_t x, uint64_t y)
{
    return gf_reference_element(plane->in, GF_AXIS_ROWS, y * plane->in->view.channels + plane->channel, x);
}

/* The sum at (x, y). With `pad`, the sums of an additional row and column of zeros precede it. */
static void *sum_at(const struct plane *plane, uint64_t x, uint64_t y)
{
    uint64_t row = y + plane->p.pad;
    return gf_reference_element(plane->out, GF_AXIS_ROWS, row * plane->out->view.channels + plane->channel,
                                x + plane->p.pad);
}

static enum gf_status integrate_integers(const struct plane *plane, struct gf_error *err)
{
    uint64_t gf_cleanup(gf_freep) *above = calloc(plane->width, sizeof(*above));
    if (above == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of integral");
    for (uint64_t y = 0; y < plane->height; y++) {
        uint64_t row = 0;
        for (uint64_t x = 0; x < plane->width; x++) {
            uint64_t v = (uint64_t)gf_reference_get_int(sample(plane, x, y), plane->in->view.dtype);
            row += plane->p.square ? v * v : v;
            above[x] += row;
            gf_reference_put_int(sum_at(plane, x, y), plane->out->view.dtype, above[x]);
        }
    }
    return GF_OK;
}

static enum gf_status integrate_floats(const struct plane *plane, struct gf_error *err)
{
    struct gf_reference_item gf_cleanup(gf_freep) *rows = calloc(plane->width * plane->height, sizeof(*rows));
    struct gf_reference_item gf_cleanup(gf_freep) *column = calloc(plane->height, sizeof(*column));
    if (rows == NULL || column == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of integral");
    for (uint64_t y = 0; y < plane->height; y++) {
        struct gf_reference_item *row = rows + y * plane->width;
        for (uint64_t x = 0; x < plane->width; x++) {
            double v = gf_reference_get_float(sample(plane, x, y), GF_F32);
            row[x] = (struct gf_reference_item){.present = true, .v = plane->p.square ? v * v : v};
        }
        enum gf_status status = gf_reference_scan_tree(&gf_reference_sum, row, plane->width, err);
        if (status != GF_OK)
            return status;
    }
    for (uint64_t x = 0; x < plane->width; x++) {
        for (uint64_t y = 0; y < plane->height; y++)
            column[y] = rows[y * plane->width + x];
        gf_reference_scan_columns(&gf_reference_sum, column, plane->height);
        for (uint64_t y = 0; y < plane->height; y++)
            gf_reference_put_float(sum_at(plane, x, y), plane->out->view.dtype, column[y].v);
    }
    return GF_OK;
}

/* All bits of 0 are 0 in every dtype. */
static void put_zeros(struct gf_reference_buf *out)
{
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&out->view, GF_AXIS_ROWS); s++)
        for (uint64_t x = 0; x < (s < out->view.channels ? out->view.width : 1); x++)
            gf_reference_put_int(gf_reference_element(out, GF_AXIS_ROWS, s, x), out->view.dtype, 0);
}

GF_REFERENCE(integral)
{
    (void)op;
    struct plane plane = {.p = gf_integral_params_get(params), .in = in, .out = out};
    enum gf_status status = GF_OK;
    plane.width = in->view.width;
    plane.height = in->view.height;
    if (plane.p.pad)
        put_zeros(out);
    for (; plane.channel < in->view.channels && status == GF_OK; plane.channel++)
        status = in->view.dtype == GF_F32 ? integrate_floats(&plane, err) : integrate_integers(&plane, err);
    return status;
}

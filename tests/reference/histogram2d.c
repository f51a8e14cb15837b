/* SPDX-License-Identifier: MIT */
/* histogram2d, docs/numerics.md, "histogram2d". */
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram2d.h"
#include "reference_bins.h"
#include "reference_ops.h"

/* One side of the pairs. */
struct side {
    const struct gf_reference_buf *buf;
    struct gf_pair_axis axis;
    struct gf_reference_edges edges;
};

static void sides_deinit(struct side (*sides)[2])
{
    for (uint32_t k = 0; k < 2; k++)
        gf_reference_edges_deinit(&(*sides)[k].edges);
}

static enum gf_status side_init(const struct gf_histogram2d_params *p, const struct gf_reference_buf *in, uint32_t k,
                                struct side *ret, struct gf_error *err)
{
    struct gf_view views[2] = {in[0].view};
    if (in[1].data != NULL)
        views[1] = in[1].view;
    ret->axis = gf_histogram2d_axis(p, views, k);
    ret->buf = &in[ret->axis.input];
    struct gf_reference_range range = {true, ret->axis.lo, ret->axis.hi};
    bool of_data = ret->axis.range == GF_HIST_RANGE_DATA;
    if (of_data)
        range = (struct gf_reference_range){0};
    for (uint64_t y = 0; of_data && y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            gf_reference_range_add(&range, gf_reference_value_at(ret->buf, y, x, ret->axis.channel));
    return gf_reference_edges_init(range.lo, range.hi, ret->axis.bins, p->last_closed != 0 || of_data,
                                   ret->buf->view.dtype, &ret->edges, err);
}

static void put(const struct gf_reference_buf *out, uint64_t y, uint64_t x, const void *value)
{
    memcpy((char *)out->data + y * out->view.pitch + x * 8, value, 8);
}

static void add(const struct gf_reference_buf *out, uint64_t y, uint64_t x)
{
    uint64_t n;
    memcpy(&n, (const char *)out->data + y * out->view.pitch + x * 8, 8);
    n++;
    put(out, y, x, &n);
}

GF_REFERENCE(histogram2d)
{
    const struct gf_histogram2d_params p = gf_histogram2d_params_get(params);
    struct side gf_cleanup(sides_deinit) sides[2] = {{0}};
    (void)op;
    for (uint32_t k = 0; k < 2; k++) {
        enum gf_status status = side_init(&p, in, k, &sides[k], err);
        if (status != GF_OK)
            return status;
        for (uint32_t i = 0; i <= sides[k].edges.n; i++)
            put(&out[2 + k], 0, i, &sides[k].edges.e[i]);
    }
    for (uint64_t y = 0; y < out[0].view.height; y++)
        memset((char *)out[0].data + y * out[0].view.pitch, 0, out[0].view.width * 8);
    memset(out[1].data, 0, 16);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++) {
            uint32_t bin[2], n[2] = {sides[0].edges.n, sides[1].edges.n};
            for (uint32_t k = 0; k < 2; k++)
                bin[k] =
                    gf_reference_bin(&sides[k].edges, gf_reference_value_at(sides[k].buf, y, x, sides[k].axis.channel));
            if (bin[0] < n[0] && bin[1] < n[1])
                add(&out[0], bin[0], bin[1]);
            else
                add(&out[1], 0, bin[0] == n[0] + 2 || bin[1] == n[1] + 2 ? 1 : 0);
        }
    return GF_OK;
}

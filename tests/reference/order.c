/* SPDX-License-Identifier: MIT */
/* The family order: sort, argsort, topk and quantile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/half.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/argsort.h"
#include "protocol/ops/params/quantile.h"
#include "protocol/ops/params/sort.h"
#include "protocol/ops/params/topk.h"
#include "reference_image.h"
#include "reference_ops.h"
#include "reference_reduce.h"
#include "reference_scan.h"

/* sort, argsort and topk, docs/numerics.md, "sort, argsort, topk". */

/* Of an element: a float, or an integer. */
union value {
    double f;
    gf_reference_int i;
};

static double float_at(const void *at, uint32_t dtype)
{
    uint16_t half;
    if (dtype != GF_F16)
        return gf_reference_get_float(at, dtype);
    memcpy(&half, at, sizeof(half));
    return (double)gf_half_to_f32(half);
}

static union value *values_of(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, uint64_t n)
{
    uint32_t dtype = in->view.dtype;
    union value *values = calloc(n, sizeof(*values));
    for (uint64_t i = 0; values && i < n; i++) {
        const void *at = gf_reference_element(in, axis, sequence, i);
        if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
            values[i].f = float_at(at, dtype);
        else
            values[i].i = gf_reference_get_int(at, dtype);
    }
    return values;
}

/* Whether an element comes before another one by its value alone. */
static bool is_before(bool floats, bool descending, const union value *a, const union value *b)
{
    if (!floats)
        return descending ? a->i > b->i : a->i < b->i;
    if (isnan(a->f) || isnan(b->f))
        return !isnan(a->f);
    return descending ? a->f > b->f : a->f < b->f;
}

/* The indices of a sequence's elements in their order, merged from runs of one element, two, four and so on; owned by
 * the caller. NULL: no memory. */
static uint64_t *order_of(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, bool descending)
{
    bool floats = gf_dtype_kind(in->view.dtype) == GF_KIND_FLOAT;
    uint64_t n = gf_reference_length(&in->view, axis);
    union value *values = values_of(in, axis, sequence, n);
    uint64_t *from = calloc(n, sizeof(*from)), *to = calloc(n, sizeof(*to));
    bool whole = values && from && to;
    for (uint64_t i = 0; whole && i < n; i++)
        from[i] = i;
    for (uint64_t run = 1; whole && run < n; run *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * run) {
            uint64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;
            uint64_t left = start, right = middle;
            for (uint64_t k = start; k < end; k++) {
                bool is_right = left == middle || (right < end && is_before(floats, descending, &values[from[right]],
                                                                            &values[from[left]]));
                to[k] = is_right ? from[right++] : from[left++];
            }
        }
        uint64_t *merged = to;
        to = from;
        from = merged;
    }
    free(values);
    free(to);
    if (!whole) {
        free(from);
        from = NULL;
    }
    return from;
}

/* The first k of each sequence in their order: samples, and indices, unless NULL. */
static enum gf_status run(const struct gf_op *op, uint32_t axis, bool descending, uint64_t k,
                          const struct gf_reference_buf *in, struct gf_reference_buf *samples,
                          struct gf_reference_buf *indices, struct gf_error *err)
{
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&in->view, axis); s++) {
        uint64_t gf_cleanup(gf_freep) *order = order_of(in, axis, s, descending);
        if (order == NULL)
            return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
        for (uint64_t i = 0; i < k; i++) {
            if (samples != NULL)
                gf_reference_copy_sample(gf_reference_element(samples, axis, s, i),
                                         gf_reference_element(in, axis, s, order[i]), in->view.dtype);
            if (indices != NULL)
                memcpy(gf_reference_element(indices, axis, s, i), &order[i], sizeof(order[i]));
        }
    }
    return GF_OK;
}

GF_REFERENCE(sort)
{
    const struct gf_sort_params p = gf_sort_params_get(params);
    return run(op, p.axis, p.descending != 0, gf_reference_length(&in->view, p.axis), in, out, NULL, err);
}

GF_REFERENCE(argsort)
{
    const struct gf_argsort_params p = gf_argsort_params_get(params);
    return run(op, p.axis, p.descending != 0, gf_reference_length(&in->view, p.axis), in, NULL, out, err);
}

GF_REFERENCE(topk)
{
    const struct gf_topk_params p = gf_topk_params_get(params);
    return run(op, p.axis, p.smallest == 0, p.k, in, &out[0], &out[1], err);
}

/* quantile, docs/numerics.md, "quantile". */

struct element {
    double x;
    gf_reference_i128 whole; /* 0 of floats */
};

static int compare(const void *a, const void *b)
{
    const struct element *p = a, *q = b;
    if (p->whole != q->whole)
        return p->whole < q->whole ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

/* The value so far between two elements. */
static double between(bool whole, struct element a, struct element b, double weight)
{
    double d = whole ? (double)(b.whole - a.whole) : b.x - a.x;
    if (weight == 0.0 || a.x == b.x)
        return a.x;
    if (isinf(d))
        return a.x * (1.0 - weight) + b.x * weight;
    return weight < 0.5 ? a.x + d * weight : b.x - d * (1.0 - weight);
}

static double quantile(const struct element *sorted, uint64_t n, bool whole, uint32_t method, double q)
{
    double at = (double)(n - 1) * q, below = floor(at), weight = 0.0;
    if (method == GF_QUANTILE_LINEAR)
        weight = at - below;
    if (method == GF_QUANTILE_HIGHER)
        below = ceil(at);
    if (method == GF_QUANTILE_NEAREST)
        below = rint(at);
    if (method == GF_QUANTILE_MIDPOINT && at != below)
        weight = 0.5;
    const struct element *a = &sorted[(uint64_t)below];
    return between(whole, a[0], weight > 0.0 ? a[1] : a[0], weight) + 0.0;
}

/* All quantiles of a sequence. */
static enum gf_status quantiles(const struct gf_reference_sequence *s, const struct gf_quantile_params *p, double *ret,
                                struct gf_error *err)
{
    bool whole = gf_dtype_kind(s->dtype) != GF_KIND_FLOAT, nan = false;
    struct element *gf_cleanup(gf_freep) sorted = malloc((s->n + 1) * sizeof(*sorted));
    uint64_t n = 0;
    if (sorted == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a sequence");
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->there[i])
            sorted[n++] = (struct element){s->x[i], whole ? s->whole[i] : 0};
        nan = nan || (s->there[i] && !whole && isnan(s->x[i]));
    }
    if (!nan)
        qsort(sorted, n, sizeof(*sorted), compare);
    for (uint32_t i = 0; i < p->q.n; i++)
        ret[i] = n == 0 || nan ? (double)NAN : quantile(sorted, n, whole, p->method, p->q.v[i]);
    return GF_OK;
}

/* Sequence `index` of segments, or of the parameter axis. */
static enum gf_status sequence(const struct gf_quantile_params *p, const struct gf_reference_buf *in, uint64_t index,
                               struct gf_reference_sequence *ret, struct gf_error *err)
{
    bool omit = p->nan == GF_NAN_OMIT;
    uint64_t line = index / in[0].view.channels;
    if (in[1].data == NULL)
        return gf_reference_sequence_init(&in[0], p->axis, index, omit, ret, err);
    return gf_reference_sequence_cut(&in[0], (uint32_t)(index % in[0].view.channels), gf_reference_offset(&in[1], line),
                                     gf_reference_offset(&in[1], line + 1), omit, ret, err);
}

GF_REFERENCE(quantile)
{
    const struct gf_quantile_params p = gf_quantile_params_get(params);
    const struct gf_view *v = &in[0].view;
    bool cut = in[1].data != NULL;
    uint64_t n = cut ? (in[1].view.width - 1) * v->channels : gf_reference_sequences(v, p.axis);
    (void)op;
    enum gf_status status = cut ? gf_reference_check_segments(&in[1], v->width * v->height, err) : GF_OK;
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        double values[GF_MAX_VALUES];
        status = sequence(&p, in, i, &s, err);
        if (status == GF_OK)
            status = quantiles(&s, &p, values, err);
        if (status != GF_OK)
            return status;
        uint64_t line = i / v->channels, c = i % v->channels;
        for (uint32_t k = 0; k < p.q.n; k++)
            if (cut || p.axis == GF_AXIS_COLS)
                gf_reference_put(out, line * v->channels + c, k, gf_reference_f64_bits(values[k]));
            else
                gf_reference_put(out, k * v->channels + c, line, gf_reference_f64_bits(values[k]));
    }
    return status;
}

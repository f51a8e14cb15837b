/* SPDX-License-Identifier: MIT */
/* quantile, docs/numerics.md, "quantile". */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/quantile.h"
#include "reference_ops.h"
#include "reference_reduce.h"

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

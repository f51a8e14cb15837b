/* SPDX-License-Identifier: MIT */
/* The family scan: scan, recurrence and integral. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/integral.h"
#include "protocol/ops/params/recurrence.h"
#include "protocol/ops/params/scan.h"
#include "reference_operator.h"
#include "reference_ops.h"
#include "reference_scan.h"

/* scan, docs/numerics.md, "scan": sums and products of floats by the tree, everything else one after the other. */

/* One sequence. */
struct sequence {
    const struct gf_op *op;
    const struct gf_reference_buf *in;
    struct gf_reference_buf *out;
    uint32_t axis;
    bool reverse;
    uint64_t number, first, n; /* its elements in the line `number`: a whole one, or a segment */
};

static void *at(const struct sequence *s, const struct gf_reference_buf *buf, uint64_t i)
{
    return gf_reference_element(buf, s->axis, s->number, s->first + (s->reverse ? s->n - 1 - i : i));
}

static double identity(uint32_t op)
{
    return op == GF_SCAN_SUM ? 0 : op == GF_SCAN_PRODUCT ? 1 : op == GF_SCAN_MIN ? (double)INFINITY : -(double)INFINITY;
}

static bool is_tree(const struct gf_scan_params *p)
{
    return p->op == GF_SCAN_SUM || p->op == GF_SCAN_PRODUCT;
}

/* IEEE 754-2019 minimum or maximum. */
static double extreme(uint32_t op, double l, double r)
{
    if (isnan(l) || isnan(r))
        return (double)NAN;
    if (l == r)
        return (signbit(l) != 0) == (op == GF_SCAN_MIN) ? l : r;
    return (l < r) == (op == GF_SCAN_MIN) ? l : r;
}

static double with_init(const struct gf_scan_params *p, double v)
{
    if (p->start != GF_START_INITIAL)
        return v;
    return p->op == GF_SCAN_SUM       ? p->initial + v
           : p->op == GF_SCAN_PRODUCT ? p->initial * v
                                      : extreme(p->op, p->initial, v);
}

static enum gf_status scan_floats(const struct gf_scan_params *p, const struct sequence *s, struct gf_error *err)
{
    struct gf_reference_item gf_cleanup(gf_freep) *x = calloc(s->n, sizeof(*x));
    if (x == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", s->op->name);
    for (uint64_t i = 0; i < s->n; i++)
        x[i] = (struct gf_reference_item){.present = true,
                                          .v = gf_reference_get_float(at(s, s->in, i), s->in->view.dtype)};
    enum gf_status status = GF_OK;
    const struct gf_reference_join *join = p->op == GF_SCAN_SUM ? &gf_reference_sum : &gf_reference_product;
    if (is_tree(p) && p->axis == GF_AXIS_COLS)
        gf_reference_scan_columns(join, x, s->n);
    else if (is_tree(p))
        status = gf_reference_scan_tree(join, x, s->n, err);
    else
        for (uint64_t i = 1; i < s->n; i++)
            x[i].v = extreme(p->op, x[i - 1].v, x[i].v);
    double first = p->start == GF_START_INITIAL ? p->initial : identity(p->op);
    for (uint64_t i = 0; i < s->n && status == GF_OK; i++) {
        double v = !p->exclusive ? with_init(p, x[i].v) : i == 0 ? first : with_init(p, x[i - 1].v);
        gf_reference_put_float(at(s, s->out, i), s->out->view.dtype, v);
    }
    return status;
}

/* An exact integer as long as 128 bits hold it, and its value modulo 2^64. */
struct whole {
    gf_reference_int exact;
    bool large; /* past exact */
    uint64_t low;
};

static struct whole next(uint32_t op, struct whole l, gf_reference_int r)
{
    struct whole v = {.large = false};
    if (op == GF_SCAN_MIN || op == GF_SCAN_MAX) {
        v.exact = (l.exact < r) == (op == GF_SCAN_MIN) ? l.exact : r;
        v.low = (uint64_t)v.exact;
        return v;
    }
    v.low = op == GF_SCAN_SUM ? l.low + (uint64_t)r : l.low * (uint64_t)r;
    if (op == GF_SCAN_SUM) {
        v.exact = l.exact + r;
    } else if (l.large) {
        v.large = r != 0;
    } else {
        v.large = __builtin_mul_overflow(l.exact, r, &v.exact);
    }
    return v;
}

static bool fits(struct whole v, uint32_t dtype)
{
    unsigned bits = (unsigned)gf_dtype_size(dtype) * 8;
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    gf_reference_int hi = ((gf_reference_int)1 << (bits - is_signed)) - 1, lo = is_signed ? -hi - 1 : 0;
    return !v.large && v.exact >= lo && v.exact <= hi;
}

/* What a sequence starts from: init, or what leaves the first element as it is. */
static struct whole start(const struct gf_scan_params *p, uint32_t dtype)
{
    unsigned bits = (unsigned)gf_dtype_size(dtype) * 8;
    bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    gf_reference_int hi = ((gf_reference_int)1 << (bits - is_signed)) - 1, lo = is_signed ? -hi - 1 : 0, v;
    if (p->start == GF_START_INITIAL)
        v = (gf_reference_int)p->initial;
    else
        v = p->op == GF_SCAN_SUM ? 0 : p->op == GF_SCAN_PRODUCT ? 1 : p->op == GF_SCAN_MIN ? hi : lo;
    return (struct whole){v, false, (uint64_t)v};
}

static enum gf_status scan_integers(const struct gf_scan_params *p, const struct sequence *s, struct gf_error *err)
{
    uint32_t dtype = s->out->view.dtype;
    struct whole acc = start(p, dtype);
    for (uint64_t i = 0; i < s->n; i++) {
        struct whole with = next(p->op, acc, gf_reference_get_int(at(s, s->in, i), s->in->view.dtype));
        struct whole result = p->exclusive ? acc : with;
        if (p->overflow == GF_OVERFLOW_ERROR && !fits(result, dtype))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: result %llu of sequence %llu", s->op->name,
                                (unsigned long long)i, (unsigned long long)s->number);
        gf_reference_put_int(at(s, s->out, i), dtype, result.low);
        acc = with;
    }
    return GF_OK;
}

static enum gf_status scan_sequence(const struct gf_scan_params *p, const struct sequence *s, struct gf_error *err)
{
    return gf_dtype_kind(s->in->view.dtype) == GF_KIND_FLOAT ? scan_floats(p, s, err) : scan_integers(p, s, err);
}

/* Offsets begin with 0, do not decrease and end with the number of elements. */
static enum gf_status check_offsets(const struct gf_op *op, const struct gf_reference_buf *list, uint64_t n,
                                    struct gf_error *err)
{
    uint64_t last = list->view.width - 1;
    gf_reference_int before = 0;
    for (uint64_t i = 0; i <= last; i++) {
        gf_reference_int offset = gf_reference_get_int(gf_reference_element(list, GF_AXIS_ALL, 0, i), list->view.dtype);
        if (offset < before || offset > n || (i == 0 && offset != 0) || (i == last && offset != n))
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: offset %llu", op->name, (unsigned long long)i);
        before = offset;
    }
    return GF_OK;
}

static enum gf_status scan_segments(const struct gf_scan_params *p, struct sequence *s,
                                    const struct gf_reference_buf *list, struct gf_error *err)
{
    enum gf_status status = check_offsets(s->op, list, gf_reference_length(&s->in->view, GF_AXIS_ALL), err);
    for (uint64_t k = 0; k + 1 < list->view.width && status == GF_OK; k++) {
        s->first = (uint64_t)gf_reference_get_int(gf_reference_element(list, GF_AXIS_ALL, 0, k), list->view.dtype);
        s->n = (uint64_t)gf_reference_get_int(gf_reference_element(list, GF_AXIS_ALL, 0, k + 1), list->view.dtype) -
               s->first;
        for (s->number = 0; s->number < s->in->view.channels && s->n > 0 && status == GF_OK; s->number++)
            status = scan_sequence(p, s, err);
    }
    return status;
}

GF_REFERENCE(scan)
{
    const struct gf_scan_params p = gf_scan_params_get(params);
    struct sequence s = {.op = op, .in = in, .out = out, .axis = p.axis, .reverse = p.reverse != 0};
    enum gf_status status = GF_OK;
    if (p.op == GF_SCAN_USER)
        return gf_reference_operator(op, params, in, out, err);
    if (in[1].data != NULL)
        return scan_segments(&p, &s, &in[1], err);
    s.n = gf_reference_length(&in->view, p.axis);
    for (; s.number < gf_reference_scan_sequences(&in->view, p.axis) && status == GF_OK; s.number++)
        status = scan_sequence(&p, &s, err);
    return status;
}

/* recurrence, docs/numerics.md, "recurrence": the second components of a scan of affine maps. */

GF_REFERENCE(recurrence)
{
    const struct gf_recurrence_params p = gf_recurrence_params_get(params);
    uint64_t n = gf_reference_length(&in->view, p.axis);
    struct gf_reference_item gf_cleanup(gf_freep) *e = calloc(n, sizeof(*e));
    if (e == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&in->view, p.axis); s++) {
        for (uint64_t i = 0; i < n; i++) {
            double x = gf_reference_get_float(gf_reference_element(in, p.axis, s, i), in->view.dtype);
            e[i] = (struct gf_reference_item){.present = true, .a = p.a, .v = p.b * x};
        }
        if (p.start == GF_START_INITIAL)
            e[0].v = fma(p.a, p.initial, e[0].v);
        if (p.axis == GF_AXIS_COLS) {
            gf_reference_scan_columns(&gf_reference_affine, e, n);
        } else {
            enum gf_status status = gf_reference_scan_tree(&gf_reference_affine, e, n, err);
            if (status != GF_OK)
                return status;
        }
        for (uint64_t i = 0; i < n; i++)
            gf_reference_put_float(gf_reference_element(out, p.axis, s, i), out->view.dtype, e[i].v);
    }
    return GF_OK;
}

/* integral, docs/numerics.md, "integral": integers as they come; f32 by the tree along rows, then by row chunks along
 * columns. */

/* One channel. */
struct plane {
    const struct gf_reference_buf *in;
    struct gf_reference_buf *out;
    uint64_t width, height;
    uint32_t channel, pad;
    bool square;
};

static const void *sample(const struct plane *plane, uint64_t x, uint64_t y)
{
    return gf_reference_element(plane->in, GF_AXIS_ROWS, y * plane->in->view.channels + plane->channel, x);
}

/* The sum at (x, y). With `pad`, the sums of an additional row and column of zeros precede it. */
static void *sum_at(const struct plane *plane, uint64_t x, uint64_t y)
{
    uint64_t row = y + plane->pad;
    return gf_reference_element(plane->out, GF_AXIS_ROWS, row * plane->out->view.channels + plane->channel,
                                x + plane->pad);
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
            row += plane->square ? v * v : v;
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
            row[x] = (struct gf_reference_item){.present = true, .v = plane->square ? v * v : v};
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
    const struct gf_integral_params p = gf_integral_params_get(params);
    struct plane plane = {.in = in,
                          .out = out,
                          .width = in->view.width,
                          .height = in->view.height,
                          .pad = p.pad,
                          .square = p.square != 0};
    enum gf_status status = GF_OK;
    if (p.pad)
        put_zeros(out);
    for (; plane.channel < in->view.channels && status == GF_OK; plane.channel++)
        status = in->view.dtype == GF_F32 ? integrate_floats(&plane, err) : integrate_integers(&plane, err);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* The family linalg: matmul, correlate1d and convolve1d. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/correlate1d.h"
#include "protocol/ops/params/matmul.h"
#include "reference_image.h"
#include "reference_ops.h"
#include "reference_scan.h"

/* The greatest magnitude. */
static gf_reference_int greatest(const struct gf_reference_buf *buf)
{
    gf_reference_int max = 0;
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&buf->view, GF_AXIS_ROWS); s++)
        for (uint64_t i = 0; i < buf->view.width; i++) {
            gf_reference_int v = gf_reference_get_int(gf_reference_element(buf, GF_AXIS_ROWS, s, i), buf->view.dtype);
            v = v < 0 ? -v : v;
            max = v > max ? v : max;
        }
    return max;
}

/* matmul, docs/numerics.md, "matmul". */

static void *element(const struct gf_reference_buf *buf, uint64_t y, uint64_t x)
{
    return gf_reference_element(buf, GF_AXIS_ROWS, y, x);
}

static double float_cell(const struct gf_reference_buf *in, uint64_t y, uint64_t x)
{
    uint32_t dtype = in[0].view.dtype;
    double acc = 0.0;
    for (uint64_t k = 0; k < in[0].view.width; k++) {
        double a = gf_reference_get_float(element(&in[0], y, k), dtype),
               b = gf_reference_get_float(element(&in[1], k, x), dtype);
        acc = dtype == GF_F32 ? (double)fmaf((float)a, (float)b, (float)acc) : fma(a, b, acc);
    }
    return acc;
}

static gf_reference_int whole_cell(const struct gf_reference_buf *in, uint64_t y, uint64_t x)
{
    gf_reference_int acc = 0;
    for (uint64_t k = 0; k < in[0].view.width; k++)
        acc += gf_reference_get_int(element(&in[0], y, k), in[0].view.dtype) *
               gf_reference_get_int(element(&in[1], k, x), in[1].view.dtype);
    return acc;
}

GF_REFERENCE(matmul)
{
    bool is_float = gf_dtype_kind(in[0].view.dtype) == GF_KIND_FLOAT;
    bool refuses = !is_float && gf_matmul_params_get(params).overflow == GF_OVERFLOW_ERROR;
    if (refuses && greatest(&in[0]) * greatest(&in[1]) * (gf_reference_int)in[0].view.width > INT64_MAX)
        return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: sums may not fit i64", op->name);
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            if (is_float)
                gf_reference_put_float(element(out, y, x), out->view.dtype, float_cell(in, y, x));
            else
                gf_reference_put_int(element(out, y, x), out->view.dtype, (uint64_t)whole_cell(in, y, x));
    return GF_OK;
}

/* convolve1d and correlate1d, docs/numerics.md, "convolve1d, correlate1d": one chain of taps along rows or columns per
 * result. */

/* What the parameters say. `shift` is where tap 0 stands: that far before the result's own element. */
struct conv1d {
    uint32_t axis, border;
    bool flip;    /* the kernel is read backwards */
    bool bounded; /* elements outside are no taps */
    bool refuses; /* integers whose sums may not fit */
    int64_t shift;
    double outside;
};

union number {
    gf_reference_int i;
    double f;
};

/* Numbers of one dtype, read once since every result asks for them again. */
struct numbers {
    union number *at;
    int64_t n;
};

/* Where the kernel stands over one result. */
struct spot {
    const struct conv1d *lines;
    const struct numbers *elements, *taps;
    int64_t first; /* element under tap 0 */
};

static void read_numbers(const struct gf_reference_buf *buf, uint32_t axis, uint64_t sequence, struct numbers *numbers)
{
    uint32_t dtype = buf->view.dtype;
    for (int64_t i = 0; i < numbers->n; i++) {
        const void *at = gf_reference_element(buf, axis, sequence, (uint64_t)i);
        if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
            numbers->at[i].f = gf_reference_get_float(at, dtype);
        else
            numbers->at[i].i = gf_reference_get_int(at, dtype);
    }
}

/* The element under tap k; where a constant stands *outside. False where there is no tap. */
static bool element_at(const struct spot *spot, int64_t k, const union number *outside,
                       const union number **ret_element)
{
    int64_t n = spot->elements->n, i = spot->first + k;
    bool inside = i >= 0 && i < n;
    if (spot->lines->bounded && !inside)
        return false;
    if (!inside)
        i = gf_reference_border(spot->lines->border, i, n);
    *ret_element = i < 0 ? outside : &spot->elements->at[i];
    return true;
}

static const union number *tap_at(const struct spot *spot, int64_t k)
{
    return &spot->taps->at[spot->lines->flip ? spot->taps->n - 1 - k : k];
}

static double float_chain(const struct spot *spot, uint32_t dtype)
{
    const union number outside = {.f = spot->lines->outside}, *x;
    double acc = 0.0;
    for (int64_t k = 0; k < spot->taps->n; k++) {
        if (!element_at(spot, k, &outside, &x))
            continue;
        double w = tap_at(spot, k)->f;
        acc = dtype == GF_F32 ? (double)fmaf((float)x->f, (float)w, (float)acc) : fma(x->f, w, acc);
    }
    return acc;
}

static gf_reference_int whole_chain(const struct spot *spot)
{
    const union number outside = {.i = (gf_reference_int)spot->lines->outside}, *x;
    gf_reference_int acc = 0;
    for (int64_t k = 0; k < spot->taps->n; k++)
        if (element_at(spot, k, &outside, &x))
            acc += x->i * tap_at(spot, k)->i;
    return acc;
}

static bool overflows(const struct conv1d *lines, const struct gf_reference_buf *in)
{
    gf_reference_int element = greatest(&in[0]), outside = (gf_reference_int)fabs(lines->outside);
    if (!lines->bounded && lines->border == GF_BORDER_CONSTANT && outside > element)
        element = outside;
    return element * greatest(&in[1]) * (gf_reference_int)in[1].view.width > INT64_MAX;
}

/* Every result. RESULT_OVERFLOW. */
static enum gf_status run(const struct gf_op *op, const struct conv1d *lines, const struct gf_reference_buf *in,
                          struct gf_reference_buf *out, struct gf_error *err)
{
    bool is_float = gf_dtype_kind(in->view.dtype) == GF_KIND_FLOAT;
    if (!is_float && lines->refuses && overflows(lines, in))
        return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: sums may not fit i64", op->name);
    struct numbers elements = {NULL, (int64_t)gf_reference_length(&in->view, lines->axis)};
    struct numbers taps = {NULL, (int64_t)in[1].view.width};
    union number gf_cleanup(gf_freep) *room = calloc((size_t)(elements.n + taps.n), sizeof(*room));
    if (room == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
    elements.at = room;
    taps.at = room + elements.n;
    read_numbers(&in[1], GF_AXIS_ROWS, 0, &taps);
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&out->view, lines->axis); s++) {
        read_numbers(in, lines->axis, s, &elements);
        for (uint64_t i = 0; i < gf_reference_length(&out->view, lines->axis); i++) {
            struct spot spot = {lines, &elements, &taps, (int64_t)i - lines->shift};
            void *to = gf_reference_element(out, lines->axis, s, i);
            if (is_float)
                gf_reference_put_float(to, out->view.dtype, float_chain(&spot, in->view.dtype));
            else
                gf_reference_put_int(to, out->view.dtype, (uint64_t)whole_chain(&spot));
        }
    }
    return GF_OK;
}

/* Tap k of correlate1d meets the element k places on from where the kernel begins. convolve1d, which has the same
 * parameters, is correlate1d with the kernel and its anchor flipped. */
static struct conv1d lines_of(struct gf_correlate1d_params p, bool flip, int64_t taps)
{
    int64_t anchor = p.anchor.n > 0 ? (int64_t)p.anchor.v[0] : taps / 2;
    struct conv1d lines = {.axis = p.axis,
                           .border = p.border,
                           .outside = p.border_value,
                           .flip = flip,
                           .bounded = p.mode == GF_CONVOLUTION_FULL,
                           .refuses = p.overflow == GF_OVERFLOW_ERROR};
    if (p.mode == GF_CONVOLUTION_SAME) {
        lines.shift = flip ? taps - 1 - anchor : anchor;
    } else {
        lines.border = GF_BORDER_REPLICATE;
        lines.outside = 0.0;
        lines.shift = p.mode == GF_CONVOLUTION_FULL ? taps - 1 : 0;
    }
    return lines;
}

GF_REFERENCE(correlate1d)
{
    struct conv1d lines = lines_of(gf_correlate1d_params_get(params), false, (int64_t)in[1].view.width);
    return run(op, &lines, in, out, err);
}

GF_REFERENCE(convolve1d)
{
    struct conv1d lines = lines_of(gf_correlate1d_params_get(params), true, (int64_t)in[1].view.width);
    return run(op, &lines, in, out, err);
}

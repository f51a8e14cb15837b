/* SPDX-License-Identifier: MIT */
/* One chain of taps per result of convolve1d and correlate1d. */
#include "gold_lines.h"

#include <math.h>

#include "gold_image.h"
#include "gold_scan.h"
#include "protocol/enums.h"

/* Where the kernel stands over one result. */
struct spot {
    const struct gf_gold_lines *lines;
    const struct gf_gold_buf *in;
    uint64_t sequence;
    int64_t first; /* element under tap 0 */
};

static const void *tap_at(const struct spot *spot, uint64_t k)
{
    uint64_t taps = spot->in[1].view.width;
    return gf_gold_element(&spot->in[1], GF_AXIS_ROWS, 0, spot->lines->flip ? taps - 1 - k : k);
}

/* The element under tap k; NULL where a constant stands. *ret_is_tap is false where there is no tap. */
static const void *element_at(const struct spot *spot, uint64_t k, bool *ret_is_tap)
{
    const struct gf_gold_lines *lines = spot->lines;
    int64_t n = (int64_t)gf_gold_length(&spot->in->view, lines->axis), i = spot->first + (int64_t)k;
    *ret_is_tap = !lines->bounded || (i >= 0 && i < n);
    if (!*ret_is_tap)
        return NULL;
    i = gf_gold_border(lines->border, i, n);
    return i < 0 ? NULL : gf_gold_element(spot->in, lines->axis, spot->sequence, (uint64_t)i);
}

static double float_chain(const struct spot *spot)
{
    uint32_t dtype = spot->in->view.dtype;
    double acc = 0.0;
    for (uint64_t k = 0; k < spot->in[1].view.width; k++) {
        bool is_tap;
        const void *at = element_at(spot, k, &is_tap);
        double x = at != NULL ? gf_gold_get_float(at, dtype) : spot->lines->outside;
        double w = gf_gold_get_float(tap_at(spot, k), dtype);
        if (is_tap)
            acc = dtype == GF_F32 ? (double)fmaf((float)x, (float)w, (float)acc) : fma(x, w, acc);
    }
    return acc;
}

static gf_gold_int whole_chain(const struct spot *spot)
{
    uint32_t dtype = spot->in->view.dtype;
    gf_gold_int acc = 0;
    for (uint64_t k = 0; k < spot->in[1].view.width; k++) {
        bool is_tap;
        const void *at = element_at(spot, k, &is_tap);
        gf_gold_int x = at != NULL ? gf_gold_get_int(at, dtype) : (gf_gold_int)spot->lines->outside;
        if (is_tap)
            acc += x * gf_gold_get_int(tap_at(spot, k), dtype);
    }
    return acc;
}

static gf_gold_int greatest(const struct gf_gold_buf *buf)
{
    gf_gold_int max = 0;
    for (uint64_t s = 0; s < gf_gold_scan_sequences(&buf->view, GF_AXIS_ROWS); s++)
        for (uint64_t i = 0; i < buf->view.width; i++) {
            gf_gold_int v = gf_gold_get_int(gf_gold_element(buf, GF_AXIS_ROWS, s, i), buf->view.dtype);
            v = v < 0 ? -v : v;
            max = v > max ? v : max;
        }
    return max;
}

static bool overflows(const struct gf_gold_lines *lines, const struct gf_gold_buf *in)
{
    gf_gold_int element = greatest(&in[0]), outside = (gf_gold_int)fabs(lines->outside);
    if (!lines->bounded && lines->border == GF_BORDER_CONSTANT && outside > element)
        element = outside;
    return element * greatest(&in[1]) * (gf_gold_int)in[1].view.width > INT64_MAX;
}

enum gf_status gf_gold_lines(const struct gf_op *op, const struct gf_gold_lines *lines, const struct gf_gold_buf *in,
                             struct gf_gold_buf *out, struct gf_error *err)
{
    bool is_float = gf_dtype_kind(in->view.dtype) == GF_KIND_FLOAT;
    if (!is_float && lines->refuses && overflows(lines, in))
        return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: sums may not fit i64", op->name);
    for (uint64_t s = 0; s < gf_gold_scan_sequences(&out->view, lines->axis); s++)
        for (uint64_t i = 0; i < gf_gold_length(&out->view, lines->axis); i++) {
            struct spot spot = {lines, in, s, (int64_t)i - lines->shift};
            void *to = gf_gold_element(out, lines->axis, s, i);
            if (is_float)
                gf_gold_put_float(to, out->view.dtype, float_chain(&spot));
            else
                gf_gold_put_int(to, out->view.dtype, (uint64_t)whole_chain(&spot));
        }
    return GF_OK;
}

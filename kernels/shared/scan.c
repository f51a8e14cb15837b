/* SPDX-License-Identifier: MIT */
/* Makes a gf_scan from a step of scan, recurrence or integral. Called by the backends. */
#include "scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "protocol/ops/params/integral.h"
#include "protocol/ops/params/recurrence.h"
#include "protocol/ops/params/scan.h"

uint64_t gf_scan_sequences(const struct gf_scan *scan)
{
    uint64_t lines = scan->segments               ? scan->n_segments
                     : scan->axis == GF_AXIS_ALL  ? 1
                     : scan->axis == GF_AXIS_ROWS ? scan->height
                                                  : scan->width;
    return lines * scan->channels;
}

uint64_t gf_scan_length(const struct gf_scan *scan)
{
    return scan->axis == GF_AXIS_ALL    ? scan->width * scan->height
           : scan->axis == GF_AXIS_ROWS ? scan->width
                                        : scan->height;
}

static bool is_float(uint32_t dtype)
{
    return gf_dtype_kind(dtype) == GF_KIND_FLOAT;
}

static union gf_scan_value value_of(uint32_t dtype, double value)
{
    return is_float(dtype)                        ? (union gf_scan_value){.f = value}
           : gf_dtype_kind(dtype) == GF_KIND_SINT ? (union gf_scan_value){.i = (int64_t)value}
                                                  : (union gf_scan_value){.u = (uint64_t)value};
}

/* Sets the limits of an integer dtype. */
static void set_limits(struct gf_scan *scan)
{
    unsigned bits = (unsigned)gf_dtype_size(scan->out) * 8;
    bool is_signed = gf_dtype_kind(scan->out) == GF_KIND_SINT;
    scan->hi = UINT64_MAX >> (64 - bits + is_signed);
    scan->lo = is_signed ? -(int64_t)scan->hi - 1 : 0;
}

/* The identity element of the operator, in the dtype of the results. */
static union gf_scan_value identity(const struct gf_scan *scan)
{
    if (scan->what == GF_SCAN_SUM || scan->what == GF_SCAN_PRODUCT)
        return value_of(scan->out, scan->what == GF_SCAN_SUM ? 0.0 : 1.0);
    bool min = scan->what == GF_SCAN_MIN;
    if (is_float(scan->out))
        return (union gf_scan_value){.f = min ? INFINITY : -INFINITY};
    return min ? (union gf_scan_value){.u = scan->hi} : (union gf_scan_value){.i = scan->lo};
}

static void set_absent(struct gf_scan *scan)
{
    scan->absent = identity(scan);
    if (is_float(scan->out) && scan->what == GF_SCAN_SUM)
        scan->absent.f = -0.0;
}

struct gf_scan gf_scan_of_step(const struct gf_step *step, const struct gf_view *src)
{
    struct gf_scan scan = {.width = src->width,
                           .height = src->height,
                           .channels = src->channels,
                           .in = src->dtype,
                           .out = step->out[0].dtype};
    set_limits(&scan);
    if (step->op->index == GF_INDEX_recurrence) {
        const struct gf_recurrence_params p = gf_recurrence_params_get(&step->params);
        scan.what = GF_SCAN_AFFINE;
        scan.axis = p.axis;
        scan.started = p.start == GF_START_INITIAL;
        scan.init.f = p.initial;
        scan.a = p.a;
        scan.b = p.b;
        return scan;
    }
    const struct gf_scan_params p = gf_scan_params_get(&step->params);
    scan.what = p.op;
    scan.axis = p.axis;
    scan.exclusive = p.exclusive != 0;
    scan.reverse = p.reverse != 0;
    scan.started = p.start == GF_START_INITIAL;
    scan.init = value_of(scan.out, p.initial);
    scan.first = scan.started ? scan.init : identity(&scan);
    scan.checked =
        !is_float(scan.out) && (p.op == GF_SCAN_SUM || p.op == GF_SCAN_PRODUCT) && p.overflow == GF_OVERFLOW_ERROR;
    set_absent(&scan);
    return scan;
}

void gf_scan_cut(struct gf_scan *scan, const struct gf_buf *list)
{
    scan->segments = list;
    scan->n_segments = list->view.width - 1;
}

void gf_scan_of_integral(const struct gf_step *step, const struct gf_view *src, struct gf_scan *ret_rows,
                         struct gf_scan *ret_columns)
{
    uint32_t out = step->out[0].dtype;
    struct gf_scan scan = {.width = src->width,
                           .height = src->height,
                           .channels = src->channels,
                           .in = src->dtype,
                           .out = is_float(out) ? (uint32_t)GF_F64 : out,
                           .axis = GF_AXIS_ROWS,
                           .what = GF_SCAN_SUM,
                           .square = gf_integral_params_get(&step->params).square != 0};
    set_limits(&scan);
    set_absent(&scan);
    *ret_rows = scan;
    scan.in = scan.out;
    scan.out = out;
    scan.axis = GF_AXIS_COLS;
    scan.square = false;
    *ret_columns = scan;
}

enum gf_status gf_scan_overflow(const struct gf_step *step, uint64_t at, struct gf_error *err)
{
    const struct gf_view *out = &step->out[0];
    struct gf_scan scan = {.width = out->width, .height = out->height, .axis = gf_scan_params_get(&step->params).axis};
    uint64_t length = gf_scan_length(&scan);
    char where[64];
    snprintf(where, sizeof(where), "sequence %" PRIu64, at / length);
    if (step->in[1].from != GF_FROM_NOTHING)
        snprintf(where, sizeof(where), "segment %" PRIu64 ", channel %" PRIu64, at / length / out->channels,
                 at / length % out->channels + 1);
    return gf_error_set(
        err, GF_E_RESULT_OVERFLOW, "%s: result %" PRIu64 " of %s does not fit %s; overflow=wrap computes modulo 2^%u",
        step->op->name, at % length, where, gf_dtype_word(out->dtype), (unsigned)gf_dtype_size(out->dtype) * 8);
}

/* SPDX-License-Identifier: MIT */
/* Prepares reduce, stats, dot and compare, and words the error of an integer overflow. Called by both backends. */
#include "reduce.h"

#include <inttypes.h>
#include <stdio.h>

#include "protocol/ops/params/compare.h"
#include "protocol/ops/params/dot.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/stats.h"

/* The reductions that stats reports. */
static const uint32_t stats_ops[] = {GF_REDUCTION_COUNT, GF_REDUCTION_MIN, GF_REDUCTION_SUM,
                                     GF_REDUCTION_VAR,   GF_REDUCTION_L1,  GF_REDUCTION_L2};

static void set_sequences(const struct gf_view *view, struct gf_reduction *r)
{
    r->dtype = view->dtype;
    r->n = r->axis == GF_AXIS_ROWS ? view->width : r->axis == GF_AXIS_COLS ? view->height : view->width * view->height;
    r->sequences = view->channels * (r->axis == GF_AXIS_ROWS   ? view->height
                                     : r->axis == GF_AXIS_COLS ? view->width
                                                               : 1);
}

struct gf_reduction gf_reduction_of(const struct gf_step *step, const struct gf_view *view)
{
    struct gf_reduction r = {.kind = GF_REDUCE_ONE, .axis = GF_AXIS_ALL};
    if (step->op->index == GF_INDEX_dot) {
        r.kind = GF_REDUCE_DOT;
        r.axis = gf_dot_params_get(&step->params).axis;
        r.want = GF_WANT_DOT;
    } else if (step->op->index == GF_INDEX_compare) {
        r.kind = GF_REDUCE_COMPARE;
        r.omit = gf_compare_params_get(&step->params).nan == GF_NAN_OMIT;
        r.want = GF_WANT_DIFFERENCES | GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_EXTREMES | GF_WANT_TREE_ABS |
                 GF_WANT_TREE_SQUARES;
    } else if (step->op->index == GF_INDEX_stats) {
        const struct gf_stats_params p = gf_stats_params_get(&step->params);
        r.kind = GF_REDUCE_STATS;
        r.ddof = p.ddof;
        r.omit = p.nan == GF_NAN_OMIT;
        r.wrap = p.overflow == GF_OVERFLOW_WRAP;
        for (size_t i = 0; i < GF_ARRAY_LEN(stats_ops); i++)
            r.want |= gf_reduce_want(stats_ops[i], view->dtype);
    } else {
        const struct gf_reduce_params p = gf_reduce_params_get(&step->params);
        r.op = p.op;
        r.axis = p.axis;
        r.ddof = p.ddof;
        r.omit = p.nan == GF_NAN_OMIT;
        r.wrap = p.overflow == GF_OVERFLOW_WRAP;
        r.want = gf_reduce_want(p.op, view->dtype);
    }
    set_sequences(view, &r);
    if (r.kind == GF_REDUCE_COMPARE)
        r.dtype = GF_F64;
    return r;
}

enum gf_status gf_reduce_overflow(const struct gf_step *step, uint64_t sequence, struct gf_error *err)
{
    bool stats = step->op->index == GF_INDEX_stats;
    const struct gf_view *out = &step->out[stats ? 2 : 0];
    uint32_t channels = stats ? (uint32_t)out->height : out->channels;
    uint32_t axis = stats ? GF_AXIS_ALL : gf_reduce_params_get(&step->params).axis;
    char where[64] = "";
    if (!stats && step->in[1].from != GF_FROM_NOTHING)
        snprintf(where, sizeof where, "segment %" PRIu64 ", ", sequence / channels);
    else if (axis != GF_AXIS_ALL)
        snprintf(where, sizeof where, "%s %" PRIu64 ", ", axis == GF_AXIS_ROWS ? "row" : "column", sequence / channels);
    return gf_error_set(err, GF_E_RESULT_OVERFLOW,
                        "%s: the %s of %schannel %" PRIu64 " does not fit %s; overflow=wrap takes it modulo 2^64",
                        step->op->name,
                        stats || gf_reduce_params_get(&step->params).op == GF_REDUCTION_SUM ? "sum" : "product", where,
                        sequence % channels + 1, gf_dtype_word(out->dtype));
}

/* SPDX-License-Identifier: MIT */
/* The family reduce: reduce, dot, compare and stats. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/compare.h"
#include "protocol/ops/params/dot.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/stats.h"
#include "reference_operator.h"
#include "reference_ops.h"
#include "reference_reduce.h"

/* affine and matmul2 of reduce, docs/numerics.md, "affine, matmul2". */

#define CHUNK 4096u
#define ROW 128u
#define QUAD 4u
#define BLOCK 64u

struct map {
    bool there;
    double v[4];
};

static struct map then(uint32_t channels, struct map a, struct map b)
{
    struct map m = {.there = true};
    if (!a.there || !b.there)
        return a.there ? a : b;
    if (channels == 2) {
        m.v[0] = a.v[0] * b.v[0];
        m.v[1] = fma(a.v[1], b.v[0], b.v[1]);
        return m;
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < 2; j++)
            m.v[2 * i + j] = fma(a.v[2 * i + 1], b.v[2 + j], a.v[2 * i] * b.v[j]);
    return m;
}

/* A row of the chunk: elements first..end-1 of e, at most 128. */
static struct map compose_row(uint32_t channels, const struct map *e, uint64_t n)
{
    struct map t[ROW / QUAD] = {0};
    for (uint64_t i = 0; i < n; i++)
        t[i / QUAD] = then(channels, t[i / QUAD], e[i]);
    for (uint32_t d = 1; d < ROW / QUAD; d *= 2)
        for (uint32_t l = 0; l < ROW / QUAD; l += 2 * d)
            t[l] = then(channels, t[l], t[l + d]);
    return t[0];
}

/* e[0..n-1] to e[0]. */
static void compose_all(uint32_t channels, bool column, struct map *e, uint64_t n)
{
    uint64_t chunk = column ? BLOCK : CHUNK;
    do {
        uint64_t chunks = (n + chunk - 1) / chunk;
        for (uint64_t k = 0; k < chunks; k++) {
            uint64_t end = (k + 1) * chunk < n ? (k + 1) * chunk : n;
            struct map acc = {0};
            for (uint64_t i = k * chunk; i < end; i += column ? 1 : ROW)
                acc = then(channels, acc, column ? e[i] : compose_row(channels, &e[i], end - i < ROW ? end - i : ROW));
            e[k] = acc;
        }
        n = chunks;
    } while (n > 1);
}

/* One line, whose channels are s, to pixel `line` of the output. NO_MEMORY. */
static enum gf_status compose_line(const struct gf_reference_sequence *s, uint32_t channels, uint64_t line,
                                   struct gf_reference_buf *out, struct gf_error *err)
{
    uint64_t row = out->view.width * channels;
    struct map gf_cleanup(gf_freep) *e = calloc(s[0].n + 1, sizeof(*e));
    if (!e)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a sequence");
    e[0] = (struct map){true, {1.0, 0.0, 0.0, 1.0}};
    for (uint64_t i = 0; i < s[0].n; i++) {
        e[i].there = true;
        for (uint32_t c = 0; c < channels; c++)
            e[i].v[c] = s[c].x[i];
    }
    if (s[0].n > 0)
        compose_all(channels, s[0].column, e, s[0].n);
    for (uint32_t c = 0; c < channels; c++)
        gf_reference_put(out, (line * channels + c) % row, (line * channels + c) / row,
                         gf_reference_f64_bits(e[0].v[c]));
    return GF_OK;
}

/* The result of a buffer of two or four channels. NO_MEMORY. */
static enum gf_status compose(const struct gf_reference_buf *in, uint32_t axis, struct gf_reference_buf *out,
                              struct gf_error *err)
{
    const uint32_t channels = in->view.channels;
    uint64_t lines = gf_reference_sequences(&in->view, axis) / channels;
    enum gf_status status = GF_OK;
    for (uint64_t line = 0; line < lines && status == GF_OK; line++) {
        struct gf_reference_sequence s[4] = {0};
        for (uint32_t c = 0; c < channels && status == GF_OK; c++)
            status = gf_reference_sequence_init(in, axis, line * channels + c, false, &s[c], err);
        if (status == GF_OK)
            status = compose_line(s, channels, line, out, err);
        for (uint32_t c = 0; c < channels; c++)
            gf_reference_sequence_deinit(&s[c]);
    }
    return status;
}

/* The result of each segment that in[1] cuts in[0] into. NO_MEMORY. */
static enum gf_status compose_segments(const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                       struct gf_error *err)
{
    const uint32_t channels = in->view.channels;
    enum gf_status status = GF_OK;
    for (uint64_t i = 0; i + 1 < in[1].view.width && status == GF_OK; i++) {
        struct gf_reference_sequence s[4] = {0};
        for (uint32_t c = 0; c < channels && status == GF_OK; c++)
            status = gf_reference_sequence_cut(in, c, gf_reference_offset(&in[1], i),
                                               gf_reference_offset(&in[1], i + 1), false, &s[c], err);
        if (status == GF_OK)
            status = compose_line(s, channels, i, out, err);
        for (uint32_t c = 0; c < channels; c++)
            gf_reference_sequence_deinit(&s[c]);
    }
    return status;
}

/* reduce, docs/numerics.md, "reduce". */

static enum gf_status reduce_segments(const struct gf_op *op, const struct gf_reduce_params *p,
                                      const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                      struct gf_error *err)
{
    enum gf_status status = gf_reference_check_segments(&in[1], in[0].view.width * in[0].view.height, err);
    if (status == GF_OK && (p->op == GF_REDUCTION_AFFINE || p->op == GF_REDUCTION_MATMUL2))
        return compose_segments(in, &out[0], err);
    uint64_t n = (in[1].view.width - 1) * in[0].view.channels;
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        uint64_t segment = i / in[0].view.channels, bits;
        uint32_t c = (uint32_t)(i % in[0].view.channels);
        status = gf_reference_sequence_cut(&in[0], c, gf_reference_offset(&in[1], segment),
                                           gf_reference_offset(&in[1], segment + 1), p->nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        if (!gf_reference_reduce_one(&s, p->op, p->ddof, p->overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_reference_put(out, i, 0, bits);
    }
    return status;
}

GF_REFERENCE(reduce)
{
    const struct gf_reduce_params p = gf_reduce_params_get(params);
    if (p.op == GF_REDUCTION_USER)
        return gf_reference_operator(op, params, in, out, err);
    if (in[1].data != NULL)
        return reduce_segments(op, &p, in, out, err);
    if (p.op == GF_REDUCTION_AFFINE || p.op == GF_REDUCTION_MATMUL2)
        return compose(&in[0], p.axis, &out[0], err);
    uint64_t row = out->view.width * out->view.channels;
    for (uint64_t i = 0; i < gf_reference_sequences(&in[0].view, p.axis); i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], p.axis, i, p.nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        uint64_t bits;
        if (!gf_reference_reduce_one(&s, p.op, p.ddof, p.overflow == GF_OVERFLOW_WRAP, &bits))
            return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
        gf_reference_put(out, i % row, i / row, bits);
    }
    return GF_OK;
}

/* dot, docs/numerics.md, "reduce". */

GF_REFERENCE(dot)
{
    uint32_t axis = gf_dot_params_get(params).axis;
    uint64_t row = out->view.width * out->view.channels;
    (void)op;
    for (uint64_t i = 0; i < gf_reference_sequences(&in[0].view, axis); i++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) a = {0};
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) b = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], axis, i, false, &a, err);
        if (status == GF_OK)
            status = gf_reference_sequence_init(&in[1], axis, i, false, &b, err);
        if (status != GF_OK)
            return status;
        gf_reference_put(out, i % row, i / row, gf_reference_f64_bits(gf_reference_tree(&a, GF_REFERENCE_DOT, b.x)));
    }
    return GF_OK;
}

/* compare, docs/numerics.md, "compare". */

/* a becomes a - b; gives how many elements differ. */
static uint64_t subtract(struct gf_reference_sequence *a, const struct gf_reference_sequence *b, bool omit)
{
    bool real = gf_dtype_kind(a->dtype) == GF_KIND_FLOAT;
    uint64_t different = 0;
    for (uint64_t i = 0; i < a->n; i++) {
        double d = a->x[i] - b->x[i];
        if (!real)
            d = (double)(a->whole[i] - b->whole[i]);
        else if (a->x[i] == b->x[i] || (isnan(a->x[i]) && isnan(b->x[i])))
            d = 0.0;
        different += d != 0.0;
        a->x[i] = d;
        a->there[i] = !(omit && isnan(d));
    }
    return different;
}

static void put_channel(const struct gf_reference_sequence *d, uint64_t different, uint64_t channel,
                        struct gf_reference_buf *out)
{
    uint64_t present = 0;
    double most = 0.0;
    for (uint64_t i = 0; i < d->n; i++) {
        if (!d->there[i])
            continue;
        present++;
        most = isnan(d->x[i]) || fabs(d->x[i]) > most ? fabs(d->x[i]) : most;
    }
    double n = (double)present;
    gf_reference_put(&out[0], 0, channel, d->n - different);
    gf_reference_put(&out[0], 1, channel, different);
    gf_reference_put(&out[1], 0, channel, gf_reference_f64_bits(most));
    gf_reference_put(&out[1], 1, channel, gf_reference_f64_bits(gf_reference_tree(d, GF_REFERENCE_ABS, NULL) / n));
    gf_reference_put(&out[1], 2, channel, gf_reference_f64_bits(gf_reference_tree(d, GF_REFERENCE_SQUARES, NULL) / n));
}

GF_REFERENCE(compare)
{
    (void)op;
    for (uint32_t c = 0; c < in[0].view.channels; c++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) a = {0};
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) b = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], GF_AXIS_ALL, c, false, &a, err);
        if (status == GF_OK)
            status = gf_reference_sequence_init(&in[1], GF_AXIS_ALL, c, false, &b, err);
        if (status != GF_OK)
            return status;
        uint64_t different = subtract(&a, &b, gf_compare_params_get(params).nan == GF_NAN_OMIT);
        put_channel(&a, different, c, out);
    }
    return GF_OK;
}

/* stats, docs/numerics.md, "stats": what reduce gives, side by side. */

/* Which reductions stand in a row of each output; 255 is the number of NaN. */
#define NANS 255u
static const struct {
    uint32_t n;
    uint32_t reductions[6];
} rows[] = {
    {4, {GF_REDUCTION_COUNT, GF_REDUCTION_ARGMIN, GF_REDUCTION_ARGMAX, NANS}},
    {2, {GF_REDUCTION_MIN, GF_REDUCTION_MAX}},
    {1, {GF_REDUCTION_SUM}},
    {6, {GF_REDUCTION_MEAN, GF_REDUCTION_VAR, GF_REDUCTION_STD, GF_REDUCTION_L1, GF_REDUCTION_L2, GF_REDUCTION_LINF}},
};

static uint64_t count_nan(const struct gf_reference_sequence *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += isnan(s->x[i]) != 0;
    return n;
}

GF_REFERENCE(stats)
{
    const struct gf_stats_params p = gf_stats_params_get(params);
    for (uint32_t c = 0; c < in[0].view.channels; c++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], GF_AXIS_ALL, c, p.nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        for (uint32_t k = 0; k < GF_ARRAY_LEN(rows); k++)
            for (uint32_t i = 0; i < rows[k].n; i++) {
                uint64_t bits = count_nan(&s);
                if (rows[k].reductions[i] != NANS &&
                    !gf_reference_reduce_one(&s, rows[k].reductions[i], p.ddof, p.overflow == GF_OVERFLOW_WRAP, &bits))
                    return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
                gf_reference_put(&out[k], i, c, bits);
            }
    }
    return GF_OK;
}

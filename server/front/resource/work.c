/* SPDX-License-Identifier: MIT */
/*
 * What the steps of a program ask of a device, as cost.h describes it: bytes that are touched, and taps. A tap is one
 * multiplication and addition of a loop over vectors of f32; what takes longer counts as several taps. The figures are
 * processor times of the CPU's kernels, divided by the time of a tap (cost.c). Work that follows from shapes, types and
 * parameters is counted. Where samples decide, the figure lies between usual samples, which take at most about three
 * times less, and the worst ones, which take at most eight times more; subnormal floats alone take longer. What a
 * user's samples took is left to the corrections. Called by session_run.c.
 */
#include <math.h>
#include <string.h>

#include "cost.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/bilateral.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/canny.h"
#include "protocol/ops/params/erode.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/params/map.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/resize.h"
#include "protocol/ops/params/scan.h"
#include "protocol/ops/params/threshold.h"
#include "protocol/ops/plan/filter_plan.h"
#include "protocol/ops/plan/plans.h"
#include "protocol/ops/plan/rank_plan.h"
#include "protocol/ops/texts/operator.h"

#define CACHE_BYTES (1u << 20) /* of lines that are read again and again */
#define CHARACTER_TAPS 6.0     /* per character of an expression or operator, and sample */
#define DIVISION_TAPS 32.0     /* per % and //, besides */
#define LINE_TAPS 200.0        /* per line that a loop takes, besides its samples */
#define LIGHT_TAPS 64.0        /* per sample that is decoded and encoded: linear light */
#define POWER_TAPS 128.0       /* per sample that is raised to a power */
#define SEGMENT_TAPS 2000.0    /* per segment, which is a sequence of its own */
#define BIN_TAPS 96.0          /* per bin that is cleared, summed up and stored */
#define CLEAR_TAPS 16.0        /* per bin that is only cleared */
#define LOOK_TAPS 24.0         /* per byte of a sample that topk looks at */
#define SELECTED_TAPS 300.0    /* per byte of a sample that topk keeps: candidates are sorted again and again */
#define RUN_MEMBERS 24.0 /* of a mask for each line that is taken: 100 of a disc of side 255, 1 of a chequered mask */
#define PART_SAMPLES 4096.0 /* of a picture that a thread takes, at least */
#define ORDERED 262144.0    /* elements of a sequence that one thread sorts, at most (kernels/cpu/order/order.h) */
#define RANKED 65536.0      /* and in which one thread finds ranks (kernels/cpu/order/ranks.h) */

static uint32_t bits(uint32_t n)
{
    return n == 0 ? 0 : 32 - (uint32_t)__builtin_clz(n);
}

static double samples(const struct gf_view *v)
{
    return gf_view_given(v) ? (double)gf_view_samples(v) : 0;
}

static double bytes(const struct gf_view *v)
{
    return gf_view_given(v) ? (double)gf_view_bytes(v) : 0;
}

/* Lines along an axis of `n` pixels in `tiles` tiles, each with the halo of a window of `window`. */
static double with_halo(uint64_t n, uint64_t tiles, uint32_t window)
{
    return (double)n + (double)tiles * (window - 1);
}

/* Both passes of a separable filter. Rows that repeat rows of the picture are not computed again. Columns take longer
 * where the rows under them do not stay in the cache. */
static double separable_taps(const struct gf_step *step)
{
    const struct gf_view *out = &step->out[0];
    const struct gf_filter_plan plan = gf_filter_plan(step, NULL, 1);
    const double down = (double)gf_tiles_down(&plan.tiles), height = (double)out->height,
                 weight = step->op->work.weight;
    const double rows = fmin(height + down * (plan.height - 1), down * (height + 1));
    const double far = plan.ring * plan.ring_line * sizeof(float) > CACHE_BYTES ? 4 : 1;
    return (double)out->width * out->channels *
           (height * (1 + weight * far * plan.height) + rows * weight * plan.width);
}

/* A box by doubling: sums of each length for each row with its halo, then for each column. */
static double box_taps(const struct gf_step *step)
{
    const struct gf_view *out = &step->out[0];
    const struct gf_filter_plan plan = gf_filter_plan(step, NULL, 1);
    const double down = with_halo(out->height, gf_tiles_down(&plan.tiles), plan.height),
                 rows = plan.kept > 0 ? (double)plan.kept : down,
                 across = with_halo(out->width, gf_tiles_across(&plan.tiles), plan.width);
    return step->op->work.weight * (rows * (across * out->channels + LINE_TAPS) * (1 + bits(plan.width)) +
                                    down * ((double)out->width * out->channels + LINE_TAPS) * (1 + bits(plan.height)));
}

/* Sliding windows of keys of more than a byte: a tile's keys are sorted; each result exchanges two lines of a window
 * and then finds its key. The first window of a line takes all its samples. */
static double sliding_taps(const struct gf_step *step, const struct gf_rank_plan *plan, double keys)
{
    const struct gf_view *out = &step->out[0];
    const struct gf_rank_window w = gf_rank_window_of(step);
    const bool wide = w.width > w.height;
    const double area = (double)w.width * w.height, shorter = wide ? w.height : w.width;
    const double lines = wide ? (double)out->height * (double)gf_tiles_across(&plan->tiles)
                              : (double)out->width * (double)gf_tiles_down(&plan->tiles);
    const double flips = samples(out) * 2 * shorter + lines * out->channels * area;
    return 200 * keys + 64 * flips + 1000 * samples(out);
}

static double window_taps(const struct gf_step *step)
{
    const struct gf_view *out = &step->out[0];
    const struct gf_rank_window w = gf_rank_window_of(step);
    const struct gf_rank_plan plan = gf_rank_plan(step);
    const double size = (double)gf_dtype_size(out->dtype), n = samples(out), area = (double)w.width * w.height;
    const double keys = with_halo(out->width, gf_tiles_across(&plan.tiles), w.width) *
                        with_halo(out->height, gf_tiles_down(&plan.tiles), w.height) * out->channels;
    switch (plan.way) {
    case GF_RANK_BY_ROWS:
        return 8 * size * n;
    case GF_RANK_BY_NETWORK:
        return 32 * size * n;
    case GF_RANK_BY_COUNTING: /* all samples of a window for each bit of a key */
        return 4 * size * size * area * n;
    case GF_RANK_BY_SLIDING:
        break;
    }
    return size > 1 ? sliding_taps(step, &plan, keys) : 700 * n + 128 * keys;
}

/* A rectangle by the bits of its sides, which grow with the iterations, as far as one pass goes; a shape by its
 * columns. What a mask contains is not known: one of long runs takes less, and one without runs more. */
static double element_taps(const struct gf_program *p, const struct gf_step *step)
{
    const struct gf_erode_params e = gf_erode_params_get(&step->params); /* the seven ops have the same */
    const struct gf_view *mask = gf_program_input_view(p, step->in[1]), *out = &step->out[0];
    const bool is_mask = gf_view_given(mask), columns = is_mask || e.shape != GF_ELEMENT_RECT;
    double side[2], passes = e.iterations;
    for (uint32_t axis = 0; axis < 2; axis++)
        side[axis] = (double)gf_element_side(step->op, &step->params, mask, axis);
    if (!columns) {
        passes = ceil(e.iterations * (fmax(side[0], side[1]) - 1) / (GF_MAX_MASK_SIDE - 1));
        for (uint32_t axis = 0; axis < 2; axis++)
            side[axis] = fmin(GF_MAX_MASK_SIDE, (side[axis] - 1) * e.iterations + 1);
    }
    const double runs =
        columns ? fmax(2 * side[0], is_mask ? side[0] * side[1] / RUN_MEMBERS : 0) : bits((uint32_t)side[0]);
    const double width = (double)out->width, height = (double)out->height, down = height + side[1] - 1;
    const double read = (width + side[0] - 1) * down * (1 + bits((uint32_t)side[1])), made = width * height * runs;
    const double lanes = (1 + (double)gf_dtype_size(out->dtype)) / 2;
    return step->op->work.weight * passes *
           (out->channels * (read + made) * lanes + (columns ? height : down) * runs * LINE_TAPS);
}

/* Pixels of an axis under the filter of a result, at most. */
static double resize_window(const struct gf_resize_params *p, double covered, double n, double side)
{
    static const double widths[] = {[GF_RESIZE_NEAREST] = 0,
                                    [GF_RESIZE_LINEAR] = 2,
                                    [GF_RESIZE_CUBIC] = 4,
                                    [GF_RESIZE_LANCZOS3] = 6,
                                    [GF_RESIZE_AREA] = 1};
    const double step = covered / n, wider = p->antialias != 0 && step > 1 ? step : 1;
    return fmin(side, ceil(widths[p->filter] * wider));
}

/* Columns first: a window of rows for each column that is read and each row of the result, then a window of columns for
 * each pixel; the weights of both axes; and the lines of each block of rows and strip of columns. */
static double resample_taps(const struct gf_step *step, const struct gf_view *in)
{
    const struct gf_resize_params p = gf_resize_params_get(&step->params);
    const struct gf_view *out = &step->out[0];
    const struct gf_region r = gf_resize_region(&p, in);
    const double width = (double)out->width, height = (double)out->height, channels = in->channels;
    const double across = resize_window(&p, r.width, width, (double)in->width),
                 down = resize_window(&p, r.height, height, (double)in->height);
    const double columns = fmin(r.width, width * across), blocks = ceil(height / 16),
                 strips = ceil(width * channels / GF_RESIZE_LINE);
    return step->op->work.weight * fmax(samples(in), samples(out)) +
           channels * height * (columns * down + width * across) + 400 * (width * across + height * down) +
           1000 * strips * (fmin(r.height * strips, r.height) + blocks * down);
}

/* A table for each tile and colour, with a bin for each value; or, for tiles of few samples, a list in which samples
 * are looked up. */
static double tiles_taps(const struct gf_step *step)
{
    const struct gf_view *out = &step->out[0];
    const struct gf_clahe_plan plan = gf_clahe_plan(step);
    const struct gf_clahe_params p = gf_clahe_params_get(&step->params);
    const double colours = gf_computed_channels(p.alpha, out->channels), n = samples(out) / out->channels * colours;
    const double across = GF_PICK(p.tiles, 0), down = GF_PICK(p.tiles, 1), tables = across * down * colours;
    if (plan.few > 0)
        return 300 * n * bits(plan.few) + 6000 * tables;
    const double levels = plan.size == 1 ? 256 : 65536, cells = plan.size == 1 ? (across + 1) * 2 * down * colours : 0;
    return step->op->work.weight * n + levels * (BIN_TAPS * tables + 16 * cells);
}

/* Bins of output 0, or of the values that are counted before results are made. */
static double bins_of(const struct gf_step *step, const struct gf_view *in)
{
    if (step->op->scratch != GF_SCRATCH_COUNTERS)
        return samples(&step->out[0]);
    if (gf_dtype_size(in->dtype) <= 2)
        return gf_dtype_size(in->dtype) == 1 ? 256 : 65536;
    return step->op->index == GF_INDEX_threshold ? gf_threshold_params_get(&step->params).bins : 0;
}

/* Pairs are counted in the result where there are fewer of them than bins. */
static double bin_taps(const struct gf_step *step, const struct gf_view *in, double highest)
{
    const double bins = bins_of(step, in), weight = step->op->work.weight;
    if (step->op->index != GF_INDEX_histogram2d)
        return highest * weight + BIN_TAPS * bins;
    return samples(in) * weight + (bins > samples(in) / in->channels ? CLEAR_TAPS : BIN_TAPS) * bins;
}

/* Sequences of an op with `axis`. */
static double sequences(const struct gf_step *step, const struct gf_view *in)
{
    uint32_t axis = GF_AXIS_ALL;
    memcpy(&axis, (const char *)&step->params + gf_op_param(step->op, "axis")->offset, sizeof axis);
    return in->channels * (axis == GF_AXIS_ROWS ? (double)in->height : axis == GF_AXIS_COLS ? (double)in->width : 1.0);
}

/* The digits of all elements are moved, with their indices if they are wanted. topk looks at each element once, and
 * sorts candidates, which samples in a bad order make many. */
static double order_taps(const struct gf_step *step, const struct gf_view *in)
{
    const double size = (double)gf_dtype_size(in->dtype), n = samples(in), weight = step->op->work.weight;
    const double all = n * (step->op->index == GF_INDEX_sort ? weight : 1.5 * weight);
    return size *
           (step->op->index == GF_INDEX_topk ? fmin(all, LOOK_TAPS * n + SELECTED_TAPS * samples(&step->out[0])) : all);
}

/* Taps besides those that the kind of work counts. */
static double extra_taps(const struct gf_step *step, const struct gf_view *in)
{
    const struct gf_param_desc *light = gf_op_param(step->op, "light");
    uint32_t scale = GF_LIGHT_ENCODED;
    if (light)
        memcpy(&scale, (const char *)&step->params + light->offset, sizeof scale);
    if (scale == GF_LIGHT_LINEAR && (GF_DT(in->dtype) & GF_DT_ENCODED) != 0)
        return LIGHT_TAPS * (samples(in) + samples(&step->out[0])) / 2;
    if (step->op->index == GF_INDEX_canny) /* both masks are separable */
        return 8.0 * gf_canny_params_get(&step->params).aperture * samples(in);
    const bool power = step->op->index == GF_INDEX_map && gf_map_params_get(&step->params).gamma != 1.0f;
    return power && gf_dtype_kind(in->dtype) == GF_KIND_FLOAT ? POWER_TAPS * samples(in) : 0;
}

static bool is_letter(char c)
{
    return (unsigned)((c | 0x20) - 'a') < 26 || c == '_';
}

/* What a function takes on a CPU for each value. Sines of huge angles, and powers and arcs of subnormal numbers, take
 * up to eight times as long. */
static double taps_of_function(const char *name, uint32_t n)
{
    static const struct {
        char name[6];
        uint32_t n;
        double taps;
    } dear[] = {{"sin", 3, 80}, {"cos", 3, 80}, {"pow", 3, 128}, {"atan2", 5, 48}, {"exp", 3, 24}, {"log", 3, 24}};
    for (uint32_t k = 0; k < sizeof dear / sizeof *dear; k++)
        if (dear[k].n == n && memcmp(dear[k].name, name, n) == 0)
            return dear[k].taps;
    return 0;
}

/* What the functions and divisions of a text take, besides its characters. */
static double function_taps(const struct gf_text *text)
{
    const char *at = text->chars, *end = at + text->size;
    double taps = 0;
    while (at < end) {
        const char *begin = at++;
        if (is_letter(*begin)) {
            while (at < end && (is_letter(*at) || (unsigned)(*at - '0') < 10))
                at++;
            if (at - begin >= 3)
                taps += taps_of_function(begin, (uint32_t)(at - begin));
        } else if (*begin == '%' || (*begin == '/' && at < end && *at == '/'))
            taps += DIVISION_TAPS;
    }
    return taps;
}

static double character_taps(const struct gf_text *text)
{
    return CHARACTER_TAPS * text->size;
}

/* Of an operator of the user's for each element, by its texts: a scan combines states within blocks and with what comes
 * before, along lines also in a tree, and takes the elements of long lines twice. */
static double operator_taps(const struct gf_step *step, double of_text(const struct gf_text *text))
{
    if (!gf_operator_is_used(step->op, &step->params))
        return 0;
    if (step->op->index == GF_INDEX_reduce) {
        const struct gf_reduce_params p = gf_reduce_params_get(&step->params);
        return of_text(&p.lift) + of_text(&p.combine) + of_text(&p.finish);
    }
    const struct gf_scan_params p = gf_scan_params_get(&step->params);
    const bool lines = p.axis != GF_AXIS_COLS;
    return (lines ? 2 : 1) * of_text(&p.lift) + (lines ? 3.5 : 2) * of_text(&p.combine) + of_text(&p.finish);
}

/* Places that a radix sort writes to lie outside the cache in long sequences. */
static double cpu_taps_of(const struct gf_step *step, const struct gf_view *in, double highest)
{
    if (step->op->work.kind == GF_WORK_EXPRESSION) {
        const struct gf_text expression = gf_expr_params_get(&step->params).expression;
        return samples(&step->out[0]) * function_taps(&expression);
    }
    const double size = (double)gf_dtype_size(in->dtype);
    if (step->op->scratch == GF_SCRATCH_ORDER)
        return samples(in) > ORDERED * sequences(step, in)
                   ? fmin(order_taps(step, in), SELECTED_TAPS * size * samples(&step->out[0]))
                   : 0;
    return highest * operator_taps(step, function_taps);
}

/* The pixels of a disc whose weights are not 0: 2^-125 is the least weight that counts, docs/numerics.md, "bilateral".
 */
static double disc_taps(const struct gf_step *step)
{
    const double farthest = 13.164 * (double)gf_bilateral_params_get(&step->params).sigma_space;
    const double radius = fmin((double)gf_bilateral_radius(&step->params), farthest);
    return samples(&step->out[0]) * (1 + M_PI * radius * radius) * step->op->work.weight;
}

static double taps_of(const struct gf_program *p, const struct gf_step *step, double highest)
{
    const struct gf_view *in = gf_program_input_view(p, step->in[0]);
    const double n = samples(&step->out[0]), weight = step->op->work.weight;
    switch ((enum gf_work_kind)step->op->work.kind) {
    case GF_WORK_SAMPLES:
        return highest * (weight + operator_taps(step, character_taps));
    case GF_WORK_DIGITS:
        if (step->op->scratch == GF_SCRATCH_ORDER)
            return order_taps(step, in);
        return (samples(in) + n) * weight * (double)gf_dtype_size(in->dtype) +
               highest * operator_taps(step, character_taps);
    case GF_WORK_BINS:
        return bin_taps(step, in, highest);
    case GF_WORK_STENCIL:
        return n * weight;
    case GF_WORK_MASK: /* the mask is prepared, too */
        return (n + LINE_TAPS) * samples(gf_program_input_view(p, step->in[1]));
    case GF_WORK_SEPARABLE:
        return separable_taps(step);
    case GF_WORK_DISC:
        return disc_taps(step);
    case GF_WORK_BOX:
        return box_taps(step);
    case GF_WORK_WINDOW:
        return window_taps(step);
    case GF_WORK_ELEMENT:
        return element_taps(p, step);
    case GF_WORK_RESAMPLE:
        return resample_taps(step, in);
    case GF_WORK_TILES:
        return tiles_taps(step);
    case GF_WORK_KERNEL:
        return n * (double)gf_program_input_view(p, step->in[1])->width;
    case GF_WORK_PRODUCT:
        return n * (double)in->width;
    case GF_WORK_EXPRESSION:
        return n * (weight + CHARACTER_TAPS * gf_expr_params_get(&step->params).expression.size);
    }
    return n;
}

/* How many threads can share a step, at most. */
static double parts_of(const struct gf_program *p, const struct gf_step *step, const struct gf_view *in, double highest)
{
    const bool cut = step->op->n_inputs > 1 && gf_view_given(gf_program_input_view(p, step->in[1]));
    if (step->op->scratch == GF_SCRATCH_ORDER || (step->op->scratch == GF_SCRATCH_RANKS && !cut))
        return fmax(sequences(step, in), samples(in) / (step->op->scratch == GF_SCRATCH_ORDER ? ORDERED : RANKED));
    return fmax(1, highest / PART_SAMPLES);
}

static void describe_step(const struct gf_program *p, const struct gf_step *step, struct gf_step_cost *ret)
{
    const struct gf_op *op = step->op;
    const struct gf_view *first = gf_program_input_view(p, step->in[0]);
    double highest = samples(first), listed = 0;
    *ret = (struct gf_step_cost){.index = op->index, .dtypes = GF_DT(first->dtype), .touched = bytes(first)};
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        ret->touched += bytes(&step->out[i]);
        highest = fmax(highest, samples(&step->out[i]));
    }
    for (uint32_t i = 1; i < op->n_inputs; i++) {
        const struct gf_view *v = gf_program_input_view(p, step->in[i]);
        ret->touched += bytes(v);
        if (op->inputs[i].kind == GF_INPUT_LIST)
            listed += samples(v) * (op->inputs[i].segments ? SEGMENT_TAPS : 1);
    }
    ret->taps = taps_of(p, step, highest) + extra_taps(step, first) + listed;
    ret->cpu_taps = cpu_taps_of(step, first, highest);
    ret->parts = parts_of(p, step, first, highest);
}

void gf_work_describe(const struct gf_program *p, struct gf_work *work)
{
    work->n_needs = p->n_steps;
    work->in = work->out = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        describe_step(p, &p->steps[i], &work->needs[i]);
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (p->operands[i].way != GF_WAY_HANDLE)
            work->in += gf_view_bytes(&p->operands[i].view);
    for (uint32_t i = 0; i < p->n_results; i++)
        if (p->results[i].way != GF_WAY_HANDLE)
            work->out += gf_view_bytes(&p->results[i].view);
}

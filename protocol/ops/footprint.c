/* SPDX-License-Identifier: MIT */
/*
 * The host memory of a program; see footprint.h. Ops with a plan in plan/ take what it says; the figures of the others
 * are upper bounds of what the CPU's kernels request. tests/conformance/memory.c checks both.
 */
#include "footprint.h"

#include <string.h>

#include "enums.h"
#include "op_shapes.h"
#include "outputs_geometry.h"
#include "outputs_histogram.h"
#include "plan/canny_plan.h"
#include "plan/filter_plan.h"
#include "plan/plans.h"
#include "plan/rank_plan.h"
#include "protocol/base/base.h"
#include "protocol/ops/params/erode.h"
#include "protocol/ops/params/histogram.h"
#include "protocol/ops/params/map.h"
#include "protocol/ops/params/match.h"
#include "protocol/ops/params/pyramid.h"
#include "protocol/ops/params/reduce.h"
#include "texts/operator.h"

#define BLOCK_PAGE UINT64_C(65536)  /* large blocks are rounded up to multiples of this */
#define CHUNK UINT64_C(4096)        /* samples per partial of a reduction or a scan */
#define PARTIAL_BYTES UINT64_C(192) /* bytes per partial, at most */
#define WORKSPACE UINT64_C(393216)  /* bytes of a thread's workspace, unless stated otherwise */
#define ORDER_LONG UINT64_C(262144) /* longer sequences are sorted by all threads */
#define TABLE UINT64_C(524288)      /* bytes of a table of 16-bit values, or of taps */

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return gf_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static uint64_t mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return gf_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

/* Bytes of a block; large blocks have whole pages. */
static uint64_t block_bytes(uint64_t bytes)
{
    uint64_t whole;
    return gf_align_u64(bytes, BLOCK_PAGE, &whole) ? whole : UINT64_MAX;
}

void gf_uses_find(const struct gf_step *steps, uint32_t n_steps, struct gf_uses *ret_uses)
{
    memset(ret_uses->operands, 0, sizeof(ret_uses->operands));
    for (uint32_t i = 0; i < n_steps; i++) {
        for (uint32_t k = 0; k < GF_MAX_OUTPUTS; k++)
            ret_uses->outputs[i][k] = (struct gf_use){.last = i};
        for (uint32_t k = 0; k < steps[i].op->n_inputs; k++) {
            struct gf_ref ref = steps[i].in[k];
            if (ref.from == GF_FROM_STEP)
                ret_uses->outputs[ref.index][ref.output].last = i;
            else if (ref.from == GF_FROM_OPERAND)
                ret_uses->operands[ref.index] = i;
        }
    }
}

void gf_program_uses(const struct gf_program *p, struct gf_uses *ret_uses)
{
    gf_uses_find(p->steps, p->n_steps, ret_uses);
    for (uint32_t i = 0; i < p->n_results; i++)
        ret_uses->outputs[p->results[i].step][p->results[i].output].n_sinks++;
}

bool gf_use_needs_memory(const struct gf_use *use, const struct gf_step *step, uint32_t at, uint32_t output)
{
    if (use->last != at || use->n_sinks > 1)
        return true;
    return use->n_sinks == 0 && step->op->outputs[output].shape != GF_SHAPE_COUNTED;
}

/* Tiles, and the mask, taps or disc that they read. A box may be computed in any of three ways. */
static uint64_t filter_bytes(const struct gf_step *step, const struct gf_view *mask, uint32_t threads)
{
    struct gf_filter_plan plan = gf_filter_plan(step, mask, threads == 0 ? 1 : threads);
    const uint32_t kind = step->op->work.kind, channels = plan.channels;
    const uint64_t area = (uint64_t)plan.width * plan.height, taps = (uint64_t)plan.width + plan.height;
    plan.tiles.room = gf_filter_scratch(&plan, kind == GF_WORK_DISC ? GF_ENGINE_DISC : GF_ENGINE_TAPS, channels);
    if (kind == GF_WORK_BOX)
        plan.tiles.room = gf_max_u64(gf_filter_scratch(&plan, GF_ENGINE_BOX, channels),
                                     gf_max_u64(gf_filter_scratch(&plan, GF_ENGINE_BOX_SUMS, channels),
                                                gf_filter_scratch(&plan, GF_ENGINE_BOX_BYTES, channels)));
    return add(gf_tiles_scratch(&plan.tiles, threads), kind == GF_WORK_SEPARABLE ? step->op->work.weight * taps * 4
                                                       : kind == GF_WORK_MASK || kind == GF_WORK_DISC ? 8 * area
                                                                                                      : 0);
}

static uint64_t windows_bytes(const struct gf_step *step, uint32_t threads)
{
    const struct gf_rank_plan plan = gf_rank_plan(step);
    return gf_tiles_scratch(&plan.tiles, threads);
}

/* The lines of a tile by the rule of kernels/cpu/morphology/morphology.c, where no line is kept longer than the element
 * is high; and pictures between passes. */
static uint64_t element_bytes(const struct gf_step *step, const struct gf_view *mask, uint32_t threads)
{
    const struct gf_view *dst = &step->out[0];
    const struct gf_erode_params p = gf_erode_params_get(&step->params); /* the seven ops have the same */
    uint64_t width = gf_element_side(step->op, &step->params, mask, 0), side = GF_MAX_MASK_SIDE;
    uint64_t height = gf_element_side(step->op, &step->params, mask, 1), area = width * height;
    bool columns = gf_view_given(mask) || p.shape != GF_ELEMENT_RECT, again = p.iterations > 1;
    uint64_t pixel = dst->channels * gf_dtype_size(dst->dtype);
    uint64_t lines = gf_max_u64(columns ? 8 * height : 0, 2 * (again ? side : height) + 20);
    uint64_t halo = ((again ? side : width) - 1) * pixel; /* one pass of a rectangle may replace several */
    uint64_t line = gf_min_u64(gf_max_u64(16384, 2 * halo), mul(dst->width, pixel)) + halo + 128;
    uint64_t taps = columns ? 16 * area + 256 : 256;
    /* Pictures that one pass hands to the next; a gradient also keeps one of its halves. */
    uint64_t temps = again || step->op->work.weight > 1 ? 1 : 0;
    temps += again && step->op->work.weight > 1 && step->op->reach == GF_REACH_ELEMENT ? 1 : 0;
    return add(mul(threads, mul(lines, line) + taps + 128),
               add(8192 + area + taps, mul(temps, add(gf_view_bytes(dst), UINT64_C(4) << 20))));
}

/* Counters of `slots` values for each of `planes`: one set per thread if the sets are small, otherwise one set. */
static uint64_t counter_bytes(uint64_t slots, uint64_t planes, uint32_t threads)
{
    uint64_t set = mul(mul(slots, planes), sizeof(uint64_t)), sets = mul(set, threads);
    return add(mul(set, 2), gf_min_u64(sets, gf_max_u64(set, UINT64_C(128) << 20)));
}

static uint64_t clahe_bytes(const struct gf_step *step, uint32_t threads)
{
    const struct gf_clahe_plan plan = gf_clahe_plan(step);
    const uint64_t tables = gf_tiles_scratch(&plan.tables, threads), rows = gf_tiles_scratch(&plan.rows, threads);
    return add(gf_max_u64(tables, rows), add(plan.table_bytes, plan.place_bytes));
}

static uint64_t histogram_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&step->params);
    uint64_t planes = gf_histogram_planes(&p, in->channels), bins = gf_histogram_bins(&p, in), edges = bins + 1;
    uint64_t values = gf_dtype_size(in->dtype) == 1 ? 256 : gf_dtype_size(in->dtype) == 2 ? 65536 : 0;
    return add(add(counter_bytes(bins + 3, planes, threads), counter_bytes(values, planes, threads)),
               mul(edges, sizeof(double)));
}

static uint64_t integral_bytes(const struct gf_view *in, uint32_t threads)
{
    uint64_t row = mul(in->width, in->channels);
    uint64_t column_sums = mul(mul(row, gf_min_u64(in->height, 2 * (uint64_t)threads)), sizeof(uint32_t));
    uint64_t chunk_sums = mul(mul(in->height / 64 + 1, mul(in->width + 1024, in->channels)), sizeof(double));
    uint64_t lines = gf_view_samples(in) / CHUNK * sizeof(uint64_t) + 64;
    return add(lines, in->dtype == GF_F32 ? chunk_sums : in->dtype == GF_U8 ? column_sums : 0);
}

/* Partials of long sequences, for one level and the next, and the cuts of a list. */
static uint64_t partial_bytes(const struct gf_view *in, const struct gf_view *list)
{
    uint64_t partials = mul(gf_view_samples(in) / CHUNK, 4 * PARTIAL_BYTES);
    return gf_view_given(list) ? add(partials, mul(list->width, 3 * sizeof(uint64_t))) : partials;
}

/* The keys of a short sequence per thread; for long sequences a thread's counters of a digit, and the keys that are
 * left. */
static uint64_t rank_bytes(const struct gf_view *in, uint32_t threads)
{
    const uint64_t keys = UINT64_C(65536) * sizeof(uint64_t), counters = mul(keys, in->channels);
    bool is_long = gf_view_samples(in) / in->channels > 65536;
    return is_long ? add(mul(threads, counters + 1), counters) : mul(threads, keys);
}

/* Results of consecutive maps, which short sequences need too. */
static uint64_t composed_bytes(const struct gf_step *step, const struct gf_view *in)
{
    bool composes = gf_reduce_params_get(&step->params).op == GF_REDUCTION_AFFINE ||
                    gf_reduce_params_get(&step->params).op == GF_REDUCTION_MATMUL2;
    return composes ? mul(mul(in->height, in->channels), 2 * sizeof(double)) : 0;
}

/* By the sizes of kernels/cpu/operator: a thread's arrays; two states per chunk, where each segment and each line may
 * have one partial chunk; and the cuts of a list. */
static uint64_t operator_bytes(const struct gf_view *in, const struct gf_view *list, uint32_t threads)
{
    const uint64_t workspace = UINT64_C(1280) << 10, state = 40;
    uint64_t longest = gf_max_u64(in->width, in->height), lists = gf_view_given(list) ? list->width : 0;
    uint64_t chunks = add(add(gf_view_samples(in) / CHUNK, mul(longest, in->channels)), mul(lists, in->channels));
    return add(add(mul(threads, workspace), mul(chunks, 2 * state)), mul(lists, 2 * sizeof(uint64_t)));
}

/* Windows and weights of both axes, tables of the samples of a row, and, by the rule of kernels/cpu/geometry/resize.c,
 * the lines of blocks of rows. */
static uint64_t resample_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_view *out = &step->out[0];
    uint64_t from[2] = {in->width, in->height}, to[2] = {out->width, out->height}, window[2], bytes = 4096;
    double ratio[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        ratio[axis] = (double)from[axis] / (double)to[axis];
        window[axis] = gf_min_u64(from[axis], (uint64_t)(6.0 * (ratio[axis] > 1.0 ? ratio[axis] : 1.0)) + 2);
        bytes = add(bytes, mul(to[axis], 8 * window[axis] + 8) + 8 * window[axis]);
    }
    bytes = add(bytes, mul(to[0], 16 * (uint64_t)in->channels + 16));
    uint64_t channels = in->channels, wanted = gf_max_u64(GF_RESIZE_LINE / channels, 4 * window[0]);
    uint64_t strip = gf_max_u64(1, (uint64_t)((double)(wanted - gf_min_u64(wanted, window[0])) / ratio[0]));
    strip = gf_min_u64(gf_min_u64(strip, GF_RESIZE_LINE / channels), out->width);
    uint64_t span = gf_min_u64(in->width, (uint64_t)((double)(strip + 1) * ratio[0]) + window[0] + 2);
    span = gf_max_u64(span, 2 * strip);
    uint64_t floats = (span * channels + 64) * 49 + (strip * channels + 64) * 16;
    return add(bytes, mul(threads, floats * sizeof(float) + 256));
}

/* Lines of the widest level, and the pictures between levels, two at a time. */
static uint64_t level_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_pyramid_params p = gf_pyramid_params_get(&step->params);
    const bool up = p.direction == GF_PYRAMID_UP;
    uint64_t before = 0, most = 0, lines = 0;
    struct gf_view src = *in;
    for (uint32_t level = 1; level <= p.level; level++) {
        const struct gf_view dst =
            gf_view_tight(in->dtype, gf_pyramid_side(src.width, up), gf_pyramid_side(src.height, up), in->channels);
        const struct gf_tiles rows = gf_pyramid_rows(mul(up ? dst.width : src.width, in->channels), dst.height);
        const uint64_t bytes = level < p.level ? add(gf_view_bytes(&dst), UINT64_C(4) << 20) : 0;
        lines = gf_max_u64(lines, gf_tiles_scratch(&rows, threads));
        most = gf_max_u64(most, add(before, bytes));
        before = bytes;
        src = dst;
    }
    return add(most, lines);
}

/* label, by the sizes of kernels/cpu/region/label.c: bits in whole words, and a run for every other pixel. */
static uint64_t run_bytes(const struct gf_view *in)
{
    uint64_t bits = mul(mul(in->width / 64 + 1, in->height), sizeof(uint64_t)), runs = (in->width + 1) / 2;
    return add(add(bits, mul(mul(runs, in->height), 20)), add(mul(in->height, 32), 4096));
}

static uint64_t distance_bytes(const struct gf_view *in, uint32_t threads)
{
    const struct gf_tiles rows = gf_distance_rows(in);
    return add(gf_tiles_scratch(&rows, threads), mul(gf_view_samples(in), sizeof(uint16_t)));
}

static uint64_t canny_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_canny_plan plan = gf_canny_plan(step, in);
    return gf_canny_scratch(&plan, threads);
}

/* Samples and, if wanted, their indices, two copies of each: of a sequence that all threads share, or per thread of as
 * many neighbouring sequences as it takes at a time. For long sequences of few values, counts of the values instead. */
static uint64_t order_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_op *op = step->op;
    uint64_t size = gf_dtype_size(in->dtype), index = 0, length = in->width, lanes = in->channels;
    uint32_t axis;
    memcpy(&axis, (const char *)&step->params + gf_op_param(op, "axis")->offset, sizeof(axis));
    if (strcmp(op->outputs[op->n_outputs - 1].name, "indices") == 0)
        index = sizeof(uint32_t);
    if (axis != GF_AXIS_ROWS)
        length = axis == GF_AXIS_COLS ? in->height : mul(in->width, in->height);
    if (axis == GF_AXIS_COLS)
        lanes = gf_min_u64(mul(in->width, lanes), gf_max_u64(lanes, 64 / size));
    if (length > ORDER_LONG && size <= 2 && index == 0 && gf_dtype_kind(in->dtype) != GF_KIND_FLOAT)
        return mul(threads, 2 * sizeof(uint32_t) << 8 * size);
    if (length > ORDER_LONG)
        return add(mul(length, 2 * (size + index)), mul(length / ORDER_LONG + 1, 8 * 256 * sizeof(uint32_t)));
    lanes = gf_max_u64(1, gf_min_u64(lanes, 4 * ORDER_LONG / length));
    return mul(threads, length * ((lanes + 1) * size + 2 * index) + 256);
}

/* The scratch memory of a step besides its inputs and outputs. */
static uint64_t step_bytes(const struct gf_program *p, const struct gf_step *step, uint32_t threads)
{
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    for (uint32_t i = 0; i < step->op->n_inputs; i++)
        in[i] = *gf_program_input_view(p, step->in[i]);
    uint64_t workspaces = mul(threads, WORKSPACE);
    switch ((enum gf_scratch_rule)step->op->scratch) {
    case GF_SCRATCH_NONE:
        return 0;
    case GF_SCRATCH_FORMULA:
        return gf_map_params_get(&step->params).gamma != 1.0f || gf_view_given(&in[1]) ? TABLE : 0;
    case GF_SCRATCH_LINES:
        return filter_bytes(step, &in[1], threads);
    case GF_SCRATCH_WINDOWS:
        return windows_bytes(step, threads);
    case GF_SCRATCH_ELEMENT:
        return element_bytes(step, &in[1], threads);
    case GF_SCRATCH_COUNTERS:
        return add(TABLE, counter_bytes(in[0].dtype == GF_U8 ? 260 : 65540, in[0].channels, threads));
    case GF_SCRATCH_TILES:
        return clahe_bytes(step, threads);
    case GF_SCRATCH_BINS:
        return add(4096 * (uint64_t)threads, histogram_bytes(step, in, threads));
    case GF_SCRATCH_PARTIALS:
    case GF_SCRATCH_REDUCTION:
        if (gf_operator_is_used(step->op, &step->params))
            return operator_bytes(&in[0], &in[1], threads);
        if (step->op->scratch == GF_SCRATCH_REDUCTION)
            return add(add(workspaces, partial_bytes(&in[0], &in[1])), composed_bytes(step, &in[0]));
        return add(workspaces, partial_bytes(&in[0], &in[1]));
    case GF_SCRATCH_RUNS:
        return add(workspaces, run_bytes(&in[0]));
    case GF_SCRATCH_HEIGHTS:
        return distance_bytes(&in[0], threads);
    case GF_SCRATCH_EDGES:
        return canny_bytes(step, &in[0], threads);
    case GF_SCRATCH_SUMS:
        return add(workspaces, integral_bytes(&in[0], threads));
    case GF_SCRATCH_TEMPLATE:
        return gf_match_scratch(gf_match_columns(&step->out[0], &in[1]), gf_match_params_get(&step->params).peaks,
                                threads);
    case GF_SCRATCH_TAPS:
        return gf_conv1d_scratch(gf_view_samples(&in[1]), in[0].dtype, threads);
    case GF_SCRATCH_THREADS:
        return workspaces;
    case GF_SCRATCH_RESAMPLE:
        return resample_bytes(step, in, threads);
    case GF_SCRATCH_LEVELS:
        return level_bytes(step, &in[0], threads);
    case GF_SCRATCH_PAIRS:
        return add(add(4096 * (uint64_t)threads, TABLE), counter_bytes(gf_view_samples(&step->out[0]), 1, threads));
    case GF_SCRATCH_RANKS:
        return rank_bytes(&in[0], threads);
    case GF_SCRATCH_ORDER:
        return add(CHUNK, block_bytes(order_bytes(step, &in[0], threads)));
    }
    return UINT64_MAX;
}

/* Whether a step allocates memory besides the scratch memory that steps share, which an earlier step may have left
 * larger than this one needs. */
static bool allocates_more(const struct gf_step *step)
{
    switch ((enum gf_scratch_rule)step->op->scratch) {
    case GF_SCRATCH_ELEMENT:
    case GF_SCRATCH_TILES:
    case GF_SCRATCH_COUNTERS:
    case GF_SCRATCH_BINS:
    case GF_SCRATCH_RUNS:
    case GF_SCRATCH_HEIGHTS:
    case GF_SCRATCH_RESAMPLE:
    case GF_SCRATCH_LEVELS:
    case GF_SCRATCH_ORDER:
        return true;
    default:
        return false;
    }
}

uint32_t gf_footprint_copy_of(const struct gf_program *p, uint32_t index)
{
    const struct gf_operand *o = &p->operands[index];
    for (uint32_t i = 0; i < index; i++) {
        const struct gf_operand *other = &p->operands[i];
        if (other->way == o->way && other->id == o->id && other->offset == o->offset &&
            gf_view_same_shape(&other->view, &o->view) && other->view.pitch == o->view.pitch)
            return i;
    }
    return index;
}

uint64_t gf_footprint_copied(const struct gf_program *p)
{
    uint64_t copied = 0;
    for (uint32_t s = 0; s < p->n_steps; s++)
        for (uint32_t i = 0; i < p->steps[s].op->n_inputs; i++)
            if (gf_input_is_copied(&p->steps[s].op->inputs[i]) && p->steps[s].in[i].from == GF_FROM_OPERAND)
                copied |= UINT64_C(1) << p->steps[s].in[i].index;
    return copied;
}

/* The bytes of the private copies. */
static uint64_t copy_bytes(const struct gf_program *p)
{
    uint64_t sum = 0, copied = gf_footprint_copied(p), own = 0;
    for (uint32_t i = 0; i < p->n_operands; i++)
        if ((copied >> i & 1) != 0)
            own |= UINT64_C(1) << gf_footprint_copy_of(p, i);
    for (uint32_t i = 0; i < p->n_operands; i++) {
        const struct gf_view *v = &p->operands[i].view;
        if ((own >> i & 1) != 0)
            sum = add(sum, mul(gf_view_row_bytes(v), v->height));
    }
    return sum;
}

/* Bytes of each output that is alive, 0 for an output without memory, and their sum. Entries are set when their step is
 * reached. */
struct alive {
    uint64_t bytes[GF_MAX_STEPS][GF_MAX_OUTPUTS], sum;
};

static void begin(struct alive *alive, uint32_t step, uint32_t output, uint64_t bytes)
{
    alive->bytes[step][output] = bytes;
    alive->sum = add(alive->sum, bytes);
}

static void end(struct alive *alive, uint32_t step, uint32_t output)
{
    alive->sum -= gf_min_u64(alive->sum, alive->bytes[step][output]);
    alive->bytes[step][output] = 0;
}

void gf_footprint_find_steps(const struct gf_program *p, uint32_t threads, bool in_slabs,
                             struct gf_footprint_step *ret_steps, struct gf_footprint *ret)
{
    struct gf_uses uses;
    struct alive alive;
    alive.sum = 0;
    gf_program_uses(p, &uses);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const struct gf_step *step = &p->steps[i];
        const uint64_t before = alive.sum;
        for (uint32_t k = 0; k < step->op->n_outputs; k++) {
            bool needed = in_slabs || gf_use_needs_memory(&uses.outputs[i][k], step, i, k);
            begin(&alive, i, k, needed ? block_bytes(gf_view_bytes(&step->out[k])) : 0);
        }
        ret_steps[i] = (struct gf_footprint_step){.before = before,
                                                  .outputs = alive.sum - before,
                                                  .scratch = step_bytes(p, step, threads),
                                                  .apart = allocates_more(step)};
        for (uint32_t k = 0; k < step->op->n_outputs; k++)
            if (uses.outputs[i][k].last == i)
                end(&alive, i, k);
        for (uint32_t k = 0; k < step->op->n_inputs; k++) {
            struct gf_ref ref = step->in[k];
            if (ref.from == GF_FROM_STEP && uses.outputs[ref.index][ref.output].last == i)
                end(&alive, ref.index, ref.output);
        }
    }
    *ret = (struct gf_footprint){.copies = copy_bytes(p), .work = gf_footprint_work(ret_steps, p->n_steps)};
}

void gf_footprint_join(struct gf_footprint_step *steps, uint32_t n, uint32_t threads)
{
    const struct gf_footprint_step one = {
        .before = steps[0].before, .outputs = steps[n - 1].outputs, .scratch = mul(threads, WORKSPACE)};
    memset(steps, 0, n * sizeof(*steps));
    steps[0] = one;
}

uint64_t gf_footprint_work(const struct gf_footprint_step *steps, uint32_t n_steps)
{
    uint64_t peak = 0, left = 0; /* the largest scratch memory of a step so far, which later steps may inherit */
    for (uint32_t i = 0; i < n_steps; i++) {
        const struct gf_footprint_step *s = &steps[i];
        peak = gf_max_u64(peak, add(add(s->before, s->outputs), s->apart ? add(s->scratch, left) : s->scratch));
        left = gf_max_u64(left, s->scratch);
    }
    return peak;
}

void gf_footprint_find(const struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_footprint *ret)
{
    struct gf_footprint_step steps[GF_MAX_STEPS];
    gf_footprint_find_steps(p, threads, in_slabs, steps, ret);
}

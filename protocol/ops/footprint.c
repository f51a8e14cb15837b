/* SPDX-License-Identifier: MIT */
/*
 * The host memory of a program; see footprint.h. Figures of steps are upper bounds of what the CPU's kernels request;
 * tests/conformance/memory.c checks them.
 */
#include "footprint.h"

#include <string.h>

#include "enums.h"
#include "op_shapes.h"
#include "outputs_histogram.h"
#include "protocol/base/base.h"

#define BLOCK_PAGE UINT64_C(65536)  /* to which large blocks are rounded */
#define CHUNK UINT64_C(4096)        /* samples of which a reduction or a scan keeps a part */
#define PARTIAL_BYTES UINT64_C(192) /* of a part at most */
#define WORKSPACE UINT64_C(393216)  /* of a thread, where nothing else is said */
#define TABLE UINT64_C(524288)      /* of values of 16 bits, or of taps */

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

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void gf_uses_find(const struct gf_step *steps, uint32_t n_steps, struct gf_use *ret_uses)
{
    for (uint32_t i = 0; i < n_steps; i++) {
        const struct gf_step *step = &steps[i];
        for (uint32_t k = 0; k < step->op->n_outputs; k++)
            ret_uses[i * GF_MAX_OUTPUTS + k] = (struct gf_use){.last = i};
        for (uint32_t k = 0; k < step->op->n_inputs; k++)
            if (step->in[k].from == GF_FROM_STEP)
                ret_uses[step->in[k].index * GF_MAX_OUTPUTS + step->in[k].output].last = i;
    }
}

bool gf_use_needs_memory(const struct gf_use *use, const struct gf_step *step, uint32_t at, uint32_t output)
{
    if (use->last != at || use->n_sinks > 1)
        return true;
    return use->n_sinks == 0 && step->op->outputs[output].shape != GF_SHAPE_COUNTED;
}

/* Taps of a separable mask, across and down. */
static void separable_taps(const struct gf_step *step, uint64_t taps[2])
{
    const struct gf_param_desc *sigma = gf_op_param(step->op, "sigma"), *truncate = gf_op_param(step->op, "truncate");
    const char *params = (const char *)&step->params;
    struct gf_f32v v;
    float t;
    memcpy(&v, params + sigma->offset, sizeof(v));
    memcpy(&t, params + truncate->offset, sizeof(t));
    for (uint32_t axis = 0; axis < 2; axis++)
        taps[axis] = 1 + 2 * (uint64_t)gf_gaussian_radius(GF_PICK(v, axis), t);
}

/* The lines of a tile, by the rule of kernels/cpu/filter/linear.c; masks and what is made of them beside it. */
static uint64_t filter_bytes(const struct gf_step *step, const struct gf_view *mask, uint32_t threads)
{
    uint32_t kind = step->op->work.kind;
    uint64_t taps[2] = {3, 3}, channels = step->out[0].channels, samples = mul(step->out[0].width, channels);
    if (kind == GF_WORK_MASK) {
        taps[0] = mask->width;
        taps[1] = mask->height;
    } else if (kind == GF_WORK_SEPARABLE)
        separable_taps(step, taps);
    else if (kind == GF_WORK_BOX) {
        taps[0] = GF_PICK(step->params.box.size, 0);
        taps[1] = GF_PICK(step->params.box.size, 1);
    }
    uint64_t across = taps[0], down = taps[1];
    uint64_t halo = (across - 1) * channels, ring = down + 1, lines = kind == GF_WORK_BOX ? 2 * ring : ring;
    uint64_t line = max_u64(512, min_u64(8192, 98304 / lines));
    if (line < 2 * halo && 2 * halo * lines * sizeof(float) <= 64u << 20)
        line = 2 * halo;
    uint64_t tile = min_u64(line, samples) + 32, wide = tile + halo + 32;
    uint64_t kept = kind == GF_WORK_SEPARABLE ? step->op->work.weight * tile : kind == GF_WORK_BOX ? tile : wide;
    uint64_t floats = (kind == GF_WORK_BOX ? 14 : 3) * wide + (ring + 14) * kept;
    return mul(threads, floats * sizeof(float) + 16 * ring + 256) + (across + down) * 16 +
           (kind == GF_WORK_MASK ? 8 * across * down : 0);
}

/* Counters of `slots` values of each of `planes`, for each thread where they are few. */
static uint64_t counter_bytes(uint64_t slots, uint64_t planes, uint32_t threads)
{
    uint64_t set = mul(mul(slots, planes), sizeof(uint64_t)), sets = mul(set, threads);
    return add(mul(set, 2), min_u64(sets, max_u64(set, UINT64_C(128) << 20)));
}

static uint64_t histogram_bytes(const struct gf_step *step, const struct gf_view *in, uint32_t threads)
{
    const struct gf_histogram_params *p = &step->params.histogram;
    uint64_t planes = gf_histogram_planes(p, in->channels), bins = gf_histogram_bins(p, in), edges = bins + 1;
    uint64_t values = gf_dtype_size(in->dtype) == 1 ? 256 : gf_dtype_size(in->dtype) == 2 ? 65536 : 0;
    return add(add(counter_bytes(bins + 3, planes, threads), counter_bytes(values, planes, threads)),
               mul(edges, sizeof(double)));
}

static uint64_t integral_bytes(const struct gf_view *in, uint32_t threads)
{
    uint64_t row = mul(in->width, in->channels);
    uint64_t column_sums = mul(mul(row, min_u64(in->height, 2 * (uint64_t)threads)), sizeof(uint32_t));
    uint64_t chunk_sums = mul(mul(in->height / 64 + 1, mul(in->width + 1024, in->channels)), sizeof(double));
    return in->dtype == GF_F32 ? chunk_sums : in->dtype == GF_U8 ? column_sums : 0;
}

/* Parts of long sequences, one level and the next; of maps that follow each other, of short ones too. */
static uint64_t reduce_bytes(const struct gf_step *step, const struct gf_view *in, const struct gf_view *list)
{
    uint64_t samples = gf_view_samples(&in[0]), partials = mul(samples / CHUNK, 4 * PARTIAL_BYTES);
    if (step->op->index == GF_INDEX_reduce && step->params.reduce.op >= GF_REDUCTION_AFFINE)
        partials = add(partials, mul(mul(in[0].height, in[0].channels), 2 * sizeof(double)));
    return gf_view_given(list) ? add(partials, mul(list->width, 3 * sizeof(uint64_t))) : partials;
}

/* What a step works in beside its inputs and outputs. */
static uint64_t step_bytes(const struct gf_program *p, const struct gf_step *step, uint32_t threads)
{
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    for (uint32_t i = 0; i < step->op->n_inputs; i++)
        in[i] = *gf_program_input_view(p, step->in[i]);
    uint64_t samples = gf_view_samples(&in[0]), workspaces = mul(threads, WORKSPACE);
    switch (step->op->work.kind) {
    case GF_WORK_STENCIL:
    case GF_WORK_MASK:
    case GF_WORK_SEPARABLE:
    case GF_WORK_BOX:
        return filter_bytes(step, &in[1], threads);
    case GF_WORK_KERNEL:
        return add(workspaces, TABLE);
    case GF_WORK_PRODUCT:
        return workspaces;
    default:
        break;
    }
    switch (step->op->index) {
    case GF_INDEX_copy:
    case GF_INDEX_combine:
        return 0;
    case GF_INDEX_map:
        return step->params.map.gamma != 1.0f || gf_view_given(&in[1]) ? TABLE : 0;
    case GF_INDEX_threshold:
    case GF_INDEX_equalize:
    case GF_INDEX_autocontrast:
        return add(TABLE, counter_bytes(in[0].dtype == GF_U8 ? 260 : 65540, in[0].channels, threads));
    case GF_INDEX_histogram:
        return add(4096 * (uint64_t)threads, histogram_bytes(step, in, threads));
    case GF_INDEX_integral:
        return add(workspaces, add(integral_bytes(&in[0], threads), samples / CHUNK * sizeof(uint64_t) + 64));
    default: /* reductions, scans, select */
        return add(workspaces, reduce_bytes(step, in, &in[1]));
    }
}

/* Bytes that a block takes; large ones come in whole pages. */
static uint64_t block_bytes(const struct gf_view *view)
{
    return add(gf_view_bytes(view), BLOCK_PAGE - 1) / BLOCK_PAGE * BLOCK_PAGE;
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

uint64_t gf_footprint_copies(const struct gf_program *p)
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

/* Bytes of each output that is alive, 0 of one without memory; their sum. Set as steps are met. */
struct alive {
    uint64_t bytes[GF_MAX_STEPS * GF_MAX_OUTPUTS], sum;
};

static void begin(struct alive *alive, uint32_t output, uint64_t bytes)
{
    alive->bytes[output] = bytes;
    alive->sum = add(alive->sum, bytes);
}

static void end(struct alive *alive, uint32_t output)
{
    alive->sum -= min_u64(alive->sum, alive->bytes[output]);
    alive->bytes[output] = 0;
}

void gf_footprint_find(const struct gf_program *p, uint32_t threads, bool in_slabs, struct gf_footprint *ret)
{
    struct gf_use uses[GF_MAX_STEPS * GF_MAX_OUTPUTS];
    struct alive alive;
    uint64_t peak = 0;
    alive.sum = 0;
    gf_uses_find(p->steps, p->n_steps, uses);
    for (uint32_t i = 0; i < p->n_results; i++)
        uses[p->results[i].step * GF_MAX_OUTPUTS + p->results[i].output].n_sinks++;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const struct gf_step *step = &p->steps[i];
        uint32_t own = i * GF_MAX_OUTPUTS;
        for (uint32_t k = 0; k < step->op->n_outputs; k++) {
            bool needed = in_slabs || gf_use_needs_memory(&uses[own + k], step, i, k);
            begin(&alive, own + k, needed ? block_bytes(&step->out[k]) : 0);
        }
        peak = max_u64(peak, add(alive.sum, step_bytes(p, step, threads)));
        for (uint32_t k = 0; k < step->op->n_outputs; k++)
            if (uses[own + k].last == i)
                end(&alive, own + k);
        for (uint32_t k = 0; k < step->op->n_inputs; k++) {
            uint32_t read = step->in[k].index * GF_MAX_OUTPUTS + step->in[k].output;
            if (step->in[k].from == GF_FROM_STEP && uses[read].last == i)
                end(&alive, read);
        }
    }
    *ret = (struct gf_footprint){.copies = gf_footprint_copies(p), .work = peak};
}

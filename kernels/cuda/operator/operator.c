/* SPDX-License-Identifier: MIT */
/* The host code that reduce and scan with op=user share; see operator.h. */
#include "operator.h"

#include <string.h>

#include "kernels/cuda/device/cuda_policy.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/shared/expr/insn_code.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/scan.h"

_Static_assert(GF_CUDA_OPERATOR_N_KERNELS <= 16, "the two bytes of a key must have a bit for each kernel");

/* The cost in bytes of running a program: its approximate work in multiplications, relative to the work of a work unit.
 */
static double cost_of(const struct gf_cuda_call *call, const struct gf_expr_program *program)
{
    const double found = 24.0, work = gf_expr_program_work(program, found);
    return work / (gf_policy.unit_work * call->exec->device->info.units) * GF_CUDA_WORK_UNIT_BYTES;
}

/* Whether lift reads the column or the row of an element. */
static bool asks_where(const struct gf_expr_program *lift)
{
    bool asks = false;
    for (uint32_t i = 0; i < lift->n_insns; i++) {
        const struct gf_expr_insn *insn = &lift->insns[i];
        bool place = insn->op >= GF_EXPR_I_PLACE_I32 && insn->op <= GF_EXPR_I_PLACE_F64;
        asks = asks || (place && (insn->in[0] == GF_EXPR_X || insn->in[0] == GF_EXPR_Y));
    }
    return asks;
}

static bool follow(const struct gf_view *view)
{
    return view->height == 1 || view->pitch == gf_view_row_bytes(view);
}

/* Describes the images, without regard to sequences. */
static void describe(const struct gf_cuda_call *call, struct gf_cuda_operator *op)
{
    const struct gf_view *src = &call->image[0]->view, *dst = &call->out[0].view;
    struct gf_cuda_operator_args *a = &op->args;
    uint32_t src_size = (uint32_t)gf_dtype_size(src->dtype), dst_size = (uint32_t)gf_dtype_size(dst->dtype);
    *a = (struct gf_cuda_operator_args){.src = call->image[0]->data,
                                        .dst = call->out[0].data,
                                        .src_pitch = src->pitch,
                                        .dst_pitch = dst->pitch,
                                        .width = src->width,
                                        .height = src->height,
                                        .dtype = src->dtype,
                                        .src_size = src_size,
                                        .src_pixel = src_size * src->channels,
                                        .dst_pixel = dst_size * dst->channels,
                                        .dst_dtype = dst->dtype,
                                        .dst_size = dst_size,
                                        .channels = op->programs.pixels ? 1 : src->channels};
    for (uint32_t k = 0; k < op->programs.n_state; k++)
        a->identity[k] = op->programs.identity[k].u64;
    op->elements = src->width * src->height;
}

/* Makes whole lines the sequences. `scans`: there is a result per element. */
static void set_lines(const struct gf_cuda_call *call, uint32_t axis, bool scans, struct gf_cuda_operator *op)
{
    const struct gf_view *src = &call->image[0]->view;
    struct gf_cuda_operator_args *a = &op->args;
    a->columns = axis == GF_AXIS_COLS;
    a->along_rows = axis == GF_AXIS_ROWS;
    a->lines = a->columns ? src->width : a->along_rows ? src->height : 1;
    a->n = a->columns ? src->height : a->along_rows ? src->width : op->elements;
    if (axis == GF_AXIS_ALL && follow(src) && (!scans || follow(&call->out[0].view)) &&
        !asks_where(&op->programs.lift)) {
        a->width = op->elements;
        a->height = 1;
    }
}

/* Makes segments the sequences. */
static enum gf_status set_segments(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    struct gf_cuda_operator_args *a = &op->args;
    const struct gf_cuda_segment_rules rules = {.elements = op->elements,
                                                .covers_all = call->step->op->index == GF_INDEX_scan,
                                                .min_length = a->short_n,
                                                .block = a->block};
    enum gf_status status = gf_cuda_segments_cut(call, &rules, &op->segments, err);
    op->tiles = op->segments.n_blocks * a->channels;
    op->longest = op->segments.longest;
    a->offsets = op->segments.offsets;
    a->before = op->segments.first_blocks;
    a->lines = op->segments.n;
    return status;
}

enum gf_status gf_cuda_operator_init(struct gf_cuda_call *call, gf_cuda_operator_interpret_fn *interpret,
                                     uint64_t block, uint64_t short_n, struct gf_cuda_operator *ret,
                                     struct gf_error *err)
{
    const struct gf_step *step = call->step;
    const struct gf_view in[GF_MAX_INPUTS] = {call->image[0]->view,
                                              call->coefs[1] ? call->coefs[1]->view : (struct gf_view){0}};
    struct gf_cuda_operator *op = ret;
    bool scans = step->op->index == GF_INDEX_scan;
    op->segments = (struct gf_cuda_segments){0};
    op->states = NULL;
    op->kept_vectors = 0;
    op->interpret = interpret;
    enum gf_status status = gf_operator_compile(step, in, &op->programs, err);
    if (status != GF_OK)
        return status;
    op->lift = cost_of(call, &op->programs.lift);
    op->combine = cost_of(call, &op->programs.combine);
    op->finish = cost_of(call, &op->programs.finish);
    describe(call, op);
    set_lines(call, scans ? gf_scan_params_get(&step->params).axis : gf_reduce_params_get(&step->params).axis, scans,
              op);
    op->args.exclusive = scans && gf_scan_params_get(&step->params).exclusive != 0;
    op->args.reverse = scans && gf_scan_params_get(&step->params).reverse != 0;
    op->args.block = block;
    op->args.short_n = short_n;
    if (call->coefs[1]) {
        status = set_segments(call, op, err);
    } else {
        op->longest = op->args.blocks = op->args.n <= short_n ? 0 : (op->args.n - 1) / block + 1;
        op->tiles = op->args.blocks * op->args.lines * op->args.channels;
    }
    op->sequences = op->args.lines * op->args.channels;
    return status;
}

static uint32_t append_constants(const struct gf_expr_program *program, uint32_t n, union gf_expr_value *constants)
{
    memcpy(constants + n, program->constants, program->n_constants * sizeof(*constants));
    return n + program->n_constants;
}

void gf_cuda_operator_find(struct gf_cuda_call *call, struct gf_cuda_operator *op, uint32_t kernels)
{
    const struct gf_view *src = &call->image[0]->view, *dst = &call->out[0].view;
    const struct gf_cuda_operator_args *a = &op->args;
    const struct gf_jit_operator user = {.programs = &op->programs,
                                         .kernels = kernels,
                                         .kept_vectors = op->kept_vectors,
                                         .columns = a->columns,
                                         .along_rows = a->along_rows,
                                         .one_row = a->height == 1,
                                         .exclusive = a->exclusive,
                                         .reverse = a->reverse,
                                         .segments = a->offsets != NULL};
    const struct gf_jit_spec spec = {
        .in = {{src->dtype, src->channels}}, .out = {dst->dtype, dst->channels}, .user = &user};
    op->compiled =
        gf_cuda_jit_take(call->exec, &spec, call->job->user, gf_view_bytes(src) + gf_view_bytes(dst), &op->use);
    if (op->compiled) {
        uint32_t n = append_constants(&op->programs.lift, 0, op->constants);
        n = append_constants(&op->programs.combine, n, op->constants);
        (void)append_constants(&op->programs.finish, n, op->constants);
    } else {
        gf_cuda_operator_encode(&op->programs, &op->code);
    }
    if (call->job->expressions)
        *call->job->expressions |= op->compiled ? GF_EXPRESSIONS_COMPILED : GF_EXPRESSIONS_INTERPRETED;
}

void gf_cuda_operator_deinit(struct gf_cuda_call *call, struct gf_cuda_operator *op)
{
    gf_cuda_free(call->exec, op->states);
    gf_cuda_segments_free(call, &op->segments);
}

uint32_t gf_cuda_operator_values(const struct gf_cuda_operator *op)
{
    return op->programs.n_state <= 2 ? op->programs.n_state : GF_CUDA_OPERATOR_VALUES;
}

enum gf_status gf_cuda_operator_take(struct gf_cuda_call *call, struct gf_cuda_operator *op, const uint64_t states[2],
                                     struct gf_error *err)
{
    uint64_t all, bytes, values = gf_cuda_operator_values(op);
    if (!gf_add_u64(states[0], states[1], &all) || !gf_mul_u64(all, values * sizeof(uint64_t), &bytes))
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: too many blocks", call->step->op->name);
    if (all == 0)
        return GF_OK;
    enum gf_status status = gf_cuda_alloc(call->exec, (size_t)bytes, &op->states, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = op->states;
    for (uint32_t i = 0; i < 2; at += values * states[i++]) {
        op->args.parts[i].words = at;
        op->args.parts[i].room = states[i];
    }
    return GF_OK;
}

static cudaError_t launch(const struct gf_cuda_operator *op, enum gf_cuda_operator_kernel kernel,
                          const struct gf_cuda_operator_level *level, unsigned blocks, size_t shared,
                          cudaStream_t stream)
{
    /* The launch functions take non-const pointers, but only read the arguments. */
    void *arguments[] = {(void *)(uintptr_t)&op->args, (void *)(uintptr_t)level, (void *)(uintptr_t)op->constants};
    const struct gf_cuda_jit_grid grid = {blocks, GF_CUDA_OPERATOR_THREADS, shared};
    return op->compiled ? gf_cuda_jit_run_operator(&op->use, kernel, arguments, grid, stream)
                        : op->interpret(kernel, &op->args, level, &op->code, blocks, stream);
}

enum gf_status gf_cuda_operator_run(struct gf_cuda_call *call, const struct gf_cuda_operator *op,
                                    enum gf_cuda_operator_kernel kernel, struct gf_cuda_operator_level level,
                                    struct gf_cuda_operator_work work, struct gf_error *err)
{
    const double fit = GF_CUDA_WORK_UNIT_BYTES / work.cost;
    const uint64_t limit = fit >= (double)work.items ? work.items : fit < work.each ? work.each : (uint64_t)fit;
    const uint64_t most = work.blocks > 0 ? work.blocks : UINT64_MAX;
    enum gf_status status = GF_OK;
    for (level.first = 0; level.first < work.items && status == GF_OK; level.first = level.end) {
        uint64_t n = gf_min_u64(work.items - level.first, limit);
        level.end = level.first + n;
        status = gf_cuda_throttle(call->exec, call->job, (uint64_t)((double)n * work.cost), err);
        if (status == GF_OK && level.tickets)
            status = gf_cuda_status(cudaMemsetAsync(level.tickets, 0, sizeof(*level.tickets), call->exec->main),
                                    "clearing the tickets of an operator", err);
        unsigned blocks = gf_cuda_grid(gf_min_u64((n - 1) / work.each + 1, most));
        if (status == GF_OK)
            status = gf_cuda_status(launch(op, kernel, &level, blocks, work.shared, call->exec->main),
                                    "running an operator", err);
    }
    return status;
}

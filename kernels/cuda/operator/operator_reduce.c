/* SPDX-License-Identifier: MIT */
/* reduce with op=user: reduces elements to states and states to fewer states, until each sequence has one, from which
 * its result is made. Called by reduce/reduction.c. */
#include "operator.h"
#include "protocol/base/base.h"

#define BIT(kernel) (1u << GF_CUDA_OPERATOR_##kernel)
#define WARPS (GF_CUDA_OPERATOR_THREADS / 32u)

/* The cost of an element until its state is combined with another one. */
static double element_cost(const struct gf_cuda_operator *op)
{
    return (double)op->args.src_pixel / op->args.channels + op->lift + op->combine;
}

static double state_cost(const struct gf_cuda_operator *op)
{
    return (double)(op->programs.n_state * sizeof(uint64_t)) + op->combine;
}

/* The approximate number of elements of a sequence without blocks. */
static uint64_t short_elements(const struct gf_cuda_operator *op)
{
    return op->args.offsets ? gf_min_u64(op->elements / op->args.lines + 1, op->args.short_n) : op->args.n;
}

/* A bit for each kernel that the step launches. */
static uint32_t kernels_of(const struct gf_cuda_operator *op)
{
    if (op->args.columns)
        return BIT(FOLD_COLUMN_DATA) | BIT(FOLD_COLUMN_PARTS);
    return (op->args.offsets || op->longest == 0 ? BIT(FOLD_SHORT) : 0) |
           (op->args.offsets || op->longest > 0 ? BIT(FOLD_DATA) | BIT(FOLD_PARTS) : 0);
}

/* Levels after the first: each reduces `fold` states to one. A thread block takes `each` items at a time. */
struct levels {
    enum gf_cuda_operator_kernel kernel;
    uint64_t fold, states; /* states: of the longest sequence, after the first level */
    uint32_t each;
};

static enum gf_status run_levels(struct gf_cuda_call *call, const struct gf_cuda_operator *op, struct levels l,
                                 struct gf_error *err)
{
    struct gf_cuda_operator_level level = {
        .scale = 1, .n = l.states, .in = op->args.parts[0], .out = op->args.parts[1]};
    enum gf_status status = GF_OK;
    while (level.n > 1 && status == GF_OK) {
        level.made = gf_divide_up(level.n, l.fold);
        const struct gf_cuda_operator_work work = {.items = op->args.offsets ? op->tiles : op->sequences * level.made,
                                                   .each = l.each,
                                                   .cost = (double)l.fold * state_cost(op)};
        status = gf_cuda_operator_run(call, op, l.kernel, level, work, err);
        level = (struct gf_cuda_operator_level){
            .scale = level.scale * l.fold, .n = level.made, .in = level.out, .out = level.in};
    }
    return status;
}

static enum gf_status reduce_columns(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    uint64_t made = gf_divide_up(op->args.n, GF_CUDA_OPERATOR_COLUMN),
             again = gf_divide_up(made, GF_CUDA_OPERATOR_COLUMN);
    const uint64_t states[2] = {made > 1 ? op->sequences * made : 0, again > 1 ? op->sequences * again : 0};
    struct gf_cuda_operator_level level = {.n = op->args.n, .made = made};
    const struct gf_cuda_operator_work work = {
        .items = op->sequences * made, .each = GF_CUDA_OPERATOR_THREADS, .cost = 64.0 * element_cost(op)};
    enum gf_status status = gf_cuda_operator_take(call, op, states, err);
    level.out = op->args.parts[0];
    if (status == GF_OK)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_FOLD_COLUMN_DATA, level, work, err);
    const struct levels levels = {GF_CUDA_OPERATOR_FOLD_COLUMN_PARTS, GF_CUDA_OPERATOR_COLUMN, made,
                                  GF_CUDA_OPERATOR_THREADS};
    return status == GF_OK ? run_levels(call, op, levels, err) : status;
}

/* The number of threads that share a short sequence, from the average number of elements. */
static uint32_t lanes_for(const struct gf_cuda_operator *op)
{
    uint32_t lanes = 1;
    while (lanes < 32 && lanes * GF_CUDA_OPERATOR_ROW < short_elements(op))
        lanes *= 2;
    return lanes;
}

static enum gf_status reduce_lines(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const uint64_t states[2] = {op->tiles, op->longest > GF_CUDA_OPERATOR_FOLD ? op->tiles : 0};
    struct gf_cuda_operator_level level = {.n = op->args.n, .made = op->longest};
    enum gf_status status = gf_cuda_operator_take(call, op, states, err);
    level.out = op->args.parts[0];
    if (status == GF_OK && (op->args.offsets || op->longest == 0)) {
        op->args.lanes = lanes_for(op);
        const struct gf_cuda_operator_work work = {.items = op->sequences,
                                                   .each = GF_CUDA_OPERATOR_THREADS / op->args.lanes,
                                                   .cost = (double)short_elements(op) * element_cost(op) + op->finish};
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_FOLD_SHORT, level, work, err);
    }
    const struct gf_cuda_operator_work work = {
        .items = op->tiles, .each = WARPS, .cost = (double)op->args.block * element_cost(op)};
    if (status == GF_OK && op->tiles > 0)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_FOLD_DATA, level, work, err);
    const struct levels levels = {GF_CUDA_OPERATOR_FOLD_PARTS, GF_CUDA_OPERATOR_FOLD, op->longest, WARPS};
    return status == GF_OK ? run_levels(call, op, levels, err) : status;
}

enum gf_status gf_cuda_operator_reduce(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_operator op;
    enum gf_status status = gf_cuda_operator_init(call, gf_cuda_operator_interpret_reduce, GF_CUDA_OPERATOR_FOLD,
                                                  GF_CUDA_OPERATOR_FOLD, &op, err);
    if (status == GF_OK)
        status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK)
        gf_cuda_operator_find(call, &op, kernels_of(&op));
    if (status == GF_OK)
        status = op.args.columns ? reduce_columns(call, &op, err) : reduce_lines(call, &op, err);
    gf_cuda_operator_deinit(call, &op);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* scan with op=user: aggregates of blocks, what stands before each, results. Called by scan/scan.c. */
#include "kernels/shared/scan.h"
#include "operator.h"

#define BIT(kernel) (1u << GF_CUDA_OPERATOR_##kernel)
#define LANES 32u
#define WARPS (GF_CUDA_OPERATOR_THREADS / LANES)
#define ENOUGH_WARPS 8u /* of a multiprocessor */

_Static_assert(GF_SCAN_ROW == GF_CUDA_OPERATOR_ROW && GF_SCAN_GROUP == LANES && GF_SCAN_GROUPS == WARPS &&
                   GF_SCAN_BLOCK == GF_CUDA_OPERATOR_THREADS * GF_CUDA_OPERATOR_ROW,
               "a row for a thread, a group for a warp, a block for a block of threads");

/* What an element costs until its state is joined to the one before it. */
static double element_cost(const struct gf_cuda_operator *op)
{
    return (double)op->args.src_pixel / op->args.channels + op->lift + op->combine;
}

/* And what its result does. */
static double result_cost(const struct gf_cuda_operator *op)
{
    return (double)op->args.dst_pixel / op->args.channels + op->combine + op->finish;
}

static double state_cost(const struct gf_cuda_operator *op)
{
    return (double)(2 * op->programs.n_state * sizeof(uint64_t)) + op->combine;
}

/* The kernels that the step launches. */
static uint32_t kernels_of(const struct gf_cuda_operator *op)
{
    if (op->args.columns)
        return BIT(SCAN_COLUMN_TOTALS) | BIT(SCAN_COLUMN_PARTS) | BIT(SCAN_COLUMN_RESULTS);
    const uint32_t before = BIT(SCAN_TOTALS) | BIT(SCAN_PARTS) | BIT(SCAN_TOPS);
    return (op->args.offsets || op->longest == 0 ? BIT(SCAN_SHORT) : 0) |
           (op->args.offsets || op->longest > 0 ? BIT(SCAN_RESULTS) : 0) |
           (op->args.offsets || op->longest > 1 ? before : 0);
}

static enum gf_status scan_columns(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const uint32_t each = GF_CUDA_OPERATOR_THREADS;
    const uint64_t blocks = op->args.blocks, states[3] = {(blocks - 1) * op->sequences, 0, 0};
    const double block = (double)op->args.block;
    const struct gf_cuda_operator_level totals = {.made = blocks - 1}, results = {.made = blocks};
    const struct gf_cuda_operator_work of_totals = {states[0], each, block * element_cost(op)},
                                       of_parts = {op->sequences, each, (double)blocks * state_cost(op)},
                                       of_results = {blocks * op->sequences, each,
                                                     block * (element_cost(op) + result_cost(op))};
    enum gf_status status = gf_cuda_operator_take(call, op, states, err);
    if (status == GF_OK && blocks > 1)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS, totals, of_totals, err);
    if (status == GF_OK && blocks > 1)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS, results, of_parts, err);
    return status == GF_OK
               ? gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS, results, of_results, err)
               : status;
}

/* Sequences that a warp finds at a time: fewer, a power of two, where warps would else be too few. */
static uint32_t sequences_of_warp(const struct gf_cuda_call *call, const struct gf_cuda_operator *op)
{
    uint32_t n = LANES;
    while (n > 1 && op->sequences < (uint64_t)n * ENOUGH_WARPS * call->exec->device->info.units)
        n /= 2;
    return n;
}

/* `scale` blocks are a state of those in part `in`: 32 of these to what each has before it and itself. */
static enum gf_status scan_parts(struct gf_cuda_call *call, const struct gf_cuda_operator *op, uint64_t scale,
                                 uint32_t in, struct gf_error *err)
{
    const uint64_t made = ((op->longest - 1) / scale - 1) / LANES + 1;
    const struct gf_cuda_operator_level level = {
        .scale = scale, .made = made, .in = op->args.parts[in], .out = op->args.parts[in + 1]};
    const struct gf_cuda_operator_work work = {.items = op->args.offsets ? op->tiles : op->sequences * made,
                                               .each = WARPS,
                                               .cost = LANES * 5.0 * state_cost(op)};
    return gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_PARTS, level, work, err);
}

/* What stands before each block. */
static enum gf_status scan_prefixes(struct gf_cuda_call *call, const struct gf_cuda_operator *op, struct gf_error *err)
{
    const uint64_t groups = (op->longest - 1) / LANES, supers = groups / LANES;
    const struct gf_cuda_operator_work totals = {op->tiles, 1, (double)op->args.block * element_cost(op)},
                                       tops = {op->args.offsets ? op->tiles : op->sequences, GF_CUDA_OPERATOR_THREADS,
                                               (double)supers * state_cost(op)};
    const struct gf_cuda_operator_level level = {.made = op->longest};
    enum gf_status status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_TOTALS, level, totals, err);
    if (status == GF_OK)
        status = scan_parts(call, op, 1, 0, err);
    if (status == GF_OK && groups > 0)
        status = scan_parts(call, op, LANES, 1, err);
    return status == GF_OK && supers > 0 ? gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_TOPS, level, tops, err)
                                         : status;
}

static enum gf_status scan_lines(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const uint64_t room = op->longest > 1 ? op->tiles : 0, states[3] = {room, room, room};
    const struct gf_cuda_operator_level level = {.made = op->longest};
    const double element = element_cost(op) + result_cost(op);
    enum gf_status status = gf_cuda_operator_take(call, op, states, err);
    if (status == GF_OK && (op->args.offsets || op->longest == 0)) {
        op->args.lanes = sequences_of_warp(call, op);
        uint64_t n = op->args.offsets ? gf_min_u64(op->elements / op->args.lines + 1, op->args.short_n) : op->args.n;
        const struct gf_cuda_operator_work work = {op->sequences, op->args.lanes * WARPS, (double)n * element};
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_SHORT, level, work, err);
    }
    if (status == GF_OK && op->longest > 1)
        status = scan_prefixes(call, op, err);
    const struct gf_cuda_operator_work work = {op->tiles, 1, (double)op->args.block * element};
    return status == GF_OK && op->tiles > 0
               ? gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_RESULTS, level, work, err)
               : status;
}

enum gf_status gf_cuda_operator_scan(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_operator op;
    bool columns = call->step->params.scan.axis == GF_AXIS_COLS;
    enum gf_status status =
        gf_cuda_operator_init(call, gf_cuda_operator_interpret_scan, columns ? GF_SCAN_ROW_CHUNK : GF_SCAN_BLOCK,
                              columns ? 0 : GF_CUDA_OPERATOR_FOLD, &op, err);
    if (status == GF_OK)
        status = gf_cuda_need(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK)
        gf_cuda_operator_find(call, &op, kernels_of(&op));
    if (status == GF_OK)
        status = columns ? scan_columns(call, &op, err) : scan_lines(call, &op, err);
    gf_cuda_operator_deinit(call, &op);
    return status;
}

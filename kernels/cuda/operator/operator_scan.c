/* SPDX-License-Identifier: MIT */
/* scan with op=user. Along lines: one launch. Down columns: totals of blocks, then their prefixes, then results. Called
 * by scan/scan.c. */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/tile_memory.h"
#include "kernels/shared/scan.h"
#include "operator.h"
#include "protocol/ops/params/scan.h"

#define BIT(kernel) (1u << GF_CUDA_OPERATOR_##kernel)
#define LANES 32u
#define WARPS (GF_CUDA_OPERATOR_THREADS / LANES)
#define BLOCKS_OF_UNIT 4u /* thread blocks with tickets per multiprocessor: enough to keep the memory busy */
#define VECTOR 16u
#define DECLARED_VECTORS 4u  /* per row, for which a kernel declares shared memory */
#define KEPT_VECTORS 8u      /* per row, up to which keeping rows pays: three blocks still fit a multiprocessor */
#define DECLARED_BYTES 4096u /* an upper bound of a kernel's remaining static shared memory */

_Static_assert(GF_SCAN_ROW == GF_CUDA_OPERATOR_ROW && GF_SCAN_GROUP == LANES && GF_SCAN_GROUPS == WARPS &&
                   GF_SCAN_BLOCK == GF_CUDA_OPERATOR_THREADS * GF_CUDA_OPERATOR_ROW,
               "a thread must have a row, a warp a group, a thread block a block");

/* The cost of an element until its state is combined with the one before. */
static double element_cost(const struct gf_cuda_operator *op)
{
    return (double)op->args.src_pixel / op->args.channels + op->lift + op->combine;
}

/* The cost of an element's result. */
static double result_cost(const struct gf_cuda_operator *op)
{
    return (double)op->args.dst_pixel / op->args.channels + op->combine + op->finish;
}

static double state_cost(const struct gf_cuda_operator *op)
{
    return (double)(2 * op->programs.n_state * sizeof(uint64_t)) + op->combine;
}

/* A bit for each kernel that the step launches. */
static uint32_t kernels_of(const struct gf_cuda_operator *op)
{
    if (op->args.columns)
        return BIT(SCAN_COLUMN_TOTALS) | BIT(SCAN_COLUMN_PARTS) | BIT(SCAN_COLUMN_RESULTS);
    return (op->args.offsets || op->longest == 0 ? BIT(SCAN_SHORT) : 0) |
           (op->args.offsets || op->longest > 0 ? BIT(SCAN_LINES) : 0);
}

static enum gf_status scan_columns(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const uint32_t each = GF_CUDA_OPERATOR_THREADS;
    const uint64_t blocks = op->args.blocks, states[2] = {(blocks - 1) * op->sequences, 0};
    const double block = (double)op->args.block;
    const struct gf_cuda_operator_level totals = {.made = blocks - 1}, results = {.made = blocks};
    const struct gf_cuda_operator_work of_totals = {.items = states[0], .each = each, .cost = block * element_cost(op)},
                                       of_parts = {.items = op->sequences,
                                                   .each = each,
                                                   .cost = (double)blocks * state_cost(op)},
                                       of_results = {.items = blocks * op->sequences,
                                                     .each = each,
                                                     .cost = block * (element_cost(op) + result_cost(op))};
    enum gf_status status = gf_cuda_operator_take(call, op, states, err);
    if (status == GF_OK && blocks > 1)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS, totals, of_totals, err);
    if (status == GF_OK && blocks > 1)
        status = gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS, results, of_parts, err);
    return status == GF_OK
               ? gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS, results, of_results, err)
               : status;
}

/* Takes the memory for looking back. Sequences of one block need only tickets. NO_DEVICE_MEMORY, TOO_LARGE. */
static enum gf_status take_look_back(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const struct gf_lookback_tiles tiles = {.n = op->longest > 1 ? op->tiles : 0,
                                            .sequences = op->sequences,
                                            .words = gf_cuda_operator_values(op),
                                            .segments = op->args.offsets != NULL};
    enum gf_status status = gf_cuda_alloc_tile_state(call->exec, &tiles, &op->args.look_back, err);
    op->states = op->args.look_back.tickets;
    return status;
}

/* Scans sequences of at most 512 elements. */
static enum gf_status scan_short(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const double element = element_cost(op) + result_cost(op);
    op->args.lanes = gf_cuda_sequences_per_warp(op->sequences);
    uint64_t n = op->args.offsets ? gf_min_u64(op->elements / op->args.lines + 1, op->args.short_n) : op->args.n;
    const struct gf_cuda_operator_work work = {
        .items = op->sequences, .each = op->args.lanes * WARPS, .cost = (double)n * element};
    return gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_SHORT, (struct gf_cuda_operator_level){0}, work, err);
}

/* The shared memory for the rows of two rounds. */
static size_t kept_bytes(uint32_t vectors)
{
    return (size_t)2 * GF_CUDA_OPERATOR_THREADS * VECTOR * vectors;
}

/* Vectors per row, if rows must be kept in dynamic shared memory; otherwise 0. A row of 16 elements has as many vectors
 * as an element has bytes. */
static uint32_t kept_vectors(const struct gf_cuda_operator *op)
{
    uint32_t vectors = op->programs.lift.pixels ? op->args.src_pixel : op->args.src_size;
    bool given = vectors > DECLARED_VECTORS && vectors <= KEPT_VECTORS &&
                 kept_bytes(vectors) + DECLARED_BYTES <= gf_cuda_shared_memory_max();
    return given ? vectors : 0;
}

static enum gf_status scan_lines(struct gf_cuda_call *call, struct gf_cuda_operator *op, struct gf_error *err)
{
    const double element = element_cost(op) + op->lift + op->combine + result_cost(op); /* elements are lifted twice */
    const struct gf_cuda_operator_work work = {.items = op->tiles,
                                               .each = 1,
                                               .cost = (double)op->args.block * element,
                                               .blocks = call->exec->device->info.units * BLOCKS_OF_UNIT,
                                               .shared = kept_bytes(op->kept_vectors)};
    struct gf_cuda_operator_level level = {0};
    enum gf_status status = GF_OK;
    if (op->args.offsets || op->longest == 0)
        status = scan_short(call, op, err);
    if (status == GF_OK && op->tiles > 0)
        status = take_look_back(call, op, err);
    level.tickets = op->args.look_back.tickets;
    return status == GF_OK && op->tiles > 0
               ? gf_cuda_operator_run(call, op, GF_CUDA_OPERATOR_SCAN_LINES, level, work, err)
               : status;
}

enum gf_status gf_cuda_operator_scan(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_operator op;
    bool columns = gf_scan_params_get(&call->step->params).axis == GF_AXIS_COLS;
    enum gf_status status =
        gf_cuda_operator_init(call, gf_cuda_operator_interpret_scan, columns ? GF_SCAN_ROW_CHUNK : GF_SCAN_BLOCK,
                              columns ? 0 : GF_CUDA_OPERATOR_FOLD, &op, err);
    if (status == GF_OK)
        status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK && !columns)
        op.kept_vectors = kept_vectors(&op);
    if (status == GF_OK)
        gf_cuda_operator_find(call, &op, kernels_of(&op));
    if (status == GF_OK)
        status = columns ? scan_columns(call, &op, err) : scan_lines(call, &op, err);
    gf_cuda_operator_deinit(call, &op);
    return status;
}

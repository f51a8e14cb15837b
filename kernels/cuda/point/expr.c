/* SPDX-License-Identifier: MIT */
/* Expressions on CUDA: compiles the text of a step and launches it over row chunks. Called through the op's row. */
#include "expr_args.h"
#include "expr_interpreter.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/jit/cuda_jit.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/expr/insn_code.h"
#include "protocol/ops/texts/expression.h"

/* Row chunks are a multiple of CHUNK_ROWS, so that thread blocks are full. */
#define CHUNK_ROWS 64u
/* Parts of rows are a multiple of PART_PLACES, so that thread blocks are full and 16-byte vectors are whole. */
#define PART_PLACES 4096u

/* Whether no image has padding between its rows, so that all rows can run as one. An expression that uses x or y needs
 * separate rows. */
static bool is_one_row(const struct gf_cuda_call *call, const struct gf_expr *expr)
{
    const uint32_t by_place = 1u << GF_EXPR_X | 1u << GF_EXPR_Y;
    const struct gf_view *dst = &call->out[0].view;
    bool tight = dst->pitch == gf_view_row_bytes(dst) && (expr->uses & by_place) == 0;
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++)
        if (call->image[i] != NULL && (expr->inputs >> i & 1) != 0)
            tight = tight && call->image[i]->view.pitch == gf_view_row_bytes(&call->image[i]->view);
    return tight;
}

/* The launch arguments for rows `first` to `end` - 1 of all images. */
static struct gf_cuda_expr_rows rows_of(const struct gf_cuda_call *call, const struct gf_expr *expr, bool one_row,
                                        uint64_t first, uint64_t end)
{
    const struct gf_view *dst = &call->out[0].view;
    struct gf_cuda_expr_rows r = {.dst = (char *)call->out[0].data + first * dst->pitch,
                                  .dst_pitch = dst->pitch,
                                  .dst_dtype = dst->dtype,
                                  .channels = dst->channels,
                                  .n_results = expr->n_results,
                                  .samples_a_pixel = expr->pixels ? 1 : dst->channels,
                                  .rows = end - first,
                                  .first_row = first,
                                  .places = dst->width * (expr->pixels ? 1 : dst->channels)};
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++)
        if (call->image[i] != NULL) {
            const struct gf_view *v = &call->image[i]->view;
            r.in[i] = (struct gf_cuda_expr_input){.data = (const char *)call->image[i]->data + first * v->pitch,
                                                  .pitch = v->pitch,
                                                  .dtype = v->dtype,
                                                  .channels = v->channels};
        }
    if (one_row) {
        r.places *= r.rows;
        r.rows = 1;
    }
    return r;
}

/* A program and the means to run it: a kernel compiled for it, or the code for the interpreter. */
struct runner {
    const struct gf_expr *expr;
    const struct gf_expr_program *program;
    struct gf_cuda_row_chunks row_chunks;
    bool one_row;                  /* the rows of a chunk form one row */
    struct gf_cuda_expr_code code; /* if !compiled */
    struct gf_jit_use use;         /* if compiled */
    bool compiled;
};

/* Finds the kernel compiled for the program and counts this use. Returns false if there is no such kernel yet. */
static bool find_kernel(const struct gf_cuda_call *call, const struct gf_expr_program *program,
                        struct gf_jit_use *ret_use)
{
    const struct gf_view *dst = &call->out[0].view;
    struct gf_jit_spec spec = {.program = program, .out = {dst->dtype, dst->channels}};
    uint64_t bytes = gf_view_bytes(dst);
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++)
        if (call->image[i] != NULL) {
            spec.in[i] = (struct gf_jit_image){call->image[i]->view.dtype, call->image[i]->view.channels};
            bytes += gf_view_bytes(&call->image[i]->view);
        }
    return gf_cuda_jit_take(call->exec, &spec, call->job->user, bytes, ret_use);
}

static cudaError_t run_part(const struct runner *runner, const struct gf_cuda_expr_rows *rows, cudaStream_t stream)
{
    const struct gf_cuda_jit_launch launch = {rows, rows->rows, rows->places - rows->first_place,
                                              runner->program->constants};
    return runner->compiled ? gf_cuda_jit_run(&runner->use, &launch, stream)
                            : gf_cuda_expr_interpret(rows, &runner->code, stream);
}

/* Launches parts of the rows, each of at most about 1.25 units of work, because rows may be few and long. The loop over
 * the row chunks has called gf_cuda_throttle for the first part. */
static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    const struct runner *runner = op;
    struct gf_cuda_expr_rows rows = rows_of(call, runner->expr, runner->one_row, first, end);
    const double cost = runner->row_chunks.row_cost * (double)(end - first);
    const uint64_t n = (uint64_t)(cost / GF_CUDA_WORK_UNIT_BYTES + 0.75), places = rows.places;
    const uint64_t part = n < 2 ? places : (places / n / PART_PLACES + 1) * PART_PLACES;
    enum gf_status status = GF_OK;
    for (; rows.first_place < places && status == GF_OK; rows.first_place = rows.places) {
        rows.places = places - rows.first_place < part ? places : rows.first_place + part;
        double share = (double)(rows.places - rows.first_place) / (double)places;
        if (rows.first_place > 0)
            status = gf_cuda_throttle(call->exec, call->job, (uint64_t)(cost * share), err);
        if (status == GF_OK)
            status = gf_cuda_status(run_part(runner, &rows, call->exec->main), "computing an expression", err);
    }
    return status;
}

/* The approximate cost of a result row, in multiplications: fetching each instruction and executing it. */
static double row_cost(const struct gf_expr_program *program, const struct gf_view *dst)
{
    const double found = 8.0, place = gf_expr_program_work(program, found);
    return place * (double)dst->width * (program->pixels ? 1 : dst->channels);
}

enum gf_status gf_cuda_expr(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    uint8_t ways[GF_EXPR_MAX_INPUTS] = {0};
    const struct gf_view *dst = &call->out[0].view;
    struct gf_expr expr;
    struct gf_expr_program program;
    struct runner runner = {.expr = &expr, .program = &program};
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++)
        if (call->image[i] != NULL)
            in[i] = call->image[i]->view;
    enum gf_status status = gf_step_expr(call->step, in, true, &expr, err);
    if (status == GF_OK)
        status = gf_expr_compile(&expr, dst->width, dst->height, &program, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        ways[i] = expr.pixels || in[i].channels == dst->channels ? GF_CUDA_EXPR_OWN : GF_CUDA_EXPR_PIXEL;
    runner.compiled = find_kernel(call, &program, &runner.use);
    if (!runner.compiled)
        gf_cuda_expr_encode(&program, ways, &runner.code);
    if (call->job->expressions)
        *call->job->expressions |= runner.compiled ? GF_EXPRESSIONS_COMPILED : GF_EXPRESSIONS_INTERPRETED;
    runner.one_row = is_one_row(call, &expr);
    runner.row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(dst), CHUNK_ROWS);
    gf_cuda_row_chunks_limit(&runner.row_chunks, call, row_cost(&program, dst), dst->width * dst->channels);
    return gf_cuda_run_rows(call, &runner.row_chunks, &(struct gf_cuda_row_fns){.launch = launch}, &runner, err);
}

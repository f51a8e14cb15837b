/* SPDX-License-Identifier: MIT */
/*
 * Expressions on the CPU, docs/numerics.md, "Expressions": tiles of rows for the threads; within a tile, blocks of
 * values that stay in the cache, processed one instruction at a time. Called through the op's row.
 */
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/expr/expr_rows.h"
#include "kernels/shared/expr/insn_code.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/texts/expression.h"

/* A thread's workspace; footprint.c counts the same amount. */
#define WORKSPACE_BYTES (380u * 1024u)
#define TEMPS GF_EXPR_MAX_RESULTS
/* A task executes about TASK_INSNS instructions, each on one value, but has at least TASK_MIN and at most TASK_MAX
 * values. */
#define TASK_INSNS (1u << 20)
#define TASK_MIN (16u * 1024u)
#define TASK_MAX (128u * 1024u)
#define FUNCTION_INSNS 16u /* simple instructions that a function costs */

/* Alpha of the result: alpha of input `from`, converted to `machine` and scaled by `ratio`. */
struct alpha {
    bool copied;
    uint32_t from, machine;
    struct gf_dtype_ratio ratio;
};

/* One call. Each unit gets one value: a unit is a sample, or a pixel if the program computes whole pixels. */
struct computing {
    const struct gf_cpu_call *call;
    const struct gf_simd_expr *simd;
    struct gf_expr_program program;
    struct alpha alpha;
    size_t per_pixel;        /* units per pixel */
    size_t block, row_bytes; /* values per block; bytes from one row of values to the next */
    bool stream;
};

/* The state of one thread. */
struct work {
    const struct computing *c;
    struct gf_cpu_expr_rows rows; /* the program's rows of values, followed by TEMPS temporary ones */
    uint64_t y, unit;             /* row and first unit of the block */
    size_t n;                     /* units of the block; always whole pixels */
};

static unsigned char *temp_row(const struct work *w, size_t i)
{
    return gf_cpu_expr_row(&w->rows, gf_cpu_expr_n_rows(&w->c->program) + i);
}

/* Returns the block's samples of an input as `machine` values. Samples that already have that type are read in place if
 * their number is a multiple of GF_EXPR_ROW_STEP. */
static const void *load(const struct work *w, const struct gf_expr_insn *insn, uint32_t machine, unsigned char *row)
{
    const struct computing *c = w->c;
    const struct gf_buf *buf = &c->call->in[insn->in[0]];
    uint32_t dtype = buf->view.dtype, channels = buf->view.channels;
    size_t size = gf_dtype_size(dtype);
    bool whole = w->n % GF_EXPR_ROW_STEP == 0, is_row = gf_cpu_expr_machine_of(dtype) == machine;
    const unsigned char *line = (const unsigned char *)buf->data + w->y * buf->view.pitch;
    unsigned char *temp = temp_row(w, 0);
    if (c->program.pixels && channels > 1) { /* one channel of each pixel */
        c->simd->pick(size, channels, line + (w->unit * channels + insn->in[1]) * size, is_row ? row : temp, w->n);
        if (!is_row)
            c->simd->load(dtype, machine, temp, row, w->n);
    } else if (channels < c->per_pixel) { /* one value for all channels of a pixel */
        c->simd->load(dtype, machine, line + w->unit / c->per_pixel * size, temp, w->n / c->per_pixel);
        c->simd->repeat(gf_cpu_expr_size(machine), c->per_pixel, temp, row, w->n);
    } else if (is_row && whole) {
        return line + w->unit * size;
    } else {
        c->simd->load(dtype, machine, line + w->unit * size, row, w->n);
    }
    return row;
}

/* Fills `row` with the column, the row number or the channel of each unit. */
static const void *place(const struct work *w, const struct gf_expr_insn *insn, uint32_t machine, unsigned char *row)
{
    const struct computing *c = w->c;
    unsigned char *temp = temp_row(w, 0);
    size_t size = gf_cpu_expr_size(machine), per_pixel = c->per_pixel, pixels = w->n / per_pixel;
    int64_t x = (int64_t)(w->unit / per_pixel);
    if (insn->in[0] == GF_EXPR_Y || (insn->in[0] == GF_EXPR_CH && per_pixel == 1)) {
        c->simd->ramp(machine, insn->in[0] == GF_EXPR_Y ? (int64_t)w->y : 0, 0, row, w->n);
    } else if (per_pixel == 1) {
        c->simd->ramp(machine, x, 1, row, w->n);
    } else if (insn->in[0] == GF_EXPR_X) {
        c->simd->ramp(machine, x, 1, temp, pixels);
        c->simd->repeat(size, per_pixel, temp, row, w->n);
    } else {
        c->simd->ramp(machine, 0, 1, row, per_pixel);
        gf_cpu_expr_repeat(row, per_pixel * size, pixels);
    }
    return row;
}

static const void *read_values(void *context, const struct gf_expr_insn *insn, uint32_t machine, unsigned char *row)
{
    const struct work *w = context;
    return insn->op <= GF_EXPR_I_LOAD_F64 ? load(w, insn, machine, row) : place(w, insn, machine, row);
}

static void store_results(const struct work *w)
{
    const struct computing *c = w->c;
    const struct gf_expr_program *program = &c->program;
    const struct gf_buf *dst = &c->call->out[0];
    uint32_t dtype = dst->view.dtype;
    unsigned char *line = (unsigned char *)dst->data + w->y * dst->view.pitch;
    if (program->n_results == 1) {
        c->simd->store(program->types[0], dtype, w->rows.at[program->results[0]], line + w->unit * gf_dtype_size(dtype),
                       w->n, c->stream);
        return;
    }
    const void *rows[GF_EXPR_MAX_RESULTS] = {0};
    size_t pixel = program->n_results * gf_dtype_size(dtype);
    for (uint32_t i = 0; i < program->n_results; i++) {
        c->simd->store(program->types[i], dtype, w->rows.at[program->results[i]], temp_row(w, i), w->n, false);
        rows[i] = temp_row(w, i);
    }
    c->simd->interleave(gf_dtype_size(dtype), program->n_results, rows, line + w->unit * pixel, w->n);
}

/* Overwrites the last channel of the block's results with alpha of the input. */
static void copy_alpha(const struct work *w)
{
    const struct computing *c = w->c;
    const struct gf_buf *a = &c->call->in[c->alpha.from], *dst = &c->call->out[0];
    size_t pixels = w->n / c->per_pixel, channels = a->view.channels, size = gf_dtype_size(a->view.dtype);
    uint64_t sample = w->unit + channels - 1;
    const unsigned char *from = (const unsigned char *)a->data + w->y * a->view.pitch + sample * size;
    unsigned char *values = temp_row(w, 1);
    const struct gf_dtype_ratio ratio = c->alpha.ratio;
    c->simd->pick(size, channels, from, temp_row(w, 0), pixels);
    c->simd->load(a->view.dtype, c->alpha.machine, temp_row(w, 0), values, pixels);
    float *floats = (float *)(void *)values;
    for (size_t i = 0; ratio.multiply != ratio.divide && i < pixels; i++)
        floats[i] = floats[i] * ratio.multiply / ratio.divide;
    c->simd->store(c->alpha.machine, dst->view.dtype, values, temp_row(w, 0), pixels, false);
    size_t to_size = gf_dtype_size(dst->view.dtype);
    unsigned char *line = (unsigned char *)dst->data + w->y * dst->view.pitch;
    c->simd->spread(to_size, c->per_pixel, temp_row(w, 0), line + (w->unit + c->per_pixel - 1) * to_size, pixels);
}

static void run_block(struct work *w)
{
    gf_cpu_expr_run(&w->rows, read_values, w, w->n);
    store_results(w);
    if (w->c->alpha.copied)
        copy_alpha(w);
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct computing *c = context;
    struct work w = {.c = c,
                     .rows = {.simd = c->simd, .program = &c->program, .rows = tile->room, .row_bytes = c->row_bytes}};
    uint64_t longest = gf_round_up(tile->width, GF_EXPR_ROW_STEP);
    gf_cpu_expr_fill(&w.rows, (size_t)gf_min_u64(longest, c->block));
    for (w.y = tile->y; w.y < tile->y + tile->height; w.y++)
        for (w.unit = tile->x; w.unit < tile->x + tile->width; w.unit += w.n) {
            w.n = (size_t)gf_min_u64(tile->x + tile->width - w.unit, c->block);
            run_block(&w);
        }
}

/* Alpha copied from input `from`, docs/numerics.md, "Alpha": as a share of the maximum where both types are sample
 * types, otherwise as a number. */
static struct alpha alpha_of(const struct gf_cpu_call *call, uint32_t from)
{
    uint32_t in = call->in[from].view.dtype, out = call->out[0].view.dtype;
    uint32_t machine = in == GF_U32 ? GF_EXPR_M_I64 : in == GF_F16 ? GF_EXPR_M_F32 : gf_cpu_expr_machine_of(in);
    bool pictures = (GF_DT_SAMPLES & GF_DT(in)) != 0 && (GF_DT_SAMPLES & GF_DT(out)) != 0;
    machine = pictures ? GF_EXPR_M_F32 : machine != 0 ? machine : GF_EXPR_M_I32;
    return (struct alpha){.copied = true, .from = from, .machine = machine, .ratio = gf_dtype_full_range(in, out)};
}

/* Whether rows are contiguous in all buffers and the program reads neither x nor y. */
static bool rows_are_one(const struct computing *c)
{
    bool one = gf_cpu_rows_are_one(c->call);
    for (uint32_t i = 0; i < c->program.n_insns; i++) {
        const struct gf_expr_insn *insn = &c->program.insns[i];
        bool reads_place = insn->op >= GF_EXPR_I_PLACE_I32 && insn->op <= GF_EXPR_I_PLACE_F64;
        one = one && !(reads_place && insn->in[0] != GF_EXPR_CH);
    }
    return one;
}

/* The cost of one value in simple instructions. */
static uint64_t cost_of(const struct gf_expr_program *program)
{
    uint64_t cost = 2;
    for (uint32_t i = 0; i < program->n_insns; i++)
        cost += gf_expr_insn_code(program->insns[i].op) >= GF_EXPR_LARGE_CODE ? FUNCTION_INSNS : 1;
    return cost;
}

/* Chooses the block size and cuts the result into tiles. */
static struct gf_tiles cut(struct computing *c)
{
    const struct gf_view *dst = &c->call->out[0].view;
    size_t most = (WORKSPACE_BYTES / (gf_cpu_expr_n_rows(&c->program) + TEMPS) - 64) / sizeof(int64_t);
    size_t step = GF_EXPR_ROW_STEP * (c->per_pixel == 3 ? 3 : 1);
    c->block = (most < GF_EXPR_ROW_MAX ? most : GF_EXPR_ROW_MAX) / step * step;
    c->row_bytes =
        c->block * sizeof(int64_t) + 64; /* the spare 64 bytes keep rows from mapping to the same cache sets */
    c->stream = c->program.n_results == 1 && !c->alpha.copied && gf_view_bytes(dst) >= GF_STREAM_BYTES;
    uint64_t values = TASK_INSNS / cost_of(&c->program);
    values = values < TASK_MIN ? TASK_MIN : values > TASK_MAX ? TASK_MAX : values;
    struct gf_tiles tiles =
        gf_cpu_cut_rows(rows_are_one(c), dst->width * c->per_pixel, dst->height, values / c->block * c->block);
    tiles.room = WORKSPACE_BYTES;
    return tiles;
}

/* Compiles the step's text and finds the source of alpha. */
static enum gf_status compile(struct computing *c, struct gf_error *err)
{
    struct gf_view views[GF_MAX_INPUTS];
    struct gf_expr expr;
    const struct gf_cpu_call *call = c->call;
    for (uint32_t i = 0; i < GF_MAX_INPUTS; i++)
        views[i] = call->in[i].view;
    enum gf_status status = gf_step_expr(call->step, views, false, &expr, err);
    if (status == GF_OK)
        status = gf_expr_compile(&expr, call->out[0].view.width, call->out[0].view.height, &c->program, err);
    if (status == GF_OK && !c->program.pixels &&
        gf_copies_alpha(gf_expr_params_get(&call->step->params).alpha, call->out[0].view.channels))
        c->alpha = alpha_of(call, gf_expr_alpha_input(views));
    return status;
}

enum gf_status gf_cpu_expr(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct computing c = {.call = call, .simd = call->simd->expr};
    enum gf_status status = compile(&c, err);
    if (status != GF_OK)
        return status;
    c.per_pixel = c.program.pixels ? 1 : call->out[0].view.channels;
    const struct gf_tiles tiles = cut(&c);
    return gf_cpu_tiles_run(call, &tiles, run_tile, &c, err);
}

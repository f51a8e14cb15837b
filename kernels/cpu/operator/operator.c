/* SPDX-License-Identifier: MIT */
/* Lifts elements to states, combines states, and finishes states to results; see operator.h. */
#include "operator.h"

#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/scan.h"

/* Bytes per thread; footprint.c counts the same. */
#define ROWS_BYTES (384u * 1024u) /* for registers, constants and temporary values */
#define WORKSPACE_BYTES (UINT64_C(1280) * 1024u)
#define TEMPS (GF_EXPR_MAX_RESULTS + 1u)
#define PAIRS (2u * GF_EXPR_MAX_STATE)
#define ARRAY_BYTES ((GF_CPU_CHUNK + 2u * GF_EXPR_ROW_STEP) * sizeof(int64_t))

_Static_assert(ROWS_BYTES + GF_CPU_STATES * GF_EXPR_MAX_STATE * ARRAY_BYTES <= WORKSPACE_BYTES, "all of it has room");

static const struct gf_buf *source(const struct gf_cpu_operator *o)
{
    return &o->call->in[0];
}

/* Counts the lines along the axis and their chunks. */
static enum gf_status cut_lines(struct gf_cpu_operator *o, struct gf_error *err)
{
    const struct gf_view *v = &source(o)->view;
    const struct gf_buf *list = &o->call->in[1];
    bool all = o->axis == GF_AXIS_ALL, rows = o->axis == GF_AXIS_ROWS;
    o->n = all ? v->width * v->height : rows ? v->width : v->height;
    o->lines = all ? 1 : rows ? v->height : v->width;
    o->chunks = ((o->n - 1) / GF_CPU_CHUNK + 1) * o->lines;
    if (list->data == NULL)
        return GF_OK;
    bool scan = o->call->step->op->index == GF_INDEX_scan;
    enum gf_status status = gf_segments_check(o->call->step->op, 1, list, o->n, scan, err);
    if (status == GF_OK)
        status = gf_segment_blocks_init(&o->cut, list, 0, GF_CPU_CHUNK, err);
    o->lines = list->view.width - 1;
    o->chunks = o->cut.n_blocks;
    return status;
}

enum gf_status gf_cpu_operator_init(const struct gf_cpu_call *call, struct gf_cpu_operator *o, struct gf_error *err)
{
    const struct gf_view views[GF_MAX_INPUTS] = {call->in[0].view, call->in[1].view};
    bool scan = call->step->op->index == GF_INDEX_scan;
    *o = (struct gf_cpu_operator){.call = call, .simd = call->simd->expr, .stop = {.job = call->job}};
    o->axis = scan ? gf_scan_params_get(&call->step->params).axis : gf_reduce_params_get(&call->step->params).axis;
    o->reverse = scan && gf_scan_params_get(&call->step->params).reverse != 0;
    enum gf_status status = gf_operator_compile(call->step, views, &o->programs, err);
    if (status != GF_OK)
        return status;
    const struct gf_operator_programs *p = &o->programs;
    o->channels = p->pixels ? 1 : views[0].channels;
    for (uint32_t i = 0; i < p->n_state; i++)
        o->sizes[i] = (uint8_t)gf_cpu_expr_size(p->machines[i]);
    size_t rows = gf_cpu_expr_n_rows(&p->lift) + gf_cpu_expr_n_rows(&p->combine) + gf_cpu_expr_n_rows(&p->finish);
    size_t most = (ROWS_BYTES / (rows + TEMPS + PAIRS) - 64) / sizeof(int64_t);
    o->block = (most < GF_EXPR_ROW_MAX ? most : GF_EXPR_ROW_MAX) / GF_EXPR_ROW_STEP * GF_EXPR_ROW_STEP;
    o->row_bytes =
        o->block * sizeof(int64_t) + 64; /* the spare 64 bytes keep rows from mapping to the same cache sets */
    return cut_lines(o, err);
}

enum gf_status gf_cpu_operator_memory(struct gf_cpu_operator *o, uint64_t bytes, void **ret_more, struct gf_error *err)
{
    uint64_t threads = gf_cpu_pool_threads(o->call->pool) * WORKSPACE_BYTES, all;
    void *memory;
    if (!gf_add_u64(threads, bytes, &all))
        return gf_error_set(err, GF_E_NO_MEMORY, "%s: scratch memory too large", o->call->step->op->name);
    enum gf_status status = gf_cpu_scratch_get(o->call, all, &memory, err);
    if (status != GF_OK)
        return status;
    o->workspaces = memory;
    *ret_more = (unsigned char *)memory + threads;
    return GF_OK;
}

void gf_cpu_operator_deinit(struct gf_cpu_operator *o)
{
    gf_segment_blocks_deinit(&o->cut);
}

/* Places the rows of a program at `at`, which advances after them. */
static void rows_init(struct gf_cpu_expr_rows *r, const struct gf_cpu_operator *o,
                      const struct gf_expr_program *program, unsigned char **at)
{
    r->simd = o->simd;
    r->program = program;
    r->rows = *at;
    r->row_bytes = o->row_bytes;
    gf_cpu_expr_fill(r, o->block);
    *at += gf_cpu_expr_n_rows(program) * o->row_bytes;
}

static void worker_init(struct gf_cpu_worker *w, const struct gf_cpu_operator *o, uint32_t slot)
{
    unsigned char *start = o->workspaces + slot * WORKSPACE_BYTES, *at = start;
    w->o = o;
    rows_init(&w->lift, o, &o->programs.lift, &at);
    rows_init(&w->combine, o, &o->programs.combine, &at);
    rows_init(&w->finish, o, &o->programs.finish, &at);
    for (uint32_t i = 0; i < TEMPS; i++, at += o->row_bytes)
        w->temps[i] = at;
    for (uint32_t i = 0; i < PAIRS; i++, at += o->row_bytes)
        w->pairs[i % 2].v[i / 2] = at;
    at = start + ROWS_BYTES;
    for (uint32_t i = 0; i < GF_CPU_STATES * GF_EXPR_MAX_STATE; i++, at += ARRAY_BYTES)
        w->states[i / GF_EXPR_MAX_STATE].v[i % GF_EXPR_MAX_STATE] = at;
}

struct batch {
    struct gf_cpu_operator *o;
    gf_cpu_operator_fn *fn;
    void *context;
    uint64_t n, grain;
};

static void run_batch(void *context, uint32_t task, uint32_t slot)
{
    const struct batch *b = context;
    struct gf_cpu_worker w;
    if (gf_cpu_stopped(&b->o->stop))
        return;
    worker_init(&w, b->o, slot);
    uint64_t first = task * b->grain, end = b->n - first > b->grain ? first + b->grain : b->n;
    for (uint64_t item = first; item < end; item++)
        b->fn(&w, b->context, item);
}

void gf_cpu_operator_each(struct gf_cpu_operator *o, gf_cpu_operator_fn *fn, void *context, uint64_t n, uint64_t grain)
{
    struct batch batch = {o, fn, context, n, grain == 0 ? 1 : grain};
    while ((n - 1) / batch.grain >= UINT32_MAX)
        batch.grain *= 2;
    gf_cpu_pool_run(o->call->pool, run_batch, &batch, (uint32_t)((n - 1) / batch.grain + 1));
}

/* The chunks of a line that segments do not cut. */
static uint64_t chunks_of(const struct gf_cpu_operator *o)
{
    return (o->n - 1) / GF_CPU_CHUNK + 1;
}

/* The segment of a chunk: the last one whose chunks begin at `chunk` or before. */
static uint64_t segment_of(const struct gf_segment_blocks *cut, uint64_t chunk)
{
    uint64_t low = 0, high = cut->n - 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (cut->first_blocks[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct gf_cpu_line gf_cpu_operator_line(const struct gf_cpu_operator *o, uint64_t item)
{
    struct gf_cpu_line line = {
        .number = item % o->lines, .channel = (uint32_t)(item / o->lines), .n = o->n, .chunks = chunks_of(o)};
    if (o->call->in[1].data == NULL) {
        line.chunk = line.number * line.chunks;
        return line;
    }
    line.first = gf_segments_at(&o->call->in[1], line.number);
    line.n = gf_segments_at(&o->call->in[1], line.number + 1) - line.first;
    line.chunk = o->chunks > 0 ? o->cut.first_blocks[line.number] : 0;
    line.chunks = o->chunks > 0 ? o->cut.first_blocks[line.number + 1] - line.chunk : 0;
    return line;
}

struct gf_cpu_line gf_cpu_operator_line_of(const struct gf_cpu_operator *o, uint64_t item)
{
    uint64_t channel = item / o->chunks, chunk = item % o->chunks;
    uint64_t number = o->call->in[1].data != NULL ? segment_of(&o->cut, chunk) : chunk / chunks_of(o);
    return gf_cpu_operator_line(o, channel * o->lines + number);
}

/* A piece that is being lifted. */
struct lifting {
    struct gf_cpu_worker *w;
    const struct gf_cpu_piece *piece;
};

/* Returns samples of one channel as a machine type. Samples that already have that type are read in place if their
 * number is a multiple of GF_EXPR_ROW_STEP. */
static const void *load(const struct lifting *l, const struct gf_expr_insn *insn, uint32_t machine, unsigned char *row)
{
    const struct gf_buf *in = source(l->w->o);
    const struct gf_cpu_piece *piece = l->piece;
    uint32_t channels = in->view.channels, dtype = in->view.dtype;
    uint32_t channel = insn->in[1] == GF_EXPR_OWN_CHANNEL ? piece->channel : insn->in[1];
    size_t size = gf_dtype_size(dtype);
    bool as_stored = gf_cpu_expr_machine_of(dtype) == machine;
    const unsigned char *from =
        (const unsigned char *)in->data + piece->y * in->view.pitch + piece->x * channels * size;
    if (channels > 1) {
        unsigned char *picked = as_stored ? row : l->w->temps[0];
        l->w->o->simd->pick(size, channels, from + channel * size, picked, piece->n);
        if (!as_stored)
            l->w->o->simd->load(dtype, machine, picked, row, piece->n);
        return row;
    }
    if (as_stored && piece->n % GF_EXPR_ROW_STEP == 0)
        return from;
    l->w->o->simd->load(dtype, machine, from, row, piece->n);
    return row;
}

static const void *read_values(void *context, const struct gf_expr_insn *insn, uint32_t machine, unsigned char *row)
{
    const struct lifting *l = context;
    const struct gf_cpu_piece *piece = l->piece;
    if (insn->op <= GF_EXPR_I_LOAD_F64)
        return load(l, insn, machine, row);
    int64_t first = insn->in[0] == GF_EXPR_X    ? (int64_t)piece->x
                    : insn->in[0] == GF_EXPR_Y  ? (int64_t)piece->y
                    : insn->in[0] == GF_EXPR_CH ? (int64_t)piece->channel
                                                : (int64_t)piece->index;
    int64_t step = insn->in[0] == GF_EXPR_X ? 1 : insn->in[0] == GF_EXPR_INDEX ? piece->step : 0;
    l->w->o->simd->ramp(machine, first, step, row, piece->n);
    return row;
}

/* Copies the results of a program to arrays. */
static void keep(const struct gf_cpu_expr_rows *r, const struct gf_cpu_states *to, size_t at, size_t n)
{
    for (uint32_t i = 0; i < r->program->n_results; i++) {
        size_t size = gf_cpu_expr_size(r->program->types[i]);
        memcpy(to->v[i] + at * size, r->at[r->program->results[i]], n * size);
    }
}

void gf_cpu_operator_lift_piece(struct gf_cpu_worker *w, const struct gf_cpu_piece *piece,
                                const struct gf_cpu_states *to, size_t at)
{
    struct lifting l = {w, piece};
    gf_cpu_expr_run(&w->lift, read_values, &l, piece->n);
    keep(&w->lift, to, at, piece->n);
}

void gf_cpu_operator_reverse(unsigned char *values, size_t size, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        unsigned char value[sizeof(int64_t)], *low = values + i * size, *high = values + (n - 1 - i) * size;
        memcpy(value, low, size);
        memcpy(low, high, size);
        memcpy(high, value, size);
    }
}

/* Prefetches the samples one chunk after a piece, while the states of this chunk are combined. Computing the bounds
 * first, to call gf_cpu_prefetch, would make f64 15 % slower. */
static void prefetch_next(const struct gf_cpu_operator *o, const struct gf_cpu_piece *piece)
{
    const struct gf_view *v = &source(o)->view;
    const uint64_t size = gf_dtype_size(v->dtype) * v->channels, rest = v->pitch * (v->height - piece->y);
    const uint64_t at = (piece->x + GF_CPU_CHUNK) * size, end = at + piece->n * size;
    const char *row = (const char *)source(o)->data + piece->y * v->pitch;
    for (uint64_t k = at; k < end && k < rest; k += GF_CPU_LINE)
        __builtin_prefetch(row + k);
}

void gf_cpu_operator_lift(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i, size_t n,
                          const struct gf_cpu_states *to)
{
    const struct gf_cpu_operator *o = w->o;
    const uint64_t width = source(o)->view.width, start = o->reverse ? line->n - i - n : i;
    bool rows = o->axis == GF_AXIS_ROWS;
    struct gf_cpu_piece piece = {.step = o->reverse ? -1 : 1, .channel = line->channel};
    for (size_t done = 0; done < n; done += piece.n) {
        uint64_t at = line->first + start + done;
        piece.x = rows ? at : at % width;
        piece.y = rows ? line->number : at / width;
        piece.index = o->reverse ? line->n - 1 - start - done : start + done;
        piece.n = n - done < o->block ? n - done : o->block;
        if (piece.n > width - piece.x)
            piece.n = (size_t)(width - piece.x);
        if (!o->reverse)
            prefetch_next(o, &piece);
        gf_cpu_operator_lift_piece(w, &piece, to, done);
    }
    for (uint32_t k = 0; k < o->programs.n_state && o->reverse; k++)
        gf_cpu_operator_reverse(to->v[k], o->sizes[k], n);
}

void gf_cpu_operator_combine(struct gf_cpu_worker *w, const struct gf_cpu_states *a, size_t from,
                             const struct gf_cpu_states *b, const struct gf_cpu_states *to, size_t n)
{
    const struct gf_cpu_operator *o = w->o;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < o->block ? n - done : o->block;
        for (uint32_t i = 0; i < o->programs.n_state; i++) {
            w->combine.at[i] = a->v[i] + (from + done) * o->sizes[i];
            w->combine.at[GF_EXPR_MAX_STATE + i] = b->v[i] + done * o->sizes[i];
        }
        gf_cpu_expr_run(&w->combine, NULL, NULL, some);
        /* A result may be an operand of the program: results are written to `to` only after all operands that `to` may
         * overwrite are copied. */
        const void *results[GF_EXPR_MAX_STATE];
        for (uint32_t i = 0; i < o->programs.n_state; i++) {
            results[i] = w->combine.at[o->programs.combine.results[i]];
            if (o->programs.combine.results[i] < GF_EXPR_ARGUMENTS &&
                results[i] != gf_cpu_expr_row(&w->combine, o->programs.combine.results[i])) {
                memcpy(w->temps[i], results[i], some * o->sizes[i]);
                results[i] = w->temps[i];
            }
        }
        for (uint32_t i = 0; i < o->programs.n_state; i++)
            memcpy(to->v[i] + done * o->sizes[i], results[i], some * o->sizes[i]);
    }
}

struct gf_cpu_state gf_cpu_operator_fold(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n)
{
    const struct gf_cpu_operator *o = w->o;
    while (n > 1) {
        size_t half = n / 2;
        for (size_t done = 0, some; done < half; done += some) {
            some = half - done < o->block ? half - done : o->block;
            struct gf_cpu_states to;
            for (uint32_t i = 0; i < o->programs.n_state; i++) {
                const unsigned char *from = states->v[i] + 2 * done * o->sizes[i];
                o->simd->pick(o->sizes[i], 2, from, w->pairs[0].v[i], some);
                o->simd->pick(o->sizes[i], 2, from + o->sizes[i], w->pairs[1].v[i], some);
                to.v[i] = states->v[i] + done * o->sizes[i]; /* these states have been picked already */
            }
            gf_cpu_operator_combine(w, &w->pairs[0], 0, &w->pairs[1], &to, some);
        }
        if (n % 2 != 0)
            gf_cpu_operator_move(o, states, n - 1, states, half, 1);
        n = half + n % 2;
    }
    return gf_cpu_operator_get(o, states, 0);
}

struct gf_cpu_state gf_cpu_operator_join(struct gf_cpu_worker *w, const struct gf_cpu_state *a,
                                         const struct gf_cpu_state *b)
{
    if (!a->there || !b->there)
        return a->there ? *a : *b;
    gf_cpu_operator_put(w->o, &w->pairs[0], 0, a);
    gf_cpu_operator_put(w->o, &w->pairs[1], 0, b);
    gf_cpu_operator_combine(w, &w->pairs[0], 0, &w->pairs[1], &w->pairs[0], 1);
    return gf_cpu_operator_get(w->o, &w->pairs[0], 0);
}

void gf_cpu_operator_finish(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n,
                            const struct gf_cpu_states *to)
{
    const struct gf_cpu_operator *o = w->o;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < o->block ? n - done : o->block;
        for (uint32_t i = 0; i < o->programs.n_state; i++)
            w->finish.at[i] = states->v[i] + done * o->sizes[i];
        gf_cpu_expr_run(&w->finish, NULL, NULL, some);
        keep(&w->finish, to, done, some);
    }
}

void gf_cpu_operator_store(struct gf_cpu_worker *w, const struct gf_cpu_states *results, size_t at, uint64_t x,
                           uint64_t y, uint32_t channel, size_t n)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_expr_program *p = &o->programs.finish;
    const struct gf_buf *dst = &o->call->out[0];
    size_t size = gf_dtype_size(dst->view.dtype), channels = dst->view.channels;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < o->block ? n - done : o->block;
        unsigned char *to = (unsigned char *)dst->data + y * dst->view.pitch + ((x + done) * channels + channel) * size;
        const void *rows[GF_EXPR_MAX_RESULTS] = {0};
        for (uint32_t i = 0; i < p->n_results; i++) {
            const unsigned char *from = results->v[i] + (at + done) * gf_cpu_expr_size(p->types[i]);
            o->simd->store(p->types[i], dst->view.dtype, from, channels > 1 ? w->temps[i] : to, some, false);
            rows[i] = w->temps[i];
        }
        if (p->n_results > 1)
            o->simd->interleave(size, channels, rows, to, some);
        else if (channels > 1)
            o->simd->spread(size, channels, rows[0], to, some);
    }
}

void gf_cpu_operator_store_one(struct gf_cpu_worker *w, const struct gf_cpu_state *state, uint64_t x, uint64_t y,
                               uint32_t channel)
{
    struct gf_cpu_states results;
    gf_cpu_operator_put(w->o, &w->pairs[0], 0, state);
    for (uint32_t i = 0; i < GF_EXPR_MAX_STATE; i++)
        results.v[i] = w->pairs[1].v[i];
    gf_cpu_operator_finish(w, &w->pairs[0], 1, &results);
    gf_cpu_operator_store(w, &results, 0, x, y, channel, 1);
}

struct gf_cpu_state gf_cpu_operator_get(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k)
{
    struct gf_cpu_state state = {.there = true};
    for (uint32_t i = 0; i < o->programs.n_state; i++)
        memcpy(&state.v[i], states->v[i] + k * o->sizes[i], o->sizes[i]);
    return state;
}

void gf_cpu_operator_put(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k,
                         const struct gf_cpu_state *state)
{
    for (uint32_t i = 0; i < o->programs.n_state; i++)
        memcpy(states->v[i] + k * o->sizes[i], &state->v[i], o->sizes[i]);
}

void gf_cpu_operator_move(const struct gf_cpu_operator *o, const struct gf_cpu_states *from, size_t k,
                          const struct gf_cpu_states *to, size_t to_k, size_t n)
{
    for (uint32_t i = 0; i < o->programs.n_state; i++)
        memmove(to->v[i] + to_k * o->sizes[i], from->v[i] + k * o->sizes[i], n * o->sizes[i]);
}

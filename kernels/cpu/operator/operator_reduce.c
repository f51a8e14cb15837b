/* SPDX-License-Identifier: MIT */
/*
 * reduce with op=user: neighbours are combined until one state is left (docs/numerics.md, "Operators of users"). Along
 * lines, a task folds each chunk to one state, and another task folds the states of a line's chunks. Down columns, a
 * task takes a chunk of rows of many columns side by side. Called by kernels/cpu/reduce/reduction.c.
 */
#include <string.h>

#include "operator.h"
#include "protocol/ops/enums.h"

/* Elements per task. */
#define TASK_ELEMENTS 32768u
/* Rows of columns between two checks whether to stop: a user's operator may be slow. */
#define STOP_ROWS 64u
/* Levels of the tree below a chunk of rows. */
#define LEVELS 13u

struct reducing {
    struct gf_cpu_operator o;
    struct gf_cpu_state *made; /* states of chunks, if a line has several */
    uint64_t stripes;          /* groups of columns */
};

/* Stores the result of a sequence at its place. */
static void store(struct gf_cpu_worker *w, const struct gf_cpu_line *line, const struct gf_cpu_state *state)
{
    bool segments = w->o->call->in[1].data != NULL;
    uint64_t x = segments || w->o->axis == GF_AXIS_COLS ? line->number : 0;
    uint64_t y = !segments && w->o->axis == GF_AXIS_ROWS ? line->number : 0;
    gf_cpu_operator_store_one(w, state, x, y, line->channel);
}

/* Item: a chunk of a line. */
static void reduce_chunk(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct reducing *r = context;
    const struct gf_cpu_line line = gf_cpu_operator_line_of(&r->o, item);
    uint64_t i = (item % r->o.chunks - line.chunk) * GF_CPU_CHUNK;
    size_t n = line.n - i < GF_CPU_CHUNK ? (size_t)(line.n - i) : GF_CPU_CHUNK;
    gf_cpu_operator_lift(w, &line, i, n, &w->states[0]);
    const struct gf_cpu_state state = gf_cpu_operator_fold(w, &w->states[0], n);
    if (line.chunks == 1)
        store(w, &line, &state);
    else
        r->made[item] = state;
}

/* Folds the states of a line's chunks to one. Chunks of states are aligned like chunks of elements; folding repeats
 * until one state is left. */
static struct gf_cpu_state fold_made(struct gf_cpu_worker *w, struct gf_cpu_state *made, uint64_t n)
{
    while (n > 1) {
        uint64_t chunks = 0;
        for (uint64_t at = 0; at < n; at += GF_CPU_CHUNK) {
            size_t some = n - at < GF_CPU_CHUNK ? (size_t)(n - at) : GF_CPU_CHUNK;
            for (size_t i = 0; i < some; i++)
                gf_cpu_operator_put(w->o, &w->states[0], i, &made[at + i]);
            made[chunks++] = gf_cpu_operator_fold(w, &w->states[0], some);
        }
        n = chunks;
    }
    return made[0];
}

/* Item: a line of a channel. Only lines with several chunks, or without elements, are left to do. */
static void finish_line(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct reducing *r = context;
    const struct gf_cpu_line line = gf_cpu_operator_line(&r->o, item);
    struct gf_cpu_state state = {.there = true};
    if (line.chunks == 1)
        return;
    if (line.chunks == 0)
        memcpy(state.v, r->o.programs.identity, sizeof state.v);
    else
        state = fold_made(w, r->made + line.channel * r->o.chunks + line.chunk, line.chunks);
    store(w, &line, &state);
}

/* The unfinished blocks of a group of columns: each level has the states of 2^level rows, or none. */
struct blocks {
    struct gf_cpu_states level[LEVELS];
    uint32_t filled; /* one bit per level */
};

/* Blocks are placed in the arrays of chunks, each with room for `block` states. */
static void blocks_init(const struct gf_cpu_worker *w, struct blocks *b)
{
    b->filled = 0;
    for (uint32_t i = 0; i < LEVELS; i++)
        for (uint32_t k = 0; k < GF_EXPR_MAX_STATE; k++)
            b->level[i].v[k] = w->states[1 + i / 8].v[k] + i % 8 * w->o->row_bytes;
}

_Static_assert(8u * (GF_EXPR_ROW_MAX * sizeof(int64_t) + 64u) <= GF_CPU_CHUNK * sizeof(int64_t), "eight have room");
_Static_assert(1u << (LEVELS - 1) == GF_CPU_CHUNK, "the last level is that of a chunk");

/* Adds the state of one more row: combines it with the previous blocks of equal size and stores the result at the first
 * free level. */
static void push(struct gf_cpu_worker *w, struct blocks *b, size_t n)
{
    uint32_t level = 0;
    for (; (b->filled >> level & 1) != 0; level++) {
        gf_cpu_operator_combine(w, &b->level[level], 0, &w->states[0], &w->states[0], n);
        b->filled &= ~(1u << level);
    }
    gf_cpu_operator_move(w->o, &w->states[0], 0, &b->level[level], 0, n);
    b->filled |= 1u << level;
}

/* Combines the remaining blocks, from the smallest, which is the last, to the first. */
static void join_blocks(struct gf_cpu_worker *w, struct blocks *b, size_t n)
{
    bool any = false;
    for (uint32_t level = 0; level < LEVELS; level++) {
        if ((b->filled >> level & 1) == 0)
            continue;
        if (any)
            gf_cpu_operator_combine(w, &b->level[level], 0, &w->states[0], &w->states[0], n);
        else
            gf_cpu_operator_move(w->o, &b->level[level], 0, &w->states[0], 0, n);
        any = true;
    }
}

/* Item: a chunk of rows of a group of columns, in one channel. */
static void reduce_columns(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct reducing *r = context;
    const struct gf_view *v = &r->o.call->in[0].view;
    struct blocks blocks;
    uint64_t chunks = (r->o.n - 1) / GF_CPU_CHUNK + 1, chunk = item / r->stripes % chunks;
    uint64_t start = chunk * GF_CPU_CHUNK, end = v->height - start < GF_CPU_CHUNK ? v->height : start + GF_CPU_CHUNK;
    struct gf_cpu_piece piece = {.x = item % r->stripes * r->o.block,
                                 .channel = (uint32_t)(item / r->stripes / chunks)};
    blocks_init(w, &blocks);
    piece.n = v->width - piece.x < r->o.block ? (size_t)(v->width - piece.x) : r->o.block;
    for (piece.y = start; piece.y < end; piece.y++) {
        piece.index = piece.y;
        if (piece.y % STOP_ROWS == 0 && gf_cpu_stopped(&r->o.stop))
            return;
        gf_cpu_operator_lift_piece(w, &piece, &w->states[0], 0);
        push(w, &blocks, piece.n);
    }
    join_blocks(w, &blocks, piece.n);
    for (size_t i = 0; i < piece.n; i++) {
        const struct gf_cpu_state state = gf_cpu_operator_get(&r->o, &w->states[0], i);
        const struct gf_cpu_line line = {.number = piece.x + i, .channel = piece.channel};
        if (chunks == 1)
            store(w, &line, &state);
        else
            r->made[(piece.channel * v->width + piece.x + i) * chunks + chunk] = state;
    }
}

/* Reduces all sequences; `made` holds the states of chunks. */
static enum gf_status run(struct reducing *r, struct gf_error *err)
{
    const struct gf_cpu_operator *o = &r->o;
    const uint64_t items = o->chunks * o->channels, each = o->n < GF_CPU_CHUNK ? o->n : GF_CPU_CHUNK;
    bool columns = o->axis == GF_AXIS_COLS, cut = o->call->in[1].data != NULL;
    void *made;
    uint64_t bytes = 0;
    if ((cut || o->n > GF_CPU_CHUNK) && !gf_mul_u64(items, sizeof(*r->made), &bytes))
        return gf_error_set(err, GF_E_NO_MEMORY, "reduce: scratch memory too large");
    enum gf_status status = gf_cpu_operator_memory(&r->o, bytes, &made, err);
    if (status != GF_OK)
        return status;
    r->made = made;
    if (columns) {
        r->stripes = (o->call->in[0].view.width - 1) / o->block + 1;
        uint64_t row_chunks = (o->n - 1) / GF_CPU_CHUNK + 1;
        gf_cpu_operator_each(&r->o, reduce_columns, r, r->stripes * row_chunks * o->channels, 1);
    } else if (items > 0) {
        gf_cpu_operator_each(&r->o, reduce_chunk, r, items, TASK_ELEMENTS / (cut ? GF_CPU_CHUNK / 16 : each));
    }
    if (cut || o->n > GF_CPU_CHUNK)
        gf_cpu_operator_each(&r->o, finish_line, r, o->lines * o->channels, 64);
    return gf_cpu_stop_error(o->call, &r->o.stop, err);
}

enum gf_status gf_cpu_operator_reduce(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct reducing r;
    memset(&r, 0, sizeof r);
    enum gf_status status = gf_cpu_operator_init(call, &r.o, err);
    if (status == GF_OK)
        status = run(&r, err);
    gf_cpu_operator_deinit(&r.o);
    return status;
}

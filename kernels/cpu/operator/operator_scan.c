/* SPDX-License-Identifier: MIT */
/*
 * scan with op=user by the trees of docs/numerics.md, "Trees of scans". Along lines, a first pass computes the state of
 * each block of 4096 elements, the prefix of each block is combined from the states, and a second pass computes the
 * results; a line of one block needs one pass. Down columns, a task goes from row to row, columns side by side. Called
 * by kernels/cpu/scan/scan.c.
 */
#include <string.h>

#include "operator.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/scan.h"

#define ROW 16u                   /* consecutive elements */
#define ROWS (GF_CPU_CHUNK / ROW) /* rows per block, side by side */
#define GROUP 32u                 /* rows, blocks or groups of blocks per step of the tree */
#define COLUMN_ROWS 64u           /* rows in a block of columns */
#define TASK_ELEMENTS 32768u

struct scanning {
    struct gf_cpu_operator o;
    bool exclusive, results;            /* this pass computes results */
    struct gf_cpu_state *made, *before; /* the state of each block, and of all blocks before it */
};

/* A thread's arrays, as indices of its states. */
enum { ROWS_OF, ELEMENTS, TOTALS, STEP, BEFORE, GROUPS_BEFORE };

static struct gf_cpu_states part(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k)
{
    struct gf_cpu_states from = *states;
    for (uint32_t i = 0; i < o->programs.n_state; i++)
        from.v[i] += k * o->sizes[i];
    return from;
}

/* Transposes a block: spread_rows collects element 0 of all rows, then element 1 of all rows, and so on; gather_rows is
 * its inverse. */
static void spread_rows(struct gf_cpu_worker *w, const unsigned char *from, unsigned char *to, size_t size)
{
    const struct gf_simd_expr *simd = w->o->simd;
    unsigned char *quarter = w->states[STEP].v[0]; /* every fourth element */
    for (size_t k = 0; k < 4; k++) {
        simd->pick(size, 4, from + k * size, quarter, GF_CPU_CHUNK / 4);
        for (size_t m = 0; m < 4; m++)
            simd->pick(size, 4, quarter + m * size, to + (4 * m + k) * ROWS * size, ROWS);
    }
}

static void gather_rows(struct gf_cpu_worker *w, const unsigned char *from, unsigned char *to, size_t size)
{
    const struct gf_simd_expr *simd = w->o->simd;
    unsigned char *quarter = w->states[STEP].v[0];
    for (size_t k = 0; k < 4; k++) {
        for (size_t m = 0; m < 4; m++)
            simd->spread(size, 4, from + (4 * m + k) * ROWS * size, quarter + m * size, ROWS);
        simd->spread(size, 4, quarter, to + k * size, GF_CPU_CHUNK / 4);
    }
}

/* The five steps of the tree on n states, groups of 32 side by side: u[i] = u[i - d] combined with u[i]. */
static void five_steps(struct gf_cpu_worker *w, const struct gf_cpu_states *u, size_t n)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_cpu_states *step = &w->states[STEP];
    for (size_t d = 1; d < GROUP; d *= 2) {
        if (n <= d)
            break;
        const struct gf_cpu_states later = part(o, u, d);
        gf_cpu_operator_combine(w, u, 0, &later, step, n - d);
        for (size_t first = 0; first + d < n; first += GROUP) {
            size_t end = first + GROUP < n ? first + GROUP : n;
            gf_cpu_operator_move(o, step, first, u, first + d, end - first - d);
        }
    }
}

/* Lifts n elements of a line from index i on and scans each row of them, rows side by side. In an incomplete row, the
 * last existing state is repeated, so that missing elements change nothing. */
static void lift_rows(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i, size_t n)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_cpu_states *s = &w->states[ROWS_OF], *elements = &w->states[ELEMENTS];
    gf_cpu_operator_lift(w, line, i, n, elements);
    for (uint32_t k = 0; k < o->programs.n_state; k++)
        spread_rows(w, elements->v[k], s->v[k], o->sizes[k]);
    for (size_t j = 1; j < ROW; j++) {
        const struct gf_cpu_states before = part(o, s, (j - 1) * ROWS), own = part(o, s, j * ROWS);
        size_t there = n / ROW + (j < n % ROW); /* rows that have an element j */
        gf_cpu_operator_combine(w, &before, 0, &own, &own, there);
        gf_cpu_operator_move(o, &before, there, &own, there, ROWS - there);
    }
}

/* Scans the totals of rows within their groups, in TOTALS, and returns the state of the block. GROUPS_BEFORE receives
 * the prefix of each group except the first, which has none. */
static struct gf_cpu_state scan_rows(struct gf_cpu_worker *w, size_t rows)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_cpu_states *u = &w->states[TOTALS];
    struct gf_cpu_state all = {.there = false};
    gf_cpu_operator_move(o, &w->states[ROWS_OF], (ROW - 1) * ROWS, u, 0, ROWS);
    five_steps(w, u, rows);
    for (size_t first = 0; first < rows; first += GROUP) {
        size_t last = first + GROUP < rows ? first + GROUP - 1 : rows - 1;
        const struct gf_cpu_state total = gf_cpu_operator_get(o, u, last);
        if (all.there)
            gf_cpu_operator_put(o, &w->states[GROUPS_BEFORE], first / GROUP, &all);
        all = gf_cpu_operator_join(w, &all, &total);
    }
    return all;
}

/* Stores n copies of one state, n > 0, from k on. */
static void repeat(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k, size_t n,
                   const struct gf_cpu_state *state)
{
    gf_cpu_operator_put(o, states, k, state);
    for (uint32_t i = 0; i < o->programs.n_state; i++)
        gf_cpu_expr_repeat(states->v[i] + k * o->sizes[i], o->sizes[i], n);
}

/* Computes the prefix of each row, in BEFORE; `before` is the prefix of the block. Returns the first row that has a
 * prefix. */
static size_t find_before(struct gf_cpu_worker *w, size_t rows, const struct gf_cpu_state *before)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_cpu_states *off = &w->states[BEFORE], *u = &w->states[TOTALS], *step = &w->states[STEP];
    gf_cpu_operator_move(o, u, 0, off, 1, rows - 1); /* row i gets the total of rows up to i - 1 of its group */
    for (size_t first = GROUP; first < rows; first += GROUP) {
        const struct gf_cpu_state e = gf_cpu_operator_get(o, &w->states[GROUPS_BEFORE], first / GROUP);
        size_t n = rows - first < GROUP ? rows - first : GROUP;
        const struct gf_cpu_states own = part(o, off, first + 1);
        repeat(o, step, 0, n, &e);
        if (n > 1)
            gf_cpu_operator_combine(w, step, 0, &own, &own, n - 1);
        gf_cpu_operator_put(o, off, first, &e);
    }
    if (!before->there)
        return 1;
    const struct gf_cpu_states own = part(o, off, 1);
    repeat(o, step, 0, rows, before);
    if (rows > 1)
        gf_cpu_operator_combine(w, step, 0, &own, &own, rows - 1);
    gf_cpu_operator_put(o, off, 0, before);
    return 0;
}

/* Stores the results of n elements from index i on, in the order of the line. */
static void store_results(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i, size_t n,
                          const struct gf_cpu_states *results)
{
    const struct gf_cpu_operator *o = w->o;
    const struct gf_expr_program *finish = &o->programs.finish;
    const uint64_t width = o->call->out[0].view.width, start = o->reverse ? line->n - i - n : i;
    bool rows = o->axis == GF_AXIS_ROWS;
    for (uint32_t k = 0; k < finish->n_results && o->reverse; k++)
        gf_cpu_operator_reverse(results->v[k], gf_cpu_expr_size(finish->types[k]), n);
    for (size_t done = 0, some; done < n; done += some) {
        uint64_t at = line->first + start + done, x = rows ? at : at % width, y = rows ? line->number : at / width;
        some = n - done < width - x ? n - done : (size_t)(width - x);
        gf_cpu_operator_store(w, results, done, x, y, line->channel, some);
    }
}

/* Stores a single state at an index of a line. */
static void store_at(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i,
                     const struct gf_cpu_state *state)
{
    const struct gf_cpu_operator *o = w->o;
    const uint64_t width = o->call->out[0].view.width;
    uint64_t at = line->first + (o->reverse ? line->n - 1 - i : i);
    bool rows = o->axis == GF_AXIS_ROWS;
    gf_cpu_operator_store_one(w, state, rows ? at : at % width, rows ? line->number : at / width, line->channel);
}

/* Computes the results of a block whose rows and totals are scanned: combines the prefix of each row with its
 * elements. */
static void make_results(const struct scanning *s, struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i,
                         size_t n, const struct gf_cpu_state *before)
{
    const struct gf_cpu_operator *o = &s->o;
    const struct gf_expr_program *finish = &o->programs.finish;
    const struct gf_cpu_states *rows_of = &w->states[ROWS_OF], *results = &w->states[ELEMENTS];
    size_t rows = (n + ROW - 1) / ROW, from = find_before(w, rows, before);
    for (size_t j = 0; j < ROW; j++) {
        const struct gf_cpu_states own = part(o, rows_of, j * ROWS + from);
        gf_cpu_operator_combine(w, &w->states[BEFORE], from, &own, &own, rows - from);
    }
    for (size_t j = 0; j < ROW; j++) {
        struct gf_cpu_states own = part(o, rows_of, j * ROWS), made = *results;
        for (uint32_t k = 0; k < finish->n_results; k++)
            made.v[k] += j * ROWS * gf_cpu_expr_size(finish->types[k]);
        gf_cpu_operator_finish(w, &own, rows, &made);
    }
    /* TOTALS and the arrays after it are free now; each value is reordered separately. */
    for (uint32_t k = 0; k < finish->n_results; k++)
        gather_rows(w, results->v[k], w->states[TOTALS].v[k], gf_cpu_expr_size(finish->types[k]));
    if (s->exclusive && i == 0) {
        struct gf_cpu_state none = {.there = true};
        memcpy(none.v, o->programs.identity, sizeof none.v);
        store_at(w, line, 0, &none);
    }
    if (s->exclusive && i + n == line->n)
        n--;
    if (n > 0)
        store_results(w, line, s->exclusive ? i + 1 : i, n, &w->states[TOTALS]);
}

/* Item: a block of a line. */
static void scan_block(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct scanning *s = context;
    const struct gf_cpu_line line = gf_cpu_operator_line_of(&s->o, item);
    uint64_t block = item % s->o.chunks - line.chunk, i = block * GF_CPU_CHUNK;
    size_t n = line.n - i < GF_CPU_CHUNK ? (size_t)(line.n - i) : GF_CPU_CHUNK;
    bool alone = line.chunks == 1;
    if (s->results ? alone : !alone && block + 1 == line.chunks)
        return; /* done in the first pass; or the state of the last block, which is not needed */
    lift_rows(w, &line, i, n);
    const struct gf_cpu_state made = scan_rows(w, (n + ROW - 1) / ROW), none = {.there = false};
    if (s->results || alone)
        make_results(s, w, &line, i, n, alone ? &none : &s->before[item]);
    else
        s->made[item] = made;
}

/* Applies the five steps to groups of 32 states in place, 4096 states at a time. */
static void step_states(struct gf_cpu_worker *w, struct gf_cpu_state *states, uint64_t n)
{
    const struct gf_cpu_states *u = &w->states[TOTALS];
    for (uint64_t at = 0; at < n; at += GF_CPU_CHUNK) {
        size_t some = n - at < GF_CPU_CHUNK ? (size_t)(n - at) : GF_CPU_CHUNK;
        for (size_t k = 0; k < some; k++)
            gf_cpu_operator_put(w->o, u, k, &states[at + k]);
        five_steps(w, u, some);
        for (size_t k = 0; k < some; k++)
            states[at + k] = gf_cpu_operator_get(w->o, u, k);
    }
}

/* Computes the prefix of each block from the states of a line's blocks. */
static void find_prefixes(struct gf_cpu_worker *w, struct gf_cpu_state *made, struct gf_cpu_state *before, uint64_t n)
{
    struct gf_cpu_state c = {.there = false};
    step_states(w, made, n - 1); /* I1; the last block has no state */
    for (uint64_t h = 0; h < n; h += GROUP * GROUP) {
        struct gf_cpu_state totals[GROUP];
        uint64_t groups = (n - 1 - h + GROUP - 1) / GROUP;
        groups = groups < GROUP ? groups : GROUP;
        for (uint64_t g = 0; g < groups; g++) {
            uint64_t last = h + (g + 1) * GROUP - 1;
            totals[g] = made[last < n - 1 ? last : n - 2];
        }
        step_states(w, totals, groups); /* I2 */
        for (uint64_t b = h; b < n && b < h + GROUP * GROUP; b++) {
            uint64_t g = (b - h) / GROUP;
            struct gf_cpu_state p = g > 0 ? gf_cpu_operator_join(w, &c, &totals[g - 1]) : c;
            before[b] = b % GROUP > 0 ? gf_cpu_operator_join(w, &p, &made[b - 1]) : p;
        }
        if (groups > 0)
            c = gf_cpu_operator_join(w, &c, &totals[groups - 1]);
    }
}

/* Item: a line of a channel. */
static void prefix_line(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct scanning *s = context;
    const struct gf_cpu_line line = gf_cpu_operator_line(&s->o, item);
    uint64_t at = line.channel * s->o.chunks + line.chunk;
    if (line.chunks > 1)
        find_prefixes(w, s->made + at, s->before + at, line.chunks);
}

/* Stores one row of states of a group of columns. Overwrites the array. */
static void store_row(struct gf_cpu_worker *w, const struct gf_cpu_states *states, const struct gf_cpu_piece *piece,
                      uint64_t y)
{
    const struct gf_cpu_states *results = &w->states[STEP];
    gf_cpu_operator_finish(w, states, piece->n, results);
    gf_cpu_operator_store(w, results, 0, piece->x, y, piece->channel, piece->n);
}

/* Item: a group of columns of a channel. */
static void scan_columns(struct gf_cpu_worker *w, void *context, uint64_t item)
{
    struct scanning *s = context;
    const struct gf_cpu_operator *o = &s->o;
    const struct gf_view *v = &o->call->in[0].view;
    const uint64_t stripes = (v->width - 1) / o->block + 1;
    struct gf_cpu_piece piece = {.x = item % stripes * o->block, .channel = (uint32_t)(item / stripes)};
    const struct gf_cpu_states *row = &w->states[0], *block = &w->states[1], *before = &w->states[2],
                               *all = &w->states[4];
    piece.n = v->width - piece.x < o->block ? (size_t)(v->width - piece.x) : o->block;
    if (s->exclusive) {
        struct gf_cpu_state none = {.there = true};
        memcpy(none.v, o->programs.identity, sizeof none.v);
        repeat(o, all, 0, piece.n, &none);
        store_row(w, all, &piece, o->reverse ? v->height - 1 : 0);
    }
    for (uint64_t i = 0; i < v->height; i++) {
        bool first = i % COLUMN_ROWS == 0, more = i >= COLUMN_ROWS;
        uint64_t to = s->exclusive ? i + 1 : i;
        if (first && gf_cpu_stopped(&s->o.stop))
            return;
        piece.y = o->reverse ? v->height - 1 - i : i;
        piece.index = i;
        gf_cpu_operator_lift_piece(w, &piece, row, 0);
        if (first && i == COLUMN_ROWS)
            gf_cpu_operator_move(o, block, 0, before, 0, piece.n);
        else if (first && more)
            gf_cpu_operator_combine(w, before, 0, block, before, piece.n);
        if (first)
            gf_cpu_operator_move(o, row, 0, block, 0, piece.n);
        else
            gf_cpu_operator_combine(w, block, 0, row, block, piece.n);
        if (more)
            gf_cpu_operator_combine(w, before, 0, block, all, piece.n);
        if (to < v->height)
            store_row(w, more ? all : block, &piece, o->reverse ? v->height - 1 - to : to);
    }
}

static enum gf_status run(struct scanning *s, struct gf_error *err)
{
    const struct gf_cpu_operator *o = &s->o;
    const uint64_t items = o->chunks * o->channels, each = o->n < GF_CPU_CHUNK ? o->n : GF_CPU_CHUNK;
    bool columns = o->axis == GF_AXIS_COLS, cut = o->call->in[1].data != NULL;
    bool several = !columns && (cut || o->n > GF_CPU_CHUNK);
    void *made;
    uint64_t bytes = 0;
    if (several && !gf_mul_u64(items, 2 * sizeof(*s->made), &bytes))
        return gf_error_set(err, GF_E_NO_MEMORY, "scan: scratch memory too large");
    enum gf_status status = gf_cpu_operator_memory(&s->o, bytes, &made, err);
    if (status != GF_OK)
        return status;
    s->made = made;
    s->before = s->made + (several ? items : 0);
    if (columns) {
        uint64_t stripes = (o->call->in[0].view.width - 1) / o->block + 1;
        gf_cpu_operator_each(&s->o, scan_columns, s, stripes * o->channels, 1);
    } else if (items > 0) {
        uint64_t per_task = TASK_ELEMENTS / (cut ? GF_CPU_CHUNK / 16 : each);
        gf_cpu_operator_each(&s->o, scan_block, s, items, per_task);
        if (several) {
            gf_cpu_operator_each(&s->o, prefix_line, s, o->lines * o->channels, 64);
            s->results = true;
            gf_cpu_operator_each(&s->o, scan_block, s, items, per_task);
        }
    }
    return gf_cpu_stop_error(o->call, &s->o.stop, err);
}

enum gf_status gf_cpu_operator_scan(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct scanning s;
    memset(&s, 0, sizeof s);
    enum gf_status status = gf_cpu_operator_init(call, &s.o, err);
    s.exclusive = gf_scan_params_get(&call->step->params).exclusive != 0;
    if (status == GF_OK)
        status = run(&s, err);
    gf_cpu_operator_deinit(&s.o);
    return status;
}

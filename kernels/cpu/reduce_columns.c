/* SPDX-License-Identifier: MIT */
/*
 * Reductions of columns: blocks of 64 rows folded one after the other, then 64 of their results, and so on. A task
 * takes up to 64 columns from top to bottom and keeps one unfinished block per level. Called by reduction.c.
 */
#include "reduction.h"

/* 64^7 is more than GF_MAX_ELEMENTS. */
#define LEVELS 8u
/* Rows between a load and the prefetch for a later one: they are too far apart for the processor to see. */
#define PREFETCH_ROWS 8u

/* What one thread works in. */
struct room {
    double x[GF_CPU_COLUMNS], y[GF_CPU_COLUMNS];
    int64_t keys[GF_CPU_COLUMNS];
    struct gf_cpu_columns columns;
    struct gf_part parts[LEVELS][GF_CPU_COLUMNS];
    uint32_t filled[LEVELS]; /* parts folded into the block */
};

/* A stripe of columns and the rows it has come to. */
struct stripe {
    struct gf_cpu_reduction *p;
    struct room *room;
    uint64_t first; /* sequence, which is the sample in the row */
    size_t n;
};

/* Row y of the stripe, spelled. */
static struct gf_cpu_stretch spell_row(const struct stripe *t, uint64_t y)
{
    const struct gf_cpu_call *call = t->p->call;
    const struct gf_view *view = &call->in[0].view;
    size_t at = (size_t)t->first * gf_dtype_size(view->dtype);
    struct gf_cpu_stretch s = {.want = t->p->r.want,
                               .dtype = t->p->r.dtype,
                               .omit = t->p->r.omit,
                               .first = y,
                               .n = t->n,
                               .x = t->room->x,
                               .y = t->room->y,
                               .keys = t->room->keys};
    call->rows->spell(view->dtype, (const char *)call->in[0].data + y * view->pitch + at, 1, t->n,
                      gf_cpu_needs_values(s.want, s.dtype) ? s.x : NULL,
                      gf_cpu_needs_keys(s.want, s.dtype) ? s.keys : NULL);
    if (s.want & GF_WANT_DOT)
        call->rows->spell(view->dtype, (const char *)call->in[1].data + y * call->in[1].view.pitch + at, 1, t->n, s.y,
                          NULL);
    return s;
}

static void columns_init(struct gf_cpu_columns *c)
{
    for (uint32_t i = 0; i < GF_CPU_COLUMNS; i++) {
        c->part[i] = gf_part_empty();
        c->sum[i] = c->abs[i] = c->squares[i] = -0.0;
        c->product[i] = 1.0;
        c->dot[i] = c->spread[i] = 0.0;
    }
}

static void add_block(const struct stripe *t, uint64_t y, uint64_t end)
{
    for (uint64_t row = y; row < end; row++) {
        struct gf_cpu_stretch s = spell_row(t, row);
        t->p->call->rows->columns(&s, &t->room->columns);
    }
}

/* The second pass over a block. */
static void add_spread(const struct stripe *t, uint64_t y, uint64_t end)
{
    struct gf_cpu_columns *c = &t->room->columns;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t present = end - y - (t->p->r.omit ? c->part[i].nans : 0);
        c->part[i].n = (double)present;
        c->mean[i] = c->sum[i] / (double)present;
    }
    for (uint64_t row = y; row < end; row++) {
        struct gf_cpu_stretch s = spell_row(t, row);
        t->p->call->rows->columns_spread(&s, c);
    }
}

/* Rows y..end-1, one block, of which but the sums are wanted, without spelling it. False where it is not such a one, or
 * has to be looked at for NaN. */
static bool sum_block(const struct stripe *t, uint64_t y, uint64_t end)
{
    const struct gf_cpu_call *call = t->p->call;
    const struct gf_buf *in = &call->in[0];
    size_t size = gf_dtype_size(in->view.dtype);
    if (t->p->r.want != (GF_WANT_NAN | GF_WANT_TREE_SUM) || t->p->r.dtype != in->view.dtype)
        return false;
    const char *src = (const char *)in->data + y * in->view.pitch + t->first * size;
    for (uint64_t row = y; row < end; row++, src += in->view.pitch) {
        for (size_t at = 0; row + PREFETCH_ROWS < end && at < t->n * size; at += 64)
            __builtin_prefetch(src + PREFETCH_ROWS * in->view.pitch + at, 0, 2);
        call->rows->add_row(in->view.dtype, src, t->n, t->room->columns.sum);
    }
    for (size_t i = 0; i < t->n; i++)
        if (t->room->columns.sum[i] != t->room->columns.sum[i])
            return false;
    return true;
}

/* Rows y..end-1, one block, to a part per column. */
static void reduce_block(const struct stripe *t, uint64_t y, uint64_t end)
{
    struct gf_cpu_columns *c = &t->room->columns;
    columns_init(c);
    if (!sum_block(t, y, end)) {
        columns_init(c);
        add_block(t, y, end);
    }
    if (t->p->r.want & GF_WANT_SPREAD)
        add_spread(t, y, end);
    for (size_t i = 0; i < t->n; i++) {
        struct gf_part *part = &c->part[i];
        part->tree_sum = c->sum[i];
        part->tree_product = c->product[i];
        part->tree_abs = c->abs[i];
        part->tree_squares = c->squares[i];
        part->dot = c->dot[i];
        part->mean = c->mean[i];
        part->spread = c->spread[i];
    }
}

static void push(const struct stripe *t, uint32_t level, const struct gf_part *parts)
{
    struct gf_part *to = t->room->parts[level];
    bool real = gf_is_float(t->p->r.dtype);
    if (t->room->filled[level]++ == 0)
        memcpy(to, parts, t->n * sizeof(*parts));
    else
        for (size_t i = 0; i < t->n; i++)
            gf_part_join(t->p->r.want, real, &to[i], &parts[i]);
}

/* Item: a stripe. */
static void reduce_stripe(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    struct room *room = (struct room *)context + slot;
    struct stripe t = {p, room, item * GF_CPU_COLUMNS, GF_CPU_COLUMNS};
    if (p->r.sequences - t.first < t.n)
        t.n = (size_t)(p->r.sequences - t.first);
    memset(room->filled, 0, sizeof(room->filled));
    for (uint64_t y = 0; y < p->r.n; y += GF_TREE_ROWS) {
        reduce_block(&t, y, p->r.n - y < GF_TREE_ROWS ? p->r.n : y + GF_TREE_ROWS);
        push(&t, 0, room->columns.part);
        for (uint32_t level = 0; room->filled[level] == GF_TREE_ROWS; level++) {
            push(&t, level + 1, room->parts[level]);
            room->filled[level] = 0;
        }
    }
    uint32_t top = LEVELS - 1;
    while (room->filled[top] == 0)
        top--;
    for (uint32_t level = 0; level < top; level++)
        if (room->filled[level] > 0)
            push(&t, level + 1, room->parts[level]);
    for (size_t i = 0; i < t.n; i++)
        gf_cpu_reduce_emit(p, t.first + i, &room->parts[top][i]);
}

enum gf_status gf_cpu_reduce_columns(struct gf_cpu_reduction *p, struct gf_error *err)
{
    void *scratch;
    uint64_t rooms = (uint64_t)gf_cpu_pool_threads(p->call->pool) * sizeof(struct room);
    enum gf_status status = gf_cpu_scratch_get(p->call->scratch, rooms, &scratch, err);
    if (status != GF_OK)
        return status;
    gf_cpu_reduce_each(p, reduce_stripe, scratch, (p->r.sequences - 1) / GF_CPU_COLUMNS + 1, 1);
    return GF_OK;
}

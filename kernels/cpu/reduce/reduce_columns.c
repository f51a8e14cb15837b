/* SPDX-License-Identifier: MIT */
/*
 * Reductions of columns: blocks of 64 rows are reduced to partials one after the other, then 64 partials to one, and so
 * on. A task takes up to 64 columns from top to bottom and keeps one unfinished block per level. Called by reduction.c.
 */
#include "reduction.h"

/* The number of levels: 64^7 is more than GF_MAX_ELEMENTS. */
#define LEVELS 8u

/* A thread's workspace. */
struct workspace {
    _Alignas(64) double x[GF_CPU_COLUMNS], y[GF_CPU_COLUMNS];
    int64_t keys[GF_CPU_COLUMNS];
    struct gf_cpu_columns columns;
    struct gf_partial partials[LEVELS][GF_CPU_COLUMNS];
    uint32_t filled[LEVELS]; /* partials joined into the block so far */
};

/* A thread's workspace when only sums are wanted: up to COLUMN_GROUPS groups of columns side by side. */
#define COLUMN_GROUPS 16u
#define SUMS (COLUMN_GROUPS * GF_CPU_COLUMNS)
struct sums {
    _Alignas(64) double block[SUMS], levels[LEVELS][SUMS];
    uint32_t filled[LEVELS];
};

struct workspaces {
    struct workspace *column_groups;
    struct sums *sums;
    uint64_t side_by_side; /* groups of columns per task */
};

/* A group of columns. */
struct column_group {
    struct gf_cpu_reduction *p;
    struct workspace *workspace;
    uint64_t first; /* its first sequence, which is also the sample's index in the row */
    size_t n;
};

/* Widens row y of the column group. */
static struct gf_cpu_elements widen_row(const struct column_group *t, uint64_t y)
{
    const struct gf_cpu_call *call = t->p->call;
    const struct gf_view *view = &call->in[0].view;
    size_t at = (size_t)t->first * gf_dtype_size(view->dtype);
    struct gf_cpu_elements s = {.want = t->p->r.want,
                                .dtype = t->p->r.dtype,
                                .omit = t->p->r.omit,
                                .first = y,
                                .n = t->n,
                                .x = t->workspace->x,
                                .y = t->workspace->y,
                                .keys = t->workspace->keys};
    call->simd->samples->widen(view->dtype, (const char *)call->in[0].data + y * view->pitch + at, 1, t->n,
                               gf_cpu_needs_values(s.want, s.dtype) ? s.x : NULL,
                               gf_cpu_needs_keys(s.want, s.dtype) ? s.keys : NULL);
    if (s.want & GF_WANT_DOT)
        call->simd->samples->widen(view->dtype, (const char *)call->in[1].data + y * call->in[1].view.pitch + at, 1,
                                   t->n, s.y, NULL);
    return s;
}

static void columns_init(struct gf_cpu_columns *c)
{
    for (uint32_t i = 0; i < GF_CPU_COLUMNS; i++) {
        c->partial[i] = gf_partial_empty();
        c->sum[i] = c->abs[i] = c->squares[i] = -0.0;
        c->product[i] = 1.0;
        c->dot[i] = c->spread[i] = 0.0;
        c->exact_sum[i] = c->exact_abs[i] = c->exact_squares[i] = c->nonzero[i] = 0;
        c->argmin[i] = c->argmax[i] = -1;
        c->min_key[i] = INT64_MAX;
        c->max_key[i] = INT64_MIN;
    }
}

/* The second pass over a block, for the spread. */
static void add_spread(const struct column_group *t, uint64_t y, uint64_t end)
{
    struct gf_cpu_columns *c = &t->workspace->columns;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t present = end - y - (t->p->r.omit ? c->partial[i].nans : 0);
        c->partial[i].n = (double)present;
        c->mean[i] = c->sum[i] / (double)present;
    }
    for (uint64_t row = y; row < end; row++) {
        struct gf_cpu_elements s = widen_row(t, row);
        t->p->call->simd->reduce->columns_spread(&s, c);
    }
}

/* How many rows ahead the prefetch reads. */
#define ROWS_AHEAD 8u

static void ask_for_row(const struct column_group *t, uint64_t y)
{
    const struct gf_buf *in = &t->p->call->in[0];
    size_t size = gf_dtype_size(in->view.dtype);
    if (y < t->p->r.n)
        gf_cpu_prefetch((const char *)in->data + y * in->view.pitch + t->first * size, t->n * size);
}

/* Joins the exact results of rows without NaN with the partial of the rows with NaN. */
static void join_exact(const struct column_group *t, size_t i)
{
    const struct gf_cpu_columns *c = &t->workspace->columns;
    struct gf_partial *partial = &t->workspace->columns.partial[i];
    const struct gf_partial extremes = {.min_key = c->min_key[i],
                                        .max_key = c->max_key[i],
                                        .argmin = (uint64_t)c->argmin[i],
                                        .argmax = (uint64_t)c->argmax[i]};
    gf_partial_join_extremes(gf_is_float(t->p->r.dtype), partial, &extremes);
    partial->sum += c->exact_sum[i];
    partial->abs += (uint64_t)c->exact_abs[i];
    partial->squares += (uint64_t)c->exact_squares[i];
    partial->nonzero += (uint64_t)c->nonzero[i];
}

/* Reduces rows y..end-1, one block, to one partial per column. */
static void reduce_block(const struct column_group *t, uint64_t y, uint64_t end)
{
    struct gf_cpu_columns *c = &t->workspace->columns;
    columns_init(c);
    for (uint64_t row = y; row < end; row++) {
        ask_for_row(t, row + ROWS_AHEAD);
        struct gf_cpu_elements s = widen_row(t, row);
        t->p->call->simd->reduce->columns(&s, c);
    }
    if (t->p->r.want & GF_WANT_SPREAD)
        add_spread(t, y, end);
    for (size_t i = 0; i < t->n; i++) {
        struct gf_partial *partial = &c->partial[i];
        join_exact(t, i);
        partial->tree_sum = c->sum[i];
        partial->tree_product = c->product[i];
        partial->tree_abs = c->abs[i];
        partial->tree_squares = c->squares[i];
        partial->dot = c->dot[i];
        partial->mean = c->mean[i];
        partial->spread = c->spread[i];
    }
}

static void push(const struct column_group *t, uint32_t level, const struct gf_partial *partials)
{
    struct gf_partial *to = t->workspace->partials[level];
    bool real = gf_is_float(t->p->r.dtype);
    if (t->workspace->filled[level]++ == 0)
        memcpy(to, partials, t->n * sizeof(*partials));
    else
        for (size_t i = 0; i < t->n; i++)
            gf_partial_join(t->p->r.want, real, &to[i], &partials[i]);
}

/* Item: a group of columns. */
static void reduce_column_group(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct workspaces *workspaces = context;
    struct workspace *workspace = workspaces->column_groups + slot;
    struct column_group t = {p, workspace, item * GF_CPU_COLUMNS, GF_CPU_COLUMNS};
    if (p->r.sequences - t.first < t.n)
        t.n = (size_t)(p->r.sequences - t.first);
    memset(workspace->filled, 0, sizeof(workspace->filled));
    for (uint64_t y = 0; y < p->r.n; y += GF_TREE_ROWS) {
        reduce_block(&t, y, p->r.n - y < GF_TREE_ROWS ? p->r.n : y + GF_TREE_ROWS);
        push(&t, 0, workspace->columns.partial);
        for (uint32_t level = 0; workspace->filled[level] == GF_TREE_ROWS; level++) {
            push(&t, level + 1, workspace->partials[level]);
            workspace->filled[level] = 0;
        }
    }
    uint32_t top = LEVELS - 1;
    while (workspace->filled[top] == 0)
        top--;
    for (uint32_t level = 0; level < top; level++)
        if (workspace->filled[level] > 0)
            push(&t, level + 1, workspace->partials[level]);
    for (size_t i = 0; i < t.n; i++)
        gf_cpu_reduce_emit(p, t.first + i, &workspace->partials[top][i]);
}

static void push_sums(struct sums *s, uint32_t level, const double *sums, size_t n)
{
    double *to = s->levels[level];
    if (s->filled[level]++ == 0)
        memcpy(to, sums, n * sizeof(*to));
    else
        for (size_t i = 0; i < n; i++)
            to[i] += sums[i];
}

/* Sums rows y..end-1, one block of n columns from `first` on. */
static void sum_block(const struct gf_cpu_reduction *p, uint64_t first, size_t n, uint64_t y, uint64_t end,
                      double *sums)
{
    const struct gf_buf *in = &p->call->in[0];
    struct gf_cpu_few_rows rows = {.pitch = (size_t)in->view.pitch};
    for (size_t i = 0; i < n; i++)
        sums[i] = -0.0;
    for (; y < end; y += rows.n) {
        rows.src = (const char *)in->data + y * rows.pitch + first * gf_dtype_size(in->view.dtype);
        rows.n = end - y < GF_CPU_FEW_ROWS ? (size_t)(end - y) : GF_CPU_FEW_ROWS;
        rows.more = p->r.n - y >= 2 * GF_CPU_FEW_ROWS;
        p->call->simd->reduce->add_rows(in->view.dtype, &rows, n, sums);
    }
}

/* Sums all rows of n columns and returns the sums. */
static const double *sum_columns(const struct gf_cpu_reduction *p, uint64_t first, size_t n, struct sums *s)
{
    uint32_t last = 0;
    memset(s->filled, 0, sizeof(s->filled));
    for (uint64_t y = 0; y < p->r.n; y += GF_TREE_ROWS) {
        sum_block(p, first, n, y, p->r.n - y < GF_TREE_ROWS ? p->r.n : y + GF_TREE_ROWS, s->block);
        push_sums(s, 0, s->block, n);
        for (uint32_t level = 0; s->filled[level] == GF_TREE_ROWS; level++) {
            push_sums(s, level + 1, s->levels[level], n);
            s->filled[level] = 0;
            last = level + 1 > last ? level + 1 : last;
        }
    }
    for (uint32_t level = 0; level < last; level++)
        if (s->filled[level] > 0)
            push_sums(s, level + 1, s->levels[level], n);
    return s->levels[last];
}

/* Item: several groups of columns of floats that need sums only; the rows are added without widening. If a sum is NaN,
 * the groups are reduced again one by one, because the NaN must be reported or omitted. */
static void reduce_sums(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct workspaces *workspaces = context;
    uint64_t first = item * workspaces->side_by_side * GF_CPU_COLUMNS, left = p->r.sequences - first;
    size_t limit = (size_t)workspaces->side_by_side * GF_CPU_COLUMNS, n = left < limit ? (size_t)left : limit;
    const double *sums = sum_columns(p, first, n, workspaces->sums + slot);
    bool nan = false;
    for (size_t i = 0; i < n; i++)
        nan = nan || sums[i] != sums[i];
    for (size_t i = 0; nan && i < n; i += GF_CPU_COLUMNS)
        reduce_column_group(p, context, item * workspaces->side_by_side + i / GF_CPU_COLUMNS, slot);
    struct gf_partial partial = gf_partial_empty();
    for (size_t i = 0; !nan && i < n; i++) {
        partial.tree_sum = sums[i];
        gf_cpu_reduce_emit(p, first + i, &partial);
    }
}

enum gf_status gf_cpu_reduce_columns(struct gf_cpu_reduction *p, struct gf_error *err)
{
    void *scratch;
    uint64_t threads = gf_cpu_pool_threads(p->call->pool);
    enum gf_status status =
        gf_cpu_scratch_get(p->call, threads * (sizeof(struct workspace) + sizeof(struct sums)), &scratch, err);
    if (status != GF_OK)
        return status;
    uint64_t column_groups = (p->r.sequences - 1) / GF_CPU_COLUMNS + 1, share = (column_groups - 1) / threads + 1;
    struct workspaces workspaces = {.column_groups = scratch,
                                    .side_by_side = share < COLUMN_GROUPS ? share : COLUMN_GROUPS};
    workspaces.sums = (struct sums *)(void *)(workspaces.column_groups + threads);
    if (p->r.want == (GF_WANT_NAN | GF_WANT_TREE_SUM) && p->r.dtype == p->call->in[0].view.dtype)
        gf_cpu_reduce_each(p, reduce_sums, &workspaces, (column_groups - 1) / workspaces.side_by_side + 1, 1);
    else
        gf_cpu_reduce_each(p, reduce_column_group, &workspaces, column_groups, 1);
    return GF_OK;
}

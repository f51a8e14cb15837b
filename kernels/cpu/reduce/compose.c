/* SPDX-License-Identifier: MIT */
/*
 * affine and matmul2 of reduce on the CPU (docs/numerics.md, "affine, matmul2"). Along a line, each chunk of 4096
 * elements is composed to one, then each 4096 results, until the line has one result. Down columns, 64 rows are
 * composed at a time, many columns side by side. Called by reduction.c.
 */
#include "kernels/shared/compose.h"

#include <string.h>

#include "reduction.h"

/* The number of levels: 64^7 is more than GF_MAX_ELEMENTS. */
#define LEVELS 8u

/* One level of all lines: elements or the previous level's results in, one result per chunk out. */
struct level {
    const double *in; /* NULL: read the data */
    double *out;
    uint64_t n, chunks; /* elements and chunks per line */
};

/* A thread's workspace for columns. */
struct workspace {
    double x[GF_CPU_COLUMNS * GF_MAX_CHANNELS];
    double acc[LEVELS][GF_CPU_COLUMNS * GF_MAX_CHANNELS];
    uint32_t filled[LEVELS]; /* results composed into the level's accumulator */
};

void gf_cpu_compose_store(struct gf_cpu_reduction *p, uint64_t line, const double *v)
{
    uint32_t channels = p->call->in[0].view.channels;
    for (uint32_t c = 0; c < channels; c++) {
        uint64_t sample = line * channels + c;
        gf_reduce_put(&p->target, 0, sample % p->target.row, sample / p->target.row, gf_reduced_f64(v[c]));
    }
}

/* Reads n elements of a line from index `at` on. */
static void read_line(const struct gf_cpu_reduction *p, uint64_t line, uint64_t at, size_t n, double *x)
{
    const struct gf_buf *in = &p->call->in[0];
    const struct gf_view *v = &in->view;
    bool rows = p->r.axis == GF_AXIS_ROWS;
    uint64_t y = rows ? line : at / v->width, from = rows ? at : at % v->width;
    size_t pixel = gf_dtype_size(v->dtype) * v->channels;
    for (size_t done = 0; done < n; y++, from = 0) {
        uint64_t left = v->width - from;
        size_t take = n - done < left ? n - done : (size_t)left;
        p->call->simd->samples->widen(v->dtype, (const char *)in->data + y * v->pitch + from * pixel, 1,
                                      take * v->channels, x + done * v->channels, NULL);
        done += take;
    }
}

void gf_cpu_compose_chunk(const struct gf_cpu_reduction *p, uint64_t line, uint64_t at, const double *in, uint64_t n,
                          double *ret)
{
    uint32_t channels = p->call->in[0].view.channels;
    double x[GF_TREE_LANES * GF_MAX_CHANNELS], row[GF_MAX_CHANNELS];
    for (uint64_t i = 0; i < n; i += GF_TREE_LANES) {
        size_t take = n - i < GF_TREE_LANES ? (size_t)(n - i) : GF_TREE_LANES;
        if (!in)
            read_line(p, line, at + i, take, x);
        p->call->simd->reduce->compose(channels, in ? in + i * channels : x, take, i == 0 ? ret : row);
        if (i > 0)
            p->call->simd->reduce->compose_each(channels, ret, row, 1);
    }
}

/* Item: a chunk of a line. */
static void compose_chunk(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct level *level = context;
    uint32_t channels = p->call->in[0].view.channels;
    uint64_t line = item / level->chunks, at = item % level->chunks * GF_TREE_CHUNK;
    uint64_t n = level->n - at < GF_TREE_CHUNK ? level->n - at : GF_TREE_CHUNK;
    double acc[GF_MAX_CHANNELS];
    (void)slot;
    gf_cpu_compose_chunk(p, line, at, level->in ? level->in + (line * level->n + at) * channels : NULL, n, acc);
    if (level->chunks == 1)
        gf_cpu_compose_store(p, line, acc);
    else
        memcpy(level->out + item * channels, acc, channels * sizeof(*acc));
}

static enum gf_status compose_lines(struct gf_cpu_reduction *p, struct gf_error *err)
{
    uint64_t lines = p->r.axis == GF_AXIS_ROWS ? p->call->in[0].view.height : 1, bytes;
    uint32_t channels = p->call->in[0].view.channels;
    struct level level = {.n = p->r.n, .chunks = gf_cpu_tree_chunks(p->r.n)};
    void *scratch;
    if (!gf_mul_u64(level.chunks + gf_cpu_tree_chunks(level.chunks), lines * channels * sizeof(double), &bytes))
        return gf_error_set(err, GF_E_NO_MEMORY, "%s: scratch memory too large", p->call->step->op->name);
    enum gf_status status = gf_cpu_scratch_get(p->call, bytes, &scratch, err);
    if (status != GF_OK)
        return status;
    double *workspaces[2] = {scratch, (double *)scratch + level.chunks * lines * channels};
    for (uint32_t i = 0;; i++) {
        level.out = workspaces[i % 2];
        gf_cpu_reduce_each(p, compose_chunk, &level, level.chunks * lines, 8);
        if (level.chunks == 1 || p->stop.reason != GF_OK)
            return GF_OK;
        level = (struct level){.in = level.out, .n = level.chunks, .chunks = gf_cpu_tree_chunks(level.chunks)};
    }
}

/* Composes n columns' elements x into the accumulator of a level; the first ones are copied. */
static void push(const struct gf_cpu_reduction *p, struct workspace *workspace, uint32_t level, const double *x,
                 size_t n)
{
    uint32_t channels = p->call->in[0].view.channels;
    if (workspace->filled[level]++ == 0)
        memcpy(workspace->acc[level], x, n * channels * sizeof(*x));
    else
        p->call->simd->reduce->compose_each(channels, workspace->acc[level], x, n);
}

/* Item: a group of columns. Level 0 composes rows, level 1 the results of 64 rows, and so on. */
static void compose_column_group(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    struct workspace *workspace = (struct workspace *)context + slot;
    const struct gf_buf *in = &p->call->in[0];
    const struct gf_view *v = &in->view;
    uint64_t first = item * GF_CPU_COLUMNS;
    size_t n = v->width - first < GF_CPU_COLUMNS ? (size_t)(v->width - first) : GF_CPU_COLUMNS;
    size_t skip = (size_t)first * v->channels * gf_dtype_size(v->dtype);
    memset(workspace->filled, 0, sizeof(workspace->filled));
    for (uint64_t y = 0; y < v->height; y++) {
        p->call->simd->samples->widen(v->dtype, (const char *)in->data + y * v->pitch + skip, 1, n * v->channels,
                                      workspace->x, NULL);
        push(p, workspace, 0, workspace->x, n);
        for (uint32_t level = 0; workspace->filled[level] == GF_TREE_ROWS; level++) {
            push(p, workspace, level + 1, workspace->acc[level], n);
            workspace->filled[level] = 0;
        }
    }
    uint32_t top = LEVELS - 1;
    while (workspace->filled[top] == 0)
        top--;
    for (uint32_t level = 0; level < top; level++)
        if (workspace->filled[level] > 0)
            push(p, workspace, level + 1, workspace->acc[level], n);
    for (size_t i = 0; i < n; i++)
        gf_cpu_compose_store(p, first + i, workspace->acc[top] + i * v->channels);
}

enum gf_status gf_cpu_compose(struct gf_cpu_reduction *p, struct gf_error *err)
{
    if (p->r.axis != GF_AXIS_COLS)
        return compose_lines(p, err);
    void *scratch;
    uint64_t workspaces = (uint64_t)gf_cpu_pool_threads(p->call->pool) * sizeof(struct workspace);
    enum gf_status status = gf_cpu_scratch_get(p->call, workspaces, &scratch, err);
    if (status == GF_OK)
        gf_cpu_reduce_each(p, compose_column_group, scratch, (p->call->in[0].view.width - 1) / GF_CPU_COLUMNS + 1, 1);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* Scans of columns. A task takes a chunk of neighbouring columns from the first row to the last. */
#include <math.h>
#include <string.h>

#include "scan_lines.h"

#define COLUMN_CHUNK 256u /* columns per task, at most */

/* The state of a chunk of columns. */
struct column_chunk {
    union gf_scan_value x[COLUMN_CHUNK], s[COLUMN_CHUNK],
        prefix[COLUMN_CHUNK]; /* x: the current row; s: the running results of an exact scan, or the tree's running
                                 values within a row chunk; prefix: the tree's value before the row chunk */
};

struct column_chunks {
    struct gf_cpu_scan *run;
    uint64_t columns, n_tasks;
};

static uint64_t row_of(const struct gf_scan *scan, uint64_t index)
{
    return scan->reverse ? scan->height - 1 - index : index;
}

static void load_row(const struct gf_cpu_scan *run, uint64_t first, size_t n, uint64_t index, union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    const char *row = (const char *)scan->src + row_of(scan, index) * scan->src_pitch;
    run->call->simd->samples->load_values(scan->in, row + first * gf_dtype_size(scan->in), 1, n, x);
    gf_cpu_scan_prepare(scan, x, n);
    if (index == 0 && scan->what == GF_SCAN_AFFINE && scan->started)
        for (size_t i = 0; i < n; i++)
            x[i].f = fma(scan->a, scan->init.f, x[i].f);
}

static void store_row(const struct gf_cpu_scan *run, uint64_t first, size_t n, uint64_t index,
                      const union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    char *row = (char *)scan->dst + row_of(scan, index) * scan->dst_pitch;
    run->call->simd->samples->store_values(scan->out, x, n, row + first * gf_dtype_size(scan->out), 1);
}

/* Scans one row: x holds its elements, and afterwards its results. */
static void tree_row(const struct gf_cpu_scan *run, struct column_chunk *column_chunk, size_t n, uint64_t index)
{
    uint32_t j = (uint32_t)(index % GF_SCAN_ROW_CHUNK);
    const double *init = run->scan.started ? &run->scan.init.f : NULL;
    run->simd->row_chunk(run->scan.what, &run->factors, j, index >= GF_SCAN_ROW_CHUNK ? &column_chunk->prefix->f : NULL,
                         init, &column_chunk->s->f, &column_chunk->x->f, n);
    if (j + 1 < GF_SCAN_ROW_CHUNK)
        return;
    if (index >= GF_SCAN_ROW_CHUNK)
        run->simd->row_chunk_end(run->scan.what, &run->factors, &column_chunk->s->f, &column_chunk->prefix->f, n);
    else
        memcpy(column_chunk->prefix, column_chunk->s, n * sizeof(*column_chunk->s));
}

static void exact_row(struct gf_cpu_scan *run, struct column_chunk *column_chunk, uint64_t first, size_t n,
                      uint64_t index)
{
    uint64_t shift = run->scan.exclusive;
    size_t fit = run->simd->run_across(run->scan.what, run->scan.in, &run->limits, column_chunk->s, column_chunk->x, n);
    if (fit < n && index + shift < run->scan.height)
        gf_cpu_scan_overflow(run, first + fit, index + shift);
}

static void scan_column_chunk(struct gf_cpu_scan *run, uint64_t first, size_t n)
{
    const struct gf_scan *scan = &run->scan;
    struct column_chunk column_chunk;
    for (size_t i = 0; i < n; i++) {
        column_chunk.s[i] = scan->started && scan->what != GF_SCAN_AFFINE ? scan->init : scan->absent;
        column_chunk.x[i] = scan->first;
    }
    if (scan->exclusive)
        store_row(run, first, n, 0, column_chunk.x);
    for (uint64_t index = 0; index + scan->exclusive < scan->height; index++) {
        if (index % GF_SCAN_ROW_CHUNK == 0 && gf_cpu_stopped(&run->stop))
            return;
        load_row(run, first, n, index, column_chunk.x);
        if (run->tree)
            tree_row(run, &column_chunk, n, index);
        else
            exact_row(run, &column_chunk, first, n, index);
        store_row(run, first, n, index + scan->exclusive, column_chunk.x);
    }
}

static void column_chunk_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct column_chunks *column_chunks = context;
    uint64_t first = column_chunks->columns * task / column_chunks->n_tasks,
             end = column_chunks->columns * (task + 1) / column_chunks->n_tasks;
    for (; first < end; first += COLUMN_CHUNK)
        scan_column_chunk(column_chunks->run, first, end - first < COLUMN_CHUNK ? (size_t)(end - first) : COLUMN_CHUNK);
}

void gf_cpu_scan_columns(struct gf_cpu_scan *run)
{
    struct column_chunks column_chunks = {.run = run, .columns = run->scan.width * run->scan.channels};
    uint64_t threads = gf_cpu_pool_threads(run->call->pool),
             full = (column_chunks.columns + COLUMN_CHUNK - 1) / COLUMN_CHUNK;
    uint64_t limit = column_chunks.columns < threads ? column_chunks.columns : threads;
    column_chunks.n_tasks = full < limit ? limit : full < 16 * threads ? full : 16 * threads;
    gf_cpu_pool_run(run->call->pool, column_chunk_task, &column_chunks, (uint32_t)column_chunks.n_tasks);
}

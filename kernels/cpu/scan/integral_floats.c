/* SPDX-License-Identifier: MIT */
/*
 * The integral image of f32 by row chunks. With several threads, a first pass computes the values above each row chunk
 * from the sums of the row chunks before it; then every row chunk is computed from its first row to its last, one group
 * of columns after the other. With one thread, the row chunks follow each other in one pass. Called by integral.c.
 */
#include "integral.h"

#include <string.h>

#include "kernels/cpu/simd/simd_samples.h"
#include "protocol/ops/params/integral.h"
#include "simd_scan.h"

#define GROUP (GF_SCAN_GROUP * GF_SCAN_ROW)       /* pixels */
#define BLOCKS (GF_MAX_SIDE / GF_SCAN_BLOCK + 1u) /* blocks per row, at most; fewer than a group of blocks */

/* A thread's workspace. */
struct workspace {
    _Alignas(64) double sums[GF_MAX_CHANNELS][GROUP];
    double results[GROUP];
    float samples[GROUP];
    struct gf_cpu_line_sums lines[GF_SCAN_ROW_CHUNK][GF_MAX_CHANNELS];
    double aggregates[GF_SCAN_ROW_CHUNK][GF_MAX_CHANNELS][BLOCKS]; /* of the blocks already passed */
};

struct row_chunks {
    const struct gf_cpu_call *call;
    const struct gf_buf *out;
    struct workspace *workspaces; /* one per thread */
    double *above; /* a row per row chunk: for each group of columns its channels, GROUP doubles each. With one thread a
                      single row, shared by all row chunks */
    size_t stride; /* doubles per row of `above` */
    uint32_t n;
    struct gf_cpu_stop stop;
    bool stream;
};

/* A group of columns of a row chunk. */
struct column_group {
    const struct row_chunks *s;
    struct workspace *workspace;
    uint64_t y, end, x;
    size_t pixels;
    const double *above; /* NULL: only sums, no results */
};

/* I1[n - 1] of the tree, docs/numerics.md, "Trees of scans": the five steps over the aggregates of n blocks, n > 0. */
static double before_block(const double *aggregates, size_t n)
{
    double u[BLOCKS];
    memcpy(u, aggregates, n * sizeof(*u));
    for (size_t d = 1; d < n; d *= 2)
        for (size_t i = n - 1; i >= d; i--)
            u[i] = u[i - d] + u[i];
    return u[n - 1];
}

/* Sets the state of a line at the beginning of a block. */
static void begin_block(const struct column_group *t, size_t row, uint32_t channel)
{
    struct gf_cpu_line_sums *line = &t->workspace->lines[row][channel];
    double *aggregates = t->workspace->aggregates[row][channel];
    size_t block = (size_t)(t->x / GF_SCAN_BLOCK);
    if (block > 0)
        aggregates[block - 1] = line->end;
    line->before = block > 0 ? before_block(aggregates, block) : -0.0;
    line->end = -0.0;
}

static const char *source_of(const struct column_group *t, uint64_t y)
{
    const struct gf_buf *in = &t->s->call->in[0];
    return (const char *)in->data + y * in->view.pitch + t->x * in->view.channels * sizeof(float);
}

static char *result_of(const struct column_group *t, uint64_t y)
{
    const struct gf_buf *out = t->s->out;
    return (char *)out->data + y * out->view.pitch + t->x * out->view.channels * gf_dtype_size(out->view.dtype);
}

/* Prefetches the next row: rows are too far apart for the hardware prefetcher. */
static void prefetch(const struct column_group *t, uint64_t y)
{
    const struct gf_view *view = &t->s->out->view;
    size_t n = t->pixels * view->channels, read = n * sizeof(float), written = n * gf_dtype_size(view->dtype);
    const char *src = source_of(t, y), *dst = result_of(t, y);
    gf_cpu_prefetch(src, read);
    if (t->above && !t->s->stream)
        for (size_t at = 0; at < written; at += GF_CPU_LINE)
            __builtin_prefetch(dst + at, 1);
}

static void store(const struct column_group *t, uint64_t y, uint32_t channel)
{
    const struct gf_view *view = &t->s->out->view;
    const double *from = t->workspace->results;
    void *dst = result_of(t, y);
    if (view->dtype == GF_F32)
        for (size_t i = 0; i < t->pixels; i++)
            ((float *)dst)[i * view->channels + channel] = (float)from[i];
    else if (view->channels > 1)
        for (size_t i = 0; i < t->pixels; i++)
            ((double *)dst)[i * view->channels + channel] = from[i];
    else if (t->s->stream)
        t->s->call->simd->scan->put(from, t->pixels, dst);
    else
        memcpy(dst, from, t->pixels * sizeof(*from));
}

static void run_line(const struct column_group *t, uint64_t y, uint32_t channel)
{
    const struct gf_cpu_call *call = t->s->call;
    const float *src = (const float *)(const void *)source_of(t, y);
    size_t row = (size_t)(y - t->y), channels = call->in[0].view.channels;
    struct gf_cpu_group group = {.line = &t->workspace->lines[row][channel],
                                 .square = gf_integral_params_get(&call->step->params).square != 0,
                                 .sums = t->workspace->sums[channel]};
    if (t->above) {
        group.above = t->above + channel * GROUP;
        group.out = t->workspace->results;
    }
    if (t->x % GF_SCAN_BLOCK == 0)
        begin_block(t, row, channel);
    for (size_t i = 0; channels > 1 && i < t->pixels; i++)
        t->workspace->samples[i] = src[i * channels + channel];
    call->simd->scan->add_group(&group, channels > 1 ? t->workspace->samples : src, t->pixels);
    if (t->above)
        store(t, y, channel);
}

static void run_row_chunk(struct row_chunks *s, uint32_t row_chunk, uint32_t slot, const double *above, double *below)
{
    const struct gf_view *view = &s->call->in[0].view;
    size_t channels = view->channels, n = channels * GROUP;
    struct column_group t = {.s = s, .workspace = s->workspaces + slot, .y = (uint64_t)row_chunk * GF_SCAN_ROW_CHUNK};
    double *sums = t.workspace->sums[0];
    t.end = view->height - t.y < GF_SCAN_ROW_CHUNK ? view->height : t.y + GF_SCAN_ROW_CHUNK;
    for (size_t at = 0; t.x < view->width && !gf_cpu_stopped(&s->stop); t.x += GROUP, at += n) {
        t.pixels = view->width - t.x < GROUP ? (size_t)(view->width - t.x) : GROUP;
        t.above = above ? above + at : NULL;
        for (size_t i = 0; i < n; i++)
            sums[i] = -0.0;
        for (uint64_t y = t.y; y < t.end; y++) {
            if (y + 1 < t.end)
                prefetch(&t, y + 1);
            for (uint32_t c = 0; c < channels; c++)
                run_line(&t, y, c);
        }
        for (size_t i = 0; below && i < n; i++)
            below[at + i] = (above ? above[at + i] : -0.0) + sums[i];
    }
}

/* Sums a row chunk, without results, for the row chunk below it. */
static void sum_row_chunk(void *context, uint32_t row_chunk, uint32_t slot)
{
    struct row_chunks *s = context;
    run_row_chunk(s, row_chunk, slot, NULL, s->above + (row_chunk + (size_t)1) * s->stride);
}

static void write_row_chunk(void *context, uint32_t row_chunk, uint32_t slot)
{
    struct row_chunks *s = context;
    run_row_chunk(s, row_chunk, slot, s->above + row_chunk * s->stride, NULL);
}

/* Runs in order on one thread: `above` goes from row chunk to row chunk. */
static void write_next_row_chunk(void *context, uint32_t row_chunk, uint32_t slot)
{
    struct row_chunks *s = context;
    run_row_chunk(s, row_chunk, slot, s->above, s->above);
}

static void run_row_chunks(struct row_chunks *s)
{
    struct gf_cpu_pool *pool = s->call->pool;
    for (size_t i = 0; i < s->stride; i++)
        s->above[i] = -0.0;
    if (gf_cpu_pool_threads(pool) == 1) {
        gf_cpu_pool_run(pool, write_next_row_chunk, s, s->n);
        return;
    }
    gf_cpu_pool_run(pool, sum_row_chunk, s, s->n - 1);
    for (size_t i = s->stride; i < s->n * s->stride; i++)
        s->above[i] = s->above[i - s->stride] + s->above[i];
    gf_cpu_pool_run(pool, write_row_chunk, s, s->n);
}

enum gf_status gf_cpu_integral_floats(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    uint32_t threads = gf_cpu_pool_threads(call->pool);
    struct row_chunks s = {
        .call = call, .out = out, .stop = {.job = call->job}, .stream = gf_view_bytes(&out->view) >= GF_STREAM_BYTES};
    void *scratch;
    s.n = (uint32_t)((view->height + GF_SCAN_ROW_CHUNK - 1) / GF_SCAN_ROW_CHUNK);
    s.stride = (size_t)((view->width + GROUP - 1) / GROUP) * view->channels * GROUP;
    size_t above = (threads == 1 ? 1 : s.n) * s.stride * sizeof(*s.above);
    enum gf_status status = gf_cpu_scratch_get(call, threads * sizeof(*s.workspaces) + above, &scratch, err);
    if (status != GF_OK)
        return status;
    s.workspaces = scratch;
    s.above = (double *)(void *)(s.workspaces + threads);
    run_row_chunks(&s);
    return gf_cpu_stop_error(call, &s.stop, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * The integral image of bytes in u32, in three passes over row chunks: sum the columns of every row chunk, turn the
 * sums into the result row above each row chunk, then compute every row from the row above it. Called by integral.c.
 */
#include "integral.h"

#include <string.h>

#include "simd_scan.h"

#define CHUNKS_PER_THREAD 2u
/* Bytes of a result below which a second thread gains less than reading the source twice and waking the thread cost. */
#define TWO_THREADS_BYTES ((uint64_t)16 << 20)

struct row_chunks {
    const struct gf_cpu_call *call;
    const struct gf_buf *out;
    uint32_t *above; /* one row per row chunk */
    size_t samples;  /* samples per row */
    uint64_t height; /* rows per row chunk */
    uint32_t n;
    struct gf_cpu_stop stop;
};

static const unsigned char *source_row(const struct row_chunks *b, uint64_t y)
{
    const struct gf_buf *in = &b->call->in[0];
    return (const unsigned char *)in->data + (size_t)y * (size_t)in->view.pitch;
}

static uint64_t row_chunk_end(const struct row_chunks *b, uint32_t row_chunk)
{
    uint64_t end = (row_chunk + (uint64_t)1) * b->height, height = b->call->in[0].view.height;
    return end < height ? end : height;
}

/* Sums the columns of a row chunk into the row of `above` for the next row chunk. */
static void sum_row_chunk(void *context, uint32_t row_chunk, uint32_t slot)
{
    struct row_chunks *b = context;
    (void)slot;
    for (uint64_t y = row_chunk * b->height; y < row_chunk_end(b, row_chunk) && !gf_cpu_stopped(&b->stop); y++)
        b->call->simd->scan->add_bytes(source_row(b, y), b->samples, b->above + (row_chunk + (size_t)1) * b->samples);
}

/* Turns the column sums into the result row above each row chunk. */
static void put_rows_above(const struct row_chunks *b)
{
    uint32_t channels = b->call->in[0].view.channels;
    for (size_t row_chunk = 1; row_chunk < b->n; row_chunk++) {
        uint32_t *row = b->above + row_chunk * b->samples, sums[GF_MAX_CHANNELS] = {0};
        for (size_t x = 0; x < b->samples; x += channels)
            for (uint32_t c = 0; c < channels; c++) {
                sums[c] += row[x + c];
                row[x + c] = row[x + c - b->samples] + sums[c];
            }
    }
}

static void write_row_chunk(void *context, uint32_t row_chunk, uint32_t slot)
{
    struct row_chunks *b = context;
    const void *above = b->above + row_chunk * b->samples;
    (void)slot;
    for (uint64_t y = row_chunk * b->height; y < row_chunk_end(b, row_chunk) && !gf_cpu_stopped(&b->stop); y++) {
        void *row = (unsigned char *)b->out->data + (size_t)y * (size_t)b->out->view.pitch;
        b->call->simd->scan->integral(source_row(b, y), b->call->in[0].view.channels, b->samples, above, row);
        above = row;
    }
}

enum gf_status gf_cpu_integral_bytes(const struct gf_cpu_call *call, const struct gf_buf *out, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    uint32_t threads = gf_cpu_pool_threads(call->pool);
    bool alone = threads == 1 || (threads == 2 && gf_view_bytes(&out->view) < TWO_THREADS_BYTES);
    uint32_t row_chunks = alone ? 1 : threads * CHUNKS_PER_THREAD;
    struct row_chunks b = {
        .call = call, .out = out, .stop = {.job = call->job}, .samples = (size_t)(view->width * view->channels)};
    void *scratch;
    b.height = (view->height + row_chunks - 1) / row_chunks;
    b.n = (uint32_t)((view->height + b.height - 1) / b.height);
    size_t bytes = b.n * b.samples * sizeof(*b.above);
    enum gf_status status = gf_cpu_scratch_get(call, bytes, &scratch, err);
    if (status != GF_OK)
        return status;
    b.above = scratch;
    memset(b.above, 0, bytes);
    gf_cpu_pool_run(call->pool, sum_row_chunk, &b, b.n - 1);
    put_rows_above(&b);
    gf_cpu_pool_run(call->pool, write_row_chunk, &b, b.n);
    return gf_cpu_stop_error(call, &b.stop, err);
}

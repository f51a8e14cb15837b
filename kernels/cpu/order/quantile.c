/* SPDX-License-Identifier: MIT */
/*
 * quantile on the CPU. Short sequences are processed by one thread each, in the thread's own memory; long ones one
 * after the other, by all threads (ranks_long.c). Called through the op's row.
 */
#include <string.h>

#include "kernels/shared/segments.h"
#include "protocol/ops/params/quantile.h"
#include "ranks.h"

/* Samples per task, and the fixed cost of a sequence in samples. */
#define TASK_SAMPLES 65536u
#define SEQUENCE_SAMPLES 256u
#define COLUMNS 8u /* neighbouring columns that are loaded together, at most */

struct quantiles {
    const struct gf_cpu_call *call;
    struct gf_quantile_params p;
    uint64_t n_lines; /* rows, columns, segments, or one; a line has one sequence per channel */
    uint64_t grain;   /* lines per task */
    uint64_t *keys;   /* GF_CPU_FEW_KEYS per thread */
    struct gf_cpu_stop stop;
};

static struct gf_cpu_line line_of(const struct quantiles *q, uint64_t index, uint32_t channel)
{
    const struct gf_view *v = &q->call->in[0].view;
    struct gf_cpu_line line = {.buf = &q->call->in[0], .channel = channel, .n = v->width * v->height};
    if (q->call->in[1].data != NULL) {
        line.first = gf_segments_at(&q->call->in[1], index);
        line.n = gf_segments_at(&q->call->in[1], index + 1) - line.first;
    } else if (q->p.axis == GF_AXIS_ROWS) {
        line.first = index * v->width;
        line.n = v->width;
    } else if (q->p.axis == GF_AXIS_COLS) {
        line =
            (struct gf_cpu_line){.buf = line.buf, .channel = channel, .first = index, .n = v->height, .column = true};
    }
    return line;
}

static uint64_t key_at(const struct gf_cpu_ranks *ranks, uint64_t rank)
{
    uint32_t r = 0;
    while (ranks->rank[r] != rank)
        r++;
    return ranks->key[r];
}

/* Stores the quantiles of n elements, `nans` of which are NaN. */
static void store(const struct quantiles *q, uint64_t index, uint32_t channel, uint64_t n, uint64_t nans,
                  const struct gf_cpu_ranks *ranks)
{
    const struct gf_buf *out = &q->call->out[0];
    const bool down = q->p.axis == GF_AXIS_COLS || q->call->in[1].data != NULL; /* one row per q */
    const uint32_t dtype = q->call->in[0].view.dtype, bits = (uint32_t)gf_dtype_size(dtype) * 8;
    for (uint32_t i = 0; i < q->p.q.n; i++) {
        double v = (double)NAN;
        if (n > nans && (nans == 0 || q->p.nan == GF_NAN_OMIT)) {
            const struct gf_quantile_place place = gf_quantile_place(q->p.method, q->p.q.v[i], n - nans);
            v = gf_quantile_between(dtype, bits, key_at(ranks, place.lower), key_at(ranks, place.upper), place.weight);
        }
        const uint64_t y = down ? i : index, x = down ? index : i;
        memcpy((char *)out->data + y * out->view.pitch + (x * out->view.channels + channel) * sizeof(v), &v, sizeof(v));
    }
}

/* Finds the quantiles of a line whose keys are loaded. */
static void do_short(const struct quantiles *q, uint64_t index, const struct gf_cpu_line *line, uint64_t *keys)
{
    const uint32_t dtype = line->buf->view.dtype, bits = (uint32_t)gf_dtype_size(dtype) * 8;
    const uint64_t nan = UINT64_MAX >> (64 - bits);
    struct gf_cpu_ranks ranks;
    uint64_t nans = 0;
    for (uint64_t i = 0; gf_is_float(dtype) && i < line->n; i++)
        nans += keys[i] == nan;
    gf_cpu_ranks_of(&q->p, line->n - nans, &ranks);
    if (ranks.n > 0)
        gf_cpu_ranks_narrow(keys, line->n, bits, &ranks);
    store(q, index, line->channel, line->n, nans, &ranks);
}

/* Processes one channel of a line, or of as many neighbouring columns up to `end` as have room for their keys. Returns
 * how many lines. */
static uint64_t do_lines(const struct quantiles *q, uint64_t index, uint64_t end, uint32_t channel, uint64_t *keys)
{
    struct gf_cpu_line line = line_of(q, index, channel);
    if (line.n > GF_CPU_FEW_KEYS)
        return 1;
    if (!line.column) {
        gf_cpu_keys_load(&line, 0, line.n, keys);
        do_short(q, index, &line, keys);
        return 1;
    }
    const uint64_t n = gf_min_u64(gf_min_u64(COLUMNS, GF_CPU_FEW_KEYS / line.n), end - index);
    gf_cpu_keys_load_columns(&line, n, keys);
    for (uint64_t k = 0; k < n; k++)
        do_short(q, index + k, &line, keys + k * line.n);
    return n;
}

static void run_short(void *context, uint32_t task, uint32_t thread)
{
    struct quantiles *q = context;
    const uint64_t start = task * q->grain, end = q->n_lines - start < q->grain ? q->n_lines : start + q->grain;
    uint64_t n = 1;
    for (uint64_t i = start; i < end && !gf_cpu_stopped(&q->stop); i += n)
        for (uint32_t c = 0; c < q->call->in[0].view.channels; c++)
            n = do_lines(q, i, end, c, q->keys + (size_t)thread * GF_CPU_FEW_KEYS);
}

static enum gf_status run_long(struct quantiles *q, struct gf_error *err)
{
    const uint32_t channels = q->call->in[0].view.channels;
    for (uint64_t i = 0; i < q->n_lines && q->stop.reason == GF_OK; i++) {
        struct gf_cpu_line lines[GF_MAX_CHANNELS];
        struct gf_cpu_ranks ranks[GF_MAX_CHANNELS];
        uint64_t nans[GF_MAX_CHANNELS];
        for (uint32_t c = 0; c < channels; c++)
            lines[c] = line_of(q, i, c);
        if (lines[0].n <= GF_CPU_FEW_KEYS)
            continue;
        enum gf_status status = gf_cpu_ranks_long(q->call, lines, channels, &q->stop, ranks, nans, err);
        if (status != GF_OK)
            return status;
        for (uint32_t c = 0; c < channels && q->stop.reason == GF_OK; c++)
            store(q, i, c, lines[c].n, nans[c], &ranks[c]);
    }
    return GF_OK;
}

/* Lines per task: about TASK_SAMPLES samples, and few enough tasks for 32 bits. */
static uint64_t grain_of(const struct quantiles *q)
{
    const uint64_t samples = gf_view_samples(&q->call->in[0].view);
    uint64_t grain = TASK_SAMPLES / (samples / q->n_lines + SEQUENCE_SAMPLES) + 1;
    while ((q->n_lines - 1) / grain >= UINT32_MAX)
        grain *= 2;
    return grain;
}

enum gf_status gf_cpu_quantile(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *v = &call->in[0].view;
    struct quantiles q = {
        .call = call, .p = gf_quantile_params_get(&call->step->params), .n_lines = 1, .stop = {.job = call->job}};
    const uint32_t threads = gf_cpu_pool_threads(call->pool);
    void *keys = NULL;
    enum gf_status status = GF_OK;
    if (call->in[1].data != NULL) {
        q.n_lines = call->in[1].view.width - 1;
        status = gf_segments_check(call->step->op, 1, &call->in[1], v->width * v->height, false, err);
    } else if (q.p.axis != GF_AXIS_ALL) {
        q.n_lines = q.p.axis == GF_AXIS_ROWS ? v->height : v->width;
    }
    if (status == GF_OK)
        status = gf_cpu_scratch_get(call, (uint64_t)threads * GF_CPU_FEW_KEYS * sizeof(*q.keys), &keys, err);
    if (status != GF_OK)
        return status;
    q.keys = keys;
    q.grain = grain_of(&q);
    gf_cpu_pool_run(call->pool, run_short, &q, (uint32_t)((q.n_lines - 1) / q.grain + 1));
    status = run_long(&q, err);
    return status == GF_OK ? gf_cpu_stop_error(call, &q.stop, err) : status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reductions of whole channels and of rows: every chunk of 4096 elements is reduced to a partial, then 4096 partials to
 * one until one is left. The partials of a level are ordered by chunk, then by sequence. Called by reduction.c.
 */
#include "reduction.h"

#include "kernels/cpu/device/tiles.h"

/* Samples per task. */
#define TASK_SAMPLES 65536u

/* A thread's workspace: one widened chunk. */
struct workspace {
    double x[GF_TREE_CHUNK], y[GF_TREE_CHUNK];
    int64_t keys[GF_TREE_CHUNK], others[GF_TREE_CHUNK];
};

/* One level: partials in, partials out. The first level reads the data; its `in` is NULL. */
struct level {
    const uint64_t *in;
    uint64_t *out;
    uint64_t n, chunks; /* elements and chunks per sequence at this level */
    struct workspace *workspaces;
    uint64_t groups; /* at the first level, the number of rows that are sequences of their own, or 1 */
};

/* A position in one channel of a buffer, from which elements are read row by row. */
struct walk {
    const struct gf_buf *buf;
    uint64_t width, y, x; /* width: elements per row, or all elements if rows are contiguous */
    uint32_t channel;
};

static struct walk walk_to(const struct gf_buf *buf, uint32_t axis, uint64_t row, uint64_t at, uint32_t channel)
{
    struct walk w = {buf, buf->view.width, row, at, channel};
    if (axis == GF_AXIS_ROWS)
        return w;
    if (gf_cpu_is_tight(buf)) {
        w.width = buf->view.width * buf->view.height;
    } else {
        w.y = at / w.width;
        w.x = at % w.width;
    }
    return w;
}

static void widen_chunk(const struct gf_simd *simd, struct walk w, size_t n, double *x, int64_t *keys)
{
    const struct gf_view *view = &w.buf->view;
    size_t size = gf_dtype_size(view->dtype);
    for (size_t done = 0; done < n; w.y++, w.x = 0) {
        uint64_t left = w.width - w.x;
        size_t take = n - done < left ? n - done : (size_t)left;
        const char *p = (const char *)w.buf->data + w.y * view->pitch + (w.x * view->channels + w.channel) * size;
        simd->samples->widen(view->dtype, p, view->channels, take, x ? x + done : NULL, keys ? keys + done : NULL);
        done += take;
    }
}

static void put_partial(struct gf_cpu_reduction *p, const struct level *level, uint64_t chunk, uint64_t sequence,
                        const struct gf_partial *partial)
{
    if (level->chunks == 1)
        gf_cpu_reduce_emit(p, sequence, partial);
    else
        gf_partial_store(p->r.want, level->out, level->chunks * p->r.sequences, chunk * p->r.sequences + sequence,
                         partial);
}

/* Computes a whole chunk of one channel if only a sum or a dot product is wanted, without widening it first. Returns
 * false if the chunk is not of that kind, or if the result is NaN and the elements must be checked one by one. */
static bool reduce_directly(const struct gf_cpu_reduction *p, uint64_t row, uint64_t at, size_t n,
                            struct gf_partial *ret)
{
    const struct gf_cpu_call *call = p->call;
    const struct gf_view *view = &call->in[0].view;
    uint32_t want = p->r.want & ~(uint32_t)GF_WANT_NAN;
    if (n < GF_TREE_CHUNK || view->channels > 1 || !gf_is_float(view->dtype) || p->r.dtype != view->dtype ||
        (want != GF_WANT_TREE_SUM && want != GF_WANT_DOT))
        return false;
    const char *from[2] = {NULL, NULL};
    for (uint32_t i = 0; i < (want == GF_WANT_DOT ? 2 : 1); i++) {
        struct walk w = walk_to(&call->in[i], p->r.axis, row, at, 0);
        if (w.width - w.x < n)
            return false;
        from[i] = (const char *)w.buf->data + w.y * w.buf->view.pitch + w.x * gf_dtype_size(view->dtype);
    }
    double v = want == GF_WANT_DOT ? call->simd->reduce->chunk_dot(view->dtype, from[0], from[1])
                                   : call->simd->reduce->chunk_sum(view->dtype, from[0]);
    *ret = gf_partial_empty();
    ret->tree_sum = ret->dot = v;
    return v == v;
}

void gf_cpu_reduce_span(const struct gf_cpu_reduction *p, void *workspaces, uint32_t slot, struct gf_cpu_span span,
                        struct gf_partial *ret_partial)
{
    const struct gf_simd *simd = p->call->simd;
    const struct gf_buf *in = p->call->in;
    struct workspace *workspace = (struct workspace *)workspaces + slot;
    struct gf_cpu_elements s = {.want = p->r.want,
                                .dtype = p->r.dtype,
                                .omit = p->r.omit,
                                .first = span.first,
                                .n = span.n,
                                .x = workspace->x,
                                .y = workspace->y,
                                .keys = workspace->keys};
    double *x = gf_cpu_needs_values(s.want, s.dtype) ? s.x : NULL;
    int64_t *keys = gf_cpu_needs_keys(s.want, s.dtype) ? s.keys : NULL;
    if (reduce_directly(p, span.row, span.at, s.n, ret_partial))
        return;
    widen_chunk(simd, walk_to(&in[0], p->r.axis, span.row, span.at, span.channel), s.n, x, keys);
    if (s.want & GF_WANT_DOT)
        widen_chunk(simd, walk_to(&in[1], p->r.axis, span.row, span.at, span.channel), s.n, s.y, NULL);
    if (s.want & GF_WANT_DIFFERENCES) {
        widen_chunk(simd, walk_to(&in[1], p->r.axis, span.row, span.at, span.channel), s.n, s.y, workspace->others);
        simd->reduce->subtract(in[0].view.dtype, &s, workspace->others);
    }
    simd->reduce->chunk(&s, ret_partial);
}

/* Item: a chunk of all channels. */
static void reduce_chunk(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct level *level = context;
    uint64_t chunk = item / level->groups, row = item % level->groups, at = chunk * GF_TREE_CHUNK;
    uint32_t channels = p->call->in[0].view.channels;
    struct gf_cpu_span span = {row, at, at, GF_TREE_CHUNK, 0};
    if (level->n - at < GF_TREE_CHUNK)
        span.n = (size_t)(level->n - at);
    for (; span.channel < channels; span.channel++) {
        struct gf_partial partial;
        gf_cpu_reduce_span(p, level->workspaces, slot, span, &partial);
        put_partial(p, level, chunk, row * channels + span.channel, &partial);
    }
}

struct gf_partial gf_cpu_reduce_fold(const struct gf_cpu_reduction *p, struct gf_cpu_parts partials)
{
    const bool real = gf_is_float(p->r.dtype);
    struct gf_partial lanes[GF_TREE_LANES];
    uint32_t n_lanes = 1; /* the remaining lanes have no partial */
    while (n_lanes < partials.n && n_lanes < GF_TREE_LANES)
        n_lanes *= 2;
    for (uint32_t i = 0; i < n_lanes; i++)
        lanes[i] = gf_partial_empty();
    for (uint64_t i = 0; i < partials.n; i++) {
        struct gf_partial partial =
            gf_partial_load(p->r.want, partials.words, partials.total, partials.first + i * partials.step);
        if (i < GF_TREE_LANES)
            lanes[i] = partial;
        else
            gf_partial_join(p->r.want, real, &lanes[i % GF_TREE_LANES], &partial);
    }
    for (uint32_t half = n_lanes / 2; half > 0; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            gf_partial_join(p->r.want, real, &lanes[i], &lanes[i + half]);
    return lanes[0];
}

/* Item: a chunk of partials of one sequence, reduced by the tree. */
static void reduce_parts(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct level *level = context;
    uint64_t chunk = item / p->r.sequences, sequence = item % p->r.sequences, at = chunk * GF_TREE_CHUNK;
    uint64_t n = level->n - at < GF_TREE_CHUNK ? level->n - at : GF_TREE_CHUNK;
    struct gf_partial partial =
        gf_cpu_reduce_fold(p, (struct gf_cpu_parts){level->in, level->n * p->r.sequences,
                                                    at * p->r.sequences + sequence, p->r.sequences, n});
    (void)slot;
    put_partial(p, level, chunk, sequence, &partial);
}

uint64_t gf_cpu_reduce_workspace_bytes(const struct gf_cpu_reduction *p)
{
    return (uint64_t)gf_cpu_pool_threads(p->call->pool) * sizeof(struct workspace);
}

/* The words of the partials that a level of `chunks` chunks produces. */
static bool partial_words(const struct gf_cpu_reduction *p, uint64_t chunks, uint64_t *ret)
{
    uint64_t n;
    if (chunks == 1) {
        *ret = 0;
        return true;
    }
    return gf_mul_u64(chunks, p->r.sequences, &n) && gf_mul_u64(n, gf_partial_words(p->r.want), ret);
}

enum gf_status gf_cpu_reduce_sequences(struct gf_cpu_reduction *p, struct gf_error *err)
{
    uint64_t n = p->r.n, chunks = gf_cpu_tree_chunks(n), words, more_words, bytes;
    uint64_t workspaces = gf_cpu_reduce_workspace_bytes(p);
    void *scratch;
    if (!partial_words(p, chunks, &words) || !partial_words(p, gf_cpu_tree_chunks(chunks), &more_words) ||
        !gf_add_u64(words, more_words, &bytes) || !gf_mul_u64(bytes, sizeof(uint64_t), &bytes) ||
        !gf_add_u64(bytes, workspaces, &bytes))
        return gf_error_set(err, GF_E_NO_MEMORY, "%s: scratch memory too large", p->call->step->op->name);
    enum gf_status status = gf_cpu_scratch_get(p->call, bytes, &scratch, err);
    if (status != GF_OK)
        return status;
    uint64_t *partials = (uint64_t *)((char *)scratch + workspaces), *others = partials + words;
    struct level level = {.out = partials, .n = n, .chunks = chunks, .workspaces = scratch};
    level.groups = p->r.axis == GF_AXIS_ROWS ? p->call->in[0].view.height : 1;
    uint64_t samples = (n < GF_TREE_CHUNK ? n : GF_TREE_CHUNK) * p->call->in[0].view.channels;
    gf_cpu_reduce_each(p, reduce_chunk, &level, chunks * level.groups, TASK_SAMPLES / samples);
    while (level.chunks > 1 && p->stop.reason == GF_OK) {
        uint64_t left = level.chunks;
        level = (struct level){.in = level.out,
                               .out = level.in == NULL ? others : (uint64_t *)(uintptr_t)level.in,
                               .n = left,
                               .chunks = gf_cpu_tree_chunks(left)};
        gf_cpu_reduce_each(p, reduce_parts, &level, level.chunks * p->r.sequences, 1);
    }
    return GF_OK;
}

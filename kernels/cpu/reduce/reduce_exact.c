/* SPDX-License-Identifier: MIT */
/*
 * Reductions of one whole channel whose result is the same in any order, directly from the samples in memory: sums of
 * integers of up to 32 bits, and extremes of integers and floats. Every thread keeps its own partial. Called by
 * reduction.c.
 */
#include "reduction.h"

#include <string.h>

#include "kernels/cpu/device/tiles.h"

/* A thread's partial, on cache lines of its own. */
struct slot {
    _Alignas(64) struct gf_partial partial;
};

struct exact {
    struct slot *slots;
    uint64_t width, chunks; /* elements per row, or all elements if rows are contiguous; chunks per row */
    bool wants_argmin, wants_argmax;
};

bool gf_cpu_reduce_is_exact(const struct gf_cpu_reduction *p)
{
    const struct gf_view *view = &p->call->in[0].view;
    uint32_t exact = GF_WANT_EXTREMES | (gf_is_float(p->r.dtype) ? GF_WANT_NAN : GF_WANT_SUM | GF_WANT_SQUARES);
    return p->r.kind == GF_REDUCE_ONE && p->r.axis == GF_AXIS_ALL && view->channels == 1 && view->dtype == p->r.dtype &&
           view->dtype != GF_U64 && view->dtype != GF_I64 && (p->r.want & ~exact) == 0 &&
           (!gf_is_float(p->r.dtype) || (p->r.want & GF_WANT_EXTREMES) != 0);
}

static bool is_nan(uint32_t dtype, const char *src, uint64_t i)
{
    float f;
    double d;
    if (dtype == GF_F32) {
        memcpy(&f, src + i * sizeof(f), sizeof(f));
        return f != f;
    }
    memcpy(&d, src + i * sizeof(d), sizeof(d));
    return d != d;
}

/* The first NaN of n samples, or n - 1 if a client has changed the samples meanwhile. */
static uint64_t first_nan(uint32_t dtype, const char *src, size_t n)
{
    uint64_t i = 0;
    while (i + 1 < n && !is_nan(dtype, src, i))
        i++;
    return i;
}

/* Item: a chunk of a row. */
static void reduce_chunk(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct exact *e = context;
    const struct gf_simd *simd = p->call->simd;
    const struct gf_buf *in = &p->call->in[0];
    uint64_t y = item / e->chunks, x = item % e->chunks * GF_CPU_EXACT, first = y * e->width + x;
    size_t n = e->width - x < GF_CPU_EXACT ? (size_t)(e->width - x) : GF_CPU_EXACT;
    const char *src = (const char *)in->data + y * in->view.pitch + x * gf_dtype_size(p->r.dtype);
    struct gf_partial partial = gf_partial_empty(), *all = &e->slots[slot].partial;
    struct gf_cpu_exact found;
    simd->reduce->exact(p->r.dtype, p->r.want, src, n, &found);
    partial.sum = found.sum;
    partial.squares = found.squares;
    if ((p->r.want & GF_WANT_EXTREMES) != 0 && found.nans < n) {
        bool none = all->argmin == GF_NO_INDEX;
        partial.min_key = found.min_key;
        partial.max_key = found.max_key;
        /* Search for an index only if it may become the result; otherwise any index will do. */
        partial.argmin = partial.argmax = first;
        if (e->wants_argmin && (none || gf_key_canonical(true, found.min_key) <= gf_key_canonical(true, all->min_key)))
            partial.argmin += simd->reduce->find(p->r.dtype, src, n, found.min_key);
        if (e->wants_argmax && (none || gf_key_canonical(true, found.max_key) >= gf_key_canonical(true, all->max_key)))
            partial.argmax += simd->reduce->find(p->r.dtype, src, n, found.max_key);
    }
    partial.nans = found.nans;
    if (found.nans > 0)
        partial.first_nan = first + first_nan(p->r.dtype, src, n);
    gf_partial_join(p->r.want, gf_is_float(p->r.dtype), all, &partial);
}

enum gf_status gf_cpu_reduce_exact(struct gf_cpu_reduction *p, struct gf_error *err)
{
    const struct gf_view *view = &p->call->in[0].view;
    uint32_t threads = gf_cpu_pool_threads(p->call->pool);
    bool one = gf_cpu_is_tight(&p->call->in[0]);
    struct exact e = {.width = one ? view->width * view->height : view->width,
                      .wants_argmin = p->r.op == GF_REDUCTION_ARGMIN,
                      .wants_argmax = p->r.op == GF_REDUCTION_ARGMAX};
    void *scratch;
    e.chunks = (e.width + GF_CPU_EXACT - 1) / GF_CPU_EXACT;
    enum gf_status status = gf_cpu_scratch_get(p->call, threads * sizeof(*e.slots), &scratch, err);
    if (status != GF_OK)
        return status;
    e.slots = scratch;
    for (uint32_t i = 0; i < threads; i++)
        e.slots[i].partial = gf_partial_empty();
    uint64_t rows = one ? 1 : view->height;
    gf_cpu_reduce_each(p, reduce_chunk, &e, rows * e.chunks, e.chunks > 1 ? 1 : GF_CPU_EXACT / e.width);
    for (uint32_t i = 1; i < threads; i++)
        gf_partial_join(p->r.want, gf_is_float(p->r.dtype), &e.slots[0].partial, &e.slots[i].partial);
    if (p->stop.reason == GF_OK)
        gf_cpu_reduce_emit(p, 0, &e.slots[0].partial);
    return GF_OK;
}

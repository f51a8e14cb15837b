/* SPDX-License-Identifier: MIT */
/*
 * The state of one reduction on the CPU. reduction.c, which reduce, stats, dot and compare call, shares it with the
 * paths through the data: along rows, along columns, exact, by segments and compose.
 */
#ifndef GF_KERNELS_CPU_REDUCTION_H
#define GF_KERNELS_CPU_REDUCTION_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/reduce_result.h"
#include "simd_reduce.h"

struct gf_cpu_reduction {
    const struct gf_cpu_call *call;
    struct gf_reduction r;
    struct gf_reduce_target target;
    uint64_t overflow; /* atomic: the first sequence whose result does not fit, otherwise GF_NO_INDEX */
    struct gf_cpu_stop stop;
};

/* Stores the results of a sequence. Any thread. */
void gf_cpu_reduce_emit(struct gf_cpu_reduction *p, uint64_t sequence, const struct gf_partial *partial);
/* As gf_cpu_reduce_emit, for a sequence of n elements. */
void gf_cpu_reduce_emit_of(struct gf_cpu_reduction *p, uint64_t sequence, uint64_t n, const struct gf_partial *partial);
/* Calls fn for items 0..n-1 on all threads, `grain` consecutive items per task, until the call must stop. n may exceed
 * 32 bits. `slot` is below the pool's thread count. */
typedef void gf_cpu_reduce_fn(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot);
void gf_cpu_reduce_each(struct gf_cpu_reduction *p, gf_cpu_reduce_fn *fn, void *context, uint64_t n, uint64_t grain);

/* Sequences along rows: each whole channel, or each row. NO_MEMORY. */
enum gf_status gf_cpu_reduce_sequences(struct gf_cpu_reduction *p, struct gf_error *err);
/* Bytes of all threads' workspaces for gf_cpu_reduce_span. */
uint64_t gf_cpu_reduce_workspace_bytes(const struct gf_cpu_reduction *p);
/* Up to 4096 elements of one channel: of row `row` if the axis is rows, otherwise of all elements. */
struct gf_cpu_span {
    uint64_t row, at, first; /* index of the first element: `at` in the row or channel, `first` in its sequence */
    size_t n;
    uint32_t channel;
};
/* Reduces a span to a partial in the workspace of thread `slot`. */
void gf_cpu_reduce_span(const struct gf_cpu_reduction *p, void *workspaces, uint32_t slot, struct gf_cpu_span span,
                        struct gf_partial *ret_partial);
/* Up to 4096 partials in memory: n of `total`, every step-th from `first` on. */
struct gf_cpu_parts {
    const uint64_t *words;
    uint64_t total, first, step, n;
};
/* Reduces partials to one by the tree. */
struct gf_partial gf_cpu_reduce_fold(const struct gf_cpu_reduction *p, struct gf_cpu_parts partials);
/* Segments of channels; the offsets are input 1. BAD_PARAM, NO_MEMORY. */
enum gf_status gf_cpu_reduce_segments(struct gf_cpu_reduction *p, struct gf_error *err);
/* Whether gf_cpu_reduce_exact can compute it: one whole channel, and only quantities that are the same in any order. */
bool gf_cpu_reduce_is_exact(const struct gf_cpu_reduction *p);
/* NO_MEMORY. */
enum gf_status gf_cpu_reduce_exact(struct gf_cpu_reduction *p, struct gf_error *err);
/* affine and matmul2 along rows and down columns. NO_MEMORY. */
enum gf_status gf_cpu_compose(struct gf_cpu_reduction *p, struct gf_error *err);
/* Composes up to 4096 elements of a line from index `at` on, or up to 4096 results at `in`, to one. */
void gf_cpu_compose_chunk(const struct gf_cpu_reduction *p, uint64_t line, uint64_t at, const double *in, uint64_t n,
                          double *ret);
/* Stores the result of a line. */
void gf_cpu_compose_store(struct gf_cpu_reduction *p, uint64_t line, const double *v);
/* Every column of every channel. NO_MEMORY. */
enum gf_status gf_cpu_reduce_columns(struct gf_cpu_reduction *p, struct gf_error *err);

/* The chunks of the tree over n elements, n > 0. */
static inline uint64_t gf_cpu_tree_chunks(uint64_t n)
{
    return (n - 1) / GF_TREE_CHUNK + 1;
}

/* Whether the wanted quantities need the elements as values, and as keys. */
static inline bool gf_cpu_needs_values(uint32_t want, uint32_t dtype)
{
    return gf_is_float(dtype) || (want & (GF_WANT_TREE_SQUARES | GF_WANT_SPREAD)) != 0;
}

static inline bool gf_cpu_needs_keys(uint32_t want, uint32_t dtype)
{
    return !gf_is_float(dtype) || (want & GF_WANT_EXTREMES) != 0;
}

#endif

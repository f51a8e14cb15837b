/* SPDX-License-Identifier: MIT */
/* One reduction on its way over the threads of the CPU, shared by reduction.c, which reduce, stats, dot and compare
 * call, and the two ways through the data: along rows and along columns. */
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
    uint64_t overflow; /* atomic: the first sequence whose result does not fit, else GF_NO_INDEX */
    struct gf_cpu_stop stop;
};

/* Stores the results of a sequence. Any thread. */
void gf_cpu_reduce_emit(struct gf_cpu_reduction *p, uint64_t sequence, const struct gf_partial *partial);
/* The same of a sequence that has n elements. */
void gf_cpu_reduce_emit_of(struct gf_cpu_reduction *p, uint64_t sequence, uint64_t n, const struct gf_partial *partial);
/* Runs fn over tasks 0..n-1 of any number, `grain` of them in a row, until there is a reason to stop; the last argument
 * is the slot, below the pool's thread count. */
typedef void gf_cpu_reduce_fn(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot);
void gf_cpu_reduce_each(struct gf_cpu_reduction *p, gf_cpu_reduce_fn *fn, void *context, uint64_t n, uint64_t grain);

/* Sequences along rows: the whole of each channel, or each row. NO_MEMORY. */
enum gf_status gf_cpu_reduce_sequences(struct gf_cpu_reduction *p, struct gf_error *err);
/* Bytes that threads need to make parts of elements. */
uint64_t gf_cpu_reduce_workspace_bytes(const struct gf_cpu_reduction *p);
/* Up to 4096 elements of a channel: of row `row` along rows, else of all. */
struct gf_cpu_span {
    uint64_t row, at, first; /* at: index of the first; first: the same in its sequence */
    size_t n;
    uint32_t channel;
};
/* The part of a span, in a thread's room. */
void gf_cpu_reduce_span(const struct gf_cpu_reduction *p, void *workspaces, uint32_t slot, struct gf_cpu_span span,
                        struct gf_partial *ret_partial);
/* Up to 4096 parts in memory: n of `total`, every step-th from `first` on. */
struct gf_cpu_parts {
    const uint64_t *words;
    uint64_t total, first, step, n;
};
/* Those by the tree. */
struct gf_partial gf_cpu_reduce_fold(const struct gf_cpu_reduction *p, struct gf_cpu_parts partials);
/* Segments of channels, in.1. BAD_PARAM, NO_MEMORY. */
enum gf_status gf_cpu_reduce_segments(struct gf_cpu_reduction *p, struct gf_error *err);
/* Whether gf_cpu_reduce_exact takes it: one channel as a whole, nothing but what is the same in any order. */
bool gf_cpu_reduce_is_exact(const struct gf_cpu_reduction *p);
/* NO_MEMORY. */
enum gf_status gf_cpu_reduce_exact(struct gf_cpu_reduction *p, struct gf_error *err);
/* affine and matmul2 along rows and down columns. NO_MEMORY. */
enum gf_status gf_cpu_compose(struct gf_cpu_reduction *p, struct gf_error *err);
/* Up to 4096 elements of a line from index `at` on, or of results at `in`, to one. */
void gf_cpu_compose_chunk(const struct gf_cpu_reduction *p, uint64_t line, uint64_t at, const double *in, uint64_t n,
                          double *ret);
/* Stores the result of a line. */
void gf_cpu_compose_store(struct gf_cpu_reduction *p, uint64_t line, const double *v);
/* Every column of every channel. NO_MEMORY. */
enum gf_status gf_cpu_reduce_columns(struct gf_cpu_reduction *p, struct gf_error *err);

/* Chunks of the tree over n elements, n > 0. */
static inline uint64_t gf_cpu_tree_chunks(uint64_t n)
{
    return (n - 1) / GF_TREE_CHUNK + 1;
}

/* Whether values, and whether keys are read for these quantities. */
static inline bool gf_cpu_needs_values(uint32_t want, uint32_t dtype)
{
    return gf_is_float(dtype) || (want & (GF_WANT_TREE_SQUARES | GF_WANT_SPREAD)) != 0;
}

static inline bool gf_cpu_needs_keys(uint32_t want, uint32_t dtype)
{
    return !gf_is_float(dtype) || (want & GF_WANT_EXTREMES) != 0;
}

#endif

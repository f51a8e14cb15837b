/* SPDX-License-Identifier: MIT */
/*
 * Finds the elements at given ranks of a sequence without sorting it; quantile uses it on the CPU. Elements are
 * compared by their keys (kernels/shared/order/quantile.h).
 */
#ifndef GF_KERNELS_CPU_RANKS_H
#define GF_KERNELS_CPU_RANKS_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/shared/order/quantile.h"
#include "protocol/ops/params/quantile.h"

#define GF_CPU_FEW_KEYS 65536u /* keys of a sequence that one thread processes in its own memory, at most */
#define GF_CPU_KEY_BLOCK 512u  /* keys loaded at a time */

/* A sequence: n elements of a channel from `first` on, row after row; or the first n of column `first`. */
struct gf_cpu_line {
    const struct gf_buf *buf;
    uint64_t first, n;
    uint32_t channel;
    bool column;
};

/* Ranks, ascending and without duplicates, and the keys at these ranks. */
struct gf_cpu_ranks {
    uint32_t n;
    uint64_t rank[GF_QUANTILE_RANKS], key[GF_QUANTILE_RANKS];
};

/* Loads the keys of elements at .. at + n - 1 of a line. */
void gf_cpu_keys_load(const struct gf_cpu_line *line, uint64_t at, uint64_t n, uint64_t *ret_keys);
/* Loads all keys of a column and of the columns to its right, one column after the other. Rows are read once for all of
 * them. */
void gf_cpu_keys_load_columns(const struct gf_cpu_line *first, uint64_t columns, uint64_t *ret_keys);

/* Finds the keys at ranks below n among n > 0 keys, and reorders the keys. All keys must agree in all bits except the
 * lowest `bits`. */
void gf_cpu_ranks_narrow(uint64_t *keys, uint64_t n, uint32_t bits, struct gf_cpu_ranks *ranks);

/* The ranks that the quantiles of a step over n elements need; none if n is 0. */
static inline void gf_cpu_ranks_of(const struct gf_quantile_params *p, uint64_t n, struct gf_cpu_ranks *ret)
{
    ret->n = n == 0 ? 0 : gf_quantile_ranks(p->method, p->q.v, p->q.n, n, ret->rank);
}

/* Finds the ranks of long lines, one line per channel, on all threads, and counts the NaNs of each line. Fills
 * ret_ranks; it has no ranks where all elements are NaN. NO_MEMORY; a reason to stop is in `stop`. */
enum gf_status gf_cpu_ranks_long(const struct gf_cpu_call *call, const struct gf_cpu_line *lines, uint32_t n_lines,
                                 struct gf_cpu_stop *stop, struct gf_cpu_ranks *ret_ranks, uint64_t *ret_nans,
                                 struct gf_error *err);

#endif

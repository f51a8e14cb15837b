/* SPDX-License-Identifier: MIT */
/*
 * The elements of some ranks of a sequence, found without sorting it: what quantile is made of on the CPU. Elements are
 * keys (kernels/shared/order/quantile.h).
 */
#ifndef GF_KERNELS_CPU_RANKS_H
#define GF_KERNELS_CPU_RANKS_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/shared/order/quantile.h"

#define GF_CPU_FEW_KEYS 65536u /* of a sequence that one thread looks at, in memory of its own */
#define GF_CPU_KEY_BLOCK 512u  /* keys that are read at once */

/* A sequence: n elements of a channel from `first` on, row after row, or the first n of column `first`. */
struct gf_cpu_line {
    const struct gf_buf *buf;
    uint64_t first, n;
    uint32_t channel;
    bool column;
};

/* Ranks, ascending and different, and what is found at them. */
struct gf_cpu_ranks {
    uint32_t n;
    uint64_t rank[GF_QUANTILE_RANKS], key[GF_QUANTILE_RANKS];
};

/* The keys of elements at ... at + n - 1 of a line. */
void gf_cpu_keys_load(const struct gf_cpu_line *line, uint64_t at, uint64_t n, uint64_t *ret_keys);

/* Finds ranks below n among n > 0 keys, which change places. They differ in the lowest `bits` bits alone. */
void gf_cpu_ranks_narrow(uint64_t *keys, uint64_t n, uint32_t bits, struct gf_cpu_ranks *ranks);

/* Which ranks of n elements the quantiles of a step lie between; none of no elements. */
static inline void gf_cpu_ranks_of(const struct gf_quantile_params *p, uint64_t n, struct gf_cpu_ranks *ret)
{
    ret->n = n == 0 ? 0 : gf_quantile_ranks(p->method, p->q.v, p->q.n, n, ret->rank);
}

/* Finds the ranks of long lines, one for each channel, by all threads; the number of NaN of each comes with them.
 * `ranks` is filled; its ranks are 0 where there is nothing but NaN. NO_MEMORY; a stop is in `stop`. */
enum gf_status gf_cpu_ranks_long(const struct gf_cpu_call *call, const struct gf_cpu_line *lines, uint32_t n_lines,
                                 struct gf_cpu_stop *stop, struct gf_cpu_ranks *ret_ranks, uint64_t *ret_nans,
                                 struct gf_error *err);

#endif

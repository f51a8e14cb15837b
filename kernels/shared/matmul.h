/* SPDX-License-Identifier: MIT */
/* Which products of integer matrices are refused, docs/numerics.md, "matmul": the same on every backend. */
#ifndef GF_KERNELS_MATMUL_H
#define GF_KERNELS_MATMUL_H

#include <stdbool.h>

#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The greatest product of two elements of which `depth` fit into i64. */
uint64_t gf_matmul_limit(uint64_t depth);
/* Whether data must be looked at: elements of the dtype may have a product above that, and the step refuses them. */
bool gf_matmul_checked(const struct gf_step *step, uint32_t dtype, uint64_t depth);
/* RESULT_OVERFLOW: the greatest |a| times the greatest |b| is `product`, which is above the limit. */
enum gf_status gf_matmul_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

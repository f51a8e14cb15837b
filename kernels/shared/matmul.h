/* SPDX-License-Identifier: MIT */
/* Which integer matrix products are refused, docs/numerics.md, "matmul"; the same on every backend. */
#ifndef GF_KERNELS_MATMUL_H
#define GF_KERNELS_MATMUL_H

#include <stdbool.h>

#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The greatest product of two elements such that the sum of `depth` of them fits in i64. */
uint64_t gf_matmul_limit(uint64_t depth);
/* Whether the data must be checked: elements of the dtype may exceed the limit, and the step refuses such products. */
bool gf_matmul_checked(const struct gf_step *step, uint32_t dtype, uint64_t depth);
/* RESULT_OVERFLOW: `product`, the greatest |a| times the greatest |b|, exceeds the limit. */
enum gf_status gf_matmul_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

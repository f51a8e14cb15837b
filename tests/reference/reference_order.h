/* SPDX-License-Identifier: MIT */
/* The order of docs/numerics.md 20, for the reference of sort, argsort and topk. */
#ifndef GF_TESTS_REFERENCE_ORDER_H
#define GF_TESTS_REFERENCE_ORDER_H

#include "reference.h"

/* The indices of a sequence's elements in their order; owned by the caller. NULL: no memory. */
uint64_t *gf_reference_order(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, bool descending);
/* A sample as it is: all but NaN, which has its one form. */
void gf_reference_move(const void *from, uint32_t dtype, void *to);

#endif

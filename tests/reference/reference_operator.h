/* SPDX-License-Identifier: MIT */
/* reduce and scan with op=user, docs/numerics.md, "Operators of users". Called by reduce.c and scan.c. */
#ifndef GF_TESTS_REFERENCE_OPERATOR_H
#define GF_TESTS_REFERENCE_OPERATOR_H

#include "reference.h"

enum gf_status gf_reference_operator(const struct gf_op *op, const union gf_params *params,
                                     const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                     struct gf_error *err);

#endif

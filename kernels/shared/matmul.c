/* SPDX-License-Identifier: MIT */
/* Which integer matrix products are refused. Called by every backend. */
#include "matmul.h"

#include <inttypes.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/matmul.h"

uint64_t gf_matmul_limit(uint64_t depth)
{
    return (uint64_t)INT64_MAX / depth;
}

bool gf_matmul_checked(const struct gf_step *step, uint32_t dtype, uint64_t depth)
{
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT || gf_matmul_params_get(&step->params).overflow != GF_OVERFLOW_ERROR)
        return false;
    unsigned bits = (unsigned)gf_dtype_size(dtype) * 8;
    return 1ull << (2 * (bits - 1)) > gf_matmul_limit(depth);
}

enum gf_status gf_matmul_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err)
{
    return gf_error_set(err, GF_E_RESULT_OVERFLOW,
                        "%s: the greatest |a| times the greatest |b| is %" PRIu64
                        "; that times the width of a must be at most 2^63-1; overflow=wrap computes modulo "
                        "2^64",
                        step->op->name, product);
}

/* SPDX-License-Identifier: MIT */
/* The range of select in the dtype of the samples, docs/numerics.md, "select". Called by both backends. */
#ifndef GF_KERNELS_SELECT_H
#define GF_KERNELS_SELECT_H

#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_select_params;

/* A bound in the form of signed, unsigned or float dtypes; for f32 its value is an f32. */
union gf_select_bound {
    int64_t i;
    uint64_t u;
    double f;
};

/* A sample x is selected if lo <= x <= hi, both in its dtype. A range without any number of the dtype has lo > hi. */
struct gf_select_range {
    union gf_select_bound lo, hi;
};

struct gf_select_range gf_select_range(const struct gf_select_params *params, uint32_t dtype);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * Steps in front of a filter or behind it that its kernel computes, docs/design.md: what each sample becomes, as a few
 * instructions on one value. Made by pointwise.c from the nodes of a step; run by pointwise.cuh.
 */
#ifndef GF_CUDA_POINTWISE_H
#define GF_CUDA_POINTWISE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUDA_POINTWISE_INSNS 12u

enum gf_cuda_pointwise_op {
#define GF_CUDA_POINTWISE(name, value) GF_CUDA_POINTWISE_##name,
#include "pointwise.def"
};

struct gf_cuda_pointwise {
    uint32_t n;
    struct gf_cuda_pointwise_insn {
        uint32_t op; /* enum gf_cuda_pointwise_op */
        float a, b, c;
    } insns[GF_CUDA_POINTWISE_INSNS];
};

struct gf_expr;

/* Adds what nodes make of a value. False where that is more than instructions on one value are, several inputs, places,
 * channels that differ, functions, and where there is no room; what was added then means nothing. */
bool gf_cuda_pointwise_add(struct gf_cuda_pointwise *pointwise, const struct gf_expr *expr);
/* Adds what a store in `dtype` and the load after it make of one. False where there is no room, and for f16. */
bool gf_cuda_pointwise_add_store(struct gf_cuda_pointwise *pointwise, uint32_t dtype);

#ifdef __cplusplus
}
#endif
#endif

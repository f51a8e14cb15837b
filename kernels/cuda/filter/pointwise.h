/* SPDX-License-Identifier: MIT */
/*
 * Steps before or after a filter that the filter's kernel computes, docs/design.md: a short program of instructions on
 * one sample. pointwise.c makes it from the nodes of a step; pointwise.cuh runs it.
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

/* Appends the effect of an expression on a value. Returns false where it needs more than instructions on one value
 * (several inputs, positions, differing channels, functions) or where there is no room; the program is then
 * undefined. */
bool gf_cuda_pointwise_add(struct gf_cuda_pointwise *pointwise, const struct gf_expr *expr);
/* Appends the effect of storing a value as `dtype` and loading it again. Returns false where there is no room, and for
 * f16. */
bool gf_cuda_pointwise_add_store(struct gf_cuda_pointwise *pointwise, uint32_t dtype);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * affine and matmul2 of reduce (docs/numerics.md, "affine, matmul2"), alike on every backend. Elements are pixels: maps
 * x -> a x + b in two channels, or 2 x 2 matrices, row by row, in four. They are composed in order. Read by C and CUDA.
 */
#ifndef GF_KERNELS_COMPOSE_H
#define GF_KERNELS_COMPOSE_H

#include <math.h>

#include "reduce.h"

#define GF_COMPOSE_THREADS 32u /* threads that share a row of GF_TREE_LANES elements */
#define GF_COMPOSE_QUAD 4u     /* elements per thread */

/* A map in the first two values, or a matrix in all four. */
struct gf_compose_map {
    double v[4];
};

GF_EVERYWHERE bool gf_is_compose(uint32_t op)
{
    return op == GF_REDUCTION_AFFINE || op == GF_REDUCTION_MATMUL2;
}

/* The identity element for this number of channels. */
GF_EVERYWHERE struct gf_compose_map gf_compose_identity(uint32_t channels)
{
    struct gf_compose_map m = {{1.0, 0.0, 0.0, channels == 4 ? 1.0 : 0.0}};
    return m;
}

/* Applies a, then b. */
GF_EVERYWHERE struct gf_compose_map gf_compose_then(uint32_t channels, const struct gf_compose_map *a,
                                                    const struct gf_compose_map *b)
{
    struct gf_compose_map m;
    if (channels == 2) {
        m.v[0] = a->v[0] * b->v[0];
        m.v[1] = fma(a->v[1], b->v[0], b->v[1]);
        m.v[2] = m.v[3] = 0.0;
        return m;
    }
    m.v[0] = fma(a->v[1], b->v[2], a->v[0] * b->v[0]);
    m.v[1] = fma(a->v[1], b->v[3], a->v[0] * b->v[1]);
    m.v[2] = fma(a->v[3], b->v[2], a->v[2] * b->v[0]);
    m.v[3] = fma(a->v[3], b->v[3], a->v[2] * b->v[1]);
    return m;
}

#endif

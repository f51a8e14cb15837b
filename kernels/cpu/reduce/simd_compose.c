/* SPDX-License-Identifier: MIT */
/*
 * Composes affine maps and matrices (docs/numerics.md, "affine, matmul2"): up to 128 in sequence, or columns side by
 * side. Compiled once per instruction set; called by compose.c.
 */
#include "simd_reduce.h"

#include "kernels/cpu/simd/simd_isa.h"

/* Loads the element of `channels` numbers at p. */
GF_ALWAYS struct gf_compose_map get(uint32_t channels, const double *p)
{
    struct gf_compose_map m = {{p[0], p[1], 0.0, 0.0}};
    if (channels == 4) {
        m.v[2] = p[2];
        m.v[3] = p[3];
    }
    return m;
}

GF_ALWAYS void put(uint32_t channels, double *p, const struct gf_compose_map *m)
{
    for (uint32_t c = 0; c < channels; c++)
        p[c] = m->v[c];
}

/* Composes n elements, 1..128: first groups of four in sequence, then the groups pairwise. */
GF_ALWAYS void compose(uint32_t channels, const double *e, size_t n, double *ret)
{
    struct gf_compose_map fours[GF_COMPOSE_THREADS];
    size_t made = (n - 1) / GF_COMPOSE_QUAD + 1;
    for (size_t t = 0; t < made; t++) {
        const double *p = e + t * GF_COMPOSE_QUAD * channels;
        struct gf_compose_map m = get(channels, p);
        for (size_t i = 1; i < GF_COMPOSE_QUAD && t * GF_COMPOSE_QUAD + i < n; i++) {
            struct gf_compose_map next = get(channels, p + i * channels);
            m = gf_compose_then(channels, &m, &next);
        }
        fours[t] = m;
    }
    for (size_t d = 1; d < made; d *= 2)
        for (size_t t = 0; t + d < made; t += 2 * d)
            fours[t] = gf_compose_then(channels, &fours[t], &fours[t + d]);
    put(channels, ret, &fours[0]);
}

GF_ALWAYS void compose_each(uint32_t channels, double *acc, const double *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct gf_compose_map a = get(channels, acc + i * channels), b = get(channels, e + i * channels);
        a = gf_compose_then(channels, &a, &b);
        put(channels, acc + i * channels, &a);
    }
}

void GF_ISA_NAME(gf_simd_compose)(uint32_t channels, const double *e, size_t n, double *ret)
{
    if (channels == 2)
        compose(2, e, n, ret);
    else
        compose(4, e, n, ret);
}

void GF_ISA_NAME(gf_simd_compose_each)(uint32_t channels, double *acc, const double *e, size_t n)
{
    if (channels == 2)
        compose_each(2, acc, e, n);
    else
        compose_each(4, acc, e, n);
}

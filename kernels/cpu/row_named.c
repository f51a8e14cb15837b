/* SPDX-License-Identifier: MIT */
/* What the named filters do to lines: lists of taps, gradients, unsharp. Compiled once per instruction set. */
#include "row_isa.h"

/* Vectors of one block: independent chains that hide the latency of the one before. */
#define TAPS_BLOCK 4

static inline __attribute__((always_inline)) void taps_block(const float *const *at, const float *weight,
                                                             uint32_t n_taps, size_t x, int block, float *out)
{
    gf_vf acc[TAPS_BLOCK];
    for (int b = 0; b < block; b++)
        acc[b] = gf_vf_set(0.0f);
    for (uint32_t t = 0; t < n_taps; t++) {
        gf_vf w = gf_vf_set(weight[t]);
        const float *p = at[t] + x;
#pragma GCC unroll 4
        for (int b = 0; b < block; b++)
            acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES), w, acc[b]);
    }
    for (int b = 0; b < block; b++)
        gf_vf_store(out + x + (size_t)b * GF_LANES, acc[b]);
}

void GF_ISA_NAME(gf_cpu_row_taps)(const float *const *at, const float *weight, uint32_t n_taps, size_t n, float *out)
{
    size_t x = 0;
    for (; x + (TAPS_BLOCK - 1) * GF_LANES < n; x += TAPS_BLOCK * GF_LANES)
        taps_block(at, weight, n_taps, x, TAPS_BLOCK, out);
    for (; x < n; x += GF_LANES)
        taps_block(at, weight, n_taps, x, 1, out);
}

void GF_ISA_NAME(gf_cpu_row_magnitude)(float *gx, const float *gy, size_t n)
{
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf x = gf_vf_load(gx + i), y = gf_vf_load(gy + i);
        gf_vf_store(gx + i, gf_vf_sqrt(gf_vf_fma(x, x, y * y)));
    }
}

void GF_ISA_NAME(gf_cpu_row_unsharp)(float *acc, const float *x, float amount, float threshold, size_t n)
{
    const gf_vf factor = gf_vf_set(amount), limit = gf_vf_set(threshold);
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v = gf_vf_load(x + i), d = v - gf_vf_load(acc + i);
        gf_vi small = (d < limit) & (d > -limit);
        gf_vf_store(acc + i, gf_vf_select(small, v, gf_vf_fma(factor, d, v)));
    }
}

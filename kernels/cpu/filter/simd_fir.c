/* SPDX-License-Identifier: MIT */
/*
 * The chain of fused multiply-adds for many outputs side by side. A block of output vectors stays in registers while
 * all taps are applied in order, so that each output sees exactly the serial chain. Computing two output lines at once
 * uses every loaded sample twice. Compiled once per instruction set.
 */
#include "simd_filter.h"

#include "kernels/cpu/simd/simd_isa.h"

/* Vectors of one block. 2 * FIR2_BLOCK accumulators and a few operands fit in the registers. */
#define FIR_BLOCK (GF_LANES == 16 ? 8 : 4)
#define FIR2_BLOCK (GF_LANES == 16 ? 8 : 4)

struct taps {
    const float *const *lines;
    const float *coefs;
    uint32_t width, height, step;
};

GF_ALWAYS void fir_block(const struct taps *t, size_t x, int block, float *out)
{
    gf_vf acc[FIR_BLOCK];
    const float *w = t->coefs;
    for (int b = 0; b < block; b++)
        acc[b] = gf_vf_set(0.0f);
    for (uint32_t ky = 0; ky < t->height; ky++) {
        const float *p = t->lines[ky] + x;
        for (uint32_t kx = 0; kx < t->width; kx++, p += t->step) {
            gf_vf k = gf_vf_set(*w++);
#pragma GCC unroll 8
            for (int b = 0; b < block; b++)
                acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES), k, acc[b]);
        }
    }
    for (int b = 0; b < block; b++)
        gf_vf_store(out + x + (size_t)b * GF_LANES, acc[b]);
}

void GF_ISA_NAME(gf_simd_fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                              const float *coefs, size_t n, float *out)
{
    struct taps t = {lines, coefs, width, height, step};
    size_t x = 0;
    for (; x + (FIR_BLOCK - 1) * GF_LANES < n; x += FIR_BLOCK * GF_LANES)
        fir_block(&t, x, FIR_BLOCK, out);
    for (; x < n; x += GF_LANES)
        fir_block(&t, x, 1, out);
}

/* Adds one line of taps to a block of accumulators. */
GF_ALWAYS void add_line(const struct taps *t, const float *p, const float *w, int block, gf_vf *acc)
{
    for (uint32_t kx = 0; kx < t->width; kx++, p += t->step) {
        gf_vf k = gf_vf_set(w[kx]);
#pragma GCC unroll 8
        for (int b = 0; b < block; b++)
            acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES), k, acc[b]);
    }
}

GF_ALWAYS void fir2_block(const struct taps *t, size_t x, int block, float *out0, float *out1)
{
    gf_vf acc0[FIR2_BLOCK], acc1[FIR2_BLOCK];
    const float *w = t->coefs;
    for (int b = 0; b < block; b++)
        acc0[b] = acc1[b] = gf_vf_set(0.0f);

    add_line(t, t->lines[0] + x, w, block, acc0);
    for (uint32_t ky = 1; ky < t->height; ky++, w += t->width) {
        const float *p = t->lines[ky] + x;
        for (uint32_t kx = 0; kx < t->width; kx++, p += t->step) {
            gf_vf k0 = gf_vf_set(w[t->width + kx]), k1 = gf_vf_set(w[kx]);
#pragma GCC unroll 8
            for (int b = 0; b < block; b++) {
                gf_vf v = gf_vf_hold(gf_vf_load(p + b * GF_LANES));
                acc0[b] = gf_vf_fma(v, k0, acc0[b]);
                acc1[b] = gf_vf_fma(v, k1, acc1[b]);
            }
        }
    }
    add_line(t, t->lines[t->height] + x, w, block, acc1);

    for (int b = 0; b < block; b++) {
        gf_vf_store(out0 + x + (size_t)b * GF_LANES, acc0[b]);
        gf_vf_store(out1 + x + (size_t)b * GF_LANES, acc1[b]);
    }
}

void GF_ISA_NAME(gf_simd_fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                               const float *coefs, size_t n, float *out0, float *out1)
{
    struct taps t = {lines, coefs, width, height, step};
    size_t x = 0;
    for (; x + (FIR2_BLOCK - 1) * GF_LANES < n; x += FIR2_BLOCK * GF_LANES)
        fir2_block(&t, x, FIR2_BLOCK, out0, out1);
    for (; x < n; x += GF_LANES)
        fir2_block(&t, x, 1, out0, out1);
}

void GF_ISA_NAME(gf_simd_add)(const float *a, const float *b, float *out, size_t n)
{
    size_t i = 0;
    for (; i + GF_LANES <= n; i += GF_LANES)
        gf_vf_store(out + i, gf_vf_load(a + i) + gf_vf_load(b + i));
    for (; i < n; i++)
        out[i] = a[i] + b[i];
}

const struct gf_simd_filter GF_ISA_NAME(gf_simd_filter) = {
    .fir = GF_ISA_NAME(gf_simd_fir),
    .fir2 = GF_ISA_NAME(gf_simd_fir2),
    .add = GF_ISA_NAME(gf_simd_add),
    .taps = GF_ISA_NAME(gf_simd_taps),
    .taps_f32 = GF_ISA_NAME(gf_simd_taps_f32),
    .disc = GF_ISA_NAME(gf_simd_disc),
    .plane_of = GF_ISA_NAME(gf_simd_plane_of),
    .plane_to = GF_ISA_NAME(gf_simd_plane_to),
    .magnitude = GF_ISA_NAME(gf_simd_magnitude),
    .unsharp = GF_ISA_NAME(gf_simd_unsharp),
    .box_columns = GF_ISA_NAME(gf_simd_box_columns),
    .box_window = GF_ISA_NAME(gf_simd_box_window),
    .box_store = GF_ISA_NAME(gf_simd_box_store),
};

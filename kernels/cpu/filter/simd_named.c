/* SPDX-License-Identifier: MIT */
/* The inner loops of the named filters: lists of taps, gradients, unsharp. Compiled once per instruction set. */
#include "simd_filter.h"

#include "kernels/cpu/simd/simd_isa.h"

/* Vectors of one block. Their independent chains hide the latency of the multiply-add. */
#define TAPS_BLOCK 4

GF_ALWAYS void add_taps(const float *const *at, const struct gf_stencil *s, size_t x, int block, gf_vf *acc)
{
    for (int b = 0; b < block; b++)
        acc[b] = gf_vf_set(0.0f);
    for (uint32_t t = 0; t < s->n; t++) {
        gf_vf w = gf_vf_set(s->weight[t]);
        const float *p = at[t] + x;
        if (s->apart == 0) {
#pragma GCC unroll 4
            for (int b = 0; b < block; b++)
                acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES), w, acc[b]);
        } else {
            const float *less = at[s->n + t] + x;
#pragma GCC unroll 4
            for (int b = 0; b < block; b++)
                acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES) - gf_vf_load(less + b * GF_LANES), w, acc[b]);
        }
    }
}

GF_ALWAYS void taps_block(const float *const *at, const struct gf_stencil *s, size_t x, int block, float *out)
{
    gf_vf acc[TAPS_BLOCK];
    add_taps(at, s, x, block, acc);
    for (int b = 0; b < block; b++)
        gf_vf_store(out + x + (size_t)b * GF_LANES, acc[b]);
}

void GF_ISA_NAME(gf_simd_taps)(const float *const *at, const struct gf_stencil *s, size_t n, float *out)
{
    size_t x = 0;
    for (; x + (TAPS_BLOCK - 1) * GF_LANES < n; x += TAPS_BLOCK * GF_LANES)
        taps_block(at, s, x, TAPS_BLOCK, out);
    for (; x < n; x += GF_LANES)
        taps_block(at, s, x, 1, out);
}

/* As taps_block, but stores final samples. With `stream`, dst + x must be aligned to the vector size. */
GF_ALWAYS void taps_f32_block(const float *const *at, const struct gf_cpu_taps *t, size_t x, int block, bool stream,
                              gf_f32_any *dst)
{
    const gf_vf scale = gf_vf_set(t->scale), offset = gf_vf_set(t->offset), nan = gf_vf_set(__builtin_nanf(""));
    gf_vf acc[TAPS_BLOCK];
    add_taps(at, t->stencil, x, block, acc);
    for (int b = 0; b < block; b++) {
        gf_vf v = gf_vf_fma(acc[b], scale, offset);
        v = gf_vf_select(v == v, v, nan);
        if (stream)
            gf_vf_stream(dst + x + (size_t)b * GF_LANES, v);
        else
            *(gf_vf_byte *)(dst + x + (size_t)b * GF_LANES) = v;
    }
}

/* Computes at most one vector of results. */
static void taps_f32_few(const float *const *at, const struct gf_cpu_taps *taps, size_t n, gf_f32_any *to)
{
    float few[GF_LANES];
    taps_f32_block(at, taps, 0, 1, false, few);
    memcpy(to, few, n * sizeof(float));
}

/* The head is computed first, so that the remaining stores are aligned to the vector size. */
void GF_ISA_NAME(gf_simd_taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst)
{
    gf_f32_any *to = dst;
    const float *rest[9];
    const uint32_t n_lines = gf_stencil_samples(taps->stencil);
    size_t x = 0, head = gf_stream_head(dst, n);
    bool aligned = head < n;
    if (aligned && head > 0) {
        taps_f32_few(at, taps, head, to);
        to += head;
        n -= head;
    }
    for (uint32_t i = 0; i < n_lines; i++)
        rest[i] = at[i] + (aligned ? head : 0);
    for (; taps->stream && aligned && x + TAPS_BLOCK * GF_LANES <= n; x += TAPS_BLOCK * GF_LANES)
        taps_f32_block(rest, taps, x, TAPS_BLOCK, true, to);
    for (; x + TAPS_BLOCK * GF_LANES <= n; x += TAPS_BLOCK * GF_LANES)
        taps_f32_block(rest, taps, x, TAPS_BLOCK, false, to);
    for (; x + GF_LANES <= n; x += GF_LANES)
        taps_f32_block(rest, taps, x, 1, false, to);
    for (uint32_t i = 0; i < n_lines; i++)
        rest[i] += x;
    if (x < n)
        taps_f32_few(rest, taps, n - x, to + x);
}

void GF_ISA_NAME(gf_simd_magnitude)(float *gx, const float *gy, size_t n)
{
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf x = gf_vf_load(gx + i), y = gf_vf_load(gy + i);
        gf_vf_store(gx + i, gf_vf_sqrt(gf_vf_fma(x, x, y * y)));
    }
}

void GF_ISA_NAME(gf_simd_unsharp)(float *acc, const float *x, float amount, float threshold, size_t n)
{
    const gf_vf factor = gf_vf_set(amount), limit = gf_vf_set(threshold);
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v = gf_vf_load(x + i), d = v - gf_vf_load(acc + i);
        gf_vi small = (d < limit) & (d > -limit);
        gf_vf_store(acc + i, gf_vf_select(small, v, gf_vf_fma(factor, d, v)));
    }
}

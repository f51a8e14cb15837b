/* SPDX-License-Identifier: MIT */
/* The bilateral filter over planes of f32, docs/numerics.md, "bilateral". Compiled once per instruction set. */
#include "kernels/cpu/simd/simd_isa.h"
#include "kernels/shared/filter.h"
#include "protocol/base/limits.h"
#include "simd_filter.h"

#define BLOCK 2 /* vectors of one channel computed side by side */

/* The weights exp2(e). An exponent below GF_EXP2_MIN or NaN gives weight 0 and a zero mask in ret_counts. */
GF_ALWAYS gf_vf weights(gf_vf e, gf_vi *ret_counts)
{
    const gf_vf whole = gf_vf_set(GF_EXP2_WHOLE);
    gf_vf rounded = e + whole, f = e - (rounded - whole);
    gf_vf v = gf_vf_fma(gf_vf_set(GF_EXP2_C5), f, gf_vf_set(GF_EXP2_C4));
    v = gf_vf_fma(v, f, gf_vf_set(GF_EXP2_C3));
    v = gf_vf_fma(v, f, gf_vf_set(GF_EXP2_C2));
    v = gf_vf_fma(v, f, gf_vf_set(GF_EXP2_C1));
    v = gf_vf_fma(v, f, gf_vf_set(1.0f));
    gf_vi counts = e >= gf_vf_set(GF_EXP2_MIN);
    *ret_counts = counts;
    return (gf_vf)((gf_vi)((gf_vbits)v + ((gf_vbits)rounded << 23)) & counts);
}

GF_ALWAYS gf_vf magnitude(gf_vf v)
{
    return (gf_vf)((gf_vi)v & INT32_MAX);
}

/* Filters `block` vectors of pixels from x on; `channels` and `floats` are compile-time constants. Without `floats`
 * every difference is finite, so a tap of weight 0 adds nothing and needs no mask. */
GF_ALWAYS void disc_block(const struct gf_cpu_disc *d, uint32_t channels, bool floats, size_t x, int block, float *out)
{
    const float *middle = d->lines[d->centre] + d->centre + x;
    const gf_vf range = gf_vf_set(d->range);
    gf_vf own[GF_MAX_CHANNELS][BLOCK], sum[GF_MAX_CHANNELS][BLOCK], weight[BLOCK];
    for (int b = 0; b < block; b++) {
        weight[b] = gf_vf_set(1.0f);
        for (uint32_t c = 0; c < channels; c++) {
            own[c][b] = gf_vf_load(middle + c * d->plane + (size_t)b * GF_LANES);
            sum[c][b] = gf_vf_set(0.0f);
        }
    }
    for (uint32_t t = 0; t < d->n_taps; t++) {
        const float *at = d->lines[d->taps[t].row] + d->taps[t].column + x;
        const gf_vf space = gf_vf_set(d->taps[t].space);
#pragma GCC unroll 2
        for (int b = 0; b < block; b++) {
            gf_vf apart[GF_MAX_CHANNELS], far;
            gf_vi counts;
#pragma GCC unroll 4
            for (uint32_t c = 0; c < channels; c++) {
                apart[c] = gf_vf_load(at + c * d->plane + (size_t)b * GF_LANES) - own[c][b];
                far = c == 0 ? magnitude(apart[c]) : far + magnitude(apart[c]);
            }
            gf_vf w = weights(gf_vf_fma(far * far, range, space), &counts);
            weight[b] += w;
#pragma GCC unroll 4
            for (uint32_t c = 0; c < channels; c++)
                sum[c][b] = gf_vf_fma(w, floats ? (gf_vf)((gf_vi)apart[c] & counts) : apart[c], sum[c][b]);
        }
    }
    for (int b = 0; b < block; b++)
        for (uint32_t c = 0; c < channels; c++)
            gf_vf_store(out + c * d->plane + x + (size_t)b * GF_LANES, own[c][b] + sum[c][b] / weight[b]);
}

GF_ALWAYS void disc(const struct gf_cpu_disc *d, uint32_t channels, bool floats, size_t n, float *out)
{
    int block = channels == 1 ? BLOCK : 1;
    for (size_t x = 0; x < n; x += (size_t)block * GF_LANES)
        disc_block(d, channels, floats, x, block, out);
}

void GF_ISA_NAME(gf_simd_disc)(const struct gf_cpu_disc *d, size_t n, float *out)
{
    if (d->channels == 1 && d->floats)
        disc(d, 1, true, n, out);
    else if (d->channels == 1)
        disc(d, 1, false, n, out);
    else if (d->channels == 2)
        disc(d, 2, true, n, out);
    else if (d->channels == 3 && d->floats)
        disc(d, 3, true, n, out);
    else if (d->channels == 3)
        disc(d, 3, false, n, out);
    else
        disc(d, 4, true, n, out);
}

void GF_ISA_NAME(gf_simd_plane_of)(const float *from, uint32_t step, float *plane, size_t n)
{
    for (size_t i = 0; i < n; i++)
        plane[i] = from[i * step];
}

void GF_ISA_NAME(gf_simd_plane_to)(const float *plane, size_t n, float *to, uint32_t step)
{
    for (size_t i = 0; i < n; i++)
        to[i * step] = plane[i];
}

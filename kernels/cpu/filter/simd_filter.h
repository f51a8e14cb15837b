/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of linear filters over lines of interleaved f32 samples, compiled once per instruction set
 * (simd_fir.c, simd_named.c, simd_box.c, simd_bilateral.c). Called by the files of lines.
 */
#ifndef GF_KERNELS_CPU_SIMD_FILTER_H
#define GF_KERNELS_CPU_SIMD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/filter.h"

/* At most nine taps and what makes stored f32 of their chain. */
struct gf_cpu_taps {
    uint32_t n;
    const float *weight;
    float scale, offset;
    bool stream; /* past the caches */
};

/* A bilateral filter over lines of planes: the planes of the first line of taps are at lines[0], one `plane` floats
 * after the other. */
struct gf_cpu_disc {
    const struct gf_disc_tap *taps;
    uint32_t n_taps;
    float range;
    const float *const *lines;
    size_t plane;
    uint32_t channels; /* of which differences are made, and results */
    uint32_t centre;   /* line and column */
    bool floats;       /* samples may be NaN or infinite */
};

struct gf_simd_filter {
    /* out[i] = chain over ky, kx ascending of lines[ky][i + kx*step] * coefs[ky*width + kx], for i < n. Lines and out
     * are aligned; lines have room for n rounded up and (width-1)*step more, which is read; out for n rounded up. */
    void (*fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs, size_t n,
                float *out);
    /* fir for lines[0..height-1] into out0 and for lines[1..height] into out1. */
    void (*fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step, const float *coefs,
                 size_t n, float *out0, float *out1);
    /* out[i] = a[i] + b[i]; out may be a. */
    void (*add)(const float *a, const float *b, float *out, size_t n);
    /* out[i] = chain over t ascending of at[t][i] * weight[t], for i < n; reads and writes n rounded up. */
    void (*taps)(const float *const *at, const float *weight, uint32_t n_taps, size_t n, float *out);
    /* Likewise, at least one tap, as stored f32 of fmaf(chain, scale, offset), at any address. */
    void (*taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst);
    /* gx[i] = sqrtf(fmaf(gx[i], gx[i], gy[i] * gy[i])); n is rounded up. */
    void (*magnitude)(float *gx, const float *gy, size_t n);
    /* With d = x[i] - acc[i]: acc[i] = |d| < threshold ? x[i] : fmaf(amount, d, x[i]); n is rounded up. */
    void (*unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
    /* n pixels of each channel to planes as far apart; reads and writes up to two vectors past n. */
    void (*disc)(const struct gf_cpu_disc *disc, size_t n, float *out);
    /* plane[i] = from[i * step], and to[i * step] = plane[i]. */
    void (*plane_of)(const float *from, uint32_t step, float *plane, size_t n);
    void (*plane_to)(const float *plane, size_t n, float *to, uint32_t step);
    /* Boxes over bytes, sums modulo 2^16. sums[i] += in[i] - out[i]. */
    void (*box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n);
    /* out[i] = columns[i] + columns[i + step] + ... of `width` of them; spare has room for 2 * (n + width * step). */
    void (*box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n, uint16_t *out);
    /* The bytes of fmaf(sums[i], scale, offset), at any address; reads n rounded up. */
    void (*box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                              const float *coefs, size_t n, float *out);
void GF_ISA_NAME(gf_simd_fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                               const float *coefs, size_t n, float *out0, float *out1);
void GF_ISA_NAME(gf_simd_add)(const float *a, const float *b, float *out, size_t n);
void GF_ISA_NAME(gf_simd_taps)(const float *const *at, const float *weight, uint32_t n_taps, size_t n, float *out);
void GF_ISA_NAME(gf_simd_taps_f32)(const float *const *at, const struct gf_cpu_taps *taps, size_t n, void *dst);
void GF_ISA_NAME(gf_simd_magnitude)(float *gx, const float *gy, size_t n);
void GF_ISA_NAME(gf_simd_unsharp)(float *acc, const float *x, float amount, float threshold, size_t n);
void GF_ISA_NAME(gf_simd_disc)(const struct gf_cpu_disc *disc, size_t n, float *out);
void GF_ISA_NAME(gf_simd_plane_of)(const float *from, uint32_t step, float *plane, size_t n);
void GF_ISA_NAME(gf_simd_plane_to)(const float *plane, size_t n, float *to, uint32_t step);
void GF_ISA_NAME(gf_simd_box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n);
void GF_ISA_NAME(gf_simd_box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n,
                                     uint16_t *out);
void GF_ISA_NAME(gf_simd_box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n);
#endif

#endif
